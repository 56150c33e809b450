//! Comparison of what the current hooks did with what is on the tape.

use pintle_contract::{EffectRequest, Outcome, Verdict};
use pintle_tape::record::{OutcomeRecord, RecordedVerdict};
use serde_json::{Value, json};

use super::current_hooks::CurrentHooks;
use super::observe::{ObservedCall, ObservedDispatch};
use super::tape_dispatch::{TapeCall, TapeDispatch, TapeHookTable};
use super::{LiveDifference, LiveDifferenceKind};

/// A recorded call and the current call that corresponds to it; at least one of them exists.
type CallPair<'p> = (Option<&'p TapeCall>, Option<&'p ObservedCall>);

/// The differences in one dispatch, in the order of the tape.
pub(super) fn compare(
    recorded: &TapeDispatch,
    table: &TapeHookTable,
    current: &CurrentHooks<'_>,
    observed: ObservedDispatch,
) -> Vec<LiveDifference> {
    // If the session ended within the dispatch, the tape does not have the rest of it.
    let Some((outcome_line, outcome)) = &recorded.outcome else { return Vec::new() };
    let mut differences = DifferenceList { recorded, list: Vec::new() };
    let set = current.hooks_for_agent(&recorded.event.origin.agent);
    let exists = |id: &str| set.hooks().any(|(_, hook)| hook.event == recorded.event.name && hook.id.as_str() == id);
    let event = recorded.event.name.as_str();
    let existed = |id: &str| table.values().any(|entry| entry.event == event && entry.id == id);
    let mut last_line = 0;
    for pair in pair_calls(&recorded.calls, &observed.calls) {
        match pair {
            (Some(old), None) => {
                let kind = if exists(&old.hook) { LiveDifferenceKind::NotCalled } else { LiveDifferenceKind::Missing };
                differences.push(old.line, Some(&old.hook), kind, old.verdict.as_ref().map(verdict_text), None);
                last_line = old.line;
            }
            (None, Some(new)) => {
                let kind = if existed(&new.hook) { LiveDifferenceKind::NewlyCalled } else { LiveDifferenceKind::New };
                let line = if last_line == 0 { *outcome_line } else { last_line };
                differences.push(line, Some(&new.hook), kind, None, new.verdict.as_ref().map(verdict_text));
            }
            (Some(old), Some(new)) => {
                differences.compare_calls(old, new, &observed);
                last_line = old.line;
            }
            (None, None) => {}
        }
    }
    let (expected, actual) = (recorded_outcome_text(outcome, recorded), outcome_text(&observed.outcome, outcome));
    if expected != actual {
        differences.push(*outcome_line, None, LiveDifferenceKind::Outcome, Some(expected), Some(actual));
    }
    differences.list.sort_by_key(|difference| difference.line);
    differences.list
}

/// Pairs the recorded calls with the current ones: the same hook with the same number of earlier calls. Other current
/// calls come after the call before them.
fn pair_calls<'p>(recorded: &'p [TapeCall], observed: &'p [ObservedCall]) -> Vec<CallPair<'p>> {
    let mut unpaired: Vec<Option<&ObservedCall>> = observed.iter().map(Some).collect();
    let mut pairs: Vec<CallPair<'p>> = Vec::new();
    for call in recorded {
        let same = |other: &Option<&ObservedCall>| {
            other.is_some_and(|other| other.hook == call.hook && other.earlier_call_count == call.earlier_call_count)
        };
        let index = unpaired.iter().position(same);
        let found = index.and_then(|index| unpaired.get_mut(index)).and_then(Option::take);
        pairs.push((Some(call), found));
    }
    // A new call is inserted after the current call before it.
    for (index, call) in observed.iter().enumerate() {
        if unpaired.get(index).is_some_and(Option::is_none) {
            continue;
        }
        let previous = observed.get(..index).and_then(<[_]>::last).map(|call| call.id);
        let position = pairs.iter().position(|(_, other)| other.is_some() && other.map(|other| other.id) == previous);
        pairs.insert(position.map_or(0, |position| position + 1), (None, Some(call)));
    }
    pairs
}

struct DifferenceList<'r> {
    recorded: &'r TapeDispatch,
    list: Vec<LiveDifference>,
}

impl DifferenceList<'_> {
    fn push(
        &mut self,
        line: usize,
        hook: Option<&str>,
        kind: LiveDifferenceKind,
        expected: Option<String>,
        actual: Option<String>,
    ) {
        self.list.push(LiveDifference {
            line,
            dispatch: self.recorded.number,
            event: self.recorded.event.name.to_string(),
            hook: hook.map(str::to_owned),
            kind,
            expected,
            actual,
        });
    }

    /// Compares two calls of one hook.
    fn compare_calls(&mut self, old: &TapeCall, new: &ObservedCall, observed: &ObservedDispatch) {
        if let Some((expected, actual)) = self.compare_order(old, new, observed) {
            self.push(old.line, Some(&old.hook), LiveDifferenceKind::Order, Some(expected), Some(actual));
        }
        if let Some(payload) = self.recorded.payload_version(old.payload).filter(|payload| **payload != new.payload) {
            let (expected, actual) = (payload.value().to_string(), new.payload.value().to_string());
            self.push(old.line, Some(&old.hook), LiveDifferenceKind::Payload, Some(expected), Some(actual));
        }
        // A hook that is called again gets the effect replies of its first call, so only the first call is compared.
        if old.earlier_call_count == 0 {
            let not_requested = observed.unused_effects.not_requested.iter().find(|effect| effect.hook == old.hook);
            let not_recorded = observed.unused_effects.not_recorded.iter().find(|(hook, _)| *hook == old.hook);
            if not_requested.is_some() || not_recorded.is_some() {
                let line = not_requested.map_or(old.line, |effect| effect.line);
                let expected = not_requested.map(|effect| request_text(&effect.request));
                let actual = not_recorded.map(|(_, request)| request_text(request));
                self.push(line, Some(&old.hook), LiveDifferenceKind::Request, expected, actual);
            }
        }
        if let (Some(expected), Some(actual)) = (&old.verdict, &new.verdict)
            && expected != actual
        {
            let (expected, actual) = (verdict_text(expected), verdict_text(actual));
            self.push(old.line, Some(&old.hook), LiveDifferenceKind::Verdict, Some(expected), Some(actual));
        }
    }

    /// The recorded and the current position of a call, if the hook that is called before it is not the same. Hooks
    /// that are called only in one of the two dispatches are ignored.
    fn compare_order(
        &self,
        old: &TapeCall,
        new: &ObservedCall,
        observed: &ObservedDispatch,
    ) -> Option<(String, String)> {
        let in_both = |hook: &str| {
            self.recorded.calls.iter().any(|call| call.hook == hook)
                && observed.calls.iter().any(|call| call.hook == hook)
        };
        let old_previous = self.recorded.calls.iter().take_while(|call| call.call != old.call);
        let old_previous = old_previous.map(|call| call.hook.as_str()).filter(|hook| in_both(hook)).last();
        let new_previous = observed.calls.iter().take_while(|call| call.id != new.id);
        let new_previous = new_previous.map(|call| call.hook.as_str()).filter(|hook| in_both(hook)).last();
        let position = |hook: Option<&str>| hook.map_or(String::from("first"), |hook| format!("after `{hook}`"));
        (old_previous != new_previous).then(|| (position(old_previous), position(new_previous)))
    }
}

/// A verdict as the tape records it. The location of a failure is left out, because files move.
fn verdict_text(verdict: &Verdict) -> String {
    let mut recorded = RecordedVerdict::from(verdict);
    if let Some(failure) = &mut recorded.failure {
        (failure.path, failure.line) = (None, None);
    }
    serde_json::to_string(&recorded).unwrap_or_default()
}

fn request_text(request: &EffectRequest) -> String {
    serde_json::to_string(request).unwrap_or_default()
}

/// The compared part of a recorded outcome.
fn recorded_outcome_text(outcome: &OutcomeRecord<'_>, recorded: &TapeDispatch) -> String {
    let payload = recorded.payload_version(outcome.payload).map(|payload| payload.value());
    comparable_text(outcome, payload.filter(|_| outcome.rewritten))
}

/// The compared part of a current outcome.
fn outcome_text(outcome: &Outcome, recorded: &OutcomeRecord<'_>) -> String {
    let record = OutcomeRecord::new(recorded.dispatch, &recorded.event, outcome, 0, false);
    comparable_text(&record, Some(outcome.payload.value()).filter(|_| outcome.rewritten))
}

fn comparable_text(outcome: &OutcomeRecord<'_>, payload: Option<&Value>) -> String {
    let mut outcome = outcome.clone();
    for failure in &mut outcome.failures {
        (failure.failure.path, failure.failure.line) = (None, None);
    }
    let mut record = serde_json::to_value(&outcome).unwrap_or_default();
    if let Some(fields) = record.as_object_mut() {
        // The numbers of the dispatch and of the payload versions are not part of the decision.
        for name in ["dispatch", "event", "payload", "value"] {
            fields.shift_remove(name);
        }
        if let Some(payload) = payload {
            fields.insert(String::from("payload"), json!(payload));
        }
    }
    record.to_string()
}
