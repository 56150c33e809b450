//! Tools that hooks call, named by the hooks themselves.

use std::fs;

use crate::fixture::CliFixture;

const SCRIPT: &str = "turns:\n  - calls: [{tool: list, args: {}}]\n  - say: done\n";
const NOTE: &str = "---\nparameters:\n  text: {type: string, required: true}\nscript: |\n  def run(args):\n      fs.append(\"memory/notes.txt\", args[\"text\"] + \"\\n\")\n      return \"noted\"\n---\nRemembers.\n";
const CALLS: &str = "noted = meta.call_tool(\"note\", {\"text\": payload.get(\"name\", \"x\")})\nif noted[\"is_error\"]:\n    return block(noted[\"content\"])\nreturn allow()";

fn hook_file(event: &str, options: &str, body: &str) -> String {
    let body = body.replace('\n', "\n      ");
    format!("---\nevent: {event}\npriority: 5\n{options}script: |\n  def handle(event, payload):\n      {body}\n---\n")
}

fn create_agent(settings: &str) -> CliFixture {
    CliFixture::new_empty()
        .with_file("harness.md", format!("---\nmodel: {{provider: script, name: s.yaml}}\n{settings}---\nYou help.\n"))
        .with_file("s.yaml", SCRIPT)
        .with_file(".harness/tools/note.md", NOTE)
}

/// What is said, the status, and the lines that the tool kept.
fn run_agent(fixture: &CliFixture) -> (String, Option<i32>, Vec<String>) {
    let _ = fs::remove_file(fixture.path("t.jsonl"));
    let _ = fs::remove_dir_all(fixture.path("memory"));
    let (out, err, status) = fixture.pintle(&["run", ".", "--tape", "t.jsonl"]).with_input("go").run_to_parts();
    if fixture.path("t.jsonl").exists() {
        for check in [&["replay", "t.jsonl"][..], &["tape", "verify", "t.jsonl"]] {
            let (said, reason, exact) = fixture.pintle(check).run_to_parts();
            assert_eq!(exact, Some(0), "{check:?}: {said}{reason}");
        }
    }
    let notes = fs::read_to_string(fixture.path("memory/notes.txt")).unwrap_or_default();
    (out + &err, status, notes.lines().map(str::to_owned).collect())
}

#[test]
fn a_hook_calls_the_tools_that_it_names_without_self_augmentation() {
    let fixture =
        create_agent("").with_file(".harness/hooks/keeps.md", hook_file("turn.end", "tools: [note]\n", CALLS));
    let (said, _, status) = fixture.pintle(&["validate", "."]).run_to_parts();
    assert_eq!(status, Some(0), "{said}");
    let (said, status, notes) = run_agent(&fixture);
    assert_eq!((status, notes.len()), (Some(0), 1), "{said}");
    // The call is one like any other: every guard sees it.
    let fixture = fixture.with_file(
        ".harness/hooks/guard.md",
        hook_file("tool.pre", "when: payload[\"name\"] == \"note\"\n", "return block(\"nothing is noted here\")"),
    );
    let (said, _, notes) = run_agent(&fixture);
    assert!(notes.is_empty() && said.contains("nothing is noted here"), "{said}");
    // So does the project's policy of tools.
    let denied = create_agent("tools_policy: {deny: [note]}\n")
        .with_file(".harness/hooks/keeps.md", hook_file("turn.end", "tools: [note]\n", CALLS));
    assert!(run_agent(&denied).2.is_empty());
}

#[test]
fn validate_gives_the_line_that_a_hook_needs_and_following_it_works() {
    let fixture = create_agent("").with_file(".harness/hooks/keeps.md", hook_file("turn.end", "", CALLS));
    let (out, err, status) = fixture.pintle(&["validate", "."]).run_to_parts();
    let said = out + &err;
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("hook `keeps` calls the tool `note`, which is not in its `tools`"), "{said}");
    assert!(said.contains("write `tools: [note]` in the hook"), "{said}");
    let fixture = fixture.with_file(".harness/hooks/keeps.md", hook_file("turn.end", "tools: [note]\n", CALLS));
    assert_eq!(fixture.pintle(&["validate", "."]).run_to_parts().2, Some(0));
    assert_eq!(run_agent(&fixture).2.len(), 1);
    // The other way is as it was: where the agent may change itself, every script calls every tool.
    let fixture =
        create_agent("meta: {enabled: true}\n").with_file(".harness/hooks/keeps.md", hook_file("turn.end", "", CALLS));
    assert_eq!(fixture.pintle(&["validate", "."]).run_to_parts().2, Some(0));
    assert_eq!(run_agent(&fixture).2.len(), 1);
}

#[test]
fn a_hook_calls_no_other_tool_and_gets_nothing_else_of_self_augmentation() {
    let other = "meta.call_tool(\"sh\" + \"ell\", {\"command\": \"touch pwned\"})\nreturn allow()";
    for (options, body, reason) in [
        (
            "tools: [note]\n",
            other,
            "`shell` is not one of the tools that this hook may call; add `tools: [note, shell]`",
        ),
        ("tools: [note]\n", "meta.list_tools()\nreturn allow()", "self-augmentation is off"),
        (
            "",
            "name = \"note\"\nmeta.call_tool(name, {\"text\": \"x\"})\nreturn allow()",
            "add `tools: [note]` to the hook",
        ),
    ] {
        let fixture = create_agent("").with_file(".harness/hooks/h.md", hook_file("tool.pre", options, body));
        let (said, _, notes) = run_agent(&fixture);
        assert!(said.contains(reason), "{body}: {said}");
        assert!(notes.is_empty() && !fixture.path("pwned").exists(), "{said}");
    }
    // A tool's own script is no hook.
    let relay =
        "---\nscript: |\n  def run(args):\n      return meta.call_tool(\"note\", {\"text\": \"x\"})\n---\nRelays.\n";
    let fixture = create_agent("")
        .with_file(".harness/tools/relay.md", relay)
        .with_file("s.yaml", "turns:\n  - calls: [{tool: relay, args: {}}]\n  - say: done\n")
        .with_file(
            ".harness/hooks/keeps.md",
            hook_file("session.start", "tools: [relay]\n", "meta.call_tool(\"relay\", {})\nreturn allow()"),
        );
    let (said, _, notes) = run_agent(&fixture);
    assert!(notes.is_empty() && said.contains("self-augmentation is off"), "{said}");
}

/// What a hook of a stranger names, nobody agreed to.
#[test]
fn a_hook_that_is_not_trusted_calls_no_tool() {
    let fixture =
        create_agent("").with_file(".harness/hooks/keeps.md", hook_file("turn.end", "tools: [note]\n", CALLS));
    let (out, ..) = fixture.pintle(&["trust", "--json"]).run_to_parts();
    assert!(
        out.contains("\"note\"") && !out.contains("meta.call_tool"),
        "the tool is named where it is agreed to: {out}"
    );
    let (out, err, _) = fixture.pintle(&["fire", "turn.end", "--example"]).run_to_parts();
    assert!(err.contains("not trusted"), "{out}{err}");
}

#[test]
fn a_hook_whose_tool_sets_it_off_again_ends_at_the_limit_of_depth() {
    let fixture = create_agent("meta: {max_call_depth: 3}\n")
        .with_file(".harness/hooks/every.md", hook_file("tool.pre", "tools: [note]\n", CALLS));
    let (said, _, notes) = run_agent(&fixture);
    assert!(said.contains("calls are nested more than 3 deep"), "{said}");
    // The innermost call has no answer of its guard and does not run, and so for every one around it.
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn a_tool_is_told_where_it_may_keep_things() {
    let fixture = create_agent("")
        .with_file(".harness/tools/note.md", NOTE.replace("\"memory/", "\".harness/memory/"))
        .with_file(".harness/hooks/keeps.md", hook_file("turn.end", "tools: [note]\n", CALLS));
    let (said, ..) = run_agent(&fixture);
    assert!(said.contains("read-only for tools") && said.contains("another directory, such as `memory/`"), "{said}");
}
