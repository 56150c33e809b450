//! Reads a printed JSON object, key by key.

use std::collections::HashMap;
use std::sync::LazyLock;

use pintle_clients::program_output::{MOST_UNKNOWN_FIELDS, describe_kind};
use pintle_clients::refusal::{ECHO, is_echo, refuses};
use pintle_contract::{Codec, format_key, suggest_nearest};
use serde_json::{Map, Value};

use super::DockerDecodeContext;
use crate::docker_agent::event_def::DockerAgentVersion;
use crate::docker_agent::event_def::{ContextReader, DockerEventDef, DockerRewrite, PermissionWords};

/// The output of a hook: the known keys, with values of the right type.
#[derive(Debug, Default)]
pub(super) struct DockerHookOutput {
    pub(super) values: Vec<(&'static OutputKey, Value)>,
    /// Warnings for the hook's author.
    pub(super) warnings: Vec<String>,
    /// The number of unknown fields.
    unknown_count: usize,
}

impl DockerHookOutput {
    /// Reads an object. Null fields are treated as absent.
    ///
    /// # Errors
    /// If a value has the wrong type, a key is set twice, or a deciding field is invalid.
    pub(super) fn read(context: &DockerDecodeContext<'_>, object: Map<String, Value>) -> Result<Self, String> {
        let mut output = Self::default();
        let payload = || context.codec.encode(context.event, context.name());
        if context.codec.compat == DockerAgentVersion::Newest
            && is_echo(&object, payload, |name| find_key(name).is_some())
        {
            output.warnings.push(ECHO.to_owned());
            return Ok(output);
        }
        output.read_level(context, object, false)?;
        if context.codec.strict_output {
            check_strictly(context, &output)?;
        }
        Ok(output)
    }

    fn read_level(
        &mut self,
        context: &DockerDecodeContext<'_>,
        object: Map<String, Value>,
        specific: bool,
    ) -> Result<(), String> {
        for (word, value) in object {
            let Some(key) = self.find_known_key(context, &word, &value, specific)? else { continue };
            if value.is_null() {
                continue;
            }
            check_value(key, &value)?;
            match value {
                Value::Object(inner) if key.name == "hook_specific_output" => self.read_level(context, inner, true)?,
                value => self.set(context, key, value)?,
            }
        }
        Ok(())
    }

    /// The known key for a name, unless it is ignored here.
    fn find_known_key(
        &mut self,
        context: &DockerDecodeContext<'_>,
        word: &str,
        value: &Value,
        specific: bool,
    ) -> Result<Option<&'static OutputKey>, String> {
        let strict = context.codec.strict_output;
        let Some((key, how)) = find_key(word) else {
            self.read_unknown(context, word, value, specific)?;
            return Ok(None);
        };
        if key.is_specific != specific {
            let belongs = if key.is_specific { "belongs inside" } else { "belongs next to, not inside," };
            let message = format!("`{word}` {belongs} `hook_specific_output`");
            if strict || (key.can_decide && context.def.can_block && context.codec.compat == DockerAgentVersion::Newest)
            {
                return Err(message);
            }
            self.warnings.push(format!("{message} and has no effect here"));
            return Ok(None);
        }
        match how {
            KeySpelling::Expected => Ok(Some(key)),
            _ if is_spelled_so_in_the_example(context.def, key) && !strict => Ok(Some(key)),
            KeySpelling::Camel if strict => Err(format!("unknown field `{word}`; write `{}`", key.name)),
            KeySpelling::Camel if context.codec.compat == DockerAgentVersion::G1 => {
                self.warnings.push(format!("`{word}` is ignored under `compat: g1`; write `{}`", key.name));
                Ok(None)
            }
            KeySpelling::Camel => {
                self.warnings.push(format!("`{word}` is not how docker-agent spells it; write `{}`", key.name));
                Ok(Some(key))
            }
        }
    }

    fn read_unknown(
        &mut self,
        context: &DockerDecodeContext<'_>,
        word: &str,
        value: &Value,
        specific: bool,
    ) -> Result<(), String> {
        let is_newest = context.codec.compat == DockerAgentVersion::Newest;
        // On other events nothing can be allowed by mistake.
        let may_block = is_newest && context.def.can_block;
        self.unknown_count += 1;
        if self.unknown_count > MOST_UNKNOWN_FIELDS {
            let message = format!("more than {MOST_UNKNOWN_FIELDS} unknown fields");
            if is_newest {
                return Err(message);
            }
            // The warnings state how many there are.
            self.warnings.push(message);
            return Ok(());
        }
        let here = KEYS.iter().filter(|key| key.is_specific == specific);
        let names = || KEYS.iter().map(|key| key.name);
        let near = suggest_nearest(word, here.map(|key| key.name)).or_else(|| suggest_nearest(word, names()));
        let shown = format_key(word);
        let message = match near {
            Some(near) => format!("unknown field `{shown}`; did you mean `{near}`?"),
            None => format!("unknown field `{shown}`"),
        };
        // A typo in a deciding key, at either level, must not allow anything.
        let is_slip = may_block && near.is_some_and(|near| KEYS.iter().any(|key| key.can_decide && key.name == near));
        if context.codec.strict_output || is_slip {
            return Err(message);
        }
        if may_block && refuses(word, value) {
            return Err(format!("{message} that seems to deny; write `\"decision\": \"block\"` and a `reason`"));
        }
        self.warnings.push(message);
        Ok(())
    }

    fn set(&mut self, context: &DockerDecodeContext<'_>, key: &'static OutputKey, value: Value) -> Result<(), String> {
        match self.values.iter_mut().find(|(known, _)| known.name == key.name) {
            None => self.values.push((key, value)),
            Some((_, known)) if *known == value || context.codec.compat == DockerAgentVersion::G1 => *known = value,
            Some(_) => return Err(format!("`{}` is set twice, with different values", key.name)),
        }
        Ok(())
    }

    /// A value of any type.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(key, _)| key.name == name).map(|(_, value)| value)
    }

    /// A string; empty if absent.
    pub(super) fn text(&self, name: &str) -> &str {
        self.value(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let index = self.values.iter().position(|(key, _)| key.name == name)?;
        Some(self.values.swap_remove(index).1)
    }

    /// The reasons of everything that blocks (`continue: false` and `decision: block`), if anything does.
    pub(super) fn blocking_texts(&self) -> Option<Vec<&str>> {
        let stopped = self.value("continue") == Some(&Value::Bool(false));
        let blocked = self.text("decision") == "block";
        let texts = [(stopped, "stop_reason"), (blocked, "reason")];
        (stopped || blocked)
            .then(|| texts.into_iter().filter(|(said, _)| *said).map(|(_, key)| self.text(key)).collect())
    }
}

/// Checks the type of a value.
fn check_value(key: &OutputKey, value: &Value) -> Result<(), String> {
    let texts = |fields: &Map<String, Value>| fields.values().all(Value::is_string);
    let (fits, wanted) = match key.class {
        ValueClass::Boolean => (value.is_boolean(), "true or false"),
        ValueClass::Text => (value.is_string(), "a string"),
        ValueClass::Object => (value.is_object(), "an object"),
        ValueClass::Texts => (value.as_object().is_some_and(texts), "an object whose values are strings"),
        ValueClass::List => (value.is_array(), "a list"),
        ValueClass::Anything => (true, "anything"),
    };
    if fits { Ok(()) } else { Err(format!("`{}` must be {wanted}, not {}", key.name, describe_kind(value))) }
}

/// Rejects fields that the event does not support.
fn check_strictly(context: &DockerDecodeContext<'_>, output: &DockerHookOutput) -> Result<(), String> {
    let event = context.name();
    if output.value("suppress_output").is_some() {
        return Err(String::from("`suppress_output` has no effect and is not allowed under strict_output"));
    }
    let named = output.text("hook_event_name");
    if !named.is_empty() && named != event {
        return Err(format!("hook_event_name is `{}`, but the event is `{event}`", format_key(named)));
    }
    if !context.def.can_block && output.blocking_texts().is_some() {
        return Err(format!("{event} does not support blocking output"));
    }
    match output.values.iter().find(|(key, _)| !(key.has_effect)(context.def)) {
        Some((key, _)) => Err(format!("{event} does not support {}", key.name)),
        None => Ok(()),
    }
}

/// One key of a hook's output.
#[derive(Debug)]
pub(crate) struct OutputKey {
    pub(crate) name: &'static str,
    /// Whether it is inside `hook_specific_output`.
    pub(crate) is_specific: bool,
    /// The required type of its value.
    pub(crate) class: ValueClass,
    /// Whether it can decide on any event.
    pub(crate) can_decide: bool,
    /// Whether it has an effect on an event.
    pub(crate) has_effect: fn(&DockerEventDef) -> bool,
}

/// The required type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueClass {
    /// `true` or `false`.
    Boolean,
    Text,
    Object,
    /// An object whose values are strings.
    Texts,
    List,
    Anything,
}

/// Whether docker-agent's own example writes the key in camelCase for an event, as it does `hookSpecificOutput.summary`.
pub(crate) fn is_spelled_so_in_the_example(def: &DockerEventDef, key: &OutputKey) -> bool {
    def.summary && matches!(key.name, "hook_specific_output" | "hook_event_name")
}

/// The spelling of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeySpelling {
    /// As documented; letter case is ignored.
    Expected,
    /// Without underscores, as in `hookSpecificOutput`.
    Camel,
}

const TOP: OutputKey =
    OutputKey { name: "", is_specific: false, class: ValueClass::Text, can_decide: false, has_effect: |_| true };
const SPECIFIC: OutputKey = OutputKey { is_specific: true, ..TOP };

pub(crate) static KEYS: &[OutputKey] = &[
    OutputKey { name: "continue", class: ValueClass::Boolean, can_decide: true, ..TOP },
    OutputKey { name: "stop_reason", has_effect: |row| row.can_block, ..TOP },
    OutputKey { name: "suppress_output", class: ValueClass::Boolean, has_effect: |_| false, ..TOP },
    OutputKey { name: "system_message", ..TOP },
    OutputKey { name: "decision", can_decide: true, has_effect: |row| row.can_block, ..TOP },
    OutputKey { name: "reason", has_effect: |row| row.can_block, ..TOP },
    OutputKey { name: "hook_specific_output", class: ValueClass::Object, can_decide: true, ..TOP },
    OutputKey { name: "hook_event_name", ..SPECIFIC },
    OutputKey { name: "permission_decision", can_decide: true, has_effect: takes_decisions, ..SPECIFIC },
    OutputKey { name: "permission_decision_reason", has_effect: takes_decisions, ..SPECIFIC },
    OutputKey {
        name: "updated_input",
        class: ValueClass::Object,
        has_effect: |row| row.rewrites == Some(DockerRewrite::Input),
        ..SPECIFIC
    },
    OutputKey { name: "additional_context", has_effect: takes_context, ..SPECIFIC },
    OutputKey { name: "instruction_context", class: ValueClass::List, has_effect: takes_context, ..SPECIFIC },
    OutputKey { name: "summary", has_effect: |row| row.summary, ..SPECIFIC },
    OutputKey {
        name: "updated_messages",
        class: ValueClass::List,
        has_effect: |row| row.rewrites == Some(DockerRewrite::Messages),
        ..SPECIFIC
    },
    OutputKey {
        name: "updated_tool_response",
        class: ValueClass::Anything,
        has_effect: |row| row.rewrites == Some(DockerRewrite::Response),
        ..SPECIFIC
    },
    OutputKey { name: "metadata", class: ValueClass::Texts, has_effect: |row| row.metadata, ..SPECIFIC },
];

fn takes_decisions(def: &DockerEventDef) -> bool {
    def.decisions != PermissionWords::Nothing
}

fn takes_context(def: &DockerEventDef) -> bool {
    def.context != ContextReader::NoReader
}

/// Finds the key for a written name, and its spelling.
///
/// docker-agent ignores letter case but not missing underscores. The other common spelling is recognized here, to
/// distinguish it from unknown keys.
pub(crate) fn find_key(word: &str) -> Option<(&'static OutputKey, KeySpelling)> {
    static BY_LETTERS: LazyLock<HashMap<String, &'static OutputKey>> =
        LazyLock::new(|| KEYS.iter().map(|key| (key.name.replace('_', ""), key)).collect());
    let lower = word.to_lowercase();
    let key = *BY_LETTERS.get(&lower.replace('_', ""))?;
    Some((key, if lower == key.name { KeySpelling::Expected } else { KeySpelling::Camel }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letter_case_is_ignored_and_camel_case_is_a_different_spelling() {
        for (word, wanted) in [
            ("decision", Some(("decision", KeySpelling::Expected))),
            ("DECISION", Some(("decision", KeySpelling::Expected))),
            ("Hook_Specific_Output", Some(("hook_specific_output", KeySpelling::Expected))),
            ("hookSpecificOutput", Some(("hook_specific_output", KeySpelling::Camel))),
            ("permissionDecisionReason", Some(("permission_decision_reason", KeySpelling::Camel))),
            ("de_cision", Some(("decision", KeySpelling::Camel))),
            ("decisions", None),
            ("", None),
        ] {
            assert_eq!(find_key(word).map(|(key, how)| (key.name, how)), wanted, "{word}");
        }
    }
}
