use serde_json::{Value, json};

use super::CLIENT;
use crate::host::{HostDecision, HostEventData, ResponseContext};

fn respond_to(event: &str, payload: &Value, decision: &HostDecision) -> (String, u8) {
    let def = CLIENT.find_event(event).unwrap();
    let answer = (def.write_response)(&ResponseContext { event_def: def, payload }, decision);
    (answer.stdout, answer.exit_code)
}

#[test]
fn a_changed_call_is_denied_in_yolo_mode_where_it_would_run_unchanged() {
    let of_mode = |mode: &str| json!({"permission_mode": mode, "tool_name": "run_shell_command", "tool_input": {}});
    let ruling = HostDecision { input: Some(json!({"command": "ls"})), ..HostDecision::pass() };
    let (stdout, status) = respond_to("PreToolUse", &of_mode("yolo"), &ruling);
    assert!(stdout.contains(r#""permissionDecision":"deny""#) && stdout.contains("unchanged"), "{stdout}");
    assert_eq!(status, 2);
    let (stdout, status) = respond_to("PreToolUse", &of_mode("default"), &ruling);
    assert!(stdout.contains(r#""updatedInput":{"command":"ls"}"#), "{stdout}");
    assert_eq!(status, 0);
}

#[test]
fn a_prompt_that_nobody_wrote_is_none() {
    let read = |payload: &Value| CLIENT.find_event("UserPromptSubmit").unwrap().read(payload).map(|event| event.data);
    let is_prompt = |payload: Value| matches!(read(&payload), Ok(HostEventData::Prompt { .. }));
    assert!(is_prompt(json!({"prompt": "go", "submitted_prompt": "go"})));
    assert!(is_prompt(json!({"prompt": "go"})));
    for payload in [json!({"prompt": ""}), json!({"prompt": "tool said", "submitted_prompt": ""})] {
        assert_eq!(read(&payload), Ok(HostEventData::Other), "{payload}");
    }
    assert!(read(&json!({})).is_err());
}

#[test]
fn what_hooks_say_after_a_tool_stands_where_its_result_would() {
    let changed = || HostDecision { output: Some(json!("***")), ..HostDecision::pass() };
    let told = || vec![String::from("mind the gap")];
    let cases = [
        (changed(), Some("***")),
        (HostDecision { output: Some(json!({"stdout": "***"})), ..HostDecision::pass() }, Some(r#"{"stdout":"***"}"#)),
        (HostDecision { output: Some(json!(" ")), ..HostDecision::pass() }, Some("[removed by a hook]")),
        (HostDecision::deny("not for you"), Some("not for you")),
        (HostDecision { context: told(), ..changed() }, Some("***\n\nmind the gap")),
        (HostDecision { stop: Some(String::from("enough")), ..HostDecision::pass() }, Some("enough")),
        (HostDecision { stop: Some(String::from("enough")), ..changed() }, Some("***\n\nenough")),
        (HostDecision { context: told(), ..HostDecision::pass() }, None),
    ];
    for (ruling, wanted) in cases {
        let (stdout, status) = respond_to("PostToolUse", &json!({}), &ruling);
        let said: Value = serde_json::from_str(&stdout).unwrap();
        let replaced = wanted.map(|_| false);
        assert_eq!(
            (said["continue"].as_bool(), said["stopReason"].as_str(), status),
            (replaced, wanted, 0),
            "{ruling:?}"
        );
    }
}
