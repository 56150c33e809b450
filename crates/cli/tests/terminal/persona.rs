use crate::fixture::{CliFixture, snapshot};

const AGENT: &str = r#"---
name: captain
model:
  provider: script
  name: script.yaml
---
You merge what is ready.
"#;

const MANIFEST: &str = r#"[package]
name = "merging"

[[hooks]]
event = "PreStep"
pattern = "merge_captain.merge"
handler = "policy::freeze"

[[personas]]
name = "merge_captain"
description = "Merges what is ready."
budget = { max_tokens = 1000 }

[[personas.steps]]
name = "audit"
prompt = "audit {{args.0}}"

[[personas.steps]]
name = "merge"
prompt = "merge {{args.0}}, which is {{steps.audit}}"

[[personas]]
name = "nightly"

[[personas.steps]]
name = "count"
budget = { max_tokens = 10 }
prompt = "count"
"#;

const POLICY: &str = r#"def freeze(event):
    if event["step"]["args"][0] == "frozen":
        return {"deny": "the branch is frozen"}
"#;

fn create_merge_persona(turns: &str) -> CliFixture {
    CliFixture::new_empty()
        .with_file("agent/harness.md", AGENT)
        .with_file("agent/harn.toml", MANIFEST)
        .with_file("agent/policy.star", POLICY)
        .with_file("agent/script.yaml", format!("turns:\n{turns}"))
}

const SOUND: &str = "  - say: sound\n  - expect: {contains: which is sound}\n    say: Merged.\n";

#[test]
fn the_steps_of_a_persona_run_one_after_another() {
    let fixture = create_merge_persona(SOUND);
    snapshot!(
        "run_persona",
        fixture.pintle(&["run", "agent", "[\"main\"]", "--persona", "merge_captain"]).run_to_screen()
    );
}

#[test]
fn a_denied_step_and_a_spent_budget_end_the_run() {
    let denied = create_merge_persona(SOUND);
    let arguments = ["run", "agent", "\"frozen\"", "--persona", "merge_captain", "--quiet"];
    snapshot!("run_persona_denied", denied.pintle(&arguments).run_to_screen());
    let spent = create_merge_persona("  - say: a hundred\n    usage: {input: 50, output: 5}\n");
    snapshot!("run_persona_spent", spent.pintle(&["run", "agent", "--persona", "nightly", "--quiet"]).run_to_screen());
}

#[test]
fn a_persona_that_is_not_there_and_arguments_that_are_no_json_are_told() {
    let fixture = create_merge_persona(SOUND);
    snapshot!("run_persona_unknown", fixture.pintle(&["run", "agent", "--persona", "merge_captian"]).run_to_screen());
    let arguments = ["run", "agent", "main branch", "--persona", "nightly"];
    snapshot!("run_persona_no_json", fixture.pintle(&arguments).run_to_screen());
}
