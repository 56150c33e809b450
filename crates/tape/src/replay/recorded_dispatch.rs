//! A recorded dispatch, divided into its inputs and the records that the engine produced.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{CallId, DispatchId, Event, EventCause, EventName, HookId, Verdict};

use super::decode;
use super::input_feed::{DispatchInputs, MatchedHook, MatchedHookResult, RecordedReturn};
use super::stubs::StubRegistry;
use crate::record::{OutcomeRecord, RecordBody};

/// A dispatch on the tape.
#[derive(Debug, Default)]
pub(super) struct RecordedDispatch {
    pub(super) number: u64,
    /// Its first record; `None` if the tape does not have it.
    pub(super) start: Option<DispatchStart>,
    pub(super) inputs: DispatchInputs,
    /// The indices of the lines that the engine produced.
    pub(super) records: Vec<usize>,
    /// Whether it has an outcome.
    pub(super) is_over: bool,
    /// Whether its only record is that of the event: no hook matches it, or all hooks passed.
    pub(super) single_record: Option<SingleRecord>,
    /// Whether its values have no references to blobs.
    pub(super) is_whole: bool,
    /// The index of the first matched hook in the group of concurrent hooks that is being read.
    group_start: usize,
}

/// A dispatch of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SingleRecord {
    /// No hook matches the event.
    NoHooks,
    /// All hooks passed.
    Passed,
}

/// The first record of a dispatch.
#[derive(Debug)]
pub(super) struct DispatchStart {
    pub(super) cause: EventCause,
    /// The index of its line.
    pub(super) index: usize,
    /// Whether the line has the writer's encoding of the event.
    pub(super) is_written: bool,
    /// The event. Its payload is read only if the outcome depends on it.
    pub(super) event: Event,
}

/// All dispatches of a tape.
#[derive(Debug, Default)]
pub(super) struct RecordedDispatches {
    list: Vec<RecordedDispatch>,
    by_number: HashMap<u64, usize>,
}

impl RecordedDispatches {
    /// Adds the next record of the tape if the engine produced it. `is_written` is whether an event has the writer's
    /// encoding.
    pub(super) fn add_record(
        &mut self,
        line_index: usize,
        body: RecordBody<'static>,
        is_written: bool,
        stubs: &StubRegistry,
    ) {
        let Some(number) = body.dispatch().filter(|_| !is_input(&body)) else { return };
        let index = *self.by_number.entry(number).or_insert_with(|| {
            self.list.push(RecordedDispatch { number, ..RecordedDispatch::default() });
            self.list.len() - 1
        });
        if let Some(dispatch) = self.list.get_mut(index) {
            dispatch.records.push(line_index);
            dispatch.add_record(line_index, body, is_written, stubs);
        }
    }

    /// The dispatches, in the order in which they started.
    pub(super) fn into_list(mut self) -> Vec<RecordedDispatch> {
        for dispatch in &mut self.list {
            dispatch.group_start = 0;
        }
        self.list
    }
}

impl RecordedDispatch {
    fn add_record(&mut self, line_index: usize, body: RecordBody<'static>, is_written: bool, stubs: &StubRegistry) {
        let inputs = &mut self.inputs;
        match body {
            RecordBody::Event(fired) if self.start.is_none() => {
                self.single_record = match fired.no_hooks {
                    true => Some(SingleRecord::NoHooks),
                    false => (!fired.passed.is_empty()).then_some(SingleRecord::Passed),
                };
                self.is_over |= self.single_record.is_some();
                for passed in &fired.passed {
                    let (call, duration_us, verdict) = (passed.call, passed.duration_us, Some(Verdict::pass()));
                    inputs.calls.push(RecordedReturn { call, duration_us, verdict });
                    let (entry, result) = (passed.entry, MatchedHookResult::Called);
                    inputs.matched_hooks.push(MatchedHook { entry, returned_before: 0, result });
                    inputs.returned_count += 1;
                }
                // An event that this version does not know cannot be fired. The new tape then does not have the record.
                self.start = EventName::parse(&fired.event).ok().map(|name| DispatchStart {
                    cause: EventCause { parent: fired.parent.map(DispatchId), call: fired.cause.map(CallId), depth: 0 },
                    index: line_index,
                    // The engine's record is the first one, has the canonical name, and has no call with the number 0.
                    is_written: is_written
                        && self.records.first() == Some(&line_index)
                        && name.as_str() == fired.event
                        && fired.cause != Some(0),
                    event: Event::new(name, fired.payload.into_owned(), Arc::new(fired.origin.into_owned())),
                });
            }
            RecordBody::MatcherFailed(skipped) => {
                let result = MatchedHookResult::MatcherFailed(decode::decode_failure(skipped.failure));
                inputs.matched_hooks.push(MatchedHook {
                    entry: skipped.entry,
                    returned_before: inputs.returned_count,
                    result,
                });
                self.sort_into_group(stubs, skipped.round);
            }
            RecordBody::NotCalled(skipped) => {
                // A matcher failure that the failure policy applies to has two records: the failure and the skipped
                // call.
                let is_known = inputs.matched_hooks.last().is_some_and(|last| {
                    last.entry == skipped.entry && matches!(last.result, MatchedHookResult::MatcherFailed(_))
                });
                if !is_known {
                    inputs.matched_hooks.push(MatchedHook {
                        entry: skipped.entry,
                        returned_before: inputs.returned_count,
                        result: MatchedHookResult::Cancelled,
                    });
                    self.sort_into_group(stubs, skipped.round);
                }
            }
            RecordBody::HookCall(call) => {
                inputs.calls.push(RecordedReturn { call: call.call, duration_us: 0, verdict: None });
                inputs.matched_hooks.push(MatchedHook {
                    entry: call.entry,
                    returned_before: inputs.returned_count,
                    result: MatchedHookResult::Called,
                });
                self.sort_into_group(stubs, call.round);
            }
            RecordBody::HookReturned(returned) => {
                inputs.returned_count += 1;
                if let Some(call) = inputs.calls.iter_mut().find(|call| call.call == returned.call) {
                    call.duration_us = returned.duration_us;
                    call.verdict = Some(decode::decode_verdict(returned.verdict));
                }
                self.group_start = self.inputs.matched_hooks.len();
            }
            RecordBody::Approval(approval) => inputs.approval_response = Some(decode::decode_approval(&approval)),
            RecordBody::Outcome(outcome) => {
                self.is_over = true;
                inputs.unsettled_guards = unsettled_guards(&outcome);
            }
            _ => {}
        }
    }

    /// Moves the last matched hook to the position at which the engine matched it.
    ///
    /// The engine matches all concurrent hooks before it calls the first of them, and records a skipped hook at once.
    /// So the calls of the group follow the skipped hook on the tape, whatever the order of the hooks.
    fn sort_into_group(&mut self, stubs: &StubRegistry, round: u8) {
        let matched = &mut self.inputs.matched_hooks;
        let newest = matched.len().saturating_sub(1);
        let Some(position) = matched.get(newest).and_then(|hook| stubs.position_of(hook.entry)) else { return };
        let in_group =
            |hook: &MatchedHook| stubs.position_of(hook.entry).is_some_and(|other| other.chain == position.chain);
        if round > 0 || !position.is_concurrent {
            self.group_start = matched.len();
            return;
        }
        let outside = matched.iter().take(newest).rposition(|hook| !in_group(hook));
        let first = outside.map_or(0, |index| index + 1).max(self.group_start);
        let Some(group) = matched.get_mut(first..) else { return };
        if group
            .iter()
            .any(|hook| matches!(hook.result, MatchedHookResult::MatcherFailed(_) | MatchedHookResult::Cancelled))
        {
            group.sort_by_key(|hook| stubs.position_of(hook.entry).map(|position| position.slot));
        }
    }
}

/// Whether a record is an input of the replay, not a product of the engine.
pub(super) fn is_input(body: &RecordBody<'_>) -> bool {
    matches!(body, RecordBody::Effect(_)) || body.dispatch().is_none()
}

/// The guards that the engine stopped rechecking.
fn unsettled_guards(outcome: &OutcomeRecord<'_>) -> Vec<HookId> {
    outcome.reasons.iter().filter_map(|reason| reason.unsettled_guard.clone()).collect()
}
