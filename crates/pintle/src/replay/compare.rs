//! Holds what the hooks of today did against what those of the tape did.

use pintle_contract::{EffectRequest, Outcome, Verdict};
use pintle_tape::record::{OutcomeRecord, RecordedVerdict};
use serde_json::{Value, json};

use super::listen::{Heard, HeardCall};
use super::present::Present;
use super::recorded::{Entries, Recorded, RecordedCall};
use super::{LiveDifference, What};

/// A call that is on the tape and its like of today, as far as there is one.
type Pair<'p> = (Option<&'p RecordedCall>, Option<&'p HeardCall>);

/// What differs in one dispatch, in the order of the tape.
pub(super) fn compare(
    recorded: &Recorded,
    loaded: &Entries,
    present: &Present<'_>,
    heard: Heard,
) -> Vec<LiveDifference> {
    // A session that ended in a dispatch tells nothing of the rest of it.
    let Some((line, decided)) = &recorded.outcome else { return Vec::new() };
    let mut differences = Differences { recorded, list: Vec::new() };
    let set = present.set(&recorded.event.origin.agent);
    let is_there =
        |hook: &str| set.hooks().any(|(_, there)| there.event == recorded.event.name && there.id.as_str() == hook);
    let event = recorded.event.name.as_str();
    let was_there = |hook: &str| loaded.values().any(|entry| entry.event == event && entry.id == hook);
    let mut last = 0;
    for (then, now) in pairs(&recorded.calls, &heard.calls) {
        match (then, now) {
            (Some(then), None) => {
                let what = if is_there(&then.hook) { What::NotAsked } else { What::Missing };
                differences.add(then.line, Some(&then.hook), what, then.verdict.as_ref().map(said), None);
                last = then.line;
            }
            (None, Some(now)) => {
                let what = if was_there(&now.hook) { What::Asked } else { What::New };
                let at = if last == 0 { *line } else { last };
                differences.add(at, Some(&now.hook), what, None, now.verdict.as_ref().map(said));
            }
            (Some(then), Some(now)) => {
                differences.call(then, now, &heard);
                last = then.line;
            }
            (None, None) => {}
        }
    }
    let (expected, got) = (decided_text(decided, recorded), outcome_text(&heard.outcome, decided));
    if expected != got {
        differences.add(*line, None, What::Outcome, Some(expected), Some(got));
    }
    differences.list.sort_by_key(|difference| difference.line);
    differences.list
}

/// The calls side by side: the same hook in the same asking, and the others where they stand.
fn pairs<'p>(then: &'p [RecordedCall], now: &'p [HeardCall]) -> Vec<Pair<'p>> {
    let mut rest: Vec<Option<&HeardCall>> = now.iter().map(Some).collect();
    let mut pairs: Vec<Pair<'p>> = Vec::new();
    for call in then {
        let same = |other: &Option<&HeardCall>| {
            other.is_some_and(|other| other.hook == call.hook && other.before == call.before)
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

struct Differences<'r> {
    recorded: &'r Recorded,
    list: Vec<LiveDifference>,
}

impl Differences<'_> {
    fn add(&mut self, line: usize, hook: Option<&str>, what: What, expected: Option<String>, got: Option<String>) {
        self.list.push(LiveDifference {
            line,
            dispatch: self.recorded.number,
            event: self.recorded.event.name.to_string(),
            hook: hook.map(str::to_owned),
            what,
            expected,
            got,
        });
    }

    /// Compares two calls of one hook.
    fn call(&mut self, then: &RecordedCall, now: &HeardCall, heard: &Heard) {
        if let Some((expected, got)) = self.order(then, now, heard) {
            self.add(then.line, Some(&then.hook), What::Order, Some(expected), Some(got));
        }
        if let Some(seen) = self.recorded.version(then.payload).filter(|seen| **seen != now.payload) {
            let (expected, got) = (seen.value().to_string(), now.payload.value().to_string());
            self.add(then.line, Some(&then.hook), What::Payload, Some(expected), Some(got));
        }
        // The requests of a hook that is asked again are those of its first call.
        if then.before == 0 {
            let unasked = heard.rest.unasked.iter().find(|effect| effect.hook == then.hook);
            let untold = heard.rest.untold.iter().find(|(hook, _)| *hook == then.hook);
            if unasked.is_some() || untold.is_some() {
                let line = unasked.map_or(then.line, |effect| effect.line);
                let expected = unasked.map(|effect| request(&effect.request));
                self.add(line, Some(&then.hook), What::Request, expected, untold.map(|(_, asked)| request(asked)));
            }
        }
        if let (Some(then_said), Some(now_said)) = (&then.verdict, &now.verdict)
            && then_said != now_said
        {
            self.add(then.line, Some(&then.hook), What::Said, Some(said(then_said)), Some(said(now_said)));
        }
    }

    /// The hooks that are asked before one, then and now, where those of both are not in the same order.
    fn order(&self, then: &RecordedCall, now: &HeardCall, heard: &Heard) -> Option<(String, String)> {
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
fn said(verdict: &Verdict) -> String {
    let mut text = RecordedVerdict::from(verdict);
    if let Some(failure) = &mut text.failure {
        (failure.path, failure.line) = (None, None);
    }
    serde_json::to_string(&text).unwrap_or_default()
}

fn request(request: &EffectRequest) -> String {
    serde_json::to_string(request).unwrap_or_default()
}

/// An outcome as far as it is compared.
fn decided_text(decided: &OutcomeRecord<'_>, recorded: &Recorded) -> String {
    let payload = recorded.version(decided.payload).map(|payload| payload.value());
    outcome(decided, payload.filter(|_| decided.rewritten))
}

fn outcome_text(now: &Outcome, then: &OutcomeRecord<'_>) -> String {
    let decided = OutcomeRecord::new(then.dispatch, &then.event, now, 0, false);
    outcome(&decided, Some(now.payload.value()).filter(|_| now.rewritten))
}

fn outcome(decided: &OutcomeRecord<'_>, payload: Option<&Value>) -> String {
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
