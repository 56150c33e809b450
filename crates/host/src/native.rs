//! Hooks as Rust closures, for what a hook file cannot do.

use std::sync::Arc;

use pintle_contract::event::EventClass;
use pintle_contract::{
    CallLimits, CallReads, EnforcementMode, EventName, FailurePolicy, Hook, HookCall, HookId, Layer, Location, Profile,
    SourceTrust, Verdict,
};
use pintle_contract::{Chain, Matcher, ScriptTexts};
use pintle_tools::{HookVocabulary, translate_hook};

pub use pintle_handlers::native::{NativeHandler, NativeMatcher};

/// Creates a hook that calls a closure on every dispatch of an event: [`hook_of`] for a closure without options.
pub fn hook(
    name: &str,
    event: impl Into<EventName>,
    answer: impl Fn(&HookCall<'_>) -> Verdict + Send + Sync + 'static,
) -> Hook {
    hook_of(name, event.into(), NativeHandler::new(name, answer))
}

/// Creates a hook that calls a handler on every dispatch of an event.
///
/// It is a guard. If its closure fails, the failure policy of the event's definition applies, and on an event whose data
/// hooks may change it fails closed, as hooks of files do: the data that it would have removed must not pass.
#[must_use]
pub fn hook_of(name: &str, event: EventName, handler: NativeHandler) -> Hook {
    let on_failure = match event.def().class {
        EventClass::Rewrite => FailurePolicy::Closed,
        EventClass::Guard | EventClass::Observe => event.def().on_failure,
    };
    Hook {
        id: HookId::new(name),
        event_alias: Arc::from(event.as_str()),
        event,
        priority: 0,
        matcher: None,
        handler: Arc::new(handler),
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

/// Adds a matcher to a hook.
#[must_use]
pub fn with_matcher(hook: Hook, matcher: Arc<dyn Matcher>) -> Hook {
    Hook { matcher: Some(matcher), ..hook }
}

/// Makes native hooks hear tool calls in the words that their matchers use.
pub(crate) fn translate_chain(mut chain: Chain) -> Chain {
    for hook in chain.hooks.iter_mut().filter(|hook| hook.handler.kind() == "native") {
        let vocabulary = HookVocabulary::of_hook(hook.matcher.as_ref(), &ScriptTexts::default());
        *hook = Arc::new(translate_hook(
            (**hook).clone(),
            vocabulary,
            CallReads { paths: true, ..CallReads::default() },
            /*reads_call_text*/ true,
        ));
    }
    chain
}

/// Creates a chain of native hooks: they run in order, and the first deny ends the chain.
pub fn chain(source: &str, layer: Layer, hooks: impl IntoIterator<Item = Hook>) -> Chain {
    Chain {
        source: Arc::from(source),
        dialect: "native",
        layer,
        profile: Profile::SequentialFirstDeny,
        hooks: hooks.into_iter().map(Arc::new).collect(),
    }
}
