//! `--watch`: runs the tests again that a changed file touches.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use pintle_host::files::{self, FileState};
use pintle_host::loader::{is_case_file, is_scenario_file};

use super::load_plan;
use super::plan::{RunChanges, TestItem, TestPlan, TestSetup};
use super::report::TestReport;
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::render::{count_text, path_text};
use crate::terminal::Terminal;

/// How often the files are looked at.
const PERIOD: Duration = Duration::from_millis(200);

/// Runs the tests, and again those that changed files touch, until nothing reads the output any more.
pub(super) fn watch_tests(
    setup: &TestSetup<'_>,
    case_paths: &[PathBuf],
    terminal: &Terminal,
    global: &GlobalOptions,
) -> Result<CliStatus, CliError> {
    let mut changed: Option<Vec<PathBuf>> = None;
    loop {
        let (plan, seen) = files::watch(|| load_plan(setup, &RunChanges::default(), case_paths, terminal));
        let prints: FilePrints = match plan {
            Ok(plan) => {
                run_touched(&plan, changed.as_deref(), setup, terminal, global)?;
                // What a run itself creates, such as the directory of its state, is not a change, and neither is what
                // other programs do in a directory above.
                let states: Vec<(&Path, FileState)> = seen
                    .states()
                    .filter(|(path, _)| is_source(&plan, path) || !files::is_dir(path))
                    .map(|(path, state)| {
                        (path, if is_source(&plan, path) { state.clone() } else { files::file_state(path) })
                    })
                    .collect();
                states.iter().map(|(path, state)| (*path, state)).collect()
            }
            Err(error) => {
                terminal.print_cli_error(&error);
                seen.states().collect()
            }
        };
        if !global.json {
            terminal.print_error_line(format!("watching {}; Ctrl-C ends", count_text(prints.0.len(), "file")));
        }
        loop {
            if terminal.is_closed() {
                return Ok(CliStatus::Done);
            }
            thread::sleep(PERIOD);
            let now = prints.changed_files();
            if !now.is_empty() {
                let names: Vec<String> = now.iter().map(|path| path_text(path)).collect();
                terminal.print_error_line(format!("changed: {}", names.join(", ")));
                changed = Some(now);
                break;
            }
        }
    }
}

fn run_touched(
    plan: &TestPlan,
    changed: Option<&[PathBuf]>,
    setup: &TestSetup<'_>,
    terminal: &Terminal,
    global: &GlobalOptions,
) -> Result<(), CliError> {
    let items = plan.items(setup);
    let items = match changed {
        Some(changed) => touched_items(plan, &items, changed),
        None => items,
    };
    let report = TestReport::new(plan.run(&items, setup, &RunChanges::default(), terminal)?, None);
    match global.json {
        true => terminal.print_json(&report.to_json()),
        false => report.print_text(terminal),
    }
    Ok(())
}

/// The tests that changed files touch: of a case file its cases, of a scenario file its scenarios, of a hook's file its examples and all cases, and of any other
/// file, such as a directory with a new one, all.
fn touched_items(plan: &TestPlan, items: &[TestItem], changed: &[PathBuf]) -> Vec<TestItem> {
    let is_changed = |path: Option<&Path>| path.is_some_and(|path| changed.iter().any(|file| is_same(file, path)));
    let hook_files: Vec<&Path> =
        plan.declarations().into_iter().filter_map(|declared| declared.location.path()).collect();
    let is_hook_file = |file: &Path| hook_files.iter().any(|path| is_same(file, path));
    if !changed.iter().all(|file| is_case_file(file) || is_scenario_file(file) || is_hook_file(file)) {
        return items.to_vec();
    }
    let touches_hooks = changed.iter().any(|file| is_hook_file(file));
    let is_touched = |item: &TestItem| match *item {
        TestItem::Example { suite, .. } => plan.suites.get(suite).is_some_and(|suite| is_changed(suite.path())),
        TestItem::Rules(pack) => plan.packs.get(pack).is_some_and(|pack| is_changed(pack.location.path())),
        TestItem::Case(case) => {
            touches_hooks || plan.cases.get(case).is_some_and(|case| is_changed(case.example.location.path()))
        }
        TestItem::Scenario(scenario) => {
            touches_hooks || plan.scenarios.get(scenario).is_some_and(|scenario| is_changed(scenario.location.path()))
        }
    };
    items.iter().copied().filter(is_touched).collect()
}

/// Whether a file is one of cases or hooks, or a directory with them.
fn is_source(plan: &TestPlan, file: &Path) -> bool {
    let hooks = plan.declarations().into_iter().filter_map(|declared| declared.location.path());
    let cases = plan.cases.iter().filter_map(|case| case.example.location.path());
    let scenarios = plan.scenarios.iter().filter_map(|scenario| scenario.location.path());
    is_case_file(file)
        || is_scenario_file(file)
        || hooks
            .chain(cases)
            .chain(scenarios)
            .any(|path| is_same(file, path) || path.parent().is_some_and(|dir| is_same(file, dir)))
}

fn is_same(one: &Path, other: &Path) -> bool {
    std::path::absolute(one).ok() == std::path::absolute(other).ok()
}

/// What files held when they were last looked at.
#[derive(Debug, Default)]
struct FilePrints(BTreeMap<PathBuf, FilePrint>);

/// What a file holds, as far as that can be compared.
#[derive(Debug, PartialEq, Eq)]
struct FilePrint {
    state: FileState,
    /// A digest of what it holds; `None` if that is not known, since it changed after it was read.
    content: Option<u64>,
}

impl<'p> FromIterator<(&'p Path, &'p FileState)> for FilePrints {
    fn from_iter<T: IntoIterator<Item = (&'p Path, &'p FileState)>>(files: T) -> Self {
        let print = |(path, state): (&Path, &FileState)| (path.to_owned(), FilePrint::new(path, state));
        Self(files.into_iter().map(print).collect())
    }
}

impl FilePrints {
    /// The files that hold something else now. A file that was only touched does not.
    fn changed_files(&self) -> Vec<PathBuf> {
        let is_changed = |(path, before): &(&PathBuf, &FilePrint)| {
            files::file_state(path) != before.state && before.content != Some(content_of(path))
        };
        self.0.iter().filter(is_changed).map(|(path, _)| path.clone()).collect()
    }
}

impl FilePrint {
    /// A file that was in a state when it was read.
    fn new(path: &Path, state: &FileState) -> Self {
        let content = content_of(path);
        let now = files::file_state(path);
        // Where no two states are equal, only what it holds can be compared.
        let is_known = now == *state || now != files::file_state(path);
        Self { state: state.clone(), content: is_known.then_some(content) }
    }
}

/// A digest of a file's bytes, or of the names in a directory.
fn content_of(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    if files::is_dir(path) {
        let mut names: Vec<_> =
            files::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        names.hash(&mut hasher);
    } else {
        files::read_head(path, files::MAX_TEXT_BYTES).ok().hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_changed_if_it_holds_something_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a"), "1").unwrap();
        let paths = [at("a"), at("none"), dir.path().to_owned()];
        let states = || paths.iter().map(|path| (path, files::file_state(path))).collect::<Vec<_>>();
        let prints_of = |states: &[(&PathBuf, FileState)]| {
            states.iter().map(|(path, state)| (path.as_path(), state)).collect::<FilePrints>()
        };
        let before = prints_of(&states());
        assert!(before.changed_files().is_empty());
        std::fs::write(at("a"), "1").unwrap();
        assert!(before.changed_files().is_empty());
        std::fs::write(at("a"), "22").unwrap();
        assert_eq!(before.changed_files(), [at("a")]);
        let before = states();
        std::fs::write(at("none"), "").unwrap();
        // Also if they changed before that was looked at.
        assert_eq!(prints_of(&before).changed_files(), [dir.path().to_owned(), at("none")]);
    }
}
