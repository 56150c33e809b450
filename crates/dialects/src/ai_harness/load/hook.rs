//! Reads one hook.

use pintle_contract::{EnforcementMode, FailurePolicy, HookExample, Location, ScriptSource};

use super::gathered::{GatheredFiles, new_report};
use super::merge::DeclarationSource;
use crate::Artifact;
use crate::document::{DocNode, FieldReader, split, to_json};
use crate::words::{ENFORCEMENT_MODES, FAILURE_POLICIES};

/// The maximum timeout of one call: one hour.
const MAX_TIMEOUT_MS: u64 = 3_600_000;

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
            report.value_error("fenced_block", &message, place, Some(help.to_owned()));
            gathered.findings.extend(report.into_diagnostics());
            return;
        }
        let owner = format!("hook `{}`", artifact.name);
        let mut fields = FieldReader::new(&report, owner, document.matter.as_ref(), place);
        let name_help =
            format!("the hook is named after its file, `{}`; rename the file to rename the hook", artifact.name);
        fields.misplaced("name", &name_help);
        fields.misplaced("handler", &name_help);
        let mut draft =
            read_fields(&mut fields, artifact.name.clone(), DeclarationSource::File, report.location(place));
        let event_is_text = fields.node("event").is_none_or(|node| node.is_null() || node.as_text().is_some());
        if event_is_text && draft.event.as_ref().is_none_or(|(event, _)| event.is_empty()) {
            let message = format!("hook \"{}\": event field is required in frontmatter", artifact.name);
            let help = String::from("add a line such as `event: tool.pre`");
            let location = draft.event.take().map_or_else(|| report.location(place), |(_, location)| location);
            report.add(pintle_contract::Diagnostic::error("missing_event", message, location).help(help));
        }
        fields.finish_guarding_all();
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
        let help = Some(String::from("add `handler:` with the hook's name"));
        report.error("missing_field", &format!("hooks[{index}].handler cannot be empty"), place, help);
    }
    let name = handler.unwrap_or_else(|| format!("hooks[{index}]"));
    let mut draft = read_fields(&mut own, name, source, report.location(place));
    // A missing event is reported when the merged list is checked, with its index there.
    if own.node("event").is_none_or(DocNode::is_null) {
        draft.event = Some((String::new(), report.location(place)));
    }
    own.finish_guarding_all();
    Some(draft)
}

/// Reads the fields that every kind of hook has.
fn read_fields(fields: &mut FieldReader<'_>, name: String, source: DeclarationSource, place: Location) -> HookDraft {
    let report = fields.report();
    let event_place = fields.node("event").filter(|node| !node.is_null()).map(|node| report.location(node.span));
    let event = fields.text("event").zip(event_place.clone());
    let filled = |script: Option<ScriptSource>| script.filter(|script| !script.text.trim().is_empty());
    let declared = fields.node("script");
    let script = filled(fields.script("script"));
    let when = filled(fields.script("when"));
    if fields.node("priority").is_none() {
        let message =
            format!("hook `{name}` has no priority, so it runs at 0, before every hook with a positive priority");
        let help = "set a priority: 1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 meta, 40 and up shaping";
        report.note("no_priority", message, place.span, Some(help.to_owned()));
    }
    let priority = fields.integer::<i32>("priority", i32::MIN..=i32::MAX).unwrap_or(0).into();
    let timeout_ms = fields.integer("timeout_ms", 1..=MAX_TIMEOUT_MS);
    let on_error = fields.choice("on_error", &FAILURE_POLICIES);
    let mode = fields.choice("mode", &ENFORCEMENT_MODES).unwrap_or_default();
    let files = fields.texts("files");
    let tools = fields.texts("tools");
    let examples = read_examples(fields);
    fields.note_reserved("verify");
    fields.note_reserved("verify_policy");
    if script.is_none() && declared.is_none_or(|node| node.as_text().is_some()) {
        let help = Some(String::from("add `script: |` with a function `handle(event, payload)`"));
        match fields.unknown_key().filter(|_| declared.is_none()) {
            // The script may be under that unknown key.
            Some(entry) => {
                let message = format!("hook `{name}` has no script; `{}` is not a key of a hook", entry.key);
                report.value_error("no_script", &message, entry.key_span, help);
            }
            None => {
                report.warning("no_script", format!("hook `{name}` has no script and does nothing"), place.span, help);
            }
        }
    }
    let location = event_place.unwrap_or(place);
    HookDraft {
        name,
        source,
        event,
        script,
        when,
        priority,
        timeout_ms,
        on_error,
        mode,
        files,
        tools,
        examples,
        location,
    }
}

fn read_examples(fields: &mut FieldReader<'_>) -> Vec<HookExample> {
    let report = fields.report();
    let items = fields.list("examples").unwrap_or_default();
    if let Some(node) = fields.node("examples").filter(|_| !items.is_empty()) {
        report.note("reserved_key", "`examples` are parsed but not run yet", report.first_line(node.span), None);
    }
    let mut examples = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let mut own = FieldReader::new(report, format!("examples[{index}]"), Some(item), item.span);
        let expected = own.choice("expect", &["allow", "block", "modify", "ask"].map(|word| (word, word)));
        let payload = own.node("payload").map(to_json);
        for missing in ["payload", "expect"].into_iter().filter(|key| item.get(key).is_none()) {
            report.value_error("missing_field", &format!("examples[{index}].{missing} is missing"), item.span, None);
        }
        if let Some(Err(node)) = &payload {
            report.value_error("bad_value", "a number in a payload must be finite and fit in 64 bits", node.span, None);
        }
        own.finish();
        if let (Some(expect), Some(Ok(payload))) = (expected, payload) {
            examples.push(HookExample { payload, expect: expect.to_owned(), location: report.location(item.span) });
        }
    }
    examples
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
