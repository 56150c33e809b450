//! docker-agent's team files: which YAML is one, and how its hooks are used.

use pintle_contract::{Layer, Severity};
use pintle_dialects::docker_agent::DockerAgentVersion;
use pintle_loader::{LoadOptions, find_team_file, load_with};

use crate::support::{AcceptingFactory, LoaderFixture};

const TEAM: &str = "agents:\n  root:\n    model: openai/gpt-4o\n    redact_secrets: false\n    hooks:\n      stop:\n        - {type: command, command: \"true\"}\n";
const NOTHING: Vec<String> = Vec::new();

#[test]
fn a_yaml_with_agents_is_a_team_as_a_file_and_as_the_only_one_of_a_folder() {
    let files = [("team/agents.yml", TEAM), ("team/turns.yaml", "turns: []\n"), ("team/README.md", "# About\n")];
    let project = LoaderFixture::new(&files);
    for path in ["team/agents.yml", "team"] {
        let loaded = project.load(path);
        assert_eq!(project.findings(&loaded, Severity::Note), NOTHING, "{path}");
        let team = loaded.team.unwrap();
        assert_eq!((team.agents.len(), loaded.files), (1, 1), "{path}");
        // The hooks of a member run for that member alone.
        assert_eq!((loaded.chains.len(), loaded.hook_declarations.len()), (0, 0), "{path}");
        assert!(team.agents[0].hooks.iter().any(|hook| &*hook.event_alias == "stop"), "{path}");
        assert_eq!(find_team_file(&project.path(path)), Some(project.path("team/agents.yml")), "{path}");
    }
    assert_eq!(find_team_file(&project.path("team/turns.yaml")), None);
}

#[test]
fn variables_of_the_environment_are_inserted_into_texts_and_addresses() {
    let text = "agents:\n  root:\n    model: m\n    description: in ${env.CARGO_MANIFEST_DIR}\n    instruction: \"Work in ${env.CARGO_MANIFEST_DIR}.${env.PINTLE_NO_SUCH_VARIABLE} $x\"\n    welcome_message: Hello ${env.CARGO_MANIFEST_DIR}\n    commands: {go: \"Go to ${env.CARGO_MANIFEST_DIR}\"}\n    toolsets: [{type: think, instruction: \"${env.CARGO_MANIFEST_DIR}\"}]\nmodels: {m: {provider: openai, model: a, base_url: \"http://x.test${env.CARGO_MANIFEST_DIR}\"}}\n";
    let project = LoaderFixture::new(&[("agent.yaml", text)]);
    let loaded = project.load("agent.yaml");
    assert_eq!(
        project.findings(&loaded, Severity::Warning),
        [
            "agent.yaml:2:3: warning: agent `root` names the variable `PINTLE_NO_SUCH_VARIABLE`, which is not set, so it is empty"
        ]
    );
    let dir = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    let team = loaded.team.unwrap();
    let root = &team.agents[0];
    let member = root.member.as_ref().unwrap();
    assert_eq!(root.description, format!("in {dir}"));
    assert_eq!(root.instruction, format!("Work in {dir}. $x"));
    assert_eq!(member.welcome_message, Some(format!("Hello {dir}")));
    assert_eq!(member.commands, [(String::from("go"), format!("Go to {dir}"))]);
    assert_eq!(member.toolsets[0].instruction.as_deref(), Some(dir.as_str()));
    assert_eq!(root.model.as_ref().unwrap().base_url, Some(format!("http://x.test{dir}")));
}

#[test]
fn a_harness_wins_over_a_team_and_two_teams_are_no_answer() {
    let both = LoaderFixture::new(&[("harness.md", "---\nname: a\n---\nHelp.\n"), ("team.yaml", TEAM)]);
    let loaded = both.load("");
    assert!(loaded.team.is_none() && loaded.agent.is_some());
    // With a usual name its hooks belong to the project, and none of its agents runs.
    let usual = LoaderFixture::new(&[("harness.md", "---\nname: a\n---\nHelp.\n"), ("agent.yaml", TEAM)]);
    let loaded = usual.load("");
    assert!(loaded.team.is_none() && loaded.agent.is_some());
    assert!(loaded.hook_declarations.iter().any(|hook| &*hook.event_alias == "stop"));
    assert_eq!(find_team_file(&usual.path("")), None);
    let two = LoaderFixture::new(&[("x/one.yaml", TEAM), ("x/two.yaml", TEAM)]);
    let loaded = two.load("x");
    let message = loaded.diagnostics[0].message.replace(&format!("{}/", two.path("").display()), "");
    assert_eq!(
        message.replace(&format!("{}", two.path("").display()), ""),
        "`x` contains several agent files: `x/one.yaml`, `x/two.yaml`"
    );
    assert_eq!(loaded.diagnostics[0].severity, Severity::Error);
}

#[test]
fn a_harness_yaml_stays_one_and_a_block_of_hooks_is_hooks() {
    let harness = LoaderFixture::new(&[("harness.yaml", "name: small\nagents: none\n")]);
    assert!(harness.load("harness.yaml").agent.is_some());
    let block = LoaderFixture::new(&[("hooks.yaml", "stop:\n  - {type: command, command: \"true\"}\n")]);
    let loaded = block.load("hooks.yaml");
    assert_eq!((loaded.chains.len(), loaded.hook_declarations.len(), loaded.chains[0].layer), (1, 1, Layer::Project));
}

#[test]
fn a_version_that_is_asked_for_outranks_the_file() {
    let newer =
        TEAM.replace("stop:", "tool_guard:").replace("- {type", "- matcher: x\n          hooks:\n            - {type");
    let project = LoaderFixture::new(&[("team.yaml", newer.as_str())]);
    let load = |compat| {
        load_with(
            &project.path("team.yaml"),
            Layer::Project,
            &AcceptingFactory,
            &LoadOptions { compat, ..LoadOptions::default() },
        )
    };
    assert_eq!(project.findings(&load(None), Severity::Warning), NOTHING);
    let older = project.findings(&load(Some(DockerAgentVersion::G1)), Severity::Error);
    assert_eq!(
        older,
        [
            "team.yaml:6:7: error: hooks: `compat: g1` has no event `tool_guard`; newer versions of docker-agent added it"
        ]
    );
}
