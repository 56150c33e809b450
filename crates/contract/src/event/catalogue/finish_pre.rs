//! `finish.pre`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::piece::{Unsettled};
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `finish.pre`.
pub static ROW: Row = Row {
    name: "finish.pre",
    fires: "A run is about to finish, before the callback that the host registered for that.",
    class: Class::Observe,
    subject: None,
    target: Target::Nothing,
    deny: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<FinishPre>,
    example: || json!({"return_value": {"merged": true}, "unsettled": [], "has_on_finish": true}),
    settle: settled,
};

/// The payload of `finish.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FinishPre {
    /// What it gives back.
    pub return_value: Value,
    /// The work that is not settled yet.
    pub unsettled: Vec<Unsettled>,
    /// Whether a callback follows, whose value replaces this one.
    pub has_on_finish: bool,
}
