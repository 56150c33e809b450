use std::fs;

use crate::fixture::CliFixture;

/// The legs that keep secrets from the model alone: what the tools get is what the model wrote.
const AGENT: &str = r#"agents:
  root:
    model: openai/gpt-4o
    description: Works on files.
    instruction: Be brief.
    redact_secrets: false
    toolsets: [{type: shell}]
    hooks:
      before_llm_call: [{type: builtin, command: redact_secrets}]
      tool_response_transform: [{hooks: [{type: builtin, command: redact_secrets}]}]
      post_tool_use: [{hooks: [{type: command, command: "cat > seen-by-a-hook.json"}]}]
"#;

/// A token, in pieces so that no scanner takes this file for a leak.
fn secret_token() -> String {
    format!("{}{}", ["gh", "p_"].concat(), "0aZ1bY2cX3dW4eV5fU6gT7hS8iR9jQ0kP1lO")
}

fn create_fixture() -> CliFixture {
    let token = secret_token();
    // The script is at the same time a check: it ends the session when the model is told the token.
    let script = format!(
        r#"turns:
  - say: "I will use {token}, as you say."
    calls: [{{tool: shell, args: {{cmd: "cat secret.env; echo {token} > told.txt"}}}}]
  - expect: {{tool: shell, contains: "token=[REDACTED]"}}
    say: "It is still {token}, and the password: hunter-2-hunter9"
"#
    );
    CliFixture::new_empty()
        .with_file("agent.yaml", AGENT)
        .with_file("script.yaml", script)
        .with_file("secret.env", format!("token={token}\n"))
}

#[test]
fn secret_reaches_the_tool_but_not_tape_screen_or_next_model_call() {
    let token = secret_token();
    for (tape, option) in
        [("a.jsonl", None), ("b.jsonl", Some("--json")), ("c.jsonl", Some("--quiet")), ("d.jsonl", Some("--verbose"))]
    {
        let fixture = create_fixture();
        let prompt = format!("use {token}");
        let mut arguments =
            vec!["run", "agent.yaml", &prompt, "--model", "script:script.yaml", "--yes", "--tape", tape];
        arguments.extend(option);
        let (out, err, status) = fixture.pintle(&arguments).run_to_parts();
        assert_eq!(status, Some(0), "{out}{err}");
        let written = fs::read_to_string(fixture.path(tape)).unwrap();
        // A part of the token would be too much already.
        let part = token.get(4..20).unwrap();
        for (place, text) in [("standard output", &out), ("standard error", &err), ("tape", &written)] {
            assert!(!text.contains(part), "{option:?}, {place}: {text}");
            assert!(!text.contains("hunter-2"), "{option:?}, {place}: {text}");
        }
        assert!(out.contains("It is still [REDACTED], and the password: [REDACTED]"), "{option:?}: {out}");
        assert_eq!(
            fs::read_to_string(fixture.path("told.txt")).unwrap(),
            format!("{token}\n"),
            "the tool got the real one"
        );
        let seen = fs::read_to_string(fixture.path("seen-by-a-hook.json")).unwrap();
        assert!(seen.contains(&token), "a hook has to be able to judge: {seen}");
        let requests: Vec<&str> = written.lines().filter(|line| line.contains(r#""event":"completion.pre""#)).collect();
        assert!(requests.iter().any(|line| line.contains("use [REDACTED]")), "{written}");
    }
}

#[test]
fn commands_of_the_model_do_not_see_variables_that_look_like_secrets() {
    let agent = r#"agents:
  root:
    model: openai/gpt-4o
    description: Works on files.
    instruction: Be brief.
    toolsets:
      - {type: shell, env: {GIVEN_TOKEN: given}}
      - {type: script, shell: {told: {cmd: 'echo "[$SERVICE_TOKEN] [$service_password] [$PLAIN]" > script.txt'}}}
"#;
    let script = r#"turns:
  - calls:
      - {tool: shell, args: {cmd: 'echo "[$SERVICE_TOKEN] [$service_password] [$PLAIN] [$GIVEN_TOKEN]" > shell.txt'}}
      - {tool: told, args: {}}
  - say: Done.
"#;
    let fixture = CliFixture::new_empty().with_file("agent.yaml", agent).with_file("script.yaml", script);
    let run = fixture.pintle(&["run", "agent.yaml", "go", "--model", "script:script.yaml", "--yolo"]);
    let run = run.with_variable("SERVICE_TOKEN", "hidden").with_variable("service_password", "hidden");
    let (out, err, status) = run.with_variable("PLAIN", "seen").run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    // What the author gives is no secret of the host's.
    assert_eq!(fs::read_to_string(fixture.path("shell.txt")).unwrap(), "[] [] [seen] [given]\n", "{out}{err}");
    assert_eq!(fs::read_to_string(fixture.path("script.txt")).unwrap(), "[] [] [seen]\n", "{out}{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_above_a_tool_holds_a_secret_that_it_could_read() {
    let agent = r#"agents:
  root:
    model: openai/gpt-4o
    description: Works on files.
    instruction: Be brief.
    toolsets: [{type: shell}]
    hooks:
      pre_tool_use: [{matcher: "*", hooks: [{type: command, command: 'echo "$GITHUB_PAT $DATABASE_URL" > hook.txt'}]}]
"#;
    let script = r#"turns:
  - calls: [{tool: shell, args: {cmd: 'sh walk.sh'}}]
  - say: Done.
"#;
    // Its own variables, and those of everybody above it.
    let walk = "p=$$; while [ \"$p\" -gt 1 ] && [ -r /proc/$p/environ ]; do tr '\\0' '\\n' < /proc/$p/environ; \
                read -r line < /proc/$p/stat; set -- ${line##*) }; p=$2; done > walked.txt\n";
    let fixture = CliFixture::new_empty()
        .with_file("agent.yaml", agent)
        .with_file("script.yaml", script)
        .with_file("walk.sh", walk);
    let run = fixture.pintle(&["run", "agent.yaml", "go", "--model", "script:script.yaml", "--yolo"]);
    let secrets = [
        ("GITHUB_PAT", "hidden-1"),
        ("DATABASE_URL", "hidden-2"),
        ("DB_PASS", "hidden-3"),
        ("NPM_AUTH", "hidden-4"),
        ("SLACK_WEBHOOK", "hidden-5"),
        ("COOKIE", "hidden-6"),
        ("AWS_ACCESS_KEY_ID", "hidden-7"),
        ("OPENAI_KEY_2", "hidden-8"),
        ("OPENAI_API_KEY", "hidden-9"),
        ("PLAIN", "postgres://ada:hidden-10@db.test/app"),
    ];
    let run = secrets.iter().fold(run, |run, (name, value)| run.with_variable(name, value));
    let (out, err, status) = run.with_variable("HARMLESS", "seen").run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    let walked = fs::read_to_string(fixture.path("walked.txt")).unwrap();
    assert!(walked.lines().any(|line| line == "HARMLESS=seen"), "{walked}");
    assert!(!walked.contains("hidden-"), "{walked}");
    // A hook's command has the environment of Pintle, as documented.
    assert_eq!(fs::read_to_string(fixture.path("hook.txt")).unwrap(), "hidden-1 hidden-2\n");
}
