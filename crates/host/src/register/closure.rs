//! Handlers that call a closure of the host program.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

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

    fn decode_verdict(&self, call: &HookCall<'_>, hook_return: HookReturn) -> Verdict {
        // How the dialect decodes a reason does not depend on its text, unless it is empty.
        let refusal = hook_return.as_refusal().filter(|(_, reason)| !reason.chars().all(char::is_whitespace));
        let refusal = refusal.map(|(refusal, reason)| {
            let known = match refusal {
                RefusalShape::Deny => &self.is_deny_decoded,
                RefusalShape::Block => &self.is_block_decoded,
            };
            (known, reason)
        });
        let refusal = match refusal {
            Some((known, _)) if known.get().is_some() => return Verdict::deny(hook_return.into_reason()),
            other => other.map(|(known, reason)| (known, Verdict::deny(reason))),
        };
        let verdict = match hook_return.into_value() {
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
        let answer = |deadline| (self.closure)(&HookEvent::new(call, deadline));
        match native::call_closure(call, &self.name, self.timeout, answer) {
            Ok(returned) if returned.is_nil() => Verdict::pass(),
            Ok(returned) => self.decode_verdict(call, returned),
            Err(failure) => Verdict::failed(failure),
        }
    }
}

/// A closure cannot be printed, so only its name is.
impl fmt::Debug for ClosureHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Closure").field(&self.name).finish()
    }
}
