//! `verify` accepts valid tapes and finds every change.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod answers;
mod changes;
mod cut;
mod edits;
mod ends;
mod proofs;

use std::borrow::Cow;
use std::sync::Arc;

use pintle_contract::{
    Chain, DispatchId, Event, EventCause, EventName, Journal, JournalEntry, Layer, Origin, Outcome, Payload, Profile,
    ShadowVerdict, Verdict, VerdictKind,
};
use pintle_tape::record::host::{
    HostRecord, MessageRecord, MessageSource, ModelReplyRecord, ModelRequestRecord, SessionRecord, ToolCallRecord,
    ToolResultRecord, TurnPhase, TurnRecord, UserMessageRecord,
};
use pintle_tape::verify::{VerifyReport, verify_bytes};
use pintle_tape::{HeaderRecord, Tape};
use pintle_testkit::{FakeClock, ScriptedHandler, chain, hook};
use serde_json::{Value, json};

use changes::{index_of_event, parse_records, rechain_records, refuse_steered_message, set_hook_context};

/// A session that is recorded step by step.
struct VerifySessionFixture {
    tape: Tape,
    chain: Chain,
    origin: Arc<Origin>,
}

impl VerifySessionFixture {
    fn new() -> Self {
        Self::on_tape(Tape::in_memory(HeaderRecord::new("s1", 0), Arc::new(FakeClock::new())))
    }

    fn on_tape(tape: Tape) -> Self {
        let judge =
            |name: &str| hook("judge", EventName::parse(name).unwrap(), ScriptedHandler::from_verdict(Verdict::pass()));
        let chain = chain(Layer::Project, Profile::SequentialFirstDeny, ["tool.pre", "permission.ask"].map(judge));
        tape.record_hooks([&chain]);
        let origin = Origin { session: "s1".into(), turn: 1, agent: "root".into(), ..Origin::default() };
        Self { tape, chain, origin: Arc::new(origin) }
    }

    fn event(&self, name: &str, payload: Value) -> Event {
        Event::new(EventName::parse(name).unwrap(), payload, Arc::clone(&self.origin))
    }

    /// Fires an event. Its hook, if it has one, returns this verdict, and the payload becomes the given one. A deny is that
    /// of a shadow.
    fn fire(&self, name: &str, payload: Value, verdict: &Verdict, left: Option<Value>) -> DispatchId {
        let event = self.event(name, payload);
        let dispatch = self.tape.begin_dispatch(&JournalEntry::Event { event: &event, cause: EventCause::default() });
        let mut shadow = None;
        if let Some(hook) = self.chain.hooks.iter().find(|hook| hook.event == event.name) {
            let id = self.tape.next_call();
            self.tape.record(dispatch, &JournalEntry::Call { id, hook, round: 0, event: &event });
            self.tape.record(dispatch, &JournalEntry::Return { id, hook, verdict, duration_us: 3 });
            let is_deny = matches!(verdict.kind, VerdictKind::Deny { .. });
            shadow = is_deny.then(|| ShadowVerdict { hook: hook.id.clone(), verdict: verdict.clone() });
        }
        let outcome = Outcome {
            rewritten: left.is_some(),
            shadow: shadow.into_iter().collect(),
            ..Outcome::unchanged(left.map_or(event.payload.clone(), Payload::new))
        };
        self.tape.record(dispatch, &JournalEntry::Outcome { event: &event, outcome: &outcome });
        dispatch
    }

    fn origin(&self) -> Cow<'_, Origin> {
        Cow::Borrowed(&self.origin)
    }

    fn record_turn(&self, fixture: TurnPhase) {
        let ended = (fixture == TurnPhase::End).then_some(Cow::Borrowed("done"));
        self.tape.record_host(HostRecord::Turn(TurnRecord {
            origin: self.origin(),
            phase: fixture,
            end_reason: ended,
            usage: None,
        }));
    }

    fn record_resumed(&self) {
        let opened = Cow::Owned(json!({}));
        self.tape.record_host(HostRecord::Resumed(SessionRecord { origin: self.origin(), reopen_data: opened }));
    }

    fn verify_report(&self) -> VerifyReport {
        let bytes = self.tape.lines().join("\n") + "\n";
        verify_bytes(bytes.as_bytes()).unwrap()
    }
}

/// A complete session: a prompt, a request with a tool call, the call, its result.
fn record_session() -> VerifySessionFixture {
    let fixture = VerifySessionFixture::new();
    let tape = &fixture.tape;
    tape.record_host(HostRecord::Session(SessionRecord {
        origin: fixture.origin(),
        reopen_data: Cow::Owned(json!({"agent": "a.md"})),
    }));
    fixture.record_turn(TurnPhase::Start);
    let said = UserMessageRecord {
        origin: fixture.origin(),
        source: MessageSource::Prompt,
        text: Cow::Borrowed("list the files"),
    };
    tape.record_host(HostRecord::UserMessage(said));
    fixture.fire("prompt.submit", json!({"prompt": "list the files"}), &Verdict::pass(), None);
    let messages = json!({"messages": [{"role": "user", "content": format!("list {}", "x".repeat(2_000))}]});
    let dispatch = fixture.fire("completion.pre", messages, &Verdict::pass(), None);
    let request = ModelRequestRecord {
        origin: fixture.origin(),
        conversation: Cow::Borrowed(""),
        request: tape.next_request(),
        model: Cow::Borrowed("m"),
        payload: None,
        same_as: Some(dispatch.0),
    };
    tape.record_host(HostRecord::ModelRequest(request));
    let reply = Some(Cow::Owned(json!({"text": "", "tool_calls": [{"id": "c1"}]})));
    let reply = ModelReplyRecord { origin: fixture.origin(), request: 1, duration_us: 5, reply, error: None };
    tape.record_host(HostRecord::ModelReply(reply));
    let call = |args: Value| json!({"id": "c1", "name": "ls", "args": args});
    fixture.fire("tool.pre", call(json!({"a": 1})), &Verdict::deny("no"), Some(call(json!({"a": 2}))));
    fixture.fire("permission.ask", call(json!({"a": 2})), &Verdict::allow("yes"), None);
    let args = json!({"a": 2});
    let call =
        ToolCallRecord { origin: fixture.origin(), id: "c1".into(), name: "ls".into(), args: Cow::Borrowed(&args) };
    tape.record_host(HostRecord::ToolCall(call));
    let result = ToolResultRecord {
        origin: fixture.origin(),
        id: "c1".into(),
        name: "ls".into(),
        content: "raw".into(),
        is_error: false,
        result: None,
    };
    tape.record_host(HostRecord::ToolResult(result));
    let post = |content: &str| json!({"call_id": "c1", "name": "ls", "content": content});
    fixture.fire("tool.post", post("raw"), &Verdict::pass(), Some(post("clean")));
    let message = json!({"role": "tool", "content": "clean", "tool_call_id": "c1"});
    let message =
        MessageRecord { origin: fixture.origin(), conversation: Cow::Borrowed(""), message: Cow::Owned(message) };
    tape.record_host(HostRecord::Message(message));
    fixture.record_turn(TurnPhase::End);
    fixture.fire("session.end", json!({"reason": "done"}), &Verdict::pass(), None);
    fixture.tape.close().unwrap();
    fixture
}

#[test]
fn a_session_that_nobody_touched_is_sound_and_whole() {
    let report = record_session().verify_report();
    assert_eq!(report.findings, []);
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.records, report.dispatches, report.calls, report.turns), (30, 6, 2, 1));
    assert_eq!((report.session.as_str(), report.resumed), ("s1", 0));
}

fn records_of(fixture: &VerifySessionFixture) -> Vec<Value> {
    parse_records(fixture.tape.lines().iter().map(String::as_str))
}

/// The first finding after a change to the session's records and a repair of the digests.
fn first_finding_after(change: impl FnOnce(&mut Vec<Value>)) -> String {
    let mut records = records_of(&record_session());
    change(&mut records);
    let report = verify_bytes(rechain_records(&records).as_bytes()).unwrap();
    report.findings.first().map(ToString::to_string).unwrap_or_else(|| format!("sound: {:?}", report.unfinished))
}

#[test]
fn what_was_changed_is_found_though_its_digests_were_made_anew() {
    type Change = fn(&mut Vec<Value>);
    let cases: [(Change, &str); 33] = [
        (|_| {}, "sound: []"),
        (
            |r| {
                let outcome = index_of_event(r, "outcome", Some("tool.pre"));
                r[outcome].as_object_mut().unwrap().remove("shadow");
            },
            "`outcome` of dispatch 3: the outcome is `allow`; expected `deny`: hook `judge` denied it",
        ),
        (
            |r| drop(r.remove(index_of_event(r, "hook_returned", None))),
            "`hook_vetoed` of hook `judge`, dispatch 3: `deny` of call 1 with reason \"no\"; expected no veto: the verdict before it is not one",
        ),
        (
            |r| drop(r.remove(index_of_event(r, "hook_vetoed", None))),
            "`outcome` of dispatch 3: a veto is missing before it; expected `hook_vetoed`: `deny` of call 1 with reason \"no\"",
        ),
        (
            |r| {
                let veto = index_of_event(r, "hook_vetoed", None);
                r[veto]["reason"] = json!("yes");
            },
            "`hook_vetoed` of hook `judge`, dispatch 3: `deny` of call 1 with reason \"yes\"; expected `deny` of call 1 with reason \"no\"",
        ),
        (
            |r| drop(r.remove(index_of_event(r, "hook_call", None))),
            "`hook_returned` of hook `judge`, dispatch 3: a verdict of call 1; expected one of a call of this dispatch",
        ),
        (
            |r| {
                let call = index_of_event(r, "hook_call", None);
                r.insert(call, r[call].clone());
            },
            "`hook_call` of hook `judge`, dispatch 3: call 1 a second time; expected a new number",
        ),
        (
            |r| {
                let call = index_of_event(r, "hook_call", None);
                r[call]["entry"] = json!(1);
            },
            "hook number 1 is called `judge`; expected `judge`, which listens to `permission.ask`",
        ),
        (
            |r| {
                let call = index_of_event(r, "hook_call", None);
                r[call]["payload"] = json!(1);
            },
            "version 1 of the payload without its value; expected 1 with its value, or an earlier one without",
        ),
        (
            |r| drop(r.remove(index_of_event(r, "outcome", Some("tool.pre")))),
            "`tool_call`: tool `ls` runs (call `c1`); expected an outcome of `tool.pre` for this call before it",
        ),
        (
            |r| {
                let outcome = index_of_event(r, "outcome", Some("tool.pre"));
                r.insert(outcome, r[outcome].clone());
            },
            "`outcome` of dispatch 3: dispatch 3 has ended or never began; expected one of an open dispatch (not 3)",
        ),
        (
            |r| {
                let event = index_of_event(r, "event", Some("tool.pre"));
                r[event]["dispatch"] = json!(9);
            },
            "`event` of dispatch 9: dispatch 9; expected dispatch 3",
        ),
        (
            |r| {
                let outcome = index_of_event(r, "outcome", Some("tool.pre"));
                r[outcome]["decision"] = json!("deny");
            },
            "`tool_call`: tool `ls` runs (call `c1`); expected no run: `tool.pre` denied it (dispatch 3)",
        ),
        (
            |r| {
                let outcome = index_of_event(r, "outcome", Some("permission.ask"));
                r[outcome]["decision"] = json!("deny");
            },
            "`tool_call`: tool `ls` runs (call `c1`); expected no run: `permission.ask` denied it (dispatch 3)",
        ),
        (
            |r| {
                let call = index_of_event(r, "tool_call", None);
                r[call]["args"] = json!({"a": 1});
            },
            "`tool_call`: tool `ls` runs with {\"a\":1}; expected \"ls\" with {\"a\":2}, as in the outcome of dispatch 3",
        ),
        (
            |r| {
                let call = index_of_event(r, "tool_call", None);
                r.insert(call, r[call].clone());
            },
            "`tool_call`: tool `ls` runs (call `c1`); expected an outcome of `tool.pre` for this call before it",
        ),
        (
            |r| drop(r.remove(index_of_event(r, "tool_call", None))),
            "`tool_result`: a result of call `c1`, which was not running; expected one `tool_call` before",
        ),
        (
            |r| {
                let message = index_of_event(r, "message", None);
                r[message]["message"]["content"] = json!("raw");
            },
            "`message`: the model is sent \"raw\"; expected \"clean\", as in the outcome of dispatch 5",
        ),
        (
            |r| {
                let outcome = index_of_event(r, "outcome", Some("completion.pre"));
                r[outcome]["decision"] = json!("deny");
            },
            "`model_request`: the payload of dispatch 2 is sent; expected no request: `completion.pre` denied it",
        ),
        (
            |r| {
                let request = index_of_event(r, "model_request", None);
                r[request]["same_as"] = json!(1);
            },
            "`model_request`: the payload of dispatch 1 is sent; expected the last `completion.pre`: 2",
        ),
        (|r| set_hook_context(r, "mind the paths", &["mind the paths"]), "sound: []"),
        (
            |r| set_hook_context(r, "mind the paths", &[]),
            "`model_request`: other messages are sent; expected those in the outcome of dispatch 2",
        ),
        (
            |r| set_hook_context(r, "forget the paths", &["mind the paths"]),
            "`model_request`: other messages are sent; expected those in the outcome of dispatch 2, with the context of its hooks",
        ),
        (
            |r| {
                let outcome = index_of_event(r, "outcome", Some("prompt.submit"));
                r[outcome]["decision"] = json!("deny");
            },
            "`model_request`: the model is called in turn 1; expected no call: `prompt.submit` denied the prompt",
        ),
        (
            |r| refuse_steered_message(r, "leave it", "leave it"),
            "`message`: \"leave it\" is sent to the model; expected no message: `prompt.submit` denied it",
        ),
        (|r| refuse_steered_message(r, "leave it", "go on"), "sound: []"),
        (
            |r| drop(r.remove(index_of_event(r, "model_request", None))),
            "`model_reply`: a reply to request 1, which was not open; expected one `model_request` before",
        ),
        (
            |r| {
                let call = index_of_event(r, "turn", None);
                r.insert(r.len() - 1, r[call].clone());
            },
            "`turn`: session `s1` had ended; expected a `resumed` before",
        ),
        (
            |r| {
                let event = index_of_event(r, "event", Some("completion.pre"));
                assert!(r[event].as_object_mut().unwrap().remove("blobs").is_some());
            },
            "unreadable: it refers to blob `",
        ),
        (
            |r| {
                let event = index_of_event(r, "event", Some("completion.pre"));
                r[event]["blobs"][0]["value"] = json!(format!("list {}", "y".repeat(2_000)));
            },
            "is not needed: the value or the reference to it was changed",
        ),
        (
            |r| {
                let (event, outcome) = (index_of_event(r, "event", Some("completion.pre")), r.len() - 2);
                r[outcome]["blobs"] = r[event]["blobs"].clone();
            },
            "a second time; a tape has each value once",
        ),
        (
            |r| {
                let session = index_of_event(r, "session", None);
                r[session].as_object_mut().unwrap().remove("origin");
            },
            "unreadable: a `session` record without `origin`, and none before it has one",
        ),
        (
            |r| {
                let hooks = index_of_event(r, "hooks", None);
                r.insert(hooks, r[hooks].clone());
            },
            "`hooks`: hook `judge` has number 0; expected 2",
        ),
    ];
    for (change, expected) in cases {
        let found = first_finding_after(change);
        assert!(found.contains(expected), "found:    {found}\nexpected: {expected}");
    }
}

#[test]
fn what_was_changed_alone_breaks_the_chain() {
    let fixture = record_session();
    let lines = fixture.tape.lines();
    let first = |lines: &[String]| {
        let report = verify_bytes((lines.join("\n") + "\n").as_bytes()).unwrap();
        report.findings.first().map(ToString::to_string).unwrap_or_default()
    };
    assert_eq!(first(&lines), "");
    let answer = lines.iter().position(|line| line.contains("\"kind\":\"hook_vetoed\"")).unwrap();
    let mut changed = lines.clone();
    changed[answer] = changed[answer].replace("\"at_ms\":", "\"at_ms\":1");
    let found = first(&changed);
    assert!(found.starts_with(&format!("line {}: `outcome` of dispatch 3: `prev` is ", answer + 2)), "{found}");
    let mut shorter = lines;
    shorter.remove(answer - 5);
    let found = first(&shorter);
    assert!(found.contains(": a record is missing or was inserted; expected "), "{found}");
}

#[test]
fn what_the_tape_ends_in_is_unfinished_and_no_finding() {
    let fixture = VerifySessionFixture::new();
    let event = fixture.event("tool.pre", json!({"id": "c1"}));
    let dispatch = fixture.tape.begin_dispatch(&JournalEntry::Event { event: &event, cause: EventCause::default() });
    let (id, hook) = (fixture.tape.next_call(), &*fixture.chain.hooks[0]);
    fixture.tape.record(dispatch, &JournalEntry::Call { id, hook, round: 0, event: &event });
    let report = fixture.verify_report();
    let unfinished: Vec<String> = report.unfinished.iter().map(ToString::to_string).collect();
    assert_eq!(
        unfinished,
        [
            "line 3: `tool.pre` (dispatch 1) has no outcome, hook `judge` had not returned",
            "line 4: the `closed` record is missing: the session is running, was interrupted, or its end was removed",
        ]
    );
    assert_eq!(fixture.tape.close(), None, "it is not over");
    assert!(report.is_valid() && !report.is_complete());
    // A resumed session is no longer interrupted.
    fixture.record_resumed();
    let report = fixture.verify_report();
    assert!(report.is_valid() && !report.is_complete() && report.resumed == 1, "{report:?}");
}
