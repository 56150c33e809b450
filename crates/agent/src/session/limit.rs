//! What happens when a turn has made as many model calls as it may.

use std::sync::Arc;

use pintle::event::{LimitIterations, Notification, SessionResume};
use pintle::{Event, HookId, OnMaxIterations, OutcomeReason};
use serde_json::Map;

use super::completion::ToolUsage;
use super::iteration;
use super::iterations::Run;
use super::{Fault, prompts};
use crate::approval::{self, Asking};
use crate::model::Message;
use crate::observe::Happening;

/// What is said to a model that may go on once more.
const LAST_CALL: &str = "You have reached the limit of this turn. Give your final answer now, without tools.";

/// Model calls that a person's yes allows (docker-agent behaviour, section 6.5).
const MORE: u32 = 10;

/// What came of the limit.
pub(super) enum Limit {
    /// There is a higher one.
    Raised,
    /// The turn ends with this text.
    Ended(String),
}

impl Run<'_> {
    /// Does what the agent's declaration says for this case.
    pub(super) fn at_limit(&mut self) -> Result<Limit, Fault> {
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
        let _ = self.turn.fire_of(notice);
        let payload = LimitIterations { limit, message: message.clone(), action: action.to_owned() };
        let event = Event::from_payload(&payload, Arc::clone(&self.turn.origin));
        let _ = self.turn.fire(&event);
        if matches!(choice, OnMaxIterations::Error | OnMaxIterations::Ask) {
            self.progress.text.release(&self.turn);
        }
        match choice {
            OnMaxIterations::Error => {
                Err(Fault::failed("limit", format!("{message}; raise `exit_policy.max_iterations`"))
                    .during("limit.iterations"))
            }
            OnMaxIterations::WarnAndExit => {
                self.turn.tell(Happening::Notice { message: &message });
                Ok(Limit::Ended(std::mem::take(&mut self.progress.last_text)))
            }
            OnMaxIterations::ContinueWithWarning => self.last_words(&message).map(Limit::Ended),
            OnMaxIterations::Ask => {
                if self.may_go_on(&event, &message)? {
                    return Ok(Limit::Raised);
                }
                let text = format!("Execution stopped after reaching the configured max_iterations limit ({limit}).");
                self.conversation.push(&self.turn, Message::assistant(text.clone(), Vec::new()));
                Ok(Limit::Ended(text))
            }
        }
    }

    fn last_words(&mut self, message: &str) -> Result<String, Fault> {
        self.turn.tell(Happening::Notice { message });
        self.conversation.push(&self.turn, Message::user(LAST_CALL));
        // Without last words it is the answer.
        let before = self.progress.text.take_held();
        let reply = self.ask(ToolUsage::Withheld)?;
        if let Some(text) = before.filter(|_| !reply.text.is_empty()) {
            self.turn.tell(Happening::Message { text: &text, streamed: false });
        }
        // The model may call tools though it was given none; nothing runs, and each call still has a result.
        for call in &reply.tool_calls {
            self.conversation.push(&self.turn, Message::tool(call, "not called: the turn is over"));
        }
        iteration::recorded(&self.turn, &self.progress, &reply);
        Ok(if reply.text.is_empty() { std::mem::take(&mut self.progress.last_text) } else { reply.text })
    }

    /// Asks the person, and raises the limit on a yes that no hook of `session.resume` speaks against.
    fn may_go_on(&mut self, event: &Event, message: &str) -> Result<bool, Fault> {
        let turn = &self.turn;
        if !prompts::is_of_person(turn) {
            return Ok(false);
        }
        let reasons = [OutcomeReason::new(HookId::new("max_iterations"), message)];
        let metadata = Map::new();
        let asking = Asking {
            kind: "limit",
            name: message,
            call: None,
            event,
            reasons: &reasons,
            metadata: &metadata,
            grants: false,
        };
        if !turn.resolver().is_available() {
            approval::announce(turn, &asking);
            return Ok(false);
        }
        let answer = approval::ask(turn, &asking, &|| false);
        if turn.scope.cancel.is_cancelled() {
            return Err(Fault::cancelled());
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
        if let Some(outcome) = turn.fire_of(resume).filter(|outcome| !outcome.is_allowed()) {
            turn.tell(Happening::Notice { message: &format!("session blocked: {}", outcome.reason()) });
            return Ok(false);
        }
        self.limit = raised;
        Ok(true)
    }
}
