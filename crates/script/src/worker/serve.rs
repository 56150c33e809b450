//! The main loop of the script worker.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{
    CallId, CancelToken, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, EventName, Failure,
    FailureKind, MatchResult, Payload, ScriptSource,
};
use serde::Serialize;

use super::{WorkerRequest, WorkerResponse, WorkerScript, WorkerTask};
use crate::ScriptFinding;
use crate::call::Invocation;
use crate::compile::compile_unbounded;
use crate::coverage::CoverageRecorder;
use crate::load::Script;
use crate::plugin::{PluginModule, compile_plugin_unbounded};
use crate::when::{WhenPredicate, compile_when_unbounded};

/// The maximum number of cached programs; the cache is then cleared.
const KEPT_PROGRAMS: usize = 256;

/// Serves requests until the host closes the pipe.
///
/// `confine` is called with the memory limit of the script before each call, and with `None` after it: if the
/// interpreter's own limit notices too late, the process ends.
///
/// Needs a thread with a large stack (256 MiB is enough): the parser and the conversions are recursive.
///
/// # Errors
/// If the pipe fails in another way than by being closed, or contains invalid data.
pub fn serve(input: impl BufRead + Send, output: impl Write + Send, confine: &dyn Fn(Option<u64>)) -> io::Result<()> {
    let wire = HostPipe(Mutex::new((input, output)));
    let mut programs: HashMap<(WorkerScript, bool), KeptProgram> = HashMap::new();
    while let Some(line) = wire.with_pipe(|input, _| read_line(input))? {
        let report = match serde_json::from_str::<WorkerRequest>(&line) {
            Ok(order) => {
                if programs.len() >= KEPT_PROGRAMS {
                    programs.clear();
                }
                let memory_bytes = order.task.limits().map(|limits| limits.memory_bytes);
                confine(memory_bytes);
                let report = perform_request(&mut programs, order, &wire);
                confine(None);
                report
            }
            Err(error) => failure_response(Failure::new(
                FailureKind::Crash,
                format!("the script worker cannot read its request: {error}"),
            )),
        };
        wire.with_pipe(|_, output| write_line(output, '=', &report))?;
    }
    Ok(())
}

/// A cached program, and what it reaches if it is covered.
struct KeptProgram {
    loaded: LoadedProgram,
    recorder: Option<CoverageRecorder>,
}

enum LoadedProgram {
    Script(Arc<Script>),
    Plugin(Arc<PluginModule>),
    When(Box<WhenPredicate>),
    /// The program has errors.
    Unusable,
}

fn perform_request(
    programs: &mut HashMap<(WorkerScript, bool), KeptProgram>,
    order: WorkerRequest,
    effects: &dyn EffectRunner,
) -> WorkerResponse {
    let mut seen = WorkerResponse::Loaded { findings: Vec::new() };
    let key = (order.program, order.is_covered);
    if !programs.contains_key(&key) || matches!(order.task, WorkerTask::Load) {
        let recorder = order.is_covered.then(CoverageRecorder::default);
        let (loaded, report) = load_script(&key.0, recorder.as_ref());
        programs.insert(key.clone(), KeptProgram { loaded, recorder });
        seen = report;
    }
    let Some(KeptProgram { loaded, recorder }) = programs.get(&key) else { return seen };
    let response = perform_task(loaded, key.0.name(), order.task, effects).unwrap_or(seen);
    match recorder {
        Some(recorder) => WorkerResponse::Covered { response: Box::new(response), reached: recorder.take_indices() },
        None => response,
    }
}

/// Performs a task; loading is done.
fn perform_task(
    program: &LoadedProgram,
    name: &str,
    task: WorkerTask,
    effects: &dyn EffectRunner,
) -> Option<WorkerResponse> {
    let cancel = CancelToken::default();
    let context = |limits| Invocation { effects, caller: EffectCaller::new(CallId(0), name), limits, cancel: &cancel };
    let limits = task.limits().copied().unwrap_or_default();
    let answer = match (program, task) {
        (_, WorkerTask::Load) => return None,
        (LoadedProgram::Plugin(module), WorkerTask::Call { function, event, .. }) => {
            let missing = || Failure::new(FailureKind::Error, "the plugin has no such function");
            let function = module.function(&function.into()).ok_or_else(missing);
            let returned = function.and_then(|function| function.call(&Payload::new(event), &context(&limits)));
            returned.map(|returned| WorkerResponse::FunctionReturned(returned.into()))
        }
        (LoadedProgram::Script(script), WorkerTask::Handle { event, payload, .. }) => {
            let answer = script.handle(&event, &Payload::new(payload), &context(&limits));
            answer.map(|answer| WorkerResponse::Answered(answer.into()))
        }
        (LoadedProgram::Script(script), WorkerTask::Run { argument, .. }) => {
            script.run(&argument, &context(&limits)).map(WorkerResponse::Returned)
        }
        (LoadedProgram::When(when), WorkerTask::Match { event, payload }) => {
            match when.evaluate(&event, &Payload::new(payload)) {
                MatchResult::Yes => Ok(WorkerResponse::Matched(true)),
                MatchResult::No => Ok(WorkerResponse::Matched(false)),
                MatchResult::Failed(failure) => Err(failure),
            }
        }
        _ => Err(Failure::new(FailureKind::Missing, "the script has errors; run `pintle validate` to see them")),
    };
    Some(answer.unwrap_or_else(failure_response))
}

fn load_script(program: &WorkerScript, recorder: Option<&CoverageRecorder>) -> (LoadedProgram, WorkerResponse) {
    let seen = |loaded: LoadedProgram, findings: Vec<ScriptFinding>| (loaded, WorkerResponse::Loaded { findings });
    match program {
        WorkerScript::Script { name, text, kind: role } => {
            let compiled = compile_unbounded(name, &ScriptSource::without_file(text.as_str()), *role, recorder);
            seen(compiled.script.map_or(LoadedProgram::Unusable, LoadedProgram::Script), compiled.findings)
        }
        WorkerScript::Plugin { name, text } => {
            let compiled = compile_plugin_unbounded(name, &ScriptSource::without_file(text.as_str()), recorder);
            let (findings, inventory) = (compiled.findings, compiled.inventory);
            let loaded = compiled.module.map_or(LoadedProgram::Unusable, LoadedProgram::Plugin);
            (loaded, WorkerResponse::Registered { findings, inventory })
        }
        WorkerScript::When { name, expression, script, event } => {
            let Ok(event) = EventName::parse(event) else {
                return seen(LoadedProgram::Unusable, Vec::new());
            };
            let script = script.as_deref().map(ScriptSource::without_file);
            let expression = ScriptSource::without_file(expression.as_str());
            let compiled = compile_when_unbounded(name, &expression, script.as_ref(), &event, recorder);
            seen(
                compiled.when.map_or(LoadedProgram::Unusable, |when| LoadedProgram::When(Box::new(when))),
                compiled.findings,
            )
        }
    }
}

fn failure_response(failure: Failure) -> WorkerResponse {
    // Programs have no file here, so a location is a span of the prepared text.
    let span = failure.diagnostic.map(|found| found.location.span).map(|span| (span.start, span.end));
    WorkerResponse::Failed { kind: failure.kind, message: failure.message, span: span.filter(|span| *span != (0, 0)) }
}

/// Reads a line; `None` at the end.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok((input.read_line(&mut line)? > 0).then_some(line))
}

/// Writes a line; JSON text contains no newline.
fn write_line(output: &mut impl Write, mark: char, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(message).map_err(io::Error::other)?;
    output.write_all(format!("{mark}{text}\n").as_bytes())?;
    output.flush()
}

/// The pipe to the host, over which effect requests are also sent.
struct HostPipe<R, W>(Mutex<(R, W)>);

impl<R, W> HostPipe<R, W> {
    fn with_pipe<T>(&self, work: impl FnOnce(&mut R, &mut W) -> T) -> T {
        let mut pipe = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (input, output) = &mut *pipe;
        work(input, output)
    }
}

impl<R, W> fmt::Debug for HostPipe<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wire")
    }
}

impl<R: BufRead + Send, W: Write + Send> EffectRunner for HostPipe<R, W> {
    fn perform(&self, _caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let asked = self.with_pipe(|input, output| {
            write_line(output, '?', &request)?;
            read_line(input)
        });
        let reply = asked.ok().flatten().ok_or_else(|| EffectError(String::from("the host exited")))?;
        serde_json::from_str(&reply)
            .unwrap_or_else(|error| Err(EffectError(format!("the host's reply is invalid: {error}"))))
    }
}
