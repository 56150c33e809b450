//! Invalid input gets a response, and an unreadable payload is never allowed.

use std::sync::Arc;

use pintle_bridge::{Deadline, HOSTS, HostCall, handle_call};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::{builder_with, event_of_file, recorded_hosts, respond};

#[test]
fn what_cannot_be_read_is_denied_where_something_is_guarded() {
    for host in HOSTS {
        for def in host.host_events().filter(|def| def.is_guard) {
            let denied = |payload: &[u8]| respond(host, def, payload, Vec::new());
            let cases: [&[u8]; 11] = [
                b"",
                b"{",
                b"nonsense",
                b"null",
                b"[]",
                b"\xff\xfe",
                b"\"text\"",
                b"1",
                b"{}{}",
                // The host and a hook may use different ones of the two values.
                b"{\"session_id\":\"a\",\"session_id\":\"b\"}",
                b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\",\"c\\u006fmmand\":\"rm\"}}",
            ];
            for payload in cases {
                let answer = denied(payload);
                let nothing = answer.stdout.is_empty() && answer.exit_code == 0;
                assert!(!nothing, "{} {} lets {payload:?} through", host.name, def.name);
                assert!(
                    format!("{answer:?}").contains("cannot read the payload"),
                    "{} {}: {answer:?}",
                    host.name,
                    def.name
                );
            }
            let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
            assert!(format!("{:?}", denied(deep.as_bytes())).contains("cannot read the payload"));
        }
    }
}

#[test]
fn a_payload_of_another_event_than_the_command_line_names_is_refused() {
    let mut contradictions = 0;
    for host in HOSTS {
        for (given, said) in host.host_events().flat_map(|given| host.host_events().map(move |said| (given, said))) {
            let payload = json!({"session_id": "s1", "cwd": "/tmp", "hook_event_name": said.name});
            if given.name == said.name || (host.event_name)(&payload).is_none() {
                continue;
            }
            let answer = respond(host, given, payload.to_string().as_bytes(), Vec::new());
            let told = format!("{answer:?}");
            let names = told.contains(&format!("sent a payload of `{}` to the hook of `{}`", said.name, given.name));
            assert!(names || !(given.is_guard || said.is_guard), "{} {} {}: {told}", host.name, given.name, said.name);
            contradictions += 1;
        }
    }
    assert!(contradictions > 100, "{contradictions}");
}

#[test]
fn hooks_that_cannot_be_loaded_deny() {
    for (host, files) in recorded_hosts() {
        for file in files {
            let def = event_of_file(host, &file);
            let deadline = Deadline::from_ms(60_000);
            let payload = Arc::new(std::fs::read(&file).unwrap());
            let errand = HostCall {
                host,
                event: Some(def),
                payload: &payload,
                state_directory: None,
                project: None,
                shadow: false,
                deadline: &deadline,
                entry: None,
                kept_sessions: None,
                signer: None,
            };
            let broken = handle_call(&errand, |_| Err("there is no `x`".into()));
            let whole = handle_call(&errand, |_| Ok(builder_with(Vec::new())));
            if def.is_guard {
                assert!(broken != whole && format!("{broken:?}").contains("there is no `x`"), "{broken:?}");
            } else {
                assert_eq!(broken.exit_code, 0, "{broken:?}");
            }
        }
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec(("[a-z_]{1,12}", inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for host in HOSTS {
            for row in host.host_events() {
                let answer = respond(host, row, &bytes, Vec::new());
                prop_assert!(!row.is_guard || serde_json::from_slice::<Value>(&bytes).is_ok() || !(answer.stdout.is_empty() && answer.exit_code == 0));
            }
        }
    }

    #[test]
    fn any_value_in_the_place_of_any_field_gives_an_answer(at in any::<prop::sample::Index>(), put in value()) {
        for (host, files) in recorded_hosts() {
            for file in files {
                let row = event_of_file(host, &file);
                let mut payload: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
                let fields = payload.as_object_mut().unwrap();
                let name = fields.keys().nth(at.index(fields.len())).unwrap().clone();
                fields.insert(name, put.clone());
                let answer = respond(host, row, payload.to_string().as_bytes(), Vec::new());
                prop_assert!(matches!(answer.exit_code, 0 | 2), "{:?}", answer);
            }
        }
    }
}
