//! The keys of the object that a hook prints.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::docker_agent::event_def::{ContextReader, DockerEventDef, DockerRewrite, PermissionWords};

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
