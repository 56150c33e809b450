//! Harn's conformance scripts about hooks (see docs/specs/harn.md), each with a test of the same meaning:
//!
//! | Script | Test | File |
//! | --- | --- | --- |
//! | scenarios/tool_hooks | `tool_hooks` | agent/tests/plugins/conformance.rs |
//! | scenarios/persona_hooks | `persona_hooks` | agent/tests/plugins/conformance.rs |
//! | scenarios/manifest_hooks_runtime | `manifest_hooks_runtime` | agent/tests/plugins/conformance.rs |
//! | scenarios/manifest_persona_hooks_runtime | `manifest_persona_hooks_runtime` | agent/tests/plugins/conformance.rs |
//! | agents/agent_loop_checkpoint_hook | `agent_loop_checkpoint_hook` | agent/tests/plugins/conformance.rs |
//! | agents/agent_runtime_features | `agent_runtime_features` | agent/tests/plugins/conformance.rs |
//! | runtime/command_policy_hooks | `command_policy_hooks` | agent/tests/plugins/conformance.rs |
//! | stdlib/tool_hooks | `tool_hooks_catalogue` | agent/tests/plugins/conformance.rs |
//! | scenarios/attributes_step | `scenarios_attributes_step` | agent/tests/persona/conformance.rs |
//! | scenarios/attributes_durable_persona | `scenarios_attributes_durable_persona` | agent/tests/persona/conformance.rs |
//! | agents/per_agent_permissions_dynamic | `per_agent_permissions_dynamic` | agent/tests/plugins/permissions.rs |
//! | agents/per_agent_permissions_dynamic_escalation | `per_agent_permissions_dynamic_escalation` | agent/tests/plugins/permissions.rs |
//! | agents/spawn_agent_permissions | `spawn_agent_permissions` | agent/tests/plugins/permissions.rs |
//! | agents/sub_agent_permissions_intersection | `sub_agent_permissions_intersection` | agent/tests/plugins/permissions.rs |
//! | agents/agent_daemon_mode | `agent_daemon_mode` | agent/tests/plugins/conformance.rs |
//! | agents/agent_daemon_await_resumption | `a_daemon_says_each_time_that_it_is_idle_and_wakes_for_what_is_said` | agent/tests/lifecycle/waiting.rs |
//! | scenarios/agent_loop_compaction_policy | `agent_loop_compaction_policy` | agent/tests/plugins/conformance.rs |
//! | mechanisms/classified_compaction | `agent_loop_compaction_policy` | agent/tests/plugins/conformance.rs |
//! | mechanisms | `gates_have_a_trigger_an_effect_and_a_negative` | agent/tests/plugins/conformance.rs |
//!
//! Two things in them have no counterpart: the seams of `loop_checkpoint`, an event that Pintle does not fire
//! (registering it is an error, and a pattern on `post_turn` does what the script shows), and the classifier of
//! stdlib/tool_hooks that calls a model.

use std::path::Path;

use pintle_agent::DaemonOptions;
use pintle_host::contract::{PersonaSpec, StepSpec};
use serde_json::json;

use crate::plugins::plugin::*;
use crate::plugins::stage::RegisteredFixture;
use crate::support::{QueuedReplyModel, agent, call, say};

#[test]
fn each_script_has_a_test_of_the_same_meaning() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut rows = 0;
    for line in include_str!("conformance.rs").lines() {
        let cells: Vec<&str> = line.strip_prefix("//! |").unwrap_or_default().split('|').map(str::trim).collect();
        let [_, test, file, _] = cells[..] else { continue };
        let Some(test) = test.strip_prefix('`').and_then(|test| test.strip_suffix('`')) else { continue };
        let text = std::fs::read_to_string(crates.join(file)).unwrap_or_default();
        assert!(text.contains(&format!("#[test]\nfn {test}(")), "{file} has no test `{test}`");
        rows += 1;
    }
    assert_eq!(rows, 19);
}

/// Registering hooks and clearing them raises no error, and cleared hooks are not called.
#[test]
fn tool_hooks() {
    let kept = "register_tool_hook({\"pattern\": \"exec_*\", \"deny\": \"exec is gated\"})\n\
                register_tool_hook({\"pattern\": \"*\", \"max_output\": 100})\n";
    assert_eq!(load_plugin(&[("policy.star", kept)], "policy.star").declarations().count(), 2);
    let cleared = format!("{kept}clear_tool_hooks()\nregister_session_hook(\"post_turn\", lambda event: None)\n");
    let mut fixture = open_with_plugin(&cleared, [call(&[("exec_ls", "{}")]), say("done")]);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.sorted_tools_run(), ["exec_ls {}"]);
    for clear in ["clear_tool_hooks()", "clear_persona_hooks()", "clear_session_hooks()"] {
        assert!(!load_plugin(&[("policy.star", clear)], "policy.star").has_errors(), "{clear}");
    }
}

/// A persona hook comes before a step hook that was registered after it, the body sees the arguments after both,
/// `PostStep` rewrites the output, and a tool hook denies inside the step. The order is 1, 10, 100.
#[test]
fn persona_hooks() {
    let plugin = r#"
def by(factor, add):
    def hook(ctx):
        return {"args": [ctx["step"]["args"][0] * 10 + add]}
    return hook

register_persona_hook("merge_*", "PreStep", by(10, 1))
register_step_hook("merge_*", "audit", "PreStep", by(10, 2))
register_step_hook("merge_*", "other", "PreStep", by(10, 7))
register_persona_hook("merge_*", "PreStep", by(10, 3))
register_persona_hook("merge_*", "PostStep", lambda ctx: {"output": {"was": ctx["output"], "by": ctx["persona"]}})
register_tool_hook({"pattern": "exec_*", "deny": "not inside a step"})
"#;
    let mut fixture = open_with_plugin(plugin, [call(&[("exec_ls", "{}")]), say("audited")]);
    let spec = PersonaSpec {
        name: String::from("merge_captain"),
        steps: vec![StepSpec::new("audit")],
        ..PersonaSpec::default()
    };
    let mut persona = fixture.session.persona(&spec).unwrap();
    let output = persona.step("audit", json!([0]), |step| {
        let seen = step.args().to_vec();
        let answer = step.run_prompt("look at the branch")?;
        Ok(json!([seen, answer.text]))
    });
    assert_eq!(output.unwrap(), json!({"was": [[123], "audited"], "by": "merge_captain"}));
    assert_eq!(fixture.sorted_tools_run(), Vec::<String>::new());
    assert!(fixture.results()[0].contains("not inside a step"), "{:?}", fixture.results());
    assert_eq!(fixture.hooks_called("step.pre").len(), 3);
}

/// Hooks of the manifest with patterns over the event: one denies tools that write, one rewrites what is read.
#[test]
fn manifest_hooks_runtime() {
    let manifest = r#"
[package]
name = "guard"

[[hooks]]
event = "PreToolUse"
pattern = "tool.name =~ '^(exec|write)'"
handler = "policy::no_writes"

[[hooks]]
event = "PostToolUse"
pattern = "tool.name == 'look'"
handler = "guard::policy::redact"
"#;
    let module = r#"
def no_writes(event):
    return {"deny": event["tool"]["name"] + " writes"}

def redact(event):
    return event["result"]["text"].replace("seen", "[redacted]")
"#;
    let replies = [call(&[("exec_ls", "{}"), ("look", "{}"), ("fetch_page", "{}")]), say("done")];
    let files = [("harn.toml", manifest), ("src/policy.star", module)];
    let mut fixture = open_with_files(&files, "harn.toml", QueuedReplyModel::root(replies), agent(), |builder| builder);
    fixture.session.turn("go").unwrap();
    let results = fixture.results();
    assert!(results[0].contains("exec_ls writes"), "{results:?}");
    assert_eq!(results[1..], ["[redacted]", "<html>"]);
    assert_eq!(fixture.hooks_called("tool.pre"), ["policy::no_writes"]);
    assert_eq!(fixture.hooks_called("tool.post"), ["guard::policy::redact"]);
}

/// Step hooks of the manifest, by the target `persona.step`: they see the payload's fields and rewrite both ways.
#[test]
fn manifest_persona_hooks_runtime() {
    let manifest = r#"
[package]
name = "guard"

[[hooks]]
event = "PreStep"
pattern = "merge_captain.admin_merge"
handler = "steps::before"

[[hooks]]
event = "PostStep"
pattern = "merge_captain.admin_merge"
handler = "steps::after"
"#;
    let module = r#"
def before(event):
    return {"args": [event["target"], event["persona"], event["step"]["name"], event["step"]["args"][0]]}

def after(event):
    return {"output": [event["event"], event["output"]]}
"#;
    let files = [("harn.toml", manifest), ("steps.star", module)];
    let mut fixture = open_with_files(&files, "harn.toml", QueuedReplyModel::root([]), agent(), |builder| builder);
    let run = |fixture: &mut RegisteredFixture, persona: &str, step: &str| {
        let steps = vec![StepSpec::new(step)];
        let spec = PersonaSpec { name: persona.to_owned(), steps, ..PersonaSpec::default() };
        let mut persona = fixture.session.persona(&spec).unwrap();
        persona.step(step, json!([17]), |step| Ok(json!(step.args().to_vec()))).unwrap()
    };
    let target = json!(["PostStep", ["merge_captain.admin_merge", "merge_captain", "admin_merge", 17]]);
    assert_eq!(run(&mut fixture, "merge_captain", "admin_merge"), target);
    assert_eq!(run(&mut fixture, "merge_captain", "other"), json!([17]));
    assert_eq!(run(&mut fixture, "triage", "admin_merge"), json!([17]));
}

/// A hook is only called for what it names.
#[test]
fn agent_loop_checkpoint_hook() {
    let plugin = "register_session_hook(\"post_turn\", \"has_tool_calls\", lambda event: {\"body\": \"tools ran\"})\n";
    let mut fixture = open_with_plugin(plugin, [call(&[("look", "{}")]), say("done"), say("again")]);
    fixture.session.turn("go").unwrap();
    fixture.session.turn("again").unwrap();
    assert_eq!(fixture.hooks_called("iteration.post").len(), 1, "of three turns one called a tool");
    assert!(fixture.sent(1).contains("tools ran"), "{}", fixture.sent(1));

    let other = load_plugin(
        &[("policy.star", "register_session_hook(\"loop_checkpoint\", lambda event: None)\n")],
        "policy.star",
    );
    assert!(other.has_errors());
    let found = other.diagnostics[0].to_string() + other.diagnostics[0].help.as_deref().unwrap_or_default();
    assert!(found.contains("loop_checkpoint") || found.contains("LoopCheckpoint"), "{found}");
}

/// Each surface registers hooks, in a loop with tools.
#[test]
fn agent_runtime_features() {
    let plugin = r#"
def seen(event):
    cache.set("last", event["event"])

for event in ["session_start", "user_prompt_submit", "post_turn", "session_end", "SessionIdle", "error"]:
    register_session_hook(event, seen, name = "session " + event)
register_tool_hook({"pattern": "look", "pre": seen, "post": seen, "name": "tool"})
register_persona_hook("*", "PreStep", seen, {"name": "persona"})
register_step_hook("*", "audit", "PostStep", seen, name = "step")
"#;
    let mut fixture = open_with_plugin(plugin, [call(&[("look", "{}")]), say("done")]);
    fixture.session.turn("go").unwrap();
    let hooks: Vec<String> = fixture
        .records_about("", &["hook_call"])
        .iter()
        .map(|record| record["hook"].as_str().unwrap().to_owned())
        .collect();
    let expected = [
        "session session_start",
        "session user_prompt_submit",
        "tool pre",
        "tool post",
        "session post_turn",
        "session post_turn",
    ];
    assert_eq!(hooks, expected);
    assert_eq!(fixture.records_about("", &["effect"]).len(), hooks.len(), "each effect of a script is on the tape");
}

/// A policy on commands: one is denied, one is rewritten, and the output of commands is checked afterwards.
#[test]
fn command_policy_hooks() {
    let plugin = r#"
def before(event):
    path = event["tool"]["args"].get("path", "")
    if path == "/":
        return {"deny": "not the root"}
    if path.startswith("~"):
        return {"args": {"path": path.replace("~", "home")}}
    return None

def after(event):
    if event["result"]["is_error"]:
        return None
    return {"result": event["result"]["text"] + " (checked)"}

register_tool_hook({"pattern": "exec_*", "pre": before, "post": after})
"#;
    let calls = [("exec_ls", r#"{"path":"/"}"#), ("exec_ls", r#"{"path":"~/x"}"#), ("exec_ls", r#"{"path":"."}"#)];
    let mut fixture = open_with_plugin(plugin, [call(&calls), say("done")]);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.sorted_tools_run(), [r#"exec_ls {"path":"."}"#, r#"exec_ls {"path":"home/x"}"#]);
    let results = fixture.results();
    assert!(results[0].contains("not the root"), "{results:?}");
    assert_eq!(results[1..], ["a.txt (checked)", "a.txt (checked)"]);
}

/// Rules by regular expression in the three modes of the catalogue: deny, rewrite, audit.
#[test]
fn tool_hooks_catalogue() {
    let plugin = r#"
def apply(rule, event):
    path = event["tool"]["args"].get("path", "")
    if rule["mode"] == "deny":
        return {"deny": rule["why"]}
    if rule["mode"] == "rewrite":
        return {"args": {"path": rule["to"]}}
    metrics.incr("audited")
    log("audit: " + path)
    return None

def pre(event):
    path = event["tool"]["args"].get("path", "")
    if re.search("^rm ", path):
        return apply({"mode": "deny", "why": "remove by hand"}, event)
    if re.search("^npm (i|install)\\b", path):
        return apply({"mode": "rewrite", "to": "pnpm install"}, event)
    if re.search("^curl ", path):
        return apply({"mode": "audit"}, event)

register_tool_hook({"pattern": "exec_*", "pre": pre})
"#;
    let commands = ["rm -r x", "npm i left-pad", "npm run test", "curl example.org"];
    let calls: Vec<String> = commands.iter().map(|path| json!({"path": path}).to_string()).collect();
    let calls: Vec<(&str, &str)> = calls.iter().map(|arguments| ("exec_ls", arguments.as_str())).collect();
    let mut fixture = open_with_plugin(plugin, [call(&calls), say("done")]);
    fixture.session.turn("go").unwrap();
    let ran = fixture.sorted_tools_run();
    let expected = ["curl example.org", "npm run test", "pnpm install"];
    assert_eq!(ran, expected.map(|path| format!("exec_ls {}", json!({"path": path}))));
    assert!(fixture.results()[0].contains("remove by hand"));
    let effects: Vec<String> =
        fixture.records_about("", &["effect"]).iter().map(|record| record["request"].to_string()).collect();
    assert_eq!(effects.len(), 2, "{effects:?}");
    assert!(effects[1].contains("audit: curl example.org"), "{effects:?}");
}

/// A daemon fires its idle event each time it begins to wait.
#[test]
fn agent_daemon_mode() {
    let plugin = r#"
def idle(event):
    log(str(event["wake_interval_ms"]))
    return {"reminder": {"body": "you waited", "ttl_turns": 1}}

register_session_hook("session_idle", idle)
"#;
    let mut fixture = open_with_plugin(plugin, [say("one")]);
    fixture.session.inbox().follow_up("first");
    let options = DaemonOptions { wake_interval_ms: 50, max_idle: Some(2) };
    fixture.session.run_daemon(options, |_, answer| assert!(answer.is_ok(), "{answer:?}")).unwrap();
    assert_eq!(fixture.hooks_called("session.idle"), ["policy.star:6 idle", "policy.star:6 idle"]);
    let said = &fixture.records_about("", &["effect"])[0]["request"];
    assert!(said.to_string().contains("50"), "{said}");
}

/// A hook skips one compaction and sees the next; an advisory hook that tries to skip one gets an error.
#[test]
fn agent_loop_compaction_policy() {
    let plugin = r#"
def once(event):
    if cache.get("skipped"):
        return None
    cache.set("skipped", True)
    return {"block": True, "reason": "not yet"}

register_session_hook("pre_compact", once)
register_session_hook("post_compact", lambda event: False)
"#;
    let mut fixture = open_with_plugin(plugin, [say("a"), say("b"), say("gist"), say("c")]);
    fixture.session.turn("one").unwrap();
    fixture.session.turn("two").unwrap();
    assert_eq!(fixture.hooks_called("compact.pre"), Vec::<String>::new(), "none is due");
    assert_eq!(fixture.session.compact(None), Ok(None));
    assert_eq!(fixture.hooks_called("compact.post").len(), 0);
    assert!(fixture.session.compact(None).unwrap().is_some());
    let hook = "policy.star:8 once";
    let kinds = ["hook_call", "hook_returned", "hook_vetoed", "hook_call", "hook_returned"];
    assert_eq!(fixture.hook_kinds(hook), kinds);
    let after = fixture.hooks_called("compact.post").remove(0);
    let returned = fixture.records_about(&after, &["hook_returned"]).remove(0).to_string();
    assert!(returned.contains("PostCompact"), "{returned}");
    fixture.session.turn("three").unwrap();
}

/// Gates in the form of the mechanism scripts: what triggers one, its effect, and what does not trigger it.
#[test]
fn gates_have_a_trigger_an_effect_and_a_negative() {
    struct GateScriptCase {
        plugin: &'static str,
        trigger: (&'static str, &'static str),
        negative: (&'static str, &'static str),
        effect: &'static str,
    }
    let gates = [
        GateScriptCase {
            plugin: "register_tool_hook({\"pattern\": \"fs.*\", \"deny\": \"files are gated\"})\n",
            trigger: ("fs.write", "{}"),
            negative: ("look", "{}"),
            effect: "files are gated",
        },
        GateScriptCase {
            plugin: "register_tool_hook({\"pattern\": \"tool.args.path == 'x'\", \"pre\": lambda event: {\"deny\": \"not x\"}})\n",
            trigger: ("look", r#"{"path":"x"}"#),
            negative: ("look", r#"{"path":"y"}"#),
            effect: "not x",
        },
        GateScriptCase {
            plugin: "register_tool_hook({\"pattern\": \"{exec,fetch}_*\", \"deny\": \"no network, no programs\"})\n",
            trigger: ("fetch_page", "{}"),
            negative: ("look", "{}"),
            effect: "no network, no programs",
        },
        GateScriptCase {
            plugin: "register_tool_hook({\"pattern\": \"look\", \"post\": lambda event: {\"result\": \"hidden\", \"denial\": {\"kind\": \"secret\", \"message\": \"m\"}}})\n",
            trigger: ("look", "{}"),
            negative: ("exec_ls", "{}"),
            effect: "hidden",
        },
    ];
    for GateScriptCase { plugin, trigger, negative, effect } in gates {
        let mut fixture = open_with_plugin(plugin, [call(&[trigger, negative]), say("done")]);
        fixture.session.turn("go").unwrap();
        let results = fixture.results();
        assert!(results[0].contains(effect), "{plugin}{results:?}");
        assert!(!results[1].contains(effect), "{plugin}{results:?}");
        let ran = fixture.sorted_tools_run();
        assert!(ran.contains(&format!("{} {}", negative.0, negative.1)), "{plugin}{ran:?}");
    }
}
