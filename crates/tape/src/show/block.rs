//! The block of one dispatch.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pintle_contract::{Decision, Effect, EventName, FailurePolicy};
use serde_json::Value;

use super::style::plain;
use super::{Line, Options, Tone, effect};
use crate::record::{Answered, Body, Decided, FailureNote, Fired, SaidText, Word};

/// Columns by which the hooks of an event stand to the right of it.
const INDENT: usize = 9;

/// One dispatch, as far as it has gone.
#[derive(Debug)]
pub(super) struct Block {
    at: String,
    parent: Option<u64>,
    event: String,
    whose: String,
    delegated: bool,
    details: Vec<Line>,
    /// What the calls that have not returned did so far.
    effects: BTreeMap<u64, Vec<String>>,
    /// The hooks that were called, by their number in the tape.
    called: BTreeSet<u64>,
    /// The calls that have not returned and ask a guard again.
    repeated: BTreeSet<u64>,
    /// The payload as fired, and the newest version that was rewritten.
    fired: Value,
    rewritten: Option<Value>,
    nested: Vec<Line>,
    /// Hooks that gave no answer, with the place of their lines in `details`.
    failed: Vec<(String, Range<usize>)>,
}

impl Block {
    pub(super) fn new(at: String, fired: &Fired<'_>) -> Self {
        let subject_field = EventName::parse(&fired.event).ok().and_then(|name| name.def().subject);
        let subject = subject_field.and_then(|field| fired.payload.get(field)).and_then(Value::as_str);
        let mut event = plain(&fired.event, 80);
        if let Some(subject) = subject {
            event.push(' ');
            event.push_str(&plain(subject, 80));
        }
        let whose = match fired.origin.depth {
            0 => String::new(),
            depth => format!("  (agent {}, depth {depth})", plain(&fired.origin.agent, 80)),
        };
        Self {
            at,
            parent: fired.parent,
            event,
            whose,
            delegated: fired.origin.depth > 0,
            details: Vec::new(),
            effects: BTreeMap::new(),
            called: BTreeSet::new(),
            repeated: BTreeSet::new(),
            fired: fired.payload.clone().into_owned(),
            rewritten: None,
            nested: Vec::new(),
            failed: Vec::new(),
        }
    }

    pub(super) fn parent(&self) -> Option<u64> {
        self.parent
    }

    /// Puts the block of a dispatch that this one caused below what happened so far.
    pub(super) fn nest(&mut self, lines: Vec<Line>) {
        self.nested.extend(lines.into_iter().map(|line| line.indented(INDENT)));
    }

    /// Adds a record of the dispatch.
    pub(super) fn add(&mut self, body: &Body<'_>, options: &Options) {
        match body {
            Body::HookCall(asked) => {
                let seen = asked.value.as_deref().cloned();
                self.rewritten = seen.or(self.rewritten.take());
                if !self.called.insert(asked.entry) {
                    self.repeated.insert(asked.call);
                }
            }
            Body::Effect(effected) => {
                if let Some(words) = effect::request(effected, options) {
                    self.effects.entry(effected.call.unwrap_or_default()).or_default().push(words);
                }
            }
            Body::HookReturned(answered) => {
                let effects = self.effects.remove(&answered.call).unwrap_or_default();
                if !options.everything && self.nested.is_empty() && is_silent(&answered.said) {
                    return;
                }
                let mut line = verdict_line(answered, options);
                if self.repeated.remove(&answered.call) {
                    line.push(Tone::Quiet, "  (asked again)");
                }
                let start = self.details.len();
                self.details.push(line);
                let effects_said = answered.said.effects.iter();
                let effects_said = effects_said.filter(|said| options.notices || !matches!(said, Effect::Notice(_)));
                let said = effects_said.map(|said| effect::verdict(said, options));
                let beneath = effects.into_iter().chain(said).map(|words| Line::new(Tone::Quiet, words));
                self.details.extend(beneath.map(|line| line.indented(INDENT + 4)));
                let warnings = answered.said.warnings.iter().map(|text| plain(text, options.text_chars));
                let warnings = warnings.map(|text| Line::new(Tone::Warn, format!("warning: {text}")));
                self.details.extend(warnings.map(|line| line.indented(INDENT + 4)));
                if answered.said.verdict == Word::Failed {
                    self.failed.push((answered.hook.clone().into_owned(), start..self.details.len()));
                }
                self.details.append(&mut self.nested);
            }
            Body::Warning(warned) => {
                let (hook, text) = (plain(&warned.hook, 80), plain(&warned.message, options.text_chars));
                self.details.push(Line::new(Tone::Warn, format!("{hook}  warning: {text}")).indented(INDENT));
            }
            _ => {}
        }
    }

    /// The whole block, now that the dispatch is over.
    pub(super) fn close(mut self, decided: &Decided<'_>, options: &Options) -> Vec<Line> {
        let (tone, word) = match decided.decision {
            Decision::Allow if decided.asked == 0 => (Tone::Quiet, "allow"),
            Decision::Allow if decided.rewritten => (Tone::Warn, "rewrite"),
            Decision::Allow => (Tone::Good, "allow"),
            Decision::Ask => (Tone::Warn, "ask"),
            Decision::Deny => (Tone::Bad, "deny"),
        };
        let quiet = decided.decision == Decision::Allow && !decided.rewritten && decided.failures.is_empty();
        if self.delegated && quiet && self.details.is_empty() && self.nested.is_empty() && !options.everything {
            return Vec::new();
        }
        let mut head = self.head(tone, word);
        if decided.asked == 0 {
            head.push(Tone::Quiet, "  (no hook)");
        }
        if let Some(approval) = &decided.approval {
            head.push(Tone::Good, format!("  (approved by {})", plain(&approval.approved_by, 80)));
        }
        self.ignore(decided, options);
        if decided.rewritten {
            let changes = match decided.value.as_deref().or(self.rewritten.as_ref()) {
                Some(value) => rewritten(&self.fired, value, options),
                None => Vec::new(),
            };
            self.details.extend(changes.into_iter().map(|line| line.indented(INDENT)));
        }
        if decided.decision == Decision::Deny {
            self.details.extend(self.unsaid(decided, options));
            if decided.reasons.iter().any(|reason| reason.stops_run) {
                self.details.push(Line::new(Tone::Bad, "the run ends").indented(INDENT));
            }
        }
        for failure in &decided.failures {
            let (tone, meant) = match failure.policy {
                FailurePolicy::Closed => (Tone::Warn, "counts as a deny: the hook fails closed"),
                FailurePolicy::Open => (Tone::Warn, "decided nothing: the hook fails open"),
                FailurePolicy::Ignored if options.everything => (Tone::Quiet, "is ignored: `on_error: ignore`"),
                FailurePolicy::Ignored => continue,
            };
            let hook = plain(&failure.hook, 80);
            self.details.push(Line::new(tone, format!("{hook}  failure {meant}")).indented(INDENT));
            self.details.extend(self.why_failed(failure, options));
        }
        for shadow in decided.shadow.iter().filter(|shadow| shadow.said.verdict != Word::Pass) {
            let (hook, word) = (plain(&shadow.hook, 80), shadow.said.verdict.as_str());
            let why = shadow.said.reason.as_deref().map(|why| format!(": {}", plain(why, options.text_chars)));
            let text = format!("{hook}  shadow: would have said {word}{}", why.unwrap_or_default());
            self.details.push(Line::new(Tone::Warn, text).indented(INDENT));
        }
        self.finish(head)
    }

    /// Why a hook gave no answer, where its verdict did not say so: a rewrite that makes no sense, for instance, looks like
    /// one that does.
    fn why_failed(&self, failure: &FailureNote<'_>, options: &Options) -> Option<Line> {
        let why = plain(&failure.failure.message, options.text_chars);
        let is_said = self.details.iter().any(|line| line.to_string().contains(&why));
        let text = format!("{}: {why}", failure.failure.kind);
        (!is_said).then(|| Line::new(Tone::Warn, text).indented(INDENT + 4))
    }

    /// A failure that its author does not care about is no warning. Only who looks at everything is shown it.
    fn ignore(&mut self, decided: &Decided<'_>, options: &Options) {
        let ignored = decided.failures.iter().filter(|failure| failure.policy == FailurePolicy::Ignored);
        let ignored: Vec<&str> = ignored.map(|failure| &*failure.hook).collect();
        let failed = std::mem::take(&mut self.failed);
        for (_, place) in failed.into_iter().rev().filter(|(hook, _)| ignored.contains(&hook.as_str())) {
            if options.everything {
                self.details.get_mut(place).into_iter().flatten().for_each(Line::quieten);
            } else {
                self.details.drain(place);
            }
        }
    }

    /// What the outcome says that no hook of the block said, such as who refused what a hook asked.
    fn unsaid(&self, decided: &Decided<'_>, options: &Options) -> Vec<Line> {
        let said: Vec<String> = self.details.iter().map(Line::to_string).collect();
        // A failure has a line of its own.
        let failed = |hook: &str| decided.failures.iter().any(|failure| failure.hook == hook);
        let reasons = decided.reasons.iter().filter(|reason| !failed(reason.hook.as_str()));
        let reasons = reasons.map(|reason| (plain(reason.hook.as_str(), 80), plain(&reason.text, options.text_chars)));
        let unsaid = reasons.filter(|(_, text)| !said.iter().any(|line| line.contains(text.as_str())));
        unsaid.map(|(hook, text)| Line::new(Tone::Bad, format!("{hook}  {text}")).indented(INDENT)).collect()
    }

    /// The block of a dispatch that the tape ends in.
    pub(super) fn cut_short(self) -> Vec<Line> {
        let head = self.head(Tone::Warn, "cut");
        self.finish(head)
    }

    fn head(&self, tone: Tone, word: &str) -> Line {
        let mut head = Line::new(Tone::Quiet, self.at.clone());
        head.push(tone, format!("{word:<7}"));
        let event_tone = if tone == Tone::Quiet { Tone::Quiet } else { Tone::Plain };
        head.push(event_tone, format!("  {}", self.event));
        head.push(Tone::Quiet, self.whose.clone());
        head
    }

    fn finish(mut self, head: Line) -> Vec<Line> {
        let mut lines = vec![head];
        lines.append(&mut self.details);
        lines.append(&mut self.nested);
        lines
    }
}

/// A record of a dispatch that the tape does not show the beginning of, or of none, such as what a tool did.
pub(super) fn alone(at: &str, body: &Body<'_>, options: &Options) -> Vec<Line> {
    let text = match body {
        Body::Effect(effected) => match effect::request(effected, options) {
            Some(words) => format!("{at}{}  {words}", plain(&effected.by, 80)),
            None => return Vec::new(),
        },
        Body::Warning(warned) => {
            format!("{at}{}  warning: {}", plain(&warned.hook, 80), plain(&warned.message, options.text_chars))
        }
        _ => return Vec::new(),
    };
    vec![Line::new(Tone::Quiet, text)]
}

fn is_silent(said: &SaidText<'_>) -> bool {
    said.verdict == Word::Pass && said.effects.is_empty() && said.warnings.is_empty()
}

fn verdict_line(answered: &Answered<'_>, options: &Options) -> Line {
    let said = &answered.said;
    let tone = match said.verdict {
        Word::Pass => Tone::Quiet,
        Word::Allow => Tone::Good,
        Word::Rewrite | Word::Ask => Tone::Warn,
        Word::Deny | Word::Failed => Tone::Bad,
    };
    let mut line = Line::new(Tone::Plain, format!("{:<24}", plain(&answered.hook, 80))).indented(INDENT);
    line.push(tone, format!("  {:<7}", said.verdict.as_str()));
    line.push(Tone::Quiet, format!("  {:>9}", duration(answered.duration_us)));
    let reason = said.reason.as_ref().map(|reason| plain(reason, options.text_chars));
    let failure = said.failure.as_ref().map(|failure| {
        let place = match (&failure.path, failure.line) {
            (Some(path), Some(line)) => format!(" ({}:{line})", plain(path.trim_start_matches("./"), 200)),
            _ => String::new(),
        };
        format!("{}: {}{place}", failure.kind, plain(&failure.message, options.text_chars))
    });
    let fields = said.fields.as_ref().map(|fields| {
        let names: Vec<String> = fields.keys().map(|name| plain(name, 40)).collect();
        format!("replaces {}", names.join(", "))
    });
    let value = |value: &Value| format!("replaces all by {}", plain(&value.to_string(), options.text_chars));
    let whole = said.whole.as_deref().map(value);
    // An allow or an ask of another payload has a reason and a rewrite.
    for why in [reason, failure, fields, whole].into_iter().flatten().filter(|why| !why.is_empty()) {
        line.push(tone, format!("  {why}"));
    }
    line
}

/// What a rewrite changed, without what it took out: a hook may have rewritten it to keep it from being read.
fn rewritten(before: &Value, after: &Value, options: &Options) -> Vec<Line> {
    let whole = |name: &str, old: Option<&Value>, new: Option<&Value>| {
        let size = |value: Option<&Value>| grouped(value.map_or(0, size));
        let mut line = Line::new(Tone::Warn, format!("rewrote {name} ({} -> {} bytes)", size(old), size(new)));
        if let Some(new) = new {
            line.push(Tone::Good, format!(": {}", plain(&new.to_string(), options.text_chars)));
        }
        line
    };
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return vec![whole("the payload", Some(before), Some(after))];
    };
    let gone = old.iter().filter(|(name, _)| !new.contains_key(*name));
    let gone = gone.map(|(name, value)| whole(&plain(name, 80), Some(value), None));
    let mut lines: Vec<Line> = gone.collect();
    // A value that has two names is shown once.
    let mut shown: Vec<(Option<&Value>, &Value)> = Vec::new();
    for (name, value) in new.iter().filter(|(name, value)| old.get(*name) != Some(value)) {
        let before = old.get(name);
        if !shown.contains(&(before, value)) {
            shown.push((before, value));
            lines.push(whole(&plain(name, 80), before, Some(value)));
        }
    }
    lines
}

/// How long a text is in bytes, or the JSON of anything else.
fn size(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), str::len)
}

/// A number with its digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A duration with the unit that suits it.
pub(super) fn duration(micros: u64) -> String {
    match micros {
        0..10_000 => format!("{micros} us"),
        10_000..10_000_000 => format!("{} ms", micros / 1000),
        _ => format!("{} s", micros / 1_000_000),
    }
}
