//! Handles the limit of model calls per turn.

use std::sync::Arc;

use pintle_host::contract::{HookId, OnMaxIterations, OutcomeReason};
use pintle_host::event::{LimitIterations, Notification, SessionResume};
use pintle_host::{Event, EventKind};
use serde_json::Map;

use super::{TurnRun, iteration, prompts};
use crate::approval::{self, ApprovalPrompt};
use crate::completion::ToolChoice;
use crate::model::ModelMessage;
use crate::observer::AgentEvent;
use crate::turn_error::TurnError;

/// The message to a model that may be called one last time.
const LAST_CALL: &str = "You have reached the limit of this turn. Give your final answer now, without tools.";

/// The number of model calls that an approval adds, as in docker-agent.
const MORE: u32 = 10;

/// The result of reaching the limit.
pub(super) enum LimitResult {
    /// The limit was raised.
    Raised,
    /// The turn ends with this text.
    Ended(String),
}

impl TurnRun<'_> {
    /// Handles the limit as the agent's declaration says.
    pub(super) fn handle_limit(&mut self) -> Result<LimitResult, TurnError> {
        let limit = self.limit;
        let choice = self.turn.agent.spec.exit.on_max_iterations;
        let (message, action) = match choice {
            OnMaxIterations::Ask => (format!("Maximum iterations reached ({limit})"), "ask"),
            OnMaxIterations::ContinueWithWarning => {
                (format!("the turn reached its limit of {limit} model calls"), "continue")
            }
            OnMaxIterations::Error | OnMaxIterations::WarnAndExit => {
                (format!("the turn reached its limit of {limit} model calls"), "stop")
            }
        };
        let notice = || Notification {
            kind: String::from("limit"),
            level: String::from("warning"),
            title: None,
            message: message.clone(),
            host: None,
        };
        let _ = self.turn.fire_team(notice);
        let payload = LimitIterations { limit, message: message.clone(), action: action.to_owned() };
        let event = Event::from_payload(&payload, Arc::clone(&self.turn.origin));
        let _ = self.turn.fire(&event);
        if matches!(choice, OnMaxIterations::Error | OnMaxIterations::Ask) {
            self.progress.text.release(&self.turn);
        }
        match choice {
            OnMaxIterations::Error => {
                Err(TurnError::failed("limit", format!("{message}; raise `exit_policy.max_iterations`"))
                    .with_event(EventKind::LimitIterations))
            }
            OnMaxIterations::WarnAndExit => {
                self.turn.notify(AgentEvent::Notice { message: &message });
                Ok(LimitResult::Ended(std::mem::take(&mut self.progress.last_text)))
            }
            OnMaxIterations::ContinueWithWarning => self.request_final_answer(&message).map(LimitResult::Ended),
            OnMaxIterations::Ask => {
                if self.request_more_iterations(&event, &message)? {
                    return Ok(LimitResult::Raised);
                }
                let text = format!("Execution stopped after reaching the configured max_iterations limit ({limit}).");
                self.conversation.push(&self.turn, ModelMessage::assistant(text.clone(), Vec::new()));
                Ok(LimitResult::Ended(text))
            }
        }
    }

    fn request_final_answer(&mut self, message: &str) -> Result<String, TurnError> {
        self.turn.notify(AgentEvent::Notice { message });
        self.conversation.push(&self.turn, ModelMessage::user(LAST_CALL));
        // If the last call returns no text, this is the answer.
        let before = self.progress.text.take_held();
        let reply = self.request_reply(ToolChoice::Withheld)?;
        if let Some(text) = before.filter(|_| !reply.text.is_empty()) {
            self.turn.notify(AgentEvent::Message { text: &text, streamed: false });
        }
        // The model may call tools although none were offered. They do not run, but each call gets a result.
        for call in &reply.tool_calls {
            self.conversation.push(&self.turn, ModelMessage::tool(call, "not called: the turn is over"));
        }
        iteration::fire_iteration_post(&self.turn, &self.progress, &reply);
        Ok(if reply.text.is_empty() { std::mem::take(&mut self.progress.last_text) } else { reply.text })
    }

    /// Asks the user, and raises the limit if approved and no hook of `session.resume` denies.
    fn request_more_iterations(&mut self, event: &Event, message: &str) -> Result<bool, TurnError> {
        let turn = &self.turn;
        if !prompts::is_of_person(turn) {
            return Ok(false);
        }
        let reasons = [OutcomeReason::new(HookId::new("max_iterations"), message)];
        let metadata = Map::new();
        let asking = ApprovalPrompt {
            kind: "limit",
            name: message,
            call: None,
            event,
            reasons: &reasons,
            metadata: &metadata,
            allows_grant: false,
        };
        if !turn.approver().is_available() {
            approval::announce_unavailable(turn, &asking);
            return Ok(false);
        }
        let answer = approval::request_approval(turn, &asking, &|| false);
        if turn.scope.cancel.is_cancelled() {
            return Err(TurnError::cancelled());
        }
        if !answer.is_some_and(|answer| answer.is_yes()) {
            return Ok(false);
        }
        let raised = self.progress.iteration.saturating_add(MORE);
        let resume = || SessionResume {
            source: String::from("limit"),
            cwd: turn.origin.cwd.clone(),
            previous_max_iterations: Some(self.limit),
            new_max_iterations: Some(raised),
            host: None,
        };
        if let Some(outcome) = turn.fire_team(resume).filter(|outcome| !outcome.is_allowed()) {
            turn.notify(AgentEvent::Notice { message: &format!("session blocked: {}", outcome.reason()) });
            return Ok(false);
        }
        self.limit = raised;
        Ok(true)
    }
}
