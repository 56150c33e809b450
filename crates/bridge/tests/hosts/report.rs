//! Compares the reported support of each host event with the actual response.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use pintle_bridge::{ActionSupport, HookAction, HostDef, HostEventDef, HostResponse};
use pintle_host::contract::{DenyEffect, Rewrite};
use pintle_host::{Effect, EventKind, EventName, Hook, Reminder, Verdict, native};
use serde_json::{Map, Value};

use crate::fixture::{changed_fields, data_dir, event_of_file, recorded_hosts, respond_with_state};

/// A hook's text, which does not occur elsewhere in a response.
const WORD: &str = "KUMQUAT";
/// The start of the notice about an action without effect.
const TOLD: &str = "pintle: a hook's `";
/// The end of the texts for support that needs no response.
const AS_WITHOUT: &str = "as without the hook";
/// Phrases about the host's next calls.
const LATER_CALLS: [&str; 2] = ["every tool call is denied", "tool calls are denied"];
/// The events before an action, and those after it.
const BEFORE: [&str; 7] =
    ["prompt.submit", "turn.start", "tool.transform", "tool.pre", "delegation.pre", "permission.ask", "completion.pre"];
const AFTER: [&str; 6] = ["tool.result", "tool.post", "delegation.post", "agent.stop", "turn.end", "completion.post"];

/// A host with recorded payloads.
struct RecordedHost {
    host: &'static HostDef,
    files: Vec<PathBuf>,
}

impl RecordedHost {
    /// A payload of an event, of the session `s1`: a recorded one, otherwise one of Claude Code if the host uses its
    /// format, otherwise the fields of all recorded ones.
    fn payload_of(&self, def: &'static HostEventDef) -> Vec<u8> {
        let read = |file: &PathBuf| serde_json::from_slice::<Map<String, Value>>(&fs::read(file).unwrap()).unwrap();
        let claude = HostDef::by_name("claude").unwrap();
        let like_claude = def.tools.is_some().then(|| data_dir(claude).join("payloads"));
        let exact = |dir: PathBuf| Some(dir.join(format!("{}.json", def.name))).filter(|file| file.exists());
        let own = exact(data_dir(self.host).join("payloads")).or_else(|| exact(like_claude?));
        let mut fields = own.as_ref().map_or_else(Map::new, read);
        if own.is_none() {
            let mut files = self.files.clone();
            // The plain call of a tool comes first.
            files.sort_by_key(|file| {
                (!event_of_file(self.host, file).fires.contains(&EventKind::ToolPre), file.as_os_str().len())
            });
            for (name, value) in files.iter().flat_map(read) {
                fields.entry(name).or_insert(value);
            }
            fields.entry("prompt").or_insert(Value::from("go"));
        }
        for name in ["session_id", "sessionId", "taskId", "conversation_id"] {
            if let Some(session) = fields.get_mut(name) {
                *session = Value::from("s1");
            }
        }
        if fields.contains_key("hook") {
            fields.insert(String::from("sessionID"), Value::from("s1"));
            fields.insert(String::from("rootID"), Value::from("s1"));
        }
        for name in ["agent_id", "agentId", "parent_agent_id"] {
            fields.shift_remove(name);
        }
        fields.entry("hook_event_name").and_modify(|name| *name = Value::from(def.name));
        serde_json::to_vec(&fields).unwrap()
    }

    fn respond_to(&self, def: &'static HostEventDef, hooks: Vec<Hook>, state: &Path) -> HostResponse {
        respond_with_state(self.host, def, &self.payload_of(def), hooks, Some(state))
    }

    /// The response to the host's next call of a canonical event, without hooks.
    fn respond_to_next(&self, event: EventKind, state: &Path) -> HostResponse {
        let def = self.host.host_events().find(|def| def.fires.contains(&event) && !def.high_volume).unwrap();
        self.respond_to(def, Vec::new(), state)
    }
}

/// The response to a host event without a hook, and with one that denies its first event.
struct ResponseBaseline {
    without_hook: HostResponse,
    with_denial: HostResponse,
    /// The response to the host's next tool call without earlier denials.
    next_tool_call: HostResponse,
}

/// The effect of one hook's decision.
struct ObservedSupport {
    event: EventName,
    /// Whether the hook returned a reminder instead of other context.
    is_reminder: bool,
    answer: HostResponse,
    is_unchanged: bool,
    /// Whether the host's next tool call is denied.
    is_next_call_denied: bool,
    /// Whether the model gets the text at a later event.
    is_model_told_later: bool,
}

impl ObservedSupport {
    fn contains_text(&self, text: &str) -> bool {
        self.answer.stdout.contains(text) || self.answer.stderr.contains(text)
    }

    /// Whether the response contains the action.
    fn is_done(&self, verb: HookAction) -> bool {
        let shows =
            matches!(verb, HookAction::Approve | HookAction::Rewrite | HookAction::Output) || self.contains_text(WORD);
        !self.is_unchanged && shows && (verb == HookAction::Notice || !self.contains_text(TOLD))
    }

    /// Whether the action has no effect, apart from a notice.
    fn has_no_effect(&self) -> bool {
        (self.is_unchanged || self.contains_text(TOLD)) && !self.is_next_call_denied && !self.is_model_told_later
    }

    /// Whether the effect matches the reported support.
    fn is_as_reported(&self, ability: ActionSupport, verb: HookAction, known: &ResponseBaseline) -> bool {
        match ability {
            ActionSupport::Supported => self.is_done(verb) && !self.is_reminder,
            ActionSupport::Approximated(how) | ActionSupport::Deferred(how)
                if self.is_reminder && !how.contains("reminder") =>
            {
                false
            }
            ActionSupport::Approximated(how) if LATER_CALLS.iter().any(|words| how.contains(words)) => {
                self.is_next_call_denied
            }
            ActionSupport::Approximated(how) if how.ends_with(AS_WITHOUT) => {
                self.is_unchanged && !self.is_next_call_denied
            }
            ActionSupport::Approximated(_) => self.is_done(verb),
            ActionSupport::Deferred(_) => self.is_unchanged && self.is_model_told_later,
            ActionSupport::DeniedInstead(reason) | ActionSupport::WithApprovalOnly(reason) => {
                self.contains_text(reason) && response_shape(&self.answer) == response_shape(&known.with_denial)
            }
            ActionSupport::RunEndedInstead(_) => self.is_next_call_denied,
            ActionSupport::NotifiesUser(reason) => {
                self.contains_text(TOLD) && self.contains_text(reason) && self.has_no_effect()
            }
            ActionSupport::Dropped(_) | ActionSupport::NotApplicable => self.has_no_effect(),
        }
    }
}

/// Whether the effect of an action on a host event matches the report.
fn is_report_true(
    def: &'static HostEventDef,
    verb: HookAction,
    all: &[ObservedSupport],
    known: &ResponseBaseline,
) -> bool {
    let ability = def.support.support_for(verb);
    let each = |wanted: fn(&ObservedSupport) -> bool| all.iter().all(wanted);
    let one = || all.iter().any(|came| came.is_as_reported(ability, verb, known));
    match ability {
        ActionSupport::NotApplicable => each(ObservedSupport::has_no_effect),
        // If the user can be notified, the action must not be dropped silently.
        ActionSupport::Dropped(_) if def.support.notice == ActionSupport::Supported => {
            !all.is_empty() && each(|came| came.is_unchanged)
        }
        ActionSupport::Dropped(_) => !all.is_empty() && each(ObservedSupport::has_no_effect),
        ActionSupport::NotifiesUser(_) => {
            def.support.notice == ActionSupport::Supported && one() && each(ObservedSupport::has_no_effect)
        }
        _ => one(),
    }
}

/// A response without its texts.
fn response_shape(answer: &HostResponse) -> (String, u8) {
    fn without_words(value: &Value) -> Value {
        match value {
            Value::String(text) if text.contains(' ') || text == WORD => Value::from(".."),
            Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), without_words(value))).collect(),
            other => other.clone(),
        }
    }
    let out = serde_json::from_str(&answer.stdout).map(|value| without_words(&value).to_string());
    (out.unwrap_or_default(), answer.exit_code)
}

/// The hooks for an action on an event, each with another verdict; none if the action is not applicable.
fn hooks_for_action(verb: HookAction, event: &EventName) -> Vec<Hook> {
    let hook =
        |say: fn(&Value) -> Verdict| native::hook("h", event.clone(), move |call| say(call.event.payload.value()));
    let rewriting = |payload: &Value| match payload {
        Value::String(_) => Verdict::pass().with_rewrite(Rewrite::Whole(Value::from("REWRITTEN"))),
        fields => {
            let mut changes = changed_fields(fields);
            if let Some(Value::Object(args)) = changes.get_mut("args") {
                args.insert(String::from("more"), Value::from("REWRITTEN"));
            }
            Verdict::rewrite(changes)
        }
    };
    match verb {
        HookAction::Deny => vec![hook(|_| Verdict::deny(WORD))],
        HookAction::Stop => vec![Hook { on_deny: DenyEffect::StopRun, ..hook(|_| Verdict::deny(WORD)) }],
        HookAction::Ask => vec![hook(|_| Verdict::ask(WORD))],
        HookAction::Approve => vec![hook(|_| Verdict::allow(WORD))],
        HookAction::Notice => vec![hook(|_| Verdict::pass().with_effect(Effect::Notice(String::from(WORD))))],
        HookAction::Context => vec![
            hook(|_| Verdict::pass().with_effect(Effect::Context(String::from(WORD)))),
            hook(|_| Verdict::pass().with_effect(Effect::Reminder(Reminder::for_one_turn(WORD)))),
        ],
        HookAction::Rewrite if BEFORE.contains(&event.as_str()) => vec![hook(rewriting)],
        HookAction::Output if AFTER.contains(&event.as_str()) => vec![hook(rewriting)],
        HookAction::Output if event.as_str().starts_with("compact.") => {
            vec![hook(|_| Verdict::pass().with_effect(Effect::Summary(String::from(WORD))))]
        }
        HookAction::Rewrite | HookAction::Output => Vec::new(),
    }
}

/// Runs a hook with the action on each canonical event of a host event.
fn observe_action(
    sent: &RecordedHost,
    def: &'static HostEventDef,
    verb: HookAction,
    known: &ResponseBaseline,
) -> Vec<ObservedSupport> {
    let mut all = Vec::new();
    for event in def.fired_events() {
        for (index, hook) in hooks_for_action(verb, &event).into_iter().enumerate() {
            let state = tempfile::tempdir().unwrap();
            let answer = sent.respond_to(def, vec![hook], state.path());
            // Deferred effects are observed at an event that can show them.
            let may_deny = matches!(verb, HookAction::Deny | HookAction::Ask | HookAction::Stop | HookAction::Output);
            let later = (may_deny || verb == HookAction::Context)
                .then(|| sent.respond_to_next(EventKind::ToolPre, state.path()));
            let prompt =
                (verb == HookAction::Context).then(|| sent.respond_to_next(EventKind::PromptSubmit, state.path()));
            all.push(ObservedSupport {
                event: event.clone(),
                is_reminder: index > 0,
                is_unchanged: answer == known.without_hook,
                answer,
                is_next_call_denied: may_deny && later.as_ref().is_some_and(|later| *later != known.next_tool_call),
                is_model_told_later: later.iter().chain(&prompt).any(|answer| answer.stdout.contains(WORD)),
            });
        }
    }
    all
}

#[test]
fn what_is_reported_of_a_host_is_what_comes_of_it() {
    let mut wrong = String::new();
    for (host, files) in recorded_hosts() {
        let sent = RecordedHost { host, files };
        let anew = || tempfile::tempdir().unwrap();
        let free = sent.respond_to_next(EventKind::ToolPre, anew().path());
        for def in host.host_events() {
            let Some(first) = def.fired_events().next() else { continue };
            let plain = sent.respond_to(def, Vec::new(), anew().path());
            let denied = sent.respond_to(def, hooks_for_action(HookAction::Deny, &first), anew().path());
            let known = ResponseBaseline { without_hook: plain, with_denial: denied, next_tool_call: free.clone() };
            for verb in HookAction::ALL {
                let all = observe_action(&sent, def, verb, &known);
                if is_report_true(def, verb, &all, &known) {
                    continue;
                }
                writeln!(wrong, "{} {} {}: {:?}", host.name, def.name, verb.as_str(), def.support.support_for(verb))
                    .unwrap();
                for ObservedSupport {
                    event,
                    is_reminder,
                    is_next_call_denied: denies_later,
                    is_model_told_later: tells_later,
                    answer,
                    ..
                } in all
                {
                    let kind = if is_reminder { " (a reminder)" } else { "" };
                    let later = format!("denies later: {denies_later}, tells later: {tells_later}");
                    writeln!(wrong, "    {event}{kind}: {answer:?}, {later}").unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
