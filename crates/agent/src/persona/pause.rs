//! Pauses and resumes personas.

use std::sync::Arc;

use pintle_host::Event;
use pintle_host::event::{EventPayload, PersonaPaused, PersonaResumed};

use crate::session::Session;
use crate::session_state::PausedPersona;

/// Pauses a persona. Only a change fires an event.
pub(super) fn pause(session: &Session, name: &str, reason: &str, requester: &str) {
    let (persona, reason, requester) = (name.to_owned(), reason.to_owned(), requester.to_owned());
    let paused = PausedPersona { persona: persona.clone(), reason: reason.clone(), source: requester.clone() };
    if session.context().state.personas.set_paused(name, Some(paused)) {
        fire_change(session, name, &PersonaPaused { persona, reason, by: requester });
    }
}

pub(super) fn resume(session: &Session, name: &str, reason: &str, requester: &str) {
    if session.context().state.personas.set_paused(name, None) {
        let (persona, reason, requester) = (name.to_owned(), reason.to_owned(), requester.to_owned());
        fire_change(session, name, &PersonaResumed { persona, reason, by: requester });
    }
}

fn fire_change<P: EventPayload>(session: &Session, name: &str, payload: &P) {
    let turn = session.turn_for_persona(name);
    let _ = turn.fire_end(&Event::from_payload(payload, Arc::clone(&turn.origin)));
}
