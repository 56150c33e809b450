//! Events: the points of an agent's life, and what a host says about them.

use std::fmt;
use std::sync::Arc;

use pintle_host::EventKind;
use pintle_host::event::check_payload;
use serde_json::Value;

/// A type of event: one of the types in [`events`](crate::events). The trait is sealed.
pub trait EventType: private::CatalogueEvent + 'static {}

/// An event about a tool call: it has the tool's name and arguments.
pub trait ToolEvent: EventType {}

mod private {
    pub trait CatalogueEvent {
        const KIND: pintle_host::EventKind;
    }
}

pub(crate) fn kind_of<E: EventType>() -> EventKind {
    E::KIND
}

macro_rules! events {
    ($($name:ident),* $(,)?) => {
        /// The types of events. The event reference, `docs/reference/events.md` in the repository, says when each fires,
        /// what its payload has and what a deny means.
        pub mod events {
            $(
                #[doc = concat!("The event type `", stringify!($name), "`, for [`Hook::on`](crate::Hook::on) and ",
                    "[`Event::new`](crate::Event::new).")]
                #[derive(Debug, Clone, Copy)]
                pub struct $name(());

                impl super::private::CatalogueEvent for $name {
                    const KIND: pintle_host::EventKind = pintle_host::EventKind::$name;
                }

                impl super::EventType for $name {}
            )*

            #[cfg(test)]
            pub(super) const KINDS: &[pintle_host::EventKind] = &[$(pintle_host::EventKind::$name),*];
        }
    };
}

events! {
    WorktreeCreate, SessionStart, SessionResume, PromptSubmit, PromptSteer, PromptFollowup, TurnStart, IterationStart,
    CompletionPre, CompletionPost, ToolTransform, ToolGuard, ToolPre, PermissionAsk, ApprovalRequested,
    PermissionReply, ToolResult, ToolPost, ToolBatch, FileEdited, DelegationPre, DelegationPost, DelegationPostVerify,
    HandoffEmitted, AgentSwitch, PersonaPaused, PersonaResumed, StepPre, StepPost, BudgetThreshold, LimitIterations,
    IterationPost, IterationEnd, CompactPre, CompactBefore, CompactPost, AgentStop, TurnEnd, FinishPre,
    FinishUnsettled, FinishPost, UserInput, Notification, SessionIdle, Error, SessionError, SessionEnd, Custom, Meta,
}

impl ToolEvent for events::ToolTransform {}
impl ToolEvent for events::ToolGuard {}
impl ToolEvent for events::ToolPre {}
impl ToolEvent for events::PermissionAsk {}
impl ToolEvent for events::PermissionReply {}
impl ToolEvent for events::ToolResult {}
impl ToolEvent for events::ToolPost {}

/// A point in an agent's life, with its data.
#[derive(Debug, Clone)]
pub struct Event(pub(crate) pintle_host::Event);

impl Event {
    /// Creates an event. Fields that a payload may omit are filled in; what the catalogue does not allow is an error.
    ///
    /// ```
    /// use pintle::{Event, events::PromptSubmit};
    ///
    /// let event = Event::new::<PromptSubmit>(serde_json::json!({"prompt": "tidy up"}))?;
    /// assert_eq!(event.name(), "prompt.submit");
    /// # Ok::<(), pintle::EventError>(())
    /// ```
    ///
    /// # Errors
    /// When the payload does not fit the event.
    pub fn new<E: EventType>(payload: Value) -> Result<Self, EventError> {
        Self::checked(E::KIND.into(), payload)
    }

    /// Creates an event by its name, such as `tool.pre` or `custom.deploy`.
    ///
    /// # Errors
    /// When the catalogue has no such event, or the payload does not fit it.
    pub fn named(name: &str, payload: Value) -> Result<Self, EventError> {
        let name = pintle_host::EventName::parse(name).map_err(|error| EventError(error.to_string()))?;
        Self::checked(name, payload)
    }

    fn checked(name: pintle_host::EventName, mut payload: Value) -> Result<Self, EventError> {
        let completed = name.complete(&mut payload).and_then(|()| check_payload(&name, &payload));
        completed.map_err(|error| EventError(error.to_string()))?;
        Ok(Self(pintle_host::Event::new(name, payload, Arc::default())))
    }

    /// Sets the session, turn and agent of the event. Default: none of them is named.
    #[must_use]
    pub fn origin(mut self, origin: &Origin) -> Self {
        self.0.origin = origin.shared();
        self
    }

    /// The name of the event, such as `tool.pre`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name.as_str()
    }

    /// The data of the event.
    #[must_use]
    pub fn payload(&self) -> &Value {
        self.0.payload.value()
    }

    /// What matchers look at first, such as the name of a tool; `None` if the event has none.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.0.subject()
    }
}

/// The reason why a payload is not one of its event. Its text says which field and what it should be.
#[derive(Clone, PartialEq, Eq)]
pub struct EventError(pub(crate) String);

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EventError {}

/// The session, turn and agent that an event belongs to. Hooks read them, and the tape has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin(pintle_host::Origin);

impl Origin {
    /// The origin of a session.
    pub fn session(id: impl Into<String>) -> Self {
        Self(pintle_host::Origin { session: id.into(), ..Default::default() })
    }

    /// Sets the name of the agent.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.0.agent = name.into();
        self
    }

    /// Sets the number of the turn within the session, from 1. Default: 0, outside of a turn.
    #[must_use]
    pub fn turn(mut self, number: u32) -> Self {
        self.0.turn = number;
        self
    }

    /// Sets how many agents delegated to this one. Default: 0, the main agent.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Self {
        self.0.depth = depth;
        self
    }

    /// Sets the absolute path of the working directory, to which the relative paths of tool calls refer.
    #[must_use]
    pub fn cwd(mut self, dir: impl Into<String>) -> Self {
        self.0.cwd = dir.into();
        self
    }

    pub(crate) fn shared(&self) -> Arc<pintle_host::Origin> {
        Arc::new(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_of_the_catalogue_has_a_type() {
        assert_eq!(events::KINDS, EventKind::ALL);
    }

    #[test]
    fn the_events_of_tool_calls_are_those_of_the_catalogue() {
        let marked = [
            EventKind::ToolTransform,
            EventKind::ToolGuard,
            EventKind::ToolPre,
            EventKind::PermissionAsk,
            // What it names may be a step, which has no arguments.
            EventKind::ApprovalRequested,
            EventKind::PermissionReply,
            EventKind::ToolResult,
            EventKind::ToolPost,
        ];
        let about_calls = EventKind::ALL.iter().filter(|kind| kind.def().is_about_tool_call());
        assert_eq!(about_calls.copied().collect::<Vec<_>>(), marked);
    }

    #[test]
    fn a_payload_that_does_not_fit_is_an_error_that_says_why() {
        let error = Event::new::<events::PromptSubmit>(serde_json::json!({"prompt": 3})).unwrap_err();
        assert!(error.to_string().contains("prompt"), "{error}");
        let error = Event::named("tool.pree", Value::Null).unwrap_err();
        assert!(error.to_string().contains("did you mean `tool.pre`?"), "{error}");
    }
}
