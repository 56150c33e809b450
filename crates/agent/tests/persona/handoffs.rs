//! Hand-offs fire an event whenever one is built.

use std::sync::Arc;

use pintle_agent::StepError;
use pintle_host::contract::{AgentSpec, MemberSpec, PersonaSpec, StepSpec, TeamSpec};
use pintle_host::dialects::docker_agent::LOOP_RULES;
use serde_json::json;

use crate::persona::fixture::*;
use crate::support::{QueuedReplyModel, agent, call, say};

#[test]
fn a_persona_hands_its_work_to_those_it_names_and_gets_a_receipt() {
    let heard = SharedLines::default();
    let mut fixture = open_fixture([], |runtime| {
        runtime.register_persona_hook("cap*", "OnHandoffEmitted", line_hook(&heard, "handed")).unwrap();
        runtime.register_persona_hook("other", "OnHandoffEmitted", line_hook(&heard, "of another")).unwrap();
    });
    let handoffs = vec![String::from("release_captain")];
    let spec = PersonaSpec { handoffs, ..persona_spec("captain", [StepSpec::new("audit")]) };
    let mut captain = fixture.session.persona(&spec).unwrap();
    let receipt = captain.hand_off("release_captain", "order 17", json!({"order": 17})).unwrap();
    assert_eq!((receipt.from.as_str(), receipt.to.as_str()), ("captain", "release_captain"));
    assert_eq!(receipt.digest, pintle_host::Payload::new(json!({"order": 17})).digest());
    let error = captain.hand_off("release_captian", "", json!(null)).unwrap_err();
    assert_eq!(
        error.message,
        "persona `captain` cannot hand its work over to `release_captian`; did you mean `release_captain`?"
    );
    captain.step("audit", json!([]), |step| Ok(json!(step.hand_off("release_captain", "more", json!(1))?.id))).unwrap();
    assert_eq!(heard.all(), ["handed captain/", "handed captain/audit"]);
    let records = fixture.records();
    let event = records.iter().find(|record| record["event"] == "handoff.emitted").unwrap();
    let expected = json!({
        "id": receipt.id, "kind": "persona", "from": "captain", "to": "release_captain", "summary": "order 17",
        "payload": {"order": 17}, "persona": "captain",
    });
    assert_eq!(event["payload"], expected);
    let error = fixture
        .session
        .step(&StepSpec::new("audit"), json!([]), |step| step.hand_off("x", "", json!(null)).map(|_| json!(null)));
    assert_eq!(
        error.map_err(|error: StepError| error.message),
        Err(String::from("a step without a persona cannot hand work over"))
    );
}

#[test]
fn agents_of_a_team_that_pass_work_on_are_told_of() {
    let member = |name: &str, member: MemberSpec| {
        Arc::new(AgentSpec { name: name.to_owned(), rules: LOOP_RULES, member: Some(member), ..agent() })
    };
    let others = || vec![String::from("reviewer")];
    let root = member("root", MemberSpec { sub_agents: others(), handoffs: others(), ..MemberSpec::default() });
    let team =
        TeamSpec { agents: vec![Arc::clone(&root), member("reviewer", MemberSpec::default())], ..TeamSpec::default() };
    let model = QueuedReplyModel::root([
        call(&[("transfer_task", r#"{"agent":"reviewer","task":"look at it","expected_output":"a word"}"#)]),
        call(&[("handoff", r#"{"agent":"reviewer"}"#)]),
    ]);
    model.add("reviewer", [say("sound"), say("mine now")]);
    let mut fixture = open_team_fixture(AgentSpec::clone(&root), team, model);
    assert_eq!(fixture.session.turn("go").unwrap().text, "mine now");
    assert_eq!(
        fixture.take_events_of("handoff.emitted"),
        [r#"/ "task" "root" -> "reviewer""#, r#"/ "handoff" "root" -> "reviewer""#,]
    );
}
