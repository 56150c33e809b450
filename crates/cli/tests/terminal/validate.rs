use crate::fixture::{CliFixture, GUARD, snapshot};

#[test]
fn a_project_without_faults() {
    snapshot!("validate_good", CliFixture::with_guards().pintle(&["validate"]).run_to_screen());
    snapshot!("validate_good_json", CliFixture::with_guards().pintle(&["validate", "--json"]).run_to_screen());
    snapshot!("validate_nothing", CliFixture::new_empty().pintle(&["validate"]).run_to_screen());
    snapshot!("validate_nowhere", CliFixture::new_empty().pintle(&["validate", "nowhere"]).run_to_screen());
}

#[test]
fn warnings_fail_only_if_the_user_says_so_and_nothing_to_check_always_does() {
    let unread = CliFixture::with_guards().with_file(".harness/hooks/more/x.md", GUARD);
    for (words, wanted) in [(&["validate"][..], 0), (&["validate", "--deny-warnings"], 3)] {
        let (out, _, status) = unread.pintle(words).run_to_parts();
        assert!(status == Some(wanted) && out.contains("1 warning"), "{words:?}: {out}");
    }
    let (out, _, status) = CliFixture::with_guards().pintle(&["validate", "--deny-warnings"]).run_to_parts();
    assert_eq!(status, Some(0), "{out}");
    let documents =
        CliFixture::new_empty().with_file("notes/README.md", "# Notes\n").with_file("a/b/hooks/x.md", GUARD);
    for (words, said) in [
        (&["validate", "notes"][..], "`notes` contains no hooks, tools or agents"),
        (&["validate", "a"], "`a` contains no hooks, tools or agents"),
        (&["validate"], "nothing was checked"),
    ] {
        let (out, _, status) = documents.pintle(words).run_to_parts();
        assert!(status == Some(3) && out.contains(said), "{words:?}: {out}");
    }
}

#[test]
fn findings_are_written_in_the_forms_that_programs_read() {
    let fixture = CliFixture::new_empty().with_file(
        ".harness/hooks/a, b.md",
        "---\nevent: tool.pre\npriority: 10\nwhen: payload[\"nmae\"] == \"Bash\"\nscript: |\n  def handle(event, payload):\n      return block(\"no\")\n---\n",
    );
    for format in ["text", "json", "sarif", "github"] {
        let screen = fixture.pintle(&["validate", "--format", format]).run_to_screen();
        snapshot!(format!("validate_format_{format}"), screen);
    }
    let (short, _, _) = fixture.pintle(&["validate", "--json"]).run_to_parts();
    let (long, _, _) = fixture.pintle(&["validate", "--format", "json"]).run_to_parts();
    assert_eq!(short, long);
    let (_, err, status) = fixture.pintle(&["validate", "--json", "--format", "sarif"]).run_to_parts();
    assert!(status == Some(3) && err.contains("cannot be used with"), "{err}");
}

fn create_malformed() -> CliFixture {
    let hook = |name: &str| format!(".harness/hooks/{name}.md");
    CliFixture::new_empty()
        .with_file(&hook("a_good"), GUARD)
        .with_file(&hook("bad_yaml"), "---\nevent: [tool.pre\n---\n")
        .with_file(&hook("no_frontmatter"), "# just words\nevent: tool.pre\n")
        .with_file(&hook("no_event"), "---\npriority: 1\n---\n")
        .with_file(&hook("unknown_event"), "---\nevent: tool.per\n---\n")
        .with_file(&hook("unknown_key"), "---\nevent: tool.pre\nprioriy: 3\n---\n")
        .with_file(&hook("wrong_type"), "---\nevent: tool.pre\npriority: high\n---\n")
        .with_file(
            &hook("syntax"),
            "---\nevent: tool.pre\nscript: |\n  def handle(event, payload)\n      return allow()\n---\n",
        )
        .with_file(
            &hook("name"),
            "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return alow()\n---\n",
        )
        .with_file(&hook("not_utf8"), b"---\nevent: tool.pre\n---\n\xff\xfe")
        .with_file(&hook("bom"), format!("\u{feff}{GUARD}"))
        .with_file(&hook("crlf"), GUARD.replace('\n', "\r\n"))
}

#[test]
fn every_fault_of_every_file_is_reported() {
    let fixture = create_malformed();
    snapshot!("validate_bad", fixture.pintle(&["validate"]).run_to_screen());
    let (out, _, status) = fixture.pintle(&["validate", "--json"]).run_to_parts();
    assert_eq!(status, Some(3));
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let files: std::collections::BTreeSet<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["severity"] == "error")
        .filter_map(|finding| finding["path"].as_str())
        .collect();
    let stems: Vec<&str> = files.iter().filter_map(|path| path.rsplit('/').next()).collect();
    assert_eq!(
        stems,
        [
            "bad_yaml.md",
            "name.md",
            "no_event.md",
            "no_frontmatter.md",
            "not_utf8.md",
            "syntax.md",
            "unknown_event.md",
            "unknown_key.md",
            "wrong_type.md"
        ]
    );
}

#[test]
fn a_provider_that_is_not_there_is_what_an_agent_of_docker_agent_lacks() {
    for (model, said, wanted) in [
        ("nebius/deepseek", "warning[not_supported]: unknown model provider `nebius`", 0),
        ("opnai/gpt-4o", "did you mean `openai`?", 0),
        ("script/gone.yaml", "error[bad_model]", 3),
    ] {
        let fixture = CliFixture::new_empty().with_file("a.yaml", format!("agents: {{root: {{model: {model}}}}}\n"));
        let (out, _, status) = fixture.pintle(&["validate", "a.yaml"]).run_to_parts();
        assert!(out.contains(said), "{model}: {out}");
        assert_eq!(status, Some(wanted), "{model}: {out}");
        let (_, err, status) = fixture.pintle(&["run", "a.yaml", "go"]).run_to_parts();
        assert_eq!(status, Some(3), "{model}: {err}");
        assert!(wanted != 0 || err.contains("unknown model provider"), "{err}");
    }
}

#[test]
fn the_models_of_agents_are_checked() {
    let agent = |model: &str| format!("---\nmodel: {model}\n---\nHi.\n");
    let cases = [
        ("{provider: script, name: demo.yaml}", "no problems"),
        ("{provider: script, name: torn.yaml}", "the model's script is not valid: "),
        ("{provider: script, name: gone.yaml}", "gone.yaml`: it does not exist"),
        ("{provider: opnai, name: gpt-4o}", "unknown model provider `opnai`; did you mean `openai`?"),
        ("{provider: openai, name: gpt-4o, api_key_env: NOT_SET}", "no problems"),
    ];
    for (model, said) in cases {
        let fixture = CliFixture::new_empty()
            .with_file("harness.md", agent(model))
            .with_file("demo.yaml", "turns: [{say: hi}]")
            .with_file("torn.yaml", "turns: [{say: hi}");
        let (out, _, status) = fixture.pintle(&["validate"]).run_to_parts();
        assert!(out.contains(said), "{model}: {out}");
        assert_eq!(status, Some(if said == "no problems" { 0 } else { 3 }), "{model}");
    }
    let fixture = CliFixture::new_empty()
        .with_file("harness.md", agent("{provider: script, name: demo.yaml}"))
        .with_file("demo.yaml", "turns: [{say: hi}]")
        .with_file(".harness/agents/helper.md", agent("{provider: script, name: gone.yaml}"));
    snapshot!("validate_model_of_a_child", fixture.pintle(&["validate"]).run_to_screen());
}

#[test]
fn large_files_and_many_files_are_checked() {
    let mut fixture = CliFixture::new_empty().with_file(".harness/hooks/large.md", "x".repeat(10 << 20));
    for number in 0..300 {
        fixture = fixture.with_file(&format!(".harness/hooks/h{number}.md"), "---\nevent: tool.per\n---\n");
    }
    let (out, err, status) = fixture.pintle(&["validate"]).run_to_parts();
    assert_eq!((err.as_str(), status), ("", Some(3)));
    assert!(out.len() < 300 * 1_000, "{}", out.len());
    assert!(out.trim_end().ends_with("301 errors, 300 warnings"), "{}", out.lines().last().unwrap());
}

#[test]
fn names_that_a_script_asks_about_are_checked() {
    let script = |condition: &str| {
        format!(
            "---\nevent: tool.pre\npriority: 5\nscript: |\n  def handle(event, payload):\n      return block(\"no\") if {condition} else allow()\n---\n"
        )
    };
    let fixture = CliFixture::new_empty()
        .with_file(".harness/hooks/elsewhere.md", script(r#"payload["name"] in json.decode(fs.read("tools.json"))"#))
        .with_file(".harness/hooks/misspelt.md", script(r#"payload["name"] == "Bsh""#));
    snapshot!("validate_tool_names", fixture.pintle(&["validate"]).run_to_screen());
}
