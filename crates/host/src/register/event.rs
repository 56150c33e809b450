//! The event as a closure receives it.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use pintle_contract::{EffectError, EffectReply, EffectRequest, Event, EventName, HookCall, get_field};
use pintle_dialects::lifecycle_hooks;
use serde_json::Value;

use crate::EventScope;

/// The event that a hook is called for.
///
/// It borrows the event's data: nothing is copied or converted before it is requested. Values that the event does not
/// have are `None`, or empty for strings.
#[derive(Debug, Clone, Copy)]
pub struct HookEvent<'a> {
    call: &'a HookCall<'a>,
    deadline: Option<Instant>,
}

impl<'a> HookEvent<'a> {
    /// Creates the view of a call, whose time is over at `deadline`; `None` without a time limit.
    #[must_use]
    pub fn new(call: &'a HookCall<'a>, deadline: Option<Instant>) -> Self {
        Self { call, deadline }
    }

    fn event(&self) -> &'a Event {
        self.call.event
    }

    /// The event's name in Harn, such as `UserPromptSubmit`.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.call.hook.event_alias
    }

    /// The event's canonical name, such as `prompt.submit`.
    #[must_use]
    pub fn canonical_name(&self) -> &'a EventName {
        &self.event().name
    }

    /// The name of the hook that is called.
    #[must_use]
    pub fn hook(&self) -> &'a str {
        self.call.hook.id.as_str()
    }

    /// The ID of the session.
    #[must_use]
    pub fn session_id(&self) -> &'a str {
        &self.event().origin.session
    }

    /// The name of the running agent.
    #[must_use]
    pub fn agent(&self) -> &'a str {
        &self.event().origin.agent
    }

    /// The number of the turn within the session, from 1; 0 outside a turn.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.event().origin.turn
    }

    /// The delegation depth of the agent: 0 for the main agent.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.event().origin.depth
    }

    /// The absolute path of the working directory.
    #[must_use]
    pub fn cwd(&self) -> &'a str {
        &self.event().origin.cwd
    }

    /// The persona that the event is about, otherwise the running persona; empty without one.
    #[must_use]
    pub fn persona(&self) -> &'a str {
        self.text("persona").unwrap_or(&self.event().origin.persona)
    }

    /// The step that the event is about, otherwise the current step; empty without one.
    #[must_use]
    pub fn step(&self) -> &'a str {
        self.text("step").unwrap_or(&self.event().origin.step)
    }

    /// The arguments of a step, in order; empty for other events.
    #[must_use]
    pub fn step_args(&self) -> &'a [Value] {
        self.field("args").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The output of a step.
    #[must_use]
    pub fn output(&self) -> Option<&'a Value> {
        self.field("output")
    }

    /// The name of the called tool.
    #[must_use]
    pub fn tool_name(&self) -> Option<&'a str> {
        if self.is_tool_event() { self.text("name") } else { None }
    }

    /// The arguments of the tool call, decoded.
    #[must_use]
    pub fn tool_args(&self) -> Option<&'a Value> {
        if self.is_tool_event() { self.field("args") } else { None }
    }

    /// One argument of the tool call, by name.
    #[must_use]
    pub fn tool_arg(&self, name: &str) -> Option<&'a Value> {
        get_field(self.tool_args()?.as_object()?, name)
    }

    /// The provider's ID of the tool call.
    #[must_use]
    pub fn tool_call_id(&self) -> Option<&'a str> {
        if self.is_tool_event() { self.text("id").or_else(|| self.text("call_id")) } else { None }
    }

    /// The result of a tool as text, as the model receives it.
    #[must_use]
    pub fn result_text(&self) -> Option<&'a str> {
        self.text("content")
    }

    /// The result of a tool: decoded if it is JSON, otherwise the text.
    #[must_use]
    pub fn result(&self) -> Option<&'a Value> {
        self.field("result")
    }

    /// Whether the tool or the step failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.field("is_error").and_then(Value::as_bool).unwrap_or(false)
    }

    /// The text that the user wrote.
    #[must_use]
    pub fn prompt(&self) -> Option<&'a str> {
        self.text("prompt")
    }

    /// The path of the changed file.
    #[must_use]
    pub fn path(&self) -> Option<&'a str> {
        self.text("path")
    }

    /// The reason for a permission request, an approval request or a pause.
    #[must_use]
    pub fn reason(&self) -> Option<&'a str> {
        self.text("reason")
    }

    /// A field of the payload, by its name in the catalogue.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'a Value> {
        self.event().payload.field(name)
    }

    /// A field of the payload, if it is a string.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.field(name)?.as_str()
    }

    /// The whole payload, as the catalogue defines it (`docs/reference/events.md`).
    #[must_use]
    pub fn payload(&self) -> &'a Value {
        self.event().payload.value()
    }

    /// The event as JSON in Harn's own format, as plugins receive it. Every call creates it again.
    #[must_use]
    pub fn json(&self) -> Value {
        let codec = lifecycle_hooks::codec();
        codec.encode(self.event(), self.name()).unwrap_or_else(|| self.payload().clone())
    }

    /// The scope for the events that the closure fires ([`Runtime::fire_in`](crate::Runtime::fire_in)); see
    /// [`EventScope::from_call`].
    #[must_use]
    pub fn scope(&self) -> EventScope {
        EventScope::from_call(self.call)
    }

    /// Whether the verdict is no longer needed. A closure that runs long should check it from time to time.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.call.cancel.is_cancelled()
    }

    /// The rest of the hook's time limit; `None` if it has none.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Performs an effect request (the time, a random number, a file of the agent's workspace) and records it on the
    /// tape.
    ///
    /// # Errors
    /// When the request is refused or fails.
    pub fn perform(&self, request: EffectRequest) -> Result<EffectReply, EffectError> {
        match self.deadline.filter(|_| request.may_wait()) {
            Some(deadline) => {
                let time_left = move || deadline.saturating_duration_since(Instant::now());
                let cancel = self.call.cancel.child_with_time_limit(time_left);
                self.call.effects.perform(self.call.caller().with_cancel(&cancel), request)
            }
            None => self.call.effects.perform(self.call.caller(), request),
        }
    }

    /// Writes a line to the session's log.
    pub fn log(&self, message: impl Into<Cow<'a, str>>) {
        let message = message.into().into_owned();
        // A log line that cannot be written must not fail the hook.
        let _ = self.perform(EffectRequest::Log { level: pintle_contract::LogLevel::Info, message });
    }

    fn is_tool_event(&self) -> bool {
        let name = self.event().name.def().name;
        name.starts_with("tool.") || name.starts_with("permission.")
    }
}
