//! Reminders, request by request.

use std::sync::Arc;

use pintle_agent::model::{MessageRole, ModelError, ModelMessage};
use pintle_host::contract::{AgentSpec, ReminderAuthority, ReminderPropagation, ReminderRoleHint};
use pintle_host::{Effect, Reminder, Verdict};
use serde_json::json;

use crate::lifecycle::{open_fixture, open_fixture_with, reminder_hook};
use crate::support::{QueuedReplyModel, agent, call, hook, rewrite, say};

fn keyed_reminder(body: &str, ttl_turns: Option<u32>) -> Reminder {
    Reminder { dedupe_key: Some(String::from("k")), ttl_turns, ..Reminder::for_one_turn(body) }
}

fn model_with_rounds(count: usize) -> Arc<QueuedReplyModel> {
    let look = (0..count).map(|_| call(&[("list", "{}")]));
    QueuedReplyModel::root(look.chain([say("done")]))
}

/// Gap 18.
#[test]
fn one_turn_reminder_is_sent_once_with_the_turn_it_fired_in() {
    let once = Reminder { dedupe_key: Some(String::from("k")), ..Reminder::for_one_turn("mind the gap") };
    let mut fixture = open_fixture(model_with_rounds(3), [reminder_hook("iteration.post", once)]);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.count_sent("mind the gap"), [0, 1, 0, 0]);
    let block = fixture.model.request(1).messages.last().unwrap().content.clone();
    assert!(block.contains("fired_at_turn=\"1\" ttl_turns=\"1\">\nmind the gap\n"), "{block}");
    assert_eq!(
        fixture.reminder_records(),
        [
            "1 injected mind the gap",
            "1 rendered mind the gap",
            "1 expired mind the gap",
            "1 deduped mind the gap",
            "1 deduped mind the gap",
            "1 deduped mind the gap",
        ]
    );
}

/// Gap 18: exactly the given number of requests, also across the end of a turn.
#[test]
fn ttl_counts_the_requests_that_carried_it() {
    for ttl in 1..=4_u32 {
        let mut fixture = open_fixture(
            model_with_rounds(2),
            [reminder_hook("prompt.submit", keyed_reminder("heed this", Some(ttl)))],
        );
        fixture.model.add("root", [say("again")]);
        fixture.session.turn("go").unwrap();
        fixture.session.turn("go on").unwrap();
        let expected: Vec<usize> = (0..4).map(|at| usize::from(at < ttl)).collect();
        assert_eq!(fixture.count_sent("heed this"), expected, "ttl {ttl}");
    }
}

/// Gap 19.
#[test]
fn repeated_reminder_is_sent_once_and_newer_text_replaces_it() {
    let stays = reminder_hook("iteration.post", keyed_reminder("keep it short", None));
    let mut fixture = open_fixture(model_with_rounds(3), [stays]);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.count_sent("keep it short"), [0, 1, 1, 1]);

    let counts = hook("counts", "iteration.post", |call| {
        let round = call.event.payload.field("iteration").cloned().unwrap_or_default();
        Verdict::pass().with_effect(Effect::Reminder(keyed_reminder(&format!("round {round} is over"), None)))
    });
    let mut fixture = crate::lifecycle::open_fixture(model_with_rounds(3), [counts]);
    fixture.session.turn("go").unwrap();
    for (body, expected) in [("round 1", [0, 1, 0, 0]), ("round 2", [0, 0, 1, 0]), ("round 3", [0, 0, 0, 1])] {
        assert_eq!(fixture.count_sent(body), expected, "{body}");
    }
}

#[test]
fn what_stands_before_the_reminders_is_the_same_in_the_next_request() {
    let mut fixture =
        open_fixture(model_with_rounds(3), [reminder_hook("iteration.post", keyed_reminder("at the end", None))]);
    fixture.session.turn("go").unwrap();
    for index in 1..3 {
        let (one, next) = (fixture.model.request(index).messages, fixture.model.request(index + 1).messages);
        let (block, before) = one.split_last().unwrap();
        assert!(block.content.contains("at the end"));
        assert!(next.starts_with(before), "request {index}");
        assert!(!next.contains(block) || next.last() == Some(block), "no block is left in the middle");
    }
}

/// Gap 20, `role_hint`, and gap 21, the order of authority.
#[test]
fn a_block_has_the_voice_and_the_order_that_its_reminders_want() {
    let with = |body: &str, authority, role_hint| Reminder { authority, role_hint, ..Reminder::for_one_turn(body) };
    let all = [
        with("first advice", ReminderAuthority::Advisory, ReminderRoleHint::System),
        with("a correction", ReminderAuthority::Corrective, ReminderRoleHint::Developer),
        with("the rule", ReminderAuthority::Contract, ReminderRoleHint::EphemeralCache),
        with("as I said", ReminderAuthority::Contract, ReminderRoleHint::UserBlock),
    ];
    let mut fixture =
        open_fixture(QueuedReplyModel::root([say("done")]), all.map(|reminder| reminder_hook("turn.start", reminder)));
    fixture.session.turn("go").unwrap();
    let request = fixture.model.request(0);
    let [.., said, host, user] = request.messages.as_slice() else { panic!("{request:?}") };
    assert_eq!((said, host.role, user.role), (&ModelMessage::user("go"), MessageRole::System, MessageRole::User));
    let places = ["the rule", "a correction", "first advice"].map(|body| host.content.find(body).unwrap());
    assert!(places.is_sorted(), "{}", host.content);
    assert!(user.content.contains("as I said") && !host.content.contains("as I said"));
    let nonce = |text: &str| text.split("nonce=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(nonce(&host.content).len(), 16);
    assert_eq!(nonce(&host.content), nonce(&user.content), "one nonce for the session");
}

/// Gap 21, at injection.
#[test]
fn a_lesser_authority_does_not_replace_a_greater_one() {
    let contract = reminder_hook("turn.start", keyed_reminder("the rule", None));
    let advice = Reminder { authority: ReminderAuthority::Advisory, ..keyed_reminder("some advice", None) };
    let mut fixture = open_fixture(model_with_rounds(1), [contract, reminder_hook("iteration.post", advice)]);
    fixture.session.turn("go").unwrap();
    assert_eq!((fixture.count_sent("the rule"), fixture.count_sent("some advice")), (vec![1, 1], vec![0, 0]));
}

#[test]
fn a_request_that_nobody_answered_carried_nothing() {
    let model = QueuedReplyModel::root([Err(ModelError::fatal("gone")), say("here")]);
    let first = hook("first", "prompt.submit", |call| {
        let is_first = call.event.payload.field("prompt") == Some(&json!("go"));
        let reminder = Effect::Reminder(Reminder::for_one_turn("heed this"));
        if is_first { Verdict::pass().with_effect(reminder) } else { Verdict::pass() }
    });
    let mut fixture = open_fixture(model, [first]);
    fixture.session.turn("go").unwrap_err();
    fixture.session.turn("again").unwrap();
    assert_eq!(fixture.count_sent("heed this"), [1, 1]);
    assert_eq!(fixture.reminder_records().iter().filter(|line| line.contains("rendered")).count(), 1);
}

#[test]
fn what_a_hook_takes_out_of_a_request_was_not_carried() {
    let bare = json!({"messages": [{"role": "user", "content": "nothing else"}]});
    let once = hook("once", "session.start", |_| {
        Verdict::pass().with_effect(Effect::Reminder(Reminder::for_one_turn("heed this")))
    });
    let mut fixture = open_fixture(model_with_rounds(1), [once, rewrite("completion.pre", bare)]);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.count_sent("heed this"), [0, 0]);
    assert_eq!(fixture.reminder_records(), ["0 injected heed this"]);
}

#[test]
fn a_reminder_of_a_hook_that_denies_counts_too() {
    let denies = hook("denies", "tool.pre", |_| {
        Verdict::deny("no").with_effect(Effect::Reminder(Reminder::for_one_turn("why not")))
    });
    let mut fixture = open_fixture(model_with_rounds(1), [denies]);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.count_sent("why not"), [0, 1]);
}

/// Gap 20, `propagate`.
#[test]
fn children_and_grandchildren_get_what_is_for_all_and_nothing_else() {
    let spec = |name: &str, agents: Vec<AgentSpec>| AgentSpec {
        name: name.to_owned(),
        agents: agents.into_iter().map(Arc::new).collect(),
        ..agent()
    };
    let root = spec("root", vec![spec("child", vec![spec("grandchild", Vec::new())])]);
    let delegate = |to: &str| call(&[("delegate", &json!({"agent": to, "task": "look"}).to_string())]);
    let model = QueuedReplyModel::root([delegate("child"), say("done")]);
    model.add("child", [delegate("grandchild"), say("looked")]);
    model.add("grandchild", [say("seen")]);
    let with = |body: &str, propagate| Reminder { body: body.to_owned(), propagate, ..Reminder::default() };
    let hooks = [
        reminder_hook("prompt.submit", with("for all", ReminderPropagation::All)),
        reminder_hook("prompt.submit", with("for this session", ReminderPropagation::Session)),
        reminder_hook("prompt.submit", with("for no copy", ReminderPropagation::None)),
    ];
    let mut fixture = open_fixture_with(model, root, hooks, |builder| builder);
    fixture.session.turn("go").unwrap();
    let agents: Vec<String> = (0..fixture.model.count()).map(|index| fixture.model.request(index).agent).collect();
    assert_eq!(agents, ["root", "child", "grandchild", "child", "root"]);
    assert_eq!(fixture.count_sent("for all"), [1, 1, 1, 1, 1]);
    assert_eq!(fixture.count_sent("for this session"), [1, 0, 0, 0, 1]);
    assert_eq!(fixture.count_sent("for no copy"), [1, 0, 0, 0, 1]);
    let inherited =
        fixture.reminder_records().into_iter().filter(|line| line.contains("inherited")).collect::<Vec<_>>();
    assert_eq!(inherited, ["0 inherited for all", "0 inherited for all"]);
}

#[test]
fn clearing_a_conversation_drops_its_reminders() {
    let mut fixture = open_fixture(
        QueuedReplyModel::root([say("a"), say("b")]),
        [reminder_hook("session.start", keyed_reminder("heed this", None))],
    );
    fixture.session.turn("one").unwrap();
    fixture.session.clear().unwrap();
    fixture.session.turn("two").unwrap();
    assert_eq!(fixture.count_sent("heed this"), [1, 0]);
}

#[test]
fn a_session_that_is_taken_up_again_goes_on_with_its_reminders() {
    let mut first = open_fixture(
        QueuedReplyModel::root([say("a")]),
        [reminder_hook("session.start", keyed_reminder("heed this", Some(3)))],
    );
    first.session.turn("one").unwrap();
    let lines: String = first.runtime.tape().unwrap().lines().iter().map(|line| format!("{line}\n")).collect();
    let reading = pintle_host::tape::read_bytes(lines.as_bytes()).unwrap();
    let model = QueuedReplyModel::root([say("b"), say("c"), say("d")]);
    let mut again = open_fixture_with(model, agent(), [], |builder| builder.resume(reading));
    for text in ["two", "three", "four"] {
        again.session.turn(text).unwrap();
    }
    assert_eq!(first.count_sent("heed this"), [1]);
    assert_eq!(again.count_sent("heed this"), [1, 1, 0]);
}

/// Effects of hooks for emitted events are used like any others.
#[test]
fn what_hooks_of_an_emitted_event_have_to_say_reaches_the_session() {
    for (by, denies) in [("turn.start", false), ("tool.pre", false), ("turn.start", true), ("iteration.post", true)] {
        let emits = hook("emits", by, |call| {
            let request =
                pintle_host::contract::EffectRequest::Emit { event: String::from("custom.seen"), payload: json!({}) };
            let _ = call.effects.perform(call.caller(), request);
            Verdict::pass()
        });
        let answers = hook("answers", "custom.seen", move |_| {
            let verdict = if denies { Verdict::deny("no") } else { Verdict::pass() };
            verdict.with_effect(Effect::Reminder(keyed_reminder("heed this", None)))
        });
        let mut fixture = open_fixture(model_with_rounds(1), [emits, answers]);
        fixture.session.turn("go").unwrap();
        assert_eq!(fixture.count_sent("heed this"), [usize::from(by == "turn.start"), 1], "{by}");
        let injected =
            fixture.reminder_records().into_iter().filter(|line| line.contains("injected")).collect::<Vec<_>>();
        assert_eq!(injected, ["1 injected heed this"], "{by}");
    }
}
