//! Reads the hooks of one event: a flat list, or entries with a matcher.

use std::sync::Arc;

use pintle_contract::{EventKind, HookDeclaration, MatcherSpec};
use regex::Regex;

use super::{BlockPath, hook, report_fault, scalar_text};
use crate::docker_agent::event_def::PREEMPT;
use crate::docker_agent::event_def::{DockerAgentVersion, DockerEventDef};
use crate::document::{DocNode, FieldReader, FileReport, KeyTable, NodeKind, UnknownKeys, key};

/// What is added to the matcher of a guard on `shell`.
const BACKGROUND: &str = "|run_background_job";

/// The context that the hooks of a list share.
#[derive(Debug, Clone)]
pub(super) struct EntryContext<'a> {
    pub(super) report: &'a FileReport,
    pub(super) def: &'static DockerEventDef,
    pub(super) compat: DockerAgentVersion,
    pub(super) matcher: Option<MatcherSpec>,
}

pub(in crate::docker_agent::load) static ENTRY: KeyTable<()> = KeyTable {
    title: "Entry with a matcher",
    about: "An item of the list of an event with a matcher.",
    start: || (),
    unknown: UnknownKeys::Refused,
    keys: &[
        key!("matcher": listed("text", "every tool"), "A regular expression that the tool's whole name must match; `*` is every tool."),
        key!("hooks": listed("list", "required"), "The hooks."),
        key!("preempt_yolo": listed("true or false", "false"),
            "Whether the hooks run before calls that permissions allow; only in `pre_tool_use`."),
    ],
};

pub(super) fn read(
    report: &FileReport,
    docker_event_def: &'static DockerEventDef,
    node: &DocNode,
    version: DockerAgentVersion,
) -> Vec<HookDeclaration> {
    let path = format!("hooks.{}", docker_event_def.name);
    let wanted = if docker_event_def.matcher {
        "hook event must be a matcher or a list of matchers"
    } else {
        "hook event must be a hook or a list of hooks"
    };
    let context = EntryContext { report, def: docker_event_def, compat: version, matcher: None };
    let mut declared = Vec::new();
    for (index, item) in list_items(&context, &path, node, wanted).iter().enumerate() {
        let path = format!("{path}[{index}]");
        match docker_event_def.matcher {
            true => declared.extend(read_entry(&context, path, item, wanted)),
            false => declared.extend(hook::read(&context, path, item)),
        }
    }
    declared
}

/// The items of a list; a single mapping is a list of one.
fn list_items<'n>(context: &EntryContext<'_>, path: &str, node: &'n DocNode, wanted: &str) -> &'n [DocNode] {
    match &node.kind {
        NodeKind::List(items) => items,
        NodeKind::Map(_) if context.compat == DockerAgentVersion::Newest => std::slice::from_ref(node),
        NodeKind::Map(_) => {
            let help = "write `- ` before it, or remove `compat: g1`";
            report_fault(context.report, "wrong_type", path, "`compat: g1` accepts only a list here", node, help);
            &[]
        }
        NodeKind::Scalar(_) if node.is_null() => &[],
        NodeKind::Scalar(_) => {
            report_fault(context.report, "wrong_type", path, format!("{wanted}, not {}", node.describe()), node, None);
            &[]
        }
    }
}

fn read_entry(context: &EntryContext<'_>, path: BlockPath, node: &DocNode, wanted: &str) -> Vec<HookDeclaration> {
    let Some(mut fields) = FieldReader::at_path(context.report, path, node, wanted) else { return Vec::new() };
    let matcher = read_matcher(context, &mut fields);
    let row = read_lane(context, &mut fields);
    let list = fields.node("hooks");
    let path = fields.path().to_owned();
    if list.is_none_or(|list| matches!(&list.kind, NodeKind::List(items) if items.is_empty())) {
        let help = "write `hooks:`, and below it `- type: command`";
        fields.report_fault("missing_field", "at least one hook is required", list.unwrap_or(node).span, help);
    }
    ENTRY.read(&mut fields);
    fields.finish_advising(|key| {
        let of_hook = hook::HOOK.keys.iter().any(|known| known.name == key);
        of_hook.then(|| format!("`{key}` belongs to a hook: write it in an item of the `hooks:` list"))
    });
    let Some(list) = list else { return Vec::new() };
    // The hooks of a skipped entry are still read, so that one run also reports their errors.
    let is_left_out = matcher.is_err();
    let context = EntryContext { def: row, matcher: matcher.unwrap_or_default(), ..context.clone() };
    let hooks = list_items(&context, &format!("{path}.hooks"), list, "hooks must be a hook or a list of hooks");
    let read = |(index, item)| hook::read(&context, format!("{path}.hooks[{index}]"), item);
    let mut declared: Vec<HookDeclaration> = hooks.iter().enumerate().filter_map(read).collect();
    if is_left_out {
        declared.clear();
    }
    declared
}

/// Reads whether the entry's hooks preempt the permission rules.
fn read_lane(context: &EntryContext<'_>, fields: &mut FieldReader<'_>) -> &'static DockerEventDef {
    // The first version has no such key.
    if context.compat == DockerAgentVersion::G1 {
        return context.def;
    }
    let preempts = fields.boolean("preempt_yolo").unwrap_or(false);
    if fields.node("preempt_yolo").is_some() && context.def.name != PREEMPT.name {
        let help = "remove it, or move the entry to `pre_tool_use`";
        let place = fields.span_of("preempt_yolo");
        fields.report_fault("misplaced_key", "preempt_yolo is only valid on pre_tool_use", place, help);
        return context.def;
    }
    if preempts { &PREEMPT } else { context.def }
}

/// Reads the entry's matcher.
///
/// # Errors
/// If the entry must be skipped.
fn read_matcher(context: &EntryContext<'_>, fields: &mut FieldReader<'_>) -> Result<Option<MatcherSpec>, ()> {
    let Some(node) = fields.node("matcher") else { return Ok(None) };
    let Some(text) = scalar_text(node) else {
        fields.report_fault(
            "wrong_type",
            format!("matcher must be a string, not {}", node.describe()),
            node.span,
            None,
        );
        return Err(());
    };
    if text.is_empty() || text == "*" {
        return Ok(None);
    }
    if context.compat == DockerAgentVersion::G1 && Regex::new(&text).is_err() {
        let message = format!("{}: the matcher `{text}` is not a valid regular expression", fields.path());
        let help = "under `compat: g1` the whole entry is skipped, including its guards; fix the matcher";
        context.report.warning("bad_matcher", message, node.span, help);
        return Err(());
    }
    let location = context.report.location(context.report.first_line(node.span));
    let text = if is_shell_guard(context, &text) { text + BACKGROUND } else { text };
    Ok(Some(MatcherSpec::Pattern { text: Arc::from(text), location }))
}

/// Whether the entry guards `shell` alone. Its hooks are called for background jobs as well, which run the same commands.
fn is_shell_guard(context: &EntryContext<'_>, text: &str) -> bool {
    let Ok(pattern) = Regex::new(&format!("^(?:{text})$")) else { return false };
    let is_guard = matches!(context.def.canonical, EventKind::ToolPre | EventKind::ToolGuard);
    is_guard && pattern.is_match("shell") && !pattern.is_match(BACKGROUND.trim_start_matches('|'))
}

/// A matcher as the author wrote it.
pub(in crate::docker_agent::load) fn written_matcher(text: &str) -> &str {
    text.strip_suffix(BACKGROUND).unwrap_or(text)
}
