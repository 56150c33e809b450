//! Denies guarded events when the tape cannot be written: nothing may happen that is not recorded.

use pintle_contract::event::EventClass;
use pintle_contract::{Decision, Event, EventKind, EventName, HookId, Outcome, OutcomeReason};

use crate::journal_fanout::JournalFanout;

/// The hook name in the reasons of such a deny.
const TAPE: &str = "tape";

/// Guarded events whose deny makes the agent continue; denying them would not stop anything.
const DENY_SENDS_ON: [EventKind; 2] = [EventKind::AgentStop, EventKind::DelegationPostVerify];

/// Whether an allow of the event lets an action happen.
pub(crate) fn is_guarded(name: &EventName) -> bool {
    name.def().class == EventClass::Guard && !DENY_SENDS_ON.contains(&name.kind())
}

/// The reason to deny a guarded event because the tape ended early or was changed; `None` if the tape is intact.
pub(crate) fn denial_reason(journals: &JournalFanout, event: &Event) -> Option<OutcomeReason> {
    let tape = journals.tape()?;
    is_guarded(&event.name).then(|| tape.check_file())?.map(unrecorded_reason)
}

/// Denies a guarded event if its outcome could not be recorded or the tape was removed meanwhile.
pub(crate) fn deny_unrecorded(journals: &JournalFanout, event: &Event, outcome: &mut Outcome) {
    if !is_guarded(&event.name) {
        return;
    }
    if let Some(reason) = journals.tape().and_then(|tape| tape.check_file()) {
        outcome.decision = Decision::Deny;
        outcome.approved = false;
        outcome.approval = None;
        outcome.reasons.insert(0, unrecorded_reason(reason));
    }
}

/// The outcome of an event for which no hook was called.
pub(crate) fn denied_outcome(event: &Event, reason: OutcomeReason) -> Outcome {
    Outcome { decision: Decision::Deny, reasons: vec![reason], ..Outcome::unchanged(event.payload.clone()) }
}

fn unrecorded_reason(reason: &str) -> OutcomeReason {
    OutcomeReason::new(HookId::new(TAPE), format!("denied because it cannot be recorded: {reason}"))
}
