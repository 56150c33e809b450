//! The `transcript.*`, `notify_file_edited` and `unsettled_state` functions of scripts.

use pintle_host::Reminder;
use pintle_host::contract::EffectReply;
use pintle_host::event::FileEdited;
use serde_json::Value;

use crate::completion::to_event_message;
use crate::turn_context::TurnContext;
use crate::unsettled;

/// Runs one of these functions.
pub(super) fn perform(turn: &TurnContext, function: &str, arguments: &Value) -> Result<EffectReply, String> {
    let argument = |name: &str| arguments.get(name).cloned().unwrap_or_default();
    match function {
        "messages" => {
            let last = argument("last").as_u64().and_then(|last| usize::try_from(last).ok()).unwrap_or(usize::MAX);
            let messages = turn.state.transcript.messages();
            let from = messages.len().saturating_sub(last);
            let newest = messages.get(from..).unwrap_or_default().iter().map(to_event_message);
            Ok(EffectReply::Value(newest.filter_map(|message| serde_json::to_value(message).ok()).collect()))
        }
        "inject_reminder" => {
            turn.remind(
                Reminder::parse(argument("reminder"))
                    .map_err(|reason| format!("transcript.inject_reminder: {reason}"))?,
            );
            Ok(EffectReply::Done)
        }
        "notify_file_edited" => {
            let metadata = FileEdited::parse_metadata(argument("metadata"))
                .map_err(|reason| format!("notify_file_edited: {reason}"))?;
            let path = argument("path").as_str().unwrap_or_default().to_owned();
            // The path must be inside the workspace, like that of a file tool.
            turn.agent.shared.workspace.exists(&path).map_err(|reason| format!("notify_file_edited: {reason}"))?;
            turn.queue_host_edit(&path, metadata);
            Ok(EffectReply::Done)
        }
        "unsettled_state" => {
            let state = unsettled::collect_from_messages(&turn.agent.shared, &turn.state.transcript.messages());
            Ok(EffectReply::Value(serde_json::to_value(state).unwrap_or_default()))
        }
        _ => Err(String::from("the session does not have this function")),
    }
}
