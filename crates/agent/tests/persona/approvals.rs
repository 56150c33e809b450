//! Approvals: each request is announced, and a step waits for the response.

use std::sync::Arc;

use pintle_host::contract::{PermissionMode, StepSpec};
use pintle_host::{Approver, Decision, HookReturn};
use serde_json::json;

use crate::persona::fixture::*;
use crate::support::{QueuedReplyModel, call, say};

#[test]
fn a_step_that_needs_approval_runs_on_a_yes_alone_and_for_these_arguments() {
    for (answers, expected) in [
        (Some(vec![true]), Ok(json!([2]))),
        (Some(vec![false]), Err("step `deploy` was not approved: it reaches customers")),
        (None, Err("step `deploy` was not approved: it reaches customers")),
    ] {
        let user = answers.map(YesNoApprover::with_answers);
        let approver = user.clone().map(|user| user as Arc<dyn Approver>);
        let mut fixture = open_fixture_with(
            QueuedReplyModel::root([]),
            approver,
            // The user approves what runs: the arguments after the rewrites of hooks.
            |runtime| {
                runtime.register_persona_hook("*", "PreStep", |_| HookReturn::args(json!([2]))).unwrap();
            },
            |builder| builder,
        );
        let approval = Some(String::from("it reaches customers"));
        let spec = persona_spec("captain", [StepSpec { approval, ..StepSpec::new("deploy") }]);
        let result = fixture.session.persona(&spec).unwrap().step("deploy", json!([1]), |step| Ok(json!(step.args())));
        match expected {
            Ok(output) => assert_eq!(result.unwrap(), output),
            Err(message) => {
                let error = result.unwrap_err();
                assert_eq!((error.category(), error.message.as_str()), ("approval_refused", message));
            }
        }
        let announced = fixture.take_events_of("approval.requested");
        let expected = [r#"captain/deploy "step" "deploy": "it reaches customers""#];
        assert_eq!(announced, expected, "also if no user is available");
        let approvals: Vec<_> = fixture.records().into_iter().filter(|record| record["kind"] == "approval").collect();
        assert_eq!(approvals.len(), 1, "the answer is on the tape");
    }
}

#[test]
fn tool_call_approval_is_announced_and_other_calls_are_not() {
    let heard = SharedLines::default();
    let user = YesNoApprover::with_answers([true]);
    let mut fixture = open_fixture_with(
        QueuedReplyModel::root([call(&[("deploy", "{}")]), say("deployed")]),
        Some(user.clone()),
        |runtime| {
            runtime.register_step_hook("cap*", "ship", "OnApprovalRequested", line_hook(&heard, "asked")).unwrap();
            runtime.register_persona_hook("other", "OnApprovalRequested", line_hook(&heard, "of another")).unwrap();
        },
        |builder| builder.permission_mode(PermissionMode::Strict),
    );
    let spec = persona_spec("captain", [StepSpec::new("ship")]);
    let text = fixture
        .session
        .persona(&spec)
        .unwrap()
        .step("ship", json!([]), |step| Ok(json!(step.run_prompt("ship it")?.text)));
    assert_eq!(text.unwrap(), json!("deployed"));
    assert_eq!(heard.all(), ["asked captain/ship"]);
    assert_eq!(user.requests.all().len(), 1);
    let announced = fixture.take_events_of("approval.requested");
    assert!(announced[0].starts_with(r#"captain/ship "tool" "deploy""#), "{announced:?}");
    let records = fixture.records();
    let request = records.iter().find(|record| record["event"] == "approval.requested").unwrap();
    let approval = records.iter().find(|record| record["kind"] == "approval").unwrap();
    assert_eq!(request["payload"]["digest"], approval["digest"], "it names the exact call that the answer is for");

    let mut fixture = open_fixture_with(
        QueuedReplyModel::root([call(&[("deploy", "{}")]), say("deployed")]),
        Some(YesNoApprover::with_answers([])),
        |_| {},
        |builder| builder.permission_mode(PermissionMode::Autonomous),
    );
    fixture.session.turn("ship it").unwrap();
    assert_eq!(fixture.take_events_of("approval.requested"), [] as [&str; 0], "no approval is requested");
}

#[test]
fn what_a_hook_decides_for_the_person_is_not_announced() {
    let mut fixture = open_fixture_with(
        QueuedReplyModel::root([call(&[("deploy", "{}")]), say("done")]),
        Some(YesNoApprover::with_answers([true])),
        |runtime| {
            runtime
                .register_session_hook("permission_asked", |_| HookReturn::decision(Decision::Deny, "not unattended"))
                .unwrap();
        },
        |builder| builder.permission_mode(PermissionMode::Strict),
    );
    let answer = fixture.session.turn("ship it").unwrap();
    assert!(answer.tool_results[0].content.contains("not unattended"), "{answer:?}");
    assert_eq!(fixture.take_events_of("approval.requested"), [] as [&str; 0]);
}
