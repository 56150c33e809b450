//! Hook output to verdicts. A case is a line: the event, the program's exit and output, and the verdict.

use std::path::Path;

use pintle_contract::{Codec, CommandOutput, Effect, EventKind, HandlerOutput, Rewrite, Verdict, VerdictKind};
use pintle_testkit::{example_event, misread_answers, read_cases};
use serde_json::{Value, json};

use super::heard_event;
use crate::{CLIENTS, ClientCodec};

/// A payload that fits the event.
fn example_payload(canonical: EventKind) -> Value {
    match canonical {
        EventKind::ToolPre | EventKind::PermissionAsk => {
            json!({"id": "c1", "name": "shell", "args": {"command": "ls"}})
        }
        EventKind::ToolPost => {
            json!({"call_id": "c1", "name": "shell", "args": {"command": "ls"}, "content": "x", "is_error": false, "result": "x"})
        }
        _ => json!({}),
    }
}

/// A verdict as one JSON value.
fn verdict_to_json(verdict: &Verdict) -> Value {
    let said = match &verdict.kind {
        VerdictKind::Pass => json!("pass"),
        VerdictKind::Allow { reason } => json!({"allow": reason}),
        VerdictKind::Rewrite(Rewrite::Fields(fields)) => json!({"rewrite": fields}),
        VerdictKind::Rewrite(Rewrite::Whole(value)) => json!({"whole": value}),
        VerdictKind::Ask { reason } => json!({"ask": reason}),
        VerdictKind::Deny { reason } => json!({"deny": reason}),
        VerdictKind::Failed(failure) => json!({"failed": failure.to_string()}),
    };
    let effects: Vec<Value> = verdict
        .effects
        .iter()
        .map(|effect| match effect {
            Effect::Context(text) => json!({"context": text}),
            Effect::Notice(text) => json!({"notice": text}),
            other => json!(format!("{other:?}")),
        })
        .collect();
    let rewrite = verdict.rewrite.as_ref().map(|rewrite| match rewrite {
        Rewrite::Fields(fields) => json!(fields),
        Rewrite::Whole(value) => value.clone(),
    });
    let mut told = json!({"said": said});
    for (name, value) in [
        ("rewrite", rewrite),
        ("effects", (!effects.is_empty()).then(|| json!(effects))),
        ("warnings", (!verdict.warnings.is_empty()).then(|| json!(verdict.warnings))),
    ] {
        if let Some(value) = value {
            told[name] = value;
        }
    }
    told
}

/// The output of a case's hook. Printed JSON may be written directly in the case.
fn case_output(case: &Value) -> HandlerOutput {
    if let Some(reply) = case.get("reply") {
        return HandlerOutput::Text(reply.as_str().unwrap().to_owned());
    }
    let printed = |name: &str| match case.get(name) {
        None => Vec::new(),
        Some(Value::String(text)) => text.clone().into_bytes(),
        // Bytes that are not text.
        Some(Value::Array(bytes)) => bytes.iter().map(|byte| u8::try_from(byte.as_u64().unwrap()).unwrap()).collect(),
        Some(value) => value.to_string().into_bytes(),
    };
    HandlerOutput::Process(CommandOutput {
        exit_code: case
            .get("signal")
            .is_none()
            .then(|| case.get("exit").map_or(0, |exit| exit.as_i64().unwrap() as i32)),
        signal: case.get("signal").map(|signal| signal.as_i64().unwrap() as i32),
        stdout: printed("stdout"),
        stderr: printed("stderr"),
        stdout_cut: case.get("cut").is_some(),
        ..CommandOutput::default()
    })
}

#[test]
fn each_answer_gives_its_verdict() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, lines) in read_cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/answers"), "jsonl") {
        let client = CLIENTS.iter().find(|client| client.dialect == Some(name.as_str())).unwrap();
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let case: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            let spelling = case["event"].as_str().unwrap();
            let def = client.event_def(spelling).unwrap();
            let needs_answer = case.get("needs_answer").is_some();
            let codec = ClientCodec {
                client,
                project: None,
                plugin: None,
                needs_answer,
                needs_json: case.get("needs_json").is_some(),
            };
            let payload = case.get("payload").cloned().unwrap_or_else(|| example_payload(def.canonical.unwrap()));
            let event = heard_event(def, &example_event(def.canonical.unwrap().name(), payload));
            let found = verdict_to_json(&codec.decode(&event, spelling, case_output(&case)));
            count += 1;
            if case.get("verdict") != Some(&found) {
                let mut mended = case.clone();
                mended["verdict"] = found;
                wrong.push(format!("{name}: {line}\n  found {mended}"));
            }
        }
    }
    assert!(count > 100, "{count} cases are too few");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn refusals_in_any_words_refuse_and_other_output_does_not() {
    for client in CLIENTS.iter().filter(|client| client.dialect.is_some()) {
        let Some(def) = client.events.iter().find(|def| def.canonical == Some(EventKind::ToolPre)) else { continue };
        let event = heard_event(def, &example_event("tool.pre", example_payload(EventKind::ToolPre)));
        let misread = misread_answers(|stdout| {
            let output = HandlerOutput::Process(CommandOutput {
                exit_code: Some(0),
                stdout: stdout.as_bytes().to_vec(),
                ..CommandOutput::default()
            });
            let verdict = ClientCodec::for_client(client).decode(&event, def.name, output);
            match verdict.kind {
                VerdictKind::Deny { .. } | VerdictKind::Ask { .. } => Some(true),
                // A strict client takes an unknown field for a failure.
                VerdictKind::Failed(_) if !client.strict => None,
                _ => Some(false),
            }
        });
        assert!(misread.is_empty(), "{}:\n{}", client.name, misread.join("\n"));
    }
}

#[test]
fn what_repeats_the_input_decides_nothing() {
    let client = CLIENTS.iter().find(|client| client.name == "claude").unwrap();
    let def = client.event_def("PreToolUse").unwrap();
    for (args, stdout, denies) in [
        (json!({"decision": "block", "body": "x"}), None, false),
        (json!({"action": "deny", "port": 22}), None, false),
        (json!({"permission": "deny"}), None, false),
        (json!({"ok": false, "allow": false}), None, false),
        // An agent cannot make a refusal an echo by the arguments of its call.
        (json!({"decision": "block"}), None, true),
        (json!({"decision": "block", "reason": "r"}), None, true),
        (json!({"status": "blocked"}), Some(json!({"status": "blocked", "reason": "r"})), true),
        (json!({"decision": "block", "body": "x"}), Some(json!({"decision": "block", "body": "y"})), true),
    ] {
        let payload = json!({"id": "c1", "name": "mcp__a__b", "args": args});
        let event = heard_event(def, &example_event("tool.pre", payload));
        let stdout = stdout.unwrap_or(args).to_string().into_bytes();
        let output = CommandOutput { exit_code: Some(0), stdout, ..CommandOutput::default() };
        let verdict = ClientCodec::for_client(client).decode(&event, "PreToolUse", HandlerOutput::Process(output));
        assert_eq!(matches!(verdict.kind, VerdictKind::Deny { .. }), denies, "{event:?}\n{verdict:?}");
    }
}

#[test]
fn objects_one_after_another_are_read() {
    let client = CLIENTS.iter().find(|client| client.name == "claude").unwrap();
    for (spelling, stdout, wanted) in [
        (
            "UserPromptSubmit",
            "{\"hookSpecificOutput\":{\"additionalContext\":\"ONE\"}}\n{\"continue\":true,\"suppressOutput\":true}",
            json!({"said": "pass", "effects": [{"context": "ONE"}]}),
        ),
        (
            "UserPromptSubmit",
            "starting\n{\"hookSpecificOutput\":{\"additionalContext\":\"ONE\"}}\n",
            json!({"said": "pass", "effects": [{"context": "ONE"}, {"context": "starting"}]}),
        ),
        (
            "PreToolUse",
            "log\n{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\",\"updatedInput\":{\"command\":\"ls -a\"}}}",
            json!({"said": {"rewrite": {"args": {"command": "ls -a"}}},
                "warnings": ["the hook printed other output with its JSON object; print only the object"]}),
        ),
    ] {
        let def = client.event_def(spelling).unwrap();
        let event =
            heard_event(def, &example_event(def.canonical.unwrap().name(), example_payload(def.canonical.unwrap())));
        let output = case_output(&json!({"stdout": stdout}));
        let verdict = ClientCodec::for_client(client).decode(&event, spelling, output);
        assert_eq!(verdict_to_json(&verdict), wanted, "{stdout}");
    }
}
