//! Renders the block of one dispatch.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pintle_contract::{Decision, Effect, EventKind, EventName, FailurePolicy};
use serde_json::Value;

use super::host::agent_label;
use super::style::single_line;
use super::{ShowOptions, StyledLine, Tone, effect};
use crate::decisions::describe_payload;
use crate::record::{
    EventRecord, FailureEntry, HookReturnedRecord, OutcomeRecord, RecordBody, RecordedVerdict, VerdictLabel,
};

/// The indentation of an event's hooks.
const INDENT: usize = 9;

/// A dispatch, as far as it has gone.
#[derive(Debug)]
pub(super) struct DispatchBlock {
    offset: String,
    parent: Option<u64>,
    event: String,
    /// What the event's tool call does.
    call: String,
    agent_label: String,
    delegated: bool,
    details: Vec<StyledLine>,
    /// The effects of the open calls so far.
    effects: BTreeMap<u64, Vec<String>>,
    /// The hooks that were called, by their number on the tape.
    called_entries: BTreeSet<u64>,
    /// The open calls that are rechecks.
    recheck_calls: BTreeSet<u64>,
    /// The payload as fired, if hooks may still rewrite it, and the newest rewritten version.
    fired: Value,
    rewritten: Option<Value>,
    nested: Vec<StyledLine>,
    /// The hooks that failed, with the range of their lines in `details`.
    failed_hooks: Vec<(String, Range<usize>)>,
}

impl DispatchBlock {
    pub(super) fn new(time: String, record: &EventRecord<'_>, options: &ShowOptions) -> Self {
        let (_, call) = describe_payload(&record.event, &record.payload);
        let is_tool_call = EventKind::from_name(&record.event).is_some_and(|kind| kind.def().is_about_tool_call());
        let subject_field = EventName::parse(&record.event).ok().and_then(|name| name.def().subject);
        let subject = subject_field.and_then(|field| record.payload.get(field)).and_then(Value::as_str);
        let mut event = single_line(&record.event, 80);
        if let Some(subject) = subject {
            event.push(' ');
            event.push_str(&single_line(subject, 80));
        }
        Self {
            offset: time,
            parent: record.parent,
            event,
            call: if is_tool_call { single_line(&call, options.text_chars) } else { String::new() },
            agent_label: agent_label(&record.origin),
            delegated: record.origin.depth > 0,
            details: Vec::new(),
            effects: BTreeMap::new(),
            called_entries: BTreeSet::new(),
            recheck_calls: BTreeSet::new(),
            // What is over with this record was not rewritten.
            fired: if record.outcome().is_some() { Value::Null } else { record.payload.clone().into_owned() },
            rewritten: None,
            nested: Vec::new(),
            failed_hooks: Vec::new(),
        }
    }

    pub(super) fn parent(&self) -> Option<u64> {
        self.parent
    }

    /// Adds the block of a dispatch that this one caused.
    pub(super) fn nest(&mut self, lines: Vec<StyledLine>) {
        self.nested.extend(lines.into_iter().map(|line| line.with_indent(INDENT)));
    }

    /// Adds a record of the dispatch.
    pub(super) fn add(&mut self, body: &RecordBody<'_>, options: &ShowOptions) {
        match body {
            RecordBody::HookCall(asked) => {
                let seen = asked.value.as_deref().cloned();
                self.rewritten = seen.or(self.rewritten.take());
                if !self.called_entries.insert(asked.entry) {
                    self.recheck_calls.insert(asked.call);
                }
            }
            RecordBody::Effect(effected) => {
                if let Some(words) = effect::describe_request(effected, options) {
                    self.effects.entry(effected.call.unwrap_or_default()).or_default().push(words);
                }
            }
            RecordBody::HookReturned(answered) => {
                let effects = self.effects.remove(&answered.call).unwrap_or_default();
                if !options.everything && self.nested.is_empty() && is_silent(&answered.verdict) {
                    return;
                }
                let mut line = verdict_line(answered, options);
                if self.recheck_calls.remove(&answered.call) {
                    line.push(Tone::Quiet, "  (recheck)");
                }
                let start = self.details.len();
                self.details.push(line);
                let returned = answered.verdict.effects.iter();
                let returned = returned.filter(|effect| options.notices || !matches!(effect, Effect::Notice(_)));
                let returned = returned.map(|effect| effect::describe_effect(effect, options));
                let beneath = effects.into_iter().chain(returned).map(|words| StyledLine::new(Tone::Quiet, words));
                self.details.extend(beneath.map(|line| line.with_indent(INDENT + 4)));
                let warnings = answered.verdict.warnings.iter().map(|text| single_line(text, options.text_chars));
                let warnings = warnings.map(|text| StyledLine::new(Tone::Warn, format!("warning: {text}")));
                self.details.extend(warnings.map(|line| line.with_indent(INDENT + 4)));
                if answered.verdict.kind == VerdictLabel::Failed {
                    self.failed_hooks.push((answered.hook.clone().into_owned(), start..self.details.len()));
                }
                self.details.append(&mut self.nested);
            }
            RecordBody::Warning(warned) => {
                let (hook, text) = (single_line(&warned.hook, 80), single_line(&warned.message, options.text_chars));
                self.details.push(StyledLine::new(Tone::Warn, format!("{hook}  warning: {text}")).with_indent(INDENT));
            }
            _ => {}
        }
    }

    /// The complete block of a dispatch that has ended.
    pub(super) fn close(mut self, record: &OutcomeRecord<'_>, options: &ShowOptions) -> Vec<StyledLine> {
        let (tone, word) = match record.decision {
            Decision::Allow if record.hooks_called == 0 => (Tone::Quiet, "allow"),
            Decision::Allow if record.rewritten => (Tone::Warn, "rewrite"),
            Decision::Allow => (Tone::Good, "allow"),
            Decision::Ask => (Tone::Warn, "ask"),
            Decision::Deny => (Tone::Bad, "deny"),
        };
        let quiet = record.decision == Decision::Allow && !record.rewritten && record.failures.is_empty();
        if self.delegated && quiet && self.details.is_empty() && self.nested.is_empty() && !options.everything {
            return Vec::new();
        }
        let mut head = self.head_line(tone, word);
        if record.hooks_called == 0 {
            head.push(Tone::Quiet, "  (no hook)");
        }
        if let Some(approval) = &record.approval {
            head.push(Tone::Good, format!("  (approved by {})", single_line(&approval.approved_by, 80)));
        }
        self.hide_ignored_failures(record, options);
        if record.rewritten {
            let changes = match record.value.as_deref().or(self.rewritten.as_ref()) {
                Some(value) => render_rewrite(&self.fired, value, options),
                None => Vec::new(),
            };
            self.details.extend(changes.into_iter().map(|line| line.with_indent(INDENT)));
        }
        if record.decision == Decision::Deny {
            self.details.extend(self.unreported_reason_lines(record, options));
            if record.reasons.iter().any(|reason| reason.stops_run) {
                self.details.push(StyledLine::new(Tone::Bad, "the run ends").with_indent(INDENT));
            }
        }
        for failure in &record.failures {
            let (tone, meant) = match failure.policy {
                FailurePolicy::Closed => (Tone::Warn, "counts as a deny: failure policy `closed`"),
                FailurePolicy::Open => (Tone::Warn, "has no effect: failure policy `open`"),
                FailurePolicy::Ignored if options.everything => (Tone::Quiet, "is ignored: `on_error: ignore`"),
                FailurePolicy::Ignored => continue,
            };
            let hook = single_line(&failure.hook, 80);
            self.details.push(StyledLine::new(tone, format!("{hook}  failure {meant}")).with_indent(INDENT));
            self.details.extend(self.failure_reason_line(failure, options));
        }
        for shadow in record.shadow.iter().filter(|shadow| shadow.verdict.kind != VerdictLabel::Pass) {
            let (hook, word) = (single_line(&shadow.hook, 80), shadow.verdict.kind.as_str());
            let why = shadow.verdict.reason.as_deref().map(|why| format!(": {}", single_line(why, options.text_chars)));
            let text = format!("{hook}  shadow: would have returned {word}{}", why.unwrap_or_default());
            self.details.push(StyledLine::new(Tone::Warn, text).with_indent(INDENT));
        }
        self.finish(head)
    }

    /// Why a hook failed, if its verdict does not say so: an invalid rewrite, for example, looks like a valid one.
    fn failure_reason_line(&self, failure: &FailureEntry<'_>, options: &ShowOptions) -> Option<StyledLine> {
        let reason = single_line(&failure.failure.message, options.text_chars);
        let is_said = self.details.iter().any(|line| line.to_string().contains(&reason));
        let text = format!("{}: {reason}", failure.failure.kind);
        (!is_said).then(|| StyledLine::new(Tone::Warn, text).with_indent(INDENT + 4))
    }

    /// Hides the warnings of failures that the hook's author ignores, unless everything is shown.
    fn hide_ignored_failures(&mut self, record: &OutcomeRecord<'_>, options: &ShowOptions) {
        let ignored = record.failures.iter().filter(|failure| failure.policy == FailurePolicy::Ignored);
        let ignored: Vec<&str> = ignored.map(|failure| &*failure.hook).collect();
        let failed = std::mem::take(&mut self.failed_hooks);
        for (_, place) in failed.into_iter().rev().filter(|(hook, _)| ignored.contains(&hook.as_str())) {
            if options.everything {
                self.details.get_mut(place).into_iter().flatten().for_each(StyledLine::dim);
            } else {
                self.details.drain(place);
            }
        }
    }

    /// Reasons in the outcome that are not those of a hook in the block, such as who denied an ask.
    fn unreported_reason_lines(&self, record: &OutcomeRecord<'_>, options: &ShowOptions) -> Vec<StyledLine> {
        let shown: Vec<String> = self.details.iter().map(StyledLine::to_string).collect();
        // A failure has its own line.
        let failed = |hook: &str| record.failures.iter().any(|failure| failure.hook == hook);
        let reasons = record.reasons.iter().filter(|reason| !failed(reason.hook.as_str()));
        let reasons = reasons
            .map(|reason| (single_line(reason.hook.as_str(), 80), single_line(&reason.text, options.text_chars)));
        let missing = reasons.filter(|(_, text)| !shown.iter().any(|line| line.contains(text.as_str())));
        missing.map(|(hook, text)| StyledLine::new(Tone::Bad, format!("{hook}  {text}")).with_indent(INDENT)).collect()
    }

    /// The block of a dispatch that has not ended on the tape.
    pub(super) fn finish_incomplete(self) -> Vec<StyledLine> {
        let head = self.head_line(Tone::Warn, "cut");
        self.finish(head)
    }

    fn head_line(&self, tone: Tone, word: &str) -> StyledLine {
        let mut head = StyledLine::new(Tone::Quiet, self.offset.clone());
        head.push(tone, format!("{word:<7}"));
        let event_tone = if tone == Tone::Quiet { Tone::Quiet } else { Tone::Plain };
        head.push(event_tone, format!("  {}", self.event));
        // The other events of a call repeat what it does only if they are decided otherwise.
        let is_first = self.event.starts_with(EventKind::ToolPre.name());
        if !self.call.is_empty() && (is_first || !matches!(tone, Tone::Quiet | Tone::Good)) {
            head.push(event_tone, format!(": {}", self.call));
        }
        head.push(Tone::Quiet, self.agent_label.clone());
        head
    }

    fn finish(mut self, head: StyledLine) -> Vec<StyledLine> {
        let mut lines = vec![head];
        lines.append(&mut self.details);
        lines.append(&mut self.nested);
        lines
    }
}

/// A record without a dispatch whose beginning was shown, such as an effect of a tool.
pub(super) fn lines_without_dispatch(time: &str, body: &RecordBody<'_>, options: &ShowOptions) -> Vec<StyledLine> {
    let text = match body {
        RecordBody::Effect(effected) => match effect::describe_request(effected, options) {
            Some(words) => format!("{time}{}  {words}", single_line(&effected.caller, 80)),
            None => return Vec::new(),
        },
        RecordBody::Warning(warned) => {
            format!(
                "{time}{}  warning: {}",
                single_line(&warned.hook, 80),
                single_line(&warned.message, options.text_chars)
            )
        }
        _ => return Vec::new(),
    };
    vec![StyledLine::new(Tone::Quiet, text)]
}

fn is_silent(verdict: &RecordedVerdict<'_>) -> bool {
    verdict.kind == VerdictLabel::Pass && verdict.effects.is_empty() && verdict.warnings.is_empty()
}

fn verdict_line(record: &HookReturnedRecord<'_>, options: &ShowOptions) -> StyledLine {
    let verdict = &record.verdict;
    let tone = match verdict.kind {
        VerdictLabel::Pass => Tone::Quiet,
        VerdictLabel::Allow => Tone::Good,
        VerdictLabel::Rewrite | VerdictLabel::Ask => Tone::Warn,
        VerdictLabel::Deny | VerdictLabel::Failed => Tone::Bad,
    };
    let mut line = StyledLine::new(Tone::Plain, format!("{:<24}", single_line(&record.hook, 80))).with_indent(INDENT);
    line.push(tone, format!("  {:<7}", verdict.kind.as_str()));
    line.push(Tone::Quiet, format!("  {:>9}", format_duration(record.duration_us)));
    let reason = verdict.reason.as_ref().map(|reason| single_line(reason, options.text_chars));
    let failure = verdict.failure.as_ref().map(|failure| {
        let place = match (&failure.path, failure.line) {
            (Some(path), Some(line)) => format!(" ({}:{line})", single_line(path.trim_start_matches("./"), 200)),
            _ => String::new(),
        };
        format!("{}: {}{place}", failure.kind, single_line(&failure.message, options.text_chars))
    });
    let fields = verdict.fields.as_ref().map(|fields| {
        let names: Vec<String> = fields.keys().map(|name| single_line(name, 40)).collect();
        format!("replaces {}", names.join(", "))
    });
    let value = |value: &Value| format!("replaces all by {}", single_line(&value.to_string(), options.text_chars));
    let whole = verdict.whole_payload.as_deref().map(value);
    // An allow or an ask of a rewritten payload has a reason and a rewrite.
    for why in [reason, failure, fields, whole].into_iter().flatten().filter(|why| !why.is_empty()) {
        line.push(tone, format!("  {why}"));
    }
    line
}

/// What a rewrite changed, without the removed text: a hook may have removed it to keep it from being read.
fn render_rewrite(before: &Value, after: &Value, options: &ShowOptions) -> Vec<StyledLine> {
    let whole = |name: &str, old: Option<&Value>, new: Option<&Value>| {
        let size = |value: Option<&Value>| group_digits(value.map_or(0, text_size_bytes));
        let mut line = StyledLine::new(Tone::Warn, format!("rewrote {name} ({} -> {} bytes)", size(old), size(new)));
        if let Some(new) = new {
            line.push(Tone::Good, format!(": {}", single_line(&new.to_string(), options.text_chars)));
        }
        line
    };
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return vec![whole("the payload", Some(before), Some(after))];
    };
    let gone = old.iter().filter(|(name, _)| !new.contains_key(*name));
    let gone = gone.map(|(name, value)| whole(&single_line(name, 80), Some(value), None));
    let mut lines: Vec<StyledLine> = gone.collect();
    // A value with two names is shown once.
    let mut shown: Vec<(Option<&Value>, &Value)> = Vec::new();
    for (name, value) in new.iter().filter(|(name, value)| old.get(*name) != Some(value)) {
        let before = old.get(name);
        if !shown.contains(&(before, value)) {
            shown.push((before, value));
            lines.push(whole(&single_line(name, 80), before, Some(value)));
        }
    }
    lines
}

/// The length of a string in bytes, or of the JSON of any other value.
fn text_size_bytes(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), str::len)
}

/// A number with digits in groups of three.
fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A duration with a suitable unit.
pub(super) fn format_duration(micros: u64) -> String {
    match micros {
        0..10_000 => format!("{micros} us"),
        10_000..10_000_000 => format!("{} ms", micros / 1000),
        _ => format!("{} s", micros / 1_000_000),
    }
}
