//! Pausing and resuming a persona.

use pintle::{PersonaSpec, StepSpec};
use pintle_agent::Paused;
use serde_json::json;

use crate::stage::*;
use crate::support::Play;

#[test]
fn a_paused_persona_runs_no_step_until_it_is_resumed() {
    let heard = Lines::default();
    let mut stage = stage([], |runtime| {
        runtime.register_persona_hook("cap*", "OnPersonaPaused", hears(&heard, "paused")).unwrap();
        runtime.register_persona_hook("cap*", "OnPersonaResumed", hears(&heard, "resumed")).unwrap();
        runtime.register_persona_hook("other", "OnPersonaPaused", hears(&heard, "of another")).unwrap();
    });
    let spec = persona("captain", [StepSpec::new("audit")]);
    let mut captain = stage.session.persona(&spec).unwrap();
    captain.pause("maintenance");
    captain.pause("again, which says nothing new");
    let error = captain.step("audit", json!([]), |_| Ok(json!("ran"))).unwrap_err();
    let expected = json!({
        "category": "persona_paused", "reason": "maintenance", "persona": "captain", "step": "audit",
        "message": "persona `captain` is paused: maintenance; resume it before it runs a step",
    });
    assert_eq!(error.to_value(), expected);
    let paused =
        Paused { persona: String::from("captain"), reason: String::from("maintenance"), by: String::from("host") };
    assert_eq!(stage.session.paused_personas(), [paused]);
    // Others are not paused with it.
    let other = persona("captain_two", [StepSpec::new("audit")]);
    assert!(stage.session.persona(&other).unwrap().step("audit", json!([]), |_| Ok(json!("ran"))).is_ok());
    stage.session.resume_persona("captain", "done", "person");
    stage.session.resume_persona("captain", "it works already", "person");
    assert_eq!(stage.session.paused_personas(), []);
    let mut captain = stage.session.persona(&spec).unwrap();
    assert_eq!(captain.step("audit", json!([]), |_| Ok(json!("ran"))).unwrap(), json!("ran"));
    assert_eq!(heard.all(), ["paused captain/", "resumed captain/"]);
    assert_eq!(stage.heard_of("persona.paused"), [r#"captain/ "maintenance" by "host""#]);
    assert_eq!(stage.heard_of("persona.resumed"), [r#"captain/ "done" by "person""#]);
    let events: Vec<_> = stage.records().into_iter().filter(|record| record["event"] == "persona.paused").collect();
    assert_eq!(events[0]["payload"], json!({"persona": "captain", "reason": "maintenance", "by": "host"}));
}

#[test]
fn a_step_that_pauses_its_persona_goes_on_and_is_the_last() {
    let mut stage = stage([], |_| {});
    let spec = persona("captain", [StepSpec::new("audit"), StepSpec::new("merge")]);
    let mut captain = stage.session.persona(&spec).unwrap();
    let output = captain.step("audit", json!([]), |step| {
        step.pause("a person should look");
        Ok(json!("audited"))
    });
    assert_eq!(output.unwrap(), json!("audited"));
    assert_eq!(captain.step("merge", json!([]), |_| Ok(json!(1))).unwrap_err().category(), "persona_paused");
    assert_eq!(stage.heard_of("persona.paused"), [r#"captain/ "a person should look" by "agent""#]);
}

#[test]
fn a_session_that_goes_on_from_its_tape_knows_who_is_paused_and_what_was_used() {
    let mut before = stage([costing(70, 0)], |_| {});
    let spec = PersonaSpec { budget: tokens(100), ..persona("captain", [StepSpec::new("audit")]) };
    let mut captain = before.session.persona(&spec).unwrap();
    captain.step("audit", json!([]), |step| Ok(json!(step.ask("go")?.text))).unwrap();
    captain.pause("maintenance");
    let lines = before.runtime.tape().unwrap().lines().join("\n");
    let reading = pintle::tape::read_bytes(format!("{lines}\n").as_bytes()).unwrap();

    let model = Play::root([costing(20, 0), costing(20, 0)]);
    let mut after = stage_with(model, None, |_| {}, |builder| builder.resume(reading));
    let mut captain = after.session.persona(&spec).unwrap();
    assert_eq!(captain.used().usage.total_tokens, 70);
    let ask = |step: &mut pintle_agent::Step<'_>| Ok(json!(step.ask("go")?.text));
    assert_eq!(captain.step("audit", json!([]), ask).unwrap_err().category(), "persona_paused");
    captain.resume("over");
    captain.step("audit", json!([]), ask).unwrap();
    let marks = ["captain/ persona tokens 90.0/100.0 at 80.0"];
    assert_eq!(after.heard_of("budget.threshold"), marks, "the mark that was told before is not told again");
    let mut captain = after.session.persona(&spec).unwrap();
    assert_eq!(captain.step("audit", json!([]), ask).unwrap_err().category(), "budget_exceeded");
}
