//! The keys of the object that a hook prints (docker-agent behaviour, section 2.3).

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::docker_agent::row::{Context, Decisions, Rewrites, Row};

/// One key.
#[derive(Debug)]
pub(crate) struct OutputKey {
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether it stands inside `hook_specific_output`.
    pub(crate) specific: bool,
    /// What its value has to be.
    pub(crate) class: Class,
    /// Whether it can decide anything anywhere.
    pub(crate) decides: bool,
    /// Whether it has an effect on an event.
    pub(crate) works: fn(&Row) -> bool,
}

/// What a value has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// `true` or `false`.
    Boolean,
    /// Text.
    Text,
    /// An object.
    Object,
    /// An object whose values are texts.
    Texts,
    /// A list.
    List,
    /// Anything.
    Anything,
}

/// How a key was spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelled {
    /// As documented; letter case does not matter.
    Expected,
    /// With the underscores left out, as in `hookSpecificOutput`.
    Camel,
}

const TOP: OutputKey = OutputKey { name: "", specific: false, class: Class::Text, decides: false, works: |_| true };
const SPECIFIC: OutputKey = OutputKey { specific: true, ..TOP };

/// Every key.
pub(crate) static KEYS: &[OutputKey] = &[
    OutputKey { name: "continue", class: Class::Boolean, decides: true, ..TOP },
    OutputKey { name: "stop_reason", works: |row| row.blocks, ..TOP },
    OutputKey { name: "suppress_output", class: Class::Boolean, works: |_| false, ..TOP },
    OutputKey { name: "system_message", ..TOP },
    OutputKey { name: "decision", decides: true, works: |row| row.blocks, ..TOP },
    OutputKey { name: "reason", works: |row| row.blocks, ..TOP },
    OutputKey { name: "hook_specific_output", class: Class::Object, decides: true, ..TOP },
    OutputKey { name: "hook_event_name", ..SPECIFIC },
    OutputKey { name: "permission_decision", decides: true, works: takes_decisions, ..SPECIFIC },
    OutputKey { name: "permission_decision_reason", works: takes_decisions, ..SPECIFIC },
    OutputKey {
        name: "updated_input",
        class: Class::Object,
        works: |row| row.rewrites == Some(Rewrites::Input),
        ..SPECIFIC
    },
    OutputKey { name: "additional_context", works: takes_context, ..SPECIFIC },
    OutputKey { name: "instruction_context", class: Class::List, works: takes_context, ..SPECIFIC },
    OutputKey { name: "summary", works: |row| row.summary, ..SPECIFIC },
    OutputKey {
        name: "updated_messages",
        class: Class::List,
        works: |row| row.rewrites == Some(Rewrites::Messages),
        ..SPECIFIC
    },
    OutputKey {
        name: "updated_tool_response",
        class: Class::Anything,
        works: |row| row.rewrites == Some(Rewrites::Response),
        ..SPECIFIC
    },
    OutputKey { name: "metadata", class: Class::Texts, works: |row| row.metadata, ..SPECIFIC },
];

fn takes_decisions(row: &Row) -> bool {
    row.decisions != Decisions::Nothing
}

fn takes_context(row: &Row) -> bool {
    row.context != Context::Nobody
}

/// The key that a word spells, and how.
///
/// docker-agent passes over letter case and not over underscores (section 2.3); the other common spelling is known here
/// so that it can be told apart from a word that means nothing.
pub(crate) fn spelled(word: &str) -> Option<(&'static OutputKey, Spelled)> {
    static BY_LETTERS: LazyLock<HashMap<String, &'static OutputKey>> =
        LazyLock::new(|| KEYS.iter().map(|key| (key.name.replace('_', ""), key)).collect());
    let lower = word.to_lowercase();
    let key = *BY_LETTERS.get(&lower.replace('_', ""))?;
    Some((key, if lower == key.name { Spelled::Expected } else { Spelled::Camel }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letter_case_does_not_matter_and_a_missing_underscore_is_another_spelling() {
        for (word, wanted) in [
            ("decision", Some(("decision", Spelled::Expected))),
            ("DECISION", Some(("decision", Spelled::Expected))),
            ("Hook_Specific_Output", Some(("hook_specific_output", Spelled::Expected))),
            ("hookSpecificOutput", Some(("hook_specific_output", Spelled::Camel))),
            ("permissionDecisionReason", Some(("permission_decision_reason", Spelled::Camel))),
            ("de_cision", Some(("decision", Spelled::Camel))),
            ("decisions", None),
            ("", None),
        ] {
            assert_eq!(spelled(word).map(|(key, how)| (key.name, how)), wanted, "{word}");
        }
    }
}
