//! The handler: payload to standard input, answer to a verdict.

use std::sync::Arc;

use pintle_contract::{
    Codec, CommandOutput, Failure, FailureKind, Handler, HandlerOutput, HookCall, HookInfluence, Verdict,
};

use super::input::{Ending, input};
use super::plain::{self, Program};
use crate::worker::Worker;

/// A hook that is a program.
#[derive(Debug)]
pub(super) struct CommandHandler {
    pub(super) program: Arc<Program>,
    /// The process that answers many calls, when the hook's author wants one.
    pub(super) worker: Option<Worker>,
    pub(super) codec: Arc<dyn Codec>,
}

impl Handler for CommandHandler {
    fn kind(&self) -> &'static str {
        if self.worker.is_some() { "worker" } else { "command" }
    }

    fn may_wait(&self) -> bool {
        true
    }

    fn influence(&self, spelling: &str) -> HookInfluence {
        self.codec.influence(spelling).min(HookInfluence::MayChange)
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        let (place, warning) = self.program.place(call, &*self.codec);
        let answer = match &self.worker {
            _ if call.cancel.is_cancelled() => Err(Failure::new(FailureKind::Cancelled, "the call was cancelled")),
            Some(worker) => worker.answer(&place, input(&*self.codec, call, Ending::Line), call.limits, call.cancel),
            None => self.spawn(&place, call),
        };
        let verdict = match answer {
            Ok(answer) => self.codec.decode(call.event, &call.hook.event_alias, HandlerOutput::Process(answer)),
            Err(failure) => Verdict::failed(failure),
        };
        match warning {
            Some(warning) => verdict.with_warning(warning),
            None => verdict,
        }
    }
}

impl CommandHandler {
    fn spawn(&self, place: &plain::Place, call: &HookCall<'_>) -> Result<CommandOutput, Failure> {
        let stdin = input(&*self.codec, call, Ending::Bare);
        plain::run(&self.program.spec(place, stdin, call.limits), call.limits, call.cancel)
    }
}
