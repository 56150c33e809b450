//! Programs that run in a script worker.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use pintle_contract::{
    CallLimits, CancelToken, Diagnostic, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, Failure,
    FailureKind, FunctionOutput, FunctionRef, ScriptOutput, ScriptSource,
};
use pintle_script::worker::{WorkerRequest, WorkerResponse, WorkerScript, WorkerTask, to_diagnostic, to_failure};
use pintle_script::{PluginInventory, PointHits, ScriptFinding};
use serde_json::Value;

use crate::program_slots::ProgramSlots;
use crate::script_worker::{ScriptWorkerPool, WorkerCallError};

/// The time limit for loading a program.
const LOAD_TIME: Duration = Duration::from_secs(5);
/// The time that a call may exceed its limit before its worker is killed: the worker's own limit should apply first.
const GRACE: Duration = Duration::from_millis(80);
/// The time limit of a `when`.
const MATCH_TIME: Duration = Duration::from_secs(1);

/// What an embedder does about a script that needs a worker.
const WORKER_HELP: &str = "this script runs in a process of its own: call `pintle::serve_worker()` first in the program's \
                           `main`, or put the program `pintle-script-worker` beside it";

/// A program and the pool that runs it.
#[derive(Clone)]
pub(super) struct RemoteScript {
    pool: Arc<ScriptWorkerPool>,
    program: WorkerScript,
    name: Arc<str>,
    text: ScriptSource,
    /// What the program reaches, if it is covered.
    hits: Option<Arc<PointHits>>,
}

impl fmt::Debug for RemoteScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Remote").field(&self.name).finish()
    }
}

/// The programs that are loaded at once, in all runtimes of this process.
static LOADING: LazyLock<ProgramSlots> = LazyLock::new(ProgramSlots::of_machine);

/// The effect runner for the requests of a call.
pub(super) struct WorkerEffects<'a> {
    pub(super) effects: &'a dyn EffectRunner,
    pub(super) caller: EffectCaller<'a>,
    pub(super) cancel: &'a CancelToken,
}

impl RemoteScript {
    /// A program whose diagnostics are about `text`.
    pub(super) fn new(pool: &Arc<ScriptWorkerPool>, program: WorkerScript, name: &str, text: &ScriptSource) -> Self {
        Self { pool: Arc::clone(pool), program, name: Arc::from(name), text: text.clone(), hits: None }
    }

    /// Notes what the program reaches.
    pub(super) fn with_hits(self, hits: Option<Arc<PointHits>>) -> Self {
        Self { hits, ..self }
    }

    /// Loads the program in a worker to check it.
    pub(super) fn probe(&self) -> Vec<Diagnostic> {
        self.load_plugin().0
    }

    /// Loads the program in a worker; returns the diagnostics, and the registrations of a plugin.
    pub(super) fn load_plugin(&self) -> (Vec<Diagnostic>, PluginInventory) {
        let placed = |findings: Vec<ScriptFinding>| {
            findings.iter().map(|finding| to_diagnostic(&self.name, &self.text, finding)).collect()
        };
        let slot = LOADING.enter(false, &CancelToken::default());
        let loaded = self.exchange(WorkerTask::Load, LOAD_TIME, LOAD_TIME, None);
        drop(slot);
        match loaded {
            Ok(WorkerResponse::Loaded { findings }) => (placed(findings), PluginInventory::default()),
            Ok(WorkerResponse::Registered { findings, inventory }) => (placed(findings), inventory),
            report => (self.load_diagnostics(report), PluginInventory::default()),
        }
    }

    /// The errors that prevent the program from loading.
    fn load_diagnostics(&self, report: Result<WorkerResponse, WorkerCallError>) -> Vec<Diagnostic> {
        let at = |message: String| Diagnostic::error("script_load", message, self.text.location.clone());
        match report {
            Ok(_) => vec![at(String::from("unexpected reply from the script worker"))],
            Err(WorkerCallError::Start(reason)) => vec![at(reason).help(WORKER_HELP)],
            Err(WorkerCallError::TimedOut) => {
                let message = format!("loading the script takes more than {} seconds", LOAD_TIME.as_secs());
                vec![
                    at(message)
                        .help("code outside functions, and constants inside them, are evaluated when the script loads"),
                ]
            }
            Err(WorkerCallError::Crashed(how)) => {
                let message = format!("the script worker stopped while loading the script ({how})");
                vec![
                    at(message).help(
                        "the script uses too much memory or nests too deeply; build smaller values, step by step",
                    ),
                ]
            }
            Err(WorkerCallError::Cancelled) => Vec::new(),
        }
    }

    pub(super) fn call_handle(
        &self,
        event: &str,
        payload: &Value,
        limits: &CallLimits,
        effects: &WorkerEffects<'_>,
    ) -> Result<ScriptOutput, Failure> {
        let work = WorkerTask::Handle { event: event.to_owned(), payload: payload.clone(), limits: *limits };
        match self.call_worker(work, limits.timeout_ms, effects)? {
            WorkerResponse::Answered(answer) => Ok(answer.into()),
            report => Err(self.unexpected_response(report)),
        }
    }

    pub(super) fn call_function(
        &self,
        function: &FunctionRef,
        event: &Value,
        limits: &CallLimits,
        effects: &WorkerEffects<'_>,
    ) -> Result<FunctionOutput, Failure> {
        let work = WorkerTask::Call { function: function.into(), event: event.clone(), limits: *limits };
        match self.call_worker(work, limits.timeout_ms, effects)? {
            WorkerResponse::FunctionReturned(gift) => Ok(gift.into()),
            report => Err(self.unexpected_response(report)),
        }
    }

    pub(super) fn call_run(
        &self,
        argument: Value,
        limits: &CallLimits,
        effects: &WorkerEffects<'_>,
    ) -> Result<Value, Failure> {
        match self.call_worker(WorkerTask::Run { argument, limits: *limits }, limits.timeout_ms, effects)? {
            WorkerResponse::Returned(value) => Ok(value),
            report => Err(self.unexpected_response(report)),
        }
    }

    pub(super) fn call_match(&self, event: &str, payload: &Value) -> Result<bool, Failure> {
        let work = WorkerTask::Match { event: event.to_owned(), payload: payload.clone() };
        match self.exchange(work, MATCH_TIME, MATCH_TIME, None) {
            Ok(WorkerResponse::Matched(truth)) => Ok(truth),
            Ok(report) => Err(self.unexpected_response(report)),
            Err(error) => Err(Self::call_failure(error, 1_000)),
        }
    }

    /// Gives the worker a task, and waits for the hook's timeout at most.
    fn call_worker(
        &self,
        work: WorkerTask,
        timeout_ms: u64,
        effects: &WorkerEffects<'_>,
    ) -> Result<WorkerResponse, Failure> {
        let time = Duration::from_millis(timeout_ms);
        let deadline = Instant::now() + time;
        // Effects that the script waits for end with its time limit.
        let cancel = effects.cancel.child_with_time_limit(move || deadline.saturating_duration_since(Instant::now()));
        let timed = WorkerEffects { caller: effects.caller.with_cancel(&cancel), ..*effects };
        let report = self.exchange(work, time + GRACE, time + GRACE, Some(&timed));
        let report = report.map_err(|error| Self::call_failure(error, timeout_ms))?;
        if Instant::now() < deadline {
            return Ok(report);
        }
        let late = |span| {
            let message = format!("no answer within {timeout_ms} ms");
            Ok(WorkerResponse::Failed { kind: FailureKind::Timeout, message, span })
        };
        // An effect that it waited for ended shortly before its own time limit: the script got an error, or no result
        // at all.
        match report {
            WorkerResponse::Failed { kind: FailureKind::Error, span, .. } => late(span),
            WorkerResponse::Failed { .. } => Ok(report),
            _ => late(None),
        }
    }

    fn exchange(
        &self,
        work: WorkerTask,
        own: Duration,
        whole: Duration,
        effects: Option<&WorkerEffects<'_>>,
    ) -> Result<WorkerResponse, WorkerCallError> {
        let order = WorkerRequest { program: self.program.clone(), task: work, is_covered: self.hits.is_some() };
        let message = serde_json::to_vec(&order).map_err(|error| WorkerCallError::Start(error.to_string()))?;
        let never = CancelToken::default();
        let cancel = effects.map_or(&never, |effects| effects.cancel);
        let mut reply = |question: &[u8]| {
            let reply = answer_effect(question, effects);
            serde_json::to_vec(&reply).unwrap_or_else(|_| b"{\"Err\":\"the reply cannot be encoded as JSON\"}".to_vec())
        };
        let line = self.pool.call(&message, own, whole, cancel, &mut reply)?;
        let response = serde_json::from_slice(&line)
            .map_err(|error| WorkerCallError::Crashed(format!("an unreadable reply: {error}")))?;
        Ok(match response {
            WorkerResponse::Covered { response, reached } => {
                let noted = self.hits.iter().flat_map(|hits| reached.iter().map(move |point| (hits, *point)));
                noted.for_each(|(hits, point)| hits.note(point));
                *response
            }
            response => response,
        })
    }

    fn unexpected_response(&self, report: WorkerResponse) -> Failure {
        match report {
            WorkerResponse::Failed { kind, message, span } => to_failure(&self.name, &self.text, kind, message, span),
            _ => Failure::new(FailureKind::Crash, "unexpected reply from the script worker"),
        }
    }

    fn call_failure(error: WorkerCallError, timeout_ms: u64) -> Failure {
        match error {
            WorkerCallError::Start(reason) => Failure::new(FailureKind::NotStarted, reason),
            WorkerCallError::TimedOut => {
                Failure::new(FailureKind::Timeout, format!("no answer within {timeout_ms} ms"))
            }
            WorkerCallError::Crashed(how) => {
                let message = format!("the script worker stopped ({how}); the script probably used too much memory");
                Failure::new(FailureKind::Crash, message)
            }
            WorkerCallError::Cancelled => Failure::new(FailureKind::Cancelled, "the call was cancelled"),
        }
    }
}

fn answer_effect(question: &[u8], effects: Option<&WorkerEffects<'_>>) -> Result<EffectReply, EffectError> {
    let effects = effects.ok_or_else(|| EffectError(String::from("not available here")))?;
    let request: EffectRequest = serde_json::from_slice(question).map_err(|error| EffectError(error.to_string()))?;
    effects.effects.perform(effects.caller, request)
}
