//! The events at the start and the end of a session.

use std::sync::Arc;

use pintle_host::event::{SessionError, SessionStart};
use pintle_host::{Event, Outcome};

use crate::turn_context::TurnContext;

/// Fires `session.start` at the hooks of a turn's agent.
pub(crate) fn fire_session_start(turn: &TurnContext, source: &str) -> Outcome {
    let shared = &turn.agent.shared;
    shared.state.started_agents.add(&turn.agent.spec.name);
    let cwd = shared.workspace.root().display().to_string();
    let payload = SessionStart { source: source.to_owned(), cwd, host: None };
    turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)))
}

/// Fires `session.error`, just before `session.end`.
pub(crate) fn fire_session_error(turn: &TurnContext, status: &str, stop_reason: &str, message: &str) {
    let _ = turn.fire_if_listened(|| SessionError {
        status: status.to_owned(),
        stop_reason: stop_reason.to_owned(),
        message: message.to_owned(),
        host: None,
    });
}
