//! Firing the canonical events of one call of a host, and composing what their hooks say into one ruling.

mod gate;
mod plain;
mod result;
mod tool;

use std::sync::Arc;

use pintle::dialects::tools::ToolVocabulary;
use pintle::event::{ContextScope, EventClass, EventDef as EventRow, EventPayload, HostPayload};
use pintle::loader::PolicyPaths;
use pintle::{
    Decision, Effect, Event, EventName, EventScope, FailurePolicy, Origin, Outcome, RecheckMemory, Runtime,
    VerdictKind, is_matcher_failure_warning, is_untrusted_claim,
};
use serde_json::Value;

use crate::ability::Ability;
use crate::session::State;
use crate::{Call, Host, Moment, Row, Ruling, Told, Whose};

/// One call of a host, while its events are fired.
pub(crate) struct Hearing<'a> {
    pub(crate) host: &'static Host,
    pub(crate) row: &'static Row,
    pub(crate) whose: &'a Whose,
    /// The payload as the host sent it.
    pub(crate) payload: &'a Value,
    pub(crate) runtime: &'a Runtime,
    pub(crate) scope: &'a EventScope,
    /// What each hook did about the call so far.
    pub(crate) memory: &'a RecheckMemory,
    pub(crate) origin: Arc<Origin>,
    pub(crate) state: &'a mut State,
    pub(crate) now_ms: u64,
    /// Where the paths of calls are seen from, and which files hold policy.
    pub(crate) paths: &'a PolicyPaths<'a>,
    /// Whether nothing is enforced.
    pub(crate) shadow: bool,
    pub(crate) ruling: Ruling,
}

impl Hearing<'_> {
    /// Fires everything that a moment is about.
    pub(crate) fn hear(mut self, told: &Told) -> Ruling {
        let row = self.row;
        match &told.moment {
            Moment::BeforeTool(call) if row.fires.contains(&"permission.ask") => tool::hear_permission(&mut self, call),
            Moment::BeforeTool(call) => tool::hear(&mut self, call),
            Moment::AfterTool { .. } => result::hear(&mut self, &told.moment),
            moment => plain::hear(&mut self, moment),
        }
        if self.tells_model() && self.whose.run.is_empty() {
            for text in std::mem::take(&mut self.state.waiting) {
                self.context(ContextScope::Turn, &text);
            }
        }
        let mut told = std::collections::BTreeSet::new();
        self.ruling.notices.retain(|notice| told.insert(notice.clone()));
        self.ruling
    }

    /// Whether the model can be told something at this event.
    fn tells_model(&self) -> bool {
        matches!(self.row.can.context, Ability::Does | Ability::Nearly(_))
    }

    /// How the host calls its tools at this event.
    fn tools(&self) -> &'static ToolVocabulary {
        self.row.tools.unwrap_or(self.host.tools)
    }

    /// Whether a hook listens to an event of this row.
    fn listens(&self, event: &str) -> bool {
        self.row.fires.contains(&event) && self.hears(event)
    }

    /// Whether a hook listens to an event, whatever the row is about.
    fn hears(&self, event: &str) -> bool {
        EventName::parse(event).is_ok_and(|name| self.runtime.listens(&name, self.scope))
    }

    /// The event of a tool call that is fired whether a hook listens or not, so that the call is on the tape.
    fn told_event(&self) -> &'static str {
        if self.row.fires.contains(&"permission.ask") { "permission.ask" } else { "tool.pre" }
    }

    /// Fires an event with a payload of the catalogue, and takes over what comes with the hooks' answers.
    fn fire<P: EventPayload>(&mut self, payload: &P) -> Outcome {
        self.fire_event(&Event::from_payload(payload, Arc::clone(&self.origin)))
    }

    fn fire_event(&mut self, event: &Event) -> Outcome {
        let outcome = self.runtime.fire_in(event, self.scope);
        self.take(event.name.def(), &outcome);
        outcome
    }

    /// Takes over a decision. Gives whether the next event is fired.
    fn settle(&mut self, outcome: &Outcome) -> bool {
        match outcome.decision {
            Decision::Allow => true,
            Decision::Ask => {
                self.ask(&outcome.reason());
                true
            }
            Decision::Deny => {
                if let Some(why) = outcome.stop_reason() {
                    self.end(why);
                }
                // Before something happens, a hook that ends the run keeps it from happening too.
                if outcome.denies_event() || self.row.guards {
                    self.deny(outcome.reason());
                }
                false
            }
        }
    }

    fn deny(&mut self, reason: String) {
        self.ruling.decision = Decision::Deny;
        self.ruling.reason = reason;
    }

    fn ask(&mut self, reason: &str) {
        let ruling = &mut self.ruling;
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

    /// The run ends. Where the host cannot end it, the rest of the turn is refused; where nothing is left, nothing is.
    fn end(&mut self, why: String) {
        let why = if why.trim().is_empty() { String::from("a hook ended the run") } else { why };
        if matches!(self.row.can.stop, Ability::Does | Ability::Nearly(_)) {
            self.state.stopped = Some(why.clone());
        }
        self.ruling.stop = Some(why);
    }

    /// Takes over what comes with an outcome besides the decision.
    fn take(&mut self, row: &EventRow, outcome: &Outcome) {
        for (hook, effect) in &outcome.effects {
            match effect {
                Effect::Context(text) => self.context(row.context, text),
                // How long it stays is not for us to say in a conversation of another program.
                Effect::Reminder(reminder) if reminder.ttl_turns.is_some() => {
                    self.context(ContextScope::Turn, &reminder.body);
                }
                Effect::Reminder(reminder) => self.context(ContextScope::Persistent, &reminder.body),
                Effect::Notice(text) => self.ruling.notices.push(text.clone()),
                Effect::Summary(text) => self.ruling.output = Some(Value::from(text.as_str())),
                Effect::Log { level, message } => {
                    let line =
                        pintle::ScriptLogLine { level: *level, hook: hook.to_string(), message: message.clone() };
                    self.scope.logs.push(line);
                }
                Effect::Delegate(_) => {
                    let title = self.host.title;
                    let text = format!(
                        "pintle: hook \"{hook}\" wants another agent to do this, and {title} has no way for that"
                    );
                    self.ruling.notices.push(text);
                }
                _ => {}
            }
        }
        for report in &outcome.failures {
            if report.policy == FailurePolicy::Open {
                let text =
                    format!("pintle: hook \"{}\" failed and was passed over: {}", report.hook, report.failure.message);
                self.ruling.notices.push(text);
            }
        }
        for warning in &outcome.warnings {
            let text = match &warning.message {
                message if is_matcher_failure_warning(message) => {
                    format!("pintle: hook \"{}\" was {message}", warning.hook)
                }
                message if is_untrusted_claim(message) => format!("pintle: hook \"{}\": {message}", warning.hook),
                _ => continue,
            };
            // Its `when` may fail on every call; who works here is told once.
            if self.state.gives("", &text, false) {
                self.ruling.notices.push(text);
            }
        }
        for shadow in &outcome.shadow {
            let would = match &shadow.verdict.kind {
                VerdictKind::Deny { reason } => format!("would have denied this: {reason}"),
                VerdictKind::Ask { reason } => format!("would have asked: {reason}"),
                VerdictKind::Rewrite(_) => String::from("would have changed this"),
                VerdictKind::Failed(failure) => format!("failed: {}", failure.message),
                VerdictKind::Pass | VerdictKind::Allow { .. } => continue,
            };
            self.ruling.notices.push(format!("pintle, in shadow mode: hook \"{}\" {would}", shadow.hook));
        }
    }

    /// A text for the model, unless it has it. What is for one turn stays in the host's conversation all the same, and is
    /// given once a turn.
    fn context(&mut self, scope: ContextScope, text: &str) {
        let heard = self.tells_model();
        if let Ability::Later(_) = self.row.can.context
            && scope != ContextScope::None
            && !text.is_empty()
        {
            self.state.waiting.push(text.to_owned());
            return;
        }
        let is_new = match scope {
            ContextScope::None => return,
            ContextScope::Call => true,
            ContextScope::Turn => !heard || self.state.gives(&self.whose.run, text, true),
            ContextScope::Persistent => !heard || self.state.gives(&self.whose.run, text, false),
        };
        if is_new && !text.is_empty() && !self.ruling.context.iter().any(|given| given == text) {
            self.ruling.context.push(text.to_owned());
        }
    }

    /// What the host said in its own words, for the payload of an event.
    fn said(&self, call: Option<&Call>) -> HostPayload {
        HostPayload {
            client: self.host.name.to_owned(),
            event: self.row.name.to_owned(),
            tool: call.map(|call| call.name.clone()),
            input: call.map(|call| call.input.clone()),
            response: None,
            transcript_path: self.whose.transcript_path.clone(),
            permission_mode: self.whose.permission_mode.clone(),
            turn_id: self.whose.turn_id.clone(),
            model: self.whose.model.clone(),
        }
    }

    /// Whether an event's hooks can keep something from happening.
    fn is_guard(name: &EventName) -> bool {
        name.def().class == EventClass::Guard
    }
}
