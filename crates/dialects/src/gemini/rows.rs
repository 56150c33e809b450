//! The events of Gemini CLI.

use pintle_contract::DenyEffect;
use serde_json::{Value, json};

use crate::client_hooks::keys::key;
use crate::client_hooks::matcher::Rule;
use crate::client_hooks::{Block, Elsewhere, ExitTwo, Given, Input, Key, Row, Stop, Text, Voice, given, keys, pascal};
use crate::tools::GEMINI;

/// How Gemini CLI spells its payloads.
static VOICE: Voice = Voice { base: keys::SESSION, tools: &GEMINI, matcher: Rule::Expression, response };

const REQUEST: &[Key] = &[key("llm_request", request)];

const ANSWER: &[Key] = &[key("llm_response", answer)];

const RESULT: &[Key] = &[key("tool_response", given::response)];

const BEGINNING: &[Key] = &[key("source", given::beginning)];

const PROMPT: &[Key] = &[key("prompt", given::prompt)];

const STOP: &[Key] = &[
    key("prompt", given::last_prompt),
    key("prompt_response", given::answer),
    key("stop_hook_active", given::continued),
];

const TRIGGER: &[Key] = &[key("trigger", given::trigger)];

const NOTIFICATION: &[Key] = &[key("notification_type", given::kind), key("message", given::message)];

/// An event at which something is held back.
const GUARDS: Row = Row {
    block: Block::Denies,
    exit_two: ExitTwo::Blocks,
    stop: Stop::Denies,
    text: Text::Person,
    ..Row::tells(&VOICE)
};

/// Every event that the catalogue has.
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "BeforeTool",
        canonical: "tool.pre",
        keys: &[keys::ASKED],
        subject: Some(given::tool_subject),
        is_tool: true,
        input: Input::Merged,
        ..GUARDS
    },
    Row {
        name: "AfterTool",
        canonical: "tool.post",
        keys: &[keys::ASKED, RESULT],
        subject: Some(given::tool_subject),
        is_tool: true,
        narrow: Some(pascal::ran),
        block: Block::Replaces,
        on_deny: DenyEffect::StopRun,
        output: true,
        context: true,
        ..GUARDS
    },
    Row { name: "BeforeAgent", canonical: "prompt.submit", keys: &[PROMPT], context: true, ..GUARDS },
    Row {
        name: "AfterAgent",
        canonical: "agent.stop",
        keys: &[STOP],
        narrow: Some(pascal::is_of_main_agent),
        stop: Stop::Stops,
        ..GUARDS
    },
    Row { name: "BeforeModel", canonical: "completion.pre", keys: &[REQUEST], ..GUARDS },
    Row { name: "AfterModel", canonical: "completion.post", keys: &[REQUEST, ANSWER], ..GUARDS },
    Row {
        keys: &[BEGINNING],
        stop: Stop::Nothing,
        exit_two: ExitTwo::Person,
        text: Text::Person,
        ..pascal::session_start(&VOICE)
    },
    Row { keys: &[keys::ENDING], exit_two: ExitTwo::Person, text: Text::Person, ..pascal::session_end(&VOICE) },
    Row {
        name: "PreCompress",
        canonical: "compact.pre",
        keys: &[TRIGGER],
        subject: Some(given::trigger_subject),
        exit_two: ExitTwo::Person,
        text: Text::Person,
        ..Row::tells(&VOICE)
    },
    Row { keys: &[NOTIFICATION], text: Text::Person, ..pascal::notification(&VOICE) },
];

/// Every other one.
pub(super) const ELSEWHERE: &[Elsewhere] = &[Elsewhere {
    names: &["BeforeToolSelection"],
    why: "the tools that a model may choose from are not changed here",
}];

/// The result of a tool.
fn response(given: &Given<'_>) -> Value {
    let text = given::result_text(given).unwrap_or_default();
    match given.field("is_error") == Some(&Value::Bool(true)) {
        true => json!({"llmContent": text, "returnDisplay": text, "error": {"message": text}}),
        false => json!({"llmContent": text, "returnDisplay": text}),
    }
}

/// What the model is sent.
fn request(given: &Given<'_>) -> Option<Value> {
    let list = given.field("messages").cloned().unwrap_or_else(|| json!([]));
    Some(json!({"model": given::model(given), "messages": list}))
}

/// What the model said.
fn answer(given: &Given<'_>) -> Option<Value> {
    let text = given.text("text");
    Some(json!({
        "text": text,
        "candidates": [{
            "content": {"role": "model", "parts": [text]},
            "finishReason": given.text("finish_reason").to_uppercase(),
        }],
    }))
}
