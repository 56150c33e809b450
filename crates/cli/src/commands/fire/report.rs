//! The report of a fired event, as text and as JSON.

use parking_lot::Mutex;
use pintle_bridge::HandledCall;
use pintle_host::tape::record::{OutcomeRecord, RecordedVerdict};
use pintle_host::tape::show::{ShowOptions, StyledLine, TapeRenderer, Tone, single_line};
use pintle_host::tape::{Record, RecordBody, RecordObserver};
use pintle_host::{Decision, Event, Outcome};
use serde_json::{Map, Value, json};

/// Most characters of a text in the report of another agent's call.
const CALL_CHARS: usize = 4_000;

/// Collects records of the tape while the event is fired.
#[derive(Debug, Default)]
pub(super) struct FireReport(Mutex<FireFindings>);

#[derive(Debug)]
struct FireFindings {
    view: TapeRenderer,
    lines: Vec<StyledLine>,
    outcomes: Vec<Value>,
    calls: Vec<Value>,
    effects: Vec<Value>,
}

impl Default for FireFindings {
    fn default() -> Self {
        let options = ShowOptions { offsets: false, ..ShowOptions::default() };
        Self {
            view: TapeRenderer::new(options),
            lines: Vec::new(),
            outcomes: Vec::new(),
            calls: Vec::new(),
            effects: Vec::new(),
        }
    }
}

impl RecordObserver for FireReport {
    fn on_record(&self, record: &Record<'_>, _line: &str) {
        let mut gathered = self.0.lock();
        match &record.body {
            RecordBody::Header(_) | RecordBody::Hooks(_) | RecordBody::Note(_) => return,
            RecordBody::HookReturned(returned) => gathered.calls.extend(serde_json::to_value(returned)),
            RecordBody::Effect(effect) => gathered.effects.extend(serde_json::to_value(effect)),
            RecordBody::Outcome(outcome) => gathered.outcomes.extend(serde_json::to_value(outcome)),
            RecordBody::Event(fired) => {
                let returned = fired.hook_records().filter_map(|record| match record {
                    RecordBody::HookReturned(returned) => serde_json::to_value(returned).ok(),
                    _ => None,
                });
                gathered.calls.extend(returned);
                gathered.outcomes.extend(fired.outcome().and_then(|outcome| serde_json::to_value(outcome).ok()));
            }
            _ => {}
        }
        let lines = gathered.view.feed(record);
        gathered.lines.extend(lines);
    }
}

impl FireReport {
    /// Renders the report as text.
    pub(super) fn render_text(&self, outcome: &Outcome, metrics: &Map<String, Value>) -> Vec<StyledLine> {
        let mut lines = std::mem::take(&mut self.0.lock().lines);
        let tone = match outcome.decision {
            Decision::Allow => Tone::Good,
            Decision::Ask => Tone::Warn,
            Decision::Deny => Tone::Bad,
        };
        if !outcome.reasons.is_empty() {
            lines.push(StyledLine::new(tone, single_line(&outcome.reason(), 4_000)));
        }
        if outcome.decision == Decision::Ask {
            lines.push(StyledLine::new(Tone::Quiet, "approval was not requested; `--yes` approves, `--no` refuses"));
        }
        if !metrics.is_empty() {
            let pairs: Vec<String> =
                metrics.iter().map(|(name, value)| format!("{}={value}", single_line(name, 200))).collect();
            lines.push(StyledLine::new(Tone::Quiet, format!("metrics: {}", pairs.join(" "))));
        }
        lines
    }

    /// Renders a call of another agent as text: what each hook returned, and what the agent is told.
    pub(super) fn render_call(&self, call: &HandledCall) -> Vec<StyledLine> {
        let mut lines = std::mem::take(&mut self.0.lock().lines);
        let decided = &call.decision;
        let (tone, word) = match decided.decision {
            Decision::Allow => (Tone::Good, "allow"),
            Decision::Ask => (Tone::Warn, "ask"),
            Decision::Deny => (Tone::Bad, "deny"),
        };
        let approved = if decided.is_approved { ", without asking the user" } else { "" };
        let mut line = StyledLine::new(tone, format!("{word:8} {} {}{approved}", call.host.title, call.event_def.name));
        if !decided.reason.is_empty() {
            line.push(Tone::Plain, format!(": {}", single_line(&decided.reason, CALL_CHARS)));
        }
        lines.push(line);
        let json = |value: &Option<Value>| value.iter().map(Value::to_string).collect::<Vec<_>>();
        let details = [
            ("input", json(&decided.input)),
            ("output", json(&decided.output)),
            ("context", decided.context.clone()),
            ("stop", decided.stop.iter().cloned().collect()),
            ("notice", decided.notices.clone()),
        ];
        for (name, texts) in details {
            let texts = texts.iter().map(|text| format!("         {name}: {}", single_line(text, CALL_CHARS)));
            lines.extend(texts.map(|text| StyledLine::new(Tone::Quiet, text)));
        }
        lines
    }

    /// Renders a call of another agent as JSON.
    pub(super) fn call_to_json(&self, call: &HandledCall) -> Value {
        let gathered = self.0.lock();
        let decided = &call.decision;
        json!({
            "host": call.host.name,
            "event": call.event_def.name,
            "known_session": call.known_session,
            "decision": decided.decision,
            "approved": decided.is_approved,
            "reason": decided.reason,
            "input": decided.input,
            "output": decided.output,
            "context": decided.context,
            "stop": decided.stop,
            "notices": decided.notices,
            "response": {
                "stdout": call.response.stdout,
                "stderr": call.response.stderr,
                "exit_code": call.response.exit_code,
            },
            "outcomes": gathered.outcomes,
            "calls": gathered.calls,
            "requests": gathered.effects,
            "metrics": call.built.as_ref().map(|built| built.runtime.metrics()).unwrap_or_default(),
        })
    }

    /// Renders the report as JSON.
    pub(super) fn to_json(
        &self,
        event: &Event,
        outcome: &Outcome,
        metrics: Map<String, Value>,
        is_example: bool,
    ) -> Value {
        let gathered = self.0.lock();
        let decided = OutcomeRecord::new(1, event.name.as_str(), outcome, 0, true);
        let shadow: Vec<Value> = outcome
            .shadow
            .iter()
            .map(|shadow| json!({"hook": shadow.hook, "verdict": RecordedVerdict::from(&shadow.verdict)}))
            .collect();
        json!({
            "event": event.name,
            "decision": outcome.decision,
            "approved": outcome.approved,
            "rewritten": outcome.rewritten,
            "payload": outcome.payload.value(),
            "example_payload": is_example,
            "reason": outcome.reason(),
            "reasons": outcome.reasons,
            "effects": decided.effects,
            "failures": decided.failures,
            "warnings": outcome.warnings,
            "shadow": shadow,
            "approval": outcome.approval,
            "hooks_called": outcome.hooks_called,
            "calls": gathered.calls,
            "requests": gathered.effects,
            "metrics": metrics,
        })
    }
}
