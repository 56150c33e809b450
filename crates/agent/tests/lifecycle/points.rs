//! Which event fires at which point, and what a veto does there.

use pintle_host::contract::{Failure, FailureKind};
use pintle_host::{Effect, FailurePolicy, Verdict};
use serde_json::json;

use crate::lifecycle::{FiredEventLog, open_fixture, open_fixture_with};
use crate::support::{QueuedReplyModel, call, deny, hook, say};

#[test]
fn iteration_post_follows_each_round_and_is_before_the_decision_to_go_on() {
    let heard = FiredEventLog::default();
    let events = ["completion.post", "tool.post", "iteration.post", "agent.stop", "turn.end"];
    let model = QueuedReplyModel::root([call(&[("list", "{}"), ("absent", "{}")]), say("done")]);
    let mut fixture = open_fixture(model, heard.hooks(&events));
    fixture.session.turn("go").unwrap();
    assert_eq!(
        heard.names(),
        [
            "completion.post",
            "tool.post",
            "tool.post",
            "iteration.post",
            "completion.post",
            "iteration.post",
            "agent.stop",
            "turn.end",
        ]
    );
    let rounds = heard.payloads_of("iteration.post");
    let first = &rounds[0];
    assert_eq!((&first["iteration"], &first["has_tool_calls"]), (&json!(1), &json!(true)));
    assert_eq!(first["tool_names"], json!(["list", "absent"]));
    assert_eq!(first["successful_tool_names"], json!(["list"]));
    assert_eq!(first["rejected_tool_names"], json!(["absent"]));
    assert_eq!(first["tool_results"].as_array().unwrap().len(), 2);
    assert_eq!((&first["model"], &first["finish_reason"]), (&json!("play"), &json!("tool_calls")));
    let second = &rounds[1];
    assert_eq!(
        (&second["iteration"], &second["text"], &second["tool_results"]),
        (&json!(2), &json!("done"), &json!([]))
    );
}

#[test]
fn blocked_prompt_is_not_stored_and_stop_reason_names_it() {
    let secret = hook("secrets", "prompt.submit", |call| {
        let prompt = call.event.payload.field("prompt").and_then(|prompt| prompt.as_str()).unwrap_or_default();
        if prompt.contains("secret") { Verdict::deny("policy violation: secret in prompt") } else { Verdict::pass() }
    });
    let mut fixture = open_fixture(QueuedReplyModel::root([say("fine")]), [secret]);
    let error = fixture.session.turn("my secret").unwrap_err();
    assert!(error.is_denied() && error.message.contains("policy violation"), "{error}");
    assert_eq!(
        (error.stop_reason(), fixture.session.stop_reason()),
        ("user_prompt_submit_blocked", "user_prompt_submit_blocked")
    );
    assert_eq!(fixture.model.count(), 0);
    let answer = fixture.session.turn("hello").unwrap();
    assert_eq!((answer.stop_reason.as_str(), fixture.session.stop_reason()), ("stop", "stop"));
    assert_eq!(fixture.count_sent("secret"), [0]);
}

/// A message that is steered in or queued is a prompt too, so it cannot bypass the veto.
#[test]
fn what_is_said_while_the_agent_is_at_work_is_submitted_too() {
    type Say = fn(&pintle_agent::Inbox, &str);
    let ways: [(&str, Say); 2] =
        [("steer", |inbox, text| inbox.steer(text)), ("follow up", |inbox, text| inbox.follow_up(text))];
    for (way, say_it) in ways {
        for (text, sent) in [("the secret", None), ("more", Some("more")), ("plese", Some("please"))] {
            let screens = hook("screens", "prompt.submit", |call| match call.event.payload.field("prompt") {
                Some(prompt) if prompt == &json!("the secret") => Verdict::deny("secrets stay out"),
                Some(prompt) if prompt == &json!("plese") => {
                    Verdict::rewrite(json!({"prompt": "please"}).as_object().unwrap().clone())
                }
                _ => Verdict::pass(),
            });
            let mut fixture = open_fixture(QueuedReplyModel::root([say("one"), say("two")]), [screens]);
            say_it(&fixture.session.inbox(), text);
            fixture.session.turn("go").unwrap();
            assert_eq!(fixture.session.inbox().message_count(), 0, "{way} {text}");
            let last = fixture.model.count() - 1;
            let told = crate::support::message_lines(&fixture.model.request(last)).join("\n");
            assert!(!told.contains("secret"), "{way} {text}: {told}");
            if let Some(sent) = sent {
                assert!(told.contains(&format!("user: {sent}")), "{way} {text}: {told}");
            }
        }
    }
}

#[test]
fn the_stop_of_a_turn_has_a_word_for_each_way_to_stop() {
    let denied = open_fixture(QueuedReplyModel::root([]), [deny("turn.start", "no")]).session.turn("go").unwrap_err();
    assert_eq!(denied.stop_reason(), "hook_denied");
    let failed = open_fixture(QueuedReplyModel::root([]), []).session.turn("go").unwrap_err();
    assert_eq!(failed.stop_reason(), "model_error");
    let mut spec = crate::support::agent();
    spec.exit.max_iterations = 1;
    spec.exit.on_max_iterations = pintle_host::contract::OnMaxIterations::WarnAndExit;
    let model = QueuedReplyModel::root([call(&[("list", "{}")])]);
    let answer = open_fixture_with(model, spec, [], |builder| builder).session.turn("go").unwrap();
    assert_eq!(answer.stop_reason, "max_iterations");
}

#[test]
fn a_hook_answers_for_the_person_either_way_and_every_decision_is_told() {
    let by_hook = || {
        hook("answers", "permission.ask", |call| match call.event.subject() {
            Some("list") => Verdict::allow("harmless"),
            Some("shell") => Verdict::deny("never unattended"),
            _ => Verdict::pass(),
        })
    };
    let heard = FiredEventLog::default();
    let mut hooks = heard.hooks(&["permission.ask", "permission.reply"]);
    hooks.push(by_hook());
    let model = QueuedReplyModel::root([
        call(&[("list", "{}"), ("shell", r#"{"command":"true"}"#), ("glob", r#"{"pattern":"*"}"#)]),
        say("done"),
    ]);
    let mut fixture = open_fixture_with(model, crate::support::agent(), hooks, |builder| {
        builder.permission_mode(pintle_host::contract::PermissionMode::Strict)
    });
    let answer = fixture.session.turn("go").unwrap();
    let failed: Vec<bool> = answer.tool_results.iter().map(|result| result.is_error).collect();
    assert_eq!(failed, [false, true, true]);
    assert!(answer.tool_results[1].content.contains("never unattended"), "{answer:?}");
    let told: Vec<String> = heard
        .payloads_of("permission.reply")
        .iter()
        .map(|reply| format!("{} {} {}", reply["name"], reply["decision"], reply["source"]).replace('"', ""))
        .collect();
    assert_eq!(told, ["list allow hook", "shell deny hook", "glob deny resolver"]);
    assert_eq!(heard.payloads_of("permission.ask").len(), 3);
}

#[test]
fn compaction_fires_only_when_due_and_a_block_skips_it_once() {
    let heard = FiredEventLog::default();
    let mut fixture = open_fixture(
        QueuedReplyModel::root([say("a"), say("b"), say("gist")]),
        heard.hooks(&["compact.pre", "compact.post"]),
    );
    fixture.session.turn("one").unwrap();
    fixture.session.turn("two").unwrap();
    assert_eq!(heard.names(), Vec::<String>::new(), "nothing is due");
    fixture.session.compact(None).unwrap().unwrap();
    assert_eq!(heard.names(), ["compact.pre", "compact.post"]);

    let mut fixture =
        crate::lifecycle::open_fixture(QueuedReplyModel::root([say("a"), say("b")]), [deny("compact.pre", "not now")]);
    fixture.session.turn("one").unwrap();
    assert_eq!(fixture.session.compact(None), Ok(None));
    fixture.session.turn("two").unwrap();
    assert_eq!(fixture.count_sent("one"), [1, 1], "nothing was lost");
}

#[test]
fn context_of_iteration_post_reaches_the_next_request() {
    let tells =
        hook("tells", "iteration.post", |_| Verdict::pass().with_effect(Effect::Context(String::from("look closer"))));
    let mut fixture = open_fixture(QueuedReplyModel::root([call(&[("list", "{}")]), say("done")]), [tells]);
    fixture.session.turn("go").unwrap();
    assert_eq!(fixture.count_sent("look closer"), [0, 1]);
}

#[test]
fn a_failing_hook_of_agent_stop_ends_the_turn_at_once() {
    let crashes = || hook("judge", "agent.stop", |_| Verdict::failed(Failure::new(FailureKind::Error, "no such key")));
    let mut ended = open_fixture(QueuedReplyModel::root([say("one"), say("two")]), [crashes()]);
    let fault = ended.session.turn("go").unwrap_err();
    assert_eq!((ended.model.count(), fault.stop_reason()), (1, "hook_error"));
    let reason = "the answer was not accepted: blocked by hook \"judge\": denied because hook `judge` failed (error: no such \
               key) and its failure policy is `closed`";
    assert_eq!(fault.message, reason);
    // A deny makes the agent continue, and a hook that fails open changes nothing.
    let once = hook("once", "agent.stop", |call| match call.event.payload.field("continuations") {
        Some(n) if *n == json!(0) => Verdict::deny("more"),
        _ => Verdict::pass(),
    });
    let open = pintle_host::Hook { on_failure: FailurePolicy::Open, ..crashes() };
    let mut sent_on = open_fixture(QueuedReplyModel::root([say("one"), say("two")]), [open, once]);
    assert_eq!(sent_on.session.turn("go").unwrap().text, "two");
    assert_eq!(sent_on.model.count(), 2);
}
