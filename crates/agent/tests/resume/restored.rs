//! State besides messages is restored from the tape: reminders, personas, the active agent, and the number of calls.

use std::sync::Arc;

use pintle_agent::{DaemonOptions, PersonaStep, Session, SessionBuilder, StepError};
use pintle_host::contract::{
    AgentSpec, ExitSpec, MemberSpec, PermissionMode, PermissionsSpec, PersonaSpec, StepSpec, TeamSpec,
};
use pintle_host::dialects::docker_agent::LOOP_RULES;
use pintle_host::tape::{HeaderRecord, LoadedTape, Tape};
use pintle_host::{Effect, Hook, Layer, Reminder, Runtime, SystemClock, Verdict, native};
use serde_json::{Value, json};

use crate::resume::fixture::{parse_tape, text_of};
use crate::support::{QueuedReply, QueuedReplyModel, RecordingSleeper, agent, call, hook, message_lines, say};

/// A session with hooks and a tape in memory. The directory lasts as long as the session.
struct RestoredFixture {
    session: Session,
    model: Arc<QueuedReplyModel>,
    runtime: Arc<Runtime>,
    _folder: tempfile::TempDir,
}

fn open_restored(
    model: Arc<QueuedReplyModel>,
    spec: AgentSpec,
    hooks: impl IntoIterator<Item = Hook>,
    more: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> Result<RestoredFixture, String> {
    let dir = tempfile::tempdir().unwrap();
    let tape = Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default()));
    let runtime = Runtime::builder().tape(Arc::new(tape)).chain(native::chain("test", Layer::Project, hooks));
    let runtime = runtime.build().unwrap();
    let builder = Session::builder(Arc::clone(&runtime), spec, model.clone()).workspace(dir.path()).name("s");
    let session =
        more(builder.sleeper(Arc::new(RecordingSleeper::default()))).build().map_err(|error| error.to_string())?;
    Ok(RestoredFixture { session, model, runtime, _folder: dir })
}

fn open_new(replies: impl IntoIterator<Item = QueuedReply>, hooks: impl IntoIterator<Item = Hook>) -> RestoredFixture {
    open_restored(QueuedReplyModel::root(replies), agent(), hooks, |builder| builder).unwrap()
}

impl RestoredFixture {
    fn read_tape(&self) -> LoadedTape {
        parse_tape(&text_of(&self.runtime))
    }

    /// The requests that contain this text.
    fn requests_with(&self, words: &str) -> Vec<bool> {
        (0..self.model.count())
            .map(|index| message_lines(&self.model.request(index)).join("\n").contains(words))
            .collect()
    }

    /// The same session from this tape, in another process.
    fn resume(&self, replies: impl IntoIterator<Item = QueuedReply>, hooks: impl IntoIterator<Item = Hook>) -> Self {
        let tape = self.read_tape();
        open_restored(QueuedReplyModel::root(replies), agent(), hooks, |builder| builder.resume(tape)).unwrap()
    }
}

/// A hook that injects a reminder at each prompt.
fn reminder_hook(reminder: &Reminder) -> Hook {
    let reminder = reminder.clone();
    hook("reminds", "prompt.submit", move |_| Verdict::pass().with_effect(Effect::Reminder(reminder.clone())))
}

#[test]
fn reminders_go_on_as_if_the_session_had_never_been_cut_off() {
    const KEPT: Reminder = Reminder {
        body: String::new(),
        tags: Vec::new(),
        dedupe_key: None,
        ttl_turns: None,
        preserve_on_compact: true,
        propagate: pintle_host::contract::ReminderPropagation::None,
        role_hint: pintle_host::contract::ReminderRoleHint::System,
        authority: pintle_host::contract::ReminderAuthority::Contract,
    };
    let body = || String::from("heed this");
    let keyed = |ttl_turns| Reminder { dedupe_key: Some(String::from("k")), ttl_turns, body: body(), ..KEPT };
    let plain = |ttl_turns| Reminder { ttl_turns, body: body(), preserve_on_compact: false, ..KEPT };
    let newer = || Reminder { body: String::from("a newer word"), ..keyed(None) };
    let lesser = || Reminder { authority: pintle_host::contract::ReminderAuthority::Advisory, ..newer() };
    let turn = |session: &mut Session| drop(session.turn("one").unwrap());
    let compacted = |session: &mut Session| {
        session.turn("one").unwrap();
        session.compact(None).unwrap().unwrap();
    };
    let cleared = |session: &mut Session| {
        session.turn("one").unwrap();
        session.clear().unwrap();
    };
    type Before = fn(&mut Session);
    /// The reminder of a hook, what happens before the interruption, the reminder of a hook after it, and which of the
    /// three requests after it carry the text.
    type Case = (&'static str, Reminder, Before, Option<Reminder>, [bool; 3]);
    let cases: [Case; 11] = [
        ("its time goes on", plain(Some(3)), turn, None, [true, true, false]),
        ("its time is over", plain(Some(1)), turn, None, [false; 3]),
        ("it stays", plain(None), turn, None, [true; 3]),
        ("it was sent already", keyed(Some(1)), turn, Some(keyed(Some(1))), [false; 3]),
        ("it has no key", plain(Some(1)), turn, Some(plain(Some(1))), [true; 3]),
        ("a newer one takes its place", keyed(None), turn, Some(newer()), [false; 3]),
        ("a lesser one does not", keyed(None), turn, Some(lesser()), [true; 3]),
        ("a compaction drops it", plain(None), compacted, None, [false; 3]),
        ("it outlives a compaction", keyed(None), compacted, None, [true; 3]),
        ("a cleared conversation drops it", keyed(None), cleared, None, [false; 3]),
        (
            "a cleared conversation knows it no more",
            keyed(Some(1)),
            cleared,
            Some(keyed(Some(1))),
            [true, false, false],
        ),
    ];
    for (name, reminder, before, after, expected) in cases {
        let mut one = open_new([say("a"), say("the gist")], [reminder_hook(&reminder)]);
        before(&mut one.session);
        let replies = || [say("b"), say("c"), say("d")];
        let mut two = one.resume(replies(), after.iter().map(reminder_hook));
        // The same without an interruption: the earlier hook is not called any more.
        let mut whole =
            open_new([say("a"), say("the gist")].into_iter().chain(replies()), [first_prompt_hook(&reminder, &after)]);
        before(&mut whole.session);
        let made = whole.model.count();
        for prompt in ["two", "three", "four"] {
            two.session.turn(prompt).unwrap();
            whole.model.add("root", replies());
            whole.session.turn(prompt).unwrap();
        }
        assert_eq!(two.requests_with("heed this"), expected, "{name}");
        assert_eq!(whole.requests_with("heed this").split_off(made), expected, "{name}, without a cut");
    }
}

/// A hook that injects one reminder at the first prompt and another one at all later prompts.
fn first_prompt_hook(reminder: &Reminder, after: &Option<Reminder>) -> Hook {
    let (first, later) = (reminder.clone(), after.clone());
    hook("reminds", "prompt.submit", move |call| {
        let is_first = call.event.payload.field("prompt") == Some(&json!("one"));
        let wanted = if is_first { Some(&first) } else { later.as_ref() };
        wanted.map_or_else(Verdict::pass, |wanted| Verdict::pass().with_effect(Effect::Reminder(wanted.clone())))
    })
}

fn captain_persona() -> PersonaSpec {
    let merge = StepSpec { approval: Some(String::from("it is serious")), ..StepSpec::new("merge") };
    PersonaSpec { name: String::from("captain"), steps: vec![StepSpec::new("audit"), merge], ..PersonaSpec::default() }
}

fn auditor_persona() -> PersonaSpec {
    let refused = StepSpec { approval: Some(String::from("it is serious")), ..StepSpec::new("merge") };
    PersonaSpec {
        name: String::from("auditor"),
        steps: vec![StepSpec::new("check"), StepSpec::new("denied"), refused],
        ..PersonaSpec::default()
    }
}

fn prompt_step(step: &mut PersonaStep<'_>) -> Result<Value, StepError> {
    Ok(json!(step.run_prompt("go")?.text))
}

/// Runs the auditor inside a step of the captain, in the named step of its own, and sends one more prompt after it.
fn run_auditor_within(session: &mut Session, name: &str) {
    let mut captain = session.persona(&captain_persona()).unwrap();
    let done = captain.step("audit", json!([]), |step| {
        let mut inner = step.persona(&auditor_persona()).map_err(StepError::from)?;
        let _ = inner.step(name, json!([]), prompt_step);
        prompt_step(step)
    });
    done.unwrap();
}

#[test]
fn personas_are_as_paused_and_have_used_as_much_as_before() {
    type Before = fn(&mut Session);
    /// What happens before the interruption, who is paused after it, and the tokens of the captain and the auditor.
    type Case = (&'static str, Before, &'static [&'static str], [u64; 2]);
    let cases: [Case; 10] = [
        ("nothing", |_| {}, &[], [0, 0]),
        (
            "a step",
            |session| drop(session.persona(&captain_persona()).unwrap().step("audit", json!([]), prompt_step)),
            &[],
            [11, 0],
        ),
        (
            "a step that a person refuses",
            |session| drop(session.persona(&captain_persona()).unwrap().step("merge", json!([]), prompt_step)),
            &[],
            [0, 0],
        ),
        ("a role in a role", |session| run_auditor_within(session, "check"), &[], [22, 11]),
        ("a role in a role, which a hook denies", |session| run_auditor_within(session, "denied"), &[], [11, 0]),
        ("a role in a role, which a person refuses", |session| run_auditor_within(session, "merge"), &[], [11, 0]),
        (
            "the inner role alone, after both",
            |session| {
                run_auditor_within(session, "check");
                session.persona(&auditor_persona()).unwrap().step("check", json!([]), prompt_step).unwrap();
            },
            &[],
            [22, 22],
        ),
        (
            "a step without a persona in one",
            |session| {
                session
                    .persona(&captain_persona())
                    .unwrap()
                    .step("audit", json!([]), |step| step.step("audit", json!([]), prompt_step))
                    .unwrap();
            },
            &[],
            [11, 0],
        ),
        ("a pause", |session| session.pause_persona("auditor", "wait", "person"), &["auditor: wait by person"], [0, 0]),
        (
            "a pause that is over, and another one",
            |session| {
                session.pause_persona("auditor", "wait", "person");
                session.pause_persona("captain", "look", "host");
                session.resume_persona("auditor", "go on", "person");
            },
            &["captain: look by host"],
            [0, 0],
        ),
    ];
    let denies = || {
        hook("denies", "step.pre", |call| {
            let is_it = call.event.payload.field("step") == Some(&json!("denied"));
            if is_it { Verdict::deny("not this one") } else { Verdict::pass() }
        })
    };
    for (name, before, paused, used) in cases {
        let mut one = open_new([say("a"), say("b"), say("c")], [denies()]);
        one.session.start().unwrap();
        before(&mut one.session);
        let mut two = one.resume([], [denies()]);
        for (set, when) in [(&mut one, "before"), (&mut two, "after")] {
            let told = set.session.paused_personas().into_iter();
            let told: Vec<String> = told.map(|p| format!("{}: {} by {}", p.persona, p.reason, p.source)).collect();
            assert_eq!(told, paused, "{name}, {when} the cut");
            let of = [captain_persona(), auditor_persona()]
                .map(|spec| set.session.persona(&spec).unwrap().usage().usage.total_tokens);
            assert_eq!(of, used, "{name}, {when} the cut");
        }
    }
}

fn member_spec(name: &str, handoffs: &[&str], forced_handoff: Option<&str>) -> AgentSpec {
    let handoffs = handoffs.iter().map(|to| (*to).to_owned()).collect();
    let forced_handoff = forced_handoff.map(str::to_owned);
    let exit = ExitSpec { max_consecutive_tool_calls: 5, ..ExitSpec::default() };
    let member = MemberSpec { handoffs, forced_handoff, ..MemberSpec::default() };
    AgentSpec { name: name.to_owned(), exit, rules: LOOP_RULES, member: Some(member), ..AgentSpec::default() }
}

fn open_team(
    model: Arc<QueuedReplyModel>,
    specs: &[AgentSpec],
    tape: Option<LoadedTape>,
) -> Result<RestoredFixture, String> {
    let permissions = PermissionsSpec { mode: Some(PermissionMode::Autonomous), ..PermissionsSpec::default() };
    let team = TeamSpec { agents: specs.iter().cloned().map(Arc::new).collect(), permissions: permissions.clone() };
    open_restored(model, specs[0].clone(), [], |builder| {
        let builder = builder.team(team).permissions(permissions);
        match tape {
            Some(tape) => builder.resume(tape),
            None => builder,
        }
    })
}

fn handoff_reply(agent: &str) -> QueuedReply {
    call(&[("handoff", &json!({"agent": agent}).to_string())])
}

#[test]
fn the_agent_that_spoke_last_speaks_again() {
    /// The agents' replies before the interruption, the forced hand-off of `root`, whether the conversation is cleared,
    /// and the active agent after it.
    type Case = (&'static str, Vec<(&'static str, QueuedReply)>, Option<&'static str>, bool, &'static str);
    let cases: Vec<Case> = vec![
        ("no hand-off", vec![("root", say("hello"))], None, false, "root"),
        ("a hand-off", vec![("root", handoff_reply("billing")), ("billing", say("paid"))], None, false, "billing"),
        (
            "there and back",
            vec![("root", handoff_reply("billing")), ("billing", handoff_reply("root")), ("root", say("hello"))],
            None,
            false,
            "root",
        ),
        ("a forced one", vec![("root", say("draft")), ("billing", say("final"))], Some("billing"), false, "billing"),
        ("cleared behind it", vec![("root", handoff_reply("billing")), ("billing", say("paid"))], None, true, "root"),
    ];
    for (name, replies, forced, is_cleared, expected) in cases {
        let specs = [member_spec("root", &["billing"], forced), member_spec("billing", &["root"], None)];
        let model = QueuedReplyModel::root([]);
        replies.into_iter().for_each(|(agent, reply)| model.add(agent, [reply]));
        let mut one = open_team(model, &specs, None).unwrap();
        one.session.turn("my bill").unwrap();
        if is_cleared {
            one.session.clear().unwrap();
        }
        assert_eq!(one.session.agent(), expected, "{name}, before the cut");

        let model = QueuedReplyModel::root([say("again")]);
        model.add("billing", [say("again")]);
        let mut two = open_team(model, &specs, Some(one.read_tape())).unwrap();
        assert_eq!(two.session.agent(), expected, "{name}");
        two.session.turn("thanks").unwrap();
        assert_eq!(two.model.request(0).agent, expected, "{name}");
        let knows = two.requests_with("my bill")[0];
        assert_eq!(knows, !is_cleared, "{name}: the conversation comes along");

        let alone = open_team(QueuedReplyModel::root([]), &specs[..1], Some(one.read_tape()));
        assert_eq!(alone.is_err(), expected == "billing", "{name}: an agent that is gone cannot speak");
        if let Err(reason) = alone {
            assert!(reason.contains("`billing`"), "{reason}");
        }
    }
}

#[test]
fn a_daemon_counts_its_model_calls_on() {
    let heard = |at: &Arc<std::sync::Mutex<Vec<Value>>>| {
        let at = Arc::clone(at);
        hook("heard", "session.idle", move |call| {
            at.lock().unwrap().push(call.event.payload.field("iteration").cloned().unwrap_or_default());
            Verdict::pass()
        })
    };
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let once = DaemonOptions { wake_interval_ms: 50, max_idle: Some(1) };
    let mut one = open_new([call(&[("list", "{}")]), say("a"), say("the gist"), say("b")], [heard(&seen)]);
    one.session.turn("one").unwrap();
    one.session.compact(None).unwrap().unwrap();
    one.session.turn("two").unwrap();
    one.session.run_daemon(once, |_, _| {}).unwrap();
    let mut two = one.resume([say("c")], [heard(&seen)]);
    two.session.run_daemon(once, |_, _| {}).unwrap();
    let mut three = one.resume([say("c")], [heard(&seen)]);
    three.session.turn("three").unwrap();
    three.session.run_daemon(once, |_, _| {}).unwrap();
    assert_eq!(*seen.lock().unwrap(), [json!(3), json!(3), json!(4)]);
}
