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
fn what_hooks_say_after_a_tool_stands_where_its_result_would() {
    let changed = || Ruling { output: Some(json!("***")), ..Ruling::pass() };
    let told = || vec![String::from("mind the gap")];
    let cases = [
        (changed(), Some("***")),
        (Ruling { output: Some(json!({"stdout": "***"})), ..Ruling::pass() }, Some(r#"{"stdout":"***"}"#)),
        (Ruling { output: Some(json!(" ")), ..Ruling::pass() }, Some("[removed by a hook]")),
        (Ruling::deny("not for you"), Some("not for you")),
        (Ruling { context: told(), ..changed() }, Some("***\n\nmind the gap")),
        (Ruling { stop: Some(String::from("enough")), ..Ruling::pass() }, Some("enough")),
        (Ruling { stop: Some(String::from("enough")), ..changed() }, Some("***\n\nenough")),
        (Ruling { context: told(), ..Ruling::pass() }, None),
    ];
    for (ruling, wanted) in cases {
        let (stdout, status) = answered("PostToolUse", &json!({}), &ruling);
        let said: Value = serde_json::from_str(&stdout).unwrap();
        let replaced = wanted.map(|_| false);
        assert_eq!(
            (said["continue"].as_bool(), said["stopReason"].as_str(), status),
            (replaced, wanted, 0),
            "{ruling:?}"
        );
    }
}
