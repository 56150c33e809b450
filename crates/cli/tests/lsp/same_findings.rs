//! What an editor is shown is what `pintle validate` finds.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use pintle_testkit::read_cases;
use serde_json::Value;

use crate::client::EditorClient;

/// One finding: file, line from 0, severity, code, message with the next step.
type ComparedFinding = (String, u64, u64, String, String);

/// The files of each section of the seeded defects, as they are with the defect.
fn defective_projects() -> Vec<(String, Vec<(String, String)>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeded_defects/cases");
    let mut projects = Vec::new();
    for (_, text) in read_cases(&dir, "md") {
        for section in text.split("\n## ").skip(1) {
            let (title, rest) = section.split_once('\n').unwrap();
            let (mut files, mut lines) = (Vec::new(), rest.lines());
            while let Some(line) = lines.next() {
                let Some(info) = line.strip_prefix("~~~ ") else { continue };
                let path = info.split_whitespace().nth(1).unwrap().to_owned();
                let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "~~~").collect();
                files.push((path, with_defect(&format!("{}\n", text.join("\n")))));
            }
            projects.push((title.to_owned(), files));
        }
    }
    projects
}

fn with_defect(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('«') {
        let (marked, after) = after.split_once('»').unwrap();
        shown = shown + before + marked.split_once('‖').unwrap().0;
        rest = after;
    }
    shown + rest
}

fn validate(editor: &EditorClient) -> BTreeSet<ComparedFinding> {
    let project = editor.project();
    let root = project.parent().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pintle"))
        .args(["validate", "--json"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", root.join("home"))
        .env("PINTLE_CONFIG_DIR", root.join("config"))
        .env("PINTLE_STATE_DIR", root.join("state"))
        .current_dir(&project)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = report["findings"].as_array().unwrap().iter().filter(|finding| finding["path"].is_string());
    let compared = found.map(|finding| {
        let severity = ["error", "warning", "note"].iter().position(|known| finding["severity"] == **known).unwrap();
        let help = finding["help"].as_str().map(|help| format!("\n{help}")).unwrap_or_default();
        (
            Path::new(finding["path"].as_str().unwrap())
                .strip_prefix(&project)
                .unwrap_or(Path::new(finding["path"].as_str().unwrap()))
                .display()
                .to_string(),
            finding["line"].as_u64().unwrap() - 1,
            severity as u64 + 1,
            finding["code"].as_str().unwrap().to_owned(),
            format!("{}{help}", finding["message"].as_str().unwrap()),
        )
    });
    compared.collect()
}

#[test]
fn an_editor_is_shown_what_validate_finds() {
    let mut compared = 0;
    for (title, files) in defective_projects() {
        let texts = || files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let mut editor = EditorClient::start_initialized(texts());
        let wanted = validate(&editor);
        // A project that is loaded only by its name is checked by name.
        if wanted.is_empty() {
            continue;
        }
        let (first, text) = &files[0];
        editor.open(first, text);
        editor.findings_of(first);
        // A further answer comes after everything that the check published.
        editor.notify("textDocument/didSave", serde_json::json!({}));
        editor.findings_of(first);
        let root = editor.uri("");
        let mut shown = BTreeSet::new();
        for (uri, findings) in &editor.findings {
            let path = uri.strip_prefix(&root).unwrap_or(uri).trim_start_matches('/').to_owned();
            shown.extend(findings.iter().map(|finding| {
                (
                    path.clone(),
                    finding["range"]["start"]["line"].as_u64().unwrap(),
                    finding["severity"].as_u64().unwrap(),
                    finding["code"].as_str().unwrap().to_owned(),
                    finding["message"].as_str().unwrap().to_owned(),
                )
            }));
        }
        let missing: Vec<_> = wanted.difference(&shown).collect();
        assert!(missing.is_empty(), "{title}: not shown: {missing:#?}\nshown: {shown:#?}");
        compared += wanted.len();
        assert_eq!(editor.end(), Some(0));
    }
    assert!(compared >= 40, "{compared}");
}
