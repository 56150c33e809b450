//! Hooks as Rust closures, the escape hatch for what a file cannot do.

use std::sync::Arc;

use pintle_contract::{
    CallLimits, EnforcementMode, EventName, FailurePolicy, Hook, HookCall, HookId, Layer, Location, Profile,
    SourceTrust, Verdict,
};
use pintle_contract::{Chain, Matcher};

pub use pintle_handlers::native::{NativeHandler, NativeMatcher};

use crate::nesting;

/// A hook that calls a closure on every dispatch of an event.
///
/// It counts as a guard, and a failure of it (a panic) goes by the event's row of the catalogue.
pub fn hook(name: &str, event: EventName, answer: impl Fn(&HookCall<'_>) -> Verdict + Send + Sync + 'static) -> Hook {
    let on_failure: FailurePolicy = event.def().on_failure;
    Hook {
        id: HookId::new(name),
        event_alias: Arc::from(event.as_str()),
        event,
        priority: 0,
        matcher: None,
        handler: Arc::new(NativeHandler::new(name, move |call| {
            if nesting::is_too_deep() { Verdict::failed(nesting::too_deep_failure()) } else { answer(call) }
        })),
        guard: true,
        on_failure,
        on_deny: pintle_contract::DenyEffect::default(),
        definition: None,
        strict_matcher: false,
        mode: EnforcementMode::Enforce,
        source_trust: SourceTrust::Trusted,
        tools: Vec::new(),
        limits: CallLimits::default(),
        location: Location::default(),
    }
}

/// The same hook, asked only when the matcher says so.
#[must_use]
pub fn with_matcher(hook: Hook, matcher: Arc<dyn Matcher>) -> Hook {
    Hook { matcher: Some(matcher), ..hook }
}

/// A chain of native hooks: in order, the first deny ends it.
pub fn chain(source: &str, layer: Layer, hooks: impl IntoIterator<Item = Hook>) -> Chain {
    Chain {
        source: Arc::from(source),
        dialect: "native",
        layer,
        profile: Profile::SequentialFirstDeny,
        hooks: hooks.into_iter().map(Arc::new).collect(),
    }
}
