//! Reminders across compactions and hand-offs.

use std::sync::Arc;

use pintle_agent::model::{ModelError, ModelReply, ModelUsage};
use pintle_host::contract::{CompactionSpec, ReminderPropagation, TeamSpec};
use pintle_host::{Effect, Hook, Reminder, Verdict};

use crate::support::{QueuedReply, call, hook, message_lines, say};
use crate::team::fixture::{TeamFixture, TeamScenario, member_spec};

/// A hook that injects a permanent reminder.
fn lasting_reminder_hook(
    event: &str,
    body: &'static str,
    more: impl Fn(&mut Reminder) + Send + Sync + 'static,
) -> Hook {
    hook("reminds", event, move |_| {
        let mut reminder = Reminder { body: body.to_owned(), ..Reminder::default() };
        more(&mut reminder);
        Verdict::pass().with_effect(Effect::Reminder(reminder))
    })
}

/// Whether the last request contained this text.
fn is_told(fixture: &TeamFixture, words: &str) -> bool {
    message_lines(&fixture.model.request(fixture.model.count() - 1)).join("\n").contains(words)
}

/// An answer that the provider counts as nearly the whole window.
fn costly_reply(text: &str) -> QueuedReply {
    let usage = ModelUsage { input_tokens: 185, output_tokens: 5 };
    say(text).map(|reply| ModelReply { usage, ..reply })
}

/// Gap 20.
#[test]
fn what_wants_to_outlives_every_kind_of_compaction_and_nothing_else_does() {
    let too_long = || Err(ModelError::fatal("prompt is too long: 300 tokens > 200 maximum"));
    let result = call(&[("shell", &format!("{{\"cmd\":\"{}\"}}", "x".repeat(900)))]);
    let kinds: [(&str, Vec<QueuedReply>); 4] = [
        ("auto", vec![costly_reply("a"), say("the gist"), say("b")]),
        ("tool_overflow", vec![say("a"), result, say("the gist"), say("b")]),
        ("overflow", vec![say("a"), too_long(), say("the gist"), say("b")]),
        ("manual", vec![say("a"), say("the gist"), say("b")]),
    ];
    for (kind, replies) in kinds {
        let limit = Some(200).filter(|_| kind != "manual");
        let scene = TeamScenario::from_replies(replies)
            .spec(|spec| {
                spec.compaction = CompactionSpec { context_limit: limit, ..CompactionSpec::default() };
            })
            .hook(lasting_reminder_hook("session.start", "kept over it", |reminder| {
                reminder.preserve_on_compact = true
            }))
            .hook(lasting_reminder_hook("session.start", "gone with it", |_| {}))
            .hook(lasting_reminder_hook("compact.pre", "asked for before", |_| {}))
            .hook(lasting_reminder_hook("compact.post", "asked for after", |_| {}));
        let mut fixture = scene.open();
        fixture.session.turn("one").unwrap();
        assert!(is_told(&fixture, "kept over it") && is_told(&fixture, "gone with it"), "{kind}");
        if kind == "manual" {
            fixture.session.compact(None).unwrap().unwrap();
        }
        assert_eq!(fixture.session.turn("two").unwrap().text, "b", "{kind}");
        assert_eq!(fixture.events.lines_of(&["compact.pre"]), [format!("compact.pre {kind}")]);
        let expected =
            [("kept over it", true), ("gone with it", false), ("asked for before", true), ("asked for after", true)];
        for (words, is_expected) in expected {
            assert_eq!(is_told(&fixture, words), is_expected, "{kind}: {words}");
        }
    }
}

#[test]
fn a_hand_off_takes_reminders_along_but_for_those_that_want_no_copy() {
    let scene = TeamScenario::from_replies([call(&[("handoff", r#"{"agent":"billing"}"#)])])
        .spec(|spec| spec.member.as_mut().unwrap().handoffs = vec![String::from("billing")])
        .hook(lasting_reminder_hook("prompt.submit", "goes along", |_| {}))
        .hook(lasting_reminder_hook("prompt.submit", "stays behind", |reminder| {
            reminder.propagate = ReminderPropagation::None
        }));
    let agents = vec![Arc::new(scene.spec.clone()), Arc::new(member_spec("billing"))];
    let team = TeamSpec { agents, permissions: scene.permissions.clone() };
    let mut fixture = scene.open_with(|builder| builder.team(team));
    fixture.model.add("billing", [say("paid")]);
    fixture.session.turn("my bill").unwrap();
    assert!(is_told(&fixture, "goes along"));
    assert!(!is_told(&fixture, "stays behind"));
}
