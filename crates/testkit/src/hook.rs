//! Hooks and chains with the options that most tests need.

use std::sync::Arc;

use pintle_contract::{
    CallLimits, Chain, EnforcementMode, EventName, FailurePolicy, Handler, Hook, HookId, Layer, Location, Profile,
    SourceTrust,
};

/// Creates an enforced guard without a matcher and with the failure policy `closed`. Change its fields for other
/// options.
#[must_use]
pub fn hook(id: &str, event: EventName, handler: Arc<dyn Handler>) -> Hook {
    Hook {
        id: HookId::new(id),
        event_alias: Arc::from(event.as_str()),
        event,
        priority: 0,
        matcher: None,
        handler,
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
    }
}

/// Creates a chain named after its layer, of a dialect called `test`.
#[must_use]
pub fn chain(layer: Layer, profile: Profile, hooks: impl IntoIterator<Item = Hook>) -> Chain {
    Chain {
        source: Arc::from(layer.to_string()),
        dialect: "test",
        layer,
        profile,
        hooks: hooks.into_iter().map(Arc::new).collect(),
    }
}
