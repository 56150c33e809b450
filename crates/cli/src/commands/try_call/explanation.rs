//! `--explain`: all operations of a call, and which hooks and rules looked at it.

use pintle_host::LoadedRuntime;
use pintle_host::contract::VerdictKind;
use pintle_host::tape::record::RecordedVerdict;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_host::{HookExplanation, RunPrediction, explain};

use super::call_journal::{CalledHook, JudgedEvent};
use super::judged_call::JudgedCall;
use super::report::operation_text;
use crate::options::{ActivePack, is_same_place};
use crate::render::wrap::render_indented;
use crate::render::{count_text, enum_word, location_text};

/// Most characters of a text.
const TEXT: usize = 400;

impl JudgedCall {
    pub(super) fn render_explanation(&self) -> Vec<StyledLine> {
        let mut lines = vec![StyledLine::new(Tone::Plain, ""), StyledLine::new(Tone::Quiet, "operations")];
        if self.operations().is_empty() {
            lines.push(StyledLine::new(Tone::Plain, "  none that Pintle knows"));
        }
        for (index, operation) in self.operations().iter().enumerate() {
            lines.extend(render_indented(2, Tone::Plain, &format!("{}. {}", index + 1, operation_text(operation))));
        }
        let Some(built) = &self.handled.built else { return lines };
        for judged in &self.events {
            lines.push(StyledLine::new(Tone::Quiet, format!("hooks of {}", judged.event.name.as_str())));
            lines.extend(self.render_event(judged, built));
        }
        lines
    }

    fn render_event(&self, judged: &JudgedEvent, built: &LoadedRuntime) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        for explained in explain(&built.runtime.hooks(), &judged.event) {
            let is_it = |call: &&CalledHook| {
                call.name == explained.hook.as_str() && is_same_place(&call.location, &explained.location)
            };
            match (judged.calls.iter().find(is_it), &explained.prediction) {
                (Some(call), _) => lines.extend(self.render_call(call, &explained)),
                (None, RunPrediction::OtherEvent { .. }) => {}
                (None, RunPrediction::Yes) => {
                    lines.extend(render_hook(&explained, Tone::Quiet, "not called: the call is denied before"));
                }
                (None, prediction) => lines.extend(render_hook(&explained, Tone::Quiet, &prediction.to_string())),
            }
        }
        if lines.is_empty() {
            lines.push(StyledLine::new(Tone::Plain, "  none"));
        }
        lines
    }

    fn render_call(&self, call: &CalledHook, explained: &HookExplanation) -> Vec<StyledLine> {
        let tone = match call.verdict.kind {
            VerdictKind::Deny { .. } | VerdictKind::Failed(_) => Tone::Bad,
            VerdictKind::Ask { .. } | VerdictKind::Rewrite(_) => Tone::Warn,
            VerdictKind::Pass | VerdictKind::Allow { .. } => Tone::Plain,
        };
        let recorded = RecordedVerdict::from(&call.verdict);
        let mut text = enum_word(&recorded.kind);
        let active = self.pack_of(call);
        let reason = match (&call.verdict.kind, &recorded.reason) {
            (VerdictKind::Failed(failure), _) => Some(failure.to_string()),
            (_, reason) => reason.as_deref().map(str::to_owned).filter(|_| active.is_none()),
        };
        if let Some(reason) = reason {
            text = format!("{text}: {}", single_line(&reason, TEXT));
        }
        let mut lines = render_hook(explained, tone, &text);
        lines.extend(active.into_iter().flat_map(|active| self.render_rules(active)));
        lines
    }

    fn render_rules(&self, active: &ActivePack) -> Vec<StyledLine> {
        let found = self.findings(active);
        let mut lines: Vec<StyledLine> = Vec::new();
        for finding in &found {
            let number = self.operations().iter().position(|operation| std::ptr::eq(operation, finding.operation));
            let number = number.map_or(0, |index| index + 1);
            let text = format!("{} ({}): operation {number}", finding.rule_name(), finding.severity.as_str());
            lines.extend(render_indented(6, Tone::Plain, &text));
        }
        let others = count_text(active.pack.rules.len() - found.len(), "rule");
        lines.extend(render_indented(6, Tone::Quiet, &format!("nothing in {others}")));
        lines
    }
}

fn render_hook(explained: &HookExplanation, tone: Tone, text: &str) -> Vec<StyledLine> {
    let place = location_text(&explained.location).unwrap_or_else(|| explained.source.to_string());
    let name = single_line(explained.hook.as_str(), TEXT);
    render_indented(2, tone, &format!("{name}: {text} ({}, {place})", explained.layer))
}
