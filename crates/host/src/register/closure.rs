//! Handlers that call a closure of the host program.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use pintle_contract::{Failure, FailureKind, FunctionOutput, Handler, HookCall, Verdict};
use pintle_dialects::lifecycle_hooks;
use pintle_handlers::native;

use super::hook_return::RefusalShape;
use super::{HookEvent, HookReturn};

/// A closure that handles events.
pub(super) type ClosureFn = Box<dyn Fn(&HookEvent<'_>) -> HookReturn + Send + Sync>;

/// The handler of a closure hook.
pub(super) struct ClosureHandler {
    /// The name of the hook, for the message of a panic.
    name: String,
    closure: ClosureFn,
    timeout: Option<Duration>,
    /// Set once the dialect has decoded a plain deny of each form as a deny; later ones need not be decoded.
    is_deny_decoded: OnceLock<()>,
    is_block_decoded: OnceLock<()>,
}

impl ClosureHandler {
    pub(super) fn new(name: String, answer: ClosureFn, timeout_ms: Option<u64>) -> Self {
        let timeout = timeout_ms.map(Duration::from_millis);
        Self { name, closure: answer, timeout, is_deny_decoded: OnceLock::new(), is_block_decoded: OnceLock::new() }
    }

    fn decode_verdict(&self, call: &HookCall<'_>, returned: HookReturn) -> Verdict {
        // How the dialect decodes a reason does not depend on its text, unless it is empty.
        let refusal = returned.as_refusal().filter(|(_, reason)| !reason.chars().all(char::is_whitespace));
        let refusal = refusal.map(|(refusal, reason)| {
            let known = match refusal {
                RefusalShape::Deny => &self.is_deny_decoded,
                RefusalShape::Block => &self.is_block_decoded,
            };
            (known, reason)
        });
        let refusal = match refusal {
            Some((known, _)) if known.get().is_some() => return Verdict::deny(returned.into_reason()),
            other => other.map(|(known, reason)| (known, Verdict::deny(reason))),
        };
        let verdict = match returned.into_value() {
            Ok(value) => {
                let (event, hook) = (call.event, call.hook);
                lifecycle_hooks::decode(event, &hook.event_alias, hook.id.as_str(), FunctionOutput::Value(value))
            }
            Err(message) => Verdict::failed(Failure::new(FailureKind::Error, message)),
        };
        if let Some((known, expected)) = refusal
            && verdict == expected
        {
            known.get_or_init(|| ());
        }
        verdict
    }
}

impl Handler for ClosureHandler {
    fn kind(&self) -> &'static str {
        "native"
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        if let Some(failure) = native::depth_failure(call) {
            return Verdict::failed(failure);
        }
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let event = HookEvent::new(call, deadline);
        // A closure that panics may leave its own state inconsistent, but not Pintle's.
        let returned = match catch_unwind(AssertUnwindSafe(|| (self.closure)(&event))) {
            Ok(returned) => returned,
            Err(panic) => return Verdict::failed(native::panic_failure("hook", &self.name, panic.as_ref())),
        };
        if let (Some(timeout), Some(deadline)) = (self.timeout, deadline)
            && Instant::now() >= deadline
        {
            let message = format!("it exceeded its time limit of {} ms", timeout.as_millis());
            return Verdict::failed(Failure::new(FailureKind::Timeout, message));
        }
        if returned.is_nil() { Verdict::pass() } else { self.decode_verdict(call, returned) }
    }
}

/// A closure cannot be printed, so only its name is.
impl fmt::Debug for ClosureHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Closure").field(&self.name).finish()
    }
}
