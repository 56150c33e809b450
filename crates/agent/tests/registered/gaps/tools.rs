//! Tool hooks have the effect that they return.

use pintle_host::{HookReturn, ToolHook};
use serde_json::json;

use crate::registered::fixture::*;
use crate::support::{call, say};

#[test]
fn a_dotted_tool_name_is_matched_by_every_kind_of_hook() {
    for pattern in ["fs.*", "fs.write", "fs.{read,write}", "tool.name == \"fs.write\""] {
        let hooks: [fn(ToolHook) -> ToolHook; 2] =
            [|hook| hook.deny("not here"), |hook| hook.pre(|_| HookReturn::deny("not here"))];
        for more in hooks {
            let mut fixture = open_fixture([call(&[("fs.write", "{}")]), say("done")], |runtime| {
                runtime.register_tool_hook(more(ToolHook::for_tools(pattern))).unwrap();
            });
            fixture.session.turn("go").unwrap();
            assert!(fixture.ran.all().is_empty(), "{pattern}");
        }
    }
}

#[test]
fn a_small_max_output_counts_too() {
    for limit in [0, 1, 100, 199] {
        let mut fixture = open_fixture([call(&[("read", r#"{"path":"long.txt"}"#)]), say("done")], |runtime| {
            runtime.register_tool_hook(ToolHook::for_tools("*").max_output(limit)).unwrap();
        });
        std::fs::write(fixture.folder.path().join("long.txt"), "x".repeat(1_000)).unwrap();
        fixture.session.turn("go").unwrap();
        let result = fixture.results().remove(0);
        assert!(u64::try_from(result.len()).unwrap() <= limit, "{limit}: {result}");
    }
}

#[test]
fn a_rewritten_call_shows_its_new_arguments_in_the_result_and_on_the_tape() {
    let mut fixture = open_fixture([call(&[("look", r#"{"n":1}"#)]), say("done")], |runtime| {
        runtime.register_tool_hook(ToolHook::for_tools("look").pre(|_| HookReturn::args(json!({"n": 2})))).unwrap();
    });
    let answer = fixture.session.turn("go").unwrap();
    assert_eq!(fixture.ran.all(), [r#"look {"n":2}"#]);
    assert_eq!(answer.tool_calls[0].args, json!({"n": 2}));
    assert_eq!(fixture.records_about("", &["tool_call"])[0]["args"], json!({"n": 2}));
    let outcome =
        fixture.records_about("", &["outcome"]).into_iter().find(|record| record["event"] == "tool.pre").unwrap();
    assert_eq!(outcome["value"]["args"], json!({"n": 2}), "{outcome}");
    // The model's own message stays unchanged, and the result is that of the call that ran.
    let sent = fixture.model.request(1);
    let calls: Vec<&str> =
        sent.messages.iter().flat_map(|message| &message.tool_calls).map(|call| call.arguments.as_str()).collect();
    assert_eq!(calls, [r#"{"n":1}"#]);
    let after =
        fixture.records_about("", &["event"]).into_iter().find(|record| record["event"] == "tool.post").unwrap();
    assert_eq!(after["payload"]["args"], json!({"n": 2}));
    let end = fixture.records_about("", &["event"]).into_iter().find(|record| record["event"] == "turn.end").unwrap();
    assert_eq!(end["payload"]["tool_calls"][0]["args"], json!({"n": 2}));
}
