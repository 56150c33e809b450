//! What was decided about a call, as text.

use pintle_host::Decision;
use pintle_host::contract::Operation;
use pintle_host::packs::{PackFinding, RuleSeverity};
use pintle_host::tape::show::{StyledLine, Tone, single_line};

use super::judged_call::{DecidingPart, JudgedCall};
use crate::options::ActivePack;
use crate::render::wrap::{render_labelled, render_unwrapped};
use crate::render::{count_text, enum_word, location_text, path_text};

/// Most characters of a text.
const TEXT: usize = 4_000;

impl JudgedCall {
    pub(super) fn render(&self) -> Vec<StyledLine> {
        let deciding = self.deciding_hooks();
        let decided = &self.handled.decision;
        let mut lines = vec![self.headline()];
        let mut add = |label: &str, tone: Tone, text: &str| lines.extend(render_labelled(label, tone, text));
        if self.is_of_named_host {
            let (title, event) = (self.handled.host.title, self.handled.event_def.name);
            let call = format!("{title}, {event}: {} {}", self.call.native.name, self.call.native.input);
            add("call", Tone::Plain, &single_line(&call, TEXT));
        }
        for hook in &deciding {
            let place = location_text(&hook.location).map(|place| format!(" of {place}")).unwrap_or_default();
            for part in self.deciding_parts(hook) {
                match part {
                    DecidingPart::PackRule(active, finding) => add_finding(&mut add, "rule", active, &finding),
                    DecidingPart::OwnRule(rule) => {
                        let severity = rule.severity.map_or("", RuleSeverity::as_str);
                        let path = hook.location.path().map(path_text).unwrap_or_default();
                        add("rule", Tone::Plain, &format!("{} ({severity}) of {path}:{}", rule.name, rule.line));
                    }
                    DecidingPart::WholeHook => {
                        add("hook", Tone::Plain, &format!("{}{place}", single_line(&hook.name, TEXT)));
                    }
                }
            }
        }
        if deciding.is_empty() && decided.decision != Decision::Allow {
            add("by", Tone::Plain, "Pintle itself");
        }
        if decided.decision == Decision::Allow {
            add("judged", Tone::Quiet, &self.judging_text());
            for (active, finding) in self.warnings() {
                add_finding(&mut add, "warning", active, &finding);
            }
        } else {
            add("reason", Tone::Plain, &single_line(&decided.reason, TEXT));
        }
        if self.is_ask_denied(&deciding) {
            let title = self.handled.host.title;
            add("note", Tone::Warn, &format!("{title} cannot ask its user here, so the call is denied instead"));
        }
        if let Some(input) = &decided.input {
            add("changed", Tone::Warn, &single_line(&input.to_string(), TEXT));
        }
        for (label, texts) in [("context", &decided.context), ("notice", &decided.notices)] {
            texts.iter().for_each(|text| add(label, Tone::Plain, &single_line(text, TEXT)));
        }
        if self.is_of_named_host {
            lines.extend(self.render_response());
        }
        lines
    }

    /// The call with its decision and what made it, in one line.
    pub(super) fn render_line(&self) -> StyledLine {
        let mut line = self.headline();
        let hooks = self.deciding_hooks().into_iter();
        let names = hooks.flat_map(|hook| {
            let parts = self.deciding_parts(hook).into_iter();
            parts.map(|part| part.rule_name().unwrap_or_else(|| single_line(&hook.name, TEXT)))
        });
        let mut names: Vec<String> = names.collect();
        names.dedup();
        if self.decision() != Decision::Allow && names.is_empty() {
            names.push(String::from("Pintle itself"));
        }
        if !names.is_empty() {
            line.push(Tone::Quiet, format!("  [{}]", names.join(", ")));
        }
        line
    }

    fn headline(&self) -> StyledLine {
        let (tone, word) = match self.decision() {
            Decision::Allow => (Tone::Good, "allowed"),
            Decision::Ask => (Tone::Warn, "asked"),
            Decision::Deny => (Tone::Bad, "denied"),
        };
        let tool = if self.call.tool == "shell" { String::new() } else { format!("{} ", self.call.tool) };
        let mut line = StyledLine::new(tone, word);
        line.push(Tone::Plain, format!(": {tool}{}", single_line(&self.call.target, TEXT)));
        line
    }

    /// The response that the agent gets, which is not wrapped.
    fn render_response(&self) -> Vec<StyledLine> {
        let answer = &self.handled.response;
        let told = self.handled.decision.reason.trim();
        let shown = |text: &str| match text.trim() {
            "" => None,
            text if text == told => Some(String::from("the same text")),
            text => Some(single_line(text, TEXT)),
        };
        let texts = [("stdout", shown(&answer.stdout)), ("stderr", shown(&answer.stderr))];
        let status = ("status", Some(answer.exit_code.to_string()));
        let lines = texts.into_iter().chain([status]).filter_map(|(label, text)| Some((label, text?)));
        lines.map(|(label, text)| render_unwrapped(label, &text)).collect()
    }

    /// Which hooks judged an allowed call.
    fn judging_text(&self) -> String {
        let calls = || self.events.iter().flat_map(|judged| &judged.calls);
        let pack_count = calls().filter(|hook| self.pack_of(hook).is_some()).count();
        let others = calls().count() - pack_count;
        let who = match (pack_count, others) {
            (0, 0) => return String::from("no hook listens to this call"),
            (packs, 0) => count_text(packs, "pack"),
            (0, others) => count_text(others, "hook"),
            (packs, others) => format!("{} and {}", count_text(packs, "pack"), count_text(others, "other hook")),
        };
        let approved = if self.handled.decision.is_approved { "; the user is not asked" } else { "" };
        format!("by {who}{approved}")
    }
}

fn add_finding(add: &mut impl FnMut(&str, Tone, &str), label: &str, active: &ActivePack, finding: &PackFinding<'_>) {
    let severity = finding.severity.as_str();
    add(label, Tone::Plain, &format!("{} ({severity}) of {}", finding.rule_name(), active.place()));
    add("fact", Tone::Plain, &operation_text(finding.operation));
    add("instead", Tone::Plain, finding.way_out());
}

/// Describes an operation in one line: what it does, to what, where that is, and what else is known.
pub(super) fn operation_text(operation: &Operation) -> String {
    let words = |word: String| word.replace('_', " ");
    let mut text = words(enum_word(&operation.kind));
    if !operation.action.is_empty() {
        text = format!("{text}, {}", words(operation.action.clone()));
    }
    if !operation.written.is_empty() {
        text = format!("{text} `{}`", operation.written);
    }
    if let Some(path) = operation.path.as_ref().filter(|path| **path != operation.written) {
        text = format!("{text} = {path}");
    }
    let place = operation.place.iter().map(enum_word);
    let known: Vec<String> = place.chain(operation.tags.iter().map(enum_word)).map(words).collect();
    if !known.is_empty() {
        text = format!("{text} ({})", known.join(", "));
    }
    // `git` by git says nothing.
    if !operation.program.is_empty() && operation.program != enum_word(&operation.kind) {
        text = format!("{text} by {}", operation.program);
    }
    if !operation.reason.is_empty() {
        text = format!("{text}: {}", operation.reason);
    }
    if let Some(file) = &operation.file {
        let line = operation.line.map(|line| format!(", line {line}")).unwrap_or_default();
        text = format!("{text} in `{file}`{line}");
    }
    if let Some(part) = operation.part {
        text = format!("{text} [part {part}]");
    }
    single_line(&text, TEXT)
}
