//! Handles one call of a host: from its payload to the response.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pintle_host::contract::{PayloadError, read_payload};
use pintle_host::loader::PolicyPaths;
use pintle_host::tape::proof::MachineSigner;
use pintle_host::{
    ApprovalRequest, ApprovalResponse, Approver, Clock, EventKind, EventScope, LoadedRuntime, Origin, RuntimeBuilder,
    Severity, SystemClock,
};
use serde_json::{Value, json};

use crate::canary::{CallWatch, Canary, CanaryHooks, report_decision};
use crate::conversation::{HostConversation, may_look_back, transcript_path};
use crate::dispatch::HostDispatch;
use crate::fit_to_host::fit_to_host;
use crate::session::{
    EndedWork, HOST_NOTE, HostSession, HostSessionState, KeptSessions, ScriptStateCopy, TrackedState, decision_note,
    host_folder, mark_fired, peek_state, session_error_text,
};
use crate::shared_call::{CallDecider, CallingEntry, share_decision};
use crate::{Deadline, HostDecision, HostDef, HostEventData, HostEventDef, HostResponse, ResponseContext};

/// How long a call waits for the file of a witness, which may be on another machine.
const WITNESS_PATIENCE: Duration = Duration::from_millis(200);

/// One call of a host.
#[derive(Debug)]
pub struct HostCall<'a> {
    /// The host.
    pub host: &'static HostDef,
    /// The event that the command line names. A payload of another event is denied.
    pub event: Option<&'static HostEventDef>,
    /// The payload as the host sent it.
    pub payload: &'a Arc<Vec<u8>>,
    /// The state directory for sessions. Without one nothing is stored or recorded.
    pub state_directory: Option<&'a Path>,
    /// The project's directory, from the host's environment.
    pub project: Option<PathBuf>,
    /// Whether hooks only run and record, and nothing is enforced.
    pub shadow: bool,
    /// The deadline for the response.
    pub deadline: &'a Deadline,
    /// The installed entry that reports the call. Without one, the call is decided even if another entry reports it.
    pub entry: Option<&'a CallingEntry>,
    /// The sessions of earlier calls of this process, if it handles many.
    pub kept_sessions: Option<&'a Arc<KeptSessions>>,
    /// Who signs the checkpoints of tapes. Without one there are none.
    pub signer: Option<&'a Arc<MachineSigner>>,
}

/// The place where hooks are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookLookup {
    /// The project's directory.
    pub project: PathBuf,
    /// The dialect whose hooks the host runs itself.
    pub excluded_dialect: Option<&'static str>,
}

/// A call that was decided.
#[derive(Debug)]
pub struct HandledCall {
    /// The host that sent the payload, which may be another one than runs the command.
    pub host: &'static HostDef,
    /// The event.
    pub event_def: &'static HostEventDef,
    /// The decision as the host enforces it.
    pub decision: HostDecision,
    /// The response to the host.
    pub response: HostResponse,
    /// The runtime with the hooks; `None` if the call was decided without them.
    pub built: Option<LoadedRuntime>,
    /// The session that the call belongs to, if it was decided with what earlier calls left there.
    pub known_session: Option<String>,
}

/// The decision of the hooks, before it is fitted to the host.
struct DecidedCall {
    decision: HostDecision,
    built: Option<LoadedRuntime>,
    known_session: Option<String>,
}

/// Whether a call is enforced, or only its decision is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallPurpose {
    Enforce,
    Preview,
}

/// Handles one call of a host. Never fails: an error denies a guarded event, and becomes a notice otherwise. `hooks`
/// starts a runtime with the hooks of a place, or returns why it cannot.
pub fn handle_call(
    host_call: &HostCall<'_>,
    hooks: impl FnOnce(&HookLookup) -> Result<RuntimeBuilder, Box<dyn Error>>,
) -> HostResponse {
    decide_and_respond(host_call, CallPurpose::Enforce, hooks).map_or_else(|response| response, |call| call.response)
}

/// Decides on a call as [`handle_call`] does, for a user who wants to see the decision. Nothing is stored. A session that is
/// known here counts with its present counters and denials; any other is a new one. If the working directory in the payload
/// does not exist here, it is the project's.
///
/// # Errors
/// With the response, if the event is not known.
pub fn preview_call(
    call: &HostCall<'_>,
    hooks: impl FnOnce(&HookLookup) -> Result<RuntimeBuilder, Box<dyn Error>>,
) -> Result<HandledCall, HostResponse> {
    decide_and_respond(call, CallPurpose::Preview, hooks)
}

fn decide_and_respond(
    call: &HostCall<'_>,
    purpose: CallPurpose,
    hooks: impl FnOnce(&HookLookup) -> Result<RuntimeBuilder, Box<dyn Error>>,
) -> Result<HandledCall, HostResponse> {
    let payload = parse_payload(call.payload);
    let (Ok(read) | Err((read, _))) = &payload;
    let named = (call.host.event_name)(read);
    let said = named.and_then(|name| call.host.find_event(name));
    let Some(def) = choose_event(call.event, said) else {
        let error = payload.as_ref().err().map(|(_, error)| error);
        return Err(respond_to_unknown_event(call.host, named, error));
    };
    // The payload of another host is read and answered in that host's format.
    let sender = call.host.sender.and_then(|sender| sender(read));
    let (host, def) = sender.and_then(|host| Some((host, host.find_event(def.name)?))).unwrap_or((call.host, def));
    call.deadline.set_event(host, def);
    let heard = match &payload {
        Err((_, error)) => Err(format!("cannot read the payload from {}: {error}", call.host.title)),
        Ok(_) if has_event_conflict(call.event, said) => Err(event_conflict_text(call, named)),
        // Hooks may run third-party code, and the bridge may have defects.
        Ok(payload) => catch_unwind(AssertUnwindSafe(|| match Canary::from_payload(payload) {
            Some(canary) => decide_canary(&canary, call, (host, def), payload, hooks),
            None => decide(call, purpose, (host, def), payload, hooks),
        }))
        .unwrap_or_else(|_| Err(String::from("`pintle hook` crashed; this is a defect in Pintle"))),
    };
    let (decision, built, known_session) = match heard {
        Ok(DecidedCall { built, known_session, .. }) if call.deadline.is_over() && def.is_guard => {
            (HostDecision::deny(call.deadline.reason()), built, known_session)
        }
        Ok(DecidedCall { decision, built, known_session }) => (decision, built, known_session),
        Err(reason) if def.is_guard => (HostDecision::deny(format!("pintle: {reason}")), None, None),
        Err(reason) => {
            (HostDecision { notices: vec![format!("pintle: {reason}")], ..HostDecision::pass() }, None, None)
        }
    };
    let decision = fit_to_host(decision, def.support);
    let response = (def.write_response)(&ResponseContext { event_def: def, payload: read }, &decision);
    Ok(HandledCall { host, event_def: def, decision, response, built, known_session })
}

/// Reads a payload. A payload with a duplicate key is an error, but is read anyway to find the name of its event.
fn parse_payload(bytes: &[u8]) -> Result<Value, (Value, PayloadError)> {
    read_payload(bytes).map_err(|error| {
        let value = match error {
            PayloadError::NotJson(_) => serde_json::from_slice(bytes).unwrap_or_default(),
            PayloadError::TooLong | PayloadError::TooMany => Value::Null,
        };
        (value, error)
    })
}

/// The event to answer. If the command line and the payload disagree, it is the one that can be denied.
fn choose_event(
    named: Option<&'static HostEventDef>,
    in_payload: Option<&'static HostEventDef>,
) -> Option<&'static HostEventDef> {
    match (named, in_payload) {
        (Some(named), Some(in_payload)) if in_payload.is_guard && !named.is_guard => Some(in_payload),
        (Some(named), _) => Some(named),
        (None, in_payload) => in_payload,
    }
}

fn has_event_conflict(named: Option<&HostEventDef>, in_payload: Option<&HostEventDef>) -> bool {
    matches!((named, in_payload), (Some(named), Some(in_payload)) if named.name != in_payload.name)
}

/// The error for a payload of another event than the command line names.
fn event_conflict_text(call: &HostCall<'_>, named: Option<&str>) -> String {
    let given = call.event.map_or("", |def| def.name);
    let (title, said) = (call.host.title, named.unwrap_or_default());
    let told = format!("{title} sent a payload of `{said}` to the hook of `{given}`");
    format!("{told}; run `pintle install {}` again, or remove the event from the command", call.host.name)
}

/// The response to an event that is not known to be one of the host's.
fn respond_to_unknown_event(host: &HostDef, named: Option<&str>, error: Option<&PayloadError>) -> HostResponse {
    match (named, error) {
        // Hosts introduce new events, and an unknown event does not guard anything.
        (Some(_), _) => HostResponse::empty(),
        (None, Some(error)) => {
            let text = format!("pintle: cannot read the payload from {}: {error}", host.title);
            HostResponse::empty().with_stderr(&text).with_exit_code(2)
        }
        (None, None) => {
            let text = format!(
                "pintle: the payload from {} does not name its event; pass the event as an argument",
                host.title
            );
            HostResponse::empty().with_stderr(&text).with_exit_code(2)
        }
    }
}

/// Decides on a test call of `pintle doctor`. Nothing is stored.
fn decide_canary(
    canary: &Canary,
    call: &HostCall<'_>,
    (host, def): (&'static HostDef, &'static HostEventDef),
    payload: &Value,
    hooks: impl FnOnce(&HookLookup) -> Result<RuntimeBuilder, Box<dyn Error>>,
) -> Result<DecidedCall, String> {
    let decision = match canary.fixed_decision() {
        Some(decision) => decision,
        None if *canary == Canary::ListHooks => {
            let project = call.project.clone().filter(|dir| dir.is_dir()).or_else(|| std::env::current_dir().ok());
            let place = HookLookup { project: project.unwrap_or_default(), excluded_dialect: call.host.dialect };
            let builder = hooks(&place).map_err(|error| error.to_string())?;
            report_decision(&CanaryHooks::from_runtime(&builder.known_scripts(None).load()))
        }
        None => {
            let watch = Arc::new(CallWatch::default());
            let hooks = |place: &HookLookup| Ok(hooks(place)?.journal(watch.clone()));
            let decided = decide(call, CallPurpose::Preview, (host, def), payload, hooks)?;
            report_decision(&watch.take_verdict(decided.decision))
        }
    };
    Ok(DecidedCall { decision, built: None, known_session: None })
}

/// Reads a payload, and runs the hooks.
fn decide(
    call: &HostCall<'_>,
    purpose: CallPurpose,
    (host, def): (&'static HostDef, &'static HostEventDef),
    payload: &Value,
    hooks: impl FnOnce(&HookLookup) -> Result<RuntimeBuilder, Box<dyn Error>>,
) -> Result<DecidedCall, String> {
    let mut told =
        def.read(payload).map_err(|error| format!("cannot read the payload from {}: {error}", host.title))?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let now_ms = clock.unix_ms();
    let is_stored = purpose == CallPurpose::Enforce;
    let whose_cwd = Some(told.context.cwd.as_str()).filter(|cwd| !cwd.is_empty()).map(PathBuf::from);
    let whose_cwd = whose_cwd.filter(|cwd| is_stored || cwd.is_dir());
    let whose_cwd = whose_cwd.or_else(|| call.project.clone().filter(|_| !is_stored));
    let cwd = whose_cwd.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let known_project = call.project.clone().filter(|dir| dir.is_dir());
    let first_project = known_project.as_ref().unwrap_or(&cwd);
    let dir = call.state_directory.map(|directory| host_folder(directory, host.name));
    let shared = match dir.as_deref().filter(|_| is_stored).and_then(|dir| CallDecider::find(call, def, dir)) {
        Some(CallDecider::Other(decision)) => {
            return Ok(DecidedCall { decision: *decision, built: None, known_session: None });
        }
        Some(CallDecider::This(shared)) => Some(shared),
        None => None,
    };
    let cannot_open = |error| session_error_text("cannot open the session", &error, host, &told);
    let (mut session, known) = match &dir {
        Some(dir) if is_stored => {
            let kept = call.kept_sessions.cloned();
            let begun = HostSession::begin(dir, &told, first_project, &clock, call.deadline.remaining(), kept);
            mark_fired(dir, def.name, now_ms, call.kept_sessions.map(|kept| &**kept));
            (Some(begun.map_err(cannot_open)?), None)
        }
        Some(dir) => (None, peek_state(dir, &told.context.session).map_err(|error| cannot_open(error.into()))?),
        None => (None, None),
    };
    let is_known = known.is_some();
    let mut unkept = known.unwrap_or_default();
    unkept.begin_call(&told.data, first_project, now_ms);
    let state = session.as_ref().map_or(&unkept, |session| &session.state);
    // The project is the one in the host's environment, otherwise the one in which the session started.
    let project = known_project.unwrap_or_else(|| PathBuf::from(&state.project));
    let place = HookLookup { project: project.clone(), excluded_dialect: call.host.dialect };
    let mut builder = hooks(&place).map_err(|error| error.to_string())?;
    builder = builder.initial_guards(state.session_guards.clone()).keeps_declared(may_look_back);
    builder = match &session {
        Some(session) => builder.tape(session.tape()).script_state(session.script_state()),
        None if is_known => builder.script_state(Arc::new(ScriptStateCopy::new(state))),
        None => builder,
    };
    let built = builder.clock(Arc::clone(&clock)).shadow(call.shadow).approver(Arc::new(DeferToHost)).load();
    // What hooks decide by must not be the agent's to write.
    let transcript =
        transcript_path(&told).filter(|_| built.declarations().any(|declared| may_look_back(&declared.handler)));
    let policy = built.policy.clone().with_machine_policy(call.state_directory, &project).with_paths(transcript);
    let paths = PolicyPaths::new(&policy, &project, &cwd);
    if let Some(session) = &mut session {
        let kept = session.update_guards(&built.projects);
        kept.map_err(|error| session_error_text("cannot save the session", &error, host, &told))?;
    }
    let broken = load_failure(&built);
    let known = session.as_mut().map_or(&mut unkept, |session| &mut session.state);
    let mut state = TrackedState::new(known.clone(), built.runtime.redactor().cloned());
    let conversation = Arc::new(HostConversation::new(host, &told, known));
    let scope =
        EventScope { cancel: call.deadline.cancel(), conversation: Some(conversation), ..EventScope::default() };
    let mut notices: Vec<String> =
        built.projects.iter().filter_map(pintle_host::loader::ProjectTrust::user_notice).collect();
    // A notice for the whole session is shown once.
    notices.iter().for_each(|notice| state.send_notice_once("notices", notice));
    let tool_call = || match &told.data {
        HostEventData::BeforeTool(call) => json!({"name": call.name, "args": call.input}),
        _ => json!({}),
    };
    let mut unfired_call = None;
    let mut ruling = match (broken, standing_denial(&state, def, &told.data)) {
        (Some(reason), _) | (None, Some(reason)) if def.is_guard => {
            unfired_call = Some(tool_call());
            HostDecision::deny(reason)
        }
        (broken, _) => {
            notices.extend(broken);
            let whose = &told.context;
            let dispatch = HostDispatch {
                host,
                event_def: def,
                event_context: whose,
                payload,
                runtime: &built.runtime,
                scope: &scope,
                origin: Arc::new(Origin {
                    session: whose.session.clone(),
                    turn: state.turn,
                    agent: if whose.agent.is_empty() { String::from("root") } else { whose.agent.clone() },
                    depth: u32::from(!whose.run.is_empty()),
                    run: whose.run.clone(),
                    deny_continues: def.deny_continues(),
                    cwd: cwd.display().to_string(),
                    sent: Some(Arc::clone(call.payload)),
                    ..Origin::default()
                }),
                state: &mut state,
                now_ms,
                paths: &paths,
                state_directory: call.state_directory,
                shadow: call.shadow,
                decision: HostDecision::pass(),
            };
            dispatch.fire_all(&mut told.data)
        }
    };
    notices.append(&mut ruling.notices);
    ruling.notices = notices;
    if let HostEventData::Prompt { text, .. } = &told.data {
        state.keep_prompt(text);
    }
    state.add_logs(scope.logs.take_lines().into_iter().map(pintle_host::event::LogLine::from).collect());
    let conclude = |stored: &mut HostSessionState| {
        // Another call may have denied the session, or stopped the turn, while this one was running.
        if let Some(reason) = standing_denial(stored, def, &told.data).filter(|_| !ruling.is_denied()) {
            ruling = HostDecision { notices: std::mem::take(&mut ruling.notices), ..HostDecision::deny(reason) };
        }
        state.settle(stored, &mut ruling);
        if let Some(tape) = built.runtime.tape() {
            tape.record_note(HOST_NOTE, decision_note(host, def, &ruling, unfired_call.take()));
        }
    };
    match session {
        None => conclude(&mut unkept),
        Some(session) => {
            let ended = match def.fires {
                fires if fires.contains(&EventKind::SessionEnd) => EndedWork::Session,
                fires if fires.contains(&EventKind::TurnEnd) => EndedWork::Turn,
                _ => EndedWork::Call,
            };
            session
                .finish(ended, call.signer, conclude)
                .map_err(|error| session_error_text("cannot save the session", &error, host, &told))?;
            let patience = WITNESS_PATIENCE.min(call.deadline.remaining() / 2);
            ruling.notices.extend(call.signer.iter().flat_map(|signer| signer.flush_witness(patience)));
        }
    }
    if let Some(shared) = shared {
        // Without the decision, the other entries decide themselves.
        let _ = share_decision(shared, &ruling, &told, built.runtime.redactor().map(|redactor| &**redactor));
    }
    Ok(DecidedCall { decision: ruling, built: Some(built), known_session: is_known.then_some(told.context.session) })
}

/// The reason why the hooks are incomplete: a declared hook did not load, and it may be a guard.
fn load_failure(built: &LoadedRuntime) -> Option<String> {
    let found = built.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
    let place = found.location.path().map(|path| format!("{}: ", path.display()));
    let place = place.unwrap_or_default();
    Some(format!("pintle: a hook does not load ({place}{}); run `pintle validate` for details", found.message))
}

/// The reason why everything is denied after a hook denied the session or ended the turn.
fn standing_denial(state: &HostSessionState, def: &HostEventDef, data: &HostEventData) -> Option<String> {
    if !def.is_guard {
        return None;
    }
    let stopped = state.turn_stop_reason.as_ref().filter(|_| matches!(data, HostEventData::BeforeTool(_)));
    state.session_denial.as_ref().or(stopped).cloned()
}

/// Leaves approval requests to the host.
#[derive(Debug)]
struct DeferToHost;

impl Approver for DeferToHost {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        ApprovalResponse::Deferred
    }
}
