//! Conversations that are handed to another agent, and fallback models.

use std::sync::Arc;

use pintle_agent::model::{Model, ModelError};
use pintle_host::contract::{AgentSpec, ModelSpec, TeamSpec};

use crate::support::{QueuedReplyModel, call, message_lines, say};
use crate::team::fixture::{TeamFixture, TeamScenario, check_lines, member_spec};

fn open_team(
    scenario: TeamScenario,
    others: Vec<AgentSpec>,
    plays: &[(&str, Vec<crate::support::QueuedReply>)],
) -> TeamFixture {
    let agents = std::iter::once(scenario.spec.clone()).chain(others).map(Arc::new).collect();
    let team = TeamSpec { agents, permissions: scenario.permissions.clone() };
    let fixture = scenario.open_with(|builder| builder.team(team));
    for (name, replies) in plays {
        fixture.model.add(name, replies.clone());
    }
    fixture
}

#[test]
fn a_hand_off_gives_the_conversation_to_another_agent_for_good() {
    let scene = TeamScenario::from_replies([call(&[("handoff", r#"{"agent":"billing"}"#)])])
        .spec(|spec| spec.member.as_mut().unwrap().handoffs = vec![String::from("billing")]);
    let mut fixture = open_team(scene, vec![member_spec("billing")], &[("billing", vec![say("paid"), say("again")])]);
    assert_eq!(fixture.session.turn("my bill").unwrap().text, "paid");
    assert_eq!(fixture.session.agent(), "billing");
    check_lines(
        &fixture.events.lines_of(&["agent.switch", "iteration.start", "iteration.end", "agent.stop", "error"]),
        "
        iteration.start 1
        agent.switch root billing handoff
        iteration.end 1 continue
        iteration.start 2
        agent.stop paid
        iteration.end 2 normal
        ",
    );
    assert_eq!(message_lines(&fixture.model.request(1))[1], "user: my bill", "the conversation went along");
    assert_eq!(fixture.session.turn("thanks").unwrap().text, "again");
    assert_eq!(fixture.model.request(2).agent, "billing");
}

#[test]
fn a_forced_hand_off_follows_every_answer() {
    let scene = TeamScenario::from_replies([say("draft")])
        .spec(|spec| spec.member.as_mut().unwrap().forced_handoff = Some(String::from("editor")));
    let mut fixture = open_team(scene, vec![member_spec("editor")], &[("editor", vec![say("final")])]);
    assert_eq!(fixture.session.turn("write").unwrap().text, "final");
    check_lines(
        &fixture.events.lines_of(&["agent.switch", "iteration.end", "agent.stop"]),
        "
        agent.stop draft
        agent.switch root editor forced_handoff
        iteration.end 1 forced_handoff
        agent.stop final
        iteration.end 2 normal
        ",
    );
}

#[test]
fn a_circle_of_forced_hand_offs_ends() {
    let to = |name: &str, next: &str| {
        let mut spec = member_spec(name);
        spec.member.as_mut().unwrap().forced_handoff = Some(next.to_owned());
        spec
    };
    let mut scene = TeamScenario::from_replies((0..30).map(|_| say("over to you")));
    scene.spec = to("root", "other");
    let replies = (0..30).map(|_| say("back to you")).collect();
    let mut fixture = open_team(scene, vec![to("other", "root")], &[("other", replies)]);
    let error = fixture.session.turn("go").unwrap_err();
    assert!(error.message.starts_with("agents handed the conversation on 20 times"), "{error}");
}

#[test]
fn an_agent_that_cannot_be_opened_fails_the_turn() {
    let scene = TeamScenario::from_replies([say("draft")])
        .spec(|spec| spec.member.as_mut().unwrap().forced_handoff = Some(String::from("nobody")));
    let mut fixture = open_team(scene, vec![member_spec("editor")], &[]);
    let error = fixture.session.turn("write").unwrap_err();
    assert!(error.message.contains("nobody"), "{error}");
    assert_eq!(fixture.events.lines_of(&["iteration.end"]), ["iteration.end 1 error"]);
}

#[test]
fn models_stand_in_for_one_that_fails_in_their_order() {
    let named = |name: &str| ModelSpec {
        name: name.to_owned(),
        provider: String::from("openai"),
        base_url: None,
        api_key_env: None,
        max_tokens: None,
        temperature: None,
        retry: pintle_host::contract::RetrySpec { max_retries: 0, ..pintle_host::contract::RetrySpec::default() },
    };
    let scene = TeamScenario::from_replies([Err(ModelError::retryable("busy"))])
        .spec(|spec| spec.fallback_models = vec![named("broken"), named("second"), named("third")]);
    let second = QueuedReplyModel::root([Err(ModelError::fatal("no quota"))]);
    let third = QueuedReplyModel::root([say("at last")]);
    let (two, three) = (second.clone(), third.clone());
    let mut fixture = scene.spec(|spec| spec.model = Some(named("first"))).open_with(move |builder| {
        builder.open_model(Box::new(move |spec| -> Result<Arc<dyn Model>, ModelError> {
            match spec.name.as_str() {
                "second" => Ok(two.clone()),
                "third" => Ok(three.clone()),
                other => Err(ModelError::fatal(format!("no key for {other}"))),
            }
        }))
    });
    assert_eq!(fixture.session.turn("go").unwrap().text, "at last");
    assert_eq!((fixture.model.count(), second.count(), third.count()), (1, 1, 1));
    assert_eq!(fixture.events.lines_of(&["iteration.end"]), ["iteration.end 1 normal"]);
    let notices: Vec<String> = fixture.notices.lines().into_iter().filter(|line| line.starts_with("notice")).collect();
    assert_eq!(notices.len(), 3, "{notices:?}");
}

#[test]
fn a_task_for_another_member_is_no_prompt_and_waits_for_no_person() {
    let scene = TeamScenario::from_replies([
        call(&[("transfer_task", r#"{"agent":"helper","task":"look it up","expected_output":"a word"}"#)]),
        say("done"),
    ])
    .spec(|spec| spec.member.as_mut().unwrap().sub_agents = vec![String::from("helper")]);
    let mut fixture = open_team(scene, vec![member_spec("helper")], &[("helper", vec![say("found")])]);
    fixture.session.inbox().follow_up("thanks");
    fixture.model.add("root", [say("you are welcome")]);
    assert_eq!(fixture.session.turn("go").unwrap().text, "you are welcome");
    check_lines(
        &fixture.events.lines_of(&[
            "prompt.submit",
            "prompt.followup",
            "user.input",
            "agent.switch",
            "iteration.end",
            "agent.stop",
        ]),
        "
        prompt.submit go
        agent.switch root helper delegation
        agent.stop found
        iteration.end 1 normal
        agent.switch helper root delegation_return
        iteration.end 1 continue
        agent.stop done
        prompt.followup thanks 0
        iteration.end 2 continue
        agent.stop you are welcome
        iteration.end 3 normal
        user.input prompt
        ",
    );
}
