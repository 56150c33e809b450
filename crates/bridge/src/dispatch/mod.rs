//! Fires the canonical events of one host call, and combines their outcomes into one decision.

mod life;
mod lifecycle;
mod result;
mod tool;

use std::path::Path;
use std::sync::Arc;

use pintle_host::contract::VerdictKind;
use pintle_host::event::{ContextScope, EventClass, EventDef, EventPayload, HostPayload, LogLine};
use pintle_host::lifecycle::ToolCallRequest;
use pintle_host::loader::PolicyPaths;
use pintle_host::tools::ToolVocabulary;
use pintle_host::{Decision, Effect, Event, EventKind, EventName, EventScope, FailurePolicy, Origin, Outcome, Runtime};
use pintle_host::{is_matcher_failure_warning, is_untrusted_claim};
use serde_json::Value;

use crate::ActionSupport;
use crate::session::TrackedState;
use crate::{HostDecision, HostDef, HostEventContext, HostEventData, HostEventDef, HostToolCall};

/// One host call while its events are fired.
pub(crate) struct HostDispatch<'a> {
    pub(crate) host: &'static HostDef,
    pub(crate) event_def: &'static HostEventDef,
    pub(crate) event_context: &'a HostEventContext,
    /// The payload as the host sent it.
    pub(crate) payload: &'a Value,
    pub(crate) runtime: &'a Runtime,
    pub(crate) scope: &'a EventScope,
    /// The verdicts of each hook on the call so far.
    pub(crate) origin: Arc<Origin>,
    pub(crate) state: &'a mut TrackedState,
    pub(crate) now_ms: u64,
    /// The policy files, and the directory to which paths in calls are relative.
    pub(crate) paths: &'a PolicyPaths<'a>,
    /// The state directory, which holds the pause of self-protection.
    pub(crate) state_directory: Option<&'a Path>,
    /// Whether decisions are only recorded and not enforced.
    pub(crate) shadow: bool,
    pub(crate) decision: HostDecision,
}

impl HostDispatch<'_> {
    /// Fires all events of a host event.
    /// The input of a call is taken from it.
    pub(crate) fn fire_all(mut self, data: &mut HostEventData) -> HostDecision {
        let def = self.event_def;
        match data {
            HostEventData::BeforeTool(call) if def.fires.contains(&EventKind::PermissionAsk) => {
                tool::fire_permission(&mut self, call)
            }
            HostEventData::BeforeTool(call) => tool::fire(&mut self, call),
            HostEventData::AfterTool { .. } => result::fire(&mut self, data),
            moment => lifecycle::fire(&mut self, moment),
        }
        if self.can_tell_model() && self.event_context.run.is_empty() {
            self.state.deliver_pending_context();
        }
        self.decision
    }

    /// Whether this event can pass text to the model.
    fn can_tell_model(&self) -> bool {
        matches!(self.event_def.support.context, ActionSupport::Supported | ActionSupport::Approximated(_))
    }

    /// The host's tool vocabulary at this event.
    fn tools(&self) -> &'static ToolVocabulary {
        self.event_def.tools.unwrap_or(self.host.tools)
    }

    /// Whether a hook listens to a canonical event that this host event fires.
    fn has_listeners(&self, kind: EventKind) -> bool {
        self.event_def.fires.contains(&kind) && self.has_any_listener(kind)
    }

    /// Whether a hook listens to a canonical event.
    fn has_any_listener(&self, kind: EventKind) -> bool {
        self.runtime.listens(&kind.into(), self.scope)
    }

    /// The tool-call event that is fired even without listeners, so that the call is recorded on the tape.
    fn always_fired_event(&self) -> EventKind {
        if self.event_def.fires.contains(&EventKind::PermissionAsk) {
            EventKind::PermissionAsk
        } else {
            EventKind::ToolPre
        }
    }

    /// Fires a catalogue event, and applies the effects of the outcome.
    fn fire<P: EventPayload>(&mut self, payload: &P) -> Outcome {
        self.fire_event(&Event::from_payload(payload, Arc::clone(&self.origin)))
    }

    fn fire_event(&mut self, event: &Event) -> Outcome {
        self.fire_event_in(event, self.scope)
    }

    fn fire_event_in(&mut self, event: &Event, scope: &EventScope) -> Outcome {
        let outcome = self.runtime.fire_in(event, scope);
        self.apply_effects(event.name.def(), &outcome);
        outcome
    }

    /// Applies a decision. Returns whether the next event is fired.
    fn apply_outcome(&mut self, outcome: &Outcome) -> bool {
        match outcome.decision {
            Decision::Allow => true,
            Decision::Ask => {
                self.ask(&outcome.reason());
                true
            }
            Decision::Deny => {
                if let Some(reason) = outcome.stop_reason() {
                    self.end_run(reason);
                }
                // Before an action, a hook that ends the run also blocks the action.
                if outcome.denies_event() || self.event_def.is_guard {
                    self.deny(outcome.reason());
                }
                false
            }
        }
    }

    fn deny(&mut self, reason: String) {
        self.decision.decision = Decision::Deny;
        self.decision.reason = reason;
    }

    fn ask(&mut self, reason: &str) {
        let ruling = &mut self.decision;
        if ruling.decision == Decision::Deny {
            return;
        }
        if ruling.decision == Decision::Ask && !ruling.reason.contains(reason) {
            ruling.reason.push_str("; ");
            ruling.reason.push_str(reason);
        } else if ruling.decision == Decision::Allow {
            ruling.decision = Decision::Ask;
            reason.clone_into(&mut ruling.reason);
        }
    }

    /// Ends the run. If the host cannot end it, the rest of the turn is denied; if nothing is left to deny, nothing
    /// happens.
    fn end_run(&mut self, reason: String) {
        let reason = if reason.trim().is_empty() { String::from("a hook ended the run") } else { reason };
        if matches!(self.event_def.support.stop, ActionSupport::Supported | ActionSupport::Approximated(_)) {
            let reason = reason.clone();
            self.state.change_turn(move |state| state.turn_stop_reason = Some(reason.clone()));
        }
        self.decision.stop = Some(reason);
    }

    /// Applies the effects of an outcome.
    fn apply_effects(&mut self, def: &EventDef, outcome: &Outcome) {
        for (hook, effect) in &outcome.effects {
            match effect {
                // What a hook says of a call is news, also if it said the same of another one.
                Effect::Context(text) if def.is_about_tool_call() && def.context != ContextScope::None => {
                    self.add_context(ContextScope::Call, text);
                }
                Effect::Context(text) => self.add_context(def.context, text),
                // The bridge cannot remove text from another program's conversation, so the lifetime is ignored.
                Effect::Reminder(reminder) if reminder.ttl_turns.is_some() => {
                    self.add_context(ContextScope::Turn, &reminder.body);
                }
                Effect::Reminder(reminder) => self.add_context(ContextScope::Persistent, &reminder.body),
                Effect::Notice(text) => self.decision.notices.push(text.clone()),
                Effect::Summary(text) => self.decision.output = Some(Value::from(text.as_str())),
                Effect::Log { level, message } => {
                    let line =
                        pintle_host::ScriptLogLine { level: *level, hook: hook.to_string(), message: message.clone() };
                    self.scope.logs.push(line);
                }
                Effect::Delegate(_) => {
                    let title = self.host.title;
                    let text = format!(
                        "pintle: hook \"{}\" wants to delegate to another agent, which {title} does not support",
                        hook.label()
                    );
                    self.decision.notices.push(text);
                }
                _ => {}
            }
        }
        for report in &outcome.failures {
            if report.policy == FailurePolicy::Open {
                let text = format!(
                    "pintle: hook \"{}\" failed and was skipped: {}",
                    report.hook.label(),
                    report.failure.message
                );
                self.decision.notices.push(text);
            }
        }
        for warning in &outcome.warnings {
            let text = match &warning.message {
                message if is_matcher_failure_warning(message) => {
                    format!("pintle: hook \"{}\" was {message}", warning.hook.label())
                }
                message if is_untrusted_claim(message) => {
                    format!("pintle: hook \"{}\": {message}", warning.hook.label())
                }
                _ => continue,
            };
            // Its `when` may fail on every call; the user is told once.
            self.state.send_notice_once("", &text);
            self.decision.notices.push(text);
        }
        for shadow in &outcome.shadow {
            let would = match &shadow.verdict.kind {
                VerdictKind::Deny { reason } => format!("would have denied this: {reason}"),
                VerdictKind::Ask { reason } => format!("would have asked: {reason}"),
                VerdictKind::Rewrite(_) => String::from("would have changed this"),
                VerdictKind::Failed(failure) => format!("failed: {}", failure.message),
                VerdictKind::Pass | VerdictKind::Allow { .. } => continue,
            };
            self.decision.notices.push(format!("pintle, in shadow mode: hook \"{}\" {would}", shadow.hook.label()));
        }
    }

    /// Adds text for the model, unless the model already has it. Text for one turn stays in the host's conversation
    /// anyway, so it is added once per turn.
    fn add_context(&mut self, scope: ContextScope, text: &str) {
        if scope == ContextScope::None || text.is_empty() {
            return;
        }
        if let ActionSupport::Deferred(_) = self.event_def.support.context {
            let text = text.to_owned();
            self.state.change(move |state| state.pending_context.push(text.clone()));
            return;
        }
        if self.decision.context.iter().any(|given| given == text) {
            return;
        }
        self.decision.context.push(text.to_owned());
        if scope != ContextScope::Call && self.can_tell_model() {
            self.state.send_context_once(&self.event_context.run, text, scope == ContextScope::Turn);
        }
    }

    /// Removes and returns the log lines of the turn, with those of this call.
    fn take_logs(&mut self) -> Vec<LogLine> {
        let mut lines = self.state.take_logs();
        lines.extend(self.scope.logs.take_lines().into_iter().map(LogLine::from));
        lines
    }

    /// A call as the hooks get it. Its input is taken, because it may be long.
    fn take_request(&self, call: &mut HostToolCall) -> ToolCallRequest {
        ToolCallRequest {
            permission_mode: self.event_context.permission_mode.clone(),
            cwd: Some(self.event_context.cwd.clone()).filter(|cwd| !cwd.is_empty()),
            host: Some(self.host_payload()),
            paths: self.runtime.path_resolver(self.paths.project()),
            ..ToolCallRequest::new(call.id.clone(), self.tools(), call.name.clone(), std::mem::take(&mut call.input))
        }
    }

    /// The original host data for the payload of an event.
    fn host_payload(&self) -> HostPayload {
        HostPayload {
            client: self.host.name.to_owned(),
            event: self.event_def.name.to_owned(),
            input: None,
            response: None,
            transcript_path: self.event_context.transcript_path.clone(),
            permission_mode: self.event_context.permission_mode.clone(),
            turn_id: self.event_context.turn_id.clone(),
            model: self.event_context.model.clone(),
        }
    }

    /// Whether an event of this host call is fired. One without listeners is only if the session's tape would be
    /// incomplete without it, because hooks could have prevented an action.
    fn is_fired(&self, name: &EventName) -> bool {
        name.def().class == EventClass::Guard || self.runtime.listens(name, self.scope)
    }

    /// The time since a start in milliseconds; 0 if the start is unknown.
    fn elapsed_ms(&self, began_ms: u64) -> u64 {
        if began_ms == 0 { 0 } else { self.now_ms.saturating_sub(began_ms) }
    }
}
