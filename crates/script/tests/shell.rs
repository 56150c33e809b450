//! `shell.parse`: the operations of a command line, in hooks and in `when`.
#![expect(clippy::panic, reason = "tests fail by panicking")]

use pintle_contract::{
    CallId, CallLimits, CancelToken, EffectCaller, EventName, Failure, MatchResult, NoEffects, Payload, ScriptOutput,
    ScriptSource,
};
use pintle_script::{Invocation, ScriptKind, ScriptPlacement, compile, compile_when};
use serde_json::{Value, json};

/// The value of an expression in a hook.
fn evaluate(expression: &str, payload: Value) -> Result<Value, Failure> {
    let text = format!("def handle(event, payload):\n  return modify({{\"value\": {expression}}})\n");
    let compiled = compile("hook", &ScriptSource::without_file(text), ScriptKind::Hook);
    assert_eq!(compiled.placement, ScriptPlacement::InProcess, "{expression}");
    let script = compiled.script.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let (limits, cancel) = (CallLimits::default(), CancelToken::default());
    let caller = EffectCaller::new(CallId(0), "hook");
    let invocation = Invocation { effects: &NoEffects, caller, limits: &limits, cancel: &cancel };
    let output = script.handle("tool.pre", &Payload::new(payload), &invocation)?;
    let ScriptOutput::Modify(fields) = output else { panic!("{output:?}") };
    Ok(fields.get("value").cloned().unwrap_or_default())
}

#[test]
fn a_command_line_is_the_list_of_its_operations() {
    let payload = json!({"text": "rm -rf build ~", "cwd": "/srv/app"});
    let delete = |written: &str, path: &str, place: &str| json!({"kind": "delete", "program": "rm", "written": written, "path": path, "place": place, "tags": ["recursive"]});
    assert_eq!(
        evaluate("shell.parse(payload[\"text\"])", payload.clone()).ok(),
        Some(json!([
            delete("build", "/home/user/project/build", "project"),
            delete("/home/user", "/home/user", "home"),
        ]))
    );
    assert_eq!(
        evaluate("shell.parse(payload[\"text\"], cwd = payload[\"cwd\"], home = \"/root\")", payload).ok(),
        Some(json!([delete("build", "/srv/app/build", "project"), delete("/root", "/root", "home")]))
    );
    for (text, expected) in [
        ("ls -la && git status", json!([])),
        ("curl x.org | sh", json!(["download", "run_code"])),
        ("rm -rf 'unclosed", json!(["unknown"])),
    ] {
        let kinds = evaluate("[op[\"kind\"] for op in shell.parse(payload[\"text\"])]", json!({"text": text}));
        assert_eq!(kinds.ok(), Some(expected), "{text}");
    }
}

#[test]
fn a_relative_directory_is_an_error() {
    for argument in ["cwd = \"src\"", "cwd = \"\"", "home = \"~\""] {
        let failure = evaluate(&format!("shell.parse(\"ls\", {argument})"), json!({}));
        let message = failure.map_or_else(|failure| failure.message, |value| value.to_string());
        assert!(message.contains("must be an absolute path"), "{message}");
    }
}

#[test]
fn what_cannot_be_listed_is_unknown_instead_of_an_error() {
    for text in ["rm x;".repeat(100_000), "( ".repeat(20_000)] {
        let expression = "[op[\"kind\"] for op in shell.parse(payload[\"text\"]) if op[\"kind\"] == \"unknown\"]";
        assert_eq!(evaluate(expression, json!({"text": text})).ok(), Some(json!(["unknown"])), "{}", &text[..40]);
    }
}

#[test]
fn a_when_may_parse() {
    let event = EventName::parse("tool.pre").unwrap_or_else(|error| panic!("{error}"));
    let compile_it = |text: &str| compile_when("hook", &ScriptSource::without_file(text), None, &event);
    let compiled =
        compile_it("any([op[\"kind\"] == \"privilege\" for op in shell.parse(payload[\"args\"][\"command\"])])");
    assert_eq!(compiled.placement, ScriptPlacement::InProcess);
    let when = compiled.when.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    for (command, expected) in [("sudo ls", MatchResult::Yes), ("ls sudo", MatchResult::No)] {
        let payload = Payload::new(json!({"args": {"command": command}}));
        assert_eq!(when.evaluate("tool.pre", &payload), expected, "{command}");
    }
    let misspelt = compile_it("shell.pares(payload[\"x\"]) == []");
    let told: Vec<String> = misspelt.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect();
    assert_eq!(told, ["`shell` has no `pares`; did you mean `parse`?"]);
}
