//! Unsettled work of a session.

use std::collections::BTreeSet;

use pintle_host::event::{UnsettledState, UnsettledWork};

use crate::conversation::{Conversation, unanswered_calls};
use crate::model::ModelMessage;
use crate::session_state::{WorkItem, WorkKind};
use crate::turn_context::SessionContext;

/// The unsettled work of a session.
pub(crate) fn collect(context: &SessionContext, conversation: &Conversation) -> UnsettledState {
    collect_from_messages(context, &conversation.messages)
}

/// The unsettled work, with the unanswered calls of these messages.
pub(crate) fn collect_from_messages(context: &SessionContext, messages: &[ModelMessage]) -> UnsettledState {
    let now_us = context.runtime.clock().monotonic_us();
    let open = context.state.pending_work.all();
    let of_kind = |kind: WorkKind, category: &str| {
        let of = |item: &WorkItem| UnsettledWork {
            category: category.to_owned(),
            id: item.id.clone(),
            summary: item.summary.clone(),
            age_ms: now_us.saturating_sub(item.began_us) / 1_000,
        };
        open.iter().filter(|item| item.kind == kind).map(of).collect::<Vec<_>>()
    };
    let piece = |category: &str, id: String, summary: String| UnsettledWork {
        category: category.to_owned(),
        id,
        summary,
        age_ms: 0,
    };
    let mut tool_calls = of_kind(WorkKind::ToolCall, "tool_call");
    let known: BTreeSet<String> = tool_calls.iter().map(|call| call.id.clone()).collect();
    let unanswered = unanswered_calls(messages).filter(|call| !known.contains(&call.id));
    tool_calls.extend(unanswered.map(|call| piece("tool_call", call.id.clone(), call.name.clone())));
    let texts = context.state.inbox.texts().into_iter().enumerate();
    let approvals = context.state.approvals.pending().into_iter();
    let paused = context.state.personas.paused().into_iter();
    UnsettledState {
        tool_calls,
        background_tasks: of_kind(WorkKind::BackgroundTask, "background_task"),
        messages: texts.map(|(index, text)| piece("message", format!("message_{}", index + 1), text)).collect(),
        approvals: approvals.map(|asked| piece("approval", asked.id, asked.reason)).collect(),
        suspended_personas: paused.map(|paused| piece("suspended_persona", paused.persona, paused.reason)).collect(),
    }
}
