//! The loop inside the isolated process.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{
    CallId, CallLimits, CancelToken, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, EventName,
    Failure, FailureKind, MatchResult, Payload, ScriptSource,
};
use serde::Serialize;
use serde_json::Value as Json;

use super::{Function, Order, Program, Report, Work};
use crate::Finding;
use crate::call::Invocation;
use crate::compile::compile_unbounded;
use crate::load::Script;
use crate::plugin::{PluginModule, compile_plugin_unbounded};
use crate::when::{When, compile_when_unbounded};

/// Programs that a worker keeps loaded; when there are more it begins anew.
const KEPT_PROGRAMS: usize = 256;

/// Serves orders until the host closes the pipe.
///
/// `confine` is told how much memory a script may have before each call, and `None` behind it: what the interpreter's own
/// limit does not see in time ends the process.
///
/// Needs a thread with a large stack (256 MiB is right): the parser and the conversions recurse.
///
/// # Errors
/// When the pipe fails otherwise than by being closed, or carries something unreadable.
pub fn serve(input: impl BufRead + Send, output: impl Write + Send, confine: &dyn Fn(Option<u64>)) -> io::Result<()> {
    let wire = Wire(Mutex::new((input, output)));
    let mut programs: HashMap<Program, Loaded> = HashMap::new();
    while let Some(line) = wire.lock(|input, _| line(input))? {
        let report = match serde_json::from_str::<Order>(&line) {
            Ok(order) => {
                if programs.len() >= KEPT_PROGRAMS {
                    programs.clear();
                }
                let memory_bytes = order.work.limits().map(|limits| limits.memory_bytes);
                confine(memory_bytes);
                let report = perform(&mut programs, order, &wire);
                confine(None);
                report
            }
            Err(fault) => {
                failed(Failure::new(FailureKind::Crash, format!("the worker cannot read its order: {fault}")))
            }
        };
        wire.lock(|_, output| write(output, '=', &report))?;
    }
    Ok(())
}

/// What became of a program.
enum Loaded {
    Script(Arc<Script>),
    Plugin(Arc<PluginModule>),
    When(Box<When>),
    /// It has errors.
    Nothing,
}

fn perform(programs: &mut HashMap<Program, Loaded>, order: Order, seam: &dyn EffectRunner) -> Report {
    let mut seen = Report::Loaded { findings: Vec::new() };
    if !programs.contains_key(&order.program) || matches!(order.work, Work::Load) {
        let (loaded, report) = load(&order.program);
        programs.insert(order.program.clone(), loaded);
        seen = report;
    }
    match (programs.get(&order.program), order.work) {
        (_, Work::Load) => seen,
        (Some(Loaded::Plugin(module)), Work::Call { function, event, limits }) => {
            call(module, &order.program, function, event, &limits, seam)
        }
        (Some(Loaded::Script(script)), Work::Handle { event, payload, limits }) => {
            handle(script, &event, payload, &limits, seam)
        }
        (Some(Loaded::Script(script)), Work::Run { argument, limits }) => run(script, &argument, &limits, seam),
        (Some(Loaded::When(when)), Work::Match { event, payload }) => {
            matched(when.test(&event, &Payload::new(payload)))
        }
        _ => failed(Failure::new(FailureKind::Missing, "the script has errors; `pintle validate` shows them")),
    }
}

fn load(program: &Program) -> (Loaded, Report) {
    let seen = |loaded: Loaded, findings: Vec<Finding>| (loaded, Report::Loaded { findings });
    match program {
        Program::Script { name, text, role } => {
            let compiled = compile_unbounded(name, &ScriptSource::without_file(text.as_str()), *role);
            seen(compiled.script.map_or(Loaded::Nothing, Loaded::Script), compiled.findings)
        }
        Program::Plugin { name, text } => {
            let compiled = compile_plugin_unbounded(name, &ScriptSource::without_file(text.as_str()));
            let (findings, inventory) = (compiled.findings, compiled.inventory);
            let loaded = compiled.module.map_or(Loaded::Nothing, Loaded::Plugin);
            (loaded, Report::Registered { findings, inventory })
        }
        Program::When { name, expression, script, event } => {
            let Ok(event) = EventName::parse(event) else {
                return seen(Loaded::Nothing, Vec::new());
            };
            let script = script.as_deref().map(ScriptSource::without_file);
            let expression = ScriptSource::without_file(expression.as_str());
            let compiled = compile_when_unbounded(name, &expression, script.as_ref(), &event);
            seen(compiled.when.map_or(Loaded::Nothing, |when| Loaded::When(Box::new(when))), compiled.findings)
        }
    }
}

fn handle(script: &Script, event: &str, payload: Json, limits: &CallLimits, seam: &dyn EffectRunner) -> Report {
    let cancel = CancelToken::default();
    let caller = EffectCaller::new(CallId(0), script.name());
    match script.handle(event, &Payload::new(payload), &Invocation { seam, caller, limits, cancel: &cancel }) {
        Ok(answer) => Report::Answered(answer.into()),
        Err(failure) => failed(failure),
    }
}

fn call(
    module: &Arc<PluginModule>,
    program: &Program,
    function: Function,
    event: Json,
    limits: &CallLimits,
    seam: &dyn EffectRunner,
) -> Report {
    let (Program::Plugin { name, .. } | Program::Script { name, .. } | Program::When { name, .. }) = program;
    let (cancel, caller) = (CancelToken::default(), EffectCaller::new(CallId(0), name));
    let Some(function) = module.function(&function.into()) else {
        return failed(Failure::new(FailureKind::Error, "the plugin has no such function"));
    };
    match function.call(&Payload::new(event), &Invocation { seam, caller, limits, cancel: &cancel }) {
        Ok(returned) => Report::Gave(returned.into()),
        Err(failure) => failed(failure),
    }
}

fn run(script: &Script, argument: &Json, limits: &CallLimits, seam: &dyn EffectRunner) -> Report {
    let cancel = CancelToken::default();
    let caller = EffectCaller::new(CallId(0), script.name());
    match script.run(argument, &Invocation { seam, caller, limits, cancel: &cancel }) {
        Ok(value) => Report::Returned(value),
        Err(failure) => failed(failure),
    }
}

fn matched(answer: MatchResult) -> Report {
    match answer {
        MatchResult::Yes => Report::Matched(true),
        MatchResult::No => Report::Matched(false),
        MatchResult::Failed(failure) => failed(failure),
    }
}

fn failed(failure: Failure) -> Report {
    // Programs stand in no file here, so a place is a range of the prepared text.
    let span = failure.diagnostic.map(|found| found.location.span).map(|span| (span.start, span.end));
    Report::Failed { kind: failure.kind, message: failure.message, span: span.filter(|span| *span != (0, 0)) }
}

/// Reads a line; `None` at the end.
fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok((input.read_line(&mut line)? > 0).then_some(line))
}

/// Writes a line; JSON text holds no newline.
fn write(output: &mut impl Write, mark: char, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(message).map_err(io::Error::other)?;
    output.write_all(format!("{mark}{text}\n").as_bytes())?;
    output.flush()
}

/// The pipe to the host, which is also the door to the world.
struct Wire<R, W>(Mutex<(R, W)>);

impl<R, W> Wire<R, W> {
    fn lock<T>(&self, work: impl FnOnce(&mut R, &mut W) -> T) -> T {
        let mut pipe = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (input, output) = &mut *pipe;
        work(input, output)
    }
}

impl<R, W> fmt::Debug for Wire<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wire")
    }
}

impl<R: BufRead + Send, W: Write + Send> EffectRunner for Wire<R, W> {
    fn perform(&self, _caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let asked = self.lock(|input, output| {
            write(output, '?', &request)?;
            line(input)
        });
        let reply = asked.ok().flatten().ok_or_else(|| EffectError(String::from("the host is gone")))?;
        serde_json::from_str(&reply)
            .unwrap_or_else(|fault| Err(EffectError(format!("the host's reply is unreadable: {fault}"))))
    }
}
