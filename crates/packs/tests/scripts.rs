//! Walks calls that run files of a project, and says what the default packs make of them.
#![expect(clippy::unwrap_used, reason = "a file of cases that cannot be read is a failed test")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pintle_packs::{RuleSeverity, RuledCall, default_packs, judge};
use pintle_shell::{CallSite, Operation, ProjectFiles, ShellLanguage, operations_of_command};

const PROJECT: &str = "/home/ana/shop";

/// The files of a project, by their path.
#[derive(Default)]
struct FakeFiles(HashMap<PathBuf, String>);

impl ProjectFiles for FakeFiles {
    fn read_code(&self, path: &Path, most_bytes: usize) -> Option<String> {
        Some(self.0.get(path)?.get(..).unwrap_or_default().chars().take(most_bytes).collect())
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.0.keys().any(|file| file.starts_with(path) && file != path)
    }
}

/// A call with the files that it finds: `== pass LINE` or `== stop LINE`, and `--- PATH` before the text of each file. More
/// calls may find the same files.
#[derive(Default)]
struct ScriptCase {
    lines: Vec<(bool, String)>,
    files: FakeFiles,
}

fn read_cases(text: &str) -> Vec<ScriptCase> {
    let mut cases: Vec<ScriptCase> = Vec::new();
    let mut file: Option<PathBuf> = None;
    for line in text.lines() {
        if let Some(call) = line.strip_prefix("== ") {
            let (word, command) = call.split_once(' ').unwrap();
            assert!(matches!(word, "pass" | "stop"), "{line}");
            if file.take().is_some() || cases.is_empty() {
                cases.push(ScriptCase::default());
            }
            cases.last_mut().unwrap().lines.push((word == "stop", command.replace('¶', "\n")));
        } else if let Some(path) = line.strip_prefix("--- ") {
            let path = match path.strip_prefix("~/") {
                Some(path) => Path::new("/home/ana").join(path),
                None => Path::new(PROJECT).join(path),
            };
            cases.last_mut().unwrap().files.0.insert(path.clone(), String::new());
            file = Some(path);
        } else if let Some(path) = &file {
            let text = cases.last_mut().unwrap().files.0.get_mut(path).unwrap();
            text.push_str(line);
            text.push('\n');
        }
    }
    cases
}

fn operations(command: &str, files: &FakeFiles) -> Vec<Operation> {
    let site =
        CallSite::new(Path::new(PROJECT), Path::new(PROJECT)).with_home(Some(Path::new("/home/ana"))).reading(files);
    operations_of_command(command, ShellLanguage::Bash, &site)
}

/// What the default packs say, from `ask` up.
fn findings(operations: &[Operation]) -> Vec<String> {
    let settings = pintle_packs::PackSettings::default();
    default_packs()
        .flat_map(|pack| judge(pack, &settings, RuledCall::of_operations(operations)))
        .filter(|finding| finding.severity > RuleSeverity::Warn)
        .map(|finding| finding.message())
        .collect()
}

fn find_misjudged(text: &str) -> String {
    let mut wrong = String::new();
    for case in read_cases(text) {
        for (must_stop, command) in &case.lines {
            let operations = operations(command, &case.files);
            let found = findings(&operations);
            if *must_stop == found.is_empty() {
                let shown = serde_json::to_string(&operations).unwrap();
                wrong.push_str(&format!("{command}\n    {found:?}\n    {shown}\n"));
            }
        }
    }
    wrong
}

#[test]
fn everyday_files_pass() {
    let wrong = find_misjudged(include_str!("scripts_harmless.txt"));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn harmful_files_are_stopped() {
    let wrong = find_misjudged(include_str!("scripts_harmful.txt"));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_refusal_names_the_file_and_the_line() {
    let rows = [
        ("sh x.sh", "x.sh", "set -e\n\nrm -rf ~\n", "in `x.sh`, line 3)"),
        ("make", "Makefile", "all:\n\t@echo hi\n\t@rm -rf $(HOME)\n", "in `Makefile`, line 3)"),
        (
            "npm test",
            "package.json",
            "{\n \"scripts\": {\n  \"test\": \"rm -rf ~\"\n }\n}\n",
            "in `package.json`, line 3)",
        ),
        ("python x.py", "x.py", "import shutil\nshutil.rmtree('/home/ana')\n", "in `x.py`, line 2)"),
    ];
    for (command, file, text, expected) in rows {
        let files = FakeFiles(HashMap::from([(Path::new(PROJECT).join(file), text.to_owned())]));
        let found = findings(&operations(command, &files));
        assert!(found.first().is_some_and(|message| message.contains(expected)), "{command}: {found:?}");
    }
}
