//! Budgets: what they count, the thresholds that they fire, and what happens when one is exhausted.

use std::sync::Arc;

use pintle_agent::{BudgetUsage, StepErrorKind};
use pintle_host::contract::{BudgetSpec, ErrorBoundary, PersonaSpec, PriceSpec, StepSpec};
use serde_json::{Value, json};

use crate::persona::fixture::*;
use crate::support::{QueuedReply, QueuedReplyModel, call, say};

fn model_price() -> PriceSpec {
    PriceSpec { model: String::from("play"), input_usd_per_million: 100.0, output_usd_per_million: 1_000.0 }
}

fn bounded_persona(budget: BudgetSpec) -> PersonaSpec {
    PersonaSpec {
        prices: vec![model_price()],
        ..persona_spec("captain", [StepSpec { budget, ..StepSpec::new("audit") }])
    }
}

/// Runs this many turns of the agent in one step.
fn prompt_times(
    fixture: &mut PersonaFixture,
    spec: &PersonaSpec,
    times: usize,
) -> Result<Value, pintle_agent::StepError> {
    fixture.session.persona(spec)?.step("audit", json!([]), |step| {
        for _ in 0..times {
            step.run_prompt("go")?;
        }
        Ok(json!("done"))
    })
}

#[test]
fn every_hook_hears_once_when_its_own_mark_is_passed() {
    let heard = SharedLines::default();
    let mut fixture =
        open_fixture([costly_reply(30, 0), costly_reply(40, 0), costly_reply(25, 0), costly_reply(5, 0)], |runtime| {
            for (pattern, event, word) in [
                ("*", "OnBudgetThreshold(10)", "10"),
                ("*", "OnBudgetThreshold(70)", "70"),
                ("cap*", "OnBudgetThreshold(80)", "80"),
                ("merge_*", "OnBudgetThreshold(80)", "not for this one"),
                ("*", "OnBudgetThreshold(100)", "100"),
                ("*", "OnBudgetThreshold(150)", "never reached"),
            ] {
                runtime.register_persona_hook(pattern, event, line_hook(&heard, word)).unwrap();
            }
            runtime.register_step_hook("*", "audit", "OnBudgetThreshold(50)", line_hook(&heard, "step 50")).unwrap();
            runtime
                .register_step_hook("*", "merge", "OnBudgetThreshold(50)", line_hook(&heard, "of another step"))
                .unwrap();
        });
    let spec = bounded_persona(token_budget(100));
    assert_eq!(prompt_times(&mut fixture, &spec, 4).unwrap(), json!("done"));
    let expected = ["10", "step 50", "70", "80", "100"].map(|word| format!("{word} captain/audit"));
    assert_eq!(heard.all(), expected);
    let marks = [
        "captain/audit step tokens 30.0/100.0 at 10.0",
        "captain/audit step tokens 70.0/100.0 at 50.0",
        "captain/audit step tokens 70.0/100.0 at 70.0",
        "captain/audit step tokens 95.0/100.0 at 80.0",
        "captain/audit step tokens 100.0/100.0 at 100.0",
    ];
    assert_eq!(fixture.take_events_of("budget.threshold"), marks);
}

#[test]
fn several_budgets_are_counted_by_the_same_call_and_each_tells_of_itself() {
    let budget = BudgetSpec { max_tokens: Some(100), max_usd: Some(0.008) };
    let mut spec = bounded_persona(budget);
    spec.budget = token_budget(60);
    spec.thresholds = vec![25.0];
    let session = BudgetSpec { max_tokens: Some(40), max_usd: None };
    let model = QueuedReplyModel::root([costly_reply(20, 2), costly_reply(20, 2)]);
    let mut fixture = open_fixture_with(model, None, |_| {}, |builder| builder.budget(session, []));
    let error = prompt_times(&mut fixture, &spec, 2).unwrap_err();
    // The step's and the persona's budgets were enough, the session's was not.
    let marks = [
        "captain/audit step cost_usd 0.004/0.008 at 25.0",
        "captain/audit step cost_usd 0.004/0.008 at 50.0",
        "captain/ persona tokens 22.0/60.0 at 25.0",
        "/ session tokens 22.0/40.0 at 25.0",
        "/ session tokens 22.0/40.0 at 50.0",
        "captain/audit step tokens 44.0/100.0 at 25.0",
        "captain/audit step cost_usd 0.008/0.008 at 80.0",
        "captain/audit step cost_usd 0.008/0.008 at 100.0",
        "captain/ persona tokens 44.0/60.0 at 50.0",
        "/ session tokens 44.0/40.0 at 80.0",
        "/ session tokens 44.0/40.0 at 100.0",
    ];
    assert_eq!(fixture.take_events_of("budget.threshold"), marks);
    let StepErrorKind::Budget(spent) = &error.kind else { panic!("{error:?}") };
    assert_eq!((spent.scope, spent.limit, spent.consumed_tokens), ("session", "max_tokens", 44));
    let fault = fixture.session.turn("go").unwrap_err();
    assert!(fault.message.contains("play") || fault.message.contains("no reply"), "{}", fault.message);
}

#[test]
fn a_spent_budget_is_the_error_that_harn_describes() {
    let mut fixture = open_fixture([costly_reply(60, 0), costly_reply(60, 0), say("never asked")], |_| {});
    let spec = bounded_persona(token_budget(100));
    let error = prompt_times(&mut fixture, &spec, 3).unwrap_err();
    let message = "the budget of step `audit` is exhausted: 120 of 100 tokens used; raise `max_tokens`";
    let expected = json!({
        "category": "budget_exceeded",
        "kind": "budget_exhausted",
        "reason": "step_budget_exhausted",
        "step": "audit",
        "function": "audit",
        "limit": "max_tokens",
        "limit_value": 100,
        "consumed_tokens": 120,
        "consumed_cost_usd": 0.012,
        "error_boundary": "fail",
        "persona": "captain",
        "message": message,
    });
    assert_eq!(error.to_value(), expected);
    assert_eq!(fixture.model.count(), 2, "the call that passed the bound was the last");
    assert_eq!(fixture.take_events_of("step.post"), [format!("captain/audit {expected} error=true")]);
    // Another run of the step has the full budget.
    fixture.model.add("root", [costly_reply(60, 0)]);
    assert_eq!(prompt_times(&mut fixture, &spec, 1).unwrap(), json!("done"));
}

#[test]
fn money_is_counted_by_the_declared_prices() {
    let budget = BudgetSpec { max_tokens: None, max_usd: Some(0.01) };
    let mut fixture = open_fixture([costly_reply(50, 4), costly_reply(10, 1)], |_| {});
    let spec = bounded_persona(budget);
    let error = prompt_times(&mut fixture, &spec, 2).unwrap_err();
    let value = error.to_value();
    assert_eq!((&value["limit"], &value["limit_value"]), (&json!("max_usd"), &json!(0.01)));
    assert_eq!(value["consumed_cost_usd"], json!(0.011));
    let used = fixture.session.persona(&spec).unwrap().usage();
    assert_eq!(
        used,
        BudgetUsage { usage: pintle_host::event::TokenUsage::new(60, 5), calls: 2, cost_usd: Some(0.011) }
    );
}

#[test]
fn a_body_cannot_hide_a_spent_budget_and_tool_calls_still_have_results() {
    let Ok(mut costly) = call(&[("look", "{}")]) else { unreachable!() };
    costly.usage.input_tokens = 500;
    let mut fixture = open_fixture([QueuedReply::Ok(costly), say("after")], |_| {});
    let spec = bounded_persona(token_budget(100));
    let error = fixture
        .session
        .persona(&spec)
        .unwrap()
        .step("audit", json!([]), |step| {
            assert!(step.run_prompt("go").is_err());
            Ok(json!("all is well"))
        })
        .unwrap_err();
    assert_eq!(error.category(), "budget_exceeded");
    assert_eq!(fixture.take_events_of("tool.pre"), [] as [&str; 0], "no tool runs on a spent budget");
    fixture.session.turn("go on").unwrap();
    let request = fixture.model.request(1);
    let result = request.messages.iter().find(|message| message.role.to_string() == "tool").unwrap();
    assert_eq!(result.content, "not called: the budget is exhausted");
}

#[test]
fn a_spent_persona_begins_no_further_step() {
    let mut fixture = open_fixture([costly_reply(150, 0)], |_| {});
    let mut spec = bounded_persona(BudgetSpec::default());
    spec.budget = token_budget(100);
    let reason = |error: pintle_agent::StepError| error.to_value()["reason"].clone();
    assert_eq!(reason(prompt_times(&mut fixture, &spec, 1).unwrap_err()), json!("persona_budget_exhausted"));
    assert_eq!(reason(prompt_times(&mut fixture, &spec, 1).unwrap_err()), json!("persona_budget_exhausted"));
    assert_eq!(fixture.take_events_of("step.pre").len(), 1);
    // Another persona of the same session has its own budget.
    let other = PersonaSpec { name: String::from("other"), ..spec };
    fixture.model.add("root", [costly_reply(50, 0)]);
    assert_eq!(prompt_times(&mut fixture, &other, 1).unwrap(), json!("done"));
}

#[test]
fn what_delegated_agents_use_is_charged_to_the_step_and_bound_by_it() {
    let model = QueuedReplyModel::root([
        call(&[("delegate", r#"{"agent":"helper","task":"a"}"#), ("delegate", r#"{"agent":"helper","task":"b"}"#)]),
        say("never"),
    ]);
    model.add("helper", [costly_reply(300, 0), costly_reply(300, 0), costly_reply(1, 0)]);
    let helper = pintle_host::contract::AgentSpec {
        name: String::from("helper"),
        ..pintle_host::contract::AgentSpec::default()
    };
    let agent = pintle_host::contract::AgentSpec { agents: vec![Arc::new(helper)], ..crate::support::agent() };
    let mut fixture = open_agent_fixture(agent, model);
    let spec = bounded_persona(token_budget(500));
    let result = prompt_times(&mut fixture, &spec, 1);
    let error = result.unwrap_err();
    let StepErrorKind::Budget(spent) = &error.kind else { panic!("{error:?}") };
    // Both ran concurrently; the later one exceeded the limit.
    assert_eq!((spent.scope, spent.limit_value), ("step", 500.0));
    assert!(spent.consumed_tokens > 600, "{spent:?}");
    let marks = fixture.take_events_of("budget.threshold");
    let at: Vec<&str> = marks.iter().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(at, ["50.0", "80.0", "100.0"], "each mark once, though calls were made at once: {marks:?}");
    for record in fixture.records().iter().filter(|record| record["kind"] == "model_request") {
        assert_eq!(record["origin"]["step"], json!("audit"), "{record}");
    }
}

#[test]
fn a_person_may_give_as_much_again() {
    let escalating = |answers: Vec<bool>, replies: Vec<QueuedReply>| {
        let user = YesNoApprover::with_answers(answers);
        let fixture = open_fixture_with(QueuedReplyModel::root(replies), Some(user.clone()), |_| {}, |builder| builder);
        (fixture, user)
    };
    let mut spec = bounded_persona(token_budget(100));
    spec.steps[0].error_boundary = ErrorBoundary::Escalate;
    let spent = "budget.threshold: the budget of step `audit` is exhausted: 150 of 100 tokens used; raise `max_tokens`";
    let again = "budget.threshold: the budget of step `audit` is exhausted: 250 of 100 tokens used; raise `max_tokens`";

    let (mut fixture, user) = escalating(vec![true], vec![costly_reply(150, 0), costly_reply(50, 0)]);
    assert_eq!(prompt_times(&mut fixture, &spec, 2).unwrap(), json!("done"));
    assert_eq!(user.requests.all(), [spent], "twice the budget is enough");
    assert_eq!(fixture.take_events_of("approval.requested").len(), 1);

    let (mut fixture, user) = escalating(vec![true, false], vec![costly_reply(150, 0), costly_reply(100, 0)]);
    let error = prompt_times(&mut fixture, &spec, 2).unwrap_err();
    assert_eq!((error.category(), error.to_value()["error_boundary"].clone()), ("budget_exceeded", json!("escalate")));
    assert_eq!(user.requests.all(), [spent, again]);

    // A call that costs more than twice the budget needs two approvals.
    let (mut fixture, user) = escalating(vec![true, true], vec![costly_reply(250, 0)]);
    assert_eq!(prompt_times(&mut fixture, &spec, 1).unwrap(), json!("done"));
    assert_eq!(user.requests.all(), [again, again]);

    // No user is available.
    let mut fixture = crate::persona::fixture::open_fixture([costly_reply(150, 0)], |_| {});
    assert_eq!(prompt_times(&mut fixture, &spec, 1).unwrap_err().category(), "budget_exceeded");
    assert_eq!(fixture.take_events_of("approval.requested").len(), 1, "hooks are told all the same");
}

#[test]
fn a_session_budget_ends_turns_outside_of_steps_too() {
    let model = QueuedReplyModel::root([costly_reply(60, 0), costly_reply(60, 0)]);
    let mut fixture = open_fixture_with(model, None, |_| {}, |builder| builder.budget(token_budget(100), []));
    fixture.session.turn("one").unwrap();
    let error = fixture.session.turn("two").unwrap_err();
    assert_eq!(error.message, "the budget of the session is exhausted: 120 of 100 tokens used; raise `max_tokens`");
    assert_eq!(
        fixture.take_events_of("budget.threshold"),
        [
            "/ session tokens 60.0/100.0 at 50.0",
            "/ session tokens 120.0/100.0 at 80.0",
            "/ session tokens 120.0/100.0 at 100.0",
        ]
    );
}
