//! `pintle test`: runs the examples of hooks, and the case files and scenario files beside them.

mod cases;
mod coverage;
mod expectation;
mod hook_examples;
mod init;
mod mutate;
mod plan;
mod report;
mod scenarios;
mod test_result;
mod watch;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use clap::{Args, ValueEnum};
use pintle_host::Severity;
use pintle_host::loader::{is_case_file, is_scenario_file};
use pintle_host::script::CoverageRecorder;

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HookPaths, HostArgument, UserOptions, load_hooks, trust};
use crate::render::diagnostic::render_diagnostic;
use crate::terminal::Terminal;
pub(super) use cases::{read_cases, test_files};
use coverage::CoverageReport;
pub(super) use hook_examples::{build_event, collect_suites};
use mutate::{MutationReport, judge_mutants, run_with_reach};
pub(super) use plan::{RunChanges, declarations_of};
use plan::{TestPlan, TestSetup};
use report::TestReport;
pub(super) use scenarios::{ScenarioRunner, read_scenarios};
pub(super) use test_result::TestResult;

pub(super) const LONG_ABOUT: &str = "Run the examples of hooks, each against its hook alone, the case files beside \
    them, which all hooks judge together, and the scenario files, whole turns of an agent with a scripted model. Nothing \
    is executed but hooks, and nothing is stored.\n\nExit status: 0 all \
    hold, 1 one does not hold, 3 the hooks do not load, or some were not run.";

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Projects, `.harness` directories, directories of hooks, hook files, or case files (`*.cases.yaml`) and
    /// scenario files (`*.scenario.yaml`) for the hooks of the other paths [default: the project that contains the current directory].
    path: Vec<PathBuf>,
    /// Only run examples whose file, hook, call or name contains this text.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// List the examples instead of running them.
    #[arg(long)]
    list: bool,
    /// How the results are written; `--json` is short for `--format json`.
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<ResultFormat>,
    /// Also show which lines and branches of scripts, and which rules, the tests reach.
    #[arg(long)]
    coverage: bool,
    /// Fail if the tests reach less than this part of the lines, in per cent. Implies `--coverage`.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    fail_under: Option<u8>,
    /// Change scripts, conditions and rules in small ways, and show the changes that no test notices.
    #[arg(long, conflicts_with = "list")]
    mutate: bool,
    /// Stay, and run the tests again that a changed file touches; Ctrl-C ends.
    #[arg(long, conflicts_with_all = ["list", "mutate", "coverage", "fail_under", "format", "init"])]
    watch: bool,
    /// Write a case file from the tool calls of a tape or of a session file of Claude Code or Codex, with what the hooks
    /// decide about each now.
    #[arg(long, value_name = "TAPE|FILE", conflicts_with_all = ["list", "mutate", "coverage", "fail_under", "format", "filter"])]
    init: Option<String>,
    /// How many tests run at the same time [default: the number of processors].
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Agent that makes the calls of case files, for example `claude`: in its own words, as far as it can deny and ask
    /// [default: any agent].
    #[arg(long, value_name = "HOST")]
    host: Option<HostArgument>,
    #[command(flatten)]
    user: UserOptions,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ResultFormat {
    /// For people: the counts of each file, and each failure with its line and the next step.
    Text,
    /// One object with a `version` and the `results`.
    Json,
    /// The XML of JUnit, which CI services show.
    Junit,
    /// The coverage as `lcov` writes it, which coverage services read. Implies `--coverage`.
    Lcov,
}

impl TestArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let (case_paths, hook_paths): (Vec<PathBuf>, Vec<PathBuf>) =
            self.path.iter().cloned().partition(|path| is_case_file(path) || is_scenario_file(path));
        let places = HookPaths::from_paths_or_current_dir(hook_paths);
        trust::require_trust(&places, &self.user, terminal)?;
        let setup = TestSetup {
            places: &places,
            user: &self.user,
            host: self.host.map(|HostArgument(host)| host),
            filter: self.filter.as_deref(),
            jobs: self.jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
        };
        if let Some(source) = &self.init {
            return init::write_cases(source, &setup, terminal, global);
        }
        if self.watch {
            return watch::watch_tests(&setup, &case_paths, terminal, global);
        }
        let coverage = (self.wants_coverage() || self.mutate).then(Arc::<CoverageRecorder>::default);
        let changes = RunChanges { coverage, substitutes: None };
        let plan = load_plan(&setup, &changes, &case_paths, terminal)?;
        let items = plan.items(&setup);
        if let Some(text) = self.filter.as_deref().filter(|_| items.is_empty()) {
            let help = "`pintle test --list` lists the examples";
            return Err(CliError::invalid_input(format!("no example contains `{text}`")).help(help));
        }
        let (results, reach) = match (self.list, self.mutate) {
            (true, _) => (plan.list(&items), Vec::new()),
            (false, true) => run_with_reach(&plan, &items, &setup, &changes)?,
            (false, false) => (plan.run(&items, &setup, &changes, terminal)?, Vec::new()),
        };
        let recorder = changes.coverage.as_deref();
        let coverage =
            recorder.filter(|_| self.wants_coverage()).map(|recorder| CoverageReport::new(recorder, &plan, &results));
        let mut report = TestReport::new(results, coverage);
        // What a mutant does is only seen in tests that hold.
        if let Some(recorder) = recorder.filter(|_| self.mutate && report.status() == CliStatus::Done) {
            report.set_mutants(judge_mutants(&plan, &reach, &setup, recorder, terminal));
        }
        self.print(&report, &plan, terminal, global);
        let shortfall = self.fail_under.and_then(|percent| report.coverage()?.shortfall(percent));
        shortfall.iter().for_each(|text| terminal.print_note(text));
        Ok(match report.status() {
            CliStatus::Done if shortfall.is_some() || report.mutants().is_some_and(MutationReport::has_survivor) => {
                CliStatus::Failed
            }
            status => status,
        })
    }

    fn wants_coverage(&self) -> bool {
        !self.list && (self.coverage || self.fail_under.is_some() || self.format == Some(ResultFormat::Lcov))
    }

    fn print(&self, report: &TestReport, plan: &TestPlan, terminal: &Terminal, global: &GlobalOptions) {
        let usual = if global.json { ResultFormat::Json } else { ResultFormat::Text };
        match self.format.unwrap_or(usual) {
            ResultFormat::Json => terminal.print_json(&report.to_json()),
            ResultFormat::Junit => terminal.print_line(report.to_junit()),
            ResultFormat::Lcov => {
                report.print_failures(terminal);
                report.coverage().into_iter().for_each(|coverage| terminal.print_line(coverage.to_lcov()));
            }
            ResultFormat::Text if self.list => terminal.print_lines(&report.render_list()),
            ResultFormat::Text => {
                report.print_text(terminal);
                if report.has_failed_case()
                    && plan.built.runtime.hooks().hooks().any(|(_, hook)| !hook.source_trust.is_trusted())
                {
                    terminal.print_note(
                        "hooks of a project that is not trusted can only deny and ask; `pintle trust` reviews it, and \
                         naming its path runs its hooks this time",
                    );
                }
                plan.suites.iter().filter(|suite| suite.proves_no_denial()).for_each(|suite| {
                    let hook = suite.hook_label();
                    terminal.print_note(format!("hook `{hook}` can deny, and none of its examples expects that"));
                });
            }
        }
    }
}

/// Loads the hooks and the cases.
fn load_plan(
    setup: &TestSetup<'_>,
    changes: &RunChanges,
    case_paths: &[PathBuf],
    terminal: &Terminal,
) -> Result<TestPlan, CliError> {
    let places = setup.places;
    let built = load_hooks(setup.start(changes)?, &places.paths, terminal)?;
    // A case file that is named is what is meant.
    let is_only_cases = !case_paths.is_empty() && !places.is_named;
    let case_paths = if case_paths.is_empty() { test_files(&places.paths, &built) } else { case_paths.to_vec() };
    let (scenario_paths, case_paths): (Vec<_>, Vec<_>) =
        case_paths.into_iter().partition(|path| is_scenario_file(path));
    let (cases, mut found) = read_cases(&case_paths);
    let (scenarios, faulty) = read_scenarios(&scenario_paths);
    found.extend(faulty);
    found.iter().for_each(|diagnostic| terminal.print_error_line(render_diagnostic(diagnostic)));
    if found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(CliError::invalid_input("cannot read the cases or scenarios; nothing was tested"));
    }
    if places.is_named && built.files == 0 && scenarios.is_empty() {
        let help = "name a project, a `.harness` directory, a directory of hooks or a hook file";
        return Err(CliError::invalid_input("nothing was tested: the paths contain no hooks").help(help));
    }
    Ok(TestPlan::new(built, cases, scenarios, is_only_cases))
}
