//! Unsettled work of a session.

use std::collections::BTreeSet;

use pintle::event::UnsettledWork;

use serde::Serialize;

use crate::conversation::{Conversation, unanswered_calls};
use crate::model::ModelMessage;
use crate::session_state::{WorkItem, WorkKind};
use crate::turn_context::SessionContext;

/// The unsettled work of a session: work that has begun and not ended, and messages that were not delivered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnsettledState {
    /// Tool calls that are running, or that the model made and that have no result.
    pub tool_calls: Vec<UnsettledWork>,
    /// Delegations and commands that run in the background.
    pub background_tasks: Vec<UnsettledWork>,
    /// Messages to the agent that were not delivered yet.
    pub messages: Vec<UnsettledWork>,
    /// Unanswered approval requests.
    pub approvals: Vec<UnsettledWork>,
    /// Personas that were paused and not resumed.
    pub suspended_personas: Vec<UnsettledWork>,
}

/// The singular noun for the items of each list.
const WORDS: [&str; 5] = ["tool call", "background task", "message", "approval", "suspended persona"];

impl UnsettledState {
    pub(crate) fn collect(shared: &SessionContext, conversation: &Conversation) -> Self {
        Self::collect_from_messages(shared, &conversation.messages)
    }

    /// The unsettled work, with the unanswered calls of these messages.
    pub(crate) fn collect_from_messages(shared: &SessionContext, messages: &[ModelMessage]) -> Self {
        let now_us = shared.runtime.clock().monotonic_us();
        let open = shared.state.pending_work.all();
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
        let texts = shared.state.inbox.texts().into_iter().enumerate();
        let approvals = shared.state.approvals.pending().into_iter();
        let paused = shared.state.personas.paused().into_iter();
        Self {
            tool_calls,
            background_tasks: of_kind(WorkKind::BackgroundTask, "background_task"),
            messages: texts.map(|(index, text)| piece("message", format!("message_{}", index + 1), text)).collect(),
            approvals: approvals.map(|asked| piece("approval", asked.id, asked.reason)).collect(),
            suspended_personas: paused
                .map(|paused| piece("suspended_persona", paused.persona, paused.reason))
                .collect(),
        }
    }

    fn lists(&self) -> [&Vec<UnsettledWork>; 5] {
        [&self.tool_calls, &self.background_tasks, &self.messages, &self.approvals, &self.suspended_personas]
    }

    /// Whether nothing is unsettled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|list| list.is_empty())
    }

    /// The number of items of each kind, by the singular noun, such as `tool call`.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> + use<> {
        WORDS.into_iter().zip(self.lists().map(Vec::len))
    }

    /// All items, kind by kind.
    #[must_use]
    pub fn all(&self) -> Vec<UnsettledWork> {
        self.lists().into_iter().flatten().cloned().collect()
    }

    /// A one-line summary, such as `1 tool call, 2 messages`.
    #[must_use]
    pub fn summary(&self) -> String {
        let told: Vec<String> = self
            .counts()
            .filter(|(_, count)| *count > 0)
            .map(|(word, count)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }))
            .collect();
        if told.is_empty() { String::from("no unsettled work") } else { told.join(", ") }
    }
}
