//! The handler of command hooks: payload to standard input, output to a verdict.

use std::sync::Arc;

use pintle_contract::{
    Codec, CommandOutput, Failure, FailureKind, Handler, HandlerOutput, HookCall, HookInfluence, Verdict,
};

use super::one_shot::{self, HookCommand};
use crate::hook_input::{InputTerminator, encode_input};
use crate::persistent::PersistentProcess;

/// A hook that runs a command.
#[derive(Debug)]
pub(super) struct CommandHandler {
    pub(super) program: Arc<HookCommand>,
    /// The persistent process, if the hook uses one.
    pub(super) persistent_process: Option<PersistentProcess>,
    pub(super) codec: Arc<dyn Codec>,
}

impl Handler for CommandHandler {
    fn kind(&self) -> &'static str {
        if self.persistent_process.is_some() { "worker" } else { "command" }
    }

    fn may_wait(&self) -> bool {
        true
    }

    fn needs_order(&self) -> bool {
        self.persistent_process.is_some()
    }

    fn influence(&self, spelling: &str) -> HookInfluence {
        self.codec.influence(spelling).min(HookInfluence::MayChange)
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        let (place, warning) = self.program.resolve_environment(call, &*self.codec);
        let answer = match &self.persistent_process {
            _ if call.cancel.is_cancelled() => Err(Failure::new(FailureKind::Cancelled, "the call was cancelled")),
            Some(worker) => encode_input(&*self.codec, call, InputTerminator::Newline)
                .and_then(|input| worker.call_process(&place, input, call.limits, call.cancel)),
            None => self.run_once(&place, call),
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
    fn run_once(&self, place: &one_shot::CommandEnvironment, call: &HookCall<'_>) -> Result<CommandOutput, Failure> {
        let stdin = encode_input(&*self.codec, call, InputTerminator::Unterminated)?;
        one_shot::run_to_end(&self.program.process_spec(place, stdin, call.limits), call.limits, call.cancel)
    }
}
