//! `--mutate`: whether tests notice small changes of scripts, conditions and rules.
//!
//! A mutant is a hook with one change. The tests that reach it are run with it instead of the hook, inside this process
//! and within the usual limits; a program is never changed, and no test is run in which a hook acts outside.

mod hook_mutants;
mod mutation_report;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use pintle_host::contract::{HandlerSpec, HookDeclaration};
use pintle_host::script::{CoverageKind, CoveragePoint, CoverageRecorder, ScriptKind, capability_names};

use super::plan::{RunChanges, TestItem, TestPlan, TestSetup, run_parallel};
use super::test_result::{TestResult, TestStatus};
use crate::error::CliError;
use crate::render::progress::ProgressLine;
use crate::terminal::Terminal;
use hook_mutants::{HookMutant, MutantScope, collect_mutants};
pub(super) use mutation_report::MutationReport;
use mutation_report::{JudgedMutant, MutantFate};

/// The most scenarios that are played with one mutant: each is a session of its own.
const MAX_SCENARIOS: usize = 20;

/// A statement, by its file and its span.
type StatementKey = (PathBuf, usize, usize);

/// A test, with what it reaches.
#[derive(Debug)]
pub(super) struct ReachingTest {
    item: TestItem,
    statements: HashSet<StatementKey>,
}

/// Runs tests one after another, and notes what each reaches.
pub(super) fn run_with_reach(
    plan: &TestPlan,
    items: &[TestItem],
    setup: &TestSetup<'_>,
    changes: &RunChanges,
) -> Result<(Vec<TestResult>, Vec<ReachingTest>), CliError> {
    let mut runner = plan.start_runner(setup, changes);
    let (mut results, mut tests) = (Vec::new(), Vec::new());
    for item in items {
        results.extend(runner.run(*item)?);
        let reached = changes.coverage.as_deref().map(CoverageRecorder::take_reached).unwrap_or_default();
        tests.push(ReachingTest { item: *item, statements: reached.iter().filter_map(statement_key).collect() });
    }
    Ok((results, tests))
}

fn statement_key(point: &CoveragePoint) -> Option<StatementKey> {
    let span = point.location.span;
    let path = point.location.path().filter(|_| point.kind == CoverageKind::Statement)?;
    Some((path.to_owned(), span.start, span.end))
}

/// Judges the mutants of the hooks of a plan.
pub(super) fn judge_mutants(
    plan: &TestPlan,
    tests: &[ReachingTest],
    setup: &TestSetup<'_>,
    recorder: &CoverageRecorder,
    terminal: &Terminal,
) -> MutationReport {
    let declarations = plan.declarations();
    let outward = declarations.iter().find(|declared| acts_outside(plan, declared)).map(|hook| hook.name.clone());
    let (inside, skipped): (Vec<_>, Vec<_>) =
        declarations.into_iter().partition(|declared| !acts_outside(plan, declared));
    let mutants = collect_mutants(&inside);
    let statements: HashSet<StatementKey> = recorder
        .scripts()
        .iter()
        .flat_map(|script| script.points())
        .filter_map(|(point, _)| statement_key(point))
        .collect();
    let judge = MutantJudge { plan, tests, setup, statements, runs_all_hooks: outward.is_none() };
    let progress = ProgressLine::new(terminal, "mutants");
    let fates = run_parallel(setup.jobs, mutants.len(), &progress, || {
        |index: usize| mutants.get(index).map_or(MutantFate::Invalid, |mutant| judge.fate_of(mutant))
    });
    progress.clear();
    let judged = mutants.into_iter().zip(fates).map(|(mutant, fate)| JudgedMutant { mutant, fate });
    let mut skipped: Vec<String> = skipped.into_iter().map(|hook| hook.name.clone()).collect();
    skipped.dedup();
    MutationReport::new(
        judged.collect(),
        skipped,
        outward.filter(|_| !(plan.cases.is_empty() && plan.scenarios.is_empty())),
    )
}

/// Whether a call of a hook does something outside of Pintle, so that it must not see what mutants make of an event.
fn acts_outside(plan: &TestPlan, declared: &HookDeclaration) -> bool {
    match &declared.handler {
        HandlerSpec::Script(text) => !capability_names(&declared.name, text, ScriptKind::Hook).is_empty(),
        HandlerSpec::Function(spec) => !capability_names(&spec.name, &spec.module, ScriptKind::Plugin).is_empty(),
        HandlerSpec::None | HandlerSpec::Native(_) => false,
        HandlerSpec::Builtin(_) => {
            let set = plan.built.runtime.hooks();
            set.hooks().any(|(_, hook)| hook.id.as_str() == declared.name && hook.handler.acts_outside())
        }
        _ => true,
    }
}

/// Runs the tests that reach a mutant.
struct MutantJudge<'a> {
    plan: &'a TestPlan,
    tests: &'a [ReachingTest],
    setup: &'a TestSetup<'a>,
    /// The statements of all scripts.
    statements: HashSet<StatementKey>,
    /// Whether cases and scenarios can be run: not if one of their hooks acts outside.
    runs_all_hooks: bool,
}

impl MutantJudge<'_> {
    fn fate_of(&self, mutant: &HookMutant) -> MutantFate {
        let items = self.tests_of(mutant);
        let changes = RunChanges { coverage: None, substitutes: Some(Arc::clone(&mutant.declarations)) };
        let Ok(builder) = self.setup.start(&changes) else { return MutantFate::Invalid };
        let built = builder.load();
        if built.has_errors() {
            return MutantFate::Invalid;
        }
        let plan = TestPlan::new(built, self.plan.cases.clone(), self.plan.scenarios.clone(), self.plan.is_only_cases);
        let mut runner = plan.start_runner(self.setup, &changes).within_process();
        let mut is_reached = false;
        // What takes longest is last.
        let is_noticed = items.into_iter().any(|item| {
            let results = runner.run(item).unwrap_or_default();
            is_reached |= !results.is_empty();
            results.iter().any(|result| matches!(result.status, TestStatus::Fails(_)))
        });
        if is_noticed { MutantFate::Noticed } else { MutantFate::Survives { is_reached } }
    }

    /// The tests that reach a mutant, scenarios last.
    fn tests_of(&self, mutant: &HookMutant) -> Vec<TestItem> {
        let may_run = |item: &TestItem| match item {
            TestItem::Case(_) | TestItem::Scenario(_) => self.runs_all_hooks,
            TestItem::Example { .. } | TestItem::Rules(_) => true,
        };
        let all = || self.tests.iter().filter(|test| may_run(&test.item));
        let own = |item: &TestItem| match item {
            TestItem::Example { suite, .. } => {
                let suite = self.plan.suites.get(*suite);
                suite.is_some_and(|suite| mutant.declarations.iter().any(|declared| suite.is_of(declared)))
            }
            TestItem::Case(_) => true,
            // A scenario may have other hooks than those that are changed.
            TestItem::Scenario(scenario) => {
                self.plan.scenarios.get(*scenario).is_some_and(|scenario| scenario.hooks.is_empty())
            }
            TestItem::Rules(_) => false,
        };
        let items: Vec<TestItem> = match &mutant.scope {
            MutantScope::Script { path, start, is_top_level } => {
                let around =
                    self.statements.iter().filter(|(file, begin, end)| file == path && (*begin..*end).contains(start));
                let statement = around.min_by_key(|(_, begin, end)| end - begin);
                let reaching = all().filter(|test| statement.is_some_and(|key| test.statements.contains(key)));
                let reaching: Vec<TestItem> = reaching.map(|test| test.item).collect();
                // Statements outside of functions are run when the hook is loaded, and a `when` may call functions of a
                // script: all tests of the hook can notice them.
                let of_file = all().filter(|test| test.statements.iter().any(|(file, ..)| file == path));
                let of_file = of_file.map(|test| test.item).chain(all().map(|test| test.item).filter(own));
                let is_certain = !reaching.is_empty() && !is_top_level;
                if is_certain { reaching } else { of_file.collect() }
            }
            MutantScope::Rule => all().map(|test| test.item).filter(own).collect(),
        };
        let mut items = items;
        items.sort_unstable();
        items.dedup();
        let is_scenario = |item: &&TestItem| matches!(item, TestItem::Scenario(_));
        let surplus = items.iter().filter(is_scenario).count().saturating_sub(MAX_SCENARIOS);
        items.truncate(items.len() - surplus);
        items
    }
}
