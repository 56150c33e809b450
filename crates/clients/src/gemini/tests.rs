use serde_json::{Value, json};

use super::CLIENT;
use crate::host::{HostDecision, HostEventData, ResponseContext};

fn respond_to(event: &str, payload: &Value, decision: &HostDecision) -> (String, String, u8) {
    let def = CLIENT.find_event(event).unwrap();
    let answer = (def.write_response)(&ResponseContext { event_def: def, payload }, decision);
    (answer.stdout, answer.stderr, answer.exit_code)
}

#[test]
fn changed_input_is_merged_and_a_removed_argument_denies() {
    let payload = json!({"tool_name": "run_shell_command", "tool_input": {"command": "rm", "is_background": false}});
    let changed = |input: Value| HostDecision { input: Some(input), ..HostDecision::pass() };
    assert_eq!(
        respond_to("BeforeTool", &payload, &changed(json!({"command": "ls", "is_background": false}))).0,
        r#"{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"ls","is_background":false}}}"#
    );
    let why = "a hook removed the argument `is_background`, which Gemini CLI does not support";
    assert_eq!(
        respond_to("BeforeTool", &payload, &changed(json!({"command": "ls"}))),
        (format!(r#"{{"decision":"deny","reason":"{why}"}}"#), format!("{why}\n"), 2)
    );
}

#[test]
fn a_tool_of_a_server_is_named_by_what_the_payload_says_of_it() {
    let read = |payload: &Value| CLIENT.find_event("BeforeTool").unwrap().read(payload).map(|event| event.data);
    let named = |payload: Value| match read(&payload).unwrap() {
        HostEventData::BeforeTool(call) => CLIENT.tools.to_canonical(&call.name, &call.input)[0].name.clone(),
        moment => panic!("{moment:?}"),
    };
    let context = json!({"server_name": "my_db", "tool_name": "query"});
    let call = json!({"tool_name": "mcp_my_db_query", "tool_input": {}, "mcp_context": context});
    assert_eq!(named(call), "mcp__my_db__query");
    assert_eq!(named(json!({"tool_name": "mcp_db_query", "tool_input": {}})), "mcp__db__query");
}

#[test]
fn the_result_of_a_tool_is_what_the_model_is_shown_or_the_error() {
    let read = |payload: &Value| CLIENT.find_event("AfterTool").unwrap().read(payload).map(|event| event.data);
    let result = |response: Value| match read(&json!({"tool_name": "x", "tool_input": {}, "tool_response": response}))
        .unwrap()
    {
        HostEventData::AfterTool { response, is_error, .. } => (response, is_error),
        moment => panic!("{moment:?}"),
    };
    assert_eq!(result(json!({"llmContent": "hi", "returnDisplay": ""})), (json!("hi"), false));
    assert_eq!(result(json!({"llmContent": null, "error": {"message": "no"}})), (json!({"message": "no"}), true));
    assert_eq!(result(json!("text")), (json!("text"), false));
}

#[test]
fn a_result_is_replaced_without_a_status_that_says_no() {
    let ruling = HostDecision { output: Some(json!("***")), ..HostDecision::pass() };
    assert_eq!(
        respond_to("AfterTool", &json!({}), &ruling),
        (String::from(r#"{"decision":"deny","reason":"***"}"#), String::new(), 0)
    );
}
