//! The definition of one event of the catalogue.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::aliases::{require_lists, require_object, require_texts, sync_aliases};
use super::payload_error::EventPayloadError;
use crate::FailurePolicy;

/// The definition of one event. A constant of the catalogue.
#[derive(Debug)]
pub struct EventDef {
    /// The canonical name; the name of a family ends in `.*`.
    pub name: &'static str,
    /// When the event fires, in one sentence.
    pub fires_when: &'static str,
    /// What hooks may do to the event.
    pub class: EventClass,
    /// The payload field that matchers check first; `None` if the event has none.
    pub subject: Option<&'static str>,
    /// The part of the payload that hooks may rewrite.
    pub target: RewriteTarget,
    /// What the host does after a deny, in one sentence.
    pub deny_means: &'static str,
    /// Whether a deny only prevents something. If a deny makes the model continue, with the reason as its next message,
    /// untrusted hooks cannot deny.
    pub deny_restricts: bool,
    /// How long context that a hook returns stays with the model.
    pub context: ContextScope,
    /// The failure policy if neither the hook's author nor its dialect sets one. On an event of class
    /// [`EventClass::Rewrite`], a script that may rewrite or deny fails closed regardless of this value, so that data
    /// it would have removed does not pass.
    pub on_failure: FailurePolicy,
    /// Other names of fields, each after the payload's own name. A payload has only its own names: hand-written payloads
    /// may use the others, and a dialect whose hooks know them adds them when it encodes the payload.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Pairs of fields that are one value, and are kept equal: the one that a hook changed wins, or the first.
    pub(super) same: &'static [(&'static str, &'static str)],
    /// The fields that must be strings after a rewrite.
    pub(super) texts: &'static [&'static str],
    /// The fields that must be lists after a rewrite.
    pub(super) lists: &'static [&'static str],
    /// What else makes a payload of this event consistent.
    pub(super) normalize: fn(event: &'static str, before: &Value, after: &mut Value) -> Result<(), EventPayloadError>,
}

impl EventDef {
    /// The defaults of an event that hooks can only observe. `fires_when` is left to the row.
    pub(super) const fn observe(name: &'static str) -> Self {
        Self {
            name,
            fires_when: "",
            class: EventClass::Observe,
            subject: None,
            target: RewriteTarget::Nothing,
            deny_means: "Nothing: hooks can observe this event, but not block it.",
            deny_restricts: true,
            context: ContextScope::None,
            on_failure: FailurePolicy::Open,
            aliases: &[],
            same: &[],
            texts: &[],
            lists: &[],
            normalize: |_event, _before, _after| Ok(()),
        }
    }

    /// The defaults of an event that guards an action: it fails closed. `deny_means` is also left to the row.
    pub(super) const fn guard(name: &'static str) -> Self {
        Self { class: EventClass::Guard, deny_means: "", on_failure: FailurePolicy::Closed, ..Self::observe(name) }
    }

    /// The defaults of an event whose payload hooks may rewrite. `deny_means` and `target` are also left to the row.
    pub(super) const fn rewrite(name: &'static str) -> Self {
        Self { class: EventClass::Rewrite, deny_means: "", ..Self::observe(name) }
    }

    /// Makes a rewritten payload consistent, given the payload before: aliases of one value are made equal.
    ///
    /// # Errors
    /// If the rewrite is not valid for the event; the hook's verdict is then a failure.
    pub fn normalize(&self, before: &Value, after: &mut Value) -> Result<(), EventPayloadError> {
        (self.normalize)(self.name, before, after)?;
        if self.same.is_empty() && self.texts.is_empty() && self.lists.is_empty() {
            return Ok(());
        }
        let fields = require_object(self.name, after)?;
        for (one, other) in self.same {
            sync_aliases(before, fields, one, other);
        }
        require_texts(fields, self.texts)?;
        require_lists(fields, self.lists)
    }

    /// The prefix of an event family with its dot, such as `custom.`; `None` for a single event.
    #[must_use]
    pub fn family(&self) -> Option<&'static str> {
        self.name.strip_suffix('*')
    }

    /// The JSON Schema of the payload as hooks receive it: a field that is always sent is required.
    #[must_use]
    pub fn schema(&self) -> &'static Value {
        find_schema(self.name)
    }

    /// Whether the event is about one tool call, with its tool in `name` and its arguments in `args`.
    #[must_use]
    pub fn is_about_tool_call(&self) -> bool {
        self.subject == Some("name") && self.family().is_none()
    }
}

/// What hooks may do to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EventClass {
    /// The event guards an action: hooks may deny it.
    Guard,
    /// The event carries data: hooks may rewrite it, and deny it with the effect that [`EventDef::deny_means`] states.
    Rewrite,
    /// The event is a notification: verdicts have no effect.
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

/// The part of a payload that hooks may rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RewriteTarget {
    /// Nothing: a rewrite is ignored with a warning.
    Nothing,
    /// The whole payload.
    Whole,
    /// These top-level fields; a rewrite of other fields is ignored with a warning.
    Fields(&'static [&'static str]),
}

/// How long context that a hook returns stays with the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextScope {
    /// The context is ignored.
    None,
    /// For the rest of the session.
    Persistent,
    /// For this turn.
    Turn,
    /// For this call.
    Call,
}

/// The file with the schemas, which `cargo xtask reference` writes, and whose `--check` compares it. What several schemas
/// define, the file has once: their `$defs` are lists of names in it.
#[derive(Default, Deserialize)]
struct SchemaFile {
    definitions: Map<String, Value>,
    /// The schemas by the event's name.
    events: HashMap<String, Value>,
}

/// The schemas by the event's name.
static SCHEMAS: LazyLock<HashMap<String, Value>> = LazyLock::new(|| {
    // A test compares all that is read with what the file was written from.
    let SchemaFile { definitions, mut events } = serde_json::from_str(include_str!("schemas.json")).unwrap_or_default();
    for listed in events.values_mut().filter_map(|schema| schema.get_mut("$defs")) {
        let names = listed.as_array().into_iter().flatten().filter_map(Value::as_str);
        let defined = names.filter_map(|name| Some((name.to_owned(), definitions.get(name)?.clone())));
        *listed = Value::Object(defined.collect());
    }
    events
});

/// The schema of an event of the catalogue.
pub(super) fn find_schema(event: &str) -> &'static Value {
    SCHEMAS.get(event).unwrap_or(&Value::Null)
}

/// Generates the JSON Schema of a payload type as hooks receive it: a field that is always sent is required.
#[cfg(feature = "schema")]
pub(super) fn generate_schema<T: schemars::JsonSchema>() -> Value {
    use schemars::Schema;
    use schemars::generate::SchemaSettings;
    use schemars::transform::RecursiveTransform;

    let no_defaults = RecursiveTransform(|schema: &mut Schema| {
        schema.remove("default");
    });
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(no_defaults);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

#[cfg(test)]
mod tests {
    use crate::event::CATALOGUE;

    #[test]
    fn each_event_has_a_schema() {
        for def in CATALOGUE {
            assert!(def.schema().is_object(), "{}", def.name);
        }
    }
}
