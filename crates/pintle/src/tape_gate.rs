//! No record, no action: once the tape cannot be written, whatever is guarded is denied.

use pintle_contract::event::EventClass;
use pintle_contract::{Decision, Event, EventName, HookId, Outcome, OutcomeReason};

use crate::journal_fanout::JournalFanout;

/// Who denies where there is no tape any more.
const TAPE: &str = "tape";

/// Guarded events whose deny sends the agent on: to deny them would be to act.
const DENY_SENDS_ON: [&str; 2] = ["agent.stop", "delegation.post_verify"];

/// Whether something happens because an event is allowed.
pub(crate) fn is_guarded(name: &EventName) -> bool {
    name.def().class == EventClass::Guard && !DENY_SENDS_ON.contains(&name.as_str())
}

/// Why a guarded event is denied, when the tape ended early or is not what was written any more.
pub(crate) fn denial_reason(journals: &JournalFanout, event: &Event) -> Option<OutcomeReason> {
    let tape = journals.tape()?;
    is_guarded(&event.name).then(|| tape.check_file())?.map(unrecorded_reason)
}

/// Denies what was decided when it could not be written down, or the tape was taken away meanwhile.
pub(crate) fn deny_unrecorded(journals: &JournalFanout, event: &Event, outcome: &mut Outcome) {
    if !is_guarded(&event.name) {
        return;
    }
    if let Some(why) = journals.tape().and_then(|tape| tape.check_file()) {
        outcome.decision = Decision::Deny;
        outcome.approved = false;
        outcome.approval = None;
        outcome.reasons.insert(0, unrecorded_reason(why));
    }
}

/// The outcome of an event that nobody was asked about.
pub(crate) fn denied_outcome(event: &Event, reason: OutcomeReason) -> Outcome {
    Outcome { decision: Decision::Deny, reasons: vec![reason], ..Outcome::unchanged(event.payload.clone()) }
}

fn unrecorded_reason(why: &str) -> OutcomeReason {
    OutcomeReason::new(HookId::new(TAPE), format!("what is not recorded is not done: {why}"))
}
