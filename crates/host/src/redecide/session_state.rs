//! Fires recorded events at a set of hooks, and keeps what their scripts keep from one event to the next.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, CallReads, EffectCaller, EffectError, EffectReply, EffectRequest,
    EffectRunner, Event, EventCause, EventName, Origin, Outcome, Payload,
};
use pintle_engine::{DispatchContext, HookSet, dispatch};
use pintle_files::normalize_path;
use pintle_lifecycle::PathResolver;
use pintle_tools::{PartSite, calls_of, effects_of_parts};
use serde_json::Value;

use super::policy_hooks::{PolicyHooks, PolicyJournal};
use crate::clock::FrozenClock;
use crate::effects::{clean, local::answer_local};
use crate::state::RunState;
use crate::{EventScope, RecheckMemory, payload_gate};

/// An effect request of a recorded hook, with its reply.
pub(super) type RecordedEffect = (EffectRequest, Result<EffectReply, EffectError>);

/// What the hooks of a set keep while the events of one session are fired at them.
#[derive(Debug)]
pub(super) struct PolicySession<'h> {
    hooks: &'h PolicyHooks<'h>,
    /// The project, for calls that do not say it.
    project: Option<&'h Path>,
    run_state: RunState,
    scope: EventScope,
    turn: u32,
}

/// A recorded event.
#[derive(Debug)]
pub(super) struct TapeEvent {
    pub(super) at_ms: u64,
    pub(super) name: EventName,
    pub(super) payload: Payload,
    pub(super) origin: Arc<Origin>,
}

/// What the events about one thing share.
#[derive(Debug)]
pub(super) struct ThingContext<'t> {
    pub(super) journal: PolicyJournal,
    pub(super) memory: RecheckMemory,
    pub(super) recorded: &'t [RecordedEffect],
}

impl<'t> ThingContext<'t> {
    pub(super) fn new(recorded: &'t [RecordedEffect]) -> Self {
        Self { journal: PolicyJournal::default(), memory: RecheckMemory::default(), recorded }
    }
}

impl<'h> PolicySession<'h> {
    pub(super) fn new(hooks: &'h PolicyHooks<'h>, project: Option<&'h Path>) -> Self {
        Self { hooks, project, run_state: RunState::default(), scope: EventScope::default(), turn: 0 }
    }

    /// The hooks that hear an event of this origin.
    pub(super) fn begin_event(&mut self, origin: &Origin) -> Arc<HookSet> {
        if origin.turn != self.turn {
            self.turn = origin.turn;
            self.scope.clear();
        }
        self.hooks.hooks_for_agent(&origin.agent)
    }

    /// Fires an event; `None` if no hook listens to it.
    pub(super) fn fire(&self, set: &HookSet, event: &TapeEvent, context: &ThingContext<'_>) -> Option<Outcome> {
        let listens = set.has_hooks_for(&event.name);
        let fired = Event::new(event.name.clone(), event.payload.clone(), Arc::clone(&event.origin));
        if let Some(refused) = payload_gate::refuse(&fired) {
            return Some(refused);
        }
        let fired = listens.then(|| self.complete(set, fired, &context.journal))?;
        let effects = ReplayedEffects { session: self, set, at_ms: event.at_ms, event: &fired, depth: 0, context };
        Some(effects.dispatch(&fired))
    }

    /// The event with what its hooks read of a call and the recorded hooks did not. It is worked out from the call itself:
    /// files may have changed since.
    fn complete(&self, set: &HookSet, event: Event, journal: &PolicyJournal) -> Event {
        let reads = set.call_reads().select(event.name.kind());
        let lacks = |name: &str| event.payload.field(name).is_none();
        let reads = CallReads {
            paths: reads.paths && lacks("paths"),
            operations: reads.operations && lacks("operations"),
            commands: reads.commands && lacks("commands"),
        };
        if reads == CallReads::default() || !event.name.def().is_about_tool_call() {
            return event;
        }
        if reads.commands && !lacks("code_files") {
            journal.note_missing_code();
        }
        let text = |name: &str| event.payload.field(name).and_then(Value::as_str);
        let cwd = text("cwd").unwrap_or(&event.origin.cwd).to_owned();
        let project = text("project").map(PathBuf::from).or_else(|| self.project.map(Path::to_owned));
        let project = project.unwrap_or_else(|| PathBuf::from(&cwd));
        let name = text("name").unwrap_or_default();
        let parts = calls_of(&event.payload);
        let mut fields = event.payload.value().clone();
        let Value::Object(object) = &mut fields else { return event };
        let mut insert = |name: &str, value: Result<Value, serde_json::Error>| {
            if let Ok(value) = value {
                object.entry(name).or_insert(value);
            }
        };
        let cwd = Path::new(&cwd);
        if reads.paths {
            let resolver = PathResolver { project: project.clone(), resolve: normalize_path, reads: set.call_reads() };
            insert("paths", serde_json::to_value(resolver.paths_of(parts, cwd)));
        }
        let site = PartSite { cwd, project: &project, resolve: &normalize_path, files: None };
        if reads.operations || reads.commands {
            let found = effects_of_parts(name, parts, &site, reads);
            if reads.operations {
                insert("operations", serde_json::to_value(found.operations));
            }
            if reads.commands {
                insert("commands", serde_json::to_value(found.commands));
            }
        }
        insert("project", serde_json::to_value(project.display().to_string()));
        event.with_payload(Payload::new(fields))
    }
}

/// Replies to effect requests without doing anything: from the state of the session, from the tape, or with an error that
/// makes the answer incomplete.
#[derive(Debug)]
struct ReplayedEffects<'a> {
    session: &'a PolicySession<'a>,
    set: &'a HookSet,
    at_ms: u64,
    event: &'a Event,
    /// The number of events that led to this one.
    depth: u32,
    context: &'a ThingContext<'a>,
}

impl ReplayedEffects<'_> {
    fn dispatch(&self, event: &Event) -> Outcome {
        let context = DispatchContext {
            journal: &self.context.journal,
            clock: &FrozenClock,
            effects: self,
            approver: &OpenAsks,
            cancel: &self.session.scope.cancel,
            shadow: false,
            cause: EventCause { depth: self.depth, ..EventCause::default() },
            memory: (self.depth == 0).then_some(&self.context.memory as &dyn pintle_contract::CallMemory),
        };
        dispatch(self.set, event, &context)
    }

    fn emit(&self, event: &str, payload: Value) -> Result<EffectReply, EffectError> {
        let name = EventName::parse(event).ok().filter(|_| event.starts_with("custom."));
        let (Some(name), true) = (name, self.depth < EventCause::MAX_DEPTH) else {
            return Err(EffectError(format!("emit: `{event}` cannot be emitted here")));
        };
        let event = Event::new(name, payload, Arc::clone(&self.event.origin));
        let nested = ReplayedEffects { event: &event, depth: self.depth + 1, ..*self };
        let outcome = nested.dispatch(&event);
        match outcome.is_allowed() {
            true => Ok(EffectReply::Value(outcome.payload.into_value())),
            false => Err(EffectError(format!("emit: blocked: {}", outcome.reason_for_model()))),
        }
    }

    /// The reply to a request that leaves the program, if the recorded hooks made the same one.
    fn recorded_reply(&self, request: &EffectRequest) -> Option<Result<EffectReply, EffectError>> {
        let recorded = |request: &EffectRequest| {
            self.context.recorded.iter().find(|(known, _)| known == request).map(|(_, reply)| reply.clone())
        };
        clean::redact_request(request).map_or_else(|| recorded(request), |redacted| recorded(&redacted))
    }
}

impl EffectRunner for ReplayedEffects<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let missing = match &request {
            EffectRequest::Now => return Ok(EffectReply::Int(i64::try_from(self.at_ms).unwrap_or(i64::MAX))),
            EffectRequest::Sleep { .. } => return Ok(EffectReply::Done),
            EffectRequest::Session { function, .. } if function == "inject_reminder" => return Ok(EffectReply::Done),
            EffectRequest::Emit { .. } => {
                let EffectRequest::Emit { event, payload } = request else { return Ok(EffectReply::Absent) };
                return self.emit(&event, payload);
            }
            EffectRequest::Http { .. } => "the network",
            EffectRequest::Random { .. } | EffectRequest::Uuid => "random numbers",
            EffectRequest::Fs { .. } => "files",
            EffectRequest::CallTool { .. } => "a tool",
            EffectRequest::Exec { .. } => "a program",
            EffectRequest::Meta { .. } | EffectRequest::Session { .. } | EffectRequest::Host { .. } => "the agent",
            _ => return Ok(answer_local(&self.session.run_state, &self.session.scope, caller, request)),
        };
        if let Some(reply) = self.recorded_reply(&request) {
            return reply;
        }
        self.context.journal.add_gap(caller.name, format!("needs {missing}, and the tape has no reply to its request"));
        Err(EffectError(format!("{missing} cannot be had when a recorded call is decided again")))
    }
}

/// Leaves asks open, so that the outcome says that the user would be asked.
#[derive(Debug)]
struct OpenAsks;

impl Approver for OpenAsks {
    fn request_approval(&self, _request: &ApprovalRequest<'_>) -> ApprovalResponse {
        ApprovalResponse::Deferred
    }
}
