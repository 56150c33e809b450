//! The agent loop as the host that the conformance kit of AGENT-HOOKS drives.
//!
//! The kit's models and tools are scripts, and its interceptors are in another process: this one asks for their verdicts in
//! lines of JSON. Everything between is the loop and the hooks as any other agent has them.

mod load;
mod peer;
mod stage;

use std::collections::VecDeque;
use std::io::{BufRead as _, Write as _, stdin, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use parking_lot::Mutex;
use pintle_agent::Session;
use pintle_host::contract::{AgentSpec, FailurePolicy, Hook};
use pintle_host::dialects::agent_hooks::{
    CompositionRule, ContextFacts, EmitterSettings, HostFault, InterceptorVerdict, canonical_json, compose,
    identify_context, intercept_event, point_events,
};
use pintle_host::native::{NativeHandler, chain, hook_of};
use pintle_host::{Clock, EventKind, Layer, Runtime, SystemClock};
use serde_json::{Value, json};

use self::load::{LoadedRun, load_run, resolve_alone};
use self::peer::KitPeer;
use self::stage::KitStage;

/// What the host calls itself in contexts, and its agent.
const FRAMEWORK: &str = "pintle";

/// The lines of standard input.
type InputLines = Arc<Mutex<Receiver<Vec<u8>>>>;

/// Answers the lines of a kit until it ends.
pub(crate) fn serve_kit() -> Result<(), String> {
    let lines = read_input().map_err(|error| format!("cannot start a thread: {error}"))?;
    let mut loaded = None;
    loop {
        let Ok(line) = lines.lock().recv() else { return Ok(()) };
        let request: Value = serde_json::from_slice(&line).map_err(|error| format!("a line is not JSON: {error}"))?;
        let answer = if let Some(load) = request.get("load") {
            let (run, answer) = load_run(load, KitPeer::new(&lines))?;
            loaded = run;
            answer
        } else if request.get("run").is_some() {
            run_session(loaded.take().ok_or("nothing is loaded to run")?)?
        } else {
            compute_value(&request)?
        };
        write_line(&answer);
    }
}

fn write_line(line: &Value) {
    let mut output = stdout().lock();
    // A kit that does not read has ended, and soon so does standard input.
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

/// Reads standard input on a thread, so that a question can have a time limit.
fn read_input() -> std::io::Result<InputLines> {
    let (sender, lines) = channel();
    thread::Builder::new().spawn(move || {
        let each = stdin().lock().split(b'\n').map_while(Result::ok);
        each.map_while(|line| sender.send(line).ok()).for_each(drop);
    })?;
    Ok(Arc::new(Mutex::new(lines)))
}

/// The value of a function that the kit has, too.
fn compute_value(request: &Value) -> Result<Value, String> {
    let part = |name: &str| request.get(name);
    if let Some(declaration) = part("declare") {
        return resolve_alone(declaration);
    }
    let computed = match (part("identify"), part("canonical"), part("compose")) {
        (Some(Value::Object(context)), _, _) => identify_context(context).map(Value::from),
        (_, Some(value), _) => canonical_json(value).map(Value::from),
        (_, _, Some(composition)) => compose_verdicts(composition)?,
        _ => {
            let known = "`load`, `run`, `identify`, `canonical`, `compose` and `declare`";
            return Err(format!("a line has none of {known}"));
        }
    };
    Ok(computed.map_or_else(|fault| json!({"error": fault.error.reason()}), |value| json!({ "value": value })))
}

fn compose_verdicts(composition: &Value) -> Result<Result<Value, HostFault>, String> {
    let rule = CompositionRule::parse(composition.get("rule").unwrap_or(&Value::Null))?;
    let verdicts = composition.get("verdicts").and_then(Value::as_array).into_iter().flatten();
    Ok(verdicts.map(InterceptorVerdict::parse).collect::<Result<Vec<_>, _>>().map(|verdicts| {
        let composed = compose(rule, &verdicts);
        json!({
            "combined": composed.verdict,
            "decided_by": composed.decided_by,
            "consult": composed.verdict.is_liftable(),
            "apply_transform": composed.is_unapplied,
        })
    }))
}

/// Runs one session of the agent loop: the kit's scenario under its interceptors.
fn run_session(run: LoadedRun) -> Result<Value, String> {
    let LoadedRun { settings, scenario, peer, max_records } = run;
    let stage = Arc::new(KitStage::new(scenario));
    let asked = Arc::new(AskedInterceptors {
        settings,
        peer,
        facts: ContextFacts { framework: FRAMEWORK.to_owned(), tools: stage.tool_names() },
        next_sequence: AtomicU64::new(0),
        max_records,
        records: Mutex::default(),
    });
    let hooks = chain(FRAMEWORK, Layer::User, point_events().map(|event| asked.to_hook(event)));
    let runtime = Runtime::builder().chain(hooks).skip_worker_probe().build().map_err(|error| error.to_string())?;
    let spec = AgentSpec { name: FRAMEWORK.to_owned(), ..AgentSpec::default() };
    let builder = Session::builder(runtime, spec, Arc::clone(&stage) as _).name("ctk");
    let builder = stage.tools().into_iter().fold(builder, |builder, tool| builder.tool(tool));
    let mut session = builder.build().map_err(|error| error.to_string())?;
    let result = session.turn(&stage.input());
    session.end();
    let (outcome, output, error) = match &result {
        Ok(answer) => ("completed", json!(answer.text), Value::Null),
        Err(error) => (if error.is_denied() { "blocked" } else { "error" }, Value::Null, json!(error.to_string())),
    };
    Ok(json!({
        "outcome": outcome,
        "final_output": output,
        "error": error,
        "tool_invocations": stage.invocations(),
        "records": std::mem::take(&mut *asked.records.lock()),
    }))
}

/// The interceptors of a session, and the records of what they decided.
#[derive(Debug)]
struct AskedInterceptors {
    settings: EmitterSettings,
    peer: KitPeer,
    facts: ContextFacts,
    next_sequence: AtomicU64,
    /// How many records are kept; `None` is all.
    max_records: Option<usize>,
    records: Mutex<VecDeque<Value>>,
}

impl AskedInterceptors {
    /// The hook that they are for an event.
    fn to_hook(self: &Arc<Self>, event: EventKind) -> Hook {
        let asked = Arc::clone(self);
        let handler = NativeHandler::new("agent-hooks", move |call| {
            let at = || (asked.next_sequence.fetch_add(1, Ordering::Relaxed), SystemClock::default().unix_ms());
            let (verdict, record) = intercept_event(&asked.settings, &asked.peer, &asked.facts, call.event, at);
            let mut records = asked.records.lock();
            records.extend(record);
            if asked.max_records.is_some_and(|most| records.len() > most) {
                records.pop_front();
            }
            verdict
        });
        Hook { on_failure: FailurePolicy::Closed, ..hook_of("agent-hooks", event.into(), handler) }
    }
}
