use serde_json::{Value, json};

use super::HOST;
use crate::{Asked, Moment, Ruling};

fn answered(event: &str, payload: &Value, ruling: &Ruling) -> (String, u8) {
    let row = HOST.row(event).unwrap();
    let answer = (row.answer)(&Asked { row, payload }, ruling);
    (answer.stdout, answer.exit_code)
}

#[test]
fn a_changed_call_is_denied_in_yolo_mode_where_it_would_run_unchanged() {
    let of_mode = |mode: &str| json!({"permission_mode": mode, "tool_name": "run_shell_command", "tool_input": {}});
    let ruling = Ruling { input: Some(json!({"command": "ls"})), ..Ruling::pass() };
    let (stdout, status) = answered("PreToolUse", &of_mode("yolo"), &ruling);
    assert!(stdout.contains(r#""permissionDecision":"deny""#) && stdout.contains("unchanged"), "{stdout}");
    assert_eq!(status, 2);
    let (stdout, status) = answered("PreToolUse", &of_mode("default"), &ruling);
    assert!(stdout.contains(r#""updatedInput":{"command":"ls"}"#), "{stdout}");
    assert_eq!(status, 0);
}

#[test]
fn a_prompt_that_nobody_wrote_is_none() {
    let read = HOST.row("UserPromptSubmit").unwrap().read;
    let is_prompt = |payload: Value| matches!(read(&payload), Ok(Moment::Prompt { .. }));
    assert!(is_prompt(json!({"prompt": "go", "submitted_prompt": "go"})));
    assert!(is_prompt(json!({"prompt": "go"})));
    for payload in [json!({"prompt": ""}), json!({"prompt": "tool said", "submitted_prompt": ""})] {
        assert_eq!(read(&payload), Ok(Moment::Other), "{payload}");
    }
    assert!(read(&json!({})).is_err());
}

#[test]
fn a_result_that_the_model_must_not_see_ends_the_run() {
    let ruling = Ruling { output: Some(json!("***")), ..Ruling::pass() };
    let (stdout, status) = answered("PostToolUse", &json!({}), &ruling);
    let said: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&said["continue"], &said["decision"], status), (&json!(false), &json!("block"), 0));
    assert_eq!(said["stopReason"], said["reason"]);
}
