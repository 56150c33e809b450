use serde_json::{Value, json};

use super::HOST;
use crate::{Asked, Moment, Ruling};

fn answered(event: &str, payload: &Value, ruling: &Ruling) -> (String, String, u8) {
    let row = HOST.row(event).unwrap();
    let answer = (row.answer)(&Asked { row, payload }, ruling);
    (answer.stdout, answer.stderr, answer.exit_code)
}

#[test]
fn a_change_is_laid_over_the_input_and_an_argument_that_is_taken_away_denies() {
    let payload = json!({"tool_name": "run_shell_command", "tool_input": {"command": "rm", "is_background": false}});
    let changed = |input: Value| Ruling { input: Some(input), ..Ruling::pass() };
    assert_eq!(
        answered("BeforeTool", &payload, &changed(json!({"command": "ls", "is_background": false}))).0,
        r#"{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"ls","is_background":false}}}"#
    );
    let why = "a hook took the argument `is_background` away, which cannot be done in Gemini CLI";
    assert_eq!(
        answered("BeforeTool", &payload, &changed(json!({"command": "ls"}))),
        (format!(r#"{{"decision":"deny","reason":"{why}"}}"#), format!("{why}\n"), 2)
    );
}

#[test]
fn a_tool_of_a_server_is_named_by_what_the_payload_says_of_it() {
    let read = HOST.row("BeforeTool").unwrap().read;
    let named = |payload: Value| match read(&payload).unwrap() {
        Moment::BeforeTool(call) => HOST.tools.to_canonical(&call.name, &call.input)[0].name.clone(),
        moment => panic!("{moment:?}"),
    };
    let context = json!({"server_name": "my_db", "tool_name": "query"});
    let call = json!({"tool_name": "mcp_my_db_query", "tool_input": {}, "mcp_context": context});
    assert_eq!(named(call), "mcp__my_db__query");
    assert_eq!(named(json!({"tool_name": "mcp_db_query", "tool_input": {}})), "mcp__db__query");
}

#[test]
fn the_result_of_a_tool_is_what_the_model_is_shown_or_the_error() {
    let read = HOST.row("AfterTool").unwrap().read;
    let result = |response: Value| match read(&json!({"tool_name": "x", "tool_input": {}, "tool_response": response}))
        .unwrap()
    {
        Moment::AfterTool { response, is_error, .. } => (response, is_error),
        moment => panic!("{moment:?}"),
    };
    assert_eq!(result(json!({"llmContent": "hi", "returnDisplay": ""})), (json!("hi"), false));
    assert_eq!(result(json!({"llmContent": null, "error": {"message": "no"}})), (json!({"message": "no"}), true));
    assert_eq!(result(json!("text")), (json!("text"), false));
}

#[test]
fn a_result_is_replaced_without_a_status_that_says_no() {
    let ruling = Ruling { output: Some(json!("***")), ..Ruling::pass() };
    assert_eq!(
        answered("AfterTool", &json!({}), &ruling),
        (String::from(r#"{"decision":"deny","reason":"***"}"#), String::new(), 0)
    );
}
