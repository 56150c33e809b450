//! The handler of command hooks: payload to standard input, output to a verdict.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use pintle_contract::{
    CallLimits, Codec, CommandOutput, Failure, FailureKind, Handler, HandlerOutput, HookCall, HookInfluence, Verdict,
    VerdictKind,
};

use super::one_shot::{self, HookCommand};
use crate::hook_input::{InputTerminator, encode_input};
use crate::persistent::PersistentProcess;
use crate::process::ProcessSpec;
use crate::program_slots::ProgramSlots;

/// A hook that runs a command.
#[derive(Debug)]
pub(super) struct CommandHandler {
    pub(super) program: Arc<HookCommand>,
    /// The persistent process, if the hook uses one.
    pub(super) persistent_process: Option<PersistentProcess>,
    pub(super) codec: Arc<dyn Codec>,
    pub(super) needed: NeededPrograms,
}

/// The programs without which a guard has not looked at a call.
#[derive(Debug, Default)]
pub(super) struct NeededPrograms {
    names: Vec<String>,
    /// Whether all of them were found.
    are_found: AtomicBool,
}

impl NeededPrograms {
    pub(super) fn new(names: Vec<String>) -> Self {
        Self { names, are_found: AtomicBool::new(false) }
    }

    /// The first one that is not in the directories of a search path. They are looked for until all are found.
    fn find_missing(&self, search_path: impl FnOnce() -> OsString) -> Option<&str> {
        if self.names.is_empty() || self.are_found.load(Ordering::Relaxed) {
            return None;
        }
        let path = search_path();
        let missing = self.names.iter().find(|name| pintle_files::find_in_path(&path, name).next().is_none());
        self.are_found.store(missing.is_none(), Ordering::Relaxed);
        missing.map(String::as_str)
    }
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

    /// A program that was found once is not looked for again.
    fn is_reusable(&self) -> bool {
        self.persistent_process.is_none() && self.needed.names.is_empty()
    }

    fn influence(&self, event_alias: &str) -> HookInfluence {
        self.codec.influence(event_alias).min(HookInfluence::MayChange)
    }

    fn acts_outside(&self) -> bool {
        true
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
        let verdict = match self.needed.find_missing(|| place.search_path()) {
            Some(name) if !matches!(verdict.kind, VerdictKind::Deny { .. } | VerdictKind::Failed(_)) => {
                let reason = format!("its script runs `{name}`, which is not on the PATH; install it");
                Verdict::failed(Failure::new(FailureKind::Missing, reason))
            }
            _ => verdict,
        };
        match warning {
            Some(warning) => verdict.with_warning(warning),
            None => verdict,
        }
    }
}

impl CommandHandler {
    fn run_once(
        &self,
        environment: &one_shot::CommandEnvironment,
        call: &HookCall<'_>,
    ) -> Result<CommandOutput, Failure> {
        let stdin = encode_input(&*self.codec, call, InputTerminator::Unterminated)?;
        let spec = self.program.process_spec(environment, stdin, call.limits);
        if !call.hook.guard {
            return one_shot::run_to_end(&spec, call.limits, call.cancel);
        }
        run_guard(&spec, call)
    }
}

/// How much longer a guard may take that is started once more, and how long at most unless its own limit is longer: one
/// that hangs must not hold up a call for minutes, nor until the agent gives up.
const SECOND_TIME: u64 = 10;
const SECOND_MS: u64 = 20_000;

/// Runs a guard beside no more others than the machine has cores. One that others beside it kept from an answer in time
/// is started once more alone: how many calls a model makes at once does not decide which of them are looked at.
fn run_guard(spec: &ProcessSpec, call: &HookCall<'_>) -> Result<CommandOutput, Failure> {
    static SLOTS: LazyLock<ProgramSlots> = LazyLock::new(ProgramSlots::of_machine);
    let cancelled = || Failure::new(FailureKind::Cancelled, "the call was cancelled");
    let slot = SLOTS.enter(false, call.cancel).ok_or_else(cancelled)?;
    let had_company = slot.has_company();
    let answer = one_shot::run_to_end(spec, call.limits, call.cancel);
    let is_late = matches!(&answer, Err(failure) if failure.kind == FailureKind::Timeout);
    if !is_late || !had_company && !slot.has_company() {
        return answer;
    }
    drop(slot);
    let _alone = SLOTS.enter(true, call.cancel).ok_or_else(cancelled)?;
    let timeout_ms = spec.timeout_ms.max(spec.timeout_ms.saturating_mul(SECOND_TIME).min(SECOND_MS));
    let limits = CallLimits { timeout_ms, ..*call.limits };
    one_shot::run_to_end(&ProcessSpec { timeout_ms, ..spec.clone() }, &limits, call.cancel)
}
