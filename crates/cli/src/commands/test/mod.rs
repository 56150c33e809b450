//! `pintle test`: runs the examples of hooks and the case files beside them.

mod expectation;
mod hook_examples;
mod report;
mod test_result;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HookPaths, UserOptions, active_packs, load_hooks, start_builder, trust};
use crate::terminal::Terminal;

use hook_examples::run_rules;
pub(super) use hook_examples::{ExampleSuite, collect_suites};
use report::TestReport;
pub(super) use test_result::TestResult;

pub(super) const LONG_ABOUT: &str = "Run the examples of hooks, each against its hook alone, and the case files beside \
    them, which all hooks judge together. Nothing is executed but hooks, and nothing is stored.\n\nExit status: 0 all \
    hold, 1 one does not hold, 3 the hooks do not load, or some were not run.";

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Projects, `.harness` directories, directories of hooks or hook files [default: the project that contains the current
    /// directory].
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
        let places = HookPaths::from_paths_or_current_dir(self.path.clone()).with_untrusted_listed();
        trust::require_trust(&places, &self.user, terminal)?;
        let built = load_hooks(start_builder(&places, &self.user)?, &places.paths, terminal)?;
        if places.is_named && built.files == 0 {
            let help = "name a project, a `.harness` directory, a directory of hooks or a hook file";
            return Err(CliError::invalid_input("nothing was tested: the paths contain no hooks").help(help));
        }
        let suites = collect_suites(&built);
        let is_wanted = |result: &TestResult| self.filter.as_deref().is_none_or(|text| result.contains(text));
        let mut results: Vec<TestResult> = if self.list {
            suites.iter().flat_map(ExampleSuite::list).filter(is_wanted).collect()
        } else {
            suites.iter().flat_map(|suite| suite.run(&built, is_wanted)).collect()
        };
        // `pintle packs` lists the examples of the rules.
        if !self.list {
            results.extend(active_packs(&built).iter().flat_map(run_rules).filter(is_wanted));
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
                suites.iter().filter(|suite| suite.proves_no_denial()).for_each(|suite| {
                    let hook = suite.hook_label();
                    terminal.print_note(format!("hook `{hook}` can deny, and none of its examples expects that"));
                });
            }
        }
        Ok(report.status())
    }
}
