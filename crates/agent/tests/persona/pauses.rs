//! Pausing and resuming a persona.

use pintle_agent::PausedPersona;
use pintle_host::contract::{PersonaSpec, StepSpec};
use serde_json::json;

use crate::persona::fixture::*;
use crate::support::QueuedReplyModel;

#[test]
fn a_paused_persona_runs_no_step_until_it_is_resumed() {
    let heard = SharedLines::default();
    let mut fixture = open_fixture([], |runtime| {
        runtime.register_persona_hook("cap*", "OnPersonaPaused", line_hook(&heard, "paused")).unwrap();
        runtime.register_persona_hook("cap*", "OnPersonaResumed", line_hook(&heard, "resumed")).unwrap();
        runtime.register_persona_hook("other", "OnPersonaPaused", line_hook(&heard, "of another")).unwrap();
    });
    let spec = persona_spec("captain", [StepSpec::new("audit")]);
    let mut captain = fixture.session.persona(&spec).unwrap();
    captain.pause("maintenance");
    captain.pause("again, which says nothing new");
    let error = captain.step("audit", json!([]), |_| Ok(json!("ran"))).unwrap_err();
    let expected = json!({
        "category": "persona_paused", "reason": "maintenance", "persona": "captain", "step": "audit",
        "message": "persona `captain` is paused: maintenance; resume it before running a step",
    });
    assert_eq!(error.to_value(), expected);
    let paused = PausedPersona {
        persona: String::from("captain"),
        reason: String::from("maintenance"),
        source: String::from("host"),
    };
    assert_eq!(fixture.session.paused_personas(), [paused]);
    // Other personas are not paused.
    let other = persona_spec("captain_two", [StepSpec::new("audit")]);
    assert!(fixture.session.persona(&other).unwrap().step("audit", json!([]), |_| Ok(json!("ran"))).is_ok());
    fixture.session.resume_persona("captain", "done", "person");
    fixture.session.resume_persona("captain", "it works already", "person");
    assert_eq!(fixture.session.paused_personas(), []);
    let mut captain = fixture.session.persona(&spec).unwrap();
    assert_eq!(captain.step("audit", json!([]), |_| Ok(json!("ran"))).unwrap(), json!("ran"));
    assert_eq!(heard.all(), ["paused captain/", "resumed captain/"]);
    assert_eq!(fixture.take_events_of("persona.paused"), [r#"captain/ "maintenance" by "host""#]);
    assert_eq!(fixture.take_events_of("persona.resumed"), [r#"captain/ "done" by "person""#]);
    let events: Vec<_> = fixture.records().into_iter().filter(|record| record["event"] == "persona.paused").collect();
    assert_eq!(events[0]["payload"], json!({"persona": "captain", "reason": "maintenance", "by": "host"}));
}

#[test]
fn a_step_that_pauses_its_persona_goes_on_and_is_the_last() {
    let mut fixture = open_fixture([], |_| {});
    let spec = persona_spec("captain", [StepSpec::new("audit"), StepSpec::new("merge")]);
    let mut captain = fixture.session.persona(&spec).unwrap();
    let output = captain.step("audit", json!([]), |step| {
        step.pause("a person should look");
        Ok(json!("audited"))
    });
    assert_eq!(output.unwrap(), json!("audited"));
    assert_eq!(captain.step("merge", json!([]), |_| Ok(json!(1))).unwrap_err().category(), "persona_paused");
    assert_eq!(fixture.take_events_of("persona.paused"), [r#"captain/ "a person should look" by "agent""#]);
}

#[test]
fn resumed_session_restores_paused_personas_and_usage() {
    let mut before = open_fixture([costly_reply(70, 0)], |_| {});
    let spec = PersonaSpec { budget: token_budget(100), ..persona_spec("captain", [StepSpec::new("audit")]) };
    let mut captain = before.session.persona(&spec).unwrap();
    captain.step("audit", json!([]), |step| Ok(json!(step.run_prompt("go")?.text))).unwrap();
    captain.pause("maintenance");
    let lines = before.runtime.tape().unwrap().lines().join("\n");
    let reading = pintle_host::tape::read_bytes(format!("{lines}\n").as_bytes()).unwrap();

    let model = QueuedReplyModel::root([costly_reply(20, 0), costly_reply(20, 0)]);
    let mut after = open_fixture_with(model, None, |_| {}, |builder| builder.resume(reading));
    let mut captain = after.session.persona(&spec).unwrap();
    assert_eq!(captain.usage().usage.total_tokens, 70);
    let ask = |step: &mut pintle_agent::PersonaStep<'_>| Ok(json!(step.run_prompt("go")?.text));
    assert_eq!(captain.step("audit", json!([]), ask).unwrap_err().category(), "persona_paused");
    captain.resume("over");
    captain.step("audit", json!([]), ask).unwrap();
    let marks = ["captain/ persona tokens 90.0/100.0 at 80.0"];
    assert_eq!(after.take_events_of("budget.threshold"), marks, "the mark that was told before is not told again");
    let mut captain = after.session.persona(&spec).unwrap();
    assert_eq!(captain.step("audit", json!([]), ask).unwrap_err().category(), "budget_exceeded");
}
