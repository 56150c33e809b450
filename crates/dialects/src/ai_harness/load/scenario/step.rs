//! Reads the steps of a scenario, and the tool calls of its model.

use pintle_contract::Location;
use serde_json::{Map, Value};

use super::super::example::{self, EXPECTED, ExampleDraft};
use super::value::{read_duration, read_json_value, read_wanted_texts};
use super::{ANSWERS, PersonAnswer, ScriptedResult};
use crate::document::{DocNode, FieldReader, FileReport, KeyTable, UnknownKeys, key};

/// One step of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioStep {
    /// What happens.
    pub action: ScenarioAction,
    /// Where it is written.
    pub location: Location,
}

/// What happens in a step.
#[derive(Debug, Clone, PartialEq)]
pub enum ScenarioAction {
    /// The user says something, which begins a turn.
    User(String),
    /// The model answers.
    Model(ScenarioReply),
    /// Time passes, in milliseconds.
    Wait(u64),
    /// The user has the conversation compacted, with instructions that may be empty.
    Compact(String),
    /// The turn has ended like this.
    Ends {
        /// How it ended.
        ending: TurnEnding,
        /// A text that the reason must contain.
        reason: Option<String>,
        /// A text that the answer must contain as the user sees it.
        says: Option<String>,
    },
}

/// How a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnding {
    /// With an answer.
    Answered,
    /// A hook denied it.
    Blocked,
    /// Something failed: the model, a hook, a delegation or a limit.
    Failed,
    /// The model was called as often as it may be.
    Limited,
}

/// One answer of the scripted model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScenarioReply {
    /// The text; may be empty.
    pub text: String,
    /// The agent that gets it, if it is not the one that talks to the user.
    pub agent: Option<String>,
    /// The tool calls, all at once.
    pub calls: Vec<ScenarioCall>,
    /// Texts that the model must have been shown since its last answer.
    pub shown: Vec<String>,
    /// Texts that it must not have been shown since its last answer.
    pub not_shown: Vec<String>,
    /// The error that the model answers with.
    pub fails: Option<String>,
    /// Whether trying again may help against the error.
    pub may_retry: bool,
    /// The tokens that the answer costs; `None` to count them by the texts.
    pub tokens: Option<u64>,
}

/// A tool call of the scripted model, and what must come of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioCall {
    /// The tool, as written.
    pub name: String,
    /// The arguments.
    pub args: Value,
    /// The vocabulary of the agent whose tool it is, if Pintle's own loop does not know it.
    pub vocabulary: Option<String>,
    /// The decision: `allow`, `block`, `ask` or `modify`.
    pub expect: String,
    /// A text that the reason must contain.
    pub reason: Option<String>,
    /// What `modify` must lead to.
    pub rewrite: Option<Map<String, Value>>,
    /// A text that the context for the model must contain.
    pub context: Option<String>,
    /// Texts that the result must contain as the model sees it.
    pub result: Vec<String>,
    /// What the tool returns, if the call says so.
    pub scripted: Option<ScriptedResult>,
    /// How long the tool takes, in milliseconds.
    pub takes_ms: u64,
    /// What a person answers if this call needs approval.
    pub answer: Option<PersonAnswer>,
    /// Whether its author wrote what is expected.
    pub expects_something: bool,
    /// Where it is written.
    pub location: Location,
}

const ENDINGS: &[(&str, TurnEnding)] = &[
    ("answered", TurnEnding::Answered),
    ("blocked", TurnEnding::Blocked),
    ("failed", TurnEnding::Failed),
    ("limited", TurnEnding::Limited),
];

/// The keys that say what a step is, each with the keys that belong to it.
const KINDS: [(&str, &[&str]); 5] = [
    ("user", &[]),
    ("model", &["calls", "shown", "not_shown", "agent", "fails", "retry", "tokens"]),
    ("wait", &[]),
    ("compact", &[]),
    ("ends", &["reason", "says"]),
];

/// A step as written.
#[derive(Debug, Default)]
pub(in super::super) struct StepDraft {
    user: Option<String>,
    model: Option<String>,
    reply: ScenarioReply,
    wait: Option<u64>,
    compact: Option<String>,
    ends: Option<TurnEnding>,
    reason: Option<String>,
    says: Option<String>,
}

pub(in super::super) static STEP: KeyTable<StepDraft> = KeyTable {
    title: "Step of a scenario",
    about: "Each item of `steps`: one of `user`, `model`, `wait`, `compact` and `ends`. A turn that does not end with `ends` must end with an answer.",
    start: StepDraft::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(user?: text, "none", "What the user says, which begins a turn."),
        key!(model?: text, "empty", "What the model answers; may be left out if there are `calls` or `fails`."),
        key!("calls": with(read_calls, "list of mappings", "none"), "The tool calls of the answer, which are made at once."),
        key!("shown": with(|fields, draft: &mut StepDraft| draft.reply.shown = read_wanted_texts(fields, "shown"), "text or list of texts", "any"),
            "Texts that the model must have been shown since its last answer: what the user said, results, and contexts and instructions of hooks."),
        key!("not_shown": with(|fields, draft: &mut StepDraft| draft.reply.not_shown = read_wanted_texts(fields, "not_shown"), "text or list of texts", "none"),
            "Texts that it must not have been shown since its last answer."),
        key!("agent": with(|fields: &mut FieldReader<'_>, draft: &mut StepDraft| draft.reply.agent = fields.text("agent"), "text", "the one that talks to the user"),
            "The agent whose model answers, for agents that tasks are delegated to."),
        key!("fails": with(|fields: &mut FieldReader<'_>, draft: &mut StepDraft| draft.reply.fails = fields.text("fails"), "text", "none"), "The error that the model answers with."),
        key!("retry": with(|fields: &mut FieldReader<'_>, draft: &mut StepDraft| draft.reply.may_retry = fields.boolean("retry").unwrap_or_default(), "true or false", "false"),
            "Whether trying again may help against the error. The next step is then the next attempt, and no time is waited for."),
        key!("tokens": with(|fields: &mut FieldReader<'_>, draft: &mut StepDraft| draft.reply.tokens = fields.integer("tokens", 0..=u64::MAX), "whole number", "counted by the texts"),
            "The tokens that the answer costs."),
        key!("wait": with(|fields, draft: &mut StepDraft| draft.wait = read_duration(fields, "wait"), "duration", "none"),
            "How much time passes, such as `90s`, `5m`, `2h` or `1d`."),
        key!(compact?: text, "none", "The user has the conversation compacted, with these instructions. The next answer of the model is the summary."),
        key!(ends?: choice(ENDINGS), "`answered`", "How the turn must have ended: with an answer, blocked by a hook, failed, or at its limit of model calls."),
        key!("reason": with(|fields, draft: &mut StepDraft| draft.reason = example::read_wanted_text(fields, "reason"), "text", "any"),
            "A text that the reason of the end must contain."),
        key!("says": with(|fields, draft: &mut StepDraft| draft.says = example::read_wanted_text(fields, "says"), "text", "any"),
            "A text that the answer must contain as the user sees it."),
    ],
};

/// A call as written.
#[derive(Debug, Default)]
pub(in super::super) struct CallDraft {
    example: ExampleDraft,
    result: Vec<String>,
    scripted: Option<ScriptedResult>,
    takes_ms: Option<u64>,
    answer: Option<PersonAnswer>,
}

pub(in super::super) static CALL: KeyTable<CallDraft> = KeyTable {
    title: "Call of a scenario",
    about: "Each item of `calls`: a tool call as in a case, and what must come of it.",
    start: CallDraft::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!("call": with(|fields, draft: &mut CallDraft| example::read_call(fields, &mut draft.example), "text or mapping", "required"),
            "The tool call: a command line for the shell tool, or a mapping of `tool` and its arguments."),
        key!("expect": with(|fields: &mut FieldReader<'_>, draft: &mut CallDraft| draft.example.expect = fields.choice("expect", EXPECTED), "as in an example", "`allow`"),
            "What must be decided. `ask` is a call that needs approval, whatever a person answers."),
        key!("reason": with(|fields, draft: &mut CallDraft| example::read_reason(fields, &mut draft.example), "text", "any"),
            "A text that the reason must contain."),
        key!("rewrite": with(|fields, draft: &mut CallDraft| example::read_rewrite(fields, &mut draft.example), "mapping", "any"),
            "What `modify` must lead to, as in an example of a hook."),
        key!("context": with(|fields, draft: &mut CallDraft| example::read_context(fields, &mut draft.example), "text", "any"),
            "A text that the context for the model must contain."),
        key!("result": with(|fields, draft: &mut CallDraft| draft.result = read_wanted_texts(fields, "result"), "text or list of texts", "any"),
            "Texts that the result must contain as the model sees it, after the hooks."),
        key!("returns": with(read_returns, "any", "what `tools` says, otherwise `ok`"), "What the tool returns."),
        key!("fails": with(read_fails, "text", "none"), "The error that the tool returns."),
        key!("takes": with(|fields, draft: &mut CallDraft| draft.takes_ms = read_duration(fields, "takes"), "duration", "no time"),
            "How long the tool takes."),
        key!(answer?: choice(ANSWERS), "what the scenario says", "What a person answers if this call needs approval."),
    ],
};

/// Reads one step.
pub(super) fn read_step(report: &FileReport, index: usize, item: &DocNode) -> Option<ScenarioStep> {
    let owner = format!("step {}", index + 1);
    let mut fields = FieldReader::new(report, owner.as_str(), Some(item), item.span);
    item.entries()?;
    let draft = STEP.read(&mut fields);
    let kind = find_kind(report, &owner, item);
    let location = report.location(report.first_line(item.span));
    STEP.finish(fields);
    let action = match kind? {
        "user" => ScenarioAction::User(draft.user?),
        "wait" => ScenarioAction::Wait(draft.wait?),
        "compact" => ScenarioAction::Compact(draft.compact.unwrap_or_default()),
        "ends" => ScenarioAction::Ends { ending: draft.ends?, reason: draft.reason, says: draft.says },
        _ => ScenarioAction::Model(ScenarioReply { text: draft.model.unwrap_or_default(), ..draft.reply }),
    };
    Some(ScenarioStep { action, location })
}

/// What a step is. A step that is nothing or two things, or has a key of another kind, is reported.
fn find_kind(report: &FileReport, owner: &str, item: &DocNode) -> Option<&'static str> {
    let has = |key: &str| item.get(key).is_some();
    let is_reply = ["calls", "fails"].into_iter().any(has);
    let mut kinds = KINDS.iter().filter(|(key, _)| has(key) || *key == "model" && is_reply && !has("ends"));
    let Some((kind, own)) = kinds.next() else {
        let help = "write `user: TEXT`, `model: TEXT`, `wait: 5m` or `ends: blocked`";
        report.value_error("missing_field", format!("{owner} does not say what happens"), item.span, help);
        return None;
    };
    if let Some((other, _)) = kinds.next() {
        let message = format!("{owner} is both `{kind}` and `{other}`");
        report.value_error("bad_example", message, report.first_line(item.span), "write each after a `- ` of its own");
        return None;
    }
    for entry in item.entries().unwrap_or_default() {
        let mut owners = KINDS.iter().filter(|(_, keys)| keys.contains(&entry.key.as_str()));
        if let Some((right, _)) = owners.next().filter(|_| !own.contains(&entry.key.as_str())) {
            let message = format!("`{}` belongs to a step with `{right}`", entry.key);
            report.value_error("bad_example", message, entry.key_span, "move it there, or remove it");
        }
    }
    Some(kind)
}

fn read_calls(fields: &mut FieldReader<'_>, draft: &mut StepDraft) {
    let report = fields.report();
    let items = fields.list("calls").unwrap_or_default();
    let read = |(index, item): (usize, &DocNode)| read_one_call(report, index, item);
    draft.reply.calls = items.iter().enumerate().filter_map(read).collect();
}

fn read_one_call(report: &FileReport, index: usize, item: &DocNode) -> Option<ScenarioCall> {
    let owner = format!("calls[{index}]");
    let mut fields = FieldReader::new(report, owner.as_str(), Some(item), item.span);
    item.entries()?;
    let draft = CALL.read(&mut fields);
    let example = draft.example;
    let is_written =
        ["expect", "reason", "rewrite", "context", "result"].into_iter().any(|key| item.get(key).is_some());
    let expect = example.expect.unwrap_or("allow");
    let mut refuse = |key: &'static str, message: String, help: &str| {
        if fields.key_span(key).is_some() {
            report.value_error("bad_example", message, fields.span_of(key), help);
        }
    };
    if expect != "modify" {
        let message = format!("{owner} says what is rewritten, but expects `{expect}`");
        refuse("rewrite", message, "write `expect: modify`, or remove `rewrite`");
    }
    if expect != "ask" {
        let message = format!("a person is not asked about a call that is expected to be decided with `{expect}`");
        refuse("answer", message, "write `expect: ask`, or remove `answer`");
    }
    if expect == "block" {
        for key in ["returns", "fails", "takes"] {
            let message = format!("a call that is blocked does not run, so `{key}` has no effect");
            refuse(key, message, "remove it, or expect another decision");
        }
    }
    if item.get("returns").is_some() {
        refuse("fails", format!("{owner} has both `returns` and `fails`"), "keep one of the two");
    }
    if item.get("call").is_none() {
        let help = "add a line such as `call: npm publish`";
        report.value_error("missing_field", format!("{owner} has no `call`"), item.span, help);
    }
    let location = report.location(report.first_line(item.span));
    CALL.finish(fields);
    let payload = example.payload?;
    let text = |key: &str| payload.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(ScenarioCall {
        name: text("name")?,
        args: payload.get("args").cloned().unwrap_or_default(),
        vocabulary: text("vocabulary"),
        expect: expect.to_owned(),
        reason: example.reason,
        rewrite: example.rewrite,
        context: example.context,
        result: draft.result,
        scripted: draft.scripted,
        takes_ms: draft.takes_ms.unwrap_or_default(),
        answer: draft.answer,
        expects_something: is_written,
        location,
    })
}

fn read_returns(fields: &mut FieldReader<'_>, draft: &mut CallDraft) {
    let report = fields.report();
    let value = fields.node("returns").and_then(|node| read_json_value(report, node));
    draft.scripted = value.map(ScriptedResult::Returns).or(draft.scripted.take());
}

fn read_fails(fields: &mut FieldReader<'_>, draft: &mut CallDraft) {
    draft.scripted = fields.text("fails").map(ScriptedResult::Fails).or(draft.scripted.take());
}
