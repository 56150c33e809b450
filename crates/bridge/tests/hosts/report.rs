//! What is reported of the hosts, event by event, held against what really comes of it when hooks say so.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use pintle::{DenyEffect, Effect, EventName, Hook, Reminder, Rewrite, Verdict, native};
use pintle_bridge::{Ability, Answer, Host, Row, Verb};
use serde_json::{Map, Value};

use crate::stage::{answered_in, changed, data, hosts, row_of};

/// What a hook says, which is nowhere else in an answer.
const WORD: &str = "KUMQUAT";
/// How a person is told of a decision that nothing else comes of.
const TOLD: &str = "pintle: a hook said";
/// The end of the words of an ability that asks for no answer.
const AS_WITHOUT: &str = "as without the hook";
/// The words of what becomes of the host's next calls.
const LATER_CALLS: [&str; 2] = ["every tool call is denied", "tool calls is denied"];
/// The events that are about what is to come, and those that are about what came of it.
const BEFORE: [&str; 7] =
    ["prompt.submit", "turn.start", "tool.transform", "tool.pre", "delegation.pre", "permission.ask", "completion.pre"];
const AFTER: [&str; 6] = ["tool.result", "tool.post", "delegation.post", "agent.stop", "turn.end", "completion.post"];

/// A host with the payloads that it really sent.
struct Sent {
    host: &'static Host,
    files: Vec<PathBuf>,
}

impl Sent {
    /// A payload of an event, of the session `s1`: one that was really sent, else one of Claude Code where the host speaks
    /// like it, else the fields of all that were sent.
    fn payload(&self, row: &'static Row) -> Vec<u8> {
        let read = |file: &PathBuf| serde_json::from_slice::<Map<String, Value>>(&fs::read(file).unwrap()).unwrap();
        let claude = Host::named("claude").unwrap();
        let like_claude = row.tools.is_some().then(|| data(claude).join("payloads"));
        let exact = |folder: PathBuf| Some(folder.join(format!("{}.json", row.name))).filter(|file| file.exists());
        let own = exact(data(self.host).join("payloads")).or_else(|| exact(like_claude?));
        let mut fields = own.as_ref().map_or_else(Map::new, read);
        if own.is_none() {
            let mut files = self.files.clone();
            // The plain call of a tool before all others.
            files.sort_by_key(|file| (!row_of(self.host, file).fires.contains(&"tool.pre"), file.as_os_str().len()));
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
        for name in ["agent_id", "agentId", "parent_agent_id"] {
            fields.shift_remove(name);
        }
        fields.entry("hook_event_name").and_modify(|name| *name = Value::from(row.name));
        serde_json::to_vec(&fields).unwrap()
    }

    fn answer(&self, row: &'static Row, hooks: Vec<Hook>, state: &Path) -> Answer {
        answered_in(self.host, row, &self.payload(row), hooks, Some(state))
    }

    /// The host's next call of a canonical event, when nobody has anything to say any more.
    fn next(&self, event: &str, state: &Path) -> Answer {
        let row = self.host.rows.iter().find(|row| row.fires.contains(&event) && !row.noisy).unwrap();
        self.answer(row, Vec::new(), state)
    }
}

/// What a row comes to without a hook, and with one that denies on its first event.
struct Known {
    plain: Answer,
    denied: Answer,
    /// What the host's next tool call comes to when nothing was said before.
    free: Answer,
}

/// What comes of a decision of one hook.
struct Came {
    event: &'static str,
    /// Whether the hook gave a reminder rather than another text.
    is_reminder: bool,
    answer: Answer,
    is_plain: bool,
    /// Whether the host's next tool call is denied.
    denies_later: bool,
    /// Whether the model is told at one of the host's next events.
    tells_later: bool,
}

impl Came {
    fn says(&self, text: &str) -> bool {
        self.answer.stdout.contains(text) || self.answer.stderr.contains(text)
    }

    /// Whether the host is told to do something.
    fn is_done(&self, verb: Verb) -> bool {
        let shows = matches!(verb, Verb::Approve | Verb::Rewrite | Verb::Output) || self.says(WORD);
        !self.is_plain && shows && (verb == Verb::Notice || !self.says(TOLD))
    }

    /// Whether nothing comes of it, but that somebody is told so.
    fn is_nothing(&self) -> bool {
        (self.is_plain || self.says(TOLD)) && !self.denies_later && !self.tells_later
    }

    /// Whether it is as an ability says.
    fn is(&self, ability: Ability, verb: Verb, known: &Known) -> bool {
        match ability {
            Ability::Does => self.is_done(verb) && !self.is_reminder,
            Ability::Nearly(how) | Ability::Later(how) if self.is_reminder && !how.contains("reminder") => false,
            Ability::Nearly(how) if LATER_CALLS.iter().any(|words| how.contains(words)) => self.denies_later,
            Ability::Nearly(how) if how.ends_with(AS_WITHOUT) => self.is_plain && !self.denies_later,
            Ability::Nearly(_) => self.is_done(verb),
            Ability::Later(_) => self.is_plain && self.tells_later,
            Ability::Denies(why) | Ability::OnlyApproved(why) => {
                self.says(why) && form(&self.answer) == form(&known.denied)
            }
            Ability::Ends(_) => self.denies_later,
            Ability::Tells(why) => self.says(TOLD) && self.says(why) && self.is_nothing(),
            Ability::Lost(_) | Ability::Absent => self.is_nothing(),
        }
    }
}

/// Whether what comes of a decision on the events of a row is what is reported of it.
fn holds(row: &'static Row, verb: Verb, all: &[Came], known: &Known) -> bool {
    let ability = row.can.of(verb);
    let each = |wanted: fn(&Came) -> bool| all.iter().all(wanted);
    let one = || all.iter().any(|came| came.is(ability, verb, known));
    match ability {
        Ability::Absent => each(Came::is_nothing),
        // Whoever can be told is told, so that it is not lost.
        Ability::Lost(_) if row.can.notice == Ability::Does => !all.is_empty() && each(|came| came.is_plain),
        Ability::Lost(_) => !all.is_empty() && each(Came::is_nothing),
        Ability::Tells(_) => row.can.notice == Ability::Does && one() && each(Came::is_nothing),
        _ => one(),
    }
}

/// An answer without its words.
fn form(answer: &Answer) -> (String, u8) {
    fn wordless(value: &Value) -> Value {
        match value {
            Value::String(text) if text.contains(' ') || text == WORD => Value::from(".."),
            Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), wordless(value))).collect(),
            other => other.clone(),
        }
    }
    let out = serde_json::from_str(&answer.stdout).map(|value| wordless(&value).to_string());
    (out.unwrap_or_default(), answer.exit_code)
}

/// The hooks that say something on an event, each in another way; none where there is nothing to be said about.
fn saying(verb: Verb, event: &'static str) -> Vec<Hook> {
    let hook = |say: fn(&Value) -> Verdict| {
        native::hook("h", EventName::parse(event).unwrap(), move |call| say(call.event.payload.value()))
    };
    let rewriting = |payload: &Value| match payload {
        Value::String(_) => Verdict::pass().with_rewrite(Rewrite::Whole(Value::from("REWRITTEN"))),
        fields => {
            let mut changes = changed(fields);
            if let Some(Value::Object(args)) = changes.get_mut("args") {
                args.insert(String::from("more"), Value::from("REWRITTEN"));
            }
            Verdict::rewrite(changes)
        }
    };
    match verb {
        Verb::Deny => vec![hook(|_| Verdict::deny(WORD))],
        Verb::Stop => vec![Hook { on_deny: DenyEffect::StopRun, ..hook(|_| Verdict::deny(WORD)) }],
        Verb::Ask => vec![hook(|_| Verdict::ask(WORD))],
        Verb::Approve => vec![hook(|_| Verdict::allow(WORD))],
        Verb::Notice => vec![hook(|_| Verdict::pass().with_effect(Effect::Notice(String::from(WORD))))],
        Verb::Context => vec![
            hook(|_| Verdict::pass().with_effect(Effect::Context(String::from(WORD)))),
            hook(|_| Verdict::pass().with_effect(Effect::Reminder(Reminder::for_one_turn(WORD)))),
        ],
        Verb::Rewrite if BEFORE.contains(&event) => vec![hook(rewriting)],
        Verb::Output if AFTER.contains(&event) => vec![hook(rewriting)],
        Verb::Output if event.starts_with("compact.") => {
            vec![hook(|_| Verdict::pass().with_effect(Effect::Summary(String::from(WORD))))]
        }
        Verb::Rewrite | Verb::Output => Vec::new(),
    }
}

/// Has a hook say something on each event of a row.
fn said(sent: &Sent, row: &'static Row, verb: Verb, known: &Known) -> Vec<Came> {
    let mut all = Vec::new();
    for event in row.fires {
        for (at, hook) in saying(verb, event).into_iter().enumerate() {
            let state = tempfile::tempdir().unwrap();
            let answer = sent.answer(row, vec![hook], state.path());
            // What is kept for later is looked at where something can be.
            let may_deny = matches!(verb, Verb::Deny | Verb::Ask | Verb::Stop | Verb::Output);
            let later = (may_deny || verb == Verb::Context).then(|| sent.next("tool.pre", state.path()));
            let prompt = (verb == Verb::Context).then(|| sent.next("prompt.submit", state.path()));
            all.push(Came {
                event,
                is_reminder: at > 0,
                is_plain: answer == known.plain,
                answer,
                denies_later: may_deny && later.as_ref().is_some_and(|later| *later != known.free),
                tells_later: later.iter().chain(&prompt).any(|answer| answer.stdout.contains(WORD)),
            });
        }
    }
    all
}

#[test]
fn what_is_reported_of_a_host_is_what_comes_of_it() {
    let mut wrong = String::new();
    for (host, files) in hosts() {
        let sent = Sent { host, files };
        let anew = || tempfile::tempdir().unwrap();
        let free = sent.next("tool.pre", anew().path());
        for row in host.rows {
            let Some(first) = row.fires.first() else { continue };
            let plain = sent.answer(row, Vec::new(), anew().path());
            let denied = sent.answer(row, saying(Verb::Deny, first), anew().path());
            let known = Known { plain, denied, free: free.clone() };
            for verb in Verb::ALL {
                let all = said(&sent, row, verb, &known);
                if holds(row, verb, &all, &known) {
                    continue;
                }
                writeln!(wrong, "{} {} {}: {:?}", host.name, row.name, verb.as_str(), row.can.of(verb)).unwrap();
                for Came { event, is_reminder, denies_later, tells_later, answer, .. } in all {
                    let kind = if is_reminder { " (a reminder)" } else { "" };
                    let later = format!("denies later: {denies_later}, tells later: {tells_later}");
                    writeln!(wrong, "    {event}{kind}: {answer:?}, {later}").unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
