use std::fs;
use std::path::Path;
use std::process::Command;

use crate::stage::Stage;

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
fn repository() -> Stage {
    let stage = Stage::empty().file("repo/agent.yaml", AGENT).file("repo/script.yaml", SCRIPT);
    git(&stage.path("repo"), &["init", "--quiet", "--initial-branch=main"]);
    git(&stage.path("repo"), &["add", "agent.yaml"]);
    git(&stage.path("repo"), &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first"]);
    stage
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the agent with `--worktree`; gives what it printed and its exit status.
fn run(stage: &Stage, worktree: &str) -> (String, Option<i32>) {
    let folder = stage.path("repo").display().to_string();
    let tape = stage.path("t.jsonl").display().to_string();
    let (agent, model) = (format!("{folder}/agent.yaml"), format!("script:{folder}/script.yaml"));
    let arguments = ["run", &agent, "go", "--model", &model, "--yes", "--tape", &tape, worktree];
    let data = stage.path("data").display().to_string();
    let (out, err, status) = stage.pintle(&arguments).environment("PINTLE_DATA_DIR", &data).within("repo").parts();
    (out + &err, status)
}

#[test]
fn an_agent_works_in_a_tree_of_its_own_and_hooks_are_told_of_it_first() {
    let stage = repository();
    let (screen, status) = run(&stage, "--worktree=feature/login");
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("a tree for you"), "{screen}");
    let tree = stage.path("data/worktrees/repo-feature-login");
    assert_eq!(fs::read_to_string(tree.join("made.txt")).unwrap(), "new\n");
    assert!(!stage.path("repo/made.txt").exists());
    assert_eq!(git(&tree, &["branch", "--show-current"]), "feature/login\n");
    let seen: serde_json::Value = serde_json::from_str(&fs::read_to_string(stage.path("seen.json")).unwrap()).unwrap();
    let paths = ["worktree_path", "cwd"].map(|key| fs::canonicalize(seen[key].as_str().unwrap()).unwrap());
    assert_eq!(paths, [fs::canonicalize(&tree).unwrap(), fs::canonicalize(&tree).unwrap()]);
    assert_eq!((seen["hook_event_name"].as_str(), seen["session_id"].as_str()), (Some("worktree_create"), Some("")));
    assert_eq!(seen["worktree_branch"], "feature/login");
}

#[test]
fn a_tree_that_a_hook_refuses_is_taken_away_and_the_run_ends_before_it_starts() {
    let stage = repository();
    let (screen, status) = run(&stage, "--worktree=refused");
    assert_eq!(status, Some(2), "{screen}");
    assert!(screen.contains("not this branch") && !screen.contains("Done."), "{screen}");
    assert!(!stage.path("data/worktrees/repo-refused").exists());
    assert_eq!(git(&stage.path("repo"), &["branch", "--list", "refused"]), "");
}

#[test]
fn without_a_repository_there_is_no_tree() {
    let stage = Stage::empty().file("repo/agent.yaml", AGENT).file("repo/script.yaml", SCRIPT);
    let (screen, status) = run(&stage, "--worktree");
    assert_eq!(status, Some(1), "{screen}");
    assert!(screen.contains("needs a git repository"), "{screen}");
}
