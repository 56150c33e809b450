//! The examples and snippets of Harn's page on hooks, written in Starlark: each does in the agent loop what the text
//! says, and the tape records it. The dictionaries are those of the page, key for key.

use pintle_host::contract::{PersonaSpec, StepSpec};
use serde_json::{Value, json};

use crate::plugins::plugin::*;
use crate::plugins::stage::with_strict_mode;
use crate::support::{QueuedReplyModel, agent, call, say};

const RECORDS: [&str; 3] = ["hook_call", "hook_returned", "hook_vetoed"];

#[test]
fn exec_is_gated() {
    let plugin = r#"register_tool_hook({"pattern": "exec_*", "deny": "exec is gated"})"#;
    let mut fixture = open_with_plugin(plugin, [call(&[("exec_ls", r#"{"path":"."}"#), ("look", "{}")]), say("done")]);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.sorted_tools_run(), ["look {}"], "the gated tool did not run");
    let results = fixture.results();
    assert!(results[0].contains("exec is gated"), "{results:?}");
    assert_eq!(results[1], "seen");

    let hook = fixture.hooks_called("tool.pre").remove(0);
    assert!(hook.starts_with("policy.star:1 "), "{hook}");
    assert_eq!(fixture.hook_kinds(&hook), RECORDS);
    let records = fixture.records_about(&hook, &RECORDS);
    let event = fixture
        .records_about("", &["event"])
        .into_iter()
        .find(|event| event["dispatch"] == records[0]["dispatch"])
        .unwrap();
    assert_eq!((&event["payload"]["name"], &event["payload"]["args"]), (&json!("exec_ls"), &json!({"path": "."})));
    assert_eq!((&records[2]["reason"], &records[2]["decision"]), (&json!("exec is gated"), &json!("deny")));
    assert!(fixture.records().iter().all(|record| record["kind"] != "tool_call" || record["name"] != "exec_ls"));
}

#[test]
fn long_output_is_cut_to_4000() {
    let plugin = r#"register_tool_hook({"pattern": "*", "max_output": 4000})"#;
    let mut fixture = open_with_plugin(plugin, [call(&[("read", r#"{"path":"long.txt"}"#)]), say("done")]);
    std::fs::write(fixture.folder.path().join("long.txt"), "line of output\n".repeat(1_000)).unwrap();
    fixture.session.turn("go").unwrap();
    let result = fixture.results().remove(0);
    assert!(result.len() <= 4_000 && result.len() > 3_900, "{}", result.len());
    let hook = fixture.hooks_called("tool.post").remove(0);
    assert_eq!(fixture.hook_kinds(&hook), RECORDS[..2]);
}

#[test]
fn a_fetch_is_announced_to_the_model() {
    let plugin = r#"
register_tool_hook(
    {
        "pattern": "fetch_*",
        "pre": lambda event: {"reminder": {"body": "Network fetch is about to run", "tags": ["tool"]}},
    },
)
"#;
    let mut fixture = open_with_plugin(plugin, [call(&[("fetch_page", "{}")]), call(&[("look", "{}")]), say("done")]);
    fixture.session.turn("go").unwrap();
    assert!(!fixture.sent(0).contains("Network fetch"));
    assert!(fixture.sent(1).contains("Network fetch is about to run"), "{}", fixture.sent(1));
    assert_eq!(fixture.sorted_tools_run(), ["fetch_page {}", "look {}"], "a reminder refuses nothing");
    let hook = fixture.hooks_called("tool.pre").remove(0);
    assert_eq!(fixture.hook_kinds(&hook), RECORDS[..2], "and only the fetch is announced");
    let reminders = fixture.records_about("", &["reminder"]);
    let what: Vec<&Value> = reminders.iter().map(|record| &record["transition"]).collect();
    assert_eq!(what[..2], [&json!("injected"), &json!("rendered")]);
    assert_eq!(reminders[0]["reminder"]["tags"], json!(["tool"]));
}

#[test]
fn the_audit_step_is_announced_and_keeps_its_arguments() {
    let plugin = r#"
def audit(ctx):
    return {
        "reminder": {"body": "Audit step is running", "tags": ["audit"]},
        "then": {"args": ctx["step"]["args"]},
    }

register_step_hook("merge_*", "audit", "PreStep", audit)
"#;
    let mut fixture = open_with_plugin(plugin, [say("audited"), say("triaged"), say("other")]);
    let step = |name: &str| vec![StepSpec::new(name)];
    for (persona, step_name) in [("merge_captain", "audit"), ("triage", "audit"), ("merge_captain", "other")] {
        let spec = PersonaSpec { name: persona.to_owned(), steps: step(step_name), ..PersonaSpec::default() };
        let mut persona = fixture.session.persona(&spec).unwrap();
        let output = persona.step(step_name, json!(["branch", 17]), |step| {
            assert_eq!(step.args(), [json!("branch"), json!(17)]);
            Ok(json!(step.run_prompt("look at the branch")?.text))
        });
        assert!(output.is_ok(), "{output:?}");
    }
    assert!(fixture.sent(0).contains("Audit step is running"), "{}", fixture.sent(0));
    assert_eq!(fixture.hooks_called("step.pre"), ["policy.star:8 audit"], "only the persona and the step that match");
    let fired = &fixture.fired_payloads("step.pre")[0];
    assert_eq!((&fired["persona"], &fired["args"]), (&json!("merge_captain"), &json!(["branch", 17])));
    let returned = &fixture.records_about("policy.star:8 audit", &["hook_returned"])[0];
    assert!(returned.to_string().contains("Audit step is running"), "{returned}");
}

/// The page's example of a prompt with a secret, as a function.
const REJECT_SECRETS: &str = r#"
def reject_secrets(event):
    prompt = str(event.get("prompt", ""))
    if "secret" in prompt:
        return {"block": True, "reason": "policy violation: secret in prompt"}
    return None
"#;

#[test]
fn a_prompt_with_a_secret_never_reaches_the_model() {
    let plugin = format!("{REJECT_SECRETS}\nregister_session_hook(\"user_prompt_submit\", reject_secrets)\n");
    let mut fixture = open_with_plugin(&plugin, [say("hello")]);
    let error = fixture.session.turn("my secret is 7").unwrap_err();
    assert!(error.is_denied());
    assert!(error.message.contains("policy violation: secret in prompt"), "{}", error.message);
    assert_eq!(error.stop_reason(), "user_prompt_submit_blocked");
    assert_eq!(fixture.model.count(), 0);
    assert_eq!(fixture.session.turn("good day").unwrap().text, "hello");
    assert!(!fixture.sent(0).contains("secret"));
    let hook = "policy.star:8 reject_secrets";
    let twice = ["hook_call", "hook_returned", "hook_vetoed", "hook_call", "hook_returned"];
    assert_eq!(fixture.hook_kinds(hook), twice);
    assert_eq!(fixture.records_about(hook, &["hook_vetoed"])[0]["reason"], json!("policy violation: secret in prompt"));
    assert_eq!(fixture.fired_payloads("prompt.submit")[0]["prompt"], json!("my secret is 7"));
}

#[test]
fn exec_root_never_runs_unattended() {
    let plugin = r#"
def gate(event):
    if str(event.get("tool", {}).get("name", "")) == "exec_root":
        return {"decision": "deny", "reason": "exec_root never runs unattended"}
    return None

def readers(event):
    if event["tool"]["name"] == "exec_ls":
        return {"decision": "allow", "reason": "reads only"}
    return None

register_session_hook("permission_asked", gate)
register_session_hook("permission_asked", readers)
"#;
    let replies = [call(&[("exec_root", "{}"), ("exec_ls", "{}"), ("look", "{}")]), say("done")];
    let mut fixture = open_with_files(
        &[("policy.star", plugin)],
        "policy.star",
        QueuedReplyModel::root(replies),
        agent(),
        with_strict_mode,
    );
    fixture.session.turn("go").unwrap();
    // No user is available, so a call that ran was allowed by the hook.
    assert_eq!(fixture.sorted_tools_run(), ["exec_ls {}"]);
    assert!(fixture.results()[0].contains("exec_root never runs unattended"), "{:?}", fixture.results());
    let vetoed = |hook: &str| -> Vec<Value> {
        fixture.records_about(hook, &["hook_vetoed"]).into_iter().map(|record| record["decision"].clone()).collect()
    };
    assert_eq!(vetoed("policy.star:12 gate"), [json!("deny")]);
    assert_eq!(vetoed("policy.star:13 readers"), [json!("allow")]);
    let asked: Vec<Value> =
        fixture.fired_payloads("permission.ask").iter().map(|payload| payload["name"].clone()).collect();
    assert_eq!(asked, [json!("exec_root"), json!("exec_ls"), json!("look")]);
}

#[test]
fn a_linter_is_told_of_each_file_that_was_edited() {
    let plugin = r#"
def lint(event):
    path = str(event.get("path", ""))
    if path.endswith(".rs"):
        log("re-running clippy after edit to " + path)
    return None

register_session_hook("file_edited", lint)
"#;
    let write = |path: &str| json!({"path": path, "content": "x"}).to_string();
    let (source, notes) = (write("a.rs"), write("notes.md"));
    let mut fixture = open_with_plugin(plugin, [call(&[("write", &source), ("write", &notes)]), say("done")]);
    fixture.session.turn("go").unwrap();
    let kinds = ["hook_call", "hook_returned", "hook_call", "hook_returned"];
    assert_eq!(fixture.hook_kinds("policy.star:8 lint"), kinds);
    let logged: Vec<String> =
        fixture.records_about("", &["effect"]).iter().map(|record| record["request"].to_string()).collect();
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert!(logged[0].contains("re-running clippy after edit to") && logged[0].contains("a.rs"), "{logged:?}");
}

#[test]
fn a_manifest_entry_rejects_secrets() {
    let manifest = r#"[package]
name = "guard"

[[hooks]]
event = "UserPromptSubmit"
pattern = "*"
handler = "policy::reject_secrets"
"#;
    let files = [("harn.toml", manifest), ("policy.star", REJECT_SECRETS)];
    let mut fixture =
        open_with_files(&files, "harn.toml", QueuedReplyModel::root([say("hello")]), agent(), |builder| builder);
    let error = fixture.session.turn("my secret is 7").unwrap_err();
    assert_eq!(error.stop_reason(), "user_prompt_submit_blocked");
    assert!(error.message.contains("policy violation: secret in prompt"), "{}", error.message);
    assert_eq!(fixture.session.turn("good day").unwrap().text, "hello");
    let hook = "policy::reject_secrets";
    assert_eq!(fixture.hooks_called("prompt.submit"), [hook, hook]);
    assert_eq!(fixture.hook_kinds(hook)[..3], RECORDS);
    assert_eq!(fixture.records_about(hook, &["hook_vetoed"])[0]["reason"], json!("policy violation: secret in prompt"));
}

/// The page's table of return values: the effect of each on a prompt, and whether the tape records a veto.
#[test]
fn the_return_protocol_is_the_pages() {
    let cases: &[(&str, Result<&str, &str>, bool)] = &[
        ("None", Ok(""), false),
        ("True", Ok(""), false),
        ("False", Err("returned false"), true),
        ("{\"block\": True, \"reason\": \"not here\"}", Err("not here"), true),
        ("{\"block\": False}", Ok(""), false),
        ("{\"reminder\": {\"body\": \"mind the gap\"}}", Ok("mind the gap"), false),
        (
            "{\"reminder\": {\"body\": \"mind the gap\"}, \"then\": {\"block\": True, \"reason\": \"no\"}}",
            Err("no"),
            true,
        ),
        ("{\"body\": \"mind the gap\", \"tags\": [\"x\"], \"dedupe_key\": \"gap\"}", Ok("mind the gap"), false),
        (
            "[{\"reminder\": {\"body\": \"mind the gap\", \"dedupe_key\": \"k\"}}, {\"reminder\": {\"body\": \"and the step\"}}]",
            Ok("and the step"),
            false,
        ),
        // Misuse fails visibly, and a prompt that no hook decided is not sent.
        ("{\"decision\": \"deny\", \"reason\": \"x\"}", Err("policy.star:1"), true),
        ("42", Err("returned"), true),
        ("{\"blok\": True}", Err("blok"), true),
        ("event[\"absent\"]", Err("absent"), true),
    ];
    for (returned, expected, vetoed) in cases {
        let plugin = format!("register_session_hook(\"user_prompt_submit\", lambda event: {returned})\n");
        let mut fixture = open_with_plugin(&plugin, [say("hello")]);
        let answer = fixture.session.turn("good day");
        match (answer, expected) {
            (Ok(_), Ok(told)) => assert!(fixture.sent(0).contains(told), "{returned}: {}", fixture.sent(0)),
            (Err(error), Err(reason)) => assert!(error.message.contains(reason), "{returned}: {}", error.message),
            (answer, _) => assert!(answer.is_ok() == expected.is_ok(), "{returned}: {answer:?}"),
        }
        let hook = fixture.hooks_called("prompt.submit").remove(0);
        let denied = fixture.hook_kinds(&hook).len() == 3 || fixture.model.count() == 0;
        assert_eq!(denied, *vetoed, "{returned}");
    }
}
