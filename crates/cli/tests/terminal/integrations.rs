//! What runs in the pipelines of others: the GitHub Action, the GitLab job and the hooks for pre-commit, each run as it is
//! written, on a policy that holds and on ones that do not.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use pintle_host::contract::{ByteSpan, SourceFile};
use pintle_host::dialects::document::{FileReport, parse, parse_list, to_json};
use serde_json::Value;

use crate::fixture::CliFixture;

const CASES: &str =
    "- call: git push --force\n  expect: block\n  rule: git.force-push\n- call: git status\n  expect: allow\n";

/// A name, the files, and the step at which the pipeline fails, if it does.
type ProjectCase = (&'static str, &'static [(&'static str, &'static str)], Option<&'static str>);

const PROJECTS: [ProjectCase; 4] = [
    ("holds", &[(".harness/policy.yaml", "use: [git]\n"), (".harness/policy.cases.yaml", CASES)], None),
    (
        "does not hold",
        &[
            (".harness/policy.yaml", "use: [git]\nrules:\n  git.force-push: ask\n"),
            (".harness/policy.cases.yaml", CASES),
        ],
        Some("pintle test"),
    ),
    (
        "cannot guard",
        &[(".harness/policy.yaml", "use: [git]\n"), (".harness/hooks/dead.md", DEAD)],
        Some("pintle validate"),
    ),
    (
        "extends what was not fetched",
        &[(
            ".harness/policy.yaml",
            "extends: [{git: https://policy.example/x, revision: a123456789012345678901234567890123456789}]\n",
        )],
        Some("pintle fetch"),
    ),
];
/// A hook that is never called: no agent has the tool.
const DEAD: &str = "---\nevent: tool.pre\npriority: 10\nmatcher: Bsah\nscript: |\n  def handle(event, payload):\n      return block(\"no\")\n---\n";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The items of a file that is a list, or the one item that it is.
fn read_yaml(path: &str) -> Vec<Value> {
    let path = repository().join(path);
    let text = fs::read_to_string(&path).unwrap();
    let span = ByteSpan { start: 0, end: text.len() };
    let is_list = text.contains("\n- ");
    let report = FileReport::new(Arc::new(SourceFile { path, text }), "");
    let items = if is_list { parse_list(&report, span).unwrap() } else { vec![parse(&report, span).unwrap().unwrap()] };
    items.iter().map(|item| to_json(item).unwrap()).collect()
}

/// A project, and a directory with the program.
fn create_project(files: &[(&str, &str)]) -> CliFixture {
    let fixture = CliFixture::new_empty().with_file("bin/keep", "").with_file("project/.git/HEAD", "");
    symlink(env!("CARGO_BIN_EXE_pintle"), fixture.path("bin/pintle")).unwrap();
    files.iter().fold(fixture, |fixture, (path, text)| fixture.with_file(&format!("project/{path}"), text))
}

/// Runs a script in the project as the services do: it ends with the first line that fails.
fn run_script(fixture: &CliFixture, script: &str, variables: &BTreeMap<String, String>) -> Output {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(fixture.path("project"));
    command.env_clear().env("PINTLE_USER_SETUP", "1").env("HOME", fixture.path("home"));
    command.env("PATH", format!("{}:/usr/bin:/bin", fixture.path("bin").display())).envs(variables);
    command.output().unwrap()
}

/// Runs scripts in their order, and returns the part of the first one that fails, with what it printed.
fn run_until_failure<'s>(
    fixture: &CliFixture,
    scripts: impl Iterator<Item = (&'s str, BTreeMap<String, String>)>,
) -> Option<(String, String)> {
    for (script, variables) in scripts {
        let output = run_script(fixture, script, &variables);
        let printed = [output.stdout, output.stderr].concat();
        if !output.status.success() {
            return Some((script.to_owned(), String::from_utf8(printed).unwrap()));
        }
    }
    None
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The variables of a step, with the defaults of the inputs.
fn variables_of(step: &Value, inputs: &Value) -> BTreeMap<String, String> {
    let named = |value: &str| {
        let input = value.strip_prefix("${{ inputs.").and_then(|rest| rest.strip_suffix(" }}")).unwrap();
        text(inputs.pointer(&format!("/{input}/default")).unwrap()).to_owned()
    };
    step["env"].as_object().unwrap().iter().map(|(name, value)| (name.clone(), named(text(value)))).collect()
}

#[test]
fn a_pipeline_fails_at_the_step_that_sees_the_fault() {
    let action = read_yaml("integrations/github/action.yml").remove(0);
    let steps = action["runs"]["steps"].as_array().unwrap();
    let of_github = || steps.iter().map(|step| (text(&step["run"]), variables_of(step, &action["inputs"])));
    let job = read_yaml("integrations/gitlab.yml").remove(0)["pintle"].take();
    let lines = || ["before_script", "script"].into_iter().flat_map(|part| job[part].as_array().unwrap());
    let variables: BTreeMap<String, String> = job["variables"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), text(value).to_owned()))
        .collect();
    let of_gitlab = || lines().map(|line| (text(line), variables.clone()));
    for (name, files, expected) in PROJECTS {
        let fixture = create_project(files);
        for failed in [run_until_failure(&fixture, of_github()), run_until_failure(&fixture, of_gitlab())] {
            match (expected, &failed) {
                (None, failed) => assert_eq!(*failed, None, "{name}"),
                (Some(step), Some((script, printed))) => assert!(script.contains(step), "{name}: {script}: {printed}"),
                (Some(step), None) => panic!("{name}: `{step}` did not fail"),
            }
        }
        if expected.is_none() {
            let report = fs::read_to_string(fixture.path("project/pintle.xml")).unwrap();
            assert!(report.contains("<testsuite") && report.contains("git push --force"), "{report}");
        }
    }
    let (_, printed) = run_until_failure(&create_project(PROJECTS[2].1), of_github()).unwrap();
    assert!(printed.contains("::warning file=") && printed.contains("dead.md"), "{printed}");
}

#[test]
fn hooks_of_pre_commit_run_for_what_they_check() {
    for hook in read_yaml(".pre-commit-hooks.yaml") {
        let entry = text(&hook["entry"]);
        for (name, files, step) in PROJECTS {
            let fixture = create_project(files);
            let output = run_script(&fixture, entry, &BTreeMap::new());
            // A policy that does not load has no test, and pre-commit has no network.
            let expected = step.is_none_or(|step| !entry.contains(step) && step != "pintle fetch");
            assert_eq!(output.status.success(), expected, "{name}: {entry}: {output:?}");
        }
        for (path, is_checked) in [
            (".harness/policy.yaml", true),
            ("app/.harness/hooks/guard.md", true),
            ("harness.md", true),
            ("policy.cases.yaml", true),
            ("harn.toml", true),
            ("src/main.rs", false),
            ("docs/harness.md.txt", false),
        ] {
            let pattern = text(&hook["files"]);
            let found =
                run_script(&create_project(&[]), &format!("grep -Eq '{pattern}' <<< '{path}'"), &BTreeMap::new());
            assert_eq!(found.status.success(), is_checked, "{path}");
        }
    }
}
