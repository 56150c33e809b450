//! Any records are read as they were written, and any bytes can be read or are an error.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::borrow::Cow;
use std::sync::Arc;

use pintle_contract::{
    Approval, Decision, Effect, EffectError, EffectReply, EffectRequest, FailureKind, FailurePolicy, Layer, LimitKind,
    LogLevel, Origin, OutcomeReason, Reminder, Warning,
};
use pintle_tape::record::{
    ApprovalRecord, ApprovalResult, EffectRecord, EventRecord, FailureEntry, HookCallRecord, HookEffect,
    HookReturnedRecord, HookScope, HookSkippedRecord, HookVetoedRecord, HooksRecord, NoteRecord, OutcomeRecord,
    RecordedFailure, RecordedVerdict, ShadowEntry, VerdictLabel, WarningRecord, host,
};
use pintle_tape::{HeaderRecord, HostRecord, LoadedHook, Record, RecordBody, Tape, TornRecord, read_bytes};
use pintle_testkit::FakeClock;
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

fn value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
        Just("1e400".parse::<Number>().unwrap()),
        Just("1.00".parse::<Number>().unwrap()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number.prop_map(Value::Number),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            fields_of(inner).prop_map(Value::Object),
        ]
    })
}

fn fields_of(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((any::<String>(), inner), 0..4).prop_map(|pairs| pairs.into_iter().collect())
}

fn text() -> impl Strategy<Value = Cow<'static, str>> {
    any::<String>().prop_map(Cow::Owned)
}

fn effect() -> impl Strategy<Value = Effect> {
    prop_oneof![
        any::<String>().prop_map(Effect::Context),
        any::<String>().prop_map(|message| Effect::Log { level: LogLevel::Warn, message }),
        value().prop_map(Effect::Delegate),
    ]
}

fn failure() -> impl Strategy<Value = RecordedFailure<'static>> {
    let kinds = [FailureKind::Error, FailureKind::Limit(LimitKind::Memory), FailureKind::BadOutput];
    let place = prop::option::of(("[a-z]{1,9}", 1..99_usize));
    (prop::sample::select(kinds.to_vec()), text(), place).prop_map(|(kind, message, place)| RecordedFailure {
        kind,
        message,
        path: place.as_ref().map(|(path, _)| path.clone()),
        line: place.map(|(_, line)| line),
    })
}

fn recorded_verdict() -> impl Strategy<Value = RecordedVerdict<'static>> {
    let words = vec![
        VerdictLabel::Pass,
        VerdictLabel::Allow,
        VerdictLabel::Rewrite,
        VerdictLabel::Ask,
        VerdictLabel::Deny,
        VerdictLabel::Failed,
    ];
    (
        prop::sample::select(words),
        prop::option::of(text()),
        prop::option::of(fields_of(value())),
        prop::option::of(value()),
        prop::option::of(failure()),
        prop::collection::vec(effect(), 0..3),
        prop::collection::vec(any::<String>(), 0..3),
    )
        .prop_map(|(verdict, reason, fields, whole, failure, effects, warnings)| RecordedVerdict {
            kind: verdict,
            reason,
            fields: fields.map(Cow::Owned),
            whole_payload: whole.map(Cow::Owned),
            failure,
            effects: Cow::Owned(effects),
            warnings: Cow::Owned(warnings),
        })
}

fn outcome_record() -> impl Strategy<Value = OutcomeRecord<'static>> {
    let lists = (
        prop::collection::vec(("[a-z]{1,9}", any::<String>()), 0..3),
        prop::collection::vec((text(), effect()), 0..3),
        prop::collection::vec((text(), failure()), 0..2),
        prop::collection::vec((text(), recorded_verdict()), 0..2),
        prop::option::of(any::<String>()),
    );
    (any::<u64>(), text(), any::<bool>(), any::<u32>(), prop::option::of(value()), lists).prop_map(
        |(dispatch, event, flag, payload, value, (reasons, effects, failures, shadow, by))| {
            let hook = |name: String| serde_json::from_value(Value::String(name)).unwrap();
            let warning =
                |(name, message): &(String, String)| Warning { hook: hook(name.clone()), message: message.clone() };
            OutcomeRecord {
                dispatch,
                event,
                decision: if flag { Decision::Ask } else { Decision::Deny },
                approved: flag,
                rewritten: !flag,
                payload,
                args_text: false,
                value: value.map(Cow::Owned),
                warnings: Cow::Owned(reasons.iter().map(warning).collect()),
                reasons: Cow::Owned(
                    reasons
                        .into_iter()
                        .map(|(name, text)| OutcomeReason {
                            hook: hook(name),
                            text,
                            stops_run: flag,
                            unsettled_guard: None,
                        })
                        .collect(),
                ),
                effects: effects
                    .into_iter()
                    .map(|(hook, effect)| HookEffect { hook, effect: Cow::Owned(effect) })
                    .collect(),
                failures: failures
                    .into_iter()
                    .map(|(hook, failure)| FailureEntry { hook, failure, policy: FailurePolicy::Open })
                    .collect(),
                shadow: shadow.into_iter().map(|(hook, said)| ShadowEntry { hook, verdict: said }).collect(),
                approval: by.map(|by| Cow::Owned(Approval { digest: String::from("sha256:0"), approved_by: by })),
                hooks_called: payload,
            }
        },
    )
}

fn request() -> impl Strategy<Value = EffectRequest> {
    prop_oneof![
        (any::<String>(), any::<i64>()).prop_map(|(name, by)| EffectRequest::MetricIncr { name, amount: by }),
        (any::<String>(), value()).prop_map(|(event, payload)| EffectRequest::Emit { event, payload }),
        (any::<String>(), prop::option::of(value()))
            .prop_map(|(key, value)| EffectRequest::CacheSet { key, value: value.unwrap_or_default() }),
        Just(EffectRequest::Now),
    ]
}

fn record_body() -> impl Strategy<Value = RecordBody<'static>> {
    let fired = (any::<u64>(), prop::option::of(any::<u64>()), text(), any::<u32>(), value());
    let asked = (any::<u64>(), any::<u64>(), text(), any::<u8>(), prop::option::of(value()));
    let effected =
        (prop::option::of(any::<u64>()), text(), request(), prop::result::maybe_ok(value(), any::<String>()));
    prop_oneof![
        fired.prop_map(|(dispatch, parent, event, turn, payload)| {
            let origin =
                Origin { session: event.to_string(), turn, agent: event.to_string(), depth: turn, ..Origin::default() };
            RecordBody::Event(EventRecord {
                cause: None,
                dispatch,
                parent,
                event,
                origin: Cow::Owned(origin),
                no_hooks: turn % 2 == 0,
                passed: Vec::new(),
                args_text: false,
                payload: Cow::Owned(payload),
            })
        }),
        asked.prop_map(|(dispatch, call, hook, round, value)| {
            let (payload, value) = (u32::from(round), value.map(Cow::Owned));
            RecordBody::HookCall(HookCallRecord { dispatch, call, hook, entry: call, round, payload, args_text: false, value })
        }),
        effected.prop_map(|(call, by, request, reply)| {
            let layer = if by.len() % 2 == 0 { Layer::Project } else { Layer::User };
            let error = reply.as_ref().err().map(|fault| Cow::Owned(EffectError(fault.clone())));
            let reply = reply.ok().map(|value| Cow::Owned(EffectReply::Value(value)));
            RecordBody::Effect(EffectRecord { dispatch: call, call, caller: by, layer, request: Cow::Owned(request), reply, error })
        }),
        (any::<u64>(), any::<u64>(), text(), recorded_verdict()).prop_map(|(dispatch, call, hook, said)| {
            RecordBody::HookReturned(HookReturnedRecord { dispatch, call, hook, duration_us: call, verdict: said })
        }),
        (prop::option::of(any::<u64>()), text(), text()).prop_map(|(dispatch, hook, message)| RecordBody::Warning(WarningRecord {
            dispatch,
            hook,
            message
        })),
        outcome_record().prop_map(RecordBody::Outcome),
        (any::<u64>(), text(), any::<u8>(), failure()).prop_map(|(dispatch, hook, round, failure)| {
            RecordBody::NotCalled(HookSkippedRecord { dispatch, hook, entry: dispatch, round, failure })
        }),
        (any::<u64>(), text(), text()).prop_map(|(dispatch, hook, reason)| {
            RecordBody::HookVetoed(HookVetoedRecord { dispatch, call: dispatch, hook, reason, decision: Decision::Ask })
        }),
        (prop::option::of(any::<u64>()), text(), prop::option::of(text())).prop_map(|(dispatch, digest, by)| {
            let (answer, reasons) = (ApprovalResult::GrantedTool, Cow::Owned(Vec::new()));
            RecordBody::Approval(ApprovalRecord { dispatch, origin: None, id: by.clone(), digest, reasons, answer, approver: by })
        }),
        ("note_[a-z]{1,9}", value())
            .prop_map(|(kind, data)| RecordBody::Note(NoteRecord { kind: Cow::Owned(kind), data: Cow::Owned(data) })),
        ("later_[a-z]{1,9}", value()).prop_map(|(kind, inner)| {
            let fields = [(String::from("one"), inner), (String::from("two"), Value::Null)].into_iter().collect();
            RecordBody::Unknown { kind, fields }
        }),
        (any::<String>(), any::<i64>(), prop::option::of(1..9_usize)).prop_map(|(id, priority, line)| {
            let mut entry: Value = serde_json::json!({
                "entry": 3, "chain": 1, "id": id, "event": "tool.pre", "event_alias": "PreToolUse", "source": id, "dialect": "ai_harness", "layer": "project",
                "profile": "parallel/strictest", "priority": priority, "mode": "shadow", "guard": true,
                "on_failure": "open", "on_deny": "stop_run", "strict_matcher": true,
            });
            if let (Some(line), Some(fields)) = (line, entry.as_object_mut()) {
                fields.insert(String::from("line"), Value::from(line));
            }
            let entry: LoadedHook = serde_json::from_value(entry).unwrap();
            RecordBody::Hooks(HooksRecord { scope: HookScope::Agent, hooks: vec![entry] })
        }),
    ]
}

/// A value that sometimes has a large value within it.
fn any_size() -> impl Strategy<Value = Value> {
    let large = (1_000..1_100_usize).prop_map(|length| Value::from("\u{fc}\"".repeat(length / 3)));
    let rows = (value(), 0..400_usize).prop_map(|(row, count)| Value::from(vec![row; count]));
    let reference = any::<String>().prop_map(|digest| serde_json::json!({"$blob": digest}));
    prop_oneof![4 => value(), 1 => large, 1 => rows, 1 => reference]
}

fn origin() -> impl Strategy<Value = Cow<'static, Origin>> {
    (any::<String>(), any::<u32>(), any::<bool>()).prop_map(|(name, turn, delegated)| {
        let run = if delegated { name.clone() } else { String::new() };
        Cow::Owned(Origin { session: name.clone(), turn, agent: name, depth: turn, run, ..Origin::default() })
    })
}

fn host_record() -> impl Strategy<Value = HostRecord<'static>> {
    let named = || (origin(), text(), text(), any_size());
    prop_oneof![
        (origin(), any_size()).prop_map(|(origin, opened)| {
            HostRecord::Session(host::SessionRecord { origin, reopen_data: Cow::Owned(opened) })
        }),
        (origin(), text()).prop_map(|(origin, text)| HostRecord::UserMessage(host::UserMessageRecord {
            origin,
            source: host::MessageSource::FollowUp,
            text
        })),
        (origin(), text(), any::<u64>(), prop::option::of(any_size())).prop_map(|(origin, name, number, payload)| {
            HostRecord::ModelRequest(host::ModelRequestRecord {
                origin,
                conversation: name.clone(),
                request: number,
                model: name,
                same_as: payload.is_none().then_some(number),
                payload: payload.map(Cow::Owned),
            })
        }),
        (origin(), text(), any::<u64>(), prop::option::of(any_size())).prop_map(|(origin, kind, request, reply)| {
            let error = reply.is_none().then(|| host::ModelErrorRecord { message: kind.clone(), kind });
            let (duration_us, reply) = (request, reply.map(Cow::Owned));
            HostRecord::ModelReply(host::ModelReplyRecord { origin, request, duration_us, reply, error })
        }),
        named().prop_map(|(origin, id, name, args)| {
            HostRecord::ToolCall(host::ToolCallRecord { origin, id, name, args: Cow::Owned(args) })
        }),
        (named(), any::<bool>()).prop_map(|((origin, id, name, result), is_error)| {
            let result = (!is_error).then_some(Cow::Owned(result));
            HostRecord::ToolResult(host::ToolResultRecord { origin, content: id.clone(), id, name, is_error, result })
        }),
        (origin(), text(), prop::collection::vec(any_size(), 0..3)).prop_map(|(origin, conversation, messages)| {
            let messages = Cow::Owned(messages);
            HostRecord::Messages(host::MessagesRecord {
                origin,
                conversation,
                replaced_by: host::MessagesReplacedBy::Clear,
                messages,
            })
        }),
        (origin(), text(), any_size()).prop_map(|(origin, conversation, message)| {
            HostRecord::Message(host::MessageRecord { origin, conversation, message: Cow::Owned(message) })
        }),
        (origin(), any::<String>(), any::<bool>()).prop_map(|(origin, body, stays)| {
            let reminder = Reminder { body, preserve_on_compact: stays, ..Reminder::default() };
            let (what, reminder) = (host::ReminderTransition::Retained, Cow::Owned(reminder));
            HostRecord::Reminder(host::ReminderRecord { origin, transition: what, reminder })
        }),
        (origin(), prop::option::of(text()), prop::option::of(any_size())).prop_map(|(origin, ended, usage)| {
            HostRecord::Turn(host::TurnRecord {
                origin,
                phase: host::TurnPhase::End,
                end_reason: ended,
                usage: usage.map(Cow::Owned),
            })
        }),
    ]
}

fn record(seq: u64, body: RecordBody<'static>) -> Record<'static> {
    let prev = (seq > 0).then(|| String::from("ab"));
    Record { seq, at_ms: seq.wrapping_mul(7), prev, body }
}

fn tape_of(records: &[Record<'_>]) -> String {
    records.iter().map(|record| record.to_line().unwrap() + "\n").collect()
}

proptest! {
    #[test]
    fn records_come_back_as_they_were_written(bodies in prop::collection::vec(record_body(), 0..6)) {
        let header = HeaderRecord::new("s", 12);
        let mut records = vec![record(0, RecordBody::Header(header.clone()))];
        records.extend(bodies.into_iter().enumerate().map(|(at, body)| record(at as u64 + 1, body)));
        let text = tape_of(&records);
        let reading = read_bytes(text.as_bytes()).unwrap();
        prop_assert_eq!(&reading.records, &records);
        prop_assert_eq!(&reading.header, &header);
        prop_assert_eq!(tape_of(&reading.records), text);
        prop_assert!(pintle_tape::show::render_lines(&reading, &Default::default()).len() <= 1 + 20 * records.len());
    }

    #[test]
    fn what_is_read_and_written_again_is_the_same_byte_for_byte(records in prop::collection::vec(host_record(), 1..8)) {
        let new_tape = || Tape::in_memory(HeaderRecord::new("s", 12), Arc::new(FakeClock::new()));
        let first = new_tape();
        records.iter().for_each(|record| first.record_host(record.clone()));
        first.record_note("remark", serde_json::json!({"$blob": 1}));
        let reading = read_bytes((first.lines().join("\n") + "\n").as_bytes()).unwrap();
        let second = new_tape();
        let mut read = Vec::new();
        for record in reading.records {
            match record.body {
                RecordBody::Host(host) => {
                    second.record_host(host.clone());
                    read.push(host);
                }
                RecordBody::Note(note) => second.record_note(&note.kind, note.data.into_owned()),
                _ => {}
            }
        }
        prop_assert_eq!(read, records);
        prop_assert_eq!(second.lines(), first.lines());
    }

    #[test]
    fn a_tape_that_is_cut_anywhere_gives_all_whole_records(bodies in prop::collection::vec(record_body(), 1..4), cut in any::<prop::sample::Index>()) {
        let mut records = vec![record(0, RecordBody::Header(HeaderRecord::new("s", 12)))];
        records.extend(bodies.into_iter().enumerate().map(|(at, body)| record(at as u64 + 1, body)));
        let text = tape_of(&records);
        let first = text.find('\n').unwrap() + 1;
        let at = first + cut.index(text.len() - first + 1);
        let whole = &text.as_bytes()[..at];
        let reading = read_bytes(whole).unwrap();
        // A record is complete with its closing brace; only its newline may be missing.
        let lines_before = whole.iter().filter(|byte| **byte == b'\n').count();
        let expected = lines_before + usize::from(text.as_bytes().get(at) == Some(&b'\n'));
        prop_assert_eq!(&reading.records, &records[..expected]);
        let rest = at - whole.iter().rposition(|byte| *byte == b'\n').unwrap() - 1;
        let torn = (rest > 0 && expected == lines_before).then_some(TornRecord { line: lines_before + 1, size_bytes: rest });
        prop_assert_eq!(reading.torn, torn);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_bytes(&bytes);
    }

    #[test]
    fn any_damage_is_read_or_refused(bodies in prop::collection::vec(record_body(), 0..4), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut records = vec![record(0, RecordBody::Header(HeaderRecord::new("s", 12)))];
        records.extend(bodies.into_iter().enumerate().map(|(at, body)| record(at as u64 + 1, body)));
        let mut bytes = tape_of(&records).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(reading) = read_bytes(&bytes) {
            let _ = pintle_tape::show::render_lines(&reading, &Default::default());
        }
    }
}
