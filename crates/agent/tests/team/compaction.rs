//! Compaction: when it happens, which hooks may veto, steer or replace it, and what remains.

use pintle_agent::model::{ModelError, ModelReply, ModelUsage};
use pintle_host::contract::CompactionSpec;
use pintle_host::{ApprovalResponse, Effect, Verdict};
use serde_json::json;

use crate::support::{QueuedReply, call, deny, hook, message_lines, say};
use crate::team::fixture::{TeamFixture, TeamScenario, check_lines};

const EVENTS: &[&str] =
    &["compact.pre", "compact.before", "compact.post", "iteration.start", "iteration.end", "session.start", "error"];

/// A session whose model has a window of 200 tokens.
fn small_model_scenario(replies: impl IntoIterator<Item = QueuedReply>) -> TeamScenario {
    TeamScenario::from_replies(replies).spec(|spec| {
        spec.compaction = CompactionSpec { context_limit: Some(200), ..CompactionSpec::default() };
    })
}

/// An answer that the provider counts as nearly the whole window.
fn costly_reply(text: &str) -> QueuedReply {
    let usage = ModelUsage { input_tokens: 185, output_tokens: 5 };
    say(text).map(|reply| ModelReply { usage, ..reply })
}

fn event_lines(fixture: &TeamFixture) -> Vec<String> {
    fixture.events.lines_of(EVENTS)
}

#[test]
fn a_conversation_at_the_threshold_is_summed_up_before_the_next_call() {
    let keep =
        hook("keep", "session.start", |_| Verdict::pass().with_effect(Effect::Context(String::from("stay polite"))));
    let steer =
        hook("steer", "compact.pre", |_| Verdict::pass().with_effect(Effect::Context(String::from("keep the paths"))));
    let mut fixture =
        small_model_scenario([costly_reply("a"), say("the gist"), say("b")]).hook(keep).hook(steer).open();
    fixture.session.turn("one").unwrap();
    assert_eq!(fixture.session.turn("two").unwrap().text, "b");
    check_lines(
        &event_lines(&fixture),
        "
        session.start startup
        iteration.start 1
        iteration.end 1 normal
        compact.pre auto
        compact.before threshold
        compact.post threshold the gist
        iteration.start 1
        iteration.end 1 normal
        ",
    );
    let asked = fixture.model.request(1);
    assert!(asked.tools.is_empty());
    assert_eq!(
        asked.messages.iter().map(|message| message.role.as_str()).collect::<Vec<_>>(),
        ["system", "user", "assistant", "user"]
    );
    assert!(asked.messages.last().unwrap().content.ends_with("\n\nkeep the paths"));
    let expected = ["system: be brief\n\nstay polite", "user: Session Summary: the gist", "user: two"];
    assert_eq!(
        message_lines(&fixture.model.request(2)),
        expected,
        "what a session's start said outlives the compaction"
    );
}

#[test]
fn tool_results_that_push_it_over_are_named_as_the_cause() {
    let arguments = json!({"cmd": "x".repeat(900)}).to_string();
    let mut fixture = small_model_scenario([call(&[("shell", &arguments)]), say("the gist"), say("b")]).open();
    assert_eq!(fixture.session.turn("one").unwrap().text, "b");
    let pre = fixture.events.lines_of(&["compact.pre"]);
    assert_eq!(pre, ["compact.pre tool_overflow"]);
    assert_eq!(message_lines(&fixture.model.request(2))[1..], ["user: Session Summary: the gist", "user: one"]);
}

#[test]
fn a_veto_keeps_the_conversation_and_is_told() {
    for event in ["compact.pre", "compact.before"] {
        let mut fixture = small_model_scenario([costly_reply("a"), say("b")]).hook(deny(event, "not now")).open();
        fixture.session.turn("one").unwrap();
        assert_eq!(fixture.session.turn("two").unwrap().text, "b", "{event}");
        assert_eq!(fixture.events.lines_of(&["compact.post"]), Vec::<String>::new());
        assert_eq!(message_lines(&fixture.model.request(1)).len(), 4, "{event}: nothing was lost");
        let notice = String::from("notice: the conversation was not compacted: not now");
        assert!(fixture.notices.lines().contains(&notice), "{event}: {:?}", fixture.notices.lines());
    }
}

#[test]
fn the_first_summary_of_a_hook_is_used_verbatim_and_no_model_is_asked() {
    let write = |text: &'static str| {
        hook(text, "compact.before", move |_| Verdict::pass().with_effect(Effect::Summary(text.to_owned())))
    };
    let messages = hook("sees", "compact.before", |call| {
        let messages = call.event.payload.field("messages").unwrap().as_array().unwrap();
        assert_eq!(messages.len(), 2);
        Verdict::pass()
    });
    let scene = small_model_scenario([costly_reply("a"), say("b")])
        .hook(messages)
        .hook(write(" "))
        .hook(write("first"))
        .hook(write("second"));
    let mut fixture = scene.open();
    fixture.session.turn("one").unwrap();
    fixture.session.turn("two").unwrap();
    assert_eq!(fixture.model.count(), 2);
    assert_eq!(message_lines(&fixture.model.request(1))[1..], ["user: Session Summary: first", "user: two"]);
    assert_eq!(fixture.events.lines_of(&["compact.post"]), ["compact.post threshold first"]);
}

#[test]
fn an_overflow_is_compacted_once_and_the_call_made_again() {
    let too_long = || Err(ModelError::fatal("prompt is too long: 300 tokens > 200 maximum"));
    let mut fixture = TeamScenario::from_replies([say("a"), too_long(), say("the gist"), say("b")]).open();
    fixture.session.turn("one").unwrap();
    assert_eq!(fixture.session.turn("two").unwrap().text, "b");
    check_lines(
        &event_lines(&fixture)[3..],
        "
        iteration.start 1
        compact.pre overflow
        compact.before overflow
        compact.post overflow the gist
        iteration.end 1 error
        iteration.start 2
        iteration.end 2 normal
        ",
    );
    let mut twice = TeamScenario::from_replies([say("a"), too_long(), say("the gist"), too_long()]).open();
    twice.session.turn("one").unwrap();
    let fault = twice.session.turn("two").unwrap_err();
    assert_eq!(fault.message, "prompt is too long: 300 tokens > 200 maximum");
    assert_eq!(twice.events.lines_of(&["compact.pre"]).len(), 1);
}

#[test]
fn a_veto_of_an_overflow_fails_the_turn_with_the_models_words() {
    let too_long = Err(ModelError::fatal("context_length_exceeded"));
    let mut fixture = TeamScenario::from_replies([say("a"), too_long]).hook(deny("compact.before", "never")).open();
    fixture.session.turn("one").unwrap();
    assert_eq!(fixture.session.turn("two").unwrap_err().message, "context_length_exceeded");
    assert_eq!(fixture.events.lines_of(&["error"]), ["error model context_length_exceeded"]);
}

#[test]
fn a_person_may_want_it_and_say_what_to_keep() {
    let mut fixture = TeamScenario::from_replies([say("a"), say("the gist"), say("b")]).open();
    assert!(fixture.session.compact(None).unwrap().is_none(), "there is nothing to sum up yet");
    fixture.session.turn("one").unwrap();
    let compacted = fixture.session.compact(Some("keep the names")).unwrap().unwrap();
    assert_eq!(
        (compacted.summary.as_str(), compacted.removed_messages, compacted.remaining_messages),
        ("the gist", 2, 1)
    );
    check_lines(
        &fixture.events.lines_of(&["compact.pre", "compact.before", "compact.post"]),
        "
        compact.pre manual keep the names
        compact.before manual
        compact.post manual the gist
        ",
    );
    assert!(fixture.model.request(1).messages.last().unwrap().content.ends_with("\n\nkeep the names"));
    fixture.session.turn("two").unwrap();
    assert_eq!(message_lines(&fixture.model.request(2))[1..], ["user: Session Summary: the gist", "user: two"]);
}

#[test]
fn a_model_that_gives_no_summary_leaves_the_conversation_alone() {
    let mut fixture =
        TeamScenario::from_replies([say("a"), say(" "), say("b")]).answer(ApprovalResponse::Unavailable).open();
    fixture.session.turn("one").unwrap();
    assert_eq!(fixture.session.compact(None).unwrap_err().message, "the model gave no summary; try again");
    fixture.session.turn("two").unwrap();
    assert_eq!(message_lines(&fixture.model.request(2)).len(), 4);
}

#[test]
fn compaction_can_be_switched_off_and_still_be_asked_for() {
    let scene = small_model_scenario([costly_reply("a"), say("b"), say("the gist")]).spec(|spec| {
        spec.compaction.enabled = false;
    });
    let mut fixture = scene.open();
    fixture.session.turn("one").unwrap();
    fixture.session.turn("two").unwrap();
    assert!(fixture.events.lines_of(&["compact.pre"]).is_empty());
    assert!(fixture.session.compact(None).unwrap().is_some());
}
