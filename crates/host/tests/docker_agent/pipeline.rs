//! Rewriting hooks run one after the other, and all others run in parallel.

use std::process::Command;
use std::sync::Arc;

use pintle_host::contract::{Failure, JudgeRequest};
use pintle_host::dialects::docker_agent::DockerAgentVersion;
use pintle_host::{CancelToken, Judge, Outcome, Runtime};
use serde_json::{Value, json};

use crate::docker_agent::fixture::{
    DockerHooksFixture, context_texts, describe_outcome, hooks_block, specific_output_script,
};

/// The arguments after several hooks, each described by the fields that it prints.
fn rewrite_arguments(event: &str, outputs: &[&str]) -> Outcome {
    let scripts: Vec<String> = outputs.iter().map(|fields| specific_output_script(fields)).collect();
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    let args = json!({"cmd": "ls", "cwd": "/w"});
    DockerHooksFixture::from_block(&hooks_block(event, &scripts))
        .fire(event, json!({"args": args, "arguments": args.to_string()}))
}

fn payload_field(outcome: &Outcome, name: &str) -> Value {
    outcome.payload.field(name).cloned().unwrap_or_default()
}

#[test]
fn patches_of_the_input_compose_and_keep_the_other_keys() {
    for event in ["pre_tool_use", "tool_input_transform"] {
        let outcome = rewrite_arguments(event, &[r#""updated_input":{"cmd":"ls -h"}"#, r#""updated_input":{"n":1}"#]);
        assert_eq!(payload_field(&outcome, "args"), json!({"cmd": "ls -h", "cwd": "/w", "n": 1}), "{event}");
        let outcome = rewrite_arguments(event, &[r#""updated_input":{"cmd":"a"}"#, r#""updated_input":{"cmd":"b"}"#]);
        assert_eq!(payload_field(&outcome, "args"), json!({"cmd": "b", "cwd": "/w"}), "{event}");
        let outcome = rewrite_arguments(event, &[r#""updated_input":{}"#]);
        assert!(!outcome.rewritten, "{event}");
    }
}

#[test]
fn a_later_hook_reads_what_an_earlier_one_made() {
    let first = specific_output_script(r#""updated_input":{"cmd":"ls -h"}"#);
    let second = "grep -q 'ls -h' || exit 2";
    let outcome =
        DockerHooksFixture::from_block(&hooks_block("pre_tool_use", &[&first, second])).fire("pre_tool_use", json!({}));
    assert_eq!(describe_outcome(&outcome), "allow");
    assert_eq!(payload_field(&outcome, "args")["cmd"], "ls -h");
}

#[test]
fn an_earlier_guard_is_asked_again_about_what_a_later_hook_made() {
    let guard = "grep -q 'rm -rf' && { echo no rm >&2; exit 2; }; true";
    let rewriter = specific_output_script(r#""updated_input":{"cmd":"rm -rf /"}"#);
    let outcome = DockerHooksFixture::from_block(&hooks_block("pre_tool_use", &[guard, &rewriter]))
        .fire("pre_tool_use", json!({}));
    assert_eq!(describe_outcome(&outcome), "deny: no rm");
}

#[test]
fn a_failure_keeps_earlier_rewrites_and_later_hooks_run() {
    let first = specific_output_script(r#""updated_input":{"a":1}"#);
    let broken = specific_output_script(r#""updated_input":"no object""#);
    let last = specific_output_script(r#""updated_input":{"b":2}"#);
    let outcome =
        DockerHooksFixture::from_block(&hooks_block("tool_input_transform", &[&first, &broken, "exit 1", &last]))
            .fire("tool_input_transform", json!({}));
    assert_eq!(describe_outcome(&outcome), "allow, failure shown");
    let args = payload_field(&outcome, "args");
    assert_eq!((&args["a"], &args["b"]), (&json!(1), &json!(2)));
}

#[test]
fn a_rewrite_that_cannot_be_read_keeps_an_earlier_deny() {
    let broken = specific_output_script(r#""updated_input":"no object""#);
    let outcome = DockerHooksFixture::from_block(&hooks_block("tool_input_transform", &["exit 2", &broken]))
        .fire("tool_input_transform", json!({}));
    assert_eq!(describe_outcome(&outcome), "deny: , failure shown");
}

#[test]
fn the_timeout_of_one_does_not_shorten_the_next() {
    let text = "tool_input_transform:\n  - hooks:\n      - {type: command, command: 'sleep 600', timeout: 0.2}\n      - {type: command, command: \"echo '{\\\"hook_specific_output\\\":{\\\"updated_input\\\":{\\\"b\\\":2}}}'\"}\n";
    let outcome = DockerHooksFixture::from_block(text).fire("tool_input_transform", json!({}));
    assert_eq!(describe_outcome(&outcome), "allow, failure shown");
    assert_eq!(payload_field(&outcome, "args")["b"], 2);
}

#[test]
fn responses_go_from_hook_to_hook_and_can_be_cleared() {
    let fire = |scripts: &[&str]| {
        let result = json!({"content": "secret text", "result": "secret text"});
        DockerHooksFixture::from_block(&hooks_block("tool_response_transform", scripts))
            .fire("tool_response_transform", result)
    };
    // Each hook finishes only when it receives what it waits for.
    let turns = |from: &str, to: &str| {
        let answer = specific_output_script(&format!(r#""updated_tool_response":"{to}""#));
        format!("grep -q '\"tool_response\":\"{from}\"' || exit 1; {answer}")
    };
    let (upper, dashes) = (turns("secret text", "SECRET TEXT"), turns("SECRET TEXT", "SECRET-TEXT"));
    assert_eq!(payload_field(&fire(&[&upper, &dashes]), "content"), "SECRET-TEXT");
    assert_eq!(payload_field(&fire(&[&specific_output_script(r#""updated_tool_response":"""#)]), "content"), "");
    let outcome = fire(&[&specific_output_script(r#""updated_tool_response":null"#), "true"]);
    assert!(!outcome.rewritten);
}

#[test]
fn messages_go_from_hook_to_hook_with_their_cache_control() {
    let replaced = specific_output_script(
        r#""updated_messages":[{"role":"system","content":"s","cache_control":true},{"role":"user","content":"u"}]"#,
    );
    let seen = "grep -q '\"cache_control\":true' || exit 2";
    let outcome = DockerHooksFixture::from_block(&hooks_block("before_llm_call", &[&replaced, seen]))
        .fire("before_llm_call", json!({}));
    assert_eq!(describe_outcome(&outcome), "allow");
    let wanted = json!([{"role": "system", "content": "s", "cache_control": true}, {"role": "user", "content": "u"}]);
    assert_eq!(payload_field(&outcome, "messages"), wanted);
}

/// Each hook waits for the other, so neither can finish before both have started.
#[test]
fn hooks_that_do_not_rewrite_run_concurrently_and_report_in_file_order() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    assert!(Command::new("mkfifo").arg(&one).arg(&two).status().unwrap().success());
    let (one, two) = (one.display(), two.display());
    let first = format!("echo x > {one}; read y < {two}; echo first");
    let second = format!("read y < {one}; echo x > {two}; echo second");
    let outcome = DockerHooksFixture::from_block(&hooks_block("user_prompt_submit", &[&first, &second]))
        .fire("user_prompt_submit", json!({}));
    assert_eq!(context_texts(&outcome), ["first", "second"]);
}

/// A judge that denies, with the prompt as its reason.
#[derive(Debug)]
struct EchoJudge;

impl Judge for EchoJudge {
    fn judge(&self, question: &JudgeRequest<'_>, _cancel: &CancelToken) -> Result<String, Failure> {
        Ok(json!({"decision": "deny", "reason": question.prompt}).to_string())
    }
}

#[test]
fn a_judging_model_is_asked_about_what_an_earlier_hook_made() {
    let script = serde_json::to_string(&specific_output_script(r#""updated_input":{"cmd":"ls -h"}"#)).unwrap();
    let text = format!(
        "pre_tool_use:\n  - hooks:\n      - {{type: command, command: {script}}}\n      - {{type: model, model: x/y, prompt: 'run {{{{ .ToolInput.cmd }}}}?', schema: pre_tool_use_decision}}\n"
    );
    let fixture = DockerHooksFixture::with_builder(
        &text,
        DockerAgentVersion::Newest,
        Runtime::builder().judge(Arc::new(EchoJudge)),
    );
    assert_eq!(
        describe_outcome(&fixture.fire("pre_tool_use", json!({"args": {"cmd": "ls"}}))),
        "deny: run ls -h?, notice"
    );
}
