//! The events of Copilot CLI, each under two names.

use serde_json::{Value, json};

use crate::client_hooks::keys::key;
use crate::client_hooks::matcher::Rule;
use crate::client_hooks::{Block, Elsewhere, ExitTwo, Given, Input, Key, Row, Stop, Text, Voice, given, keys, pascal};
use crate::tools::{CLAUDE, COPILOT};

/// Its own spelling.
static CAMEL: Voice = Voice { base: SESSION, tools: &COPILOT, matcher: Rule::WholeExpression, response };

/// Claude Code's.
static PASCAL: Voice =
    Voice { base: keys::SESSION, tools: &CLAUDE, matcher: Rule::NamesOrExpression, response: result };

const SESSION: &[Key] = &[key("sessionId", given::session), key("cwd", given::directory)];

const TRANSCRIPT: &[Key] = &[key("transcriptPath", given::transcript)];

const CALL: &[Key] = &[key("toolName", given::tool), key("toolArgs", given::input)];

const ASKED: &[Key] = &[
    key("hookName", given::name),
    key("toolName", given::tool),
    key("toolInput", given::input),
    key("permissionSuggestions", given::nothing),
];

const RESULT: &[Key] = &[key("toolResult", given::response)];

const FAILURE: &[Key] = &[key("error", given::error)];

const BEGINNING: &[Key] = &[key("source", beginning)];

const ENDING: &[Key] = &[key("reason", ending)];

const PROMPT: &[Key] = &[key("prompt", given::prompt)];

const STOP: &[Key] = &[key("stopReason", end_of_turn), key("stop_hook_active", given::continued)];

const DELEGATE: &[Key] =
    &[key("agentId", given::delegation), key("agentName", given::delegate), key("agentType", given::delegate)];

const ANSWER: &[Key] = &[key("response", given::answer)];

const TRIGGER: &[Key] = &[key("trigger", given::trigger), key("customInstructions", given::instructions)];

const NOTIFICATION: &[Key] = &[
    key("message", given::message),
    key("title", given::title),
    key("hook_event_name", |_| Some(Value::from("Notification"))),
    key("notification_type", given::kind),
];

const ERROR: &[Key] = &[
    key("errorContext", |given| Some(Value::from(given.text("during")))),
    key("recoverable", |given| given.field("retryable").cloned()),
    key("error", |given| Some(json!({"message": given.text("message"), "name": "Error"}))),
];

/// What Copilot CLI does with exit status 2 elsewhere: a line in its log.
const QUIET: Row = Row { exit_two: ExitTwo::Fails, text: Text::Nobody, ..Row::tells(&CAMEL) };

/// Before a tool: the one event at which a failed hook denies.
const BEFORE: Row = Row { exit_two: ExitTwo::Blocks, fails_closed: true, ..QUIET };

/// A row of Claude Code's spelling, which is the second name of its event.
const fn second(row: Row) -> Row {
    Row { is_alias: true, ..row }
}

/// Every event that the catalogue has.
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "preToolUse",
        keys: &[CALL],
        voice: &CAMEL,
        fails_closed: BEFORE.fails_closed,
        ..pascal::pre_tool_use(&CAMEL)
    },
    Row {
        name: "permissionRequest",
        keys: &[ASKED],
        input: Input::Stays,
        exit_two: ExitTwo::Fails,
        ..pascal::permission_request(&CAMEL)
    },
    Row {
        name: "postToolUse",
        keys: &[CALL, RESULT],
        block: Block::Replaces,
        exit_two: ExitTwo::Fails,
        ..pascal::post_tool_use(&CAMEL)
    },
    Row {
        name: "postToolUseFailure",
        keys: &[CALL, FAILURE],
        exit_two: ExitTwo::Fails,
        ..pascal::post_tool_use_failure(&CAMEL)
    },
    Row { name: "sessionStart", keys: &[BEGINNING], context: true, ..quiet(pascal::session_start(&CAMEL)) },
    Row { name: "sessionEnd", keys: &[ENDING], ..quiet(pascal::session_end(&CAMEL)) },
    Row { name: "userPromptSubmitted", canonical: "prompt.submit", keys: &[PROMPT], context: true, ..QUIET },
    Row { name: "agentStop", keys: &[TRANSCRIPT, STOP], exit_two: ExitTwo::Fails, ..pascal::stop(&CAMEL) },
    Row { name: "subagentStart", keys: &[TRANSCRIPT, DELEGATE], ..quiet(pascal::subagent_start(&CAMEL)) },
    Row {
        name: "subagentStop",
        keys: &[TRANSCRIPT, DELEGATE, ANSWER, STOP],
        exit_two: ExitTwo::Fails,
        ..pascal::subagent_stop(&CAMEL)
    },
    Row {
        name: "preCompact",
        keys: &[TRANSCRIPT, TRIGGER],
        block: Block::Nothing,
        ..quiet(pascal::pre_compact(&CAMEL))
    },
    Row { name: "notification", keys: &[NOTIFICATION], ..quiet(pascal::notification(&CAMEL)) },
    Row { name: "errorOccurred", canonical: "error", keys: &[ERROR], subject: Some(given::kind_subject), ..QUIET },
    second(Row { fails_closed: BEFORE.fails_closed, ..pascal::pre_tool_use(&PASCAL) }),
    second(Row { exit_two: ExitTwo::Fails, ..pascal::permission_request(&PASCAL) }),
    second(Row { block: Block::Replaces, exit_two: ExitTwo::Fails, ..pascal::post_tool_use(&PASCAL) }),
    Row { exit_two: ExitTwo::Fails, ..pascal::post_tool_use_failure(&PASCAL) },
    second(Row { text: Text::Nobody, exit_two: ExitTwo::Fails, ..pascal::session_start(&PASCAL) }),
    second(quiet(pascal::session_end(&PASCAL))),
    second(Row {
        block: Block::Nothing,
        text: Text::Nobody,
        exit_two: ExitTwo::Fails,
        stop: Stop::Nothing,
        ..pascal::user_prompt_submit(&PASCAL)
    }),
    second(Row { exit_two: ExitTwo::Fails, ..pascal::stop(&PASCAL) }),
    second(quiet(pascal::subagent_start(&PASCAL))),
    second(Row { exit_two: ExitTwo::Fails, ..pascal::subagent_stop(&PASCAL) }),
    second(Row { block: Block::Nothing, ..quiet(pascal::pre_compact(&PASCAL)) }),
    second(quiet(pascal::notification(&PASCAL))),
    second(Row { name: "ErrorOccurred", ..quiet(pascal::stop_failure(&PASCAL)) }),
];

/// A row on which a program's status and plain text mean nothing, and nothing is stopped.
const fn quiet(row: Row) -> Row {
    Row { exit_two: ExitTwo::Fails, text: Text::Nobody, stop: Stop::Nothing, ..row }
}

/// Every other one.
pub(super) const ELSEWHERE: &[Elsewhere] = &[Elsewhere {
    names: &["userPromptTransformed", "UserPromptTransformed"],
    why: "no other agent tells what it made of a prompt",
}];

/// The result of a tool.
fn response(given: &Given<'_>) -> Value {
    let failed = given.field("is_error") == Some(&Value::Bool(true));
    let kind = if failed { "failure" } else { "success" };
    json!({"resultType": kind, "textResultForLlm": given::result_text(given)})
}

fn result(given: &Given<'_>) -> Value {
    given.field("result").or_else(|| given.field("content")).cloned().unwrap_or_default()
}

/// Why a session begins, in its own words.
fn beginning(given: &Given<'_>) -> Option<Value> {
    given::beginning(given).map(|source| if source == "startup" { Value::from("new") } else { source })
}

/// Why it ends, in its own words.
fn ending(given: &Given<'_>) -> Option<Value> {
    Some(match given.text("reason") {
        "" | "done" => Value::from("complete"),
        "exit" => Value::from("user_exit"),
        reason => Value::from(reason),
    })
}

fn end_of_turn(_: &Given<'_>) -> Option<Value> {
    Some(Value::from("end_turn"))
}
