//! The payloads of events that only teams need.

use std::sync::{Arc, Mutex};

use pintle_agent::model::{ModelReply, ModelUsage};
use pintle_host::Verdict;
use pintle_host::contract::{CompactionSpec, ModelSpec, PermissionMode};
use serde_json::{Value, json};

use crate::support::{call, hook, say};
use crate::team::fixture::TeamScenario;

/// Runs a session and returns the payloads of one event.
fn play_payloads(event: &str, scenario: TeamScenario) -> Vec<Value> {
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let keep = Arc::clone(&seen);
    let keeper = hook("keeper", event, move |call| {
        keep.lock().unwrap().push(call.event.payload.value().clone());
        Verdict::pass()
    });
    let mut fixture = scenario.hook(keeper).open();
    let _ = fixture.session.turn("one");
    let _ = fixture.session.turn("two");
    drop(fixture);
    Arc::into_inner(seen).unwrap().into_inner().unwrap()
}

#[test]
fn a_reply_of_the_model_tells_its_model_its_tokens_and_no_price() {
    let spec = ModelSpec {
        name: String::from("gpt-4o"),
        provider: String::from("openai"),
        base_url: None,
        api_key_env: None,
        max_tokens: None,
        temperature: None,
        retry: pintle_host::contract::RetrySpec::default(),
    };
    let scene = TeamScenario::from_replies([say("hello")]).spec(|agent| agent.model = Some(spec));
    let posts = play_payloads("completion.post", scene);
    let mut post = posts[0].clone();
    post.as_object_mut().unwrap().retain(|name, _| !matches!(name.as_str(), "choices" | "duration_ms"));
    assert_eq!(
        post,
        json!({
            "model": "play",
            "usage": {
                "input_tokens": 10,
                "output_tokens": 1,
                "total_tokens": 11,
                "prompt_tokens": 10,
                "completion_tokens": 1,
            },
            "finish_reason": "stop",
            "text": "hello",
            "provider": "openai",
            "last_user_message": "one",
        })
    );
}

#[test]
fn the_end_of_an_answer_tells_what_the_person_said() {
    let stops = play_payloads("agent.stop", TeamScenario::from_replies([say("a"), say("b")]));
    let said: Vec<&Value> = stops.iter().map(|stop| &stop["last_user_message"]).collect();
    assert_eq!(said, [&json!("one"), &json!("two")]);
}

#[test]
fn the_events_of_a_call_tell_of_the_tool_and_the_session() {
    let about = |payload: &Value| {
        json!([payload["category"], payload["read_only"], payload["permission_mode"], payload["executed"]])
    };
    for event in ["tool.transform", "tool.guard", "tool.pre", "permission.reply", "tool.result", "tool.post"] {
        let scene = TeamScenario::from_replies([call(&[("look", "{}"), ("change", "{}")]), say("done")]);
        let seen = play_payloads(event, scene.mode(PermissionMode::Balanced));
        let executed = if event == "tool.post" { json!(false) } else { Value::Null };
        assert_eq!(about(&seen[0]), json!(["filesystem", true, "balanced", null]), "{event}");
        assert_eq!(about(&seen[1]), json!(["filesystem", null, "balanced", executed]), "{event}");
    }
}

#[test]
fn a_compaction_tells_the_numbers_from_before_it() {
    let usage = ModelUsage { input_tokens: 185, output_tokens: 5 };
    let costly = say("a").map(|reply| ModelReply { usage, ..reply });
    let scene = || {
        TeamScenario::from_replies([costly.clone(), say("the gist"), say("b")]).spec(|spec| {
            let compaction = CompactionSpec { context_limit: Some(200), ..CompactionSpec::default() };
            spec.compaction = compaction;
        })
    };
    let before = &play_payloads("compact.before", scene())[0];
    // 190 tokens as the provider counted them, and 4 for the prompt after them.
    assert_eq!(
        (&before["input_tokens"], &before["output_tokens"], &before["context_limit"]),
        (&json!(194), &json!(5), &json!(200))
    );
    assert_eq!(
        play_payloads("compact.post", scene()),
        [json!({
            "reason": "threshold",
            "summary": "the gist",
            "removed_messages": 2,
            "remaining_messages": 2,
            "input_tokens": 194,
            "output_tokens": 5,
            "input_tokens_after": 14,
            "context_limit": 200,
        })]
    );
}
