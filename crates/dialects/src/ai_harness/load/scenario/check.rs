//! Refuses scenarios whose expectations could not fail, and steps that could not happen.

use pintle_contract::ByteSpan;

use super::step::{ScenarioAction, ScenarioReply};
use super::{ScenarioCall, TestScenario};
use crate::document::FileReport;

/// Reports what could not happen or could not fail.
pub(super) fn check_scenario(report: &FileReport, owner: &str, span: ByteSpan, scenario: &TestScenario) {
    let first_line = report.first_line(span);
    if scenario.steps.is_empty() {
        let help = "add `steps:` with `- user: TEXT` and `- model: TEXT`";
        return report.value_error("missing_field", format!("{owner} has no steps"), first_line, help);
    }
    check_order(report, scenario);
    if !expects_something(scenario) {
        let message = format!("{owner} expects nothing, so it could not fail");
        let help = "say what must come of a call (`expect`), what the model is shown (`shown`), or how the turn `ends`";
        report.value_error("bad_example", message, first_line, help);
    }
    for tool in &scenario.not_run.value {
        if !calls(scenario).any(|call| call.name == *tool) {
            let message = format!("no step calls `{tool}`, so it could not run");
            let help = "add a call of it, or remove it; tools are named as in Pintle's own agents, such as `shell`";
            report.value_error("bad_example", message, scenario.not_run.location.span, help);
        }
    }
}

/// Refuses what happens before the first turn or after the end of one.
fn check_order(report: &FileReport, scenario: &TestScenario) {
    let (mut has_begun, mut has_ended) = (false, false);
    for step in &scenario.steps {
        let problem = match &step.action {
            ScenarioAction::User(_) => {
                (has_begun, has_ended) = (true, false);
                None
            }
            // The next answer is the summary.
            ScenarioAction::Compact(_) if has_begun => {
                has_ended = false;
                None
            }
            ScenarioAction::Wait(_) => None,
            ScenarioAction::Model(_) | ScenarioAction::Ends { .. } | ScenarioAction::Compact(_) if !has_begun => {
                Some("this happens before the user says anything")
            }
            ScenarioAction::Model(_) | ScenarioAction::Ends { .. } if has_ended => {
                Some("the turn has ended with the step `ends` before this")
            }
            ScenarioAction::Ends { .. } => {
                has_ended = true;
                None
            }
            ScenarioAction::Model(_) | ScenarioAction::Compact(_) => None,
        };
        if let Some(problem) = problem {
            report.value_error("bad_example", problem, step.location.span, "begin a turn with `user: TEXT` before it");
        }
    }
    if !has_begun {
        let help = "add `- user: TEXT` before the answers of the model";
        report.value_error("missing_field", "no step begins a turn", scenario.location.span, help);
    }
}

fn replies(scenario: &TestScenario) -> impl Iterator<Item = &ScenarioReply> {
    scenario.steps.iter().filter_map(|step| match &step.action {
        ScenarioAction::Model(reply) => Some(reply),
        _ => None,
    })
}

fn calls(scenario: &TestScenario) -> impl Iterator<Item = &ScenarioCall> {
    replies(scenario).flat_map(|reply| &reply.calls)
}

fn expects_something(scenario: &TestScenario) -> bool {
    let TestScenario { events, not_run, metrics, .. } = scenario;
    !events.value.is_empty()
        || !not_run.value.is_empty()
        || !metrics.value.is_empty()
        || scenario.steps.iter().any(|step| matches!(step.action, ScenarioAction::Ends { .. }))
        || replies(scenario).any(|reply| !reply.shown.is_empty() || !reply.not_shown.is_empty())
        || calls(scenario).any(|call| call.expects_something)
}
