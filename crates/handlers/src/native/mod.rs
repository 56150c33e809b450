//! Hooks and matchers that are Rust closures.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use pintle_contract::{
    Event, EventCause, Failure, FailureKind, Handler, HookCall, LimitKind, MatchResult, Matcher, SubjectFilter, Verdict,
};

/// A hook without a script: a placeholder that passes.
#[derive(Debug)]
pub(crate) struct NoopHandler;

impl Handler for NoopHandler {
    fn kind(&self) -> &'static str {
        "none"
    }

    fn needs_order(&self) -> bool {
        false
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::pass()
    }
}

/// A hook that is a Rust closure.
///
/// A panic of the closure is a failed verdict of kind [`FailureKind::Crash`] with the panic's text, and does not crash
/// the host; the hook's failure policy applies. A closure cannot be stopped from outside: one that may take long must
/// check the call's `cancel` and `limits` itself. A closure that fires the event that it runs on is not called more than
/// 8 levels deep.
///
/// ```
/// use pintle_contract::{HookCall, Verdict};
/// use pintle_handlers::native::NativeHandler;
///
/// let guard = NativeHandler::new("no-secrets", |call: &HookCall<'_>| {
///     let path = call.event.payload.field("path").and_then(|path| path.as_str()).unwrap_or_default();
///     if path.ends_with(".pem") { Verdict::deny("keys stay where they are") } else { Verdict::pass() }
/// });
/// assert_eq!(format!("{guard:?}"), "NativeHandler(\"no-secrets\")");
/// ```
pub struct NativeHandler {
    name: String,
    answer_fn: Box<NativeAnswerFn>,
    timeout: Option<Duration>,
    may_wait: bool,
}

type NativeAnswerFn = dyn Fn(&HookCall<'_>, Option<Instant>) -> Verdict + Send + Sync;

impl NativeHandler {
    /// Creates a handler from a closure. `name` is shown in failures.
    pub fn new(name: impl Into<String>, answer: impl Fn(&HookCall<'_>) -> Verdict + Send + Sync + 'static) -> Self {
        Self::timed(name, None, move |call, _| answer(call))
    }

    /// Creates a handler from a closure with a time limit, which gets the moment at which its time is over. A verdict after
    /// that is a failure of kind [`FailureKind::Timeout`].
    pub fn timed(
        name: impl Into<String>,
        timeout: Option<Duration>,
        answer: impl Fn(&HookCall<'_>, Option<Instant>) -> Verdict + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), answer_fn: Box::new(answer), timeout, may_wait: false }
    }

    /// Declares that the closure may wait for something outside this process, so that several hooks run concurrently if
    /// their chain allows it, and that the order of its calls does not matter, so that it is called about several tool
    /// calls at once.
    #[must_use]
    pub fn may_wait_outside(mut self) -> Self {
        self.may_wait = true;
        self
    }
}

impl Handler for NativeHandler {
    fn kind(&self) -> &'static str {
        "native"
    }

    fn may_wait(&self) -> bool {
        self.may_wait
    }

    fn needs_order(&self) -> bool {
        !self.may_wait
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        call_closure(call, &self.name, self.timeout, |deadline| (self.answer_fn)(call, deadline))
            .unwrap_or_else(Verdict::failed)
    }
}

/// Calls the closure of a hook, which gets the moment at which its time is over; `None` without a time limit. The closure
/// cannot be stopped: if it took longer, what it returns does not count.
///
/// # Errors
/// If events are nested too deeply for a call, the closure panics, or its time was over.
#[inline]
pub fn call_closure<R>(
    call: &HookCall<'_>,
    name: &str,
    timeout: Option<Duration>,
    closure: impl FnOnce(Option<Instant>) -> R,
) -> Result<R, Failure> {
    if call.depth > EventCause::MAX_DEPTH {
        let message = format!(
            "events are nested more than {} levels deep; does the hook fire the event that it runs on?",
            EventCause::MAX_DEPTH
        );
        return Err(Failure::new(FailureKind::Limit(LimitKind::Depth), message));
    }
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    // A closure that panics may leave its own state inconsistent; Pintle's state is not affected.
    let returned = catch_unwind(AssertUnwindSafe(|| closure(deadline)))
        .map_err(|panic| panic_failure("hook", name, panic.as_ref()))?;
    match timeout {
        Some(limit) if deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
            let message = format!("it exceeded its time limit of {} ms", limit.as_millis());
            Err(Failure::new(FailureKind::Timeout, message))
        }
        _ => Ok(returned),
    }
}

impl fmt::Debug for NativeHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NativeHandler").field(&self.name).finish()
    }
}

/// A matcher that is a Rust closure.
///
/// A panic of the closure is a failed match, like an error in a `when`.
///
/// ```
/// use pintle_contract::{Matcher, SubjectFilter};
/// use pintle_handlers::native::NativeMatcher;
///
/// let large = NativeMatcher::new("over 1 KiB", |event| event.payload.value().to_string().len() > 1024);
/// assert_eq!(large.describe(), "over 1 KiB");
///
/// // With the tools named, the hook costs nothing for other tools.
/// let shell = NativeMatcher::new("shell calls", |_| true).for_subjects(["bash", "sh"]);
/// assert_eq!(
///     shell.subjects(),
///     SubjectFilter::possible(vec!["bash".into(), "sh".into()]),
/// );
/// ```
pub struct NativeMatcher {
    description: String,
    subjects: SubjectFilter,
    predicate: Box<NativePredicate>,
}

type NativePredicate = dyn Fn(&Event) -> bool + Send + Sync;

impl NativeMatcher {
    /// Creates a matcher from a predicate. `description` is shown by `explain`.
    pub fn new(description: impl Into<String>, wants: impl Fn(&Event) -> bool + Send + Sync + 'static) -> Self {
        Self { description: description.into(), subjects: SubjectFilter::Any, predicate: Box::new(wants) }
    }

    /// Declares that only these subjects, such as tool names, can match. For others the predicate is not called.
    #[must_use]
    pub fn for_subjects(mut self, subjects: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = subjects.into_iter().map(Into::into).collect();
        self.subjects = SubjectFilter::possible(names);
        self
    }
}

impl Matcher for NativeMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        match catch_unwind(AssertUnwindSafe(|| (self.predicate)(event))) {
            Ok(true) => MatchResult::Yes,
            Ok(false) => MatchResult::No,
            Err(panic) => MatchResult::Failed(panic_failure("matcher", &self.description, panic.as_ref())),
        }
    }

    fn subjects(&self) -> SubjectFilter {
        self.subjects.clone()
    }

    fn describe(&self) -> String {
        self.description.clone()
    }
}

impl fmt::Debug for NativeMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeMatcher").field("description", &self.description).finish_non_exhaustive()
    }
}

/// The failure for a panic of a closure, of kind [`FailureKind::Crash`]. `action` is the kind of closure, such as `hook`,
/// and `name` its name.
#[must_use]
fn panic_failure(action: &str, name: &str, panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("a panic without a message");
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Failure::new(FailureKind::Crash, format!("the {action} `{name}` panicked: {line}"))
}

#[cfg(test)]
mod tests {
    use pintle_contract::SourceTrust;
    use std::sync::Arc;

    use pintle_contract::{
        CallId, CallLimits, CancelToken, DispatchId, EnforcementMode, EventName, FailurePolicy, Hook, HookId, Location,
        NoEffects, Origin,
    };
    use serde_json::json;

    use super::*;

    fn test_event() -> Event {
        Event::new(EventName::parse("tool.pre").unwrap(), json!({"name": "bash"}), Arc::new(Origin::default()))
    }

    fn call_handler(handler: NativeHandler) -> Verdict {
        let event = test_event();
        let hook = Hook {
            id: HookId::new("h"),
            event: event.name.clone(),
            event_alias: "tool.pre".into(),
            priority: 0,
            matcher: None,
            handler: Arc::new(handler),
            guard: true,
            on_failure: FailurePolicy::Closed,
            on_deny: pintle_contract::DenyEffect::default(),
            definition: None,
            strict_matcher: false,
            mode: EnforcementMode::Enforce,
            source_trust: SourceTrust::Trusted,
            tools: Vec::new(),
            limits: CallLimits::default(),
            location: Location::default(),
        };
        let (limits, cancel) = (CallLimits::default(), CancelToken::default());
        hook.handler.call(&HookCall {
            dispatch: DispatchId(1),
            id: CallId(1),
            depth: 0,
            hook: &hook,
            layer: pintle_contract::Layer::Project,
            event: &event,
            limits: &limits,
            effects: &NoEffects,
            cancel: &cancel,
        })
    }

    #[test]
    fn a_closure_answers() {
        let verdict = call_handler(NativeHandler::new("n", |call| {
            Verdict::deny(format!("no {}", call.event.subject().unwrap_or("?")))
        }));
        assert_eq!(verdict, Verdict::deny("no bash"));
        let waits = |handler: NativeHandler| handler.may_wait();
        assert!(!waits(NativeHandler::new("n", |_| Verdict::pass())));
        assert!(waits(NativeHandler::new("n", |_| Verdict::pass()).may_wait_outside()));
    }

    #[test]
    fn a_panic_is_a_failed_verdict() {
        let cases: [(NativeHandler, &str); 3] = [
            (NativeHandler::new("n", |_| panic!("plain")), "the hook `n` panicked: plain"),
            (NativeHandler::new("n", |call| panic!("call\n{}", call.id.0)), "the hook `n` panicked: call 1"),
            (
                NativeHandler::new("n", |_| std::panic::panic_any(7_u8)),
                "the hook `n` panicked: a panic without a message",
            ),
        ];
        for (handler, message) in cases {
            assert_eq!(call_handler(handler), Verdict::failed(Failure::new(FailureKind::Crash, message)));
        }
    }

    #[test]
    fn a_predicate_matches_or_fails() {
        let event = test_event();
        let cases = [
            (NativeMatcher::new("m", |event| event.subject() == Some("bash")), MatchResult::Yes),
            (NativeMatcher::new("m", |_| false), MatchResult::No),
            (
                NativeMatcher::new("m", |_| panic!("odd")),
                MatchResult::Failed(Failure::new(FailureKind::Crash, "the matcher `m` panicked: odd")),
            ),
        ];
        for (matcher, expected) in cases {
            assert_eq!(matcher.matches(&event), expected);
        }
    }
}
