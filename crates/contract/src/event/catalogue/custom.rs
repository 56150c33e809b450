//! `custom.*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `custom.*`.
pub static ROW: Row = Row {
    name: "custom.*",
    fires: "A script calls `events.emit(\"custom.name\", payload)`.",
    class: Class::Rewrite,
    subject: None,
    target: Target::Whole,
    deny: "`events.emit` raises the reason in the script that called it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<Custom>,
    example: || json!({"service": "billing", "version": 7}),
    settle: settled,
};

/// The payload of `custom.*`: whatever was emitted, `null` by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Custom(pub Value);
