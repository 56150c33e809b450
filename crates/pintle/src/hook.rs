//! Hooks of the program itself: closures on events.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use pintle_host::contract::{EnforcementMode, Location, MatchResult, Matcher, SubjectFilter};
use pintle_host::native::{self, NativeHandler};
use pintle_host::{Diagnostic, EventKind, EventName, EventScope};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::event::kind_of;
use crate::{EventError, EventType, ToolEvent, Verdict, events};

/// A closure that is called on every event of one type.
///
/// ```
/// use pintle::{Hook, Runtime, ToolCall, Verdict, events::ToolPre};
///
/// let guard = Hook::on::<ToolPre>(|call| {
///     call.arg("command")?.as_str()?.starts_with("rm ").then(|| Verdict::deny("nothing is deleted here"))
/// });
/// let runtime = Runtime::builder().hook(guard.named("no_rm").tools(["shell"])).build()?;
/// let call = ToolCall::new("1", "shell", serde_json::json!({"command": "rm -rf ."}));
/// assert_eq!(runtime.decide_tool_call(call).unwrap_err().reason(), "nothing is deleted here");
/// # Ok::<(), pintle::LoadReport>(())
/// ```
///
/// The closure runs on the thread that fires the event, several calls at once if several threads fire. It may fire events
/// itself ([`Runtime::fire_from`](crate::Runtime::fire_from)) and register or remove hooks. A hook that can deny is called
/// again if a later hook changes what it judged. A panic is a failure of the hook.
pub struct Hook {
    event: EventName,
    name: Option<String>,
    answer: Box<AnswerFn>,
    tools: Option<ToolPatterns>,
    on_failure: Option<pintle_host::FailurePolicy>,
    timeout: Option<Duration>,
    may_wait: bool,
    mode: EnforcementMode,
    faults: Vec<Diagnostic>,
}

/// A closure that answers events of a type: it takes a [`HookCall`] and returns what converts to a [`Verdict`]. Every such
/// closure is one.
pub trait HookClosure<E>: Fn(&HookCall<'_, E>) -> <Self as HookClosure<E>>::Answer + Send + Sync + 'static {
    /// What the closure returns.
    type Answer: Into<Verdict>;
}

impl<E, F, V: Into<Verdict>> HookClosure<E> for F
where
    F: Fn(&HookCall<'_, E>) -> V + Send + Sync + 'static,
{
    type Answer = V;
}

type AnswerFn = dyn Fn(pintle_host::HookEvent<'_>) -> Verdict + Send + Sync;

impl Hook {
    /// Creates a hook on a type of event.
    pub fn on<E: EventType>(answer: impl HookClosure<E>) -> Self {
        Self::on_event(kind_of::<E>().into(), answer)
    }

    /// Creates a hook on an event by its name, such as `tool.pre` or `custom.deploy`, for programs that read the name from
    /// elsewhere. A name that the catalogue does not have is an error when the runtime is built.
    ///
    /// ```
    /// use pintle::{Hook, HookCall, Runtime, ToolCall, Verdict};
    ///
    /// let hook = Hook::on_named("tool.pre", |call: &HookCall<'_, ()>| {
    ///     (call.text("name")? == "deploy").then(|| Verdict::deny("people deploy"))
    /// });
    /// let runtime = Runtime::builder().hook(hook).build()?;
    /// assert!(runtime.decide_tool_call(ToolCall::new("1", "deploy", serde_json::json!({}))).is_err());
    /// # Ok::<(), pintle::LoadReport>(())
    /// ```
    pub fn on_named(name: &str, answer: impl HookClosure<()>) -> Self {
        let parsed = EventName::parse(name);
        let error = parsed.as_ref().err().map(ToString::to_string);
        let mut hook = Self::on_event(parsed.unwrap_or_else(|_| EventKind::Custom.into()), answer);
        if let Some(error) = error {
            hook.fault("unknown_event", error, "`pintle events` lists the events");
        }
        hook
    }

    fn on_event<E>(event: EventName, answer: impl HookClosure<E>) -> Self {
        let answer =
            move |event: pintle_host::HookEvent<'_>| answer(&HookCall { event, event_type: PhantomData }).into();
        Self {
            event,
            name: None,
            answer: Box::new(answer),
            tools: None,
            on_failure: None,
            timeout: None,
            may_wait: false,
            mode: EnforcementMode::Enforce,
            faults: Vec::new(),
        }
    }

    /// Creates a hook on one of the events whose names a program chooses, such as `custom.deploy`.
    pub fn on_custom(name: &str, answer: impl HookClosure<events::Custom>) -> Self {
        let mut hook = Self::on(answer);
        match EventName::parse(name) {
            Ok(parsed) if parsed.kind() == EventKind::Custom => hook.event = parsed,
            _ => hook.fault(
                "unknown_event",
                format!("`{name}` is not the name of a custom event"),
                "write `custom.` and a name of a-z, 0-9 and _, such as `custom.deploy`",
            ),
        }
        hook
    }

    /// Denies every call of tools, by their names or patterns such as `exec_*`.
    pub fn deny_tools<'n>(tools: impl IntoIterator<Item = &'n str>, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::on(move |_: &HookCall<'_, events::ToolPre>| Verdict::deny(reason.clone())).tools(tools)
    }

    /// Sets the name of the hook, in reasons and on the tape. Default: the event and a number, such as `tool.pre#1`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Calls the hook only about these tools: names, or patterns with `*` for any text. Names may be those of Pintle or of
    /// any agent that it knows; the hook hears every call in the words that its names are of. Default: every tool.
    #[must_use]
    pub fn tools<'n>(mut self, tools: impl IntoIterator<Item = &'n str>) -> Self {
        let tools: Vec<String> = tools.into_iter().map(str::to_owned).collect();
        if !self.event.def().is_about_tool_call() {
            self.fault("no_tools", format!("`{}` is not about a tool call", self.event), "leave `tools` out");
        } else if tools.is_empty() || tools.iter().any(String::is_empty) {
            let help = "name at least one tool, or `*` for all";
            self.fault("empty_pattern", format!("a hook on `{}` names no tool", self.event), help);
        }
        self.tools = Some(ToolPatterns(tools));
        self
    }

    /// Sets what a failure means: a panic, an `Err`, a time limit. Default: on events that guard an action, or whose data
    /// hooks may change, it denies; elsewhere it is reported.
    #[must_use]
    pub fn on_failure(mut self, policy: FailurePolicy) -> Self {
        self.on_failure = Some(match policy {
            FailurePolicy::Closed => pintle_host::FailurePolicy::Closed,
            FailurePolicy::Open => pintle_host::FailurePolicy::Open,
        });
        self
    }

    /// Sets the time limit of a call, in milliseconds. Default: none. A closure cannot be stopped: one that took longer has
    /// failed, and its verdict is dropped. [`HookCall::time_left`] tells what is left.
    #[must_use]
    pub fn timeout_ms(mut self, limit_ms: u64) -> Self {
        self.timeout = Some(Duration::from_millis(limit_ms));
        self
    }

    /// Says that the closure may wait, such as for a network. Async calls then run on another thread, and several hooks at
    /// once. Default: it does not.
    #[must_use]
    pub fn may_wait(mut self) -> Self {
        self.may_wait = true;
        self
    }

    /// Calls the hook and records its verdict, but does not enforce it.
    #[must_use]
    pub fn shadow(mut self) -> Self {
        self.mode = EnforcementMode::Shadow;
        self
    }

    fn fault(&mut self, code: &'static str, message: String, help: &str) {
        self.faults.push(Diagnostic::error(code, message, Location::default()).help(help));
    }

    /// The hook as the runtime calls it, or everything that is wrong with it. `number` makes an unnamed hook's name unique.
    pub(crate) fn build(self, number: u64) -> Result<pintle_host::Hook, Vec<Diagnostic>> {
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        let name = self.name.unwrap_or_else(|| format!("{}#{number}", self.event));
        let answer = self.answer;
        let handler = NativeHandler::timed(name.clone(), self.timeout, move |call, deadline| {
            answer(pintle_host::HookEvent::new(call, deadline)).0
        });
        let handler = if self.may_wait { handler.may_wait_outside() } else { handler };
        let hook = native::hook_of(&name, self.event, handler);
        Ok(pintle_host::Hook {
            matcher: self.tools.map(|tools| Arc::new(tools) as Arc<dyn Matcher>),
            on_failure: self.on_failure.unwrap_or(hook.on_failure),
            mode: self.mode,
            ..hook
        })
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("event", &self.event).field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a failure of a hook means. A hook that fails has not denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailurePolicy {
    /// The event is denied.
    Closed,
    /// The failure is reported, and the event goes on.
    Open,
}

/// One call of a hook: the event that it is about.
///
/// Nothing is copied before it is asked for. `None` is what the event does not have, so `?` passes.
pub struct HookCall<'a, E> {
    event: pintle_host::HookEvent<'a>,
    event_type: PhantomData<E>,
}

impl<'a, E> HookCall<'a, E> {
    /// The name of the event, such as `tool.pre`.
    #[must_use]
    pub fn event(&self) -> &'a str {
        self.event.canonical_name().as_str()
    }

    /// The whole payload, as the event reference defines it.
    #[must_use]
    pub fn payload(&self) -> &'a Value {
        self.event.payload()
    }

    /// A field of the payload.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'a Value> {
        self.event.field(name)
    }

    /// A field of the payload, if it is a text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.event.text(name)
    }

    /// The payload as a type of the program.
    ///
    /// # Errors
    /// When the payload does not fit the type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, EventError> {
        serde_json::from_value(self.payload().clone()).map_err(|error| EventError(error.to_string()))
    }

    /// The ID of the session; empty if it has none.
    #[must_use]
    pub fn session(&self) -> &'a str {
        self.event.session_id()
    }

    /// The name of the agent; empty if it has none.
    #[must_use]
    pub fn agent(&self) -> &'a str {
        self.event.agent()
    }

    /// The number of the turn within the session, from 1; 0 outside of a turn.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.event.turn()
    }

    /// The working directory; empty if it is not known.
    #[must_use]
    pub fn cwd(&self) -> &'a str {
        self.event.cwd()
    }

    /// Whether the verdict is no longer needed. A closure that runs long checks it from time to time.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.event.is_cancelled()
    }

    /// What is left of the hook's time limit; `None` if it has none.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.event.time_left()
    }

    /// Writes a line to the session's log, which the tape has.
    pub fn log(&self, message: impl Into<String>) {
        self.event.log(message.into());
    }

    /// The scope of the events that the hook fires, for [`Runtime::life_in`](crate::Runtime::life_in).
    #[must_use]
    pub fn scope(&self) -> CallScope {
        CallScope(self.event.scope())
    }
}

/// What a hook's call causes: the events that are fired in it are nested in the call, on whichever thread they are fired.
/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct CallScope(pub(crate) EventScope);

impl CallScope {
    /// Whether the verdict of the call is no longer needed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancel.is_cancelled()
    }
}

impl<'a, E: ToolEvent> HookCall<'a, E> {
    /// The name of the tool, in the words of the hook.
    #[must_use]
    pub fn tool(&self) -> &'a str {
        self.text("name").unwrap_or_default()
    }

    /// The arguments of the call, in the words of the hook.
    #[must_use]
    pub fn args(&self) -> Option<&'a Value> {
        self.field("args")
    }

    /// An argument of the call.
    #[must_use]
    pub fn arg(&self, name: &str) -> Option<&'a Value> {
        self.args()?.get(name)
    }

    /// What the tool is for, such as `shell`, `read` or `other`.
    #[must_use]
    pub fn kind(&self) -> Option<&'a str> {
        self.text("kind")
    }
}

impl<E> fmt::Debug for HookCall<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookCall")
            .field("event", &self.event())
            .field("payload", self.payload())
            .finish_non_exhaustive()
    }
}

/// Names of tools, or patterns for them.
#[derive(Debug)]
struct ToolPatterns(Vec<String>);

impl ToolPatterns {
    fn accepts(&self, tool: &str) -> bool {
        self.0.iter().any(|pattern| matches_pattern(pattern, tool))
    }
}

impl Matcher for ToolPatterns {
    fn matches(&self, event: &pintle_host::Event) -> MatchResult {
        if event.subject().is_some_and(|tool| self.accepts(tool)) { MatchResult::Yes } else { MatchResult::No }
    }

    fn subjects(&self) -> SubjectFilter {
        if self.0.iter().any(|pattern| pattern.contains('*')) {
            return SubjectFilter::Any;
        }
        SubjectFilter::certain(self.0.clone())
    }

    fn accepts_subject(&self, subject: &str) -> Option<bool> {
        Some(self.accepts(subject))
    }

    fn describe(&self) -> String {
        self.0.join(", ")
    }
}

/// Whether a text has the form of a pattern, in which `*` is any text.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').map_or((None, rest), |(middle, end)| (Some(middle), end));
    for part in middle.into_iter().flat_map(|middle| middle.split('*')) {
        let Some((_, behind)) = left.split_once(part) else { return false };
        left = behind;
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, fits, differs) in [
            ("shell", "shell", "shells"),
            ("exec_*", "exec_", "exe"),
            ("*_file", "read_file", "read_files"),
            ("a*b*c", "axxbxc", "acb"),
            ("a*a", "aa", "a"),
            ("*", "", "-"),
            ("a**b", "ab", "a"),
            ("é*é", "éxé", "é"),
        ] {
            assert!(matches_pattern(pattern, fits), "{pattern} {fits}");
            assert_eq!(matches_pattern(pattern, differs), pattern == "*", "{pattern} {differs}");
        }
    }
}
