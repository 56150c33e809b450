//! Explains payloads of other agents: the events that `pintle hook` would fire, and which hooks would run for each.

use std::sync::Arc;

use parking_lot::Mutex;
use pintle_host::contract::{CallId, DispatchId, JournalEntry};
use pintle_host::tape::show::{StyledLine, Tone};
use pintle_host::{Event, Journal};
use pintle_host::{HookExplanation, explain};
use serde_json::{Value, json};

use super::{ExplainArgs, event_line, explanation_to_json, is_trusted, render_explanations};
use crate::error::{CliError, CliStatus};
use crate::options::{CapturedPayload, GlobalOptions, HookPaths, preview_host_call, print_diagnostics, trust};
use crate::terminal::Terminal;

/// Collects the events that are fired.
#[derive(Debug, Default)]
struct FiredEvents(Mutex<Vec<Event>>);

impl Journal for FiredEvents {
    fn begin_dispatch(&self, entry: &JournalEntry<'_>) -> DispatchId {
        self.record(DispatchId(0), entry);
        DispatchId(0)
    }

    fn record(&self, _dispatch: DispatchId, entry: &JournalEntry<'_>) {
        if let JournalEntry::Event { event, .. } = entry {
            self.0.lock().push((*event).clone());
        }
    }

    fn next_call(&self) -> CallId {
        CallId(0)
    }
}

/// The hooks of one event.
struct EventExplanations {
    event: Event,
    hooks: Vec<(HookExplanation, bool)>,
}

impl ExplainArgs {
    /// Explains a payload of another agent. No hook is called, so every hook that would run is taken to pass.
    pub(super) fn explain_host_payload(
        self,
        payload: &CapturedPayload,
        paths: &HookPaths,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let fired = Arc::new(FiredEvents::default());
        let journal = Arc::clone(&fired);
        let call =
            preview_host_call(payload, paths, &self.hooks, false, |builder| builder.without_calls().journal(journal))?;
        let Some(built) = &call.built else { return Err(CliError::invalid_input(call.decision.reason)) };
        print_diagnostics(built, &paths.paths, terminal);
        trust::print_untrusted(built, terminal);
        let events = std::mem::take(&mut *fired.0.lock());
        let hooks = built.runtime.hooks();
        let mut explained: Vec<EventExplanations> = Vec::new();
        for event in events {
            let with_trust = |one: HookExplanation| {
                let trusted = is_trusted(built, &one);
                (one, trusted)
            };
            let found = explain(&hooks, &event).into_iter().map(with_trust).collect();
            explained.push(EventExplanations { event, hooks: found });
        }
        let others = split_others(&mut explained);
        if global.json {
            let json = |one: &EventExplanations| {
                let hooks = one.hooks.iter().map(|(hook, trusted)| explanation_to_json(hook, *trusted));
                json!({"event": one.event.name, "hooks": hooks.collect::<Vec<_>>()})
            };
            terminal.print_json(&json!({
                "host": call.host.name,
                "event": call.event_def.name,
                "payload": payload.value,
                "fires": explained.iter().map(json).collect::<Vec<Value>>(),
            }));
            return Ok(CliStatus::Done);
        }
        let head = format!("{} {}", call.host.title, call.event_def.name);
        let mut lines = vec![StyledLine::new(Tone::Plain, head)];
        for EventExplanations { event, hooks } in explained {
            lines.push(event_line(&event, false));
            lines.extend(render_explanations(&hooks, self.all));
        }
        if lines.len() == 1 {
            lines.push(StyledLine::new(Tone::Quiet, "no hook listens to an event of this payload"));
        }
        lines.extend(render_explanations(&others, self.all));
        terminal.print_lines(&lines);
        Ok(CliStatus::Done)
    }
}

/// Leaves each event its own hooks, and returns those of events that are not fired.
fn split_others(explained: &mut [EventExplanations]) -> Vec<(HookExplanation, bool)> {
    let fired: Vec<_> = explained.iter().map(|one| one.event.name.clone()).collect();
    let mut others = explained.first().map_or_else(Vec::new, |one| one.hooks.clone());
    others.retain(|(hook, _)| !fired.contains(&hook.event));
    for EventExplanations { event, hooks } in explained {
        hooks.retain(|(hook, _)| hook.event == event.name);
    }
    others
}
