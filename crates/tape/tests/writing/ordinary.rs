//! The content of ordinary records: which hooks were called, what blocked, what the host did.

use std::borrow::Cow;

use pintle_contract::{
    ApprovalResponse, CallId, Chain, Decision, DenyEffect, Event, EventCause, EventName, Failure, FailureKind, Hook,
    Journal, JournalEntry, Layer, Origin, Outcome, OutcomeReason, Profile, Verdict,
};
use pintle_tape::record::host::{HostRecord, ModelRequestRecord, TurnPhase, TurnRecord};
use pintle_tape::record::{ApprovalRecord, ApprovalResult, HookScope, HookVetoedRecord};
use pintle_tape::show::{ShowOptions, render_lines};
use pintle_tape::{RecordBody, Tape};
use pintle_testkit::{ScriptedHandler, chain, hook};
use serde_json::{Value, json};

use crate::writing::fixture::{fixture_chain, make_event, new_tape, read_memory_tape, record_dispatch};

fn named_hook(id: &str, event: &str) -> Hook {
    hook(id, EventName::parse(event).unwrap(), ScriptedHandler::from_verdict(Verdict::pass()))
}

/// Lets a hook return a verdict for an event.
fn record_verdict(tape: &Tape, hook: &Hook, event: &Event, verdict: &Verdict) {
    let dispatch = tape.begin_dispatch(&JournalEntry::Event { event, cause: EventCause::default() });
    let id = tape.next_call();
    tape.record(dispatch, &JournalEntry::Call { id, hook, round: 0, event });
    tape.record(dispatch, &JournalEntry::Return { id, hook, verdict, duration_us: 1 });
    tape.record(dispatch, &JournalEntry::Outcome { event, outcome: &Outcome::unchanged(event.payload.clone()) });
}

#[test]
fn many_hooks_are_numbered_on_each_tape_that_has_them() {
    let hooks: Vec<Hook> = (0..100).map(|number| named_hook(&format!("hook_{number}"), "tool.pre")).collect();
    let first = chain(Layer::Project, Profile::SequentialFirstDeny, hooks);
    let turned = Chain { hooks: first.hooks.iter().rev().cloned().collect(), ..first.clone() };
    let merged = Chain { profile: Profile::ParallelMerge, ..first.clone() };
    let agent = chain(Layer::Agent, Profile::ParallelMerge, [named_hook("own", "tool.pre")]);
    let call = make_event("tool.pre", json!({"name": "run"}));
    for (loaded, before, number) in
        [(&first, 0_u64, 7), (&first, 1, 7), (&turned, 0, 92), (&merged, 2, 7), (&turned, 1, 92), (&first, 0, 7)]
    {
        let tape = new_tape();
        (0..before).for_each(|_| tape.record_agent_hooks([&agent]));
        tape.record_hooks([loaded]);
        tape.record_agent_hooks([&agent]);
        for hook in [&first.hooks[7], &agent.hooks[0]] {
            record_verdict(&tape, hook, &call, &Verdict::pass());
        }
        let records = read_memory_tape(&tape).records;
        let mut recorded = records.iter().filter_map(|record| match &record.body {
            RecordBody::Hooks(hooks) if hooks.scope == HookScope::Runtime => Some(&hooks.hooks),
            _ => None,
        });
        // The tape begins with one chain of two hooks.
        let (recorded, entry, chain) = (recorded.next_back().unwrap(), before + 2, before + 1);
        assert_eq!(recorded.len(), 100);
        for (position, (entry, hook)) in (entry..).zip(recorded.iter().zip(&loaded.hooks)) {
            let expected = (position, chain, hook.id.as_str(), loaded.profile);
            assert_eq!((entry.entry, entry.chain, entry.id.as_str(), entry.profile), expected);
        }
        let called = records.iter().filter_map(|record| match &record.body {
            RecordBody::HookCall(called) => Some(called.entry),
            _ => None,
        });
        assert_eq!(called.collect::<Vec<_>>(), [entry + number, entry + 100]);
    }
}

#[test]
fn hooks_of_one_name_are_told_apart_by_their_numbers() {
    let stops = Hook { on_deny: DenyEffect::StopRun, strict_matcher: true, ..named_hook("same", "tool.pre") };
    let project = chain(Layer::Project, Profile::SequentialFirstDeny, [named_hook("same", "tool.pre"), stops]);
    let late = chain(Layer::Agent, Profile::ParallelMerge, [named_hook("same", "tool.pre")]);
    let tape = new_tape();
    tape.record_hooks([&project]);
    tape.record_agent_hooks([&late]);
    let call = make_event("tool.pre", json!({"name": "run"}));
    for hook in [&late.hooks[0], &project.hooks[1], &project.hooks[0]] {
        record_verdict(&tape, hook, &call, &Verdict::pass());
    }
    let bodies: Vec<RecordBody<'_>> = read_memory_tape(&tape).records.into_iter().map(|record| record.body).collect();
    let mut loaded = Vec::new();
    let mut called = Vec::new();
    for body in &bodies {
        match body {
            RecordBody::Hooks(hooks) => loaded.extend(hooks.hooks.iter().map(|entry| {
                (hooks.scope, entry.chain, entry.entry, entry.on_deny == DenyEffect::StopRun, entry.strict_matcher)
            })),
            RecordBody::HookCall(asked) => called.push(asked.entry),
            _ => {}
        }
    }
    let expected = [
        (HookScope::Runtime, 0, 0, false, false),
        (HookScope::Runtime, 0, 1, false, false),
        (HookScope::Runtime, 1, 2, false, false),
        (HookScope::Runtime, 1, 3, true, true),
        (HookScope::Agent, 2, 4, false, false),
    ];
    assert_eq!(loaded, expected);
    assert_eq!(called, [4, 3, 2]);
}

#[test]
fn a_hook_that_nobody_recorded_is_recorded_before_it_is_asked() {
    let tape = new_tape();
    let call = make_event("tool.pre", json!({"name": "run"}));
    let stranger = named_hook("stranger", "tool.pre");
    record_verdict(&tape, &stranger, &call, &Verdict::pass());
    record_verdict(&tape, &stranger, &call, &Verdict::pass());
    let kinds: Vec<String> =
        read_memory_tape(&tape).records.iter().map(|record| record.body.kind().to_owned()).collect();
    let dispatch = ["hook_call", "hook_returned", "outcome"];
    let first = ["header", "hooks", "event", "hooks"];
    assert_eq!(kinds, [first.as_slice(), &dispatch, &["event"], &dispatch].concat());
    let failure = Failure::new(FailureKind::Error, "no such key");
    let other = named_hook("other", "tool.pre");
    let outer = tape.begin_dispatch(&JournalEntry::Event { event: &call, cause: EventCause::default() });
    tape.record(outer, &JournalEntry::Call { id: CallId(7), hook: &stranger, round: 0, event: &call });
    let cause = EventCause { parent: Some(outer), call: Some(CallId(7)), depth: 1 };
    let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &call, cause });
    tape.record(dispatch, &JournalEntry::MatcherFailed { hook: &other, round: 2, failure: &failure });
    tape.record(dispatch, &JournalEntry::NotCalled { hook: &other, round: 2, failure: &failure });
    let records = read_memory_tape(&tape).records;
    let [.., fired, loaded, unmatched, unasked] = records.as_slice() else { panic!("{records:?}") };
    assert!(
        matches!(&fired.body, RecordBody::Event(fired) if (fired.dispatch, fired.parent, fired.cause) == (4, Some(3), Some(7))),
        "{fired:?}"
    );
    assert!(matches!(&loaded.body, RecordBody::Hooks(loaded) if loaded.hooks[0].entry == 3), "{loaded:?}");
    let (RecordBody::MatcherFailed(unmatched), RecordBody::NotCalled(unasked)) = (&unmatched.body, &unasked.body)
    else {
        panic!("{records:?}")
    };
    assert_eq!(unmatched, unasked);
    assert_eq!((unmatched.dispatch, unmatched.entry, unmatched.round), (4, 3, 2));
    assert_eq!((&*unmatched.failure.message, unmatched.failure.kind), ("no such key", FailureKind::Error));
}

/// The record after a hook's verdict, if the verdict is a veto.
fn veto_of(event_name: &str, verdict: &Verdict) -> Option<(Decision, String)> {
    let tape = new_tape();
    let (hook, event) = (named_hook("judge", event_name), make_event(event_name, json!({})));
    record_verdict(&tape, &hook, &event, verdict);
    let records = read_memory_tape(&tape).records;
    let index = records.iter().position(|record| matches!(record.body, RecordBody::HookReturned(_))).unwrap();
    match &records[index + 1].body {
        RecordBody::HookVetoed(HookVetoedRecord { dispatch: 1, call: 1, hook, reason, decision })
            if hook == "judge" =>
        {
            Some((*decision, reason.to_string()))
        }
        RecordBody::Outcome(_) => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn vetoes_and_permission_decisions_have_a_record_of_their_own() {
    let failed = Verdict::failed(Failure::new(FailureKind::Error, "no"));
    let fields = json!({"a": 1}).as_object().cloned().unwrap();
    let cases = [
        ("tool.pre", Verdict::deny("no"), Some(Decision::Deny)),
        ("tool.pre", Verdict::allow("no"), None),
        ("tool.pre", Verdict::ask("no"), None),
        ("tool.pre", Verdict::pass(), None),
        ("tool.pre", Verdict::rewrite(fields), None),
        ("tool.pre", failed.clone(), None),
        ("permission.ask", Verdict::deny("no"), Some(Decision::Deny)),
        ("permission.ask", Verdict::allow("no"), Some(Decision::Allow)),
        ("permission.ask", Verdict::ask("no"), Some(Decision::Ask)),
        ("permission.ask", Verdict::pass(), None),
        ("permission.ask", failed, None),
    ];
    for (event, verdict, expected) in cases {
        assert_eq!(veto_of(event, &verdict), expected.map(|decision| (decision, String::from("no"))), "{event}");
    }
}

#[test]
fn the_answer_to_an_ask_stands_before_the_outcome() {
    let tape = new_tape();
    let call = make_event("tool.pre", json!({}));
    let reasons = [OutcomeReason::new(fixture_chain().hooks[0].id.clone(), "look")];
    let by = || String::from("ada");
    let cases = [
        (ApprovalResponse::Approved { answered_by: by() }, ApprovalResult::Approved, Some("ada")),
        (ApprovalResponse::Refused { answered_by: by() }, ApprovalResult::Refused, Some("ada")),
        (
            ApprovalResponse::Granted { answered_by: by(), grant: pintle_contract::ApprovalScope::Tool },
            ApprovalResult::GrantedTool,
            Some("ada"),
        ),
        (ApprovalResponse::Deferred, ApprovalResult::Deferred, None),
        (ApprovalResponse::Unavailable, ApprovalResult::Unavailable, None),
    ];
    for (resolution, answer, by) in cases {
        let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &call, cause: EventCause::default() });
        tape.record(
            dispatch,
            &JournalEntry::ApprovalAnswered { digest: "sha256:0", reasons: &reasons, response: &resolution },
        );
        tape.record(
            dispatch,
            &JournalEntry::Outcome { event: &call, outcome: &Outcome::unchanged(call.payload.clone()) },
        );
        let of_host = ApprovalRecord::for_host("sha256:0", &reasons, &resolution).with_call(&call.origin, "c1");
        tape.record_approval(of_host);
        let records = read_memory_tape(&tape).records;
        let [.., approval, outcome, of_host] = records.as_slice() else { panic!("{records:?}") };
        let (RecordBody::Approval(approval), RecordBody::Approval(of_host)) = (&approval.body, &of_host.body) else {
            panic!("{records:?}")
        };
        assert_eq!(approval.dispatch, outcome.body.dispatch());
        assert_eq!(
            (approval.answer, approval.approver.as_deref(), &*approval.reasons),
            (answer, by, reasons.as_slice())
        );
        assert_eq!((of_host.dispatch, of_host.id.as_deref(), of_host.answer), (None, Some("c1"), answer));
        assert_eq!(of_host.origin.as_deref(), Some(&*call.origin));
    }
}

#[test]
fn requests_are_numbered_and_refer_to_a_dispatch() {
    let tape = new_tape();
    let dispatch = record_dispatch(&tape);
    assert_eq!((tape.next_request(), tape.next_request()), (1, 2));

    let origin = Origin { agent: String::from("root"), turn: 2, ..Origin::default() };
    let request = ModelRequestRecord {
        origin: Cow::Borrowed(&origin),
        conversation: Cow::Borrowed("main"),
        request: 2,
        model: Cow::Borrowed("m1"),
        payload: None,
        same_as: Some(dispatch.0),
    };
    tape.record_host(HostRecord::ModelRequest(request.clone()));
    let usage = Value::Null;
    let turn = TurnRecord {
        origin: Cow::Borrowed(&origin),
        phase: TurnPhase::End,
        end_reason: None,
        usage: Some(Cow::Borrowed(&usage)),
    };
    tape.record_host(HostRecord::Turn(turn.clone()));
    let reading = read_memory_tape(&tape);
    let hosts = reading.records.iter().filter_map(|record| match &record.body {
        RecordBody::Host(host) => Some(host),
        _ => None,
    });
    assert_eq!(hosts.collect::<Vec<_>>(), [&HostRecord::ModelRequest(request), &HostRecord::Turn(turn)]);
    let shown: Vec<String> = render_lines(&reading, &ShowOptions::default()).iter().map(ToString::to_string).collect();
    assert!(shown.iter().any(|line| line.ends_with("calls m1 (request 2)")), "{shown:#?}");
}
