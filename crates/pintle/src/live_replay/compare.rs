//! Holds what the hooks of today did against what those of the tape did.

use pintle_contract::{EffectRequest, Outcome, Verdict};
use pintle_tape::record::{OutcomeRecord, RecordedVerdict};
use serde_json::{Value, json};

use super::current_hooks::CurrentHooks;
use super::observe::{ObservedCall, ObservedDispatch};
use super::tape_dispatch::{TapeCall, TapeDispatch, TapeHookTable};
use super::{LiveDifference, LiveDifferenceKind};

/// A call that is on the tape and its like of today, as far as there is one.
type CallPair<'p> = (Option<&'p TapeCall>, Option<&'p ObservedCall>);

/// What differs in one dispatch, in the order of the tape.
pub(super) fn compare(
    recorded: &TapeDispatch,
    loaded: &TapeHookTable,
    present: &CurrentHooks<'_>,
    heard: ObservedDispatch,
) -> Vec<LiveDifference> {
    // A session that ended in a dispatch tells nothing of the rest of it.
    let Some((line, decided)) = &recorded.outcome else { return Vec::new() };
    let mut differences = DifferenceList { recorded, list: Vec::new() };
    let set = present.hooks_for_agent(&recorded.event.origin.agent);
    let is_there =
        |hook: &str| set.hooks().any(|(_, there)| there.event == recorded.event.name && there.id.as_str() == hook);
    let event = recorded.event.name.as_str();
    let was_there = |hook: &str| loaded.values().any(|entry| entry.event == event && entry.id == hook);
    let mut last = 0;
    for (then, now) in pair_calls(&recorded.calls, &heard.calls) {
        match (then, now) {
            (Some(then), None) => {
                let what =
                    if is_there(&then.hook) { LiveDifferenceKind::NotCalled } else { LiveDifferenceKind::Missing };
                differences.push(then.line, Some(&then.hook), what, then.verdict.as_ref().map(verdict_text), None);
                last = then.line;
            }
            (None, Some(now)) => {
                let what = if was_there(&now.hook) { LiveDifferenceKind::NewlyCalled } else { LiveDifferenceKind::New };
                let at = if last == 0 { *line } else { last };
                differences.push(at, Some(&now.hook), what, None, now.verdict.as_ref().map(verdict_text));
            }
            (Some(then), Some(now)) => {
                differences.compare_calls(then, now, &heard);
                last = then.line;
            }
            (None, None) => {}
        }
    }
    let (expected, got) = (decided_text(decided, recorded), outcome_text(&heard.outcome, decided));
    if expected != got {
        differences.push(*line, None, LiveDifferenceKind::Outcome, Some(expected), Some(got));
    }
    differences.list.sort_by_key(|difference| difference.line);
    differences.list
}

/// The calls side by side: the same hook in the same asking, and the others where they stand.
fn pair_calls<'p>(then: &'p [TapeCall], now: &'p [ObservedCall]) -> Vec<CallPair<'p>> {
    let mut rest: Vec<Option<&ObservedCall>> = now.iter().map(Some).collect();
    let mut pairs: Vec<CallPair<'p>> = Vec::new();
    for call in then {
        let same = |other: &Option<&ObservedCall>| {
            other.is_some_and(|other| other.hook == call.hook && other.earlier_call_count == call.earlier_call_count)
        };
        let at = rest.iter().position(same);
        let found = at.and_then(|at| rest.get_mut(at)).and_then(Option::take);
        pairs.push((Some(call), found));
    }
    // A hook that was not asked then stands behind the one that is asked before it now.
    for (at, call) in now.iter().enumerate() {
        if rest.get(at).is_some_and(Option::is_none) {
            continue;
        }
        let before = now.get(..at).and_then(<[_]>::last).map(|call| call.id);
        let place = pairs.iter().position(|(_, other)| other.is_some() && other.map(|other| other.id) == before);
        pairs.insert(place.map_or(0, |place| place + 1), (None, Some(call)));
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
        what: LiveDifferenceKind,
        expected: Option<String>,
        got: Option<String>,
    ) {
        self.list.push(LiveDifference {
            line,
            dispatch: self.recorded.number,
            event: self.recorded.event.name.to_string(),
            hook: hook.map(str::to_owned),
            kind: what,
            expected,
            actual: got,
        });
    }

    /// Compares two calls of one hook.
    fn compare_calls(&mut self, then: &TapeCall, now: &ObservedCall, heard: &ObservedDispatch) {
        if let Some((expected, got)) = self.compare_order(then, now, heard) {
            self.push(then.line, Some(&then.hook), LiveDifferenceKind::Order, Some(expected), Some(got));
        }
        if let Some(seen) = self.recorded.payload_version(then.payload).filter(|seen| **seen != now.payload) {
            let (expected, got) = (seen.value().to_string(), now.payload.value().to_string());
            self.push(then.line, Some(&then.hook), LiveDifferenceKind::Payload, Some(expected), Some(got));
        }
        // The requests of a hook that is asked again are those of its first call.
        if then.earlier_call_count == 0 {
            let unasked = heard.unused_effects.not_requested.iter().find(|effect| effect.hook == then.hook);
            let untold = heard.unused_effects.not_recorded.iter().find(|(hook, _)| *hook == then.hook);
            if unasked.is_some() || untold.is_some() {
                let line = unasked.map_or(then.line, |effect| effect.line);
                let expected = unasked.map(|effect| request_text(&effect.request));
                self.push(
                    line,
                    Some(&then.hook),
                    LiveDifferenceKind::Request,
                    expected,
                    untold.map(|(_, asked)| request_text(asked)),
                );
            }
        }
        if let (Some(then_said), Some(now_said)) = (&then.verdict, &now.verdict)
            && then_said != now_said
        {
            self.push(
                then.line,
                Some(&then.hook),
                LiveDifferenceKind::Verdict,
                Some(verdict_text(then_said)),
                Some(verdict_text(now_said)),
            );
        }
    }

    /// The hooks that are asked before one, then and now, where those of both are not in the same order.
    fn compare_order(&self, then: &TapeCall, now: &ObservedCall, heard: &ObservedDispatch) -> Option<(String, String)> {
        let both = |hook: &str| {
            self.recorded.calls.iter().any(|call| call.hook == hook) && heard.calls.iter().any(|call| call.hook == hook)
        };
        let before_then = self.recorded.calls.iter().take_while(|call| call.call != then.call);
        let before_then = before_then.map(|call| call.hook.as_str()).filter(|hook| both(hook)).last();
        let before_now = heard.calls.iter().take_while(|call| call.id != now.id);
        let before_now = before_now.map(|call| call.hook.as_str()).filter(|hook| both(hook)).last();
        let place = |hook: Option<&str>| hook.map_or(String::from("first"), |hook| format!("behind `{hook}`"));
        (before_then != before_now).then(|| (place(before_then), place(before_now)))
    }
}

/// What a hook said, in the words of a tape. Where in its file a failure happened is left out: files move.
fn verdict_text(verdict: &Verdict) -> String {
    let mut text = RecordedVerdict::from(verdict);
    if let Some(failure) = &mut text.failure {
        (failure.path, failure.line) = (None, None);
    }
    serde_json::to_string(&text).unwrap_or_default()
}

fn request_text(request: &EffectRequest) -> String {
    serde_json::to_string(request).unwrap_or_default()
}

/// An outcome as far as it is compared.
fn decided_text(decided: &OutcomeRecord<'_>, recorded: &TapeDispatch) -> String {
    let payload = recorded.payload_version(decided.payload).map(|payload| payload.value());
    comparable_text(decided, payload.filter(|_| decided.rewritten))
}

fn outcome_text(now: &Outcome, then: &OutcomeRecord<'_>) -> String {
    let decided = OutcomeRecord::new(then.dispatch, &then.event, now, 0, false);
    comparable_text(&decided, Some(now.payload.value()).filter(|_| now.rewritten))
}

fn comparable_text(decided: &OutcomeRecord<'_>, payload: Option<&Value>) -> String {
    let mut decided = decided.clone();
    for failure in &mut decided.failures {
        (failure.failure.path, failure.failure.line) = (None, None);
    }
    let mut whole = serde_json::to_value(&decided).unwrap_or_default();
    if let Some(fields) = whole.as_object_mut() {
        // The number of the dispatch and those of the payload's versions say nothing about what was decided.
        for name in ["dispatch", "event", "payload", "value"] {
            fields.shift_remove(name);
        }
        if let Some(payload) = payload {
            fields.insert(String::from("payload"), json!(payload));
        }
    }
    whole.to_string()
}
