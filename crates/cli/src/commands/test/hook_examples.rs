//! Runs the examples of hooks, each against its hook alone, and those of the rules of packs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use pintle_host::contract::{Effect, HookDeclaration, HookExample, suggest_or_list};
use pintle_host::loader::UNTRUSTED_HANDLER;
use pintle_host::packs::{BrokenExample, RuleDef, broken_examples};
use pintle_host::tape::show::single_line;
use pintle_host::{
    Chain, Event, EventKind, EventName, EventScope, Hook, LoadedRuntime, Origin, Outcome, Runtime, explain,
    is_matcher_failure_warning,
};
use serde_json::Value;

use super::expectation::ActualDecision;
use super::test_result::{TestKind, TestResult, TestStatus};
use crate::options::payload::complete_payload;
use crate::options::{ActivePack, PayloadInput, compile_own_chains, current_dir, defer_approval, is_same_place};

/// The session of the events of examples, which is never stored.
const SESSION: &str = "pintle-test";
/// Most characters of a payload that names an example.
const NAME: usize = 100;

/// A hook with its examples.
#[derive(Debug)]
pub(in crate::commands) struct ExampleSuite {
    /// The chain of the hook, without its hooks.
    chain: Chain,
    hook: Arc<Hook>,
    examples: Vec<HookExample>,
    /// Why the hook must not run, although it is loaded.
    blocker: Option<String>,
}

/// The hooks that have examples, in their order: those of all agents, then those of single agents.
pub(in crate::commands) fn collect_suites(built: &LoadedRuntime) -> Vec<ExampleSuite> {
    let set = built.runtime.hooks();
    let declared = DeclaredExamples::new(built.declarations());
    let blocker = |hook: &Hook| (hook.handler.kind() == UNTRUSTED_HANDLER).then(|| untrusted_text(hook));
    let shared = set.hooks().filter_map(|(chain, hook)| declared.suite(chain, hook, blocker));
    let mut suites: Vec<ExampleSuite> = shared.collect();
    let members = built.team.iter().flat_map(|team| &team.agents);
    let mut agents: Vec<_> = members.chain(built.agent.iter().flat_map(|agent| &agent.agents)).collect();
    let is_trusted = built.projects.iter().all(|project| project.agent_items.is_empty());
    while let Some(agent) = agents.pop() {
        agents.extend(&agent.agents);
        let declared = DeclaredExamples::new(agent.hooks.iter());
        if declared.0.is_empty() {
            continue;
        }
        let blocker = |hook: &Hook| (!is_trusted && hook.handler.may_wait()).then(|| untrusted_text(hook));
        for chain in compile_own_chains(built, agent) {
            suites.extend(chain.hooks.iter().filter_map(|hook| declared.suite(&chain, hook, blocker)));
        }
    }
    suites
}

/// The declarations that have examples, by name.
struct DeclaredExamples<'d>(HashMap<&'d str, Vec<&'d HookDeclaration>>);

impl<'d> DeclaredExamples<'d> {
    fn new(declarations: impl Iterator<Item = &'d HookDeclaration>) -> Self {
        let mut by_name: HashMap<&str, Vec<&HookDeclaration>> = HashMap::new();
        for declared in declarations.filter(|declared| !declared.examples.is_empty()) {
            by_name.entry(&declared.name).or_default().push(declared);
        }
        Self(by_name)
    }

    /// The examples of a compiled hook, if it has any.
    fn suite(
        &self,
        chain: &Chain,
        hook: &Arc<Hook>,
        blocker: impl Fn(&Hook) -> Option<String>,
    ) -> Option<ExampleSuite> {
        let same_name = self.0.get(hook.id.as_str())?;
        let declared = same_name.iter().find(|declared| is_same_place(&declared.location, &hook.location))?;
        let (chain, hook) = (Chain { hooks: Vec::new(), ..chain.clone() }, Arc::clone(hook));
        Some(ExampleSuite { blocker: blocker(&hook), chain, hook, examples: declared.examples.clone() })
    }
}

fn untrusted_text(hook: &Hook) -> String {
    format!("hook `{}` is not trusted", hook.id.label())
}

impl ExampleSuite {
    /// Whether the hook's examples need nothing outside this process.
    pub(in crate::commands) fn is_in_process(&self) -> bool {
        self.blocker.is_none() && !self.hook.handler.may_wait()
    }

    /// Whether the hook can deny, and every example expects that it does not.
    pub(in crate::commands) fn proves_no_denial(&self) -> bool {
        self.hook.guard && self.examples.iter().all(|example| example.expect == "allow")
    }

    pub(in crate::commands) fn hook_label(&self) -> &str {
        self.hook.id.label()
    }

    /// What its examples are called, without running them.
    pub(in crate::commands) fn list(&self) -> impl Iterator<Item = TestResult> {
        self.examples.iter().map(|example| self.result(example, TestStatus::Listed, None))
    }

    /// Runs one of the examples; `None` if there are not as many.
    pub(super) fn run(&self, built: &LoadedRuntime, example: usize) -> Option<TestResult> {
        self.examples.get(example).map(|example| self.run_example(built, example))
    }

    /// Runs all examples.
    pub(in crate::commands) fn run_all(&self, built: &LoadedRuntime) -> Vec<TestResult> {
        self.examples.iter().map(|example| self.run_example(built, example)).collect()
    }

    /// The file of the hook.
    pub(super) fn path(&self) -> Option<&Path> {
        self.hook.location.path()
    }

    /// Whether the examples are those of a hook with this name and location.
    pub(super) fn is_of(&self, declared: &HookDeclaration) -> bool {
        self.hook.id.as_str() == declared.name && is_same_place(&self.hook.location, &declared.location)
    }

    fn run_example(&self, built: &LoadedRuntime, example: &HookExample) -> TestResult {
        if let Some(blocker) = &self.blocker {
            return self.result(example, TestStatus::NotRun(blocker.clone()), None);
        }
        let runtime = built.runtime.isolate_hook(&self.chain, &self.hook);
        let name = &self.hook.event;
        let event = match build_event(name, &example.payload, &runtime) {
            Ok(event) => event,
            Err(problem) => return self.result(example, TestStatus::Fails(vec![problem]), None),
        };
        let scope = EventScope { approver: Some(defer_approval()), ..EventScope::default() };
        let outcome = runtime.fire_in(&event, &scope);
        let log = scope.logs.take_lines().into_iter().map(|line| line.message).collect();
        let actual = ActualDecision { metrics: runtime.metrics(), log, ..ActualDecision::from_outcome(&outcome) };
        let mut problems = failures(&outcome);
        if problems.is_empty() {
            problems = actual.differences(example, name.def());
            if !problems.is_empty() && outcome.hooks_called == 0 {
                let excluded = explain(&runtime.hooks(), &event).into_iter().map(|explained| explained.prediction);
                problems.extend(excluded.filter(|why| !why.is_yes()).map(|why| format!("the hook {why}")));
            }
            if !problems.is_empty() {
                problems.extend(outcome.warnings.iter().map(|warning| warning.message.clone()));
            }
        }
        let status = if problems.is_empty() { TestStatus::Holds } else { TestStatus::Fails(problems) };
        let notices = outcome.effects.iter().filter_map(|(_, effect)| match effect {
            Effect::Notice(text) => Some(text.clone()),
            _ => None,
        });
        let said = notices.chain([outcome.hook_texts()]).collect();
        TestResult { said, ..self.result(example, status, Some(actual)) }
    }

    fn result(&self, example: &HookExample, status: TestStatus, actual: Option<ActualDecision>) -> TestResult {
        TestResult {
            kind: TestKind::Example,
            hook: Some(self.hook.id.to_string()),
            name: describe_payload(&example.payload),
            event: self.hook.event.as_str().to_owned(),
            expect: example.expect.clone(),
            location: example.location.clone(),
            status,
            actual,
            transcript: Vec::new(),
            said: Vec::new(),
        }
    }
}

/// The examples of the rules of a pack, which are judged by the rule alone, without the settings of a user.
pub(super) fn run_rules(active: &ActivePack) -> Vec<TestResult> {
    let broken: Vec<BrokenExample> = broken_examples(active.pack).collect();
    rule_results(active, |rule, command| {
        let is_it = |broken: &&BrokenExample| broken.rule.id == rule.id && broken.command == command;
        let problems: Vec<String> = broken.iter().filter(is_it).map(BrokenExample::message).collect();
        if problems.is_empty() { TestStatus::Holds } else { TestStatus::Fails(problems) }
    })
}

/// What the examples of the rules of a pack are called, without running them.
pub(super) fn list_rules(active: &ActivePack) -> Vec<TestResult> {
    rule_results(active, |_, _| TestStatus::Listed)
}

fn rule_results(active: &ActivePack, status: impl Fn(&RuleDef, &str) -> TestStatus) -> Vec<TestResult> {
    let examples = active.pack.rules.iter().flat_map(|rule| {
        let stops = rule.stops.iter().map(move |command| (rule, *command, rule.severity.as_str()));
        stops.chain(rule.passes.iter().map(move |command| (rule, *command, "allow")))
    });
    let result = |(rule, command, expect): (&RuleDef, &str, &str)| TestResult {
        kind: TestKind::Rule,
        hook: Some(format!("{}.{}", active.pack.name, rule.id)),
        name: single_line(command, NAME),
        event: EventKind::ToolPre.to_string(),
        expect: expect.to_owned(),
        location: active.location.clone(),
        status: status(rule, command),
        actual: None,
        transcript: Vec::new(),
        said: Vec::new(),
    };
    examples.map(result).collect()
}

/// The event of a payload, completed as hosts complete it.
pub(in crate::commands) fn build_event(name: &EventName, payload: &Value, runtime: &Runtime) -> Result<Event, String> {
    check_fields(name, payload)?;
    let mut value = payload.clone();
    complete_payload(name, &mut value).map_err(|error| format!("the payload is not valid for `{name}`: {error}"))?;
    let mut input = PayloadInput { value, session: None, cwd: None, is_example: false };
    input.complete_call(name, runtime);
    let origin = Origin {
        session: String::from(SESSION),
        turn: 1,
        agent: String::from("root"),
        cwd: current_dir().display().to_string(),
        ..Origin::default()
    };
    Ok(Event::new(name.clone(), input.value, Arc::new(origin)))
}

/// Refuses a payload with a field that the event does not have: with a slip in its name, hooks would pass everything.
pub(super) fn check_fields(name: &EventName, payload: &Value) -> Result<(), String> {
    let def = name.def();
    let (Some(given), Some(known)) = (payload.as_object(), def.schema().get("properties").and_then(Value::as_object))
    else {
        return Ok(());
    };
    let own = known.keys().map(String::as_str).chain(def.aliases.iter().map(|(_, alias)| *alias));
    let known: Vec<&str> = own.collect();
    let unknown = given.keys().find(|field| def.family().is_none() && !known.contains(&field.as_str()));
    unknown.map_or(Ok(()), |field| {
        let help = suggest_or_list(field, known.iter().copied(), "its fields are");
        Err(format!("the payload of `{name}` has no field `{field}` ({help})"))
    })
}

/// What kept the hook from judging. An example of a hook that failed does not hold, whatever the failure policy makes of
/// it.
pub(super) fn failures(outcome: &Outcome) -> Vec<String> {
    let failed =
        outcome.failures.iter().map(|report| format!("the hook `{}` failed: {}", report.hook.label(), report.failure));
    let skipped = outcome.warnings.iter().filter(|warning| is_matcher_failure_warning(&warning.message));
    let skipped =
        skipped.map(|warning| format!("the hook `{}` was skipped: {}", warning.hook.label(), warning.message));
    let refused = (outcome.hooks_called == 0 && !outcome.is_allowed() && outcome.failures.is_empty())
        .then(|| format!("no hook was called: {}", outcome.hook_texts()));
    failed.chain(skipped).chain(refused).collect()
}

/// A payload in one line: the command line of a call, the tool and its arguments, otherwise the payload.
pub(super) fn describe_payload(payload: &Value) -> String {
    let args = payload.get("args");
    let text = match (payload.get("name").and_then(Value::as_str), args.and_then(|args| args.get("command"))) {
        (Some("shell"), Some(Value::String(command))) => command.trim().to_owned(),
        (Some(name), _) if args.is_some() => format!("{name} {}", args.unwrap_or(&Value::Null)),
        _ => payload.to_string(),
    };
    single_line(&text, NAME)
}
