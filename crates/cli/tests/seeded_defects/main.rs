//! Defects that were put into small hook files: each is found where it is, and its file without the defect has no finding.
//!
//! A case is a section of a file in `cases`. Its heading says the severity and the code of the finding. In its files,
//! `«wrong‖right»` marks the defect: the finding is on the line of the first mark, unless the heading says `line N`. The
//! first word after a fence is the language, the second the path below the project.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;

use pintle_testkit::read_cases;
use serde_json::Value;

/// One case: what is found, where, and in which files.
struct SeededDefect {
    title: String,
    severity: String,
    code: String,
    line: usize,
    files: Vec<(String, String)>,
}

/// Which side of the marks a file has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DefectSide {
    Wrong,
    Right,
}

impl SeededDefect {
    fn parse(section: &str) -> Self {
        let (title, rest) = section.split_once('\n').unwrap();
        let (expected, _) = title.split_once(':').unwrap_or_else(|| panic!("a heading without a colon: {title}"));
        let words: Vec<&str> = expected.split_whitespace().collect();
        let mut files = Vec::new();
        let mut lines = rest.lines();
        while let Some(line) = lines.next() {
            let Some(info) = line.strip_prefix("~~~ ") else { continue };
            let path = info.split_whitespace().nth(1).unwrap_or_else(|| panic!("a file without a path: {title}"));
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "~~~").collect();
            files.push((path.to_owned(), format!("{}\n", text.join("\n"))));
        }
        let marked = files.iter().find_map(|(_, text)| text.split_once('«').map(|(before, _)| before));
        let marked = marked.unwrap_or_else(|| panic!("a case without a mark: {title}"));
        let line = words.iter().skip_while(|word| **word != "line").nth(1);
        Self {
            title: title.to_owned(),
            severity: words[0].to_owned(),
            code: words[1].to_owned(),
            line: line.map_or(marked.matches('\n').count() + 1, |line| line.parse().unwrap()),
            files,
        }
    }

    /// What is found in the files with one side of every mark, notes left out.
    fn findings(&self, side: DefectSide) -> Vec<Value> {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in &self.files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, with_side(text, side)).unwrap();
            #[cfg(unix)]
            pintle_testkit::make_executable(&path);
        }
        let named = if self.files.len() == 1 { &*self.files[0].0 } else { "." };
        let output = Command::new(env!("CARGO_BIN_EXE_pintle"))
            .args(["validate", named, "--format", "json"])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", dir.path().join("home"))
            .current_dir(dir.path())
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{}: {error}: {}", self.title, String::from_utf8_lossy(&output.stderr));
        });
        assert_eq!(report["version"], 1);
        let findings = report["findings"].as_array().unwrap().iter();
        findings.filter(|finding| finding["severity"] != "note").cloned().collect()
    }

    /// What is not as the case says.
    fn problems(&self) -> Vec<String> {
        let found = self.findings(DefectSide::Wrong);
        let is_expected = |finding: &Value| {
            finding["severity"] == *self.severity && finding["code"] == *self.code && finding["line"] == self.line
        };
        let mut problems = Vec::new();
        if !found.iter().any(is_expected) {
            problems.push(format!("not found in line {}\n{}", self.line, describe(&found)));
        } else if found.iter().any(|finding| finding["code"] != *self.code) {
            problems.push(format!("something else was found\n{}", describe(&found)));
        } else if !found.iter().all(has_next_step) {
            problems.push(format!("no next step\n{}", describe(&found)));
        }
        let found = self.findings(DefectSide::Right);
        if !found.is_empty() {
            problems.push(format!("its repair has findings\n{}", describe(&found)));
        }
        problems
    }
}

/// The text with one side of every mark.
fn with_side(text: &str, side: DefectSide) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('«') {
        let (marked, after) = after.split_once('»').unwrap();
        let (wrong, right) = marked.split_once('‖').unwrap();
        shown.push_str(before);
        shown.push_str(if side == DefectSide::Wrong { wrong } else { right });
        rest = after;
    }
    shown + rest
}

/// Whether a finding says what to do, if only in its message.
fn has_next_step(finding: &Value) -> bool {
    finding["help"].is_string() || finding["message"].as_str().unwrap().contains("did you mean")
}

fn describe(findings: &[Value]) -> String {
    let lines = findings.iter().map(|finding| {
        let [severity, code, message, help] = ["severity", "code", "message", "help"].map(|key| finding[key].as_str());
        let known = [severity, code, message].map(Option::unwrap_or_default);
        format!("    {} {} line {}: {} ({})", known[0], known[1], finding["line"], known[2], help.unwrap_or("no help"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_seeded_defect_is_found_and_its_repair_is_not() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeded_defects/cases");
    let files = read_cases(&dir, "md");
    let sections =
        files.iter().flat_map(|(file, text)| text.split("\n## ").skip(1).map(move |section| (file, section)));
    let cases: Vec<(&String, SeededDefect)> =
        sections.map(|(file, section)| (file, SeededDefect::parse(section))).collect();
    assert!(cases.len() >= MIN_CASES, "{} cases", cases.len());
    let check_all = &|part: &[(&String, SeededDefect)]| -> Vec<String> {
        let problems = part.iter().flat_map(|(file, case)| {
            case.problems().into_iter().map(move |problem| format!("{file}: {}: {problem}", case.title))
        });
        problems.collect()
    };
    let problems: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            cases.chunks(cases.len().div_ceil(4)).map(|part| scope.spawn(move || check_all(part))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// The corpus does not shrink unnoticed.
const MIN_CASES: usize = 150;
