//! Reads one hook.

use std::ops::RangeInclusive;

use pintle_contract::{CallLimits, EnforcementMode, FailurePolicy, HookExample, Location, ScriptSource};

use super::example;
use super::merge::{DeclarationSource, GatheredFiles, new_report};
use crate::Artifact;
use crate::ai_harness::codec::NAMES;
use crate::document::{DocNode, FieldReader, KeyTable, UnknownKeys, key, split};
use crate::words::{ENFORCEMENT_MODES, FAILURE_POLICIES, read_failure_words};

/// The maximum timeout of one call: one hour.
const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// The priorities: 32 bits, as in the reference.
const PRIORITIES: RangeInclusive<i64> = -2_147_483_648..=2_147_483_647;

/// A hook as written, before its event is resolved.
#[derive(Debug)]
pub(super) struct HookDraft {
    pub(super) name: String,
    pub(super) source: DeclarationSource,
    /// The event as written and its location; `None` if it is missing, which has been reported.
    pub(super) event: Option<(String, Location)>,
    pub(super) script: Option<ScriptSource>,
    pub(super) when: Option<ScriptSource>,
    pub(super) priority: i64,
    pub(super) timeout_ms: Option<u64>,
    pub(super) on_error: Option<FailurePolicy>,
    pub(super) mode: EnforcementMode,
    pub(super) files: Vec<String>,
    pub(super) tools: Vec<String>,
    pub(super) examples: Vec<HookExample>,
    pub(super) location: Location,
}

impl HookDraft {
    /// A hook without an event or script.
    pub(super) fn empty(name: String, source: DeclarationSource, location: Location) -> Self {
        Self {
            name,
            source,
            event: None,
            script: None,
            when: None,
            priority: 0,
            timeout_ms: None,
            on_error: None,
            mode: EnforcementMode::Enforce,
            files: Vec::new(),
            tools: Vec::new(),
            examples: Vec::new(),
            location,
        }
    }
}

/// Reads a hook file. The file's stem is the hook's name.
pub(super) fn read_file(artifact: &Artifact, gathered: &mut GatheredFiles) {
    let report = new_report(artifact, "hook ");
    if let Some(document) = split(&report) {
        let place = report.first_line(document.matter_span);
        let says = |key: &str| document.matter.as_ref().is_some_and(|matter| matter.get(key).is_some());
        if !says("event") && !says("script") && has_fenced_list(document.body, &["event:", "handler:"]) {
            let message =
                format!("file `{}` has its hooks in a fenced block of its body, which is ignored", artifact.name);
            let help = "list them under `hooks:` in the frontmatter of a file in `.harness/plugins/`";
            report.value_error("fenced_block", message, place, help);
            gathered.findings.extend(report.into_diagnostics());
            return;
        }
        let owner = format!("hook `{}`", artifact.name);
        let mut fields = FieldReader::new(&report, owner, document.matter.as_ref(), place);
        let name_help =
            format!("the hook is named after its file, `{}`; rename the file to rename the hook", artifact.name);
        fields.misplaced("name", &name_help);
        fields.misplaced("handler", &name_help);
        let mut draft = read_keys(&mut fields, artifact.name.clone(), DeclarationSource::File, report.location(place));
        let event_is_text = fields.node("event").is_none_or(|node| node.is_null() || node.as_text().is_some());
        if event_is_text && draft.event.as_ref().is_none_or(|(event, _)| event.is_empty()) {
            let message = format!("hook \"{}\": event field is required in frontmatter", artifact.name);
            let help = "add a line such as `event: tool.pre`";
            let location = draft.event.take().map_or_else(|| report.location(place), |(_, location)| location);
            report.add(pintle_contract::Diagnostic::error("missing_event", message, location).help(help));
        }
        HOOK.finish(fields);
        gathered.hooks.push(draft);
    }
    gathered.findings.extend(report.into_diagnostics());
}

/// Reads the hooks of a list. Each needs a `handler`, which is its name.
pub(super) fn read_list(fields: &mut FieldReader<'_>, source: DeclarationSource) -> Vec<HookDraft> {
    let items = fields.list("hooks").unwrap_or_default();
    items.iter().enumerate().filter_map(|(index, item)| read_inline(fields, index, item, source)).collect()
}

/// Reads one hook of a list; `None` if it is not a mapping, which is reported.
pub(super) fn read_inline(
    fields: &FieldReader<'_>,
    index: usize,
    item: &DocNode,
    source: DeclarationSource,
) -> Option<HookDraft> {
    let report = fields.report();
    let named = item.get("handler").and_then(DocNode::as_text).unwrap_or_default();
    let owner = if named.is_empty() { format!("hooks[{index}]") } else { format!("hook `{named}`") };
    let mut own = FieldReader::new(report, owner, Some(item), item.span);
    item.entries()?;
    let place = report.first_line(item.span);
    let handler = own.text("handler").filter(|name| !name.is_empty());
    own.misplaced("name", "name a hook in a list with `handler`");
    if handler.is_none() && own.node("handler").is_none_or(|node| node.is_null() || node.as_text().is_some()) {
        let help = "add `handler:` with the hook's name";
        report.error("missing_field", format!("hooks[{index}].handler cannot be empty"), place, help);
    }
    let name = handler.unwrap_or_else(|| format!("hooks[{index}]"));
    let mut draft = read_keys(&mut own, name, source, report.location(place));
    // A missing event is reported when the merged list is checked, with its index there.
    if own.node("event").is_none_or(DocNode::is_null) {
        draft.event = Some((String::new(), report.location(place)));
    }
    HOOK.finish(own);
    Some(draft)
}

/// Reads the keys that every kind of hook has.
fn read_keys(fields: &mut FieldReader<'_>, name: String, source: DeclarationSource, location: Location) -> HookDraft {
    let report = fields.report();
    let mut draft = HookDraft::empty(name, source, location.clone());
    HOOK.read_into(fields, &mut draft);
    let filled = |script: Option<ScriptSource>| script.filter(|script| !script.text.trim().is_empty());
    let declared = fields.node("script");
    (draft.script, draft.when) = (filled(draft.script), filled(draft.when));
    let name = &draft.name;
    if fields.node("priority").is_none() {
        let message =
            format!("hook `{name}` has no priority, so it runs at 0, before every hook with a positive priority");
        let help = "set a priority: 1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 meta, 40 and up shaping";
        report.note("no_priority", message, location.span, help);
    }
    if draft.script.is_none() && declared.is_none_or(|node| node.as_text().is_some()) {
        let help = "add `script: |` with a function `handle(event, payload)`";
        match fields.unknown_key().filter(|_| declared.is_none()) {
            // The script may be under that unknown key.
            Some(entry) => {
                let message = format!("hook `{name}` has no script; `{}` is not a key of a hook", entry.key);
                report.value_error("no_script", message, entry.key_span, help);
            }
            None => {
                report.warning(
                    "no_script",
                    format!("hook `{name}` has no script and does nothing"),
                    location.span,
                    help,
                );
            }
        }
    }
    draft
}

pub(super) static HOOK: KeyTable<HookDraft> = KeyTable {
    title: "Hook",
    about: "A hook file, and each item of a `hooks:` list. The body is for reviewers and is not run.",
    start: || HookDraft::empty(String::new(), DeclarationSource::File, Location::default()),
    unknown: UnknownKeys::GuardingAll,
    keys: &[
        key!("event": with(read_event, "text", "required"),
            "The event that the hook listens to; see [Events](events.md)."),
        key!(script?: script, "none",
            "The source that defines `handle(event, payload)`; see [Built-ins](builtins.md). Without it the hook does nothing."),
        key!(when?: script, "always",
            "An expression: whether the hook is called for a payload. It sees `event` and `payload` and has no effects. If it raises an error, the hook is not called and a warning is recorded. If it exceeds a limit, the hook fails."),
        key!(priority: integer(PRIORITIES), "Lower numbers run first; equal ones run in the order of their paths."),
        key!(timeout_ms?: integer(1..=MAX_TIMEOUT_MS), CallLimits::default().timeout_ms,
            "Time limit of one call, in milliseconds."),
        key!(on_error?: choice(&FAILURE_POLICIES), "by event",
            "The failure policy: `open` ignores a failure, `closed` denies the event. Each event has its own default; a script that may rewrite or deny a result, an answer or other data is `closed`. An output of more than 1 MiB is a failure."),
        key!("onFailure": with(read_failure_policy, "`block`, `continue`", "by event"),
            "Claude Code's word for `on_error`: `block` is `closed`, `continue` is `open`."),
        key!("failClosed": listed("true or false", "false"), "Cursor's word for `on_error: closed`."),
        key!(mode: choice(&ENFORCEMENT_MODES),
            "In `shadow` the hook is called and its verdict recorded, but not enforced."),
        key!(files: texts,
            "Files and globs of the project that belong to the hook, so that trust covers them too. A directory stands for everything in it."),
        key!(tools: texts,
            "The tools that its script may call with `meta.call_tool`. With `meta.enabled: true` it may call any tool."),
        key!("examples": with(read_examples, "list", "none"),
            "Calls or payloads with what the hook must decide about them. `pintle test` and `pintle validate` run them; `pintle doctor` sends the first one that it must refuse to each agent."),
        key!("verify": reserved),
        key!("verify_policy": reserved),
        key!("handler": listed("text", "required in lists"),
            "The hook's name, for hooks in a list; a hook file's hook is named after the file."),
    ],
};

fn read_event(fields: &mut FieldReader<'_>, draft: &mut HookDraft) {
    let report = fields.report();
    if let Some(node) = fields.node("event").filter(|node| !node.is_null()) {
        draft.location = report.location(node.span);
        draft.event = fields.text("event").map(|event| (event, draft.location.clone()));
    }
}

fn read_failure_policy(fields: &mut FieldReader<'_>, draft: &mut HookDraft) {
    let chosen = read_failure_words(fields);
    draft.on_error = draft.on_error.or(chosen);
}

fn read_examples(fields: &mut FieldReader<'_>, draft: &mut HookDraft) {
    let event = draft.event.as_ref().and_then(|(event, _)| NAMES.find(event).ok());
    draft.examples = example::read_list(fields, event.as_ref());
}

/// Whether a fenced block of a body contains a list with one of these keys, as upstream's artifact catalogue shows
/// them.
pub(super) fn has_fenced_list(body: &str, keys: &[&str]) -> bool {
    let mut is_inside = false;
    body.lines().map(str::trim).any(|line| {
        if line.starts_with("```") {
            is_inside = !is_inside;
        }
        is_inside
            && line.strip_prefix("- ").is_some_and(|item| keys.iter().any(|key| item.trim_start().starts_with(key)))
    })
}
