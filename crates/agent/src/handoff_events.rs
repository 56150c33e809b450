//! The events about work and conversations that go to another agent.

use std::sync::Arc;

use pintle_host::Event;
use pintle_host::event::{AgentSwitch, HandoffEmitted};
use serde_json::Value;

use crate::turn_context::{Agent, TurnContext};

/// Fires `handoff.emitted` for an agent that hands work over to another one, if a hook listens.
pub(crate) fn emit_handoff(
    turn: &TurnContext,
    kind: &'static str,
    to: &str,
    summary: &str,
    payload: impl FnOnce() -> Value,
) {
    if turn.has_listener::<HandoffEmitted>() {
        let id = turn.agent.shared.unique_name("handoff");
        fire_handoff(turn, kind, id, &turn.agent.spec.name, to, summary, payload());
    }
}

pub(crate) fn fire_handoff(
    turn: &TurnContext,
    kind: &'static str,
    id: String,
    from: &str,
    to: &str,
    summary: &str,
    payload: Value,
) {
    let payload = HandoffEmitted {
        id,
        kind: kind.to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        summary: summary.to_owned(),
        payload,
        persona: turn.origin.persona.clone(),
        step: turn.origin.step.clone(),
    };
    let _ = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
}

/// Fires `agent.switch`, because another agent has the conversation now. It fires even if the turn was cancelled, so
/// that every switch has its switch back in an audit.
pub(crate) fn fire_agent_switch(turn: &TurnContext, from: &Agent, to: &str, kind: &str) {
    let payload = AgentSwitch {
        from: from.spec.name.clone(),
        to: to.to_owned(),
        kind: kind.to_owned(),
        from_models: from.models(),
    };
    let _ = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
}
