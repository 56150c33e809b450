//! What the page shows of one tape: its events with their hooks, and one event with its payload.

use std::path::Path;

use pintle_host::tape::decisions::{DecisionCollector, RecordedDecision};
use pintle_host::tape::show::RemovedTexts;
use pintle_host::tape::{Record, TapeReader};
use pintle_log::{LogEntry, LoggedSession, TapeLocation};
use serde_json::{Value, json};

use super::answers::{describe_entry, set_field};
use super::payload_size::ValueLimit;
use crate::commands::why::StoryReader;

/// Most events of one answer.
pub(super) const EVENTS: usize = 100;
/// A range without numbers.
#[expect(clippy::reversed_empty_ranges, reason = "it is to be empty")]
const NO_DISPATCH: std::ops::RangeInclusive<u64> = 1..=0;

/// Some events of a session with their hooks, and how many there are. Those after `skip` others, or those around a record.
pub(super) fn read_timeline(session: &LoggedSession, skip: usize, seq: Option<u64>) -> Value {
    let (mut decisions, mut removed) = (DecisionCollector::default(), RemovedTexts::default());
    let error = visit_records(&session.tape, |record| {
        decisions.add(&record);
        removed.add(&record.body);
    });
    let decisions = decisions.finish_all();
    let around = seq.and_then(|seq| decisions.iter().position(|decision| decision.seq == seq));
    let first = around.map_or(skip, |position| position - position % EVENTS).min(decisions.len());
    let shown: Vec<&RecordedDecision> = decisions.iter().skip(first).take(EVENTS).collect();
    let numbers = || shown.iter().filter_map(|decision| decision.dispatch);
    let mut stories = StoryReader::new(numbers().min().unwrap_or(1)..=numbers().max().unwrap_or(0));
    visit_records(&session.tape, |record| stories.add(record.body));
    let mut events = Vec::new();
    for decision in shown {
        let story = decision.dispatch.and_then(|dispatch| stories.stories.remove(&dispatch)).unwrap_or_default();
        let mut event = describe_entry(&to_entry(session, decision.clone()));
        set_field(&mut event, "hooks", story.hooks_to_json());
        events.push(ValueLimit::new(&removed).copy(&event));
    }
    json!({"events": events, "first": first, "total": decisions.len(), "error": error})
}

/// One event with its hooks, its payload and what hooks changed; `None` if no event begins with this record.
pub(super) fn read_event(session: &LoggedSession, seq: u64) -> Option<Value> {
    let (mut decisions, mut removed) = (DecisionCollector::default(), RemovedTexts::default());
    let mut stories = StoryReader::new(NO_DISPATCH);
    visit_records(&session.tape, |record| {
        decisions.add(&record);
        removed.add(&record.body);
        if let Some(dispatch) = record.body.dispatch().filter(|_| record.seq == seq) {
            stories.wanted = dispatch..=dispatch;
        }
        stories.add(record.body);
    });
    let decision = decisions.finish_all().into_iter().find(|decision| decision.seq == seq)?;
    let story = decision.dispatch.and_then(|dispatch| stories.stories.remove(&dispatch)).unwrap_or_default();
    let entry = to_entry(session, decision);
    let changes = story.changes().into_iter();
    let changes: Vec<Value> =
        changes.map(|change| json!({"field": change.field, "before": change.before, "after": change.after})).collect();
    let mut event = story.to_json(&entry);
    if let (Some(fields), Some(more)) = (event.as_object_mut(), describe_entry(&entry).as_object()) {
        fields.extend(more.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    set_field(&mut event, "changes", Value::from(changes));
    let parts = event.as_object()?.iter();
    // Each part has a size of its own, so that one does not hide another.
    Some(parts.map(|(name, value)| (name.clone(), ValueLimit::new(&removed).copy(value))).collect())
}

/// Visits the records of a tape. Returns why it cannot be read to its end: what comes before is shown all the same.
fn visit_records(tape: &Path, mut visit: impl FnMut(Record<'static>)) -> Option<String> {
    let mut read = || -> Result<(), pintle_host::tape::TapeError> {
        for line in TapeReader::open(tape)?.abridged() {
            visit(line?.record);
        }
        Ok(())
    };
    read().err().map(|error| error.to_string())
}

fn to_entry(session: &LoggedSession, decision: RecordedDecision) -> LogEntry {
    let location = TapeLocation { path: session.tape.clone(), host: session.host.clone(), project: None };
    let (id, long_id) = location.entry_id(&session.session, decision.seq);
    LogEntry {
        id,
        long_id,
        session: session.session.clone(),
        host: session.host.clone(),
        project: session.project.clone(),
        tape: session.tape.clone(),
        decision,
    }
}
