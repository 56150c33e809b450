//! The events of Copilot CLI, each under two names.

use serde_json::{Value, json};

use crate::client_hooks::matcher::MatcherSyntax;
use crate::client_hooks::shared_keys::key;
use crate::client_hooks::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader,
    StopEffect, UnmappedClientEvents, payload_values, shared_events, shared_keys,
};
use pintle_tools::{CLAUDE, COPILOT};

/// The shape of payloads under Copilot CLI's own event names.
static CAMEL: PayloadStyle =
    PayloadStyle { base: SESSION, tools: &COPILOT, matcher: MatcherSyntax::WholeExpression, response };

/// The shape of payloads under Claude Code's event names.
static PASCAL: PayloadStyle = PayloadStyle {
    base: shared_keys::SESSION,
    tools: &CLAUDE,
    matcher: MatcherSyntax::NamesOrExpression,
    response: result,
};

const SESSION: &[ClientKey] = &[key("sessionId", payload_values::session), key("cwd", payload_values::directory)];

const TRANSCRIPT: &[ClientKey] = &[key("transcriptPath", payload_values::transcript)];

const CALL: &[ClientKey] = &[key("toolName", payload_values::tool), key("toolArgs", payload_values::input)];

const ASKED: &[ClientKey] = &[
    key("hookName", payload_values::name),
    key("toolName", payload_values::tool),
    key("toolInput", payload_values::input),
    key("permissionSuggestions", payload_values::empty_list),
];

const RESULT: &[ClientKey] = &[key("toolResult", payload_values::response)];

const FAILURE: &[ClientKey] = &[key("error", payload_values::error)];

const BEGINNING: &[ClientKey] = &[key("source", start_reason)];

const ENDING: &[ClientKey] = &[key("reason", end_reason)];

const PROMPT: &[ClientKey] = &[key("prompt", payload_values::prompt)];

const STOP: &[ClientKey] = &[key("stopReason", end_of_turn), key("stop_hook_active", payload_values::stop_hook_active)];

const DELEGATE: &[ClientKey] = &[
    key("agentId", payload_values::delegation),
    key("agentName", payload_values::delegate),
    key("agentType", payload_values::delegate),
];

const ANSWER: &[ClientKey] = &[key("response", payload_values::answer)];

const TRIGGER: &[ClientKey] =
    &[key("trigger", payload_values::trigger), key("customInstructions", payload_values::instructions)];

const NOTIFICATION: &[ClientKey] = &[
    key("message", payload_values::message),
    key("title", payload_values::title),
    key("hook_event_name", |_| Some(Value::from("Notification"))),
    key("notification_type", payload_values::kind),
];

const ERROR: &[ClientKey] = &[
    key("errorContext", error_context),
    key("recoverable", |given| given.field("retryable").cloned()),
    key("error", |given| Some(json!({"message": given.text("message"), "name": "Error"}))),
];

/// An event on which Copilot CLI only logs exit status 2.
const QUIET: ClientEventDef = ClientEventDef {
    exit_two: ExitTwoEffect::Fail,
    text: PlainTextReader::Discarded,
    ..ClientEventDef::observe_only(&CAMEL)
};

/// Before a tool call: the only event on which a failed hook denies.
const BEFORE: ClientEventDef = ClientEventDef { exit_two: ExitTwoEffect::Block, fails_closed: true, ..QUIET };

/// A definition under Claude Code's name, which is an alias of its event.
const fn as_alias(def: ClientEventDef) -> ClientEventDef {
    ClientEventDef { is_alias: true, ..def }
}

/// The events that the catalogue has.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        name: "preToolUse",
        keys: &[CALL],
        style: &CAMEL,
        fails_closed: BEFORE.fails_closed,
        ..shared_events::pre_tool_use(&CAMEL)
    },
    ClientEventDef {
        name: "permissionRequest",
        keys: &[ASKED],
        input: InputRewrite::Unchanged,
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::permission_request(&CAMEL)
    },
    ClientEventDef {
        name: "postToolUse",
        keys: &[CALL, RESULT],
        block: BlockEffect::ReplaceResult,
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::post_tool_use(&CAMEL)
    },
    ClientEventDef {
        name: "postToolUseFailure",
        keys: &[CALL, FAILURE],
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::post_tool_use_failure(&CAMEL)
    },
    ClientEventDef {
        name: "sessionStart",
        keys: &[BEGINNING],
        context: true,
        ..without_exit_effects(shared_events::session_start(&CAMEL))
    },
    ClientEventDef { name: "sessionEnd", keys: &[ENDING], ..without_exit_effects(shared_events::session_end(&CAMEL)) },
    ClientEventDef { name: "userPromptSubmitted", canonical: "prompt.submit", keys: &[PROMPT], context: true, ..QUIET },
    ClientEventDef {
        name: "agentStop",
        keys: &[TRANSCRIPT, STOP],
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::stop(&CAMEL)
    },
    ClientEventDef {
        name: "subagentStart",
        keys: &[TRANSCRIPT, DELEGATE],
        ..without_exit_effects(shared_events::subagent_start(&CAMEL))
    },
    ClientEventDef {
        name: "subagentStop",
        keys: &[TRANSCRIPT, DELEGATE, ANSWER, STOP],
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::subagent_stop(&CAMEL)
    },
    ClientEventDef {
        name: "preCompact",
        keys: &[TRANSCRIPT, TRIGGER],
        block: BlockEffect::Ignored,
        ..without_exit_effects(shared_events::pre_compact(&CAMEL))
    },
    ClientEventDef {
        name: "notification",
        keys: &[NOTIFICATION],
        ..without_exit_effects(shared_events::notification(&CAMEL))
    },
    ClientEventDef {
        name: "errorOccurred",
        canonical: "error",
        keys: &[ERROR],
        subject: Some(payload_values::kind_subject),
        ..QUIET
    },
    as_alias(ClientEventDef { fails_closed: BEFORE.fails_closed, ..shared_events::pre_tool_use(&PASCAL) }),
    as_alias(ClientEventDef { exit_two: ExitTwoEffect::Fail, ..shared_events::permission_request(&PASCAL) }),
    as_alias(ClientEventDef {
        block: BlockEffect::ReplaceResult,
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::post_tool_use(&PASCAL)
    }),
    ClientEventDef { exit_two: ExitTwoEffect::Fail, ..shared_events::post_tool_use_failure(&PASCAL) },
    as_alias(ClientEventDef {
        text: PlainTextReader::Discarded,
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::session_start(&PASCAL)
    }),
    as_alias(without_exit_effects(shared_events::session_end(&PASCAL))),
    as_alias(ClientEventDef {
        block: BlockEffect::Ignored,
        text: PlainTextReader::Discarded,
        exit_two: ExitTwoEffect::Fail,
        stop: StopEffect::Ignored,
        ..shared_events::user_prompt_submit(&PASCAL)
    }),
    as_alias(ClientEventDef { exit_two: ExitTwoEffect::Fail, ..shared_events::stop(&PASCAL) }),
    as_alias(without_exit_effects(shared_events::subagent_start(&PASCAL))),
    as_alias(ClientEventDef { exit_two: ExitTwoEffect::Fail, ..shared_events::subagent_stop(&PASCAL) }),
    as_alias(ClientEventDef {
        block: BlockEffect::Ignored,
        ..without_exit_effects(shared_events::pre_compact(&PASCAL))
    }),
    as_alias(without_exit_effects(shared_events::notification(&PASCAL))),
    as_alias(ClientEventDef { name: "ErrorOccurred", ..without_exit_effects(shared_events::stop_failure(&PASCAL)) }),
];

/// An event on which the exit status and plain text have no effect, and nothing can be stopped.
const fn without_exit_effects(def: ClientEventDef) -> ClientEventDef {
    ClientEventDef { exit_two: ExitTwoEffect::Fail, text: PlainTextReader::Discarded, stop: StopEffect::Ignored, ..def }
}

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] = &[UnmappedClientEvents {
    names: &["userPromptTransformed", "UserPromptTransformed"],
    reason: "no other agent reports how it transformed a prompt",
}];

fn response(context: &EncodeContext<'_>) -> Value {
    let failed = context.field("is_error") == Some(&Value::Bool(true));
    let kind = if failed { "failure" } else { "success" };
    json!({"resultType": kind, "textResultForLlm": payload_values::result_text(context)})
}

fn result(context: &EncodeContext<'_>) -> Value {
    context.field("result").or_else(|| context.field("content")).cloned().unwrap_or_default()
}

/// Why a session starts, by Copilot CLI's names.
fn start_reason(context: &EncodeContext<'_>) -> Option<Value> {
    payload_values::start_reason(context).map(|source| if source == "startup" { Value::from("new") } else { source })
}

/// Why a session ends, by Copilot CLI's names.
fn end_reason(context: &EncodeContext<'_>) -> Option<Value> {
    Some(match context.text("reason") {
        "" | "done" => Value::from("complete"),
        "exit" => Value::from("user_exit"),
        reason => Value::from(reason),
    })
}

/// What failed, by Copilot CLI's names.
fn error_context(context: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from(match context.text("kind") {
        "model" => "model_call",
        "tool" => "tool_execution",
        other => other,
    }))
}

fn end_of_turn(_: &EncodeContext<'_>) -> Option<Value> {
    Some(Value::from("end_turn"))
}
