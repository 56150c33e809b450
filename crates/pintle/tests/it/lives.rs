//! The life of a program's own agent, under hooks of files.

use std::fs;

use pintle::events::{CompactPre, CompletionPost, CompletionPre, DelegationPre, PromptSteer};
use pintle::{AgentLife, Event, EventType, Layer, Origin, Refusal, Runtime, Verdict};
use serde_json::{Value, json};

/// One step, as a text: what is left of it, or the refusal.
type LifeStep = fn(&AgentLife) -> Result<String, Refusal>;

fn review<E: EventType>(life: &AgentLife, payload: Value, field: &str) -> Result<String, Refusal> {
    let left = life.review(Event::new::<E>(payload).unwrap())?;
    Ok(left[field].as_str().map_or_else(|| left[field].to_string(), str::to_owned))
}

/// Every step, with a change that a hook makes, what it leaves, and what a deny of `no` does.
const STEPS: &[(&str, LifeStep, &str, &str, &str)] = &[
    (
        "prompt.submit",
        |life| life.submit_prompt("it"),
        r#"modify({"prompt": "new"})"#,
        "new",
        "prompt.submit denied: no",
    ),
    ("turn.start", |life| life.begin_turn("it"), r#"modify("new")"#, "new", "turn.start denied: no"),
    (
        "prompt.steer",
        |life| review::<PromptSteer>(life, json!({"messages": ["it"]}), "messages"),
        r#"modify({"messages": ["new"]})"#,
        r#"["new"]"#,
        "prompt.steer denied: no",
    ),
    (
        "completion.pre",
        |life| review::<CompletionPre>(life, json!({"model": "it"}), "model"),
        r#"modify({"model": "new"})"#,
        "new",
        "completion.pre denied: no",
    ),
    (
        "completion.post",
        |life| review::<CompletionPost>(life, json!({"text": "it"}), "text"),
        r#"modify({"text": "new"})"#,
        "new",
        "completion.post denied: no",
    ),
    (
        "delegation.pre",
        |life| review::<DelegationPre>(life, json!({"agent": "a", "prompt": "it"}), "prompt"),
        r#"modify({"prompt": "new"})"#,
        "new",
        "delegation.pre denied: no",
    ),
    (
        "agent.stop",
        |life| {
            let answer = life.review_answer("it")?;
            Ok(answer.next_message().map_or_else(|| answer.text().to_owned(), |message| format!("continue: {message}")))
        },
        r#"modify({"response": "new"})"#,
        "new",
        "continue: no",
    ),
    ("turn.end", |life| life.end_turn("it"), r#"modify({"text": "new"})"#, "new", "turn.end denied: no"),
    (
        "compact.pre",
        |life| review::<CompactPre>(life, json!({}), "nothing").map(|_| String::from("it")),
        "allow()",
        "it",
        "compact.pre denied: no",
    ),
];

/// What a step leaves under a hook that returns this.
fn run_step(event: &str, step: LifeStep, returned: &str) -> String {
    let project = tempfile::tempdir().unwrap();
    let hooks = project.path().join(".harness/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let script = format!("  def handle(event, payload):\n      return {returned}\n");
    fs::write(hooks.join("hook.md"), format!("---\nevent: {event}\npriority: 1\nscript: |\n{script}---\n")).unwrap();
    let runtime = Runtime::builder().path(project.path(), Layer::Project).build().unwrap();
    let life = runtime.life(&Origin::session("s").turn(1));
    step(&life).unwrap_or_else(|refusal| {
        assert_eq!(refusal.hooks().collect::<Vec<_>>(), ["hook"]);
        refusal.to_string()
    })
}

#[test]
fn every_step_takes_what_hooks_say() {
    for (event, step, change, changed, denied) in STEPS {
        let unchanged = run_step(event, *step, "allow()");
        assert!(unchanged == "it" || unchanged == r#"["it"]"#, "{event}: {unchanged}");
        assert_eq!(run_step(event, *step, change), *changed, "{event}");
        assert_eq!(run_step(event, *step, r#"block("no")"#), *denied, "{event}");
    }
}

#[test]
fn an_answer_is_refused_when_a_hook_that_must_accept_it_fails() {
    let answer: LifeStep = |life| Ok(life.review_answer("it")?.text().to_owned());
    let failed = run_step("agent.stop", answer, r#"block("no" + payload["missing"])"#);
    assert!(failed.starts_with("agent.stop denied: blocked by hook \"hook\""), "{failed}");
}

#[test]
fn the_log_of_hooks_is_in_the_end_of_the_turn() {
    let runtime = Runtime::builder()
        .on::<pintle::events::PromptSubmit>(|call| call.log("seen"))
        .on::<pintle::events::TurnEnd>(|call| {
            Some(Verdict::rewrite(json!({"text": call.field("logs")?[0]["message"].as_str()?})))
        })
        .build()
        .unwrap();
    let life = runtime.life(&Origin::default());
    assert!(life.submit_prompt("it").is_ok());
    assert_eq!(life.end_turn("it"), Ok(String::from("seen")));
}
