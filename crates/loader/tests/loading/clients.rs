//! The hook files of coding agents are found by their paths and loaded together with everything else.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pintle_contract::Severity;

use pintle_loader::LoadedPath;

use crate::support::{LoaderFixture, hook_file, hook_order};

const CLAUDE: &str = r#"{"permissions": {}, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "claude"}]}]}}"#;
const LOCAL: &str = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "local"}]}]}}"#;
const CODEX: &str = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "codex"}]}]}}"#;
const TOML: &str = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"toml\"\n";
const GEMINI: &str = r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "gemini"}]}]}}"#;
const QWEN: &str = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "qwen"}]}]}}"#;
const COPILOT: &str = r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "copilot"}]}}"#;
const CURSOR: &str = r#"{"version": 1, "hooks": {"preToolUse": [{"command": "cursor"}]}}"#;

fn create_project() -> LoaderFixture {
    let project = LoaderFixture::new(&[
        (".claude/settings.json", CLAUDE.to_owned()),
        (".claude/settings.local.json", LOCAL.to_owned()),
        (".codex/hooks.json", CODEX.to_owned()),
        (".codex/config.toml", TOML.to_owned()),
        (".gemini/settings.json", GEMINI.to_owned()),
        (".qwen/settings.json", QWEN.to_owned()),
        (".github/hooks/b.json", COPILOT.to_owned()),
        (".github/hooks/readme.md", String::from("not read")),
        (".cursor/hooks.json", CURSOR.to_owned()),
        (".clinerules/hooks/PreToolUse", String::from("#!/bin/sh\n")),
        (".clinerules/hooks/notes", String::from("not a program")),
        (".harness/hooks/own.md", hook_file("tool.pre", 0)),
        ("README.md", String::from("A project.\n")),
    ]);
    let program = project.path(".clinerules/hooks/PreToolUse");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    project
}

const CLIENTS: [&str; 9] = ["claude", "local", "codex", "toml", "gemini", "qwen", "copilot", "cursor", "PreToolUse"];

/// What is said of a project, but that the programs of its hooks are not on this machine.
fn findings(project: &LoaderFixture, path: &LoadedPath) -> Vec<String> {
    let mut findings = project.findings(path, Severity::Note);
    findings.retain(|finding| !finding.ends_with("which is not on the PATH"));
    findings
}

#[test]
fn a_project_has_the_hooks_of_every_agent_besides_its_own() {
    let project = create_project();
    let loaded = project.load("");
    assert_eq!(findings(&project, &loaded), Vec::<String>::new());
    let mut wanted: Vec<&str> = CLIENTS.to_vec();
    wanted.push("own");
    assert_eq!(hook_order(&loaded), wanted);
    let dialects: Vec<&str> = loaded.chains.iter().map(|chain| chain.dialect).collect();
    assert_eq!(dialects.len(), 8, "{dialects:?}");
    // Even without hooks of Pintle, the directory is not a directory of hooks.
    fs::remove_dir_all(project.path(".harness")).unwrap();
    let loaded = project.load("");
    assert_eq!(hook_order(&loaded), CLIENTS);
    assert_eq!(findings(&project, &loaded), Vec::<String>::new());
}

#[test]
fn a_file_or_its_folder_can_be_named() {
    let project = create_project();
    for (path, wanted) in [
        (".claude/settings.json", vec!["claude"]),
        (".claude", vec!["claude", "local"]),
        (".codex", vec!["codex", "toml"]),
        (".github/hooks", vec!["copilot"]),
        (".github/hooks/b.json", vec!["copilot"]),
        (".cursor", vec!["cursor"]),
        (".clinerules/hooks", vec!["PreToolUse"]),
        (".clinerules/hooks/PreToolUse", vec!["PreToolUse"]),
    ] {
        let loaded = project.load(path);
        assert_eq!(hook_order(&loaded), wanted, "{path}");
        assert_eq!(findings(&project, &loaded), Vec::<String>::new(), "{path}");
    }
    fs::write(project.path("mine.json"), GEMINI).unwrap();
    assert_eq!(hook_order(&project.load("mine.json")), ["gemini"]);
}

#[test]
fn settings_that_register_no_hooks_are_nothing() {
    let project = LoaderFixture::new(&[
        (".claude/settings.json", r#"{"permissions": {"allow": []}}"#.to_owned()),
        (".gemini/settings.json", String::from("no JSON at all")),
        ("hooks/a.md", hook_file("tool.pre", 0)),
    ]);
    let loaded = project.load("");
    assert_eq!(hook_order(&loaded), ["a"]);
    assert_eq!(findings(&project, &loaded), Vec::<String>::new());
}

#[test]
fn settings_can_hold_hooks_of_two_kinds() {
    let both =
        r#"{"hooks": {"PreToolUse": [{"path": "guard.sh"}, {"hooks": [{"type": "command", "command": "claude"}]}]}}"#;
    let project = LoaderFixture::new(&[(".claude/settings.json", both), (".claude/guard.sh", "#!/bin/sh\n")]);
    let guard = project.path(".claude/guard.sh");
    fs::set_permissions(guard, fs::Permissions::from_mode(0o755)).unwrap();
    let loaded = project.load("");
    assert_eq!(loaded.chains.len(), 2, "{:?}", project.findings(&loaded, Severity::Note));
    assert!(hook_order(&loaded).contains(&String::from("claude")));
}

#[test]
fn a_fault_in_a_file_of_an_agent_has_its_place() {
    let broken = CLAUDE.replace("\"command\": \"claude\"", "\"command\": 3").replace("PreToolUse", "\n  PreToolUse");
    let project =
        LoaderFixture::new(&[(".claude/settings.json", CLAUDE.replace("\"command\": \"claude\"", "\"x\": 3"))]);
    let findings = project.findings(&project.load(""), Severity::Warning);
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].starts_with(".claude/settings.json:1:"), "{findings:?}");
    let project = LoaderFixture::new(&[(".claude/settings.json", broken)]);
    let findings = project.findings(&project.load(""), Severity::Error);
    assert!(findings[0].starts_with(".claude/settings.json:1:"), "{findings:?}");
}
