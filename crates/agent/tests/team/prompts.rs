//! Messages of the user: at the beginning, during a turn, and queued.

use pintle_agent::Inbox;
use pintle_host::{Effect, Verdict};
use serde_json::json;
use std::sync::{Arc, Mutex};

use crate::support::{call, deny, hook, message_lines, rewrite, say};
use crate::team::fixture::{TeamFixture, TeamScenario, check_lines, is_denied};

/// Sends messages while the model's first tool call is being checked.
fn say_during_call(say: impl Fn(&Inbox) + Send + Sync + 'static) -> (pintle_host::Hook, Arc<Mutex<Option<Inbox>>>) {
    let inbox: Arc<Mutex<Option<Inbox>>> = Arc::default();
    let known = Arc::clone(&inbox);
    let hook = hook("person", "tool.pre", move |_| {
        if let Some(inbox) = known.lock().unwrap().take() {
            say(&inbox);
        }
        Verdict::pass()
    });
    (hook, inbox)
}

fn open_with_inbox(scenario: TeamScenario, user: (pintle_host::Hook, Arc<Mutex<Option<Inbox>>>)) -> TeamFixture {
    let (hook, inbox) = user;
    let fixture = scenario.hook(hook).open();
    *inbox.lock().unwrap() = Some(fixture.session.inbox());
    fixture
}

#[test]
fn a_denied_prompt_never_enters_the_conversation() {
    let guard = hook("words", "prompt.submit", |call| match call.event.payload.field("prompt") {
        Some(prompt) if prompt == &json!("secret") => Verdict::deny("not that word"),
        _ => Verdict::pass(),
    });
    let mut fixture = TeamScenario::from_replies([say("hi")]).hook(guard).open();
    assert_eq!(is_denied(fixture.session.turn("secret")), "not that word");
    check_lines(
        &fixture.events.take()[1..],
        "
        prompt.submit secret
        notification error not that word
        error hook not that word blocked
        user.input prompt
        ",
    );
    fixture.session.turn("hello").unwrap();
    assert_eq!(message_lines(&fixture.model.request(0)), ["system: be brief", "user: hello"]);
}

#[test]
fn a_prompt_may_be_rewritten_and_its_context_holds_for_the_run() {
    let context =
        hook("hint", "prompt.submit", |_| Verdict::pass().with_effect(Effect::Context(String::from("logs: /tmp"))));
    let scene = TeamScenario::from_replies([call(&[("look", "{}")]), say("a"), say("b")])
        .hook(rewrite("prompt.submit", json!({"prompt": "show the logs, please"})))
        .hook(context);
    let mut fixture = scene.open();
    fixture.session.turn("logs").unwrap();
    assert_eq!(
        message_lines(&fixture.model.request(0)),
        ["system: be brief\n\nlogs: /tmp", "user: show the logs, please"]
    );
    assert_eq!(message_lines(&fixture.model.request(1))[0], "system: be brief\n\nlogs: /tmp");
}

#[test]
fn steering_precedes_next_model_call_and_replaces_prompt_context() {
    let user = say_during_call(|inbox| {
        inbox.steer("leave the tests alone");
        inbox.steer("and hurry");
    });
    let context = hook("hint", "prompt.submit", |_| Verdict::pass().with_effect(Effect::Context(String::from("old"))));
    let newer = hook("hint", "prompt.steer", |_| Verdict::pass().with_effect(Effect::Context(String::from("new"))));
    let scene = TeamScenario::from_replies([call(&[("look", "{}")]), say("done")]).hook(context).hook(newer);
    let mut fixture = open_with_inbox(scene, user);
    fixture.session.turn("go").unwrap();
    check_lines(
        &fixture.events.lines_of(&["prompt.steer", "iteration.start", "iteration.end"]),
        r#"
        iteration.start 1
        prompt.steer ["leave the tests alone","and hurry"]
        iteration.end 1 steered
        iteration.start 2
        iteration.end 2 normal
        "#,
    );
    let second = message_lines(&fixture.model.request(1));
    assert_eq!(second[0], "system: be brief\n\nnew");
    assert_eq!(second[4..], ["user: leave the tests alone", "user: and hurry"]);
}

#[test]
fn steering_in_the_place_of_the_end_goes_on_and_a_follow_up_comes_last() {
    let scene = TeamScenario::from_replies([say("one"), say("two"), say("three")]);
    let mut fixture = scene.open();
    let inbox = fixture.session.inbox();
    inbox.follow_up("and the changelog");
    inbox.steer("not so fast");
    assert_eq!(inbox.message_count(), 2);
    assert_eq!(fixture.session.turn("go").unwrap().text, "two");
    assert_eq!(inbox.message_count(), 0);
    check_lines(
        &fixture.events.lines_of(&["prompt.steer", "prompt.followup", "agent.stop", "iteration.end"]),
        r#"
        prompt.steer ["not so fast"]
        agent.stop one
        prompt.followup and the changelog 0
        iteration.end 1 continue
        agent.stop two
        iteration.end 2 normal
        "#,
    );
    let scene = TeamScenario::from_replies([say("one"), say("two")]);
    let late: Arc<Mutex<Option<Inbox>>> = Arc::default();
    let known = Arc::clone(&late);
    let speak = hook("person", "agent.stop", move |_| {
        if let Some(inbox) = known.lock().unwrap().take() {
            inbox.steer("one more thing");
        }
        Verdict::pass()
    });
    let mut fixture = scene.hook(speak).open();
    *late.lock().unwrap() = Some(fixture.session.inbox());
    assert_eq!(fixture.session.turn("go").unwrap().text, "two");
    assert_eq!(fixture.events.lines_of(&["iteration.end"]), ["iteration.end 1 steered", "iteration.end 2 normal"]);
}

#[test]
fn hooks_may_drop_what_a_person_says_and_the_person_is_told() {
    let user = say_during_call(|inbox| {
        inbox.steer("drop the database");
        inbox.follow_up("and the backups");
    });
    let scene = TeamScenario::from_replies([call(&[("look", "{}")]), say("done")])
        .hook(deny("prompt.steer", "not while it runs"))
        .hook(deny("prompt.followup", "never"));
    let mut fixture = open_with_inbox(scene, user);
    assert_eq!(fixture.session.turn("go").unwrap().text, "done");
    let notices: Vec<String> = fixture.notices.lines().into_iter().filter(|line| line.starts_with("notice")).collect();
    assert_eq!(
        notices,
        ["notice: your message was dropped: not while it runs", "notice: your prompt was dropped: never"]
    );
    assert!(!message_lines(&fixture.model.request(1)).iter().any(|line| line.contains("database")));
}

#[test]
fn the_text_of_a_reply_is_told_once_no_hook_can_change_it() {
    // The fixture's hooks listen to every event and could change it.
    let mut fixture = TeamScenario::from_replies([say("hello")]).open();
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.notices.lines(), ["answered: hello", "message: hello"]);
}

#[test]
fn clearing_a_members_session_ends_it_and_begins_another() {
    let context = hook("where", "session.start", |call| {
        let source = call.event.payload.field("source").unwrap().as_str().unwrap();
        Verdict::pass().with_effect(Effect::Context(format!("began by {source}")))
    });
    let mut fixture = TeamScenario::from_replies([say("a"), say("b")]).hook(context).open();
    fixture.session.turn("one").unwrap();
    fixture.session.clear().unwrap();
    fixture.session.turn("two").unwrap();
    fixture.session.end();
    fixture.session.end();
    drop(fixture.session);
    let expected = "session.start startup\nsession.end clear\nsession.start clear\nsession.end done";
    check_lines(&fixture.events.lines_of(&["session.start", "session.end"]), expected);
    assert_eq!(message_lines(&fixture.model.request(1)), ["system: be brief\n\nbegan by clear", "user: two"]);
}
