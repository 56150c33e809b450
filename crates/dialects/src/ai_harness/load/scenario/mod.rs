//! Reads scenario files: whole turns of Pintle's own agent loop with a scripted model, and what the loaded hooks must make
//! of them.

mod check;
mod step;
mod value;

use std::sync::Arc;

use pintle_contract::{ByteSpan, Diagnostic, EventName, Location, SourceFile};
use serde_json::{Map, Value};

use super::event::suggest_event;
use crate::ai_harness::codec::NAMES;
use crate::document::{
    DocNode, FieldReader, FileReport, KeyTable, UnknownKeys, key, parse_list, sanitize, skip_byte_order_mark,
};
pub(super) use step::{CALL, STEP};
pub use step::{ScenarioAction, ScenarioCall, ScenarioReply, ScenarioStep, TurnEnding};
use value::{read_json_value, read_time};

/// When a scenario begins if it does not say so: a Monday at nine, UTC.
const USUAL_START_MS: u64 = 1_767_603_600_000;

/// One scenario: a conversation, and what must come of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TestScenario {
    /// What the scenario is called in reports.
    pub name: String,
    /// The agent of a team that the conversation begins with.
    pub agent: Option<String>,
    /// The files and directories of hooks, relative to the file; empty for those of the project.
    pub hooks: Vec<String>,
    /// When it begins, in milliseconds since the Unix epoch.
    pub start_ms: u64,
    /// What a person answers to every question; `None` if a person is not there.
    pub answer: Option<PersonAnswer>,
    /// What tools return; those that the agent does not have are added.
    pub tools: Vec<(String, ScriptedResult)>,
    /// The files of the directory that the agent works in, which its reading tools really read; `None` if no tool runs.
    pub files: Option<Vec<(String, String)>>,
    /// The hooks that fail.
    pub faults: Vec<ScenarioFault>,
    /// What happens, in order.
    pub steps: Vec<ScenarioStep>,
    /// The events that must be fired, in this order; others may be fired between them.
    pub events: ScenarioExpectation<Vec<EventName>>,
    /// The tools that must not run.
    pub not_run: ScenarioExpectation<Vec<String>>,
    /// The counters and gauges of hooks at the end.
    pub metrics: ScenarioExpectation<Map<String, Value>>,
    /// Where the scenario is written.
    pub location: Location,
}

/// Something that a whole scenario expects, and where it says so.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScenarioExpectation<T> {
    /// What is expected; empty if nothing is.
    pub value: T,
    /// Where it is written.
    pub location: Location,
}

/// What a person answers to a question of hooks or permission rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonAnswer {
    /// The call may run.
    Yes,
    /// It may not.
    No,
}

/// What a tool returns without being run.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedResult {
    /// A result.
    Returns(Value),
    /// An error, with the text for the model.
    Fails(String),
}

/// A hook that does not answer as it should.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioFault {
    /// The hook's name.
    pub hook: String,
    /// How it fails.
    pub kind: FaultKind,
    /// How many of its calls fail, from the first; `None` for all.
    pub times: Option<u32>,
    /// Where it is written.
    pub location: Location,
}

/// How a hook fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// It never answers, and its time limit ends it.
    Hangs,
    /// It answers after its time limit; the answer does not count.
    Late,
    /// It crashes.
    Crashes,
    /// It prints what cannot be read.
    Garbage,
    /// Its program does not exist.
    Missing,
}

/// The scenarios of a file.
#[derive(Debug, Default)]
pub struct TestScenarios {
    /// The scenarios that could be read, in their order.
    pub scenarios: Vec<TestScenario>,
    /// The diagnostics of the file.
    pub diagnostics: Vec<Diagnostic>,
}

const ANSWERS: &[(&str, PersonAnswer)] = &[("yes", PersonAnswer::Yes), ("no", PersonAnswer::No)];

const FAULTS: &[(&str, FaultKind)] = &[
    ("hangs", FaultKind::Hangs),
    ("late", FaultKind::Late),
    ("crashes", FaultKind::Crashes),
    ("garbage", FaultKind::Garbage),
    ("missing", FaultKind::Missing),
];

/// A scenario as written.
#[derive(Debug, Default)]
pub(super) struct ScenarioDraft {
    name: Option<String>,
    agent: Option<String>,
    hooks: Vec<String>,
    start_ms: Option<u64>,
    answer: Option<PersonAnswer>,
    tools: Vec<(String, ScriptedResult)>,
    files: Option<Vec<(String, String)>>,
    faults: Vec<ScenarioFault>,
    steps: Vec<ScenarioStep>,
    events: ScenarioExpectation<Vec<EventName>>,
    not_run: ScenarioExpectation<Vec<String>>,
    metrics: ScenarioExpectation<Map<String, Value>>,
}

pub(super) static SCENARIO: KeyTable<ScenarioDraft> = KeyTable {
    title: "Scenario",
    about: "Each item of the list in a `*.scenario.yaml` beside the hooks. `pintle test` plays it in Pintle's own agent loop with a scripted model; no tool really runs, and time moves only when the scenario says so.",
    start: ScenarioDraft::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(name?: text, "what the user says first", "What the scenario is called in reports."),
        key!("steps": with(read_steps, "list of mappings", "required"), "What happens, in order."),
        key!(hooks: texts, "Files and directories of hooks, relative to the file, which are used and not the project's."),
        key!(agent?: text, "the first", "The agent of a team that the conversation begins with."),
        key!("clock": with(read_start, "time", "2026-01-05T09:00:00Z"), "When the scenario begins, such as `2026-03-02T17:55:00Z`."),
        key!(answer?: choice(ANSWERS), "a person is not there", "What a person answers whenever hooks or permission rules ask for approval."),
        key!("tools": with(read_tools, "mapping of results", "none"), "What tools return, by their names. A tool that the agent does not have is added."),
        key!("files": with(read_files, "mapping of texts", "none"),
            "The files of a directory that is made for the scenario. The agent's reading tools (`read`, `list`, `glob`, `grep`) then really run in it."),
        key!("faults": with(read_faults, "list of mappings", "none"), "The hooks that fail, each with `hook` and `does`."),
        key!("events": with(read_events, "list of events", "any"), "Events that must be fired in this order; others may be fired between them."),
        key!("not_run": with(read_not_run, "list of texts", "none"), "Tools of which no call must run."),
        key!("metrics": with(read_metrics, "mapping of numbers", "any"), "What hooks must have counted at the end. Others are not compared."),
    ],
};

/// A hook that fails, as written.
#[derive(Debug, Default)]
pub(super) struct FaultDraft {
    hook: Option<String>,
    does: Option<FaultKind>,
    times: Option<u32>,
}

pub(super) static FAULT: KeyTable<FaultDraft> = KeyTable {
    title: "Fault of a scenario",
    about: "Each item of `faults`. The hook is not really called. What its failure means is decided by its failure policy, as always.",
    start: FaultDraft::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(hook?: text, "required", "The name of the hook."),
        key!(does?: choice(FAULTS), "required", "How it fails: it never answers, answers after its time limit, crashes, prints what cannot be read, or its program does not exist."),
        key!(times?: integer(1..=u32::MAX), "all", "How many of its calls fail, from the first."),
    ],
};

/// Reads a scenario file.
#[must_use]
pub fn read_scenario_file(file: &Arc<SourceFile>) -> TestScenarios {
    let name = file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let report = FileReport::new(Arc::clone(file), format!("parse {name}: "));
    let whole = ByteSpan { start: skip_byte_order_mark(&report), end: file.text.len() };
    let items = parse_list(&report, whole);
    if items.as_ref().is_ok_and(Vec::is_empty) {
        let help = "write each scenario after `- `, with `name` and `steps`";
        report.warning("no_cases", "the file has no scenarios", report.first_line(whole), help);
    }
    let items = items.unwrap_or_default();
    let read = |(index, item): (usize, &DocNode)| read_scenario(&report, index, item);
    let scenarios = items.iter().enumerate().filter_map(read).collect();
    let mut diagnostics = report.into_diagnostics();
    sanitize(&mut diagnostics);
    TestScenarios { scenarios, diagnostics }
}

fn read_scenario(report: &FileReport, index: usize, item: &DocNode) -> Option<TestScenario> {
    let owner = format!("scenario {}", index + 1);
    let mut fields = FieldReader::new(report, owner.as_str(), Some(item), item.span);
    item.entries()?;
    let before = report.error_count();
    let draft = SCENARIO.read(&mut fields);
    let said = draft.steps.iter().find_map(|step| match &step.action {
        ScenarioAction::User(text) => Some(text.clone()),
        _ => None,
    });
    let scenario = TestScenario {
        name: draft.name.or(said).unwrap_or_else(|| owner.clone()),
        agent: draft.agent,
        hooks: draft.hooks,
        start_ms: draft.start_ms.unwrap_or(USUAL_START_MS),
        answer: draft.answer,
        tools: draft.tools,
        files: draft.files,
        faults: draft.faults,
        steps: draft.steps,
        events: draft.events,
        not_run: draft.not_run,
        metrics: draft.metrics,
        location: report.location(report.first_line(item.span)),
    };
    SCENARIO.finish(fields);
    // What could not be read would only make more errors.
    if report.error_count() == before {
        check::check_scenario(report, &owner, item.span, &scenario);
    }
    Some(scenario)
}

fn read_steps(fields: &mut FieldReader<'_>, draft: &mut ScenarioDraft) {
    let report = fields.report();
    let items = fields.list("steps").unwrap_or_default();
    let read = |(index, item): (usize, &DocNode)| step::read_step(report, index, item);
    draft.steps = items.iter().enumerate().filter_map(read).collect();
}

fn read_start(fields: &mut FieldReader<'_>, draft: &mut ScenarioDraft) {
    draft.start_ms = read_time(fields, "clock");
}

fn read_tools(fields: &mut FieldReader<'_>, draft: &mut ScenarioDraft) {
    let report = fields.report();
    let Some(node) = fields.node("tools") else { return };
    let help = "write each tool and what it returns, as in `tools: {deploy: done}`";
    for entry in report.entries("tools", "a mapping", node, help).unwrap_or_default() {
        if let Some(value) = read_json_value(report, &entry.value) {
            draft.tools.push((entry.key.clone(), ScriptedResult::Returns(value)));
        }
    }
}

fn read_files(fields: &mut FieldReader<'_>, draft: &mut ScenarioDraft) {
    let report = fields.report();
    if let Some(node) = fields.node("files") {
        draft.files = Some(fields.pairs("files"));
        for entry in node.entries().unwrap_or_default() {
            let is_below =
                !entry.key.starts_with(['/', '\\']) && !entry.key.split(['/', '\\']).any(|part| part == "..");
            if !is_below || entry.key.contains(':') {
                let message = format!("`{}` is not a path below the directory of the scenario", entry.key);
                report.value_error("bad_value", message, entry.key_span, "write it relative, without `..`");
            }
        }
    }
}

fn read_faults(fields: &mut FieldReader<'_>, draft: &mut ScenarioDraft) {
    let report = fields.report();
    for (index, item) in fields.list("faults").unwrap_or_default().iter().enumerate() {
        let owner = format!("faults[{index}]");
        let read = FAULT.read_whole(FieldReader::new(report, owner.as_str(), Some(item), item.span));
        match (read.hook, read.does) {
            (Some(hook), Some(kind)) => {
                let location = report.location(report.first_line(item.span));
                draft.faults.push(ScenarioFault { hook, kind, times: read.times, location });
            }
            _ if item.entries().is_some_and(|_| item.get("hook").is_none() || item.get("does").is_none()) => {
                let help = "write for example `{hook: guard, does: hangs}`";
                report.value_error("missing_field", format!("{owner} needs `hook` and `does`"), item.span, help);
            }
            _ => {}
        }
    }
}

fn read_events(fields: &mut FieldReader<'_>, draft: &mut ScenarioDraft) {
    let report = fields.report();
    let Some(items) = fields.list("events") else { return };
    draft.events.location = report.location(fields.span_of("events"));
    for item in items {
        match item.as_text().map(|name| (name, NAMES.find(name))) {
            Some((_, Ok(event))) => draft.events.value.push(event),
            Some((name, Err(_))) => {
                let message = format!("there is no event `{name}`");
                report.value_error("unknown_event", message, item.span, suggest_event(name));
            }
            None => report.wrong_type("each of events", "the name of an event", item, "`pintle events` lists them"),
        }
    }
    require_some(fields, "events", draft.events.value.is_empty());
}

fn read_not_run(fields: &mut FieldReader<'_>, draft: &mut ScenarioDraft) {
    draft.not_run.value = fields.texts("not_run");
    if fields.node("not_run").is_some() {
        draft.not_run.location = fields.report().location(fields.span_of("not_run"));
        require_some(fields, "not_run", draft.not_run.value.is_empty());
    }
}

fn read_metrics(fields: &mut FieldReader<'_>, draft: &mut ScenarioDraft) {
    let report = fields.report();
    let Some(node) = fields.node("metrics") else { return };
    let help = "write the names and the numbers, as in `metrics: {audit.tool.pre: 2}`";
    match report.entries("metrics", "a mapping", node, help).and_then(|_| read_json_value(report, node)) {
        Some(Value::Object(wanted)) => draft.metrics.value = wanted,
        _ => return,
    }
    draft.metrics.location = report.location(fields.span_of("metrics"));
    require_some(fields, "metrics", draft.metrics.value.is_empty());
}

/// Refuses an empty list of expectations, which would hold always.
fn require_some(fields: &mut FieldReader<'_>, key: &'static str, is_empty: bool) {
    if is_empty && fields.node(key).is_some_and(|node| matches!(node.items(), None | Some([]))) {
        let message = format!("{key} is empty, which holds always");
        let help = format!("write what is expected, or remove `{key}`");
        fields.report().value_error("bad_example", message, fields.span_of(key), help);
    }
}
