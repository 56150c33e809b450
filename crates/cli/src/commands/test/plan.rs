//! What one command line tests, and how it is run: in parallel, with the results in a fixed order.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use pintle_bridge::HostDef;
use pintle_host::contract::HookDeclaration;
use pintle_host::dialects::{PolicyCase, TestScenario};
use pintle_host::script::CoverageRecorder;
use pintle_host::{LoadedRuntime, RuntimeBuilder};

use super::cases::{CaseRunner, result_of};
use super::hook_examples::{ExampleSuite, collect_suites, list_rules, run_rules};
use super::scenarios::{self, ScenarioRunner};
use super::test_result::{TestResult, TestStatus};
use crate::error::CliError;
use crate::options::{ActivePack, HookPaths, UserOptions, active_packs, start_builder};
use crate::render::progress::ProgressLine;
use crate::terminal::Terminal;

/// The stack size of a thread that runs tests. Only touched pages use memory.
const STACK_BYTES: usize = 8 << 20;

/// What is tested, as the command line says it.
#[derive(Debug)]
pub(super) struct TestSetup<'a> {
    pub(super) places: &'a HookPaths,
    pub(super) user: &'a UserOptions,
    /// The agent that makes the calls of cases; `None` is any agent.
    pub(super) host: Option<&'static HostDef>,
    /// Only tests whose file, hook, call or name contains this text.
    pub(super) filter: Option<&'a str>,
    pub(super) jobs: NonZeroUsize,
}

/// How hooks are loaded for a run of tests, other than they are declared.
#[derive(Debug, Clone, Default)]
pub(in crate::commands) struct RunChanges {
    /// Notes what scripts reach.
    pub(super) coverage: Option<Arc<CoverageRecorder>>,
    /// Declarations instead of those of the same name and location.
    pub(super) substitutes: Option<Arc<[HookDeclaration]>>,
}

impl RunChanges {
    pub(super) fn apply(&self, builder: RuntimeBuilder) -> RuntimeBuilder {
        let builder = self.coverage.iter().cloned().fold(builder, RuntimeBuilder::coverage);
        self.substitutes.iter().cloned().fold(builder, RuntimeBuilder::substitutes)
    }
}

impl TestSetup<'_> {
    /// A builder of the hooks, among them those that must not run.
    pub(super) fn start(&self, changes: &RunChanges) -> Result<RuntimeBuilder, CliError> {
        let listed = self.places.clone().with_untrusted_listed();
        Ok(changes.apply(start_builder(&listed, self.user)?))
    }

    fn is_wanted(&self, result: &TestResult) -> bool {
        self.filter.is_none_or(|text| result.contains(text))
    }
}

/// The tests of loaded hooks.
#[derive(Debug)]
pub(super) struct TestPlan {
    pub(super) built: LoadedRuntime,
    pub(super) suites: Vec<ExampleSuite>,
    pub(super) packs: Vec<ActivePack>,
    pub(super) cases: Vec<PolicyCase>,
    pub(super) scenarios: Vec<TestScenario>,
    /// Whether only the cases are meant.
    pub(super) is_only_cases: bool,
}

/// One test: an example of a suite, the rules of a pack, a case, or a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TestItem {
    Example { suite: usize, example: usize },
    Rules(usize),
    Case(usize),
    Scenario(usize),
}

impl TestPlan {
    /// The tests of hooks with these cases; only the cases if they alone are meant.
    pub(super) fn new(
        built: LoadedRuntime,
        cases: Vec<PolicyCase>,
        scenarios: Vec<TestScenario>,
        is_only_cases: bool,
    ) -> Self {
        let (suites, packs) =
            if is_only_cases { (Vec::new(), Vec::new()) } else { (collect_suites(&built), active_packs(&built)) };
        Self { built, suites, packs, cases, scenarios, is_only_cases }
    }

    /// The declarations of the hooks: those of all agents, then those of single agents.
    pub(super) fn declarations(&self) -> Vec<&HookDeclaration> {
        declarations_of(&self.built)
    }

    /// The tests that are wanted, in the order of their results.
    pub(super) fn items(&self, setup: &TestSetup<'_>) -> Vec<TestItem> {
        let mut items = Vec::new();
        for (suite, of_hook) in self.suites.iter().enumerate() {
            let wanted = of_hook.list().enumerate().filter(|(_, listed)| setup.is_wanted(listed));
            items.extend(wanted.map(|(example, _)| TestItem::Example { suite, example }));
        }
        let has_wanted = |pack: &ActivePack| list_rules(pack).iter().any(|listed| setup.is_wanted(listed));
        items.extend(
            (0..self.packs.len()).filter(|pack| self.packs.get(*pack).is_some_and(has_wanted)).map(TestItem::Rules),
        );
        let wanted = |case: &PolicyCase| setup.is_wanted(&result_of(case, TestStatus::Listed, None));
        items.extend(
            self.cases.iter().enumerate().filter(|(_, case)| wanted(case)).map(|(case, _)| TestItem::Case(case)),
        );
        let wanted = |scenario| setup.is_wanted(&scenarios::result_of(scenario, TestStatus::Listed));
        let scenarios = self.scenarios.iter().enumerate().filter(|(_, scenario)| wanted(scenario));
        items.extend(scenarios.map(|(scenario, _)| TestItem::Scenario(scenario)));
        items
    }

    /// What tests are called, without running them.
    pub(super) fn list(&self, items: &[TestItem]) -> Vec<TestResult> {
        let listed = |item: &TestItem| match *item {
            TestItem::Example { suite, example } => self.suites.get(suite)?.list().nth(example),
            // `pintle packs` lists the examples of the rules.
            TestItem::Rules(_) => None,
            TestItem::Case(case) => Some(result_of(self.cases.get(case)?, TestStatus::Listed, None)),
            TestItem::Scenario(scenario) => {
                Some(scenarios::result_of(self.scenarios.get(scenario)?, TestStatus::Listed))
            }
        };
        items.iter().filter_map(listed).collect()
    }

    /// Runs tests on several threads. The results are in the order of the tests.
    pub(super) fn run(
        &self,
        items: &[TestItem],
        setup: &TestSetup<'_>,
        changes: &RunChanges,
        terminal: &Terminal,
    ) -> Result<Vec<TestResult>, CliError> {
        let progress = ProgressLine::new(terminal, "tests");
        let results = run_parallel(setup.jobs, items.len(), &progress, || {
            let mut runner = self.start_runner(setup, changes);
            move |index| items.get(index).map_or(Ok(Vec::new()), |item| runner.run(*item))
        });
        progress.clear();
        Ok(results.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// What runs tests one after another.
    pub(super) fn start_runner<'p>(&'p self, setup: &'p TestSetup<'p>, changes: &RunChanges) -> ItemRunner<'p> {
        let TestSetup { places, user, host, .. } = *setup;
        let (changes, cache) = (changes.clone(), Arc::default());
        let scenarios =
            ScenarioRunner { places, user, changes: changes.clone(), cache: Arc::default(), is_in_process: false };
        let cases = CaseRunner { places, user, host, changes, cache, fired: None };
        ItemRunner { plan: self, setup, cases, scenarios }
    }
}

/// The declarations of hooks: those of all agents, then those of single agents.
pub(in crate::commands) fn declarations_of(built: &LoadedRuntime) -> Vec<&HookDeclaration> {
    let mut declarations: Vec<&HookDeclaration> = built.declarations().collect();
    let members = built.team.iter().flat_map(|team| &team.agents);
    let mut agents: Vec<_> = members.chain(built.agent.iter().flat_map(|agent| &agent.agents)).collect();
    while let Some(agent) = agents.pop() {
        agents.extend(&agent.agents);
        declarations.extend(&agent.hooks);
    }
    declarations
}

/// Runs tests of a plan one after another.
pub(super) struct ItemRunner<'p> {
    plan: &'p TestPlan,
    setup: &'p TestSetup<'p>,
    cases: CaseRunner<'p>,
    scenarios: ScenarioRunner<'p>,
}

impl ItemRunner<'_> {
    /// The same, without scenarios that need something outside this process.
    pub(super) fn within_process(mut self) -> Self {
        self.scenarios.is_in_process = true;
        self
    }

    pub(super) fn run(&mut self, item: TestItem) -> Result<Vec<TestResult>, CliError> {
        let plan = self.plan;
        Ok(match item {
            TestItem::Example { suite, example } => {
                plan.suites.get(suite).and_then(|suite| suite.run(&plan.built, example)).into_iter().collect()
            }
            TestItem::Rules(pack) => {
                let results = plan.packs.get(pack).map(run_rules).unwrap_or_default();
                results.into_iter().filter(|result| self.setup.is_wanted(result)).collect()
            }
            TestItem::Case(case) => match plan.cases.get(case) {
                Some(case) => vec![self.cases.run(case)?],
                None => Vec::new(),
            },
            TestItem::Scenario(scenario) => match plan.scenarios.get(scenario) {
                Some(scenario) => self.scenarios.run(scenario)?.into_iter().collect(),
                None => Vec::new(),
            },
        })
    }
}

/// Does `count` pieces of work on several threads; the results are in the order of the pieces. Each thread works with
/// what `start` gives it.
pub(super) fn run_parallel<T: Send, W: FnMut(usize) -> T>(
    jobs: NonZeroUsize,
    count: usize,
    progress: &ProgressLine<'_>,
    start: impl Fn() -> W + Sync,
) -> Vec<T> {
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let done: Mutex<Vec<(usize, T)>> = Mutex::default();
    let work = || {
        let mut run = start();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            let result = run(index);
            done.lock().push((index, result));
            progress.show(finished.fetch_add(1, Ordering::Relaxed) + 1, count);
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.get().min(count) {
            let spawned = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            // Without more threads, this one does all of it.
            if spawned.is_err() {
                work();
            }
        }
    });
    let mut done = done.into_inner();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
