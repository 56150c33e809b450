//! Any records come back as they were written, and any bytes give a reading or an error.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::borrow::Cow;

use pintle_contract::{
    Approval, Decision, Effect, FailureKind, FailurePolicy, LimitKind, LogLevel, Origin, Reason, Reply, Request,
    SeamError, Warning,
};
use pintle_tape::record::{
    Answered, Asked, Decided, Effected, FailureNote, FailureText, Fired, HookEffect, Loaded, Noted, SaidText,
    ShadowNote, Warned, Word,
};
use pintle_tape::{Body, Header, HookEntry, Record, Torn, read_bytes};
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

fn failure() -> impl Strategy<Value = FailureText<'static>> {
    let kinds = [FailureKind::Error, FailureKind::Limit(LimitKind::Memory), FailureKind::BadOutput];
    let place = prop::option::of(("[a-z]{1,9}", 1..99_usize));
    (prop::sample::select(kinds.to_vec()), text(), place).prop_map(|(kind, message, place)| FailureText {
        kind,
        message,
        path: place.as_ref().map(|(path, _)| path.clone()),
        line: place.map(|(_, line)| line),
    })
}

fn said() -> impl Strategy<Value = SaidText<'static>> {
    let words = vec![Word::Pass, Word::Allow, Word::Rewrite, Word::Ask, Word::Deny, Word::Failed];
    (
        prop::sample::select(words),
        prop::option::of(text()),
        prop::option::of(fields_of(value())),
        prop::option::of(value()),
        prop::option::of(failure()),
        prop::collection::vec(effect(), 0..3),
        prop::collection::vec(any::<String>(), 0..3),
    )
        .prop_map(|(verdict, reason, fields, whole, failure, effects, warnings)| SaidText {
            verdict,
            reason,
            fields: fields.map(Cow::Owned),
            whole: whole.map(Cow::Owned),
            failure,
            effects: Cow::Owned(effects),
            warnings: Cow::Owned(warnings),
        })
}

fn decided() -> impl Strategy<Value = Decided<'static>> {
    let lists = (
        prop::collection::vec(("[a-z]{1,9}", any::<String>()), 0..3),
        prop::collection::vec((text(), effect()), 0..3),
        prop::collection::vec((text(), failure()), 0..2),
        prop::collection::vec((text(), said()), 0..2),
        prop::option::of(any::<String>()),
    );
    (any::<u64>(), text(), any::<bool>(), any::<u32>(), prop::option::of(value()), lists).prop_map(
        |(dispatch, event, flag, payload, value, (reasons, effects, failures, shadow, by))| {
            let hook = |name: String| serde_json::from_value(Value::String(name)).unwrap();
            let warning =
                |(name, message): &(String, String)| Warning { hook: hook(name.clone()), message: message.clone() };
            Decided {
                dispatch,
                event,
                decision: if flag { Decision::Ask } else { Decision::Deny },
                approved: flag,
                rewritten: !flag,
                payload,
                value: value.map(Cow::Owned),
                warnings: Cow::Owned(reasons.iter().map(warning).collect()),
                reasons: Cow::Owned(
                    reasons
                        .into_iter()
                        .map(|(name, text)| Reason { hook: hook(name), text, stops_run: flag })
                        .collect(),
                ),
                effects: effects
                    .into_iter()
                    .map(|(hook, effect)| HookEffect { hook, effect: Cow::Owned(effect) })
                    .collect(),
                failures: failures
                    .into_iter()
                    .map(|(hook, failure)| FailureNote { hook, failure, policy: FailurePolicy::Open })
                    .collect(),
                shadow: shadow.into_iter().map(|(hook, said)| ShadowNote { hook, said }).collect(),
                approval: by.map(|by| Cow::Owned(Approval { digest: String::from("sha256:0"), by })),
                asked: payload,
            }
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        (any::<String>(), any::<i64>()).prop_map(|(name, by)| Request::MetricIncr { name, by }),
        (any::<String>(), value()).prop_map(|(event, payload)| Request::Emit { event, payload }),
        (any::<String>(), prop::option::of(value()))
            .prop_map(|(key, value)| Request::CacheSet { key, value: value.unwrap_or_default() }),
        Just(Request::Now),
    ]
}

fn body() -> impl Strategy<Value = Body<'static>> {
    let fired = (any::<u64>(), prop::option::of(any::<u64>()), text(), any::<u32>(), value());
    let asked = (any::<u64>(), any::<u64>(), text(), any::<u8>(), prop::option::of(value()));
    let effected =
        (prop::option::of(any::<u64>()), text(), request(), prop::result::maybe_ok(value(), any::<String>()));
    prop_oneof![
        fired.prop_map(|(dispatch, parent, event, turn, payload)| {
            let origin =
                Origin { session: event.to_string(), turn, agent: event.to_string(), depth: turn, ..Origin::default() };
            Body::Event(Fired { dispatch, parent, event, origin: Cow::Owned(origin), payload: Cow::Owned(payload) })
        }),
        asked.prop_map(|(dispatch, call, hook, round, value)| {
            let (payload, value) = (u32::from(round), value.map(Cow::Owned));
            Body::Call(Asked { dispatch, call, hook, round, payload, value })
        }),
        effected.prop_map(|(call, by, request, reply)| {
            let error = reply.as_ref().err().map(|fault| Cow::Owned(SeamError(fault.clone())));
            let reply = reply.ok().map(|value| Cow::Owned(Reply::Value(value)));
            Body::Effect(Effected { dispatch: call, call, by, request: Cow::Owned(request), reply, error })
        }),
        (any::<u64>(), any::<u64>(), text(), said()).prop_map(|(dispatch, call, hook, said)| {
            Body::Return(Answered { dispatch, call, hook, duration_us: call, said })
        }),
        (prop::option::of(any::<u64>()), text(), text()).prop_map(|(dispatch, hook, message)| Body::Warning(Warned {
            dispatch,
            hook,
            message
        })),
        decided().prop_map(Body::Outcome),
        ("note_[a-z]{1,9}", value())
            .prop_map(|(kind, data)| Body::Note(Noted { kind: Cow::Owned(kind), data: Cow::Owned(data) })),
        ("later_[a-z]{1,9}", value()).prop_map(|(kind, inner)| {
            let fields = [(String::from("one"), inner), (String::from("two"), Value::Null)].into_iter().collect();
            Body::Unknown { kind, fields }
        }),
        (any::<String>(), any::<i64>(), prop::option::of(1..9_usize)).prop_map(|(id, priority, line)| {
            let mut entry: Value = serde_json::json!({
                "id": id, "event": "tool.pre", "source": id, "dialect": "ai_harness", "layer": "project",
                "profile": "parallel/strictest", "priority": priority, "mode": "shadow", "guard": true,
                "on_failure": "open",
            });
            if let (Some(line), Some(fields)) = (line, entry.as_object_mut()) {
                fields.insert(String::from("line"), Value::from(line));
            }
            let entry: HookEntry = serde_json::from_value(entry).unwrap();
            Body::Hooks(Loaded { hooks: vec![entry] })
        }),
    ]
}

fn record(seq: u64, body: Body<'static>) -> Record<'static> {
    let prev = (seq > 0).then(|| String::from("ab"));
    Record { seq, at_ms: seq.wrapping_mul(7), prev, body }
}

fn tape_of(records: &[Record<'_>]) -> String {
    records.iter().map(|record| record.to_line().unwrap() + "\n").collect()
}

proptest! {
    #[test]
    fn records_come_back_as_they_were_written(bodies in prop::collection::vec(body(), 0..6)) {
        let header = Header::new("s", 12);
        let mut records = vec![record(0, Body::Header(header.clone()))];
        records.extend(bodies.into_iter().enumerate().map(|(at, body)| record(at as u64 + 1, body)));
        let text = tape_of(&records);
        let reading = read_bytes(text.as_bytes()).unwrap();
        prop_assert_eq!(&reading.records, &records);
        prop_assert_eq!(&reading.header, &header);
        prop_assert_eq!(tape_of(&reading.records), text);
        prop_assert!(pintle_tape::show::lines(&reading, &Default::default()).len() <= 1 + 20 * records.len());
    }

    #[test]
    fn a_tape_that_is_cut_anywhere_gives_all_whole_records(bodies in prop::collection::vec(body(), 1..4), cut in any::<prop::sample::Index>()) {
        let mut records = vec![record(0, Body::Header(Header::new("s", 12)))];
        records.extend(bodies.into_iter().enumerate().map(|(at, body)| record(at as u64 + 1, body)));
        let text = tape_of(&records);
        let first = text.find('\n').unwrap() + 1;
        let at = first + cut.index(text.len() - first + 1);
        let whole = &text.as_bytes()[..at];
        let reading = read_bytes(whole).unwrap();
        // A record is whole with its closing brace; only its line's end may be missing.
        let lines_before = whole.iter().filter(|byte| **byte == b'\n').count();
        let expected = lines_before + usize::from(text.as_bytes().get(at) == Some(&b'\n'));
        prop_assert_eq!(&reading.records, &records[..expected]);
        let rest = at - whole.iter().rposition(|byte| *byte == b'\n').unwrap() - 1;
        let torn = (rest > 0 && expected == lines_before).then_some(Torn { line: lines_before + 1, size_bytes: rest });
        prop_assert_eq!(reading.torn, torn);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_bytes(&bytes);
    }

    #[test]
    fn any_damage_is_read_or_refused(bodies in prop::collection::vec(body(), 0..4), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut records = vec![record(0, Body::Header(Header::new("s", 12)))];
        records.extend(bodies.into_iter().enumerate().map(|(at, body)| record(at as u64 + 1, body)));
        let mut bytes = tape_of(&records).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(reading) = read_bytes(&bytes) {
            let _ = pintle_tape::show::lines(&reading, &Default::default());
        }
    }
}
