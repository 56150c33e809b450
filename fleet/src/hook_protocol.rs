//! What the hooks of a machine ask a collector, and what it answers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::protocol::hex_digest;

/// The path of asks on a collector.
pub const ASKS_PATH: &str = "/v1/asks";

/// The path of budgets on a collector.
pub const BUDGETS_PATH: &str = "/v1/budgets";

/// The most that is taken at once, and the largest limit of a budget.
pub const MOST_AMOUNT: i64 = 1_000_000_000_000;

/// The most bytes of an event that people are asked about.
pub const MOST_CALL_BYTES: usize = 256 << 10;

/// The longest that a hook may wait for people, in milliseconds: a day.
pub const LONGEST_PATIENCE_MS: u64 = 86_400_000;

/// Where Cline has the name of an event.
pub(crate) const NESTED_NAME: &str = "hookName";

/// Digits of a call's digest that are part of an ask's ID.
const ID_DIGITS: usize = 8;

/// A call that people are asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetAsk {
    /// The event, byte for byte as the hook received it.
    pub call: String,
    /// After how many milliseconds the hook no longer waits.
    pub patience_ms: u64,
}

/// The answer to an ask that is open now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedAsk {
    /// Its ID.
    pub id: String,
}

/// Whether an ask is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum AskProgress {
    /// It is not answered yet.
    Open,
    /// It is answered. This is said once.
    Answered {
        /// The SHA-256 of the call that was shown, in hex.
        digest: String,
        /// Whether the call is allowed.
        is_allowed: bool,
        /// Who answered.
        by: String,
        /// Why, if they said it.
        reason: Option<String>,
    },
    /// It is withdrawn, too old, or its answer was handed out.
    Ended,
}

/// What a hook takes from a budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetTake {
    /// How much.
    pub amount: i64,
}

/// Whether a hook could take from a budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum TakeAnswer {
    /// It is taken.
    Taken {
        /// What is taken in the window, with this.
        used: i64,
        /// The limit.
        most: i64,
    },
    /// It would be more than the limit, and nothing is taken.
    Over {
        /// What is taken in the window.
        used: i64,
        /// The limit.
        most: i64,
        /// After how many milliseconds as much is free, if nothing else takes it; `None` if the limit is never as large.
        free_ms: Option<i64>,
    },
}

/// Whether a text can be the name of a budget, which is part of a path.
#[must_use]
pub(crate) fn is_budget_name(text: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=100).contains(&text.len()) && text.bytes().all(is_fine) && !text.starts_with('.')
}

/// The ID of an ask: a number, a dot, and the first digits of the call's digest, so that an answer is for this call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskId {
    /// The number of the ask.
    pub number: i64,
    /// The first digits of the digest.
    pub digits: String,
}

impl AskId {
    /// The ID of an ask with this number about the call with this digest.
    #[must_use]
    pub fn new(number: i64, digest: &str) -> Self {
        Self { number, digits: digest.get(..ID_DIGITS).unwrap_or(digest).to_owned() }
    }

    /// Parses an ID. `None` if the text is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (number, digits) = text.split_once('.')?;
        let is_id = digits.len() == ID_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        number.parse().ok().filter(|_| is_id).map(|number| Self { number, digits: digits.to_owned() })
    }
}

impl std::fmt::Display for AskId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.number, self.digits)
    }
}

/// The event that a hook received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookedEvent {
    /// The event as text.
    pub text: String,
    /// The name of the event; empty if it does not say it.
    pub name: String,
    /// The session.
    pub session: Option<String>,
    /// The name of the tool, if it is about a tool call.
    pub tool: Option<String>,
    /// The keys of its object.
    pub(crate) keys: Vec<String>,
}

impl HookedEvent {
    /// Reads an event, which is a JSON object.
    ///
    /// # Errors
    /// Why it is not one, for users.
    pub fn parse(text: String) -> Result<Self, String> {
        let fields: Map<String, Value> =
            serde_json::from_str(&text).map_err(|error| format!("the event is not a JSON object: {error}"))?;
        let field = |names: &[&str]| names.iter().find_map(|name| fields.get(*name)?.as_str().map(str::to_owned));
        let name = field(&["hook_event_name", NESTED_NAME]).unwrap_or_default();
        let session = field(&["session_id", "sessionId", "conversation_id", "taskId"]);
        let tool = field(&["tool_name", "toolName"]);
        let keys = fields.keys().cloned().collect();
        Ok(Self { text, name, session, tool, keys })
    }

    /// The digest of the event, in hex.
    #[must_use]
    pub fn digest(&self) -> String {
        hex_digest(self.text.as_bytes())
    }

    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known == key)
    }
}
