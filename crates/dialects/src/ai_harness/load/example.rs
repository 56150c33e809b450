//! Reads the examples of hooks, and the calls and expectations that case files have in common with them.

use pintle_contract::{EventName, HookExample};
use pintle_tools::{PINTLE, VOCABULARIES};
use serde_json::{Map, Value, json};

use crate::document::{DocNode, FieldReader, KeyTable, NodeKind, UnknownKeys, key, to_json};

/// The decisions that can be expected.
pub(super) const EXPECTED: &[(&str, &str)] = &[
    ("allow", "allow"),
    ("block", "block"),
    ("deny", "block"),
    ("modify", "modify"),
    ("rewrite", "modify"),
    ("ask", "ask"),
];

/// The tool of a `call` that is only a command line.
const SHELL: &str = "shell";

/// An example as written.
#[derive(Debug, Default)]
pub(super) struct ExampleDraft {
    pub(super) payload: Option<Value>,
    pub(super) expect: Option<&'static str>,
    pub(super) reason: Option<String>,
    pub(super) rewrite: Option<Map<String, Value>>,
    pub(super) context: Option<String>,
    pub(super) metrics: Option<Map<String, Value>>,
    pub(super) log: Option<String>,
}

pub(super) static EXAMPLE: KeyTable<ExampleDraft> = KeyTable {
    title: "Example of a hook",
    about: "Each item of `examples`. `pintle test` fires it at the hook alone; a payload that the hook's `when` excludes is allowed. The hook is judged as if it were in `mode: enforce`, and keeps no state from one example to the next.",
    start: ExampleDraft::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!("call": with(read_call, "text or mapping", "none"),
            "The tool call: a command line for the shell tool, or a mapping of `tool` and its arguments, such as `{tool: read, path: .env}`. For events about a tool call."),
        key!("payload": with(read_payload, "mapping", "none"),
            "The payload that is fired, for any event; `call` or `payload` is required."),
        key!(expect?: choice(EXPECTED), "required", "What must be decided. `block` and `deny` are the same, and so are `modify` and `rewrite`."),
        key!("reason": with(read_reason, "text", "any"), "A text that the reason must contain."),
        key!("rewrite": with(read_rewrite, "mapping", "any"),
            "What `modify` must lead to: fields that the event lets hooks rewrite, such as `args`, or arguments of the call. Others are not compared."),
        key!("context": with(read_context, "text", "any"), "A text that the context for the model must contain."),
        key!("metrics": listed("mapping", "any"),
            "Metrics that the hook must have counted or set, with their values: `{audit.denied: 1}`; `null` is one that it must not. Others are not compared."),
        key!("log": listed("text", "any"), "A text that a line which the hook logs must contain."),
    ],
};

/// Reads the examples of a hook for an event.
pub(super) fn read_list(fields: &mut FieldReader<'_>, event: Option<&EventName>) -> Vec<HookExample> {
    let report = fields.report();
    let items = fields.list("examples").unwrap_or_default();
    let read = |(index, item): (usize, &DocNode)| {
        let owner = format!("examples[{index}]");
        let mut own = FieldReader::new(report, owner.as_str(), Some(item), item.span);
        item.entries()?;
        let mut draft = EXAMPLE.read(&mut own);
        draft.read_effects(&mut own);
        let example = draft.into_example(&mut own, &owner, event);
        EXAMPLE.finish(own);
        example
    };
    items.iter().enumerate().filter_map(read).collect()
}

impl ExampleDraft {
    /// Reads what a hook must keep and log: of a case, which all hooks judge together, that cannot be said.
    fn read_effects(&mut self, fields: &mut FieldReader<'_>) {
        let help = "write the names and their values, as in `metrics: {denied: 1}`";
        self.metrics = read_wanted_fields(fields, "metrics", help);
        self.log = read_wanted_text(fields, "log");
    }

    /// The example, if everything that it needs was read. What is missing or contradicts itself is reported.
    pub(super) fn into_example(
        self,
        fields: &mut FieldReader<'_>,
        owner: &str,
        event: Option<&EventName>,
    ) -> Option<HookExample> {
        let report = fields.report();
        let (place, nodes) = (fields.span(), ["call", "payload"].map(|key| fields.node(key)));
        match nodes {
            [None, None] => {
                let help = "add a line such as `call: rm -rf ~`, or a `payload`";
                report.value_error("missing_field", format!("{owner} has neither `call` nor `payload`"), place, help);
            }
            [Some(call), Some(_)] => {
                let message = format!("{owner} has both `call` and `payload`");
                report.value_error("bad_example", message, call.span, "keep one of the two");
            }
            [Some(call), None] if event.is_some_and(|event| !event.def().is_about_tool_call()) => {
                let event = event.map(EventName::as_str).unwrap_or_default();
                let help = format!("write a `payload`; `pintle events {event}` shows one");
                report.value_error("bad_example", format!("`{event}` is not about a tool call"), call.span, help);
            }
            _ => {}
        }
        if fields.node("expect").is_none() {
            let help = "add `expect: allow`, `block`, `ask` or `modify`";
            report.value_error("missing_field", format!("{owner}.expect is missing"), place, help);
        }
        let (expect, payload) = (self.expect?, self.payload?);
        if let Some(node) = fields.node("rewrite").filter(|_| expect != "modify") {
            let message = format!("{owner} says what is rewritten, but expects `{expect}`");
            report.value_error("bad_example", message, node.span, "write `expect: modify`, or remove `rewrite`");
        }
        Some(HookExample {
            payload,
            expect: expect.to_owned(),
            reason: self.reason,
            rewrite: self.rewrite,
            context: self.context,
            metrics: self.metrics,
            log: self.log,
            location: report.location(place),
        })
    }
}

pub(super) fn read_call(fields: &mut FieldReader<'_>, draft: &mut ExampleDraft) {
    let Some(node) = fields.node("call") else { return };
    let call = match &node.kind {
        NodeKind::Map(_) => return read_tool_call(fields, node, draft),
        NodeKind::Scalar(scalar) if !scalar.text.trim().is_empty() => Some(scalar.text.clone()),
        _ => None,
    };
    let Some(command) = call else {
        let help = "write a command line, or a mapping such as `{tool: read, path: .env}`";
        let message = format!("call must be a command line or a mapping, not {}", node.describe());
        return fields.report().value_error("wrong_type", message, node.span, help);
    };
    draft.payload = Some(call_payload(SHELL, Map::from_iter([(String::from("command"), Value::from(command))])));
}

fn read_tool_call(fields: &FieldReader<'_>, node: &DocNode, draft: &mut ExampleDraft) {
    let Some(Value::Object(mut args)) = read_json(fields, node) else { return };
    match args.shift_remove("tool") {
        Some(Value::String(tool)) if !tool.trim().is_empty() => draft.payload = Some(call_payload(&tool, args)),
        _ => {
            let help = "write its name, as in `{tool: read, path: .env}`";
            fields.report().value_error("missing_field", "`call` does not say which `tool`", node.span, help);
        }
    }
}

/// The payload of a call. A tool that Pintle's own loop does not know is one of the first agent that does.
fn call_payload(tool: &str, args: Map<String, Value>) -> Value {
    let args = Value::Object(args);
    let is_own = PINTLE.has_tool(tool) || pintle_tools::own_vocabulary(tool, &args).has_tool(tool);
    let other = VOCABULARIES.iter().find(|vocabulary| !is_own && vocabulary.has_tool(tool));
    match other {
        Some(vocabulary) => json!({"name": tool, "args": args, "vocabulary": vocabulary.name}),
        None => json!({"name": tool, "args": args}),
    }
}

fn read_payload(fields: &mut FieldReader<'_>, draft: &mut ExampleDraft) {
    let Some(node) = fields.node("payload") else { return };
    draft.payload = read_json(fields, node).or(draft.payload.take());
}

pub(super) fn read_reason(fields: &mut FieldReader<'_>, draft: &mut ExampleDraft) {
    draft.reason = read_wanted_text(fields, "reason");
}

pub(super) fn read_context(fields: &mut FieldReader<'_>, draft: &mut ExampleDraft) {
    draft.context = read_wanted_text(fields, "context");
}

/// A text that must be contained somewhere. Every text contains an empty one, so that would hold always.
pub(super) fn read_wanted_text(fields: &mut FieldReader<'_>, key: &'static str) -> Option<String> {
    let text = fields.text(key)?;
    if text.trim().is_empty() {
        let message = format!("{key} is empty, which holds for every {key}");
        fields.report().value_error(
            "bad_example",
            message,
            fields.span_of(key),
            format!("write a text, or remove `{key}`"),
        );
        return None;
    }
    Some(text)
}

pub(super) fn read_rewrite(fields: &mut FieldReader<'_>, draft: &mut ExampleDraft) {
    let help = "write the fields and their values, as in `rewrite: {command: ls -h}`";
    draft.rewrite = read_wanted_fields(fields, "rewrite", help);
}

/// Values that are compared. An empty mapping would hold always.
fn read_wanted_fields(
    fields: &mut FieldReader<'_>,
    key: &'static str,
    help: &'static str,
) -> Option<Map<String, Value>> {
    let node = fields.node(key)?;
    match read_json(fields, node)? {
        Value::Object(wanted) if !wanted.is_empty() => Some(wanted),
        _ => {
            let message = format!("{key} must be a mapping with at least one field");
            fields.report().value_error("bad_example", message, node.span, help);
            None
        }
    }
}

/// A value as JSON; `None` if it has a number that JSON does not have, which is reported.
fn read_json(fields: &FieldReader<'_>, node: &DocNode) -> Option<Value> {
    let report_number = |node: &DocNode| {
        let message = "a number in a payload must be finite and fit in 64 bits";
        fields.report().value_error("bad_value", message, node.span, None);
    };
    to_json(node).map_err(report_number).ok()
}
