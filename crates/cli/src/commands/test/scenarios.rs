//! Runs scenarios: turns of Pintle's own agent loop with a scripted model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_agent::{ScenarioDifference, ScenarioPlayer, ScenarioTranscript, TranscriptLine};
use pintle_host::dialects::TestScenario;
use pintle_host::loader::load_scenario_file;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_host::{Diagnostic, EventKind, HookCache, LoadedRuntime, Severity};

use super::plan::RunChanges;
use super::test_result::{TestKind, TestResult, TestStatus};
use crate::error::CliError;
use crate::options::{HookPaths, UserOptions, current_dir, start_builder};
use crate::temporary_dir::TemporaryDir;

/// Most characters of a line of a transcript.
const LINE: usize = 400;

/// Runs the scenarios of one command line.
pub(in crate::commands) struct ScenarioRunner<'a> {
    pub(in crate::commands) places: &'a HookPaths,
    pub(in crate::commands) user: &'a UserOptions,
    /// How the hooks are loaded.
    pub(in crate::commands) changes: RunChanges,
    /// The hooks, which are loaded once as long as no scenario names others.
    pub(in crate::commands) cache: Arc<HookCache>,
    /// Whether scenarios are left out that need something outside this process.
    pub(in crate::commands) is_in_process: bool,
}

/// The scenarios of files, or the errors in them.
pub(in crate::commands) fn read_scenarios(files: &[PathBuf]) -> (Vec<TestScenario>, Vec<Diagnostic>) {
    let (mut scenarios, mut diagnostics) = (Vec::new(), Vec::new());
    for file in files.iter().map(|path| load_scenario_file(path)) {
        scenarios.extend(file.scenarios);
        diagnostics.extend(file.diagnostics);
    }
    (scenarios, diagnostics)
}

impl ScenarioRunner<'_> {
    /// Runs a scenario; `None` if it was left out.
    pub(in crate::commands) fn run(&self, scenario: &TestScenario) -> Result<Option<TestResult>, CliError> {
        let player = ScenarioPlayer::new(scenario.clone());
        let own = self.own_hooks(scenario);
        let places = own.as_ref().unwrap_or(self.places);
        if let Some(missing) = places.paths.iter().find(|path| !path.exists()) {
            let problem = format!("`{}` does not exist", missing.display());
            return Ok(Some(result_of(scenario, TestStatus::Fails(vec![problem]))));
        }
        let builder = self.changes.apply(start_builder(places, self.user)?);
        let builder = player.prepare(builder).hook_cache(Arc::clone(&self.cache));
        let mut built = builder.load();
        if let Some(error) = built.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            let problem = format!("the hooks do not load: {}", error.message);
            return Ok(Some(result_of(scenario, TestStatus::Fails(vec![problem]))));
        }
        if let Some(blocker) = untrusted_agent(&built) {
            return Ok(Some(result_of(scenario, TestStatus::NotRun(blocker))));
        }
        if self.is_in_process && (player.outside_need(&built).is_some() || has_untrusted_hooks(&built)) {
            return Ok(None);
        }
        let made = match scenario.files.as_ref().map(|files| create_scenario_dir(files)).transpose() {
            Ok(made) => made,
            Err(problem) => return Ok(Some(result_of(scenario, TestStatus::Fails(vec![problem])))),
        };
        let workspace = made.as_ref().map_or_else(|| workspace_of(places), |made| made.path().to_owned());
        let result = match player.play(&mut built, &workspace) {
            Ok(transcript) => judge_transcript(scenario, transcript),
            Err(problem) => result_of(scenario, TestStatus::Fails(vec![problem])),
        };
        Ok(Some(result))
    }

    /// The hooks that a scenario names, which need the same trust as those of the project.
    fn own_hooks(&self, scenario: &TestScenario) -> Option<HookPaths> {
        let file = scenario.location.path().filter(|_| !scenario.hooks.is_empty())?;
        let dir = file.parent().unwrap_or(Path::new(""));
        let paths = scenario.hooks.iter().map(|path| dir.join(path)).collect();
        let places =
            if self.places.is_named { HookPaths::from_named_paths(paths) } else { HookPaths::from_tape(paths) };
        Some(places)
    }
}

/// Why the agent of a project must not run.
fn untrusted_agent(built: &LoadedRuntime) -> Option<String> {
    let is_trusted = built.projects.iter().all(|project| project.agent_items.is_empty());
    (!is_trusted).then(|| String::from("the agent is not trusted"))
}

/// Whether hooks are loaded that may only deny and ask, so that it shows nothing if a scenario fails.
fn has_untrusted_hooks(built: &LoadedRuntime) -> bool {
    built.runtime.hooks().hooks().any(|(_, hook)| !hook.source_trust.is_trusted())
}

/// The directory that the agent works in: that of the hooks.
fn workspace_of(places: &HookPaths) -> PathBuf {
    let Some(path) = places.paths.first().and_then(|path| std::path::absolute(path).ok()) else { return current_dir() };
    let dir = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
    let root = dir.ancestors().find(|dir| dir.file_name().is_some_and(|name| name == ".harness"));
    root.and_then(Path::parent).unwrap_or(dir).to_owned()
}

pub(in crate::commands) fn result_of(scenario: &TestScenario, status: TestStatus) -> TestResult {
    TestResult {
        kind: TestKind::Scenario,
        hook: None,
        name: scenario.name.clone(),
        event: EventKind::PromptSubmit.to_string(),
        expect: String::from("scenario"),
        location: scenario.location.clone(),
        status,
        actual: None,
        transcript: Vec::new(),
        said: Vec::new(),
    }
}

/// The result of a scenario that was played. One that fails is placed at the first step that differs.
fn judge_transcript(scenario: &TestScenario, transcript: ScenarioTranscript) -> TestResult {
    let Some(first) = transcript.first_difference() else { return result_of(scenario, TestStatus::Holds) };
    let location = first.location.clone();
    let problem = |difference: &ScenarioDifference| {
        single_line(&format!("expected {}, but found {}", difference.expected, difference.found), LINE)
    };
    let problems = transcript.differences().map(problem).collect();
    let length = transcript.lines.iter().position(|line| !line.differences.is_empty()).map_or(0, |index| index + 1);
    let transcript = transcript.lines.into_iter().take(length).collect();
    TestResult { location, transcript, ..result_of(scenario, TestStatus::Fails(problems)) }
}

/// The lines of a transcript, with what differs at its end.
pub(super) fn render_transcript(lines: &[TranscriptLine]) -> Vec<StyledLine> {
    let mut rendered = Vec::new();
    for line in lines {
        let text = format!("  {:<8}{}", line.who, single_line(&line.text, LINE));
        rendered.push(StyledLine::new(Tone::Plain, text.trim_end().to_owned()));
        for difference in &line.differences {
            let sides = [("- expected", &difference.expected, Tone::Good), ("+ found", &difference.found, Tone::Bad)];
            rendered.extend(sides.map(|(side, text, tone)| {
                StyledLine::new(tone, format!("        {side:<11} {}", single_line(text, LINE)))
            }));
        }
    }
    rendered
}

/// Makes a temporary directory with the files of a scenario.
fn create_scenario_dir(files: &[(String, String)]) -> Result<TemporaryDir, String> {
    let failed = |path: &Path, error: std::io::Error| {
        format!("cannot write `{}` of the scenario's directory: {error}", path.display())
    };
    let made = TemporaryDir::create("scenario").map_err(|(path, error)| failed(&path, error))?;
    for (name, text) in files {
        let file = made.path().join(name);
        let written = file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&file, text));
        written.map_err(|error| failed(Path::new(name), error))?;
    }
    Ok(made)
}
