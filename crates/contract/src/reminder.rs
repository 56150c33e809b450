//! Reminders: short texts that a hook adds for the model, with their lifetime.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A reminder: a text that the host adds to model calls.
///
/// The host adds it once to each model call that should see it and removes it when it expires. Of several reminders
/// with one `dedupe_key` it keeps the newest with the highest authority. Compaction and child agents keep it as its
/// fields say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reminder {
    /// The text; never empty.
    pub body: String,
    /// Labels for finding the reminder, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The topic of the reminder: a newer reminder with the same key replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// The number of turns in which the model sees the reminder, at least 1; `None` has no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_turns: Option<u32>,
    /// Whether the reminder is kept when the conversation is compacted. Default: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preserve_on_compact: bool,
    /// Which agents get the reminder. Default: only the agent's own session.
    #[serde(skip_serializing_if = "is_default")]
    pub propagate: ReminderPropagation,
    /// The role in which the reminder is sent. Default: system.
    #[serde(skip_serializing_if = "is_default")]
    pub role_hint: ReminderRoleHint,
    /// How binding the reminder is. Default: [`ReminderAuthority::Contract`].
    #[serde(skip_serializing_if = "is_default")]
    pub authority: ReminderAuthority,
}

/// The keys of a reminder.
const KEYS: [&str; 8] =
    ["body", "tags", "dedupe_key", "ttl_turns", "preserve_on_compact", "propagate", "role_hint", "authority"];

impl Reminder {
    /// Parses what a script gives: a string, or a dict with these fields.
    ///
    /// # Errors
    /// When a key is unknown, a value has the wrong type, or the body is empty.
    pub fn parse(value: Value) -> Result<Self, String> {
        let reminder = match value {
            Value::String(body) => Self { body, ..Self::default() },
            Value::Object(fields) => {
                if let Some(unknown) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
                    return Err(format!("unknown key `{unknown}` in a reminder; the keys are {}", KEYS.join(", ")));
                }
                serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?
            }
            _ => return Err(String::from("a reminder must be a string or a dict with `body`")),
        };
        match reminder.body.trim() {
            "" => Err(String::from("the `body` of a reminder must not be empty")),
            _ => Ok(reminder),
        }
    }

    /// Creates a reminder with defaults that stays for one turn, for hooks of dialects without further settings.
    pub fn for_one_turn(body: impl Into<String>) -> Self {
        Self { body: body.into(), ttl_turns: Some(1), ..Self::default() }
    }
}

/// Which agents get a reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderPropagation {
    /// This agent and all of its child agents.
    All,
    /// This agent.
    #[default]
    Session,
    /// This agent, but not copies of its conversation.
    None,
}

/// The role in which a reminder is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderRoleHint {
    /// As a system message.
    #[default]
    System,
    /// As a developer message.
    Developer,
    /// As a user message.
    UserBlock,
    /// As a system message, at a position that may invalidate the provider's prompt cache.
    EphemeralCache,
}

/// How binding a reminder is. A smaller value has priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderAuthority {
    /// The model must follow it.
    #[default]
    Contract,
    /// It corrects the model.
    Corrective,
    /// It advises the model.
    Advisory,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
