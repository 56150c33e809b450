//! Builds a hook and calls it.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::Arc;

use pintle_contract::{
    BuiltHandler, CallId, CallLimits, CancelToken, Codec, CommandOutput, CommandSpec, DenyEffect, DispatchId,
    EnforcementMode, Event, EventName, Failure, FailurePolicy, Handler, HandlerFactory, HandlerOutput, HandlerSpec,
    Hook, HookCall, HookDeclaration, Location, NoEffects, Origin, Profile, Verdict, VerdictKind,
};
use pintle_handlers::{DefaultHandlerFactory, WorkerProgram};
use pintle_testkit::hook;
use serde_json::{Value, json};

/// A dialect that returns a program's output as the reason of an allow.
#[derive(Debug)]
pub(crate) struct OutputCodec;

impl Codec for OutputCodec {
    fn dialect(&self) -> &'static str {
        "telling"
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        Some(json!({"event": event_alias, "session": event.origin.session, "payload": event.payload.value()}))
    }

    fn decode(&self, _event: &Event, _event_alias: &str, answer: HandlerOutput) -> Verdict {
        match answer {
            HandlerOutput::Process(answer) => Verdict::allow(describe_output(&answer)),
            other => Verdict::deny(format!("no process: {other:?}")),
        }
    }
}

/// A one-line description of a program's output.
pub(crate) fn describe_output(answer: &CommandOutput) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    let cut = |cut: bool| if cut { " cut" } else { "" };
    let end = match (answer.exit_code, answer.signal) {
        (Some(code), _) => format!("exit {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    };
    let (stdout, stderr) = (text(&answer.stdout), text(&answer.stderr));
    format!("{end}{}{}|{stdout}|{stderr}", cut(answer.stdout_cut), cut(answer.stderr_cut))
}

/// A factory with an existing worker program, so that programs are started by launchers.
pub(crate) fn test_factory() -> DefaultHandlerFactory {
    DefaultHandlerFactory::new(WorkerProgram {
        program: env!("CARGO_BIN_EXE_pintle-script-worker").into(),
        arguments: Vec::new(),
    })
}

pub(crate) fn shell_command(text: &str) -> CommandSpec {
    CommandSpec { command: text.to_owned(), ..CommandSpec::default() }
}

pub(crate) fn command_declaration(event: &str, spec: CommandSpec) -> HookDeclaration {
    HookDeclaration {
        name: String::from("hook"),
        event: EventName::parse(event).expect("the event is in the catalogue"),
        event_alias: Arc::from(event),
        priority: 0,
        matcher: None,
        handler: HandlerSpec::Command(spec),
        on_error: None,
        default_on_error: FailurePolicy::Open,
        on_deny: DenyEffect::default(),
        profile: Profile::ParallelStrictest,
        definition: None,
        mode: EnforcementMode::Enforce,
        timeout_ms: None,
        background: false,
        files: Vec::new(),
        tools: Vec::new(),
        source_trust: pintle_contract::SourceTrust::default(),
        examples: Vec::new(),
        location: Location::default(),
        codec: Arc::new(OutputCodec),
    }
}

pub(crate) fn build_handler(spec: CommandSpec) -> BuiltHandler {
    test_factory().build_handler(&command_declaration("tool.pre", spec))
}

pub(crate) fn command_handler(spec: CommandSpec) -> Arc<dyn Handler> {
    build_handler(spec).handler.expect("the hook builds")
}

/// A hook with the inputs of its call.
pub(crate) struct CommandFixture {
    pub(crate) hook: Hook,
    pub(crate) event: Event,
    pub(crate) cancel: CancelToken,
}

impl CommandFixture {
    pub(crate) fn new(spec: CommandSpec) -> Self {
        Self::from_handler(command_handler(spec))
    }

    pub(crate) fn from_handler(handler: Arc<dyn Handler>) -> Self {
        let name = EventName::parse("tool.pre").expect("the event is in the catalogue");
        let mut hook = hook("hook", name.clone(), handler);
        hook.limits = CallLimits { timeout_ms: 60_000, ..CallLimits::default() };
        // Guards wait for each other, and tests run at once.
        hook.guard = false;
        let event = Event::new(name, json!({"name": "shell"}), Arc::new(Origin::default()));
        Self { hook, event, cancel: CancelToken::default() }
    }

    pub(crate) fn with_timeout(mut self, timeout_ms: u64) -> Self {
        self.hook.limits.timeout_ms = timeout_ms;
        self
    }

    pub(crate) fn call_hook(&self) -> Verdict {
        self.hook.handler.call(&HookCall {
            dispatch: DispatchId(1),
            id: CallId(1),
            depth: 0,
            hook: &self.hook,
            layer: pintle_contract::Layer::Project,
            event: &self.event,
            limits: &self.hook.limits,
            effects: &NoEffects,
            cancel: &self.cancel,
        })
    }

    /// The output of the program.
    pub(crate) fn call_output(&self) -> String {
        match self.call_hook().kind {
            VerdictKind::Allow { reason } => reason,
            other => format!("{other:?}"),
        }
    }

    /// The failure of the call.
    pub(crate) fn call_failure(&self) -> Failure {
        match self.call_hook().kind {
            VerdictKind::Failed(failure) => failure,
            other => panic!("the hook answered: {other:?}"),
        }
    }
}
