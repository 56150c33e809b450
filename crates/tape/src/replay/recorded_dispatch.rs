//! One dispatch as a tape has it: what came from outside, and which records are the engine's.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{CallId, Event, EventName, HookId};

use super::decode;
use super::input_feed::{DispatchInputs, MatchedHook, MatchedHookResult, RecordedReturn};
use super::stubs::StubRegistry;
use crate::record::{OutcomeRecord, RecordBody};

/// One dispatch.
#[derive(Debug, Default)]
pub(super) struct RecordedDispatch {
    /// Its number.
    pub(super) number: u64,
    /// How it begins; `None` when the tape has no beginning of it.
    pub(super) start: Option<DispatchStart>,
    /// What is not for the engine to decide.
    pub(super) inputs: DispatchInputs,
    /// The engine's records of it, by their place on the tape.
    pub(super) records: Vec<usize>,
    /// Whether it has an outcome.
    pub(super) is_over: bool,
    /// Where the asks stand that the group now open began with.
    group_start: usize,
}

/// How a dispatch begins.
#[derive(Debug)]
pub(super) struct DispatchStart {
    pub(super) parent: Option<u64>,
    pub(super) cause: Option<CallId>,
    /// The place of its record.
    pub(super) index: usize,
    /// The event; its payload was not read where the line has no payload either.
    pub(super) event: Event,
}

/// All dispatches of a tape.
#[derive(Debug, Default)]
pub(super) struct RecordedDispatches {
    list: Vec<RecordedDispatch>,
    by_number: HashMap<u64, usize>,
}

impl RecordedDispatches {
    /// Takes the next record of the tape, where it is work of the engine.
    pub(super) fn add_record(&mut self, at: usize, body: RecordBody<'static>, cast: &StubRegistry) {
        let Some(number) = body.dispatch().filter(|_| !is_input(&body)) else { return };
        let index = *self.by_number.entry(number).or_insert_with(|| {
            self.list.push(RecordedDispatch { number, ..RecordedDispatch::default() });
            self.list.len() - 1
        });
        if let Some(scene) = self.list.get_mut(index) {
            scene.records.push(at);
            scene.add_record(at, body, cast);
        }
    }

    /// The dispatches, in the order in which they began.
    pub(super) fn into_list(mut self) -> Vec<RecordedDispatch> {
        for scene in &mut self.list {
            scene.group_start = 0;
        }
        self.list
    }
}

impl RecordedDispatch {
    fn add_record(&mut self, at: usize, body: RecordBody<'static>, cast: &StubRegistry) {
        let cues = &mut self.inputs;
        match body {
            RecordBody::Event(fired) if self.start.is_none() => {
                // What this program has no event for cannot be fired; the record is then one too many.
                self.start = EventName::parse(&fired.event).ok().map(|name| DispatchStart {
                    parent: fired.parent,
                    cause: fired.cause.map(CallId),
                    index: at,
                    event: Event::new(name, fired.payload.into_owned(), Arc::new(fired.origin.into_owned())),
                });
            }
            RecordBody::MatcherFailed(passed) => {
                let turn = MatchedHookResult::MatcherFailed(decode::decode_failure(passed.failure));
                cues.matched_hooks.push(MatchedHook {
                    entry: passed.entry,
                    returned_before: cues.returned_count,
                    result: turn,
                });
                self.sort_into_group(cast, passed.round);
            }
            RecordBody::NotCalled(passed) => {
                // A failed matcher that counts is told twice: as what happened and as what follows.
                let told = matches!(cues.matched_hooks.last(), Some(MatchedHook { entry, result: MatchedHookResult::MatcherFailed(_), .. }) if *entry == passed.entry);
                if !told {
                    cues.matched_hooks.push(MatchedHook {
                        entry: passed.entry,
                        returned_before: cues.returned_count,
                        result: MatchedHookResult::Cancelled,
                    });
                    self.sort_into_group(cast, passed.round);
                }
            }
            RecordBody::HookCall(asked) => {
                cues.calls.push(RecordedReturn { call: asked.call, duration_us: 0, verdict: None });
                cues.matched_hooks.push(MatchedHook {
                    entry: asked.entry,
                    returned_before: cues.returned_count,
                    result: MatchedHookResult::Called,
                });
                self.sort_into_group(cast, asked.round);
            }
            RecordBody::HookReturned(answered) => {
                cues.returned_count += 1;
                if let Some(returned) = cues.calls.iter_mut().find(|returned| returned.call == answered.call) {
                    returned.duration_us = answered.duration_us;
                    returned.verdict = Some(decode::decode_verdict(answered.verdict));
                }
                self.group_start = self.inputs.matched_hooks.len();
            }
            RecordBody::Approval(resolved) => cues.approval_response = Some(decode::decode_approval(&resolved)),
            RecordBody::Outcome(decided) => {
                self.is_over = true;
                cues.unsettled_guards = unsettled_guards(&decided);
            }
            _ => {}
        }
    }

    /// Puts the newest ask where its hook was found to want the event.
    ///
    /// Hooks that are asked at once are all looked at before the first of them is called, and one that is passed over is
    /// told at once. So the calls of the group come behind it on the tape, whatever the order of the hooks.
    fn sort_into_group(&mut self, cast: &StubRegistry, round: u8) {
        let asks = &mut self.inputs.matched_hooks;
        let newest = asks.len().saturating_sub(1);
        let Some(place) = asks.get(newest).and_then(|ask| cast.position_of(ask.entry)) else { return };
        let in_group = |ask: &MatchedHook| cast.position_of(ask.entry).is_some_and(|other| other.chain == place.chain);
        if round > 0 || !place.is_concurrent {
            self.group_start = asks.len();
            return;
        }
        let first =
            asks.iter().take(newest).rposition(|ask| !in_group(ask)).map_or(0, |at| at + 1).max(self.group_start);
        let Some(group) = asks.get_mut(first..) else { return };
        if group
            .iter()
            .any(|ask| matches!(ask.result, MatchedHookResult::MatcherFailed(_) | MatchedHookResult::Cancelled))
        {
            group.sort_by_key(|ask| cast.position_of(ask.entry).map(|place| place.slot));
        }
    }
}

/// Whether a record is an input and no work of the engine.
pub(super) fn is_input(body: &RecordBody<'_>) -> bool {
    matches!(body, RecordBody::Effect(_)) || body.dispatch().is_none()
}

/// The guards that the engine stopped rechecking.
fn unsettled_guards(decided: &OutcomeRecord<'_>) -> Vec<HookId> {
    decided.reasons.iter().filter_map(|reason| reason.unsettled_guard.clone()).collect()
}
