//! Hands work over to another persona or agent: `handoff.emitted` and its receipt.

use pintle_host::Payload;
use pintle_host::contract::{PersonaSpec, suggest_nearest};
use serde_json::Value;

use super::StepError;
use crate::handoff_events::fire_handoff;
use crate::turn_context::TurnContext;

/// The receipt of a hand-off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffReceipt {
    /// The receipt's id within the session.
    pub id: String,
    /// The persona that had the work.
    pub from: String,
    /// The persona that gets it.
    pub to: String,
    /// The digest of the exact payload.
    pub digest: String,
}

/// Hands a persona's work over.
pub(super) fn hand_off_persona(
    turn: &TurnContext,
    persona: &PersonaSpec,
    to: &str,
    summary: &str,
    payload: Value,
) -> Result<HandoffReceipt, StepError> {
    if !persona.handoffs.iter().any(|known| known == to) {
        let known = || persona.handoffs.iter().map(String::as_str);
        let hint = match suggest_nearest(to, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if persona.handoffs.is_empty() => String::from("its declaration has no `handoffs`"),
            None => format!("its declaration names {}", known().collect::<Vec<_>>().join(", ")),
        };
        let reason = format!("persona `{}` cannot hand its work over to `{to}`; {hint}", persona.name);
        return Err(StepError::failed(reason).with_location(&persona.name, &turn.origin.step));
    }
    let receipt = HandoffReceipt {
        id: turn.agent.shared.unique_name("handoff"),
        from: persona.name.clone(),
        to: to.to_owned(),
        digest: Payload::new(payload.clone()).digest(),
    };
    fire_handoff(turn, "persona", receipt.id.clone(), &persona.name, to, summary, payload);
    Ok(receipt)
}
