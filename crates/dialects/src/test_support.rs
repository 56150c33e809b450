//! What the tests of several dialects share.

use pintle_contract::{Diagnostic, Severity};
use proptest::prelude::*;
use serde_json::Value;

use crate::ParsedProject;

/// A diagnostic as it is shown, with its help.
pub(crate) fn show_diagnostic(diagnostic: &Diagnostic) -> String {
    diagnostic.help.as_ref().map_or(diagnostic.to_string(), |help| format!("{diagnostic} | {help}"))
}

/// The diagnostics of at least a severity, each with its help.
pub(crate) fn findings(project: &ParsedProject, least: Severity) -> Vec<String> {
    let shown = project.diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least);
    shown.map(show_diagnostic).collect()
}

/// Any JSON value, with words of a protocol in the keys and values that matter.
pub(crate) fn any_json(words: &'static [&'static str], depth: u32) -> impl Strategy<Value = Value> {
    let words = prop::sample::select(words);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.clone().prop_map(Value::from)
    ];
    leaf.prop_recursive(depth, 32, 4, move |inner| {
        let fields = prop::collection::vec((words.clone().prop_map(str::to_owned), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            fields.prop_map(|fields| fields.into_iter().collect())
        ]
    })
}
