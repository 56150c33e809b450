//! `pintle validate`: compiles and checks everything, and prints the diagnostics of all files.

mod models;
mod packs;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use pintle_host::contract::{AgentSpec, Location};
use pintle_host::loader::is_scenario_file;
use pintle_host::tape::show::Tone;
use pintle_host::{Diagnostic, LoadedRuntime, Severity};

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HookPaths, UserOptions, current_dir, start_builder, trust};
use crate::render::diagnostic;
use crate::render::{count_text, style};
use crate::terminal::Terminal;

use super::test::{RunChanges, ScenarioRunner, TestResult, collect_suites, read_scenarios, test_files};
use report::{JsonReport, github_annotation, sarif_log};

/// The number of files from which a note about the progress is printed.
const MANY_FILES: usize = 200;

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Projects, `.harness` directories, docker-agent YAML files, directories of hooks or hook files [default: the
    /// project that contains the current directory].
    path: Vec<PathBuf>,
    /// Treat warnings as errors.
    #[arg(long)]
    deny_warnings: bool,
    /// How the findings are written; `--json` is short for `--format json`.
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<FindingFormat>,
    /// Refuse if an agent started this: what is checked is about to guard agents.
    #[arg(long, hide = true)]
    for_use: bool,
    #[command(flatten)]
    user: UserOptions,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FindingFormat {
    /// For people: the line, what is wrong with it, and the next step.
    Text,
    /// One object with a `version` and the `findings`.
    Json,
    /// A log of SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations of GitHub's workflows.
    Github,
}

impl ValidateArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        if self.for_use {
            trust::require_no_agent("nothing was changed")?;
        }
        let places = HookPaths::from_paths_or_current_dir(self.path.clone()).with_untrusted_listed();
        let paths = &places.paths;
        if let Some(missing) = paths.iter().find(|path| !path.exists()) {
            return Err(CliError::invalid_input(format!("`{}` does not exist", missing.display())));
        }
        if terminal.can_show_progress()
            && paths.iter().map(|path| count_artifacts(path, MANY_FILES)).sum::<usize>() >= MANY_FILES
        {
            terminal.print_note("checking more than 200 files");
        }
        let mut built = start_builder(&places, &self.user)?.check_guards().load();
        check_loaded(&mut built);
        if !built.has_errors() {
            let found = run_scenarios(&built, &places, &self.user)?;
            built.diagnostics.extend(found);
            built.diagnostics.sort_by_key(sort_key);
        }
        // In a path that the user named, nothing was checked.
        for diagnostic in built.diagnostics.iter_mut().filter(|diagnostic| diagnostic.code == "no_files") {
            diagnostic.severity = Severity::Error;
        }
        if built.files == 0 && built.declarations().next().is_none() && !built.has_errors() {
            let message =
                "nothing was checked: the current directory is in no project with hooks, and you have none of your own";
            let help = "put hooks in `.harness/hooks/` of a project or in `hooks/` of your configuration directory, or name a path";
            built.diagnostics.push(Diagnostic::error("no_files", message, Location::default()).help(help));
        }
        let is_denied =
            self.deny_warnings && built.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Warning);
        trust::print_untrusted(&built, terminal);
        let usual = if global.json { FindingFormat::Json } else { FindingFormat::Text };
        print_findings(&built, self.format.unwrap_or(usual), terminal);
        Ok(if built.has_errors() || is_denied { CliStatus::Invalid } else { CliStatus::Done })
    }
}

/// Checks what was loaded, and adds to its diagnostics what is found. Returns the results of the examples of hooks that
/// need nothing outside this process; no other ones are called.
pub(super) fn check_loaded(built: &mut LoadedRuntime) -> Vec<TestResult> {
    let members = built.team.iter().flat_map(|team| &team.agents).map(AsRef::as_ref);
    let found: Vec<Diagnostic> = built.agent.iter().chain(members).flat_map(models::check_models).collect();
    built.diagnostics.extend(found);
    built.diagnostics.extend(packs::check_examples(built.declarations()));
    let suites = collect_suites(built);
    let in_process = suites.iter().filter(|suite| suite.is_in_process());
    let results: Vec<TestResult> = in_process.flat_map(|suite| suite.run_all(built)).collect();
    built.diagnostics.extend(results.iter().filter_map(TestResult::diagnostic));
    built.diagnostics.sort_by_key(sort_key);
    results
}

/// The errors in scenario files, and the scenarios that do not hold. Only those are played that need nothing outside this
/// process.
fn run_scenarios(built: &LoadedRuntime, places: &HookPaths, user: &UserOptions) -> Result<Vec<Diagnostic>, CliError> {
    let files = test_files(&places.paths, built).into_iter().filter(|path| is_scenario_file(path));
    let (scenarios, mut found) = read_scenarios(&files.collect::<Vec<_>>());
    if found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Ok(found);
    }
    let runner =
        ScenarioRunner { places, user, changes: RunChanges::default(), cache: Arc::default(), is_in_process: true };
    for scenario in &scenarios {
        found.extend(runner.run(scenario)?.filter(TestResult::has_run).and_then(|result| result.diagnostic()));
    }
    Ok(found)
}

fn print_findings(built: &LoadedRuntime, format: FindingFormat, terminal: &Terminal) {
    let found = &built.diagnostics;
    match format {
        FindingFormat::Text => {
            for diagnostic in found {
                terminal.print_line(diagnostic::render_diagnostic(diagnostic));
                terminal.print_line("");
            }
            terminal.print_line(summary_text(built));
        }
        FindingFormat::Json => terminal.print_json(&JsonReport::new(found, built.declarations().count(), built.files)),
        FindingFormat::Sarif => terminal.print_json(&sarif_log(found, &current_dir())),
        FindingFormat::Github => {
            found.iter().for_each(|finding| terminal.print_exact_line(github_annotation(finding, &current_dir())));
            terminal.print_line(summary_text(built));
        }
    }
}

/// Sorts by file, then by position; diagnostics without a file come first.
fn sort_key(diagnostic: &Diagnostic) -> (Option<PathBuf>, usize) {
    (diagnostic.location.path().map(Path::to_owned), diagnostic.location.span.start)
}

fn summary_text(built: &LoadedRuntime) -> String {
    let (mut tools, mut agents) = (0, 0);
    if let Some(agent) = &built.agent {
        count_agent(agent, &mut tools, &mut agents);
    }
    let mut hooks = built.declarations().count();
    for member in built.team.iter().flat_map(|team| &team.agents) {
        hooks += member.hooks.len();
        tools += member.member.as_ref().map_or(0, |member| member.toolsets.len());
        agents += 1;
    }
    let tool = if built.team.is_some() { "toolset" } else { "tool" };
    let what = format!(
        "{}, {}, {} in {}",
        count_text(hooks, "hook"),
        count_text(tools, tool),
        count_text(agents, "agent"),
        count_text(built.files, "file"),
    );
    let of = |severity| built.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    match (of(Severity::Error), of(Severity::Warning)) {
        (0, 0) => format!("{what}: {}", style::paint_text(Tone::Good, "no problems")),
        (0, warnings) => format!("{what}: {}", style::paint_text(Tone::Warn, count_text(warnings, "warning"))),
        (errors, warnings) => {
            format!(
                "{what}: {}, {}",
                style::paint_text(Tone::Bad, count_text(errors, "error")),
                count_text(warnings, "warning")
            )
        }
    }
}

fn count_agent(agent: &AgentSpec, tools: &mut usize, agents: &mut usize) {
    *tools += agent.tools.len();
    *agents += 1;
    for child in &agent.agents {
        count_agent(child, tools, agents);
    }
}

/// Counts the Markdown files below a path, up to `most`.
fn count_artifacts(path: &Path, most: usize) -> usize {
    let mut folders = vec![path.to_owned()];
    let mut found = 0;
    while let Some(dir) = folders.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found += 1;
            }
            if found >= most {
                return found;
            }
        }
    }
    found
}
