use crate::fixture::CliFixture;

const AGENT: &str = "---\nname: waiter\nmodel: {provider: script, name: script.yaml}\n---\nYou wait on people.\n";

const SCRIPT: &str = "\
turns:
  - {expect: {contains: first}, say: One.}
  - {expect: {contains: second}, say: Two.}
  - {expect: {contains: third}, say: Three.}
";

#[test]
fn a_daemon_takes_each_line_as_a_prompt_until_there_are_no_more() {
    let fixture = CliFixture::new_empty().with_file("harness.md", AGENT).with_file("script.yaml", SCRIPT);
    let arguments = ["run", "-q", ".", "first", "--daemon", "--wake-interval-ms", "5"];
    let (out, _, status) = fixture.pintle(&arguments).with_input("second\n\n  third \n").run_to_parts();
    assert_eq!((out.as_str(), status), ("One.\nTwo.\nThree.\n", Some(0)));
    let (out, _, status) = fixture.pintle(&["run", "-q", ".", "--daemon"]).with_input("first\n").run_to_parts();
    assert_eq!((out.as_str(), status), ("One.\n", Some(0)), "it needs no prompt to begin with");
    let (_, err, status) = fixture.pintle(&["run", ".", "--wake-interval-ms", "5"]).run_to_parts();
    assert_eq!(status, Some(3));
    assert!(err.contains("--daemon"), "{err}");
}

const TEAM: &str = "agents:\n  root:\n    model: script:turns.yaml\n    description: talks\n    hooks:\n      pre_compact:\n        - {type: command, command: \"cat >> compacted.json\"}\n";

const TURNS: &str =
    "turns:\n  - say: One.\n  - say: a summary for the model\n  - {expect: {contains: second}, say: Two.}\n";

#[test]
fn commands_work_without_a_terminal() {
    let fixture = CliFixture::new_empty().with_file("team.yaml", TEAM).with_file("turns.yaml", TURNS);
    let compacted = || std::fs::read_to_string(fixture.path("compacted.json")).unwrap_or_default();
    let arguments = ["run", "-q", "team.yaml", "first", "/compact keep names", "/agent", "second"];
    let (out, err, status) = fixture.pintle(&arguments).run_to_parts();
    assert_eq!((out.as_str(), status), ("One.\nroot\nTwo.\n", Some(0)), "{err}");
    assert!(compacted().contains("\"source\":\"manual\""), "{}", compacted());
    std::fs::remove_file(fixture.path("compacted.json")).unwrap();
    let arguments = ["run", "-q", "team.yaml", "--daemon"];
    let input = "first\n/compact keep names\n/agent\nsecond\n";
    let (out, err, status) = fixture.pintle(&arguments).with_input(input).run_to_parts();
    assert_eq!((out.as_str(), status), ("One.\nroot\nTwo.\n", Some(0)), "{err}");
    assert!(compacted().contains("\"source\":\"manual\""), "{}", compacted());
}

#[test]
fn a_refused_line_does_not_end_the_wait_and_the_summary_names_the_stop() {
    let refuse = "---\nevent: prompt.submit\npriority: 1\nscript: |\n  def handle(event, payload):\n      \
                  return block(\"no\") if \"secret\" in payload[\"prompt\"] else allow()\n---\n";
    let fixture = CliFixture::new_empty()
        .with_file("harness.md", AGENT)
        .with_file("script.yaml", SCRIPT)
        .with_file(".harness/hooks/refuse.md", refuse);
    let (out, _, status) =
        fixture.pintle(&["run", "--json", ".", "my secret", "--daemon"]).with_input("first\n").run_to_parts();
    let summary = |out: &str| serde_json::from_str::<serde_json::Value>(out.lines().last().unwrap()).unwrap();
    assert_eq!((summary(&out)["turns"].as_u64(), status), (Some(2), Some(2)), "{out}");
    assert_eq!(summary(&out).get("stop_reason"), None, "the last turn went well");
    let (out, _, status) = fixture.pintle(&["run", "--json", ".", "my secret"]).run_to_parts();
    assert_eq!(summary(&out)["stop_reason"], "user_prompt_submit_blocked");
    assert_eq!(status, Some(2));
}
