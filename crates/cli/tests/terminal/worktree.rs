use std::fs;
use std::path::Path;
use std::process::Command;

use crate::fixture::CliFixture;

const AGENT: &str = r#"agents:
  root:
    model: openai/gpt-4o
    description: Works in a tree of its own.
    instruction: Be brief.
    toolsets: [{type: shell}]
    hooks:
      worktree_create:
        - type: command
          command: |
            cat > ../../../seen.json
            if grep -q refused ../../../seen.json; then echo "not this branch" >&2; exit 2; fi
            echo "a tree for you"
"#;

const SCRIPT: &str = r#"turns:
  - calls: [{tool: shell, args: {cmd: "echo new > made.txt"}}]
  - say: Done.
"#;

/// A repository with an agent in it.
fn create_repository() -> CliFixture {
    let fixture = CliFixture::new_empty().with_file("repo/agent.yaml", AGENT).with_file("repo/script.yaml", SCRIPT);
    run_git(&fixture.path("repo"), &["init", "--quiet", "--initial-branch=main"]);
    run_git(&fixture.path("repo"), &["add", "agent.yaml"]);
    run_git(&fixture.path("repo"), &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first"]);
    fixture
}

fn run_git(dir: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the agent with `--worktree`; gives what it printed and its exit status.
fn run_in_worktree(fixture: &CliFixture, worktree: &str) -> (String, Option<i32>) {
    let dir = fixture.path("repo").display().to_string();
    let tape = fixture.path("t.jsonl").display().to_string();
    let (agent, model) = (format!("{dir}/agent.yaml"), format!("script:{dir}/script.yaml"));
    let arguments = ["run", &agent, "go", "--model", &model, "--yes", "--tape", &tape, worktree];
    let data = fixture.path("data").display().to_string();
    let (out, err, status) =
        fixture.pintle(&arguments).with_variable("PINTLE_DATA_DIR", &data).in_folder("repo").run_to_parts();
    (out + &err, status)
}

#[test]
fn an_agent_works_in_a_tree_of_its_own_and_hooks_are_told_of_it_first() {
    let fixture = create_repository();
    let (screen, status) = run_in_worktree(&fixture, "--worktree=feature/login");
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("a tree for you"), "{screen}");
    let tree = fixture.path("data/worktrees/repo-feature-login");
    assert_eq!(fs::read_to_string(tree.join("made.txt")).unwrap(), "new\n");
    assert!(!fixture.path("repo/made.txt").exists());
    assert_eq!(run_git(&tree, &["branch", "--show-current"]), "feature/login\n");
    let seen: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(fixture.path("seen.json")).unwrap()).unwrap();
    let paths = ["worktree_path", "cwd"].map(|key| fs::canonicalize(seen[key].as_str().unwrap()).unwrap());
    assert_eq!(paths, [fs::canonicalize(&tree).unwrap(), fs::canonicalize(&tree).unwrap()]);
    assert_eq!((seen["hook_event_name"].as_str(), seen["session_id"].as_str()), (Some("worktree_create"), Some("")));
    assert_eq!(seen["worktree_branch"], "feature/login");
}

#[test]
fn worktree_denied_by_a_hook_is_removed_and_the_run_does_not_start() {
    let fixture = create_repository();
    let (screen, status) = run_in_worktree(&fixture, "--worktree=refused");
    assert_eq!(status, Some(2), "{screen}");
    assert!(screen.contains("not this branch") && !screen.contains("Done."), "{screen}");
    assert!(!fixture.path("data/worktrees/repo-refused").exists());
    assert_eq!(run_git(&fixture.path("repo"), &["branch", "--list", "refused"]), "");
}

#[test]
fn without_a_repository_there_is_no_tree() {
    let fixture = CliFixture::new_empty().with_file("repo/agent.yaml", AGENT).with_file("repo/script.yaml", SCRIPT);
    let (screen, status) = run_in_worktree(&fixture, "--worktree");
    assert_eq!(status, Some(1), "{screen}");
    assert!(screen.contains("works in a git repository"), "{screen}");
}
