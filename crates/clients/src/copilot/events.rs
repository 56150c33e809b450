//! The events of Copilot CLI, each under two names.

use pintle_contract::EventKind;
use pintle_tools::{CLAUDE, COPILOT, COPILOT_AS_CLAUDE};
use serde_json::{Value, json};

use super::response as answers;
use crate::event_def::unchanged_context;
use crate::host::{HostEventData, HostField, HostPayloadError};
use crate::key_values::{self, both, key, read_key, written};
use crate::matcher::MatcherSyntax;
use crate::{
    BlockEffect, ClientEventDef, ClientKey, EncodeContext, ExitTwoEffect, InputRewrite, PayloadStyle, PlainTextReader,
    StopEffect, UnmappedClientEvents, payload_values, shared_events, shared_keys,
};

/// The shape of payloads under Copilot CLI's own event names.
static CAMEL: PayloadStyle = PayloadStyle {
    base: SESSION,
    tools: &COPILOT,
    matcher: MatcherSyntax::WholeExpression,
    response,
    read_keys: &[CAMEL_CONTEXT],
    adjust_context: unchanged_context,
};

/// The shape of payloads under Claude Code's event names. Some are entirely in Copilot CLI's own format.
static PASCAL: PayloadStyle = PayloadStyle {
    base: shared_keys::SESSION,
    tools: &CLAUDE,
    matcher: MatcherSyntax::NamesOrExpression,
    response: result,
    read_keys: &[shared_keys::CONTEXT, CAMEL_SESSION, CAMEL_CONTEXT, CAMEL_CALL],
    adjust_context: unchanged_context,
};

// Calls of a subagent have their own session and agent ID.
const CAMEL_CONTEXT: &[ClientKey] = &[
    read_key("agentType", HostField::Agent),
    read_key("agentId", HostField::Run),
    read_key("transcriptPath", HostField::Transcript),
    read_key("toolCallId", HostField::CallId),
];

const CAMEL_SESSION: &[ClientKey] = &[read_key("sessionId", HostField::Session)];

const CAMEL_CALL: &[ClientKey] = &[
    read_key("toolName", HostField::Tool),
    read_key("toolArgs", HostField::Input),
    read_key("toolInput", HostField::Input),
    read_key("tool_result", HostField::Response),
    read_key("toolResult", HostField::Response),
];

const SESSION: &[ClientKey] = &[key("sessionId", key_values::SESSION), key("cwd", key_values::DIRECTORY)];

const TRANSCRIPT: &[ClientKey] = &[key("transcriptPath", key_values::TRANSCRIPT)];

const CALL: &[ClientKey] = &[key("toolName", key_values::TOOL), key("toolArgs", key_values::INPUT)];

const ASKED: &[ClientKey] = &[
    key("hookName", key_values::NAME),
    key("toolName", key_values::TOOL),
    key("toolInput", key_values::INPUT),
    key("permissionSuggestions", key_values::EMPTY_LIST),
];

const RESULT: &[ClientKey] = &[key("toolResult", key_values::RESPONSE)];

const FAILURE: &[ClientKey] = &[key("error", key_values::ERROR)];

const BEGINNING: &[ClientKey] = &[key("source", both(start_reason, HostField::Source))];

const ENDING: &[ClientKey] = &[key("reason", both(end_reason, HostField::Reason))];

const STOP: &[ClientKey] =
    &[key("stopReason", written(end_of_turn)), key("stop_hook_active", key_values::STOP_HOOK_ACTIVE)];

const DELEGATE: &[ClientKey] = &[
    key("agentId", key_values::DELEGATION),
    key("agentName", key_values::DELEGATE),
    key("agentType", written(key_values::DELEGATE.write)),
];

const ANSWER: &[ClientKey] = &[key("response", key_values::ANSWER)];

const TRIGGER: &[ClientKey] =
    &[key("trigger", key_values::TRIGGER), key("customInstructions", key_values::INSTRUCTIONS)];

const NOTIFICATION: &[ClientKey] = &[
    key("message", key_values::MESSAGE),
    key("title", key_values::TITLE),
    key("hook_event_name", written(|_| Some(Value::from("Notification")))),
    key("notification_type", key_values::KIND),
];

const ERROR: &[ClientKey] = &[
    key("errorContext", both(error_context, HostField::Kind)),
    key("recoverable", both(|given| given.field("retryable").cloned(), HostField::Retryable)),
    key("error/message", both(|given| Some(Value::from(given.text("message"))), HostField::Message)),
    key("error/name", written(|_| Some(Value::from("Error")))),
];

/// An event on which Copilot CLI only logs exit status 2.
const QUIET: ClientEventDef = ClientEventDef {
    exit_two: ExitTwoEffect::Fail,
    text: PlainTextReader::Discarded,
    ..ClientEventDef::observe_only(&CAMEL)
};

/// An event of which Copilot CLI reads no response.
const fn silent(def: ClientEventDef) -> ClientEventDef {
    def.answered(&answers::SILENT, answers::log_only)
}

/// An event on which the exit status and plain text have no effect, and nothing can be stopped.
const fn without_exit_effects(def: ClientEventDef) -> ClientEventDef {
    ClientEventDef { exit_two: ExitTwoEffect::Fail, text: PlainTextReader::Discarded, stop: StopEffect::Ignored, ..def }
}

/// An event under Claude Code's name, which is an alias of its event, and which Pintle does not install.
const fn as_alias(def: ClientEventDef) -> ClientEventDef {
    ClientEventDef { is_alias: true, high_volume: true, tools: Some(&COPILOT_AS_CLAUDE), ..def }
}

const STARTED: Option<&str> = Some("custom.copilot_subagent_start");

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        name: "sessionStart",
        keys: &[BEGINNING],
        adjust: new_is_startup,
        ..without_exit_effects(shared_events::session_start(&CAMEL))
    }
    .answered(&answers::SESSION_START, answers::add_context),
    ClientEventDef {
        name: "userPromptSubmitted",
        canonical: Some(EventKind::PromptSubmit),
        keys: &[shared_keys::TEXT],
        context: true,
        fires: shared_events::PROMPT,
        kind: shared_events::user_prompt_submit(&CAMEL).kind,
        ..QUIET
    }
    .answered(&answers::PROMPT, answers::prompt),
    ClientEventDef { name: "preToolUse", keys: &[CALL], fails_closed: true, ..shared_events::pre_tool_use(&CAMEL) }
        .answered(&answers::BEFORE_TOOL, answers::before_tool),
    ClientEventDef {
        name: "permissionRequest",
        keys: &[ASKED],
        read_keys: const { &[read_key("toolArgs", HostField::Input)] },
        input: InputRewrite::Unchanged,
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::permission_request(&CAMEL)
    }
    .answered(&answers::PERMISSION, answers::permission),
    ClientEventDef {
        name: "postToolUse",
        keys: &[CALL, RESULT],
        block: BlockEffect::ReplaceResult,
        exit_two: ExitTwoEffect::Fail,
        adjust: text_for_model,
        ..shared_events::post_tool_use(&CAMEL)
    }
    .answered(&answers::AFTER_TOOL, answers::after_tool),
    ClientEventDef {
        name: "postToolUseFailure",
        keys: &[CALL, FAILURE],
        read_keys: const { &[read_key("toolResult", HostField::Response)] },
        exit_two: ExitTwoEffect::Fail,
        adjust: text_of_error,
        ..shared_events::post_tool_use_failure(&CAMEL)
    }
    .answered(&answers::FAILED_TOOL, answers::add_context),
    ClientEventDef {
        name: "agentStop",
        keys: &[TRANSCRIPT, STOP],
        read_keys: const { &[read_key("response", HostField::Answer)] },
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::stop(&CAMEL)
    }
    .answered(&answers::STOP, answers::stop),
    silent(ClientEventDef {
        name: "subagentStart",
        keys: &[TRANSCRIPT, DELEGATE],
        custom: STARTED,
        ..without_exit_effects(shared_events::subagent_start(&CAMEL))
    }),
    ClientEventDef {
        name: "subagentStop",
        keys: &[TRANSCRIPT, DELEGATE, ANSWER, STOP],
        exit_two: ExitTwoEffect::Fail,
        ..shared_events::subagent_stop(&CAMEL)
    }
    .answered(&answers::SUBAGENT_STOP, answers::stop),
    silent(ClientEventDef {
        name: "preCompact",
        keys: &[TRANSCRIPT, TRIGGER],
        block: BlockEffect::Ignored,
        ..without_exit_effects(shared_events::pre_compact(&CAMEL))
    }),
    silent(ClientEventDef {
        name: "notification",
        keys: &[NOTIFICATION],
        ..without_exit_effects(shared_events::notification(&CAMEL))
    }),
    silent(ClientEventDef {
        name: "errorOccurred",
        canonical: Some(EventKind::Error),
        keys: &[ERROR],
        subject: Some(payload_values::kind_subject),
        fires: shared_events::ERROR,
        kind: shared_events::stop_failure(&CAMEL).kind,
        adjust: canonical_kind,
        ..QUIET
    }),
    ClientEventDef { name: "sessionEnd", keys: &[ENDING], ..without_exit_effects(shared_events::session_end(&CAMEL)) }
        .answered(&answers::SESSION_END, answers::log_only),
    as_alias(ClientEventDef {
        text: PlainTextReader::Discarded,
        exit_two: ExitTwoEffect::Fail,
        adjust: new_is_startup,
        ..shared_events::session_start(&PASCAL)
    })
    .answered(&answers::SESSION_START, answers::add_context),
    as_alias(ClientEventDef {
        block: BlockEffect::Ignored,
        text: PlainTextReader::Discarded,
        exit_two: ExitTwoEffect::Fail,
        stop: StopEffect::Ignored,
        is_guard: false,
        ..shared_events::user_prompt_submit(&PASCAL)
    })
    .answered(&answers::PROMPT, answers::prompt),
    as_alias(ClientEventDef { fails_closed: true, ..shared_events::pre_tool_use(&PASCAL) })
        .answered(&answers::BEFORE_TOOL, answers::nested_before_tool),
    as_alias(ClientEventDef { exit_two: ExitTwoEffect::Fail, ..shared_events::permission_request(&PASCAL) })
        .answered(&answers::PERMISSION, answers::permission),
    as_alias(ClientEventDef {
        block: BlockEffect::ReplaceResult,
        exit_two: ExitTwoEffect::Fail,
        adjust: text_for_model,
        ..shared_events::post_tool_use(&PASCAL)
    })
    .answered(&answers::AFTER_TOOL, answers::after_tool),
    as_alias(ClientEventDef {
        exit_two: ExitTwoEffect::Fail,
        adjust: text_of_error,
        ..shared_events::post_tool_use_failure(&PASCAL)
    })
    .answered(&answers::FAILED_TOOL, answers::add_context),
    as_alias(ClientEventDef { exit_two: ExitTwoEffect::Fail, ..shared_events::stop(&PASCAL) })
        .answered(&answers::STOP, answers::stop),
    silent(as_alias(ClientEventDef {
        custom: STARTED,
        ..without_exit_effects(shared_events::subagent_start(&PASCAL))
    })),
    as_alias(ClientEventDef { exit_two: ExitTwoEffect::Fail, ..shared_events::subagent_stop(&PASCAL) })
        .answered(&answers::SUBAGENT_STOP, answers::stop),
    silent(as_alias(ClientEventDef {
        block: BlockEffect::Ignored,
        ..without_exit_effects(shared_events::pre_compact(&PASCAL))
    })),
    silent(as_alias(without_exit_effects(shared_events::notification(&PASCAL)))),
    silent(as_alias(ClientEventDef {
        name: "ErrorOccurred",
        ..without_exit_effects(shared_events::stop_failure(&PASCAL))
    })),
    as_alias(without_exit_effects(shared_events::session_end(&PASCAL)))
        .answered(&answers::SESSION_END, answers::log_only),
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] = &[UnmappedClientEvents::new(
    &["userPromptTransformed", "UserPromptTransformed"],
    "no other agent reports how it transformed a prompt",
)];

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
    (key_values::START_REASON.write)(context)
        .map(|source| if source == "startup" { Value::from("new") } else { source })
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

/// Copilot CLI's `new` is `startup` in other agents.
fn new_is_startup(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    Ok(match data {
        HostEventData::SessionStart { source } if source == "new" => {
            HostEventData::SessionStart { source: String::from("startup") }
        }
        data => data,
    })
}

/// What failed, by the catalogue's names.
fn canonical_kind(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::AgentError { kind, message, is_retryable } = data else {
        return Ok(data);
    };
    let kind = match kind.as_str() {
        "model_call" => String::from("model"),
        "tool_execution" => String::from("tool"),
        _ => kind,
    };
    Ok(HostEventData::AgentError { kind, message, is_retryable })
}

/// The result as the model gets it.
fn text_for_model(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::AfterTool { call, response, duration_ms, .. } = data else {
        return Ok(data);
    };
    let field = |names: [&str; 2]| names.into_iter().find_map(|name| response.get(name)).cloned();
    let is_error = field(["result_type", "resultType"]).is_some_and(|kind| kind != "success");
    let response = field(["text_result_for_llm", "textResultForLlm"]).unwrap_or(response);
    Ok(HostEventData::AfterTool { call, response, is_error, duration_ms })
}

/// The message of an error.
fn text_of_error(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::AfterTool { call, response, is_error, duration_ms } = data else {
        return Ok(data);
    };
    let message = response.get("message").cloned().unwrap_or(response);
    Ok(HostEventData::AfterTool { call, response: message, is_error, duration_ms })
}
