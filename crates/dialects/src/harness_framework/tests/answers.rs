use std::sync::Arc;

use pintle_contract::{Codec, CommandOutput, Effect, FunctionOutput, HandlerOutput, Verdict, VerdictKind};
use pintle_testkit::{catalogue_payload, misread_answers};
use serde_json::{Value, json};

use super::event;
use crate::harness_framework::codec::FrameworkCodec;
use crate::harness_framework::event_def::by_name;

/// A hook's output and exit status, and its verdict; one for each line.
const ANSWERS: &str = include_str!("answers.jsonl");

fn decode(event_alias: &str, answer: HandlerOutput) -> Verdict {
    let canonical = by_name(event_alias).unwrap().canonical.name();
    let codec = FrameworkCodec { hook: Arc::from("Guard") };
    codec.decode(&event(canonical, catalogue_payload(canonical)), event_alias, answer)
}

fn verdict_text(verdict: &Verdict) -> String {
    match &verdict.kind {
        VerdictKind::Pass => String::from("pass"),
        VerdictKind::Deny { reason } => format!("deny: {reason}"),
        VerdictKind::Ask { reason } => format!("ask: {reason}"),
        VerdictKind::Failed(failure) => format!("failed: {failure}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn every_answer_means_what_the_document_says() {
    let mut wrong = Vec::new();
    for line in ANSWERS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap().as_bytes().to_vec();
        let exit_code = case["exit"].as_i64().map(|code| code as i32);
        let answer = CommandOutput {
            exit_code,
            signal: exit_code.is_none().then_some(9),
            stdout: text("stdout"),
            stderr: text("stderr"),
            ..CommandOutput::default()
        };
        let verdict = decode(case["event"].as_str().unwrap(), HandlerOutput::Process(answer));
        let effects: Value = verdict.effects.iter().map(|effect| serde_json::to_value(effect).unwrap()).collect();
        let have = json!({"said": verdict_text(&verdict), "effects": effects, "warnings": verdict.warnings});
        let want = json!({"said": case["said"], "effects": case["effects"], "warnings": case["warnings"]});
        if have != want {
            wrong.push(format!("{line}\n  found {have}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn refusals_in_any_words_refuse_and_other_output_does_not() {
    let misread = misread_answers(|stdout| {
        let answer = CommandOutput { exit_code: Some(0), stdout: stdout.into(), ..CommandOutput::default() };
        let verdict = decode("PreToolUse", HandlerOutput::Process(answer));
        Some(matches!(verdict.kind, VerdictKind::Deny { .. } | VerdictKind::Ask { .. }))
    });
    assert!(misread.is_empty(), "{}", misread.join("\n"));
}

#[test]
fn output_that_was_cut_or_is_no_text_is_told() {
    let cut =
        CommandOutput { exit_code: Some(0), stdout: b"{}".to_vec(), stdout_cut: true, ..CommandOutput::default() };
    let verdict = decode("PreToolUse", HandlerOutput::Process(cut));
    assert_eq!(verdict_text(&verdict), "failed: output limit: hook output exceeded the limit of 2 bytes");
    let bytes = CommandOutput { exit_code: Some(0), stdout: b"caf\xe9".to_vec(), ..CommandOutput::default() };
    let verdict = decode("Stop", HandlerOutput::Process(bytes));
    assert_eq!(verdict.effects, [Effect::Context(String::from("caf\u{FFFD}"))]);
    assert_eq!(verdict.warnings, ["hook output is not UTF-8; invalid bytes were replaced"]);
}

#[test]
fn only_programs_can_answer() {
    let verdict = decode("Stop", HandlerOutput::Returned(FunctionOutput::Value(json!(null))));
    assert_eq!(verdict_text(&verdict), "failed: bad output: only programs can be hooks in this dialect");
}
