//! `events.emit`: fires a custom event from a script.

use std::sync::Arc;

use pintle_contract::{EffectCaller, EffectError, EffectReply, Event, EventName};
use serde_json::Value;

use super::ScopedEffects;

/// Fires a custom event and returns its payload with the rewrites of its hooks.
///
/// Only `custom.*` can be emitted: all other events, including `meta.*`, belong to the host, which scripts must not
/// imitate.
pub(super) fn emit(
    effects: &ScopedEffects<'_>,
    caller: EffectCaller<'_>,
    event: &str,
    payload: Value,
) -> Result<EffectReply, EffectError> {
    if !event.starts_with("custom.") {
        return Err(EffectError(format!("emit: event must start with \"custom.\", not `{event}`")));
    }
    let name = EventName::parse(event).map_err(|_| {
        EffectError(format!("emit: `{event}` is not an event name; use a-z, 0-9 and _ after `custom.`"))
    })?;
    let scope = effects.scope.for_caller(caller).nested().map_err(|error| EffectError(format!("emit: {error}")))?;
    let outcome = effects.runtime.fire_in(&Event::new(name.clone(), payload, Arc::clone(effects.origin)), &scope);
    if let Some(host) = &effects.scope.host {
        host.apply_outcome(caller, &name, &outcome, effects.scope);
    }
    if outcome.is_allowed() {
        Ok(EffectReply::Value(outcome.payload.into_value()))
    } else {
        Err(EffectError(format!("emit: blocked: {}", outcome.reason_for_model())))
    }
}
