//! The examples and snippets of Harn's page on hooks, written in Rust: each does in the agent loop what the text says,
//! and the tape records it.

use pintle_host::contract::{PersonaSpec, StepSpec};
use pintle_host::tape::record::RecordBody;
use pintle_host::{Decision, HookReturn, Reminder, ToolHook};
use serde_json::{Value, json};

use crate::registered::fixture::*;
use crate::support::{QueuedReplyModel, agent, call, say};

#[test]
fn exec_is_gated() {
    let replies = [call(&[("exec_ls", r#"{"path":"."}"#), ("look", "{}")]), say("done")];
    let mut fixture = open_fixture(replies, |runtime| {
        runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("exec is gated").name("gate")).unwrap();
    });
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.ran.all(), ["look {}"], "the gated tool did not run");
    let results = fixture.results();
    assert!(results[0].contains("exec is gated"), "{results:?}");
    assert_eq!(results[1], "seen");

    assert_eq!(fixture.hook_kinds("gate"), ["hook_call", "hook_returned", "hook_vetoed"]);
    let records = fixture.records_about("gate", &["hook_call", "hook_returned", "hook_vetoed"]);
    let event = fixture
        .records_about("", &["event"])
        .into_iter()
        .find(|record| record["dispatch"] == records[0]["dispatch"])
        .unwrap();
    assert_eq!((&event["event"], &event["payload"]["name"]), (&json!("tool.pre"), &json!("exec_ls")));
    assert_eq!(event["payload"]["args"], json!({"path": "."}));
    assert_eq!((&records[2]["reason"], &records[2]["decision"]), (&json!("exec is gated"), &json!("deny")));
    assert!(fixture.records().iter().all(|record| record["kind"] != "tool_call" || record["name"] != "exec_ls"));
}

#[test]
fn long_output_is_cut_to_4000() {
    let long = "line of output\n".repeat(1_000);
    let replies = [call(&[("read", r#"{"path":"long.txt"}"#)]), say("done")];
    let mut fixture = open_fixture(replies, |runtime| {
        runtime.register_tool_hook(ToolHook::for_tools("*").max_output(4000).name("cut")).unwrap();
    });
    std::fs::write(fixture.folder.path().join("long.txt"), &long).unwrap();
    fixture.session.turn("go").unwrap();
    let result = fixture.results().remove(0);
    assert!(result.len() <= 4_000 && result.len() > 3_900, "{}", result.len());
    assert!(result.contains("bytes cut"), "{result}");
    assert_eq!(fixture.hook_kinds("cut"), ["hook_call", "hook_returned"]);
}

#[test]
fn a_fetch_is_announced_to_the_model() {
    let replies = [call(&[("fetch_page", "{}")]), say("done")];
    let mut fixture = open_fixture(replies, |runtime| {
        let hook = ToolHook::for_tools("fetch_*").name("fetching").pre(|_| {
            let tags = vec![String::from("tool")];
            HookReturn::reminder(Reminder {
                body: String::from("Network fetch is about to run"),
                tags,
                ..Reminder::default()
            })
        });
        runtime.register_tool_hook(hook).unwrap();
    });
    fixture.session.turn("go").unwrap();
    assert!(!fixture.sent(0).contains("Network fetch"));
    assert!(fixture.sent(1).contains("Network fetch is about to run"), "{}", fixture.sent(1));
    assert_eq!(fixture.ran.all().len(), 1);
    assert_eq!(fixture.hook_kinds("fetching"), ["hook_call", "hook_returned"]);
    let reminders = fixture.records_about("", &["reminder"]);
    let what: Vec<&Value> = reminders.iter().map(|record| &record["transition"]).collect();
    assert_eq!(what[..2], [&json!("injected"), &json!("rendered")]);
    assert_eq!(reminders[0]["reminder"]["tags"], json!(["tool"]));
}

#[test]
fn the_audit_step_is_announced_and_keeps_its_arguments() {
    let replies = [say("audited"), say("triaged")];
    let model = QueuedReplyModel::root(replies);
    let mut fixture = open_fixture_with(
        model,
        agent(),
        |runtime| {
            let hook = |event: &pintle_host::HookEvent<'_>| {
                let reminder = Reminder {
                    body: String::from("Audit step is running"),
                    tags: vec![String::from("audit")],
                    ..Reminder::default()
                };
                HookReturn::reminder(reminder).then(HookReturn::args(event.step_args().to_vec()))
            };
            runtime.register_step_hook("merge_*", "audit", "PreStep", hook).unwrap();
        },
        |builder| builder,
    );
    let persona = |name: &str| PersonaSpec {
        name: name.to_owned(),
        steps: vec![StepSpec::new("audit")],
        ..PersonaSpec::default()
    };
    for name in ["merge_captain", "triage"] {
        let spec = persona(name);
        let mut persona = fixture.session.persona(&spec).unwrap();
        let output = persona.step("audit", json!(["branch", 17]), |step| {
            assert_eq!(step.args(), [json!("branch"), json!(17)]);
            Ok(json!(step.run_prompt("look at the branch")?.text))
        });
        assert!(output.is_ok(), "{output:?}");
    }
    assert!(fixture.sent(0).contains("Audit step is running"), "{}", fixture.sent(0));
    let hook = "register_step_hook#1";
    assert_eq!(fixture.hook_kinds(hook), ["hook_call", "hook_returned"], "only for the persona that matches");
    let event = fixture.records_about("", &["event"]).into_iter().find(|record| record["event"] == "step.pre").unwrap();
    assert_eq!(event["payload"]["persona"], json!("merge_captain"));
    assert_eq!(event["payload"]["args"], json!(["branch", 17]));
}

#[test]
fn a_prompt_with_a_secret_never_reaches_the_model() {
    let mut fixture = open_fixture([say("hello")], |runtime| {
        runtime
            .register_session_hook("user_prompt_submit", |event| {
                event.prompt()?.contains("secret").then(|| HookReturn::block("policy violation: secret in prompt"))
            })
            .unwrap();
    });
    let error = fixture.session.turn("my secret is 7").unwrap_err();
    assert!(error.is_denied());
    assert!(error.message.contains("policy violation: secret in prompt"), "{}", error.message);
    assert_eq!(error.stop_reason(), "user_prompt_submit_blocked");
    assert_eq!(fixture.model.count(), 0);
    assert_eq!(fixture.session.turn("good day").unwrap().text, "hello");
    assert!(!fixture.sent(0).contains("secret"));
    let hook = "register_session_hook#1";
    let kinds = ["hook_call", "hook_returned", "hook_vetoed", "hook_call", "hook_returned"];
    assert_eq!(fixture.hook_kinds(hook), kinds);
    assert_eq!(fixture.records_about(hook, &["hook_vetoed"])[0]["reason"], json!("policy violation: secret in prompt"));
}

#[test]
fn exec_root_never_runs_unattended() {
    let replies = [call(&[("exec_root", "{}"), ("exec_ls", "{}")]), say("done")];
    let mut fixture = open_fixture_with(
        QueuedReplyModel::root(replies),
        agent(),
        |runtime| {
            runtime
                .register_session_hook("permission_asked", |event| {
                    let reason = "exec_root never runs unattended";
                    (event.tool_name()? == "exec_root").then(|| HookReturn::decision(Decision::Deny, reason))
                })
                .unwrap();
            runtime
                .register_session_hook("permission_asked", |event| {
                    (event.tool_name()? == "exec_ls").then(|| HookReturn::decision(Decision::Allow, "reads only"))
                })
                .unwrap();
        },
        with_strict_mode,
    );
    fixture.session.turn("go").unwrap();
    // No user is available, so a call that ran was allowed by the hook.
    assert_eq!(fixture.ran.all(), ["exec_ls {}"]);
    assert!(fixture.results()[0].contains("exec_root never runs unattended"), "{:?}", fixture.results());
    let vetoed = |hook: &str| -> Vec<Value> {
        fixture.records_about(hook, &["hook_vetoed"]).into_iter().map(|record| record["decision"].clone()).collect()
    };
    assert_eq!(vetoed("register_session_hook#1"), [json!("deny")]);
    assert_eq!(vetoed("register_session_hook#2"), [json!("allow")]);
}

#[test]
fn a_linter_is_told_of_each_file_that_was_edited() {
    let write = |path: &str| json!({"path": path, "content": "x"}).to_string();
    let (source, notes) = (write("a.rs"), write("notes.md"));
    let replies = [call(&[("write", source.as_str()), ("write", notes.as_str())]), say("done")];
    let mut fixture = open_fixture(replies, |runtime| {
        runtime
            .register_session_hook("file_edited", |event| {
                if let Some(path) = event.path().filter(|path| path.ends_with(".rs")) {
                    event.log(format!("re-running clippy after edit to {path}"));
                }
            })
            .unwrap();
    });
    fixture.session.turn("go").unwrap();
    let hook = "register_session_hook#1";
    assert_eq!(fixture.hook_kinds(hook), ["hook_call", "hook_returned", "hook_call", "hook_returned"]);
    let logged: Vec<String> =
        fixture.records_about("", &["effect"]).iter().map(|record| record["request"].to_string()).collect();
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert!(logged[0].contains("re-running clippy after edit to") && logged[0].contains("a.rs"), "{logged:?}");
}

#[test]
fn every_tape_of_these_examples_names_its_hooks_before_they_are_asked() {
    let mut fixture = open_fixture([call(&[("exec_ls", "{}")]), say("done")], |runtime| {
        runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("no").name("gate")).unwrap();
    });
    fixture.session.turn("go").unwrap();
    let lines = fixture.runtime.tape().unwrap().lines();
    let reading = pintle_host::tape::read_bytes(lines.join("\n").as_bytes()).unwrap();
    let declared = reading.records.iter().position(|record| matches!(record.body, RecordBody::Hooks(_)));
    let asked = reading.records.iter().position(|record| matches!(record.body, RecordBody::HookCall(_)));
    assert!(declared.is_some() && declared < asked, "{declared:?} {asked:?}");
}
