//! Compares what was decided about a payload with what is expected.

use pintle_host::contract::HookExample;
use pintle_host::event::{EventDef, RewriteTarget};
use pintle_host::tape::show::single_line;
use pintle_host::{Decision, Outcome};
use serde::Serialize;
use serde_json::{Map, Value};

/// Most characters of a text in a message.
const TEXT: usize = 300;

/// What was decided about a payload.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ActualDecision {
    /// In the words of examples: `allow`, `block`, `modify` or `ask`.
    pub(super) decision: &'static str,
    /// The reasons, one a line.
    pub(super) reason: String,
    /// The texts for the model.
    pub(super) context: Vec<String>,
    /// The payload after every rewrite; `None` if nothing was rewritten.
    pub(super) rewritten: Option<Value>,
    /// The metrics that the hook counted or set.
    #[serde(skip)]
    pub(super) metrics: Map<String, Value>,
    /// The lines that it logged.
    #[serde(skip)]
    pub(super) log: Vec<String>,
}

impl ActualDecision {
    pub(super) fn from_outcome(outcome: &Outcome) -> Self {
        Self {
            decision: decision_word(outcome.decision, outcome.rewritten),
            reason: outcome.hook_texts(),
            context: outcome.model_texts().map(str::to_owned).collect(),
            rewritten: outcome.rewritten.then(|| outcome.payload.value().clone()),
            metrics: Map::new(),
            log: Vec::new(),
        }
    }

    /// What differs from the expected decision, each in one line; nothing if the example holds.
    pub(super) fn differences(&self, example: &HookExample, def: &EventDef) -> Vec<String> {
        if self.decision != example.expect {
            return vec![format!("expected `{}`, but got `{}`{}", example.expect, self.decision, self.cause())];
        }
        let mut differences = Vec::new();
        if let Some(wanted) = example.reason.as_deref().filter(|wanted| !self.reason.contains(*wanted)) {
            differences.push(format!("the reason does not contain {}, but is {}", quote(wanted), quote(&self.reason)));
        }
        if let Some(wanted) = &example.context
            && !self.context.iter().any(|text| text.contains(wanted))
        {
            let got = match self.context.as_slice() {
                [] => String::from("there is none"),
                texts => format!("is {}", quote(&texts.join("\n"))),
            };
            differences.push(format!("the context does not contain {}, but {got}", quote(wanted)));
        }
        for (field, wanted) in example.rewrite.iter().flatten() {
            let got = self.rewritten.as_ref().and_then(|payload| rewritten_field(payload, def, field));
            compare(field, wanted, got, &mut differences);
        }
        for (name, wanted) in example.metrics.iter().flatten() {
            // `null` is a metric that nothing counted.
            let got = self.metrics.get(name).or(Some(&Value::Null).filter(|_| wanted.is_null()));
            compare(&format!("metric {name}"), wanted, got, &mut differences);
        }
        if let Some(wanted) = &example.log
            && !self.log.iter().any(|line| line.contains(wanted))
        {
            let got = match self.log.as_slice() {
                [] => String::from("nothing is logged"),
                lines => format!("is {}", quote(&lines.join("\n"))),
            };
            differences.push(format!("the log does not contain {}, but {got}", quote(wanted)));
        }
        differences
    }

    /// Why it was decided, as the end of a sentence.
    fn cause(&self) -> String {
        match (self.reason.trim(), &self.rewritten) {
            ("", _) => String::new(),
            (reason, _) => format!(": {}", single_line(reason, TEXT)),
        }
    }
}

/// A decision in the words of examples.
pub(super) fn decision_word(decision: Decision, is_rewritten: bool) -> &'static str {
    match (decision, is_rewritten) {
        (Decision::Deny, _) => "block",
        (Decision::Ask, _) => "ask",
        (Decision::Allow, true) => "modify",
        (Decision::Allow, false) => "allow",
    }
}

/// The value of a field that hooks may rewrite, otherwise that of an argument of the call.
fn rewritten_field<'p>(payload: &'p Value, def: &EventDef, field: &str) -> Option<&'p Value> {
    let is_target = match def.target {
        RewriteTarget::Fields(fields) => fields.contains(&field),
        RewriteTarget::Whole | RewriteTarget::Nothing => payload.get(field).is_some(),
    };
    if is_target { payload.get(field) } else { payload.get("args")?.get(field) }
}

/// Compares a value with what it must be. Of an object only the fields that are named are compared.
fn compare(path: &str, wanted: &Value, got: Option<&Value>, differences: &mut Vec<String>) {
    match (wanted, got) {
        (Value::Object(fields), Some(Value::Object(given))) => compare_fields(path, fields, given, differences),
        (wanted, Some(got)) if wanted == got => {}
        (wanted, Some(got)) => differences.push(format!("`{path}` is {}, not {}", shown(got), shown(wanted))),
        (wanted, None) => differences.push(format!("`{path}` is missing, and must be {}", shown(wanted))),
    }
}

fn compare_fields(path: &str, wanted: &Map<String, Value>, got: &Map<String, Value>, differences: &mut Vec<String>) {
    for (field, value) in wanted {
        compare(&format!("{path}.{field}"), value, got.get(field), differences);
    }
}

fn shown(value: &Value) -> String {
    single_line(&value.to_string(), TEXT)
}

fn quote(text: &str) -> String {
    if text.is_empty() { String::from("empty") } else { format!("\"{}\"", single_line(text, TEXT)) }
}

#[cfg(test)]
mod tests {
    use pintle_host::EventKind;
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_name_what_was_expected_and_what_came() {
        let actual = ActualDecision {
            decision: "modify",
            reason: String::new(),
            context: vec![String::from("be careful")],
            rewritten: Some(json!({"name": "shell", "args": {"command": "ls", "env": {"A": "1", "B": "2"}}})),
            metrics: Map::from_iter([(String::from("seen"), json!(2))]),
            log: vec![String::from("[audit] ls")],
        };
        let object = |value: Value| value.as_object().cloned();
        let modify = || HookExample { expect: String::from("modify"), ..HookExample::default() };
        let cases = [
            (modify(), vec![]),
            (HookExample { expect: String::from("block"), ..modify() }, vec!["expected `block`, but got `modify`"]),
            (HookExample { context: Some(String::from("careful")), ..modify() }, vec![]),
            (
                HookExample { context: Some(String::from("quick")), ..modify() },
                vec!["the context does not contain \"quick\", but is \"be careful\""],
            ),
            (
                HookExample { reason: Some(String::from("why")), ..modify() },
                vec!["the reason does not contain \"why\", but is empty"],
            ),
            (HookExample { rewrite: object(json!({"command": "ls", "name": "shell"})), ..modify() }, vec![]),
            (HookExample { rewrite: object(json!({"env": {"A": "1"}})), ..modify() }, vec![]),
            (HookExample { rewrite: object(json!({"args": {"command": "ls"}})), ..modify() }, vec![]),
            (
                HookExample { rewrite: object(json!({"command": "ls -h", "cwd": "/"})), ..modify() },
                vec!["`command` is \"ls\", not \"ls -h\"", "`cwd` is missing, and must be \"/\""],
            ),
            (HookExample { metrics: object(json!({"seen": 2})), log: Some(String::from("audit")), ..modify() }, vec![]),
            (
                HookExample { metrics: object(json!({"seen": 1, "lost": 1, "none": null})), ..modify() },
                vec!["`metric seen` is 2, not 1", "`metric lost` is missing, and must be 1"],
            ),
            (
                HookExample { log: Some(String::from("cat")), ..modify() },
                vec!["the log does not contain \"cat\", but is \"[audit] ls\""],
            ),
            (HookExample { rewrite: object(json!({"env": {"B": 2}})), ..modify() }, vec!["`env.B` is \"2\", not 2"]),
        ];
        for (example, wanted) in cases {
            assert_eq!(actual.differences(&example, EventKind::ToolPre.def()), wanted, "{example:?}");
        }
    }
}
