//! Runs cases: calls and events that all loaded hooks judge together.

use std::path::PathBuf;
use std::sync::Arc;

use pintle_bridge::{HandledCall, HostDef};
use pintle_host::contract::{Effect, EnforcementMode, VerdictKind};
use pintle_host::dialects::PolicyCase;
use pintle_host::loader::{find_test_files, load_case_file};
use pintle_host::tools::{NativeToolCall, PINTLE, ToolVocabulary, caller_of};
use pintle_host::{
    Diagnostic, EventKind, EventScope, FailurePolicy, HookCache, LoadedRuntime, Payload, RuntimeBuilder,
};
use serde_json::{Map, json};

use super::expectation::{ActualDecision, decision_word};
use super::hook_examples::{build_event, check_fields, describe_payload, failures};
use super::plan::RunChanges;
use super::test_result::{TestKind, TestResult, TestStatus};
use crate::commands::try_call::{CallJournal, CalledHook, JudgedCall, JudgedEvent, TriedCall, agent_speaking};
use crate::error::CliError;
use crate::options::{
    AgentOption, HookOptions, HookPaths, UserOptions, active_packs, current_dir, defer_approval, preview_host_call,
    start_builder,
};

/// Runs the cases of one command line.
pub(super) struct CaseRunner<'a> {
    pub(super) places: &'a HookPaths,
    pub(super) user: &'a UserOptions,
    /// The agent that makes the calls; `None` is any agent.
    pub(super) host: Option<&'static HostDef>,
    /// How the hooks are loaded.
    pub(super) changes: RunChanges,
    /// The hooks of calls, which are loaded once.
    pub(super) cache: Arc<HookCache>,
    /// The hooks of other events, and what they were called with; loaded with the first one.
    pub(super) fired: Option<(LoadedRuntime, Arc<CallJournal>)>,
}

/// What hooks decided about a case.
struct JudgedCase {
    actual: ActualDecision,
    /// What kept hooks from judging.
    failures: Vec<String>,
    /// The hooks and rules that decided.
    deciders: Vec<String>,
    /// What hooks said.
    said: Vec<String>,
}

/// The files with cases and with scenarios beside the hooks that are loaded, and in the projects and
/// directories that the user named or else in the current one.
pub(in crate::commands) fn test_files(named: &[PathBuf], built: &LoadedRuntime) -> Vec<PathBuf> {
    let here = [current_dir()];
    let dirs = if named.is_empty() { here.as_slice() } else { named };
    let in_dir = |dir: &PathBuf| [dir.join("hook.md"), dir.join(".harness").join("hook.md")];
    let in_dirs: Vec<PathBuf> = dirs.iter().filter(|path| path.is_dir()).flat_map(in_dir).collect();
    let hook_files = built.declarations().filter_map(|declared| declared.location.path());
    find_test_files(in_dirs.iter().map(PathBuf::as_path).chain(hook_files))
}

/// The cases of files, or the errors in them.
pub(in crate::commands) fn read_cases(files: &[PathBuf]) -> (Vec<PolicyCase>, Vec<Diagnostic>) {
    let (mut cases, mut diagnostics) = (Vec::new(), Vec::new());
    for file in files.iter().map(|path| load_case_file(path)) {
        cases.extend(file.cases);
        diagnostics.extend(file.diagnostics);
    }
    (cases, diagnostics)
}

impl CaseRunner<'_> {
    /// Runs a case.
    pub(super) fn run(&mut self, case: &PolicyCase) -> Result<TestResult, CliError> {
        let judged = match case.event.kind() {
            EventKind::ToolPre => self.judge_call(case)?,
            _ => self.judge_event(case)?,
        };
        Ok(match judged {
            Err(problem) => result_of(case, TestStatus::Fails(vec![problem]), None),
            Ok(JudgedCase { actual, failures: mut problems, deciders, said }) => {
                problems.extend(actual.differences(&case.example, case.event.def()));
                let wanted = [("hook", &case.hook), ("rule", &case.rule)].into_iter();
                let wanted = wanted.filter_map(|(kind, name)| Some((kind, name.as_ref()?)));
                problems.extend(wanted.filter(|(_, name)| !deciders.contains(name)).map(|(kind, name)| {
                    let others = match deciders.as_slice() {
                        [] => String::from("none did"),
                        others => format!("`{}` did", others.join("`, `")),
                    };
                    format!("the {kind} `{name}` did not decide; {others}")
                }));
                let status = if problems.is_empty() { TestStatus::Holds } else { TestStatus::Fails(problems) };
                TestResult { said, ..result_of(case, status, Some(actual)) }
            }
        })
    }

    /// What hooks decide about a case, and which of them do, in the words of a case; a text says why they cannot.
    pub(super) fn decide(
        &mut self,
        case: &PolicyCase,
    ) -> Result<Result<(ActualDecision, Vec<String>), String>, CliError> {
        Ok(self.judge_call(case)?.and_then(|judged| match judged.failures.first() {
            Some(failure) => Err(failure.clone()),
            None => Ok((judged.actual, judged.deciders)),
        }))
    }

    /// Judges a whole tool call as `pintle try` does.
    fn judge_call(&self, case: &PolicyCase) -> Result<Result<JudgedCase, String>, CliError> {
        let (call, host) = match case_call(case, self.host) {
            Ok(call) => call,
            Err(problem) => return Ok(Err(problem)),
        };
        let payload = call.to_payload(host)?;
        let journal = Arc::new(CallJournal::default());
        let (watcher, cache) = (Arc::clone(&journal), Arc::clone(&self.cache));
        let options = HookOptions {
            hooks: self.places.paths.clone(),
            user: self.user.clone(),
            agent: AgentOption { agent: None },
        };
        let finish = |builder: RuntimeBuilder| self.changes.apply(builder).journal(watcher).hook_cache(cache);
        let handled = preview_host_call(&payload, self.places, &options, false, finish)?;
        // Hooks that do not load deny, which proves nothing.
        let Some(built) = handled.built.as_ref().filter(|built| !built.has_errors()) else {
            return Ok(Err(format!("the hooks do not load: {}", handled.decision.reason)));
        };
        let packs = active_packs(built);
        let actual = decided_about_call(&call, &handled, self.host.is_some());
        let events = journal.take_events();
        let failures = events.iter().flat_map(|judged| &judged.calls).filter_map(failure_text).collect();
        let said = texts_of(&events);
        let judged = JudgedCall { call, packs, handled, is_of_named_host: self.host.is_some(), events };
        Ok(Ok(JudgedCase { deciders: deciders_of_call(&judged, actual.decision), actual, failures, said }))
    }

    /// Fires an event at the hooks.
    fn judge_event(&mut self, case: &PolicyCase) -> Result<Result<JudgedCase, String>, CliError> {
        if self.fired.is_none() {
            let journal = Arc::new(CallJournal::default());
            let builder = self.changes.apply(start_builder(self.places, self.user)?).journal(Arc::clone(&journal) as _);
            self.fired = Some((builder.approver(defer_approval()).load(), journal));
        }
        let Some((built, journal)) = &self.fired else { return Ok(Err(String::from("the hooks do not load"))) };
        built.runtime.discard_state();
        let event = match build_event(&case.event, &case.example.payload, &built.runtime) {
            Ok(event) => event,
            Err(problem) => return Ok(Err(problem)),
        };
        let outcome = built.runtime.fire_in(&event, &EventScope::default());
        let actual = ActualDecision::from_outcome(&outcome);
        let events = journal.take_events();
        let calls = events.iter().flat_map(|judged| &judged.calls);
        let deciders = calls.filter(|call| decides(call, actual.decision)).map(|call| call.name.clone()).collect();
        Ok(Ok(JudgedCase { failures: failures(&outcome), deciders, actual, said: texts_of(&events) }))
    }
}

pub(super) fn result_of(case: &PolicyCase, status: TestStatus, actual: Option<ActualDecision>) -> TestResult {
    TestResult {
        kind: TestKind::Case,
        hook: case.hook.clone().or_else(|| case.rule.clone()),
        name: case.name.clone().unwrap_or_else(|| describe_payload(&case.example.payload)),
        event: case.event.as_str().to_owned(),
        expect: case.example.expect.clone(),
        location: case.example.location.clone(),
        status,
        actual,
        transcript: Vec::new(),
        said: Vec::new(),
    }
}

/// What hooks said, for the model and for the user.
fn texts_of(events: &[JudgedEvent]) -> Vec<String> {
    let verdicts = events.iter().flat_map(|judged| &judged.calls).map(|call| &call.verdict);
    let texts = verdicts.flat_map(|verdict| {
        let reason = match &verdict.kind {
            VerdictKind::Deny { reason } | VerdictKind::Ask { reason } => Some(reason),
            _ => None,
        };
        let notices = verdict.effects.iter().filter_map(|effect| match effect {
            Effect::Notice(text) => Some(text),
            _ => None,
        });
        reason.into_iter().chain(notices).cloned().collect::<Vec<String>>()
    });
    texts.collect()
}

/// The call of a case in the words of an agent; without one, in its own words.
fn case_call(case: &PolicyCase, host: Option<&'static HostDef>) -> Result<(TriedCall, &'static HostDef), String> {
    check_fields(&case.event, &case.example.payload)?;
    let payload = Payload::new(case.example.payload.clone());
    let name = payload.field("name").and_then(|name| name.as_str()).filter(|name| !name.trim().is_empty());
    let Some(name) = name else { return Err(String::from("the payload does not name the tool in `name`")) };
    let args = payload.field("args").cloned().unwrap_or_else(|| json!({}));
    if !args.is_object() {
        return Err(String::from("the `args` of the payload are not an object"));
    }
    let caller = caller_of(&payload);
    let host = host.unwrap_or_else(|| agent_speaking(caller));
    let words = words_of(host);
    let native = if words.name == caller.name || words.has_tool(name) {
        NativeToolCall { name: name.to_owned(), input: args }
    } else {
        let calls = caller.to_canonical(name, &args);
        let [call] = calls.as_slice() else {
            return Err(format!("`{name}` is several calls in the words of {}", host.title));
        };
        if PINTLE.has_tool(&call.name) && words.native_names(&call.name).next().is_none() {
            return Err(format!("{} has no tool for `{}`", host.title, call.name));
        }
        words.to_native(&call.name, &call.args)
    };
    let tool = words.to_canonical(&native.name, &native.input).into_iter().next().map(|call| call.name);
    Ok((TriedCall { tool: tool.unwrap_or_default(), target: describe_payload(&case.example.payload), native }, host))
}

fn words_of(host: &HostDef) -> &'static ToolVocabulary {
    host.call_event().and_then(|def| def.tools).unwrap_or(host.tools)
}

/// What was decided about a call. A rewrite for a named agent is translated to Pintle's words, in which the case is not
/// bound to that agent.
fn decided_about_call(call: &TriedCall, handled: &HandledCall, is_translated: bool) -> ActualDecision {
    let decided = &handled.decision;
    let rewritten = decided.input.as_ref().map(|input| {
        let parts = words_of(handled.host).to_canonical(&call.native.name, input);
        match parts.as_slice() {
            [part] if is_translated => json!({"name": part.name, "args": part.args}),
            _ => json!({"name": call.native.name, "args": input}),
        }
    });
    ActualDecision {
        decision: decision_word(decided.decision, rewritten.is_some()),
        reason: decided.reason.clone(),
        context: decided.context.clone(),
        rewritten,
        metrics: Map::new(),
        log: Vec::new(),
    }
}

/// The hooks that made a decision about a call, and the rules among them.
fn deciders_of_call(judged: &JudgedCall, decision: &str) -> Vec<String> {
    let calls = judged.events.iter().flat_map(|event| &event.calls);
    let deciding: Vec<&CalledHook> = match decision {
        "block" | "ask" => judged.deciding_hooks(),
        _ => calls.filter(|call| decides(call, decision)).collect(),
    };
    let rules = deciding.iter().flat_map(|hook| judged.deciding_parts(hook)).filter_map(|part| part.rule_name());
    deciding.iter().map(|hook| hook.name.clone()).chain(rules).collect()
}

/// Whether a hook's verdict is an enforced decision in the words of examples.
fn decides(call: &CalledHook, decision: &str) -> bool {
    let is_it = match &call.verdict.kind {
        VerdictKind::Deny { .. } => decision == "block",
        VerdictKind::Failed(_) => decision == "block" && call.on_failure == FailurePolicy::Closed,
        VerdictKind::Ask { .. } => decision == "ask",
        VerdictKind::Rewrite(_) => decision == "modify",
        VerdictKind::Pass | VerdictKind::Allow { .. } => false,
    };
    is_it && call.mode == EnforcementMode::Enforce
}

fn failure_text(call: &CalledHook) -> Option<String> {
    match &call.verdict.kind {
        VerdictKind::Failed(failure) => Some(format!("the hook `{}` failed: {failure}", call.name)),
        _ => None,
    }
}
