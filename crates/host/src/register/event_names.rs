//! The events of Harn's surfaces as enums, instead of text.

use std::fmt;
use std::str::FromStr;

use pintle_contract::event::UnknownEvent;
use pintle_contract::suggest_nearest;

/// A session event of Harn.
///
/// It parses from both of its names, `"user_prompt_submit"` and `"UserPromptSubmit"`, and prints the second one.
///
/// ```
/// use pintle_host::SessionEvent;
///
/// let event: SessionEvent = "user_prompt_submit".parse()?;
/// assert_eq!(event, SessionEvent::UserPromptSubmit);
/// assert_eq!(event.to_string(), "UserPromptSubmit");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionEvent {
    /// A session starts.
    SessionStart,
    /// A session is over.
    SessionEnd,
    /// The user's prompt is about to enter the conversation. Hooks can block it.
    UserPromptSubmit,
    /// The conversation is about to be compacted. Hooks can block the compaction.
    PreCompact,
    /// The conversation has been compacted.
    PostCompact,
    /// A model response and its tool calls have been recorded.
    PostTurn,
    /// The user is about to be prompted for permission to run a tool call. Hooks can decide instead.
    PermissionAsked,
    /// The permission to run a tool call has been granted or denied.
    PermissionReplied,
    /// A file has been changed.
    FileEdited,
    /// A session ends abnormally.
    SessionError,
    /// An agent is idle and waits for work.
    SessionIdle,
    /// A run is about to finish.
    PreFinish,
    /// A run is about to finish with work still pending.
    OnUnsettledDetected,
    /// A run has finished.
    PostFinish,
}

/// Each event with its two names, and an alias where Harn has one.
const SESSION: &[(SessionEvent, &str, &str)] = &[
    (SessionEvent::SessionStart, "SessionStart", "session_start"),
    (SessionEvent::SessionEnd, "SessionEnd", "session_end"),
    (SessionEvent::UserPromptSubmit, "UserPromptSubmit", "user_prompt_submit"),
    (SessionEvent::PreCompact, "PreCompact", "pre_compact"),
    (SessionEvent::PostCompact, "PostCompact", "post_compact"),
    (SessionEvent::PostTurn, "PostTurn", "post_turn"),
    (SessionEvent::PermissionAsked, "PermissionAsked", "permission_asked"),
    (SessionEvent::PermissionReplied, "PermissionReplied", "permission_replied"),
    (SessionEvent::FileEdited, "FileEdited", "file_edited"),
    (SessionEvent::SessionError, "SessionError", "session_error"),
    (SessionEvent::SessionError, "SessionError", "error"),
    (SessionEvent::SessionIdle, "SessionIdle", "session_idle"),
    (SessionEvent::PreFinish, "PreFinish", "pre_finish"),
    (SessionEvent::OnUnsettledDetected, "OnUnsettledDetected", "on_unsettled_detected"),
    (SessionEvent::PostFinish, "PostFinish", "post_finish"),
];

impl SessionEvent {
    /// All session events, in the order of Harn's table.
    pub fn all() -> impl Iterator<Item = Self> {
        SESSION.iter().filter(|(.., spelling)| *spelling != "error").map(|(event, ..)| *event)
    }
}

impl fmt::Display for SessionEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = SESSION.iter().find(|(event, ..)| event == self).map_or("", |(_, name, _)| *name);
        f.write_str(name)
    }
}

impl FromStr for SessionEvent {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        let known = SESSION.iter().find(|(_, name, spelling)| [*name, *spelling].contains(&text));
        known.map(|(event, ..)| *event).ok_or_else(|| {
            let names = SESSION.iter().flat_map(|(_, name, spelling)| [*spelling, *name]);
            UnknownEvent { name: text.to_owned(), suggestion: suggest_nearest(text, names) }
        })
    }
}

/// An event of a persona or of one of its steps in Harn.
///
/// ```
/// use pintle_host::PersonaEvent;
///
/// assert_eq!("OnBudgetThreshold(80)".parse(), Ok(PersonaEvent::OnBudgetThreshold(80.0)));
/// assert_eq!(PersonaEvent::OnBudgetThreshold(80.0).to_string(), "OnBudgetThreshold(80)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PersonaEvent {
    /// A step is about to run. Hooks can deny it and change its arguments.
    PreStep,
    /// A step has finished. Hooks can change its output.
    PostStep,
    /// An approval request is about to be sent to the user.
    OnApprovalRequested,
    /// Work has been handed over.
    OnHandoffEmitted,
    /// A persona has been paused.
    OnPersonaPaused,
    /// A persona has been resumed.
    OnPersonaResumed,
    /// A budget has reached this percentage.
    OnBudgetThreshold(f64),
}

const PERSONA: &[(PersonaEvent, &str)] = &[
    (PersonaEvent::PreStep, "PreStep"),
    (PersonaEvent::PostStep, "PostStep"),
    (PersonaEvent::OnApprovalRequested, "OnApprovalRequested"),
    (PersonaEvent::OnHandoffEmitted, "OnHandoffEmitted"),
    (PersonaEvent::OnPersonaPaused, "OnPersonaPaused"),
    (PersonaEvent::OnPersonaResumed, "OnPersonaResumed"),
];

impl fmt::Display for PersonaEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnBudgetThreshold(percent) => write!(f, "OnBudgetThreshold({percent})"),
            plain => f.write_str(PERSONA.iter().find(|(event, _)| event == plain).map_or("", |(_, name)| *name)),
        }
    }
}

impl FromStr for PersonaEvent {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        if let Some((event, _)) = PERSONA.iter().find(|(_, name)| *name == text) {
            return Ok(*event);
        }
        let percent = text.strip_prefix("OnBudgetThreshold(").and_then(|rest| rest.strip_suffix(')'));
        let percent = percent.and_then(|percent| percent.trim().parse::<f64>().ok());
        match percent.filter(|percent| percent.is_finite() && *percent > 0.0) {
            Some(percent) => Ok(Self::OnBudgetThreshold(percent)),
            None => {
                let names = PERSONA.iter().map(|(_, name)| *name).chain(["OnBudgetThreshold(80)"]);
                Err(UnknownEvent { name: text.to_owned(), suggestion: suggest_nearest(text, names) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_event_reads_from_both_spellings_and_prints_one() {
        for (event, name, spelling) in SESSION {
            assert_eq!((name.parse(), spelling.parse()), (Ok(*event), Ok(*event)));
            assert_eq!(event.to_string(), *name);
        }
        assert_eq!(SessionEvent::all().count(), 14);
        let error = "user_promt_submit".parse::<SessionEvent>().unwrap_err();
        assert_eq!(error.to_string(), "unknown event `user_promt_submit`; did you mean `user_prompt_submit`?");
    }

    #[test]
    fn persona_events_round_trip_as_text_and_thresholds_need_a_percentage() {
        let threshold = PersonaEvent::OnBudgetThreshold(87.5);
        for event in PERSONA.iter().map(|(event, _)| *event).chain([threshold]) {
            assert_eq!(event.to_string().parse(), Ok(event));
        }
        for odd in ["OnBudgetThreshold", "OnBudgetThreshold(abc)", "OnBudgetThreshold(0)", "OnBudgetThreshold(-1)"] {
            assert!(odd.parse::<PersonaEvent>().is_err(), "{odd}");
        }
        assert_eq!("PreSetp".parse::<PersonaEvent>().unwrap_err().suggestion, Some("PreStep"));
    }
}
