//! The event as a closure sees it.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use pintle_contract::{EffectError, EffectReply, EffectRequest, Event, EventName, HookCall, get_field};
use pintle_dialects::lifecycle_hooks;
use serde_json::Value;

/// The event that a hook is called for.
///
/// It only points at what is there: nothing is copied or put together before it is asked for. What an event does not
/// have is `None`, or empty where it is a text.
#[derive(Debug, Clone, Copy)]
pub struct HookEvent<'a> {
    call: &'a HookCall<'a>,
    deadline: Option<Instant>,
}

impl<'a> HookEvent<'a> {
    pub(super) fn new(call: &'a HookCall<'a>, deadline: Option<Instant>) -> Self {
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

    /// The event's name in the catalogue, such as `prompt.submit`.
    #[must_use]
    pub fn canonical_name(&self) -> &'a EventName {
        &self.event().name
    }

    /// The name of the hook that is called.
    #[must_use]
    pub fn hook(&self) -> &'a str {
        self.call.hook.id.as_str()
    }

    /// The session.
    #[must_use]
    pub fn session_id(&self) -> &'a str {
        &self.event().origin.session
    }

    /// The agent at work.
    #[must_use]
    pub fn agent(&self) -> &'a str {
        &self.event().origin.agent
    }

    /// The turn within the session, from 1; 0 outside a turn.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.event().origin.turn
    }

    /// How deep in delegation the agent is: 0 for the one the person talks to.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.event().origin.depth
    }

    /// The absolute path of the working directory.
    #[must_use]
    pub fn cwd(&self) -> &'a str {
        &self.event().origin.cwd
    }

    /// The persona that the event is about, or at work; empty without one.
    #[must_use]
    pub fn persona(&self) -> &'a str {
        self.text("persona").unwrap_or(&self.event().origin.persona)
    }

    /// The step that the event is about, or that runs; empty without one.
    #[must_use]
    pub fn step(&self) -> &'a str {
        self.text("step").unwrap_or(&self.event().origin.step)
    }

    /// The arguments of a step, in order; none for other events.
    #[must_use]
    pub fn step_args(&self) -> &'a [Value] {
        self.field("args").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// What a step gave.
    #[must_use]
    pub fn output(&self) -> Option<&'a Value> {
        self.field("output")
    }

    /// The name of the tool that is called.
    #[must_use]
    pub fn tool_name(&self) -> Option<&'a str> {
        if self.is_tool_event() { self.text("name") } else { None }
    }

    /// The arguments of the tool call.
    #[must_use]
    pub fn tool_args(&self) -> Option<&'a Value> {
        if self.is_tool_event() { self.field("args") } else { None }
    }

    /// One argument of the tool call.
    #[must_use]
    pub fn tool_arg(&self, name: &str) -> Option<&'a Value> {
        get_field(self.tool_args()?.as_object()?, name)
    }

    /// The provider's id of the tool call.
    #[must_use]
    pub fn tool_call_id(&self) -> Option<&'a str> {
        if self.is_tool_event() { self.text("id").or_else(|| self.text("call_id")) } else { None }
    }

    /// The result of a tool as the model gets it.
    #[must_use]
    pub fn result_text(&self) -> Option<&'a str> {
        self.text("content")
    }

    /// The result of a tool, decoded when it is JSON.
    #[must_use]
    pub fn result(&self) -> Option<&'a Value> {
        self.field("result")
    }

    /// Whether the tool or the step failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.field("is_error").and_then(Value::as_bool).unwrap_or(false)
    }

    /// What the person wrote.
    #[must_use]
    pub fn prompt(&self) -> Option<&'a str> {
        self.text("prompt")
    }

    /// The path of the file that was changed.
    #[must_use]
    pub fn path(&self) -> Option<&'a str> {
        self.text("path")
    }

    /// Why: of a permission, an approval, a pause.
    #[must_use]
    pub fn reason(&self) -> Option<&'a str> {
        self.text("reason")
    }

    /// A field of the payload as the catalogue has it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'a Value> {
        self.event().payload.field(name)
    }

    /// The same, when it is a text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.field(name)?.as_str()
    }

    /// The whole payload as the catalogue has it (`docs/reference/events.md`).
    #[must_use]
    pub fn payload(&self) -> &'a Value {
        self.event().payload.value()
    }

    /// The event in Harn's own shape, as plugins get it. It is put together at each call of this.
    #[must_use]
    pub fn json(&self) -> Value {
        let codec = lifecycle_hooks::codec();
        codec.encode(self.event(), self.name()).unwrap_or_else(|| self.payload().clone())
    }

    /// Whether nobody wants the answer any more. A closure that takes long looks at it now and then.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.call.cancel.is_cancelled()
    }

    /// How much is left of the time that the hook was given; `None` when it was given none.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Asks the runtime for something that the world decides (the time, a random number, a file of the agent's
    /// workspace), so that it stands on the tape.
    ///
    /// # Errors
    /// When the request is refused or fails.
    pub fn perform(&self, request: EffectRequest) -> Result<EffectReply, EffectError> {
        match self.deadline.filter(|_| request.may_wait()) {
            Some(deadline) => {
                let cancel = self.call.cancel.child_with_time_limit(move || Instant::now() >= deadline);
                self.call.effects.perform(self.call.caller().with_cancel(&cancel), request)
            }
            None => self.call.effects.perform(self.call.caller(), request),
        }
    }

    /// Writes a line to the session's log.
    pub fn log(&self, message: impl Into<Cow<'a, str>>) {
        let message = message.into().into_owned();
        // A log that takes no line is no reason to fail.
        let _ = self.perform(EffectRequest::Log { level: pintle_contract::LogLevel::Info, message });
    }

    fn is_tool_event(&self) -> bool {
        let name = self.event().name.def().name;
        name.starts_with("tool.") || name.starts_with("permission.")
    }
}
