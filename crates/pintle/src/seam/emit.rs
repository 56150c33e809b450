//! `events.emit`: a script causes an event.

use std::sync::Arc;

use pintle_contract::{Caller, Event, EventName, Reply, SeamError};
use serde_json::Value;

use super::ScopeSeam;
use crate::Scope;

/// Fires a custom event and gives the payload its hooks left.
///
/// Only `custom.*` may be emitted: `meta.*` and the rest belong to the host, which scripts must not imitate.
pub(super) fn emit(seam: &ScopeSeam<'_>, caller: Caller<'_>, event: &str, payload: Value) -> Result<Reply, SeamError> {
    if !event.starts_with("custom.") {
        return Err(SeamError(format!("emit: event must start with \"custom.\", not `{event}`")));
    }
    let name = EventName::parse(event)
        .map_err(|_| SeamError(format!("emit: `{event}` is not a name; after `custom.` come a-z, 0-9 and _")))?;
    let deeper = seam.scope.for_caller(caller).deeper().map_err(|fault| SeamError(format!("emit: {fault}")))?;
    let scope = Scope { cause: Some(caller.call), ..deeper };
    let outcome = seam.runtime.fire_in(&Event::new(name.clone(), payload, Arc::clone(seam.origin)), &scope);
    if let Some(host) = &seam.scope.host {
        host.caused(caller, &name, &outcome, seam.scope);
    }
    if outcome.is_allowed() {
        Ok(Reply::Value(outcome.payload.into_value()))
    } else {
        Err(SeamError(format!("emit: {}", outcome.reason())))
    }
}
