//! Compares how a tool call ended with what the scenario expects of it.

use pintle_host::dialects::ScenarioCall;
use pintle_host::tools::ToolVocabulary;
use serde_json::{Value, json};

use super::compare::compare_values;
use super::transcript::{ScenarioDifference, shorten};
use crate::observer::ToolCallEnd;

/// A call that was made, and how it ended.
#[derive(Debug, Default)]
pub(super) struct PlayedCall {
    /// Whether a person was asked about it.
    pub(super) was_asked: bool,
    /// Whether the person refused, or there was none to ask.
    pub(super) is_refused: bool,
    /// The name and arguments after rewrites of hooks.
    pub(super) rewritten: Option<Value>,
    /// The reasons of hooks.
    pub(super) reasons: Vec<String>,
    /// The texts of hooks for the model.
    pub(super) contexts: Vec<String>,
    /// How it ended; `None` if it was never made.
    pub(super) end: Option<ToolCallEnd>,
    /// The result as the model sees it.
    pub(super) content: String,
}

/// A call in one line: the command line, otherwise the tool and its arguments.
pub(super) fn describe_call(call: &ScenarioCall) -> String {
    let command = call.args.get("command").and_then(Value::as_str).filter(|_| call.name == "shell");
    command.map_or_else(|| format!("{} {}", call.name, shorten(&call.args.to_string())), shorten)
}

/// What was found, and what differs from what is expected.
pub(super) fn compare_call(
    call: &ScenarioCall,
    facts: &PlayedCall,
    vocabulary: Option<&ToolVocabulary>,
) -> (String, Vec<ScenarioDifference>) {
    let decision = decision_word(call, facts);
    let ran = matches!(facts.end, Some(ToolCallEnd::Returned | ToolCallEnd::Failed));
    let reasons = facts.reasons.join("\n");
    let reason = if reasons.is_empty() && !ran { facts.content.clone() } else { reasons };
    let found = match reason.as_str() {
        "" => decision.to_owned(),
        reason => format!("{decision}: {}", shorten(reason)),
    };
    if decision != call.expect {
        return (found.clone(), vec![ScenarioDifference::new(call.expect.clone(), found)]);
    }
    let mut differences = Vec::new();
    if let Some(wanted) = call.reason.as_ref() {
        let is_in_result = !ran && facts.content.contains(wanted);
        if !reason.contains(wanted) && !is_in_result {
            differences.push(ScenarioDifference::containing("reason", wanted, &reason));
        }
    }
    if let Some(wanted) =
        call.context.as_ref().filter(|wanted| !facts.contexts.iter().any(|text| text.contains(*wanted)))
    {
        differences.push(ScenarioDifference::containing("context", wanted, &facts.contexts.join(" | ")));
    }
    for wanted in call.result.iter().filter(|wanted| !facts.content.contains(*wanted)) {
        differences.push(ScenarioDifference::containing("result", wanted, &facts.content));
    }
    let rewritten = facts.rewritten.as_ref().map(|call| to_canonical(call, vocabulary));
    for (field, wanted) in call.rewrite.iter().flatten() {
        let found = rewritten.as_ref().and_then(|call| match field.as_str() {
            "name" | "args" => call.get(field),
            _ => call.get("args")?.get(field),
        });
        compare_values(field, wanted, found, &mut |path, wanted, found| {
            let found = found.map_or_else(|| format!("`{path}` is missing"), |found| format!("`{path}` is {found}"));
            differences.push(ScenarioDifference::new(format!("`{path}` is {wanted}"), found));
        });
    }
    (found, differences)
}

/// What was decided, in the words of examples. A call that could not run at all was decided about by nothing that is tested,
/// unless the scenario says why it cannot.
fn decision_word(call: &ScenarioCall, facts: &PlayedCall) -> &'static str {
    match facts.end {
        Some(ToolCallEnd::Blocked) if facts.is_refused => "ask",
        Some(ToolCallEnd::Blocked | ToolCallEnd::Denied) => "block",
        Some(ToolCallEnd::Refused | ToolCallEnd::Unapproved) => "ask",
        Some(ToolCallEnd::Returned | ToolCallEnd::Failed) if facts.was_asked => "ask",
        Some(ToolCallEnd::Returned | ToolCallEnd::Failed) if facts.rewritten.is_some() => "modify",
        Some(ToolCallEnd::Returned | ToolCallEnd::Failed) => "allow",
        Some(ToolCallEnd::Unusable) if call.reason.as_ref().is_some_and(|reason| facts.content.contains(reason)) => {
            "block"
        }
        Some(ToolCallEnd::Unusable) => "a call that cannot run",
        Some(ToolCallEnd::Cancelled | ToolCallEnd::Skipped | ToolCallEnd::Interrupted) => "a call that was skipped",
        None => "no such call",
    }
}

/// The changed call in Pintle's words, in which scenarios are written.
fn to_canonical(call: &Value, vocabulary: Option<&ToolVocabulary>) -> Value {
    let Some(vocabulary) = vocabulary else { return call.clone() };
    let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
    let args = call.get("args").cloned().unwrap_or_default();
    match vocabulary.to_canonical(name, &args).as_slice() {
        [own] => json!({"name": own.name, "args": own.args}),
        _ => call.clone(),
    }
}
