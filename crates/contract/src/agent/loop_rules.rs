//! How the agent loop treats an agent, where the systems that agents are declared for differ.

use crate::{EventKind, Outcome};

/// How the agent loop treats an agent, where the systems that agents are declared for differ. A dialect supplies the
/// rules of its own system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopRules {
    /// Whether the events of a team, such as `agent.switch`, fire even if no hook listens. Default false.
    pub fires_team_events: bool,
    /// Whether `prompt.submit` fires for messages that the user sends during a turn, which have events of their own.
    /// Default true.
    pub submits_steering: bool,
    /// Whether a turn that a hook ends by denying is reported with `error`. Default false.
    pub reports_denials: bool,
    /// Whether a delegated task and a cleared conversation are sessions of their own, with `session.start` and
    /// `session.end`. Default false.
    pub has_own_sessions: bool,
    /// The name of the vocabulary of its agents' tools. Default: the one of Pintle's own that has most of a call's names.
    pub tool_vocabulary: Option<&'static str>,
    /// The texts about denials.
    pub wording: RefusalWording,
}

impl Default for LoopRules {
    fn default() -> Self {
        Self {
            fires_team_events: false,
            submits_steering: true,
            reports_denials: false,
            has_own_sessions: false,
            tool_vocabulary: None,
            wording: RefusalWording::default(),
        }
    }
}

/// The texts about what a hook denied. `{reason}` stands for the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusalWording {
    /// The result of a denied tool call. `{event}` stands for the event at which it was denied.
    pub call: &'static str,
    /// The same if no hook gave a reason.
    pub call_without_reason: &'static str,
    /// The names of events in these texts, by event; any other event keeps its name.
    pub event_names: &'static [(EventKind, &'static str)],
    /// The result of a call that is skipped because a hook ended the run.
    pub skipped_call: &'static str,
    /// The message of a turn that ends because a hook denied; `{subject}` stands for what it denied.
    pub turn: &'static str,
    /// Whether the reason is the hooks' own texts and nothing else. Otherwise the model only learns of a failed hook
    /// that a check failed, and the message of a turn names the hooks.
    pub quotes_hooks: bool,
}

impl Default for RefusalWording {
    fn default() -> Self {
        Self {
            call: "tool blocked: {reason}",
            call_without_reason: "tool blocked: denied by policy",
            event_names: &[],
            skipped_call: "The tool call was skipped because a hook ended the run.",
            turn: "{subject} blocked: {reason}",
            quotes_hooks: false,
        }
    }
}

impl RefusalWording {
    /// The result of a tool call that hooks of an event denied.
    #[must_use]
    pub fn call_denied_by(&self, event: Option<EventKind>, outcome: &Outcome) -> String {
        let reason = if self.quotes_hooks { outcome.hook_texts() } else { outcome.reason_for_model() };
        self.call_denied_for(event, &reason)
    }

    /// The result of a tool call that was denied at an event for this reason, which may be empty.
    #[must_use]
    pub fn call_denied_for(&self, event: Option<EventKind>, reason: &str) -> String {
        let renamed =
            |kind: EventKind| self.event_names.iter().find(|(known, _)| *known == kind).map(|(_, name)| *name);
        let name = event.map_or("", |kind| renamed(kind).unwrap_or(kind.name()));
        let text = if reason.is_empty() { self.call_without_reason } else { self.call };
        text.replace("{event}", name).replace("{reason}", reason)
    }

    /// The message of a turn that ends because hooks denied `subject`.
    #[must_use]
    pub fn turn_denied_by(&self, subject: &str, outcome: &Outcome) -> String {
        self.fill_turn(subject, outcome, Outcome::reason)
    }

    /// The same for the model of another agent, which learns why and not from which hook.
    #[must_use]
    pub fn turn_denied_for_model(&self, subject: &str, outcome: &Outcome) -> String {
        self.fill_turn(subject, outcome, Outcome::reason_for_model)
    }

    fn fill_turn(&self, subject: &str, outcome: &Outcome, reason: fn(&Outcome) -> String) -> String {
        let reason = if self.quotes_hooks { outcome.denial_text() } else { reason(outcome) };
        self.turn.replace("{subject}", subject).replace("{reason}", &reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decision, HookId, OutcomeReason};

    fn denied(texts: &[&str]) -> Outcome {
        let reasons = texts.iter().map(|text| OutcomeReason::new(HookId::new("guard"), *text)).collect();
        Outcome {
            decision: Decision::Deny,
            reasons,
            ..Outcome::unchanged(crate::Payload::new(serde_json::Value::Null))
        }
    }

    #[test]
    fn texts_name_the_event_and_the_reason() {
        let plain = RefusalWording::default();
        let quoting = RefusalWording {
            call: "{event} says no: {reason}",
            call_without_reason: "{event} says no",
            event_names: &[(EventKind::ToolPre, "before_tool")],
            turn: "{reason}",
            quotes_hooks: true,
            ..plain
        };
        let (two, none) = (denied(&["one", " ", "two"]), denied(&[""]));
        assert_eq!(plain.call_denied_by(Some(EventKind::ToolPre), &two), "tool blocked: one; two");
        assert_eq!(plain.call_denied_by(Some(EventKind::ToolPre), &none), "tool blocked: denied by policy");
        assert_eq!(plain.turn_denied_by("prompt", &none), "prompt blocked: blocked by hook \"guard\"");
        assert_eq!(quoting.call_denied_by(Some(EventKind::ToolPre), &two), "before_tool says no: one\ntwo");
        assert_eq!(quoting.call_denied_by(Some(EventKind::ToolGuard), &none), "tool.guard says no");
        assert_eq!(quoting.turn_denied_by("prompt", &two), "one\ntwo");
        assert_eq!(quoting.turn_denied_by("prompt", &none), "Agent terminated by a hook.");
    }
}
