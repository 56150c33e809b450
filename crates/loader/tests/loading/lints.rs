//! Tests hooks that load but probably do not do what their author wants.

use pintle_contract::Severity;

use crate::support::{LoaderFixture, hook_file};

const TOOL: &str = "---\nscript: |\n  def run(args):\n      return 1\n---\nDoes it.\n";

fn hook_file_with(when: &str, script: &str, priority: i64) -> String {
    format!("---\nevent: tool.pre\npriority: {priority}\nwhen: {when}\nscript: |\n  {script}\n---\n")
}

#[test]
fn a_hook_behind_one_that_always_blocks_is_unreachable() {
    let wall = "---\nevent: tool.pre\npriority: 5\nscript: |\n  # closed\n  def handle(event, payload):\n      return block(\"no\")\n---\n";
    let project = LoaderFixture::new(&[
        ("h/a_before.md", hook_file("tool.pre", 5)),
        ("h/b_wall.md", wall.to_owned()),
        ("h/c_behind.md", hook_file("tool.pre", 6)),
        ("h/d_elsewhere.md", hook_file("tool.post", 6)),
    ]);
    let loaded = project.load("h");
    let wanted =
        ["h/c_behind.md:2:8: warning: hook `c_behind` never runs: hook `b_wall` runs before it and always blocks"];
    assert_eq!(project.findings(&loaded, Severity::Note), wanted);
}

#[test]
fn unsatisfiable_when_and_misspelt_tool_are_reported() {
    let project = LoaderFixture::new(&[
        (".harness/tools/run_command.md", TOOL.to_owned()),
        (".harness/hooks/empty.md", hook_file_with("one of", "x", 1)),
        (".harness/hooks/never.md", hook_file_with("'False'", "x", 1)),
        (".harness/hooks/known.md", hook_file_with("one of run_command, exec", "x", 1)),
        (".harness/hooks/near.md", hook_file_with("one of run_comand", "x", 1)),
        (".harness/hooks/strange.md", hook_file_with("one of fs.read", "x", 1)),
    ]);
    let loaded = project.load("");
    let wanted = [
        ".harness/hooks/empty.md:4:7: warning: hook `empty` never runs: its `when` cannot be true",
        ".harness/hooks/near.md:4:7: warning: hook `near` matches tool `run_comand`, which does not exist",
        ".harness/hooks/never.md:4:7: warning: hook `never` never runs: its `when` cannot be true",
    ];
    assert_eq!(project.findings(&loaded, Severity::Note), wanted);
}

#[test]
fn scripts_of_tools_agents_and_verification_are_compiled_too() {
    let broken = "---\nscript: SYNTAX tool\nverify: x\n---\nDoes it.\n";
    let project = LoaderFixture::new(&[
        ("harness.md", "---\ndelegation:\n  verify: SYNTAX delegation\n---\nYou help.\n"),
        (".harness/tools/t.md", broken),
        (
            ".harness/agents/child.md",
            "---\ntools: [t]\nhooks:\n  - {handler: own, event: tool.pre, priority: 1, script: SYNTAX own}\n---\nDo it.\n",
        ),
    ]);
    let loaded = project.load("");
    let wanted = [
        ".harness/agents/child.md:4:58: error: SYNTAX in the script",
        ".harness/tools/t.md:2:9: error: SYNTAX in the script",
        "harness.md:3:11: error: SYNTAX in the script",
    ];
    assert_eq!(project.findings(&loaded, Severity::Note), wanted);
}

#[test]
fn a_hook_on_questions_in_a_project_that_asks_none_is_pointed_out() {
    let asking = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return ask(\"sure?\")\n---\n";
    let cases = [
        ("name: a", "tool.post", hook_file("tool.pre", 1), 0),
        ("name: a", "permission.ask", hook_file("tool.pre", 1), 1),
        ("name: a", "approval.requested", hook_file("tool.pre", 1), 1),
        ("permission_mode: autonomous", "permission.ask", hook_file("tool.pre", 1), 1),
        ("permission_mode: balanced", "permission.ask", hook_file("tool.pre", 1), 0),
        ("permission_mode: strict", "approval.requested", hook_file("tool.pre", 1), 0),
        ("name: a", "permission.ask", asking.to_owned(), 0),
    ];
    for (agent, event, other, told) in cases {
        let project = LoaderFixture::new(&[
            ("harness.md", format!("---\n{agent}\n---\nYou help.\n")),
            (".harness/hooks/waiting.md", hook_file(event, 5)),
            (".harness/hooks/other.md", other),
        ]);
        let loaded = project.load("");
        let line =
            ".harness/hooks/waiting.md:2:8: warning: hook `waiting` never runs: nothing in this project asks the user";
        assert_eq!(project.findings(&loaded, Severity::Warning), vec![line; told], "{agent} {event}");
    }
    // Without an agent of its own, the hooks belong to another host, which may ask the user.
    let project = LoaderFixture::new(&[(".harness/hooks/waiting.md", hook_file("permission.ask", 5))]);
    assert_eq!(project.findings(&project.load(""), Severity::Warning), Vec::<String>::new());
}

#[test]
fn a_command_whose_directory_is_not_there_is_pointed_out() {
    let hook = |directory: &str| {
        let team = format!(
            "agents:\n  root:\n    model: openai/a\n    hooks:\n      stop:\n        - {{type: command, command: \"true\", working_dir: {directory}}}\n"
        );
        let project = LoaderFixture::new(&[("agent.yaml", team)]);
        let loaded = project.load("agent.yaml");
        project.findings(&loaded, Severity::Warning)
    };
    let expected = "agent.yaml:6:11: warning: hook `true` works in `/dev/null/such/directory`, which does not exist";
    assert_eq!(hook("/dev/null/such/directory"), [expected]);
    assert_eq!(hook("/"), Vec::<String>::new());
    assert_eq!(hook("made-later"), Vec::<String>::new());
}

#[test]
fn a_command_whose_program_is_not_there_is_pointed_out() {
    let cases = [
        ("./check.sh", Some("runs `./check.sh`, which does not exist")),
        ("hooks/check.sh --strict", Some("runs `hooks/check.sh`, which does not exist")),
        ("/nowhere/check.sh", Some("runs `/nowhere/check.sh`, which does not exist")),
        ("\"$CLAUDE_PROJECT_DIR\"/check.sh", Some("runs `check.sh`, which does not exist")),
        ("python3 ./check.py", Some("runs `./check.py`, which does not exist")),
        ("sh check.sh", Some("runs `check.sh`, which does not exist")),
        ("no-such-program-x check", Some("runs `no-such-program-x`, which is not on the PATH")),
        ("./there.sh", Some("runs `./there.sh`, which may not be executed")),
        ("sh ./there.sh", None),
        ("sh -c ./check.sh", None),
        ("$HOME/check.sh", None),
        ("cd x && ./check.sh", None),
        ("[ -f x ] || exit 2", None),
        (
            "x=$(cat | no-such-program-x .a); exit 0",
            Some("runs `no-such-program-x`, which is not on the PATH, so it denies every call"),
        ),
        ("no-such-program-x .a || exit 2", Some("runs `no-such-program-x`, which is not on the PATH")),
        ("command -v no-such-program-x || exit 2; no-such-program-x", None),
    ];
    for (command, told) in cases {
        let team = format!(
            "agents:\n  root:\n    model: openai/a\n    toolsets: [{{type: shell}}]\n    hooks:\n      pre_tool_use:\n        - {{hooks: [{{type: command, command: {command:?}}}]}}\n"
        );
        let project = LoaderFixture::new(&[("agent.yaml", team), ("there.sh", String::from("exit 0\n"))]);
        for path in ["agent.yaml", ""] {
            let found = project.findings(&project.load(path), Severity::Warning);
            let of_programs =
                found.iter().filter_map(|one| one.split_once("` runs ")).map(|(_, what)| format!("runs {what}"));
            assert_eq!(of_programs.collect::<Vec<_>>(), Vec::from_iter(told), "{command}");
        }
    }
}

#[test]
fn decisions_without_effect_are_reported() {
    for (event, decision, is_reported) in [
        ("tool.pre", "delegate({\"agent\": \"a\"})", true),
        ("agent.stop", "delegate({\"agent\": \"a\"})", false),
        ("session.end", "block(\"no\")", true),
        ("session.end", "ask(\"sure?\")", true),
        ("session.start", "modify({\"source\": \"x\"})", true),
        ("session.start", "block(\"no\")", false),
        ("turn.end", "block(\"no\")", false),
        ("tool.pre", "modify({\"args\": {}})", false),
    ] {
        let text = format!(
            "---\nevent: {event}\npriority: 1\nscript: |\n  def handle(event, payload):\n      # return block(..)\n      return {decision}\n---\n"
        );
        let loaded = LoaderFixture::new(&[("h.md", text)]).load("h.md");
        let found = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.code == "no_effect").count();
        assert_eq!(found, usize::from(is_reported), "{event} {decision}: {:?}", loaded.diagnostics);
    }
}
