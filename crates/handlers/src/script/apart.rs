//! A program that is loaded and run in a worker.

use std::sync::Arc;
use std::time::Duration;

use pintle_contract::{
    Cancel, Diagnostic, Failure, FailureKind, Limits, Location, NoSeam, Reply, Request, ScriptText, SeamError,
};
use pintle_script::Invocation;
use pintle_script::worker::{self, Order, Program, Report, Work};

use crate::isolate::{IsolateError, Pool};

/// Time a worker gets beyond a script's own, so that the interpreter can say which line was late.
const GRACE: Duration = Duration::from_millis(100);

/// How long loading may take, with all the folding of constants the interpreter does then.
const LOAD_TIME: Duration = Duration::from_secs(3);

/// A program for the workers of a pool.
#[derive(Debug)]
pub(super) struct Apart {
    pool: Arc<Pool>,
    name: String,
    text: ScriptText,
    program: Program,
}

impl Apart {
    pub(super) fn new(pool: &Arc<Pool>, name: &str, text: &ScriptText, program: Program) -> Self {
        Self { pool: Arc::clone(pool), name: name.to_owned(), text: text.clone(), program }
    }

    /// Loads the program in a worker to see whether it can be. A program that kills the worker has an error.
    pub(super) fn load(&self) -> Vec<Diagnostic> {
        let limits = Limits { timeout_ms: LOAD_TIME.as_millis().try_into().unwrap_or(u64::MAX), ..Limits::default() };
        let cancel = Cancel::default();
        let nobody = pintle_contract::Caller { call: pintle_contract::CallId::default(), name: &self.name };
        let at_load = Invocation { seam: &NoSeam, caller: nobody, limits: &limits, cancel: &cancel };
        match self.perform(Work::Load, &at_load) {
            Ok(Report::Loaded { findings }) => {
                findings.iter().map(|finding| worker::diagnostic(&self.name, &self.text, finding)).collect()
            }
            Ok(_) => vec![self.refused("the worker answered out of turn")],
            Err(failure) => vec![self.refused(&failure.message)],
        }
    }

    fn refused(&self, why: &str) -> Diagnostic {
        let location: Location = self.text.location.clone();
        Diagnostic::error("script_load", format!("the script of `{}` cannot be loaded: {why}", self.name), location)
            .help("simplify the script; it is nested too deeply, or computes something very large while it loads")
    }

    /// Has a worker do something.
    pub(super) fn perform(&self, work: Work, invocation: &Invocation<'_>) -> Result<Report, Failure> {
        let order = Order { program: self.program.clone(), work };
        let message = serde_json::to_vec(&order).map_err(|fault| bad(&fault))?;
        let time = Duration::from_millis(invocation.limits.timeout_ms) + GRACE;
        let mut reply = |question: &[u8]| answer(question, invocation);
        let answer = self.pool.call(&message, time, time, invocation.cancel, &mut reply);
        let line = answer.map_err(|error| self.failure(error, invocation.limits))?;
        match serde_json::from_slice(&line).map_err(|fault| bad(&fault))? {
            Report::Failed { kind, message, span } => {
                Err(worker::failure(&self.name, &self.text, kind, message, span))
            }
            report => Ok(report),
        }
    }

    fn failure(&self, error: IsolateError, limits: &Limits) -> Failure {
        let place = |message: &str| Diagnostic::error("script_error", message, self.text.location.clone());
        let (kind, message) = match error {
            IsolateError::Start(why) => (FailureKind::Missing, why),
            IsolateError::Late => {
                (FailureKind::Timeout, format!("no answer within {} ms; its worker was ended", limits.timeout_ms))
            }
            IsolateError::Died(how) => (
                FailureKind::Crash,
                format!("its worker died ({how}); the script may use more memory or nesting than there is"),
            ),
            IsolateError::Cancelled => (FailureKind::Cancelled, String::from("the call was cancelled")),
        };
        let diagnostic = place(&message);
        Failure::new(kind, message).at(diagnostic)
    }
}

/// An answer out of turn: the worker and this program disagree about the protocol.
pub(super) fn out_of_turn() -> Failure {
    Failure::new(FailureKind::Crash, "the worker answered out of turn")
}

fn bad(fault: &serde_json::Error) -> Failure {
    Failure::new(FailureKind::BadOutput, format!("the line between host and worker cannot be read: {fault}"))
}

/// Answers a worker's question through the seam of the call.
fn answer(question: &[u8], invocation: &Invocation<'_>) -> Vec<u8> {
    let reply: Result<Reply, SeamError> = match serde_json::from_slice::<Request>(question) {
        Ok(request) => invocation.seam.perform(invocation.caller, request),
        Err(fault) => Err(SeamError(format!("the request cannot be read: {fault}"))),
    };
    // A reply is plain data with text keys, which always has a JSON form.
    serde_json::to_vec(&reply).unwrap_or_default()
}
