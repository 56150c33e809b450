//! The decisions of a tape, one for each call or other event that hooks judged: what `pintle log` lists.

use std::collections::BTreeMap;

use pintle_contract::{Decision, EventKind, FailurePolicy, HookId, Origin, OutcomeReason};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::{ApprovalResult, EventRecord, OutcomeRecord, Record, RecordBody, VerdictLabel};
use crate::show::RemovedTexts;

/// The kind of the notes about what a host agent was told.
pub const HOST_NOTE: &str = "bridge";

/// Who decided if no hook did.
pub const OWN_NAME: &str = "pintle";

/// Most characters of a text that is kept of a decision.
const MAX_TEXT_CHARS: usize = 4_000;

/// The arguments that say most about a call, the first of which that it has is shown. Agents name theirs differently.
const TELLING_ARGUMENTS: &[&str] = &[
    "command",
    "cmd",
    "script",
    "code",
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "dir_path",
    "url",
    "uri",
    "query",
    "pattern",
    "prompt",
    "thought",
];

/// The events that an agent fires only when it waits for no user.
const GOES_ON: &[EventKind] = &[
    EventKind::PromptSubmit,
    EventKind::TurnStart,
    EventKind::CompletionPre,
    EventKind::AgentStop,
    EventKind::TurnEnd,
    EventKind::SessionStart,
    EventKind::SessionEnd,
];

/// A decision about an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedDecision {
    /// The number of the first record about it on its tape.
    pub seq: u64,
    /// The number of its dispatch; `None` if the event was denied before hooks could be called.
    pub dispatch: Option<u64>,
    /// When the event was fired, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The event's name.
    pub event: String,
    /// The session, turn and agent that fired it.
    pub origin: Origin,
    /// The tool's name, if the event is about a tool call.
    pub tool: Option<String>,
    /// What the call does in one text: its command, path, address or arguments; the prompt of a prompt; otherwise the
    /// event's subject.
    pub call: String,
    /// The decision; `None` if the tape ends before it.
    pub decision: Option<Decision>,
    /// What the host agent was told, if that is stricter: it cannot ask its user, or Pintle itself denied the event.
    pub told: Option<Decision>,
    /// Whether hooks changed the payload.
    pub is_rewritten: bool,
    /// The hooks that changed the payload, in the order of their calls.
    pub changed_by: Vec<String>,
    /// How an ask was answered, if that is on the tape.
    pub answer: Option<ApprovalResult>,
    /// Whether a hook asked, and nothing on the tape shows that the user has answered: neither an answer, nor a result of
    /// the call, nor that the agent went on without it.
    pub is_waiting: bool,
    /// Why, by hook.
    pub reasons: Vec<OutcomeReason>,
    /// The hooks that failed.
    pub failures: Vec<FailedHook>,
    /// The number of hooks that were called.
    pub hooks_called: u32,
    /// What the hooks took together, in microseconds.
    pub duration_us: u64,
}

/// A hook that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedHook {
    /// The hook.
    pub hook: String,
    /// What failed.
    pub message: String,
    /// Whether that denied the event.
    pub denied: bool,
}

/// The word for a decision with all that is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionLabel {
    /// The event was denied, by a hook, by the user, or because a hook failed.
    Denied,
    /// The user was asked.
    Asked,
    /// The event was allowed with another payload.
    Rewritten,
    /// The event was allowed.
    Allowed,
    /// The tape ends before the decision.
    Undecided,
}

impl DecisionLabel {
    /// The word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Asked => "asked",
            Self::Rewritten => "rewritten",
            Self::Allowed => "allowed",
            Self::Undecided => "undecided",
        }
    }
}

impl RecordedDecision {
    fn new(seq: u64, at_ms: u64, event: &str) -> Self {
        Self {
            seq,
            dispatch: None,
            at_ms,
            event: event.to_owned(),
            origin: Origin::default(),
            tool: None,
            call: String::new(),
            decision: None,
            told: None,
            is_rewritten: false,
            changed_by: Vec::new(),
            answer: None,
            is_waiting: false,
            reasons: Vec::new(),
            failures: Vec::new(),
            hooks_called: 0,
            duration_us: 0,
        }
    }

    fn from_event(seq: u64, at_ms: u64, record: &EventRecord<'_>) -> Self {
        let (tool, call) = describe_payload(&record.event, &record.payload);
        Self {
            dispatch: Some(record.dispatch),
            origin: record.origin.clone().into_owned(),
            tool,
            call,
            duration_us: record.passed.iter().map(|call| call.duration_us).sum(),
            ..Self::new(seq, at_ms, &record.event)
        }
    }

    /// Applies what a host agent was told, which is stricter than what the hooks decided.
    fn apply_host_decision(&mut self, host_decision: Decision, reason: &str) {
        if self.decision != Some(Decision::Ask) {
            self.reasons = vec![OutcomeReason::new(HookId::new(OWN_NAME), reason)];
        }
        self.told = Some(host_decision);
        self.is_waiting = self.is_waiting && host_decision == Decision::Ask;
    }

    fn conclude(&mut self, record: &OutcomeRecord<'_>) {
        self.decision = Some(record.decision);
        self.is_waiting = record.decision == Decision::Ask && self.answer.is_none_or(is_left_to_host);
        self.is_rewritten = record.rewritten;
        self.reasons = record.reasons.to_vec();
        self.hooks_called = record.hooks_called;
        let failed = |entry: &crate::record::FailureEntry<'_>| FailedHook {
            hook: entry.hook.to_string(),
            message: format!("{}: {}", entry.failure.kind, entry.failure.message),
            denied: entry.policy == FailurePolicy::Closed,
        };
        // The author of a hook with `on_error: ignore` does not want to hear of it.
        let meant = record.failures.iter().filter(|entry| entry.policy != FailurePolicy::Ignored);
        self.failures = meant.map(failed).collect();
    }

    /// What was decided, in a word.
    #[must_use]
    pub fn word(&self) -> DecisionLabel {
        match (self.told.or(self.decision), self.answer) {
            (_, Some(ApprovalResult::Refused | ApprovalResult::Unavailable)) | (Some(Decision::Deny), _) => {
                DecisionLabel::Denied
            }
            (Some(Decision::Ask), _) | (_, Some(_)) => DecisionLabel::Asked,
            (Some(Decision::Allow), _) if self.is_rewritten => DecisionLabel::Rewritten,
            (Some(Decision::Allow), _) => DecisionLabel::Allowed,
            (None, _) => DecisionLabel::Undecided,
        }
    }

    /// The hook that decided: that of the first reason, otherwise the one whose failure denied the event or that changed
    /// it. It is `pintle` if Pintle itself denied the event.
    #[must_use]
    pub fn deciding_hook(&self) -> Option<&str> {
        let failed = self.failures.iter().find(|failed| failed.denied).map(|failed| failed.hook.as_str());
        let changed = self.changed_by.first().filter(|_| self.is_rewritten).map(String::as_str);
        self.reasons.first().map(|reason| reason.hook.as_str()).or(failed).or(changed)
    }

    /// The rule of a policy file or a pack that decided, such as `git.force-push`: its reason names it in brackets.
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        self.reasons.first().and_then(rule_of_reason)
    }

    /// Why it was decided so, in one text: the reasons, otherwise the failures. Empty if neither is known. The name of the
    /// rule that decided is not part of it.
    #[must_use]
    pub fn reason(&self) -> String {
        if !self.reasons.is_empty() {
            return join_reasons(&self.reasons);
        }
        let texts = self.failures.iter().map(|failed| failed.message.as_str()).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("; ")
    }

    /// Whether it belongs in a log: every tool call does, other events only if a hook did something.
    fn is_worth_a_line(&self) -> bool {
        let is_eventful = !matches!(self.word(), DecisionLabel::Allowed | DecisionLabel::Undecided)
            && (self.event != EventKind::PermissionAsk.name() || !self.reasons.is_empty());
        is_eventful || !self.failures.is_empty() || self.event == EventKind::ToolPre.name()
    }
}

/// Whether the host asks the user in its own way, so that the answer is not on the tape.
fn is_left_to_host(answer: ApprovalResult) -> bool {
    answer == ApprovalResult::Deferred
}

/// Collects the decisions of a tape from its records.
#[derive(Debug, Clone, Default)]
pub struct DecisionCollector {
    decisions: Vec<RecordedDecision>,
    /// The decisions of the dispatches that have not ended.
    open: BTreeMap<u64, OpenDecision>,
    /// The last decision about each tool call, by the call's ID.
    calls: BTreeMap<String, usize>,
    removed: RemovedTexts,
    /// The first decision of the present call of a host agent.
    host_call_start: usize,
    /// The asks that may wait for the user.
    asks: Vec<OpenDecision>,
}

/// A decision that is not final yet.
#[derive(Debug, Clone)]
struct OpenDecision {
    /// Its position.
    index: usize,
    /// The ID of its tool call, if the agent gives one.
    call_id: Option<String>,
}

impl DecisionCollector {
    /// Adds the next record.
    pub fn add(&mut self, record: &Record<'_>) {
        self.removed.add(&record.body);
        match &record.body {
            RecordBody::Event(fired) => {
                self.settle_asks(fired);
                let index = self.decisions.len();
                self.decisions.push(RecordedDecision::from_event(record.seq, record.at_ms, fired));
                let call_id = call_id(&fired.payload).map(str::to_owned);
                if let Some(id) = call_id.clone().filter(|_| fired.event == EventKind::ToolPre.name()) {
                    self.calls.insert(id, index);
                }
                match fired.outcome() {
                    Some(outcome) => self.conclude(index, &outcome),
                    None => drop(self.open.insert(fired.dispatch, OpenDecision { index, call_id })),
                }
            }
            RecordBody::HookCall(call) => {
                if let Some(decision) = self.open_decision(call.dispatch)
                    && let Some(newest) = call.value.as_deref()
                {
                    decision.call = describe_payload(&decision.event, newest).1;
                }
            }
            RecordBody::HookReturned(returned) => {
                if let Some(decision) = self.open_decision(returned.dispatch) {
                    decision.duration_us += returned.duration_us;
                    let verdict = &returned.verdict;
                    let name = returned.hook.as_ref();
                    if (verdict.fields.is_some() || verdict.whole_payload.is_some())
                        && !decision.changed_by.iter().any(|hook| hook == name)
                    {
                        decision.changed_by.push(name.to_owned());
                    }
                    if verdict.kind == VerdictLabel::Ask && !decision.is_waiting {
                        decision.is_waiting = true;
                        self.asks.extend(self.open.get(&returned.dispatch).cloned());
                    }
                }
            }
            RecordBody::Approval(answered) => {
                let asked = answered.dispatch.and_then(|dispatch| self.open.get(&dispatch)).map(|open| open.index);
                let asked = asked.or_else(|| answered.id.as_deref().and_then(|id| self.calls.get(id)).copied());
                if let Some(decision) = asked.and_then(|index| self.decisions.get_mut(index)) {
                    decision.answer = Some(answered.answer);
                    decision.is_waiting &= is_left_to_host(answered.answer);
                    if decision.reasons.is_empty() {
                        decision.reasons = answered.reasons.to_vec();
                    }
                }
            }
            RecordBody::Note(note) if note.kind == HOST_NOTE => self.apply_note(record, &note.data),
            RecordBody::Outcome(decided) => {
                if let Some(open) = self.open.remove(&decided.dispatch) {
                    self.conclude(open.index, decided);
                }
            }
            _ => {}
        }
    }

    /// Notes which asks an event shows to be answered: the call has a result, or the agent goes on without it.
    fn settle_asks(&mut self, fired: &EventRecord<'_>) {
        let Some(kind) = EventKind::from_name(&fired.event) else { return };
        let id = call_id(&fired.payload);
        let decisions = &mut self.decisions;
        self.asks.retain(|ask| {
            let Some(decision) = decisions.get_mut(ask.index).filter(|decision| decision.is_waiting) else {
                return false;
            };
            let is_own = decision.origin.agent == fired.origin.agent && decision.origin.run == fired.origin.run;
            let is_answered = match kind {
                // The agent asks its user.
                EventKind::PermissionAsk | EventKind::ApprovalRequested => false,
                // An agent makes calls at the same time only if they have IDs.
                EventKind::ToolPre => ask.call_id.is_none(),
                _ if kind.def().is_about_tool_call() => ask.call_id.as_deref() == id,
                _ => GOES_ON.contains(&kind),
            };
            decision.is_waiting = !(is_own && is_answered);
            decision.is_waiting
        });
    }

    /// Applies the note about what a host agent was told, which follows the events of one of its calls. A call whose
    /// process was killed has no note, and its events are before those of the next call.
    fn apply_note(&mut self, record: &Record<'_>, note: &Value) {
        let start = std::mem::replace(&mut self.host_call_start, self.decisions.len());
        let unfired_call = note.get("call");
        let events = self.decisions.get_mut(start..).filter(|_| unfired_call.is_none()).unwrap_or_default();
        let own_start = events.iter().rposition(|event| event.event == EventKind::ToolPre.name()).unwrap_or_default();
        let events = events.get_mut(own_start..).unwrap_or_default();
        let field = |name: &str| note.get(name).and_then(Value::as_str).unwrap_or_default();
        let told = if note.get("told").is_some() { "told" } else { "decision" };
        let decision = match field(told) {
            "deny" => Decision::Deny,
            "ask" => Decision::Ask,
            _ => return,
        };
        if events.iter().any(|event| event.decision.is_some_and(|own| own >= decision)) {
            return;
        }
        match events.first_mut() {
            Some(event) => event.apply_host_decision(decision, field("reason")),
            None => {
                let mut denied = RecordedDecision::new(record.seq, record.at_ms, field("event"));
                let of_call = |name: &str| unfired_call.and_then(|call| call.get(name));
                denied.tool = of_call("name").and_then(Value::as_str).map(cut_text);
                denied.call = of_call("args").map(describe_arguments).unwrap_or_default();
                denied.apply_host_decision(decision, field("reason"));
                self.decisions.push(denied);
                self.host_call_start = self.decisions.len();
            }
        }
    }

    fn open_decision(&mut self, dispatch: u64) -> Option<&mut RecordedDecision> {
        self.open.get(&dispatch).and_then(|open| self.decisions.get_mut(open.index))
    }

    fn conclude(&mut self, index: usize, record: &OutcomeRecord<'_>) {
        if let Some(decision) = self.decisions.get_mut(index) {
            decision.conclude(record);
            if let Some(newest) = record.value.as_deref() {
                decision.call = describe_payload(&decision.event, newest).1;
            }
        }
    }

    /// The first prompt of the session, as hooks left it; empty if there is none yet.
    #[must_use]
    pub fn first_prompt(&self) -> String {
        let prompt = self.decisions.iter().find(|decision| decision.event == EventKind::PromptSubmit.name());
        let call = prompt.map(|decision| decision.call.as_str()).unwrap_or_default();
        self.removed.replacement_for(call).unwrap_or_else(|| call.to_owned())
    }

    /// Returns the decisions in the order in which their events were fired. Texts that hooks removed are not in them.
    #[must_use]
    pub fn finish(self) -> Vec<RecordedDecision> {
        let mut kept: Vec<RecordedDecision> = Vec::new();
        for decision in self.finish_all().into_iter().filter(RecordedDecision::is_worth_a_line) {
            // The events of a call that agree with the one before say nothing new.
            let is_repeated = kept.last().is_some_and(|last| {
                decision.event != EventKind::ToolPre.name()
                    && (last.origin == decision.origin && last.tool == decision.tool && last.call == decision.call)
                    && (last.word() == decision.word() && last.reasons == decision.reasons)
            });
            if !is_repeated {
                kept.push(decision);
            }
        }
        kept
    }

    /// Returns what [`DecisionCollector::finish`] does and the decisions about all other events, of which a log has none.
    #[must_use]
    pub fn finish_all(self) -> Vec<RecordedDecision> {
        let Self { mut decisions, removed, .. } = self;
        for decision in &mut decisions {
            if let Some(text) = removed.replacement_for(&decision.call) {
                decision.call = text;
            }
        }
        decisions
    }
}

/// Whether a hook is that of a pack, or of the rules of a policy file.
#[must_use]
pub fn is_rule_hook(hook: &str) -> bool {
    ["pack:", "rules:"].iter().any(|start| hook.starts_with(start))
}

/// The rule of a policy file or a pack that a reason is about, such as `git.force-push`: it is named in brackets.
#[must_use]
pub fn rule_of_reason(reason: &OutcomeReason) -> Option<&str> {
    if !is_rule_hook(reason.hook.as_str()) {
        return None;
    }
    reason.text.match_indices('[').find_map(|(start, _)| {
        let rest = reason.text.get(start + 1..)?;
        let name = rest.get(..rest.find(']')?)?;
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_0123456789".contains(&byte))
        };
        let (pack, rule) = name.split_once('.')?;
        (is_word(pack) && is_word(rule)).then_some(name)
    })
}

/// Reasons in one text, without the name of the rule that decided.
#[must_use]
pub fn join_reasons(reasons: &[OutcomeReason]) -> String {
    let texts = reasons.iter().map(|reason| reason.text.as_str()).filter(|text| !text.is_empty());
    let text = texts.collect::<Vec<_>>().join("; ");
    match reasons.first().and_then(rule_of_reason) {
        Some(rule) => text.replacen(&format!(" [{rule}]"), "", 1),
        None => text,
    }
}

/// The ID of the call that an event is about. Events about a result have it in a field of another name.
fn call_id(payload: &Value) -> Option<&str> {
    let id = payload.get("id").or_else(|| payload.get("call_id"));
    id.and_then(Value::as_str).filter(|id| !id.is_empty())
}

/// The tool of a payload, and what the event is about.
#[must_use]
pub fn describe_payload(event: &str, payload: &Value) -> (Option<String>, String) {
    let def = EventKind::from_name(event).map(EventKind::def);
    let field = |name: &str| payload.get(name).and_then(Value::as_str);
    if def.is_some_and(|def| def.is_about_tool_call()) {
        let tool = field("name").map(cut_text);
        return (tool, payload.get("args").map(describe_arguments).unwrap_or_default());
    }
    let subject = def.and_then(|def| def.subject).and_then(field);
    let text = field("prompt").or(subject).unwrap_or_default();
    (None, cut_text(text))
}

/// The arguments of a call in one text.
fn describe_arguments(args: &Value) -> String {
    let words = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            items.iter().map(Value::as_str).collect::<Option<Vec<&str>>>().map(|words| words.join(" "))
        }
        _ => None,
    };
    let telling = TELLING_ARGUMENTS.iter().find_map(|name| args.get(name).and_then(words));
    let only = || args.as_object().filter(|fields| fields.len() == 1)?.values().next().and_then(words);
    let text = telling.or_else(only).unwrap_or_else(|| match args {
        Value::Object(fields) if fields.is_empty() => String::new(),
        args => args.to_string(),
    });
    cut_text(&text)
}

/// A text without what is too much to be kept.
fn cut_text(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The decisions of these records, which get their numbers here.
    fn collect_all(records: &[Value]) -> Vec<RecordedDecision> {
        let mut collector = DecisionCollector::default();
        for (seq, record) in records.iter().enumerate() {
            let mut line = json!({"seq": seq, "at_ms": seq, "prev": null});
            line.as_object_mut().unwrap().extend(record.as_object().unwrap().clone());
            collector.add(&Record::from_line(line.to_string().as_bytes()).unwrap());
        }
        collector.finish()
    }

    fn collect(records: &[Value]) -> Vec<(String, &'static str, Option<String>)> {
        collect_all(records)
            .iter()
            .map(|one| (one.call.clone(), one.word().as_str(), one.deciding_hook().map(str::to_owned)))
            .collect()
    }

    fn tool_call(dispatch: u64, command: &str, no_hooks: bool) -> Value {
        let origin = json!({"session": "s", "turn": 1, "agent": "root", "depth": 0});
        let payload = json!({"id": command, "name": "Bash", "args": {"command": command}});
        let mut event = json!({"origin": origin, "kind": "event", "dispatch": dispatch, "event": "tool.pre"});
        if no_hooks {
            event["no_hooks"] = json!(true);
        }
        event["payload"] = payload;
        event
    }

    fn note(decision: &str, more: Value) -> Value {
        let mut data =
            json!({"host": "claude", "event": "PreToolUse", "decision": decision, "reason": "blocked by pintle"});
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"kind": "bridge", "data": data})
    }

    #[test]
    fn what_a_host_was_told_belongs_to_its_own_call() {
        let own = || Some(String::from("pintle"));
        let killed = || tool_call(1, "killed", false);
        let allowed = || tool_call(2, "allowed", true);
        let call = json!({"call": {"name": "Bash", "args": {"command": "unfired"}}});
        // A denial by Pintle itself, after a call whose process was killed.
        let told = collect(&[killed(), allowed(), note("deny", json!({}))]);
        let undecided = (String::from("killed"), "undecided", None);
        assert_eq!(told, [undecided.clone(), (String::from("allowed"), "denied", own())]);
        // The same without an event of its own.
        let told = collect(&[killed(), note("deny", call.clone())]);
        assert_eq!(told, [undecided.clone(), (String::from("unfired"), "denied", own())]);
        let told = collect(&[killed(), note("deny", json!({"call": {}}))]);
        assert_eq!(told, [undecided, (String::new(), "denied", own())]);
        // Each note is about one call.
        let told = collect(&[allowed(), note("allow", json!({})), tool_call(3, "next", true), note("deny", json!({}))]);
        let next = (String::from("next"), "denied", own());
        assert_eq!(told, [(String::from("allowed"), "allowed", None), next]);
        // The host cannot ask.
        let told = collect(&[allowed(), note("ask", json!({"told": "deny"}))]);
        assert_eq!(told, [(String::from("allowed"), "denied", own())]);
    }
    #[test]
    fn an_ask_waits_until_the_tape_shows_an_answer() {
        let ask = |dispatch: u64, id: &str| {
            let mut fired = tool_call(dispatch, id, false);
            fired["payload"]["id"] = json!(id);
            let verdict = json!({"kind": "ask", "reason": "sure?"});
            let returned = json!({
                "kind": "hook_returned", "dispatch": dispatch, "call": dispatch, "hook": "guard", "duration_us": 1,
                "verdict": verdict
            });
            let decided = json!({
                "kind": "outcome", "dispatch": dispatch, "event": "tool.pre", "decision": "ask", "approved": false,
                "rewritten": false, "payload": 0, "hooks_called": 1
            });
            [fired, returned, decided]
        };
        let event = |name: &str, agent: &str, id: &str| {
            let origin = json!({"session": "s", "turn": 1, "agent": agent, "depth": 0});
            let field = if name == EventKind::ToolResult.name() { "call_id" } else { "id" };
            json!({
                "origin": origin, "kind": "event", "dispatch": 90, "event": name, "no_hooks": true,
                "payload": {field: id, "name": "Bash"}
            })
        };
        let answer = |word: &str| json!({"kind": "approval", "dispatch": 1, "digest": "", "reasons": [], "answer": word, "approver": null});
        let waiting = |records: &[Value]| collect_all(records)[0].is_waiting;
        let [fired, returned, decided] = ask(1, "a");
        let asked = [fired.clone(), returned.clone(), decided.clone()];
        let then = |more: &[Value]| waiting(&[&asked[..], more].concat());
        assert!(then(&[]));
        assert!(waiting(&[fired.clone(), returned.clone()]), "the user is asked before the outcome");
        assert!(!waiting(std::slice::from_ref(&fired)));
        for (word, is_waiting) in [("approved", false), ("refused", false), ("unavailable", false), ("deferred", true)]
        {
            let records = [fired.clone(), returned.clone(), answer(word), decided.clone()];
            assert_eq!(waiting(&records), is_waiting, "{word}");
        }
        for (name, agent, id, is_waiting) in [
            ("permission.ask", "root", "a", true),
            ("notification", "root", "", true),
            ("tool.pre", "root", "b", true),
            ("tool.result", "root", "b", true),
            ("tool.result", "root", "a", false),
            ("tool.result", "other", "a", true),
            ("turn.end", "root", "", false),
            ("prompt.submit", "root", "", false),
            ("prompt.submit", "other", "", true),
        ] {
            assert_eq!(then(&[event(name, agent, id)]), is_waiting, "{name} {agent} {id}");
        }
        let without_id = ask(1, "");
        let next = [&without_id[..], &[event("tool.pre", "root", "")]].concat();
        assert!(waiting(&without_id) && !waiting(&next));
        assert!(!then(&[note("ask", json!({"told": "deny"}))]), "the host cannot ask");
    }
}
