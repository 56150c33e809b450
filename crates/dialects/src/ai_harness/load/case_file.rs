//! Reads case files: calls and events with what all hooks together must decide about them.

use std::sync::Arc;

use pintle_contract::{ByteSpan, Diagnostic, EventKind, EventName, HookExample, SourceFile};

use super::event::suggest_event;
use super::example::EXAMPLE;
use crate::ai_harness::codec::NAMES;
use crate::document::{DocNode, FieldReader, FileReport, KeyTable, UnknownKeys, key, parse_list, sanitize};

/// One case: a call or an event, and what the loaded hooks must decide about it together.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyCase {
    /// What the case is called, if its author said.
    pub name: Option<String>,
    /// The event; `tool.pre` stands for a whole tool call.
    pub event: EventName,
    /// The hook that must be among those that decided.
    pub hook: Option<String>,
    /// The rule of a pack that must be among those that decided, such as `git.force-push`.
    pub rule: Option<String>,
    /// The payload, and what must be decided.
    pub example: HookExample,
}

/// The cases of a file.
#[derive(Debug, Default)]
pub struct PolicyCases {
    /// The cases that could be read, in their order.
    pub cases: Vec<PolicyCase>,
    /// The diagnostics of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// A case as written.
#[derive(Debug, Default)]
pub(super) struct CaseDraft {
    name: Option<String>,
    event: Option<String>,
    hook: Option<String>,
    rule: Option<String>,
}

pub(super) static CASE: KeyTable<CaseDraft> = KeyTable {
    title: "Case",
    about: "Each item of the list in a `*.cases.yaml` beside the hooks. `pintle test` has all loaded hooks judge it together, packs included.",
    start: CaseDraft::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(name?: text, "the call", "What the case is called in reports."),
        key!(event?: text, "`tool.pre`",
            "The event. A case for `tool.pre` is a whole tool call, judged as `pintle try` does; any other event is fired alone."),
        key!("call": listed("text or mapping", "none"), "The tool call, as in an example of a hook."),
        key!("payload": listed("mapping", "none"),
            "The payload, as in an example of a hook. Of a whole tool call, `name` and `args` count."),
        key!("expect": listed("as in an example", "required"), "What must be decided."),
        key!(hook?: text, "any", "The name of a hook that must be among those that decided."),
        key!(rule?: text, "any", "The rule of a pack that must be among those that decided, such as `git.force-push`."),
        key!("reason": listed("text", "any"), "A text that the reason must contain."),
        key!("rewrite": listed("mapping", "any"), "What `modify` must lead to, as in an example of a hook."),
        key!("context": listed("text", "any"), "A text that the context for the model must contain."),
    ],
};

/// Reads a case file.
#[must_use]
pub fn read_case_file(file: &Arc<SourceFile>) -> PolicyCases {
    let name = file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let report = FileReport::new(Arc::clone(file), format!("parse {name}: "));
    let whole = ByteSpan { start: crate::document::skip_byte_order_mark(&report), end: file.text.len() };
    let items = parse_list(&report, whole);
    if items.as_ref().is_ok_and(Vec::is_empty) {
        let help = "write each case after `- `, with `call` and `expect`";
        report.warning("no_cases", "the file has no cases", report.first_line(whole), help);
    }
    let items = items.unwrap_or_default();
    let cases = items.iter().enumerate().filter_map(|(index, item)| read_case(&report, index, item)).collect();
    let mut diagnostics = report.into_diagnostics();
    sanitize(&mut diagnostics);
    PolicyCases { cases, diagnostics }
}

fn read_case(report: &FileReport, index: usize, item: &DocNode) -> Option<PolicyCase> {
    let owner = format!("case {}", index + 1);
    let mut fields = FieldReader::new(report, owner.as_str(), Some(item), item.span);
    item.entries()?;
    let draft = CASE.read(&mut fields);
    let event = match draft.event.as_deref().map(|event| (event, NAMES.find(event))) {
        None => Some(EventName::from(EventKind::ToolPre)),
        Some((_, Ok(event))) => Some(event),
        Some((event, Err(_))) => {
            let message = format!("{owner}: there is no event `{event}`");
            report.value_error("unknown_event", message, fields.span_of("event"), suggest_event(event));
            None
        }
    };
    let example = EXAMPLE.read(&mut fields).into_example(&mut fields, &owner, event.as_ref());
    if let Some(key) = ["hook", "rule"].into_iter().find(|key| fields.key_span(key).is_some())
        && example.as_ref().is_some_and(|example| example.expect == "allow")
    {
        let message = format!("{owner} expects `allow`, which is not decided by one `{key}`");
        report.value_error("bad_example", message, fields.span_of(key), format!("remove `{key}`, or expect a denial"));
    }
    CASE.finish(fields);
    Some(PolicyCase { name: draft.name, event: event?, hook: draft.hook, rule: draft.rule, example: example? })
}
