//! What the catalogue says of one event.

use std::fmt;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use crate::FailurePolicy;

/// One row of the catalogue.
#[derive(Debug)]
pub struct EventDef {
    /// The canonical name; a family ends in `.*`.
    pub name: &'static str,
    /// When it fires, one sentence.
    pub fires_when: &'static str,
    /// What hooks may do to it.
    pub class: EventClass,
    /// The payload field that matchers look at first.
    pub subject: Option<&'static str>,
    /// The part of the payload that a rewrite may replace.
    pub target: RewriteTarget,
    /// What a deny means to the host, one sentence.
    pub deny_means: &'static str,
    /// Whether a deny only takes something away. Where it sends a model on, with the reason as its next message, a hook that
    /// is not trusted has no say.
    pub deny_restricts: bool,
    /// How long a hook's context stays with the model.
    pub context: ContextScope,
    /// What a failed hook means when neither its author nor its dialect says. A script that may rewrite or refuse fails closed
    /// on an event that shapes data, whatever stands here: what it would have taken out does not pass.
    pub on_failure: FailurePolicy,
    /// The JSON Schema of the payload.
    pub schema: fn() -> Value,
    /// A payload as it is really fired.
    pub example: fn() -> Value,
    /// Makes a rewritten payload whole again, given the one before: two spellings of one value follow each other.
    ///
    /// Fails when the rewrite makes no sense for the event; the hook's verdict is then a failure.
    pub normalize: fn(before: &Value, after: &mut Value) -> Result<(), String>,
}

impl EventDef {
    /// The prefix of an open family with its dot, such as `custom.`.
    #[must_use]
    pub fn family(&self) -> Option<&'static str> {
        self.name.strip_suffix('*')
    }
}

/// What hooks may do to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EventClass {
    /// It guards an action: hooks may deny.
    Guard,
    /// It shapes data: hooks may rewrite, and deny where the row says what that means.
    Rewrite,
    /// It only tells: nothing follows from a verdict.
    Observe,
}

impl fmt::Display for EventClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Guard => "guard",
            Self::Rewrite => "rewrite",
            Self::Observe => "observe",
        })
    }
}

/// The part of a payload that a rewrite may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RewriteTarget {
    /// Nothing: a rewrite is ignored with a warning.
    Nothing,
    /// The whole payload.
    Whole,
    /// These top-level fields; a rewrite of others is ignored with a warning.
    Fields(&'static [&'static str]),
}

/// How long a hook's context stays with the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextScope {
    /// It is ignored.
    None,
    /// For the rest of the session.
    Persistent,
    /// For this turn.
    Turn,
    /// For this call.
    Call,
}

/// The [`EventDef::normalize`] of events whose payload has one spelling only.
///
/// # Errors
/// Never.
pub(super) fn no_aliases(_before: &Value, _after: &mut Value) -> Result<(), String> {
    Ok(())
}

/// The [`EventDef::schema`] of a payload type: what hooks receive, so that a field which is always sent is required.
pub(super) fn schema_of<T: JsonSchema>() -> Value {
    let no_defaults = RecursiveTransform(|schema: &mut Schema| {
        schema.remove("default");
    });
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(no_defaults);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
