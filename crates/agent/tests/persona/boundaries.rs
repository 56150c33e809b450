//! Error boundaries: the effect of an error in a step.

use std::sync::Arc;

use pintle_agent::StepError;
use pintle_host::contract::{ErrorBoundary, StepSpec};
use pintle_host::{Approver, HookReturn};
use serde_json::{Value, json};

use crate::persona::fixture::*;
use crate::support::QueuedReplyModel;

/// What goes wrong in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum StepProblem {
    Error,
    Crash,
    Denied,
    BudgetExhausted,
}

fn run_step_with(
    problem: StepProblem,
    boundary: ErrorBoundary,
    answers: &[bool],
) -> (Result<Value, StepError>, Vec<String>) {
    let user = YesNoApprover::with_answers(answers.iter().copied());
    let approver: Arc<dyn Approver> = user.clone();
    let mut fixture = open_fixture_with(
        QueuedReplyModel::root([costly_reply(1_000, 0)]),
        Some(approver),
        |runtime| {
            if problem == StepProblem::Denied {
                runtime.register_persona_hook("*", "PreStep", |_| HookReturn::deny("no")).unwrap();
            }
        },
        |builder| builder,
    );
    let budget = token_budget(100);
    let spec = persona_spec("captain", [StepSpec { budget, error_boundary: boundary, ..StepSpec::new("audit") }]);
    let result = fixture.session.persona(&spec).unwrap().step("audit", json!([]), |step| match problem {
        StepProblem::Error => Err(StepError::failed("the branch is gone")),
        StepProblem::Crash => panic!("a bug of the host"),
        StepProblem::Denied => Ok(json!("ran")),
        StepProblem::BudgetExhausted => Ok(json!(step.run_prompt("go")?.text)),
    });
    (result, user.requests.all())
}

/// The problem, the boundary, the user's answers; the result (the category of the error, or that of the output that an
/// error became) and the number of approval requests.
#[test]
fn a_boundary_says_what_an_error_means_and_a_denial_is_none() {
    use ErrorBoundary::{Continue, Escalate, Fail};
    use StepProblem::{BudgetExhausted, Crash, Denied, Error};
    type Row = (StepProblem, ErrorBoundary, &'static [bool], Result<&'static str, &'static str>, usize);
    let rows: &[Row] = &[
        (Error, Fail, &[], Err("step_failed"), 0),
        (Error, Continue, &[], Ok("step_failed"), 0),
        (Error, Escalate, &[true], Ok("step_failed"), 1),
        (Error, Escalate, &[false], Err("step_failed"), 1),
        (Crash, Fail, &[], Err("step_failed"), 0),
        (Crash, Continue, &[], Ok("step_failed"), 0),
        (Denied, Fail, &[], Err("hook_denied"), 0),
        (Denied, Continue, &[], Err("hook_denied"), 0),
        (Denied, Escalate, &[true], Err("hook_denied"), 0),
        (BudgetExhausted, Fail, &[], Err("budget_exceeded"), 0),
        (BudgetExhausted, Continue, &[], Ok("budget_exceeded"), 0),
        (BudgetExhausted, Escalate, &[false], Err("budget_exceeded"), 1),
    ];
    for (trouble, boundary, answers, expected, asked) in rows {
        let (result, questions) = run_step_with(*trouble, *boundary, answers);
        let came = result
            .map(|output| output["category"].as_str().unwrap_or("").to_owned())
            .map_err(|error| error.category().to_owned());
        let expected = (*expected).map(str::to_owned).map_err(str::to_owned);
        assert_eq!(came, expected, "{trouble:?} {boundary:?} {answers:?}");
        assert_eq!(questions.len(), *asked, "{trouble:?} {boundary:?} {answers:?}: {questions:?}");
    }
}

#[test]
fn a_step_inside_cannot_go_on_past_the_budget_of_the_one_around_it() {
    let mut fixture = open_fixture([costly_reply(1_000, 0)], |_| {});
    let lenient = |name: &str| StepSpec { error_boundary: ErrorBoundary::Continue, ..StepSpec::new(name) };
    let spec =
        persona_spec("captain", [StepSpec { budget: token_budget(100), ..StepSpec::new("outer") }, lenient("inner")]);
    let after = SharedLines::default();
    let error = fixture
        .session
        .persona(&spec)
        .unwrap()
        .step("outer", json!([]), |outer| {
            outer.step("inner", json!([]), |inner| Ok(json!(inner.run_prompt("go")?.text)))?;
            after.add("the outer step went on");
            Ok(Value::Null)
        })
        .unwrap_err();
    assert_eq!(after.all(), [] as [&str; 0]);
    assert_eq!(error.to_value()["step"], json!("outer"));
    assert_eq!(error.to_value()["reason"], json!("step_budget_exhausted"));
}

#[test]
fn after_a_failed_step_the_persona_goes_on_and_nothing_is_left_behind() {
    let mut fixture = open_fixture([], |_| {});
    let spec = persona_spec("captain", [StepSpec::new("audit"), StepSpec::new("merge")]);
    let mut captain = fixture.session.persona(&spec).unwrap();
    let error = captain.step("audit", json!([]), |_| Err(StepError::from("broken"))).unwrap_err();
    assert_eq!((error.persona.as_str(), error.step.as_str(), error.message.as_str()), ("captain", "audit", "broken"));
    assert_eq!(captain.step("merge", json!([]), |_| Ok(json!("merged"))).unwrap(), json!("merged"));
    let pres = fixture.take_events_of("step.pre");
    assert_eq!(pres, ["captain/audit []", "captain/merge []"]);
}
