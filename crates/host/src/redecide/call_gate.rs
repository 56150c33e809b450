//! Decides a recorded tool call again, in the order of the protocol.

use std::sync::Arc;

use pintle_contract::event::CallFacts;
use pintle_contract::{Decision, EventKind, EventName, Outcome, Payload};
use pintle_engine::HookSet;
use pintle_lifecycle::{AskResolution, CallStage, ToolCallHost, ToolCallRequest};
use pintle_tools::caller_of;
use serde_json::Value;

use super::answer::{AnswerBuilder, OutcomeView, PolicyAnswer};
use super::session_state::{PolicySession, TapeEvent, ThingContext};

/// A recorded call: the first event of each stage, as the recorded hooks got it.
#[derive(Debug)]
pub(super) struct CallRecording {
    pub(super) stages: Vec<(CallStage, TapeEvent)>,
}

impl CallRecording {
    /// The first event.
    pub(super) fn first(&self) -> Option<&(CallStage, TapeEvent)> {
        self.stages.first()
    }

    pub(super) fn event_of(&self, stage: CallStage) -> Option<&TapeEvent> {
        self.stages.iter().find(|(known, _)| *known == stage).map(|(_, event)| event)
    }
}

/// A call that is decided again.
pub(super) struct PolicyCallGate<'g> {
    session: &'g PolicySession<'g>,
    set: &'g HookSet,
    context: &'g ThingContext<'g>,
    call: &'g CallRecording,
    /// The call as the hooks left it; `None` while it is as it was recorded.
    changed: Option<Payload>,
    answer: AnswerBuilder,
}

/// The call is denied; the answer says why.
pub(super) struct DeniedAgain;

impl<'g> PolicyCallGate<'g> {
    pub(super) fn new(
        session: &'g PolicySession<'g>,
        set: &'g HookSet,
        context: &'g ThingContext<'g>,
        call: &'g CallRecording,
        first: CallStage,
    ) -> Self {
        Self { session, set, context, call, changed: None, answer: AnswerBuilder::new(first.event_kind()) }
    }

    /// The answer, after the protocol was run.
    pub(super) fn into_answer(self) -> PolicyAnswer {
        self.answer.finish()
    }

    /// The event of a stage: as it was recorded, otherwise made from that of another stage.
    fn event_for(&self, stage: CallStage) -> Option<TapeEvent> {
        let (_, first) = self.call.first()?;
        let recorded = self.call.event_of(stage).unwrap_or(first);
        let name = EventName::from(stage.event_kind());
        let mut payload = self.changed.clone().unwrap_or_else(|| recorded.payload.clone());
        if stage != CallStage::Pre && payload.field("invalid").is_some() {
            payload = without_fields(&payload, &["invalid"]);
        }
        if stage == CallStage::Delegation {
            payload = to_request(&payload)?.to_event(stage, "", Arc::clone(&first.origin)).payload;
        }
        Some(TapeEvent { at_ms: recorded.at_ms, name, payload, origin: Arc::clone(&first.origin) })
    }
}

/// A payload without some of its fields.
fn without_fields(payload: &Payload, names: &[&str]) -> Payload {
    let mut value = payload.value().clone();
    if let Value::Object(fields) = &mut value {
        for name in names {
            fields.shift_remove(*name);
        }
    }
    Payload::new(value)
}

/// The call of a payload, for what the protocol asks about it.
fn to_request(payload: &Payload) -> Option<ToolCallRequest> {
    let text = |name: &str| payload.field(name).and_then(Value::as_str);
    let args = payload.field("args").cloned().unwrap_or_default();
    Some(ToolCallRequest::new(text("id").unwrap_or_default(), caller_of(payload), text("name")?, args))
}

impl ToolCallHost for PolicyCallGate<'_> {
    type Refusal = DeniedAgain;
    type Approval = ();

    fn hears(&self, stage: CallStage) -> bool {
        match stage {
            // Its payload is checked, whether or not a hook listens.
            CallStage::Pre => true,
            CallStage::Delegation => {
                // Pintle's own loop fires it with more than the call says, and records it.
                let is_host = |event: &TapeEvent| event.payload.field("host").is_some_and(Value::is_object);
                self.set.has_hooks_for(&EventKind::DelegationPre.into())
                    && self.call.first().is_some_and(|(_, event)| is_host(event))
                    && self.event_for(CallStage::Pre).is_some_and(|event| {
                        to_request(&event.payload).is_some_and(|call| call.delegated_task().is_some())
                    })
            }
            _ => self.set.has_hooks_for(&stage.event_kind().into()),
        }
    }

    fn fire(&mut self, stage: CallStage) -> Result<Outcome, DeniedAgain> {
        let event = self.event_for(stage).ok_or(DeniedAgain)?;
        match self.session.fire(self.set, &event, self.context) {
            Some(outcome) => Ok(outcome),
            None => Ok(Outcome::unchanged(event.payload)),
        }
    }

    fn refuse(&mut self, stage: CallStage, outcome: &Outcome) -> DeniedAgain {
        self.answer.add(stage.event_kind(), &OutcomeView::new(outcome, None));
        DeniedAgain
    }

    fn take_outcome(&mut self, stage: CallStage, outcome: &Outcome) -> Result<bool, DeniedAgain> {
        if outcome.hooks_called > 0 {
            let view = OutcomeView::new(outcome, self.context.journal.changed_by());
            self.answer.add(stage.event_kind(), &view);
        }
        if !outcome.rewritten || stage == CallStage::Delegation {
            return Ok(false);
        }
        // Hooks that read it get it again for the changed call, which is not the one that the user allowed.
        let [paths, operations, commands, code_files] = CallFacts::WORKED_OUT;
        let stale = [paths, operations, commands, code_files, "allowance_ends_at_ms"];
        self.changed = Some(without_fields(&outcome.payload, &stale));
        Ok(true)
    }

    fn begin_round(&mut self) {
        self.answer.begin_round();
    }

    fn resolve_asks(&mut self) -> Result<AskResolution<()>, DeniedAgain> {
        let was_asked = self.call.event_of(CallStage::Permission).is_some();
        let begins_here = self.call.first().is_some_and(|(stage, _)| *stage == CallStage::Permission);
        let is_due = !begins_here && (self.answer.has_asks() || was_asked);
        if !is_due || !self.hears(CallStage::Permission) {
            return Ok(AskResolution::Approved(()));
        }
        let outcome = self.fire(CallStage::Permission)?;
        if outcome.decision == Decision::Deny {
            return Err(self.refuse(CallStage::Permission, &outcome));
        }
        Ok(match self.take_outcome(CallStage::Permission, &outcome)? {
            true => AskResolution::Changed,
            false => AskResolution::Approved(()),
        })
    }

    fn refuse_unsettled(&mut self, _stage: CallStage) -> DeniedAgain {
        self.answer.deny("pintle", String::from("hooks keep changing this call"));
        DeniedAgain
    }
}
