//! The report for other programs, as `schema.json` describes it.

use pintle_host::redecide::{ChangeDirection, ChangeGroup, PolicyAnswer, RedecidedCall};
use serde_json::{Value, json};

use super::RedecisionResult;

/// The version of this form; it grows if a field changes its meaning or is gone.
const VERSION: u32 = 1;

/// The report.
pub(super) fn result_to_json(result: &RedecisionResult) -> Value {
    let report = &result.report;
    let changes = report.changes.iter().map(|((before, after), group)| {
        json!({
            "before": before,
            "after": after,
            "direction": ChangeDirection::between(*before, *after),
            "count": group.count,
            "by": sources_to_json(group),
            "examples": examples_to_json(group, result),
        })
    });
    let undecided = report.undecided.iter().map(|(gap, group)| {
        json!({
            "hook": gap.hook,
            "reason": gap.reason,
            "count": group.count,
            "examples": examples_to_json(group, result),
        })
    });
    let unread = result
        .tapes
        .iter()
        .filter_map(|tape| Some(json!({"tape": tape.location.path, "reason": tape.problem.as_ref()?})));
    json!({
        "version": VERSION,
        "tapes": result.tapes.len(),
        "examples": result.examples.as_ref().map(|examples| json!({
            "written": examples.written,
            "derived": examples.derived,
            "left_out": examples.left_out,
        })),
        "calls": report.calls,
        "events": report.events,
        "unchanged": report.unchanged,
        "changes": changes.collect::<Vec<_>>(),
        "undecided": undecided.collect::<Vec<_>>(),
        "own_denials": report.own_denials,
        "unfinished": report.unfinished,
        "unheard_events": result.unheard_events,
        "unreadable": unread.collect::<Vec<_>>(),
    })
}

fn sources_to_json(group: &ChangeGroup) -> Vec<Value> {
    let source = |(source, count): (&pintle_host::redecide::ChangeSource, &u64)| json!({"rule": source.rule, "hook": source.hook, "subject": source.subject, "count": count});
    group.by.iter().map(source).collect()
}

fn examples_to_json(group: &ChangeGroup, result: &RedecisionResult) -> Vec<Value> {
    group.examples.iter().map(|call| call_to_json(call, result)).collect()
}

fn call_to_json(call: &RedecidedCall, result: &RedecisionResult) -> Value {
    let tape = result.tapes.get(call.tape);
    json!({
        "id": tape.and_then(|tape| tape.entry_id(call)),
        "at_ms": call.at_ms,
        "host": tape.and_then(|tape| tape.location.host.as_deref()),
        "project": tape.and_then(|tape| tape.location.project.as_deref()),
        "session": call.session,
        "agent": call.agent,
        "event": call.event,
        "tool": call.tool,
        "call": call.call,
        "before": answer_to_json(&call.before),
        "after": answer_to_json(&call.after),
        "tape": tape.map(|tape| &tape.location.path),
        "seq": call.seq,
    })
}

fn answer_to_json(answer: &PolicyAnswer) -> Value {
    json!({
        "result": answer.result,
        "hook": answer.hook,
        "rule": answer.rule,
        "reason": answer.reason,
        "rewritten": answer.rewritten,
    })
}
