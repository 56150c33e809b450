//! `pintle test`: runs the examples of hooks and the case files beside them.

mod cases;
mod expectation;
mod hook_examples;
mod report;
mod test_result;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use pintle_host::Severity;
use pintle_host::loader::is_case_file;

use crate::error::{CliError, CliStatus};
use crate::options::{
    GlobalOptions, HookPaths, HostArgument, UserOptions, active_packs, load_hooks, start_builder, trust,
};
use crate::render::diagnostic::render_diagnostic;
use crate::terminal::Terminal;
use cases::{CaseRunner, case_files, read_cases, result_of};

use hook_examples::run_rules;
pub(super) use hook_examples::{ExampleSuite, collect_suites};
use report::TestReport;
pub(super) use test_result::TestResult;
use test_result::TestStatus;

pub(super) const LONG_ABOUT: &str = "Run the examples of hooks, each against its hook alone, and the case files beside \
    them, which all hooks judge together. Nothing is executed but hooks, and nothing is stored.\n\nExit status: 0 all \
    hold, 1 one does not hold, 3 the hooks do not load, or some were not run.";

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Projects, `.harness` directories, directories of hooks, hook files, or case files (`*.cases.yaml`) for the hooks of
    /// the other paths [default: the project that contains the current directory].
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
}

impl TestArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let (case_paths, hook_paths): (Vec<PathBuf>, Vec<PathBuf>) =
            self.path.iter().cloned().partition(|path| is_case_file(path));
        let places = HookPaths::from_paths_or_current_dir(hook_paths);
        trust::require_trust(&places, &self.user, terminal)?;
        let listed = places.clone().with_untrusted_listed();
        let built = load_hooks(start_builder(&listed, &self.user)?, &places.paths, terminal)?;
        if places.is_named && built.files == 0 {
            let help = "name a project, a `.harness` directory, a directory of hooks or a hook file";
            return Err(CliError::invalid_input("nothing was tested: the paths contain no hooks").help(help));
        }
        // A case file that is named is what is meant.
        let is_only_cases = !case_paths.is_empty() && !places.is_named;
        let case_paths = if case_paths.is_empty() { case_files(&places.paths, &built) } else { case_paths };
        let (cases, found) = read_cases(&case_paths);
        found.iter().for_each(|diagnostic| terminal.print_error_line(render_diagnostic(diagnostic)));
        if found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(CliError::invalid_input("cannot read the cases; nothing was tested"));
        }
        let (suites, packs) =
            if is_only_cases { (Vec::new(), Vec::new()) } else { (collect_suites(&built), active_packs(&built)) };
        let is_wanted = |result: &TestResult| self.filter.as_deref().is_none_or(|text| result.contains(text));
        let wanted_cases = cases.iter().filter(|case| is_wanted(&result_of(case, TestStatus::Listed, None)));
        let mut results: Vec<TestResult> = Vec::new();
        if self.list {
            results.extend(suites.iter().flat_map(ExampleSuite::list).filter(is_wanted));
            results.extend(wanted_cases.map(|case| result_of(case, TestStatus::Listed, None)));
        } else {
            results.extend(suites.iter().flat_map(|suite| suite.run(&built, is_wanted)));
            // `pintle packs` lists the examples of the rules.
            results.extend(packs.iter().flat_map(run_rules).filter(is_wanted));
            let host = self.host.map(|HostArgument(host)| host);
            let (cache, fired) = (Arc::default(), None);
            let mut runner = CaseRunner { places: &places, user: &self.user, host, cache, fired };
            for case in wanted_cases {
                results.push(runner.run(case)?);
            }
        }
        if let Some(text) = self.filter.as_deref().filter(|_| results.is_empty()) {
            let help = "`pintle test --list` lists the examples";
            return Err(CliError::invalid_input(format!("no example contains `{text}`")).help(help));
        }
        let report = TestReport::new(results);
        let usual = if global.json { ResultFormat::Json } else { ResultFormat::Text };
        match self.format.unwrap_or(usual) {
            ResultFormat::Json => terminal.print_json(&report.to_json()),
            ResultFormat::Junit => terminal.print_line(report.to_junit()),
            ResultFormat::Text if self.list => terminal.print_lines(&report.render_list()),
            ResultFormat::Text => {
                report.print_text(terminal);
                if report.has_failed_case()
                    && built.runtime.hooks().hooks().any(|(_, hook)| !hook.source_trust.is_trusted())
                {
                    terminal.print_note(
                        "hooks of a project that is not trusted can only deny and ask; `pintle trust` reviews it, and \
                         naming its path runs its hooks this time",
                    );
                }
                suites.iter().filter(|suite| suite.proves_no_denial()).for_each(|suite| {
                    let hook = suite.hook_label();
                    terminal.print_note(format!("hook `{hook}` can deny, and none of its examples expects that"));
                });
            }
        }
        Ok(report.status())
    }
}
