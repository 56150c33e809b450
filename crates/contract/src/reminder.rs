//! Reminders: short texts that a hook puts before the model, and how long they stay.

use serde::{Deserialize, Serialize};

/// A text the model is reminded of (Harn, `transcript.inject_reminder`).
///
/// The host renders it, once for each model call that should see it, drops what has expired, keeps of several with one
/// `dedupe_key` the newest of the highest authority, and carries it over compaction and into child agents as it says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reminder {
    /// The text; never empty.
    pub body: String,
    /// Words to find it by, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What it is about: a newer reminder with the same key takes its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// For how many turns the model sees it, at least 1; `None` is until something else ends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_turns: Option<u32>,
    /// Whether it outlives a compaction of the conversation. Default: no.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preserve_on_compact: bool,
    /// Which other agents get it. Default: the agent's own session alone.
    #[serde(skip_serializing_if = "is_default")]
    pub propagate: ReminderPropagation,
    /// In whose voice it is put. Default: the system's.
    #[serde(skip_serializing_if = "is_default")]
    pub role_hint: ReminderRoleHint,
    /// How much it weighs beside others. Default: it binds.
    #[serde(skip_serializing_if = "is_default")]
    pub authority: ReminderAuthority,
}

impl Reminder {
    /// A reminder that is nothing but its text, and stays for one turn: what a hook of another system asks for that knows
    /// no more.
    pub fn for_one_turn(body: impl Into<String>) -> Self {
        Self { body: body.into(), ttl_turns: Some(1), ..Self::default() }
    }
}

/// Which agents get a reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderPropagation {
    /// This one and every agent below it.
    All,
    /// This one.
    #[default]
    Session,
    /// This one, and no copy of the conversation either.
    None,
}

/// In whose voice a reminder is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderRoleHint {
    /// The system's.
    #[default]
    System,
    /// The developer's.
    Developer,
    /// The person's.
    UserBlock,
    /// The system's, where it may break the cache of what came before.
    EphemeralCache,
}

/// How much a reminder weighs. Smaller weighs more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderAuthority {
    /// It binds.
    #[default]
    Contract,
    /// It corrects.
    Corrective,
    /// It advises.
    Advisory,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
