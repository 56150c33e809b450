//! Tests for all built-ins, with separate files for those that add context and those that change results.

mod context;
mod results;

use std::path::Path;
use std::sync::Arc;

use pintle_contract::{
    CallId, CallLimits, CancelToken, Codec, DenyEffect, DispatchId, EnforcementMode, Event, EventName, FailurePolicy,
    HandlerOutput, HandlerSpec, Hook, HookCall, Layer, Location, Origin, Profile, Severity, VerdictKind,
};
use pintle_testkit::{InMemoryEffects, hook};
use serde_json::{Value, json};

use super::*;
use crate::native::NoopHandler;

/// A codec whose handlers get the canonical payload.
#[derive(Debug)]
struct CanonicalCodec;

impl Codec for CanonicalCodec {
    fn dialect(&self) -> &'static str {
        "plain"
    }

    fn encode(&self, _event: &Event, _event_alias: &str) -> Option<Value> {
        None
    }

    fn decode(&self, _event: &Event, _event_alias: &str, _answer: HandlerOutput) -> Verdict {
        unreachable!("built-ins answer verdicts")
    }
}

/// An event for calling built-ins.
pub(super) struct BuiltinFixture {
    event: Event,
    spec: BuiltinSpec,
    state: Arc<BuiltinState>,
}

impl BuiltinFixture {
    pub(super) fn new(event: &str, payload: Value) -> Self {
        let event = Event::new(EventName::parse(event).unwrap(), payload, Arc::new(Origin::default()));
        Self { event, spec: BuiltinSpec::default(), state: Arc::default() }
    }

    /// The same event in a directory and a session.
    pub(super) fn in_directory(self, directory: &Path, session: &str) -> Self {
        let (cwd, session) = (directory.to_str().unwrap().to_owned(), session.to_owned());
        let origin = Arc::new(Origin { cwd, session, ..Origin::default() });
        Self { event: Event { origin, ..self.event }, ..self }
    }

    /// The same event in a runtime with this state.
    pub(super) fn with_state(self, state: &Arc<BuiltinState>) -> Self {
        Self { state: Arc::clone(state), ..self }
    }

    /// The same event with a redactor.
    pub(super) fn with_redactor(self) -> Self {
        let spec = BuiltinSpec { name: String::from("redact_secrets"), ..BuiltinSpec::default() };
        let built = build(&test_declaration(&self.event.name, spec.clone()), &spec, &self.state);
        assert!(built.handler.is_some() && self.state.redactor.get().is_some());
        self
    }

    /// The same event with variables and a directory of the hook.
    pub(super) fn with_environment(self, environment: &[(&str, &str)], directory: Option<&str>) -> Self {
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let spec = BuiltinSpec { environment, directory: directory.map(str::to_owned), ..self.spec };
        Self { spec, ..self }
    }

    /// The payload of the event.
    pub(super) fn payload(&self) -> &pintle_contract::Payload {
        &self.event.payload
    }

    pub(super) fn call_builtin(&self, builtin: &dyn BuiltinHook) -> Verdict {
        self.call_builtin_until(builtin, &CancelToken::default())
    }

    pub(super) fn call_builtin_until(&self, builtin: &dyn BuiltinHook, cancel: &CancelToken) -> Verdict {
        let declaration = test_declaration(&self.event.name, self.spec.clone());
        let hook =
            Hook { limits: CallLimits::default(), ..hook("test", self.event.name.clone(), Arc::new(NoopHandler)) };
        let seam = InMemoryEffects::new();
        let call = HookCall {
            dispatch: DispatchId(1),
            id: CallId(1),
            depth: 0,
            hook: &hook,
            layer: Layer::Project,
            event: &self.event,
            limits: &hook.limits,
            effects: &seam,
            cancel,
        };
        builtin.call(&BuiltinCall::new(&call, &BuiltinConfig::new(&declaration, &self.spec, Arc::clone(&self.state))))
    }

    /// The verdict of a built-in.
    pub(super) fn call_by_name(&self, name: &str, arguments: &[&str]) -> Verdict {
        let def = builtins().iter().find(|def| def.name == name).unwrap();
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        self.call_builtin(&*(def.make)(&arguments, &mut Vec::new()).unwrap())
    }

    /// A one-word name of a verdict.
    pub(super) fn verdict_name(&self, builtin: &dyn BuiltinHook) -> &'static str {
        match self.call_builtin(builtin).kind {
            VerdictKind::Pass => "pass",
            VerdictKind::Allow { .. } => "allow",
            VerdictKind::Rewrite(_) => "rewrite",
            VerdictKind::Ask { .. } => "ask",
            VerdictKind::Deny { .. } => "deny",
            VerdictKind::Failed(_) => "failed",
        }
    }
}

fn test_declaration(event: &EventName, spec: BuiltinSpec) -> HookDeclaration {
    HookDeclaration {
        name: String::from("test"),
        event: event.clone(),
        event_alias: Arc::from(event.as_str()),
        priority: 0,
        matcher: None,
        handler: HandlerSpec::Builtin(spec),
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
        codec: Arc::new(CanonicalCodec),
    }
}

#[test]
fn every_row_is_whole_and_the_table_is_in_order() {
    let names: Vec<&str> = builtins().iter().map(|def| def.name).collect();
    assert!(names.is_sorted() && names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for def in builtins() {
        assert!(def.doc.ends_with('.') && !def.doc.contains('\n'), "{}", def.name);
        // Without arguments each of them can be built, except a pack, and on an event without data none panics.
        let arguments = if def.name == "pack" { vec![String::from("git")] } else { Vec::new() };
        let builtin = (def.make)(&arguments, &mut Vec::new()).unwrap();
        for event in ["user.input", "tool.result", "completion.pre", "session.start", "tool.pre", "agent.switch"] {
            for payload in [json!({}), json!(null), json!({"content": 7, "messages": 7, "args": [], "from_models": 7})]
            {
                let _ = BuiltinFixture::new(event, payload).call_builtin(&*builtin);
            }
        }
    }
}

#[test]
fn a_wrong_name_is_found_when_the_hook_is_built() {
    let build = |event: &str, name: &str, arguments: &[&str]| {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let spec = BuiltinSpec { name: name.to_owned(), arguments, ..BuiltinSpec::default() };
        let built = build(&test_declaration(&EventName::parse(event).unwrap(), spec.clone()), &spec, &Arc::default());
        let found: Vec<(Severity, String, Option<String>)> =
            built.diagnostics.into_iter().map(|found| (found.severity, found.message, found.help)).collect();
        (built.handler.is_some(), built.guard, found)
    };
    let (built, guard, found) = build("iteration.start", "add_dat", &[]);
    assert!(!built && !guard);
    let help = Some(String::from("did you mean `add_date`?"));
    assert_eq!(found, [(Severity::Error, "unknown built-in `add_dat`".into(), help)]);
    assert!(!build("iteration.start", "something_else", &[]).0);

    assert_eq!(build("iteration.start", "add_date", &[]), (true, false, Vec::new()));
    assert_eq!(build("completion.pre", "max_iterations", &["3"]), (true, true, Vec::new()));
    let (built, _, found) = build("tool.pre", "max_iterations", &["3"]);
    let help = Some(String::from("it belongs on `completion.pre`"));
    assert!(built);
    assert_eq!(found, [(Severity::Warning, "`max_iterations` has no effect on `tool.pre`".into(), help)]);

    let doubts = [
        ("iteration.start", "add_date", vec!["x"], "add_date: `x` is ignored because this built-in takes no arguments"),
        (
            "completion.pre",
            "max_iterations",
            vec!["x"],
            "max_iterations: `x` is not a positive integer, so there is no limit",
        ),
        ("completion.pre", "max_iterations", vec![], "max_iterations: no number is given, so there is no limit"),
        (
            "iteration.start",
            "add_git_diff",
            vec!["all"],
            "add_git_diff: unknown argument `all`; the only argument is `full`",
        ),
        (
            "session.start",
            "add_recent_commits",
            vec!["0"],
            "add_recent_commits: `0` is not a positive integer, so 10 commits are listed",
        ),
        (
            "iteration.start",
            "add_prompt_files",
            vec![],
            "add_prompt_files: no file is named, so nothing is added to the context",
        ),
        ("session.start", "add_context", vec![], "add_context: no text is given, so nothing is added to the context"),
        (
            "tool.result",
            "handle_large_tool_output",
            vec!["{\"Treshold\":1}"],
            "handle_large_tool_output: unknown option `Treshold`; the options are `Threshold`, `OutputDir` and \
             `PreviewSize`",
        ),
    ];
    for (event, name, arguments, expected) in doubts {
        let (built, _, found) = build(event, name, &arguments);
        assert!(built, "{name}");
        assert_eq!(found, [(Severity::Warning, expected.to_owned(), None)]);
    }
    let (built, _, found) = build("session.start", "add_context", &["{{ .X"]);
    let expected =
        "add_context: argument 1 is not a valid template: line 1, column 1: the action is not closed; add `}}`";
    assert!(!built);
    assert_eq!(found, [(Severity::Error, expected.to_owned(), None)]);
}
