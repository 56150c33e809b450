//! Verdicts as a tape records and shows them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::sync::Arc;

use pintle_contract::{
    Clock, Decision, DenyEffect, Effect, Event, EventCause, EventName, Failure, FailureKind, FailurePolicy,
    FailureReport, Handler, HookId, Journal, JournalEntry, Layer, Origin, Outcome, OutcomeReason, Profile, Rewrite,
    Verdict,
};
use pintle_tape::hook_usage::{UsageCollector, UsageCounts};
use pintle_tape::record::ApprovalResult;
use pintle_tape::replay::DifferenceKind;
use pintle_tape::show::{ShowOptions, Tone, render_lines};
use pintle_tape::{HeaderRecord, RecordBody, Tape, read_bytes};
use pintle_testkit::{FakeClock, ScriptedHandler, chain, hook};
use serde_json::{Value, json};

/// A tape of one dispatch with the verdict of one hook and this outcome.
fn record_outcome(verdict: &Verdict, outcome: impl FnOnce(Outcome) -> Outcome) -> Tape {
    let clock: Arc<dyn Clock> = Arc::new(FakeClock::new());
    let tape = Tape::in_memory(HeaderRecord::new("s1", 0), clock);
    let name = EventName::parse("tool.post").unwrap();
    let event = Event::new(name.clone(), json!({"id": "1", "name": "shell"}), Arc::new(Origin::default()));
    let handler: Arc<dyn Handler> = ScriptedHandler::from_verdict(Verdict::pass());
    let chain = chain(Layer::Project, Profile::SequentialFirstDeny, [hook("judge", name, handler)]);
    let hook = &*chain.hooks[0];
    tape.record_hooks([&chain]);
    let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &event, cause: EventCause::default() });
    let id = tape.next_call();
    tape.record(dispatch, &JournalEntry::Call { id, hook, round: 0, event: &event });
    tape.record(dispatch, &JournalEntry::Return { id, hook, verdict, duration_us: 5 });
    let outcome = outcome(Outcome { hooks_called: 1, ..Outcome::unchanged(event.payload.clone()) });
    tape.record(dispatch, &JournalEntry::Outcome { event: &event, outcome: &outcome });
    tape
}

fn replace_fields(value: Value) -> Rewrite {
    Rewrite::Fields(value.as_object().cloned().unwrap())
}

/// The `hook_returned` record, as written.
fn recorded_verdict(verdict: &Verdict) -> Value {
    let tape = record_outcome(verdict, |outcome| outcome);
    let line = tape.lines().into_iter().find(|line| line.contains(r#""kind":"hook_returned""#)).unwrap();
    serde_json::from_str::<Value>(&line).unwrap().get("verdict").cloned().unwrap()
}

#[test]
fn the_target_that_a_verdict_is_about_is_on_the_tape() {
    let args = || replace_fields(json!({"args": {"cmd": "ls -h"}}));
    let cases = [
        (Verdict::pass().with_rewrite(args()), json!({"kind": "rewrite", "fields": {"args": {"cmd": "ls -h"}}})),
        (
            Verdict::allow("fine").with_rewrite(args()),
            json!({"kind": "allow", "reason": "fine", "fields": {"args": {"cmd": "ls -h"}}}),
        ),
        (
            Verdict::ask("look").with_rewrite(Rewrite::Whole(Value::Null)),
            json!({"kind": "ask", "reason": "look", "whole_payload": null}),
        ),
        // The engine drops the rewrite of a deny.
        (Verdict::deny("no").with_rewrite(args()), json!({"kind": "deny", "reason": "no"})),
    ];
    for (verdict, expected) in cases {
        assert_eq!(recorded_verdict(&verdict), expected);
    }
}

/// The output of `show` for a dispatch, each line with the tone of its last part.
fn render_dispatch(
    verdict: &Verdict,
    everything: bool,
    outcome: impl FnOnce(Outcome) -> Outcome,
) -> Vec<(String, Tone)> {
    let reading = read_bytes(record_outcome(verdict, outcome).lines().join("\n").as_bytes()).unwrap();
    let options = ShowOptions { everything, offsets: false, ..ShowOptions::default() };
    let lines = render_lines(&reading, &options).into_iter().skip(2);
    lines.map(|line| (line.to_string(), line.pieces.last().map_or(Tone::Plain, |(tone, _)| *tone))).collect()
}

fn texts(lines: Vec<(String, Tone)>) -> Vec<String> {
    lines.into_iter().map(|(text, _)| text).collect()
}

#[test]
fn an_allow_of_another_target_shows_both() {
    let verdict = Verdict::allow("bare `ls` is safe").with_rewrite(replace_fields(json!({"args": {}})));
    let lines = texts(render_dispatch(&verdict, false, |outcome| outcome));
    assert_eq!(
        lines,
        [
            "allow    tool.post shell",
            "         judge                     allow         5 us  bare `ls` is safe  replaces args",
        ]
    );
}

#[test]
fn a_deny_that_ends_the_run_says_so() {
    let verdict = Verdict::deny("enough");
    let ends = |stops_run| {
        let reason = OutcomeReason { stops_run, ..OutcomeReason::new(HookId::new("judge"), "enough") };
        texts(render_dispatch(&verdict, false, |outcome| Outcome {
            decision: Decision::Deny,
            reasons: vec![reason],
            ..outcome
        }))
    };
    let line = "         judge                     deny          5 us  enough";
    assert_eq!(ends(false), ["deny     tool.post shell", line]);
    assert_eq!(ends(true), ["deny     tool.post shell", line, "         the run ends"]);
    // The record has it too.
    let reason = OutcomeReason { stops_run: true, ..OutcomeReason::new(HookId::new("judge"), "enough") };
    let tape = record_outcome(&verdict, |outcome| Outcome {
        decision: Decision::Deny,
        reasons: vec![reason.clone()],
        ..outcome
    });
    let records = read_bytes(tape.lines().join("\n").as_bytes()).unwrap().records;
    let reasons = records.iter().find_map(|record| match &record.body {
        RecordBody::Outcome(decided) => Some(decided.reasons.to_vec()),
        _ => None,
    });
    assert_eq!(reasons, Some(vec![reason]));
}

#[test]
fn a_failure_that_its_author_ignores_is_no_warning() {
    let failure = Failure::new(FailureKind::Timeout, "timed out after 1 s");
    let verdict = Verdict::failed(failure.clone()).with_warning("slow");
    let fails = |policy, everything| {
        let report = FailureReport { hook: HookId::new("judge"), failure: failure.clone(), policy };
        render_dispatch(&verdict, everything, |outcome| Outcome { failures: vec![report], ..outcome })
    };
    let line = "         judge                     failed        5 us  timeout: timed out after 1 s";
    let warning = "             warning: slow";
    assert_eq!(
        texts(fails(FailurePolicy::Open, false)),
        ["allow    tool.post shell", line, warning, "         judge  failure has no effect: failure policy `open`",]
    );
    assert_eq!(texts(fails(FailurePolicy::Ignored, false)), ["allow    tool.post shell"]);
    // It is recorded and shown in the full view, in a quiet tone.
    let all = fails(FailurePolicy::Ignored, true);
    let loud = all.iter().skip(1).filter(|(_, tone)| *tone != Tone::Quiet).count();
    assert_eq!(loud, 0);
    assert_eq!(
        texts(all),
        ["allow    tool.post shell", line, warning, "         judge  failure is ignored: `on_error: ignore`",]
    );
}

#[test]
fn what_hooks_know_of_a_call_is_shown_by_name() {
    let Value::Object(facts) = json!({"risk": "high", "files": 3}) else { unreachable!() };
    let lines = texts(render_dispatch(&Verdict::pass().with_effect(Effect::Metadata(facts)), false, |outcome| outcome));
    assert_eq!(lines[2], r#"             metadata: risk="high" files=3"#);
}

/// The words of the format's description, which no rename of a variant may change.
#[test]
fn words_on_a_tape_are_those_of_its_description() {
    let words = |value: Value| value.as_str().unwrap().to_owned();
    let answers = [
        ApprovalResult::Approved,
        ApprovalResult::GrantedTool,
        ApprovalResult::GrantedSession,
        ApprovalResult::Refused,
        ApprovalResult::Deferred,
        ApprovalResult::Unavailable,
    ];
    let answers = answers.map(|answer| words(serde_json::to_value(answer).unwrap()));
    assert_eq!(answers, ["approved", "granted_tool", "granted_session", "refused", "deferred", "unavailable"]);
    let effects =
        [DenyEffect::DenyEvent, DenyEffect::StopRun].map(|effect| words(serde_json::to_value(effect).unwrap()));
    assert_eq!(effects, ["default", "stop_run"]);
    assert_eq!(DifferenceKind::Content.as_str(), "different");
}

/// The counts of one hook in a tape.
fn count_usage(records: &[pintle_tape::Record<'_>]) -> Vec<(String, u64, UsageCounts)> {
    let mut collector = UsageCollector::default();
    records.iter().for_each(|record| collector.add(record));
    collector.finish().into_iter().map(|(hook, at_ms, counts)| (hook.hook, at_ms, counts)).collect()
}

#[test]
fn a_call_and_its_verdict_are_counted() {
    let failure = Verdict::failed(Failure::new(FailureKind::Timeout, "too slow"));
    let cases = [(Verdict::deny("no"), "deny"), (Verdict::pass(), "pass"), (failure, "")];
    for (verdict, word) in cases {
        let tape = read_bytes(record_outcome(&verdict, |outcome| outcome).lines().join("\n").as_bytes()).unwrap();
        let [(hook, _, counts)] = &count_usage(&tape.records)[..] else { panic!("one hook") };
        let is_failed = word.is_empty();
        assert_eq!((hook.as_str(), counts.eligible, counts.matched, counts.run), ("judge", Some(1), 1, 1));
        assert_eq!(counts.failed, u64::from(is_failed));
        assert_eq!(counts.verdicts.get(word).copied(), (!is_failed).then_some(1));
        let message = counts.last_failure.as_ref().map(|(_, message)| message.contains("too slow"));
        assert_eq!(message, is_failed.then_some(true));
        let mut twice = counts.clone();
        twice.add(counts);
        assert_eq!((twice.eligible, twice.run, twice.failed), (Some(2), 2, counts.failed * 2));
    }
}

#[test]
fn no_call_of_a_recorded_session_is_missing_from_the_counts() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tapes");
    let mut call_count = 0;
    for path in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        let tape = read_bytes(&std::fs::read(&path).unwrap()).unwrap();
        let calls_in = |record: &pintle_tape::Record<'_>| match &record.body {
            RecordBody::HookCall(_) => 1,
            RecordBody::Event(fired) => fired.passed.len() as u64,
            _ => 0,
        };
        let calls: u64 = tape.records.iter().map(calls_in).sum();
        let counted = count_usage(&tape.records);
        assert_eq!(counted.iter().map(|(.., counts)| counts.run).sum::<u64>(), calls, "{}", path.display());
        for (hook, _, counts) in &counted {
            let sum: u64 = counts.verdicts.values().sum();
            assert!(counts.eligible.is_none_or(|eligible| counts.matched <= eligible), "{hook}: {counts:?}");
            assert!(counts.matched <= counts.run && sum <= counts.run, "{hook}: {counts:?}");
        }
        call_count += calls;
    }
    assert!(call_count > 20, "{call_count}");
}
