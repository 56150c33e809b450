//! Plugins and packages, as the commands that look at hooks show them.

use crate::fixture::{CliFixture, snapshot};

const GATE: &str = "\
register_tool_hook({\"pattern\": \"exec_*\", \"deny\": \"exec is gated\"})
register_tool_hook({\"pattern\": \"*\", \"max_output\": 4000})

def no_secrets(event):
    if \"secret\" in event[\"prompt\"]:
        return {\"block\": True, \"reason\": \"policy violation: secret in prompt\"}
    return None

register_session_hook(\"user_prompt_submit\", no_secrets)
";

const MANIFEST: &str = "\
[package]
name = \"acme\"

[[hooks]]
event = \"UserPromptSubmit\"
pattern = \"*\"
handler = \"policy::reject_secrets\"
";

const POLICY: &str = "\
def reject_secrets(event):
    if \"secret\" in event[\"prompt\"]:
        return {\"block\": True, \"reason\": \"no secrets\"}
";

fn create_plugin() -> CliFixture {
    CliFixture::new_empty().with_file(".harness/plugins/gate.star", GATE)
}

fn create_package() -> CliFixture {
    CliFixture::new_empty().with_file("harn.toml", MANIFEST).with_file("policy.star", POLICY)
}

#[test]
fn a_plugin_is_checked_listed_explained_and_fired() {
    let fixture = create_plugin();
    snapshot!("plugin_validate", fixture.pintle(&["validate"]).run_to_screen());
    snapshot!("plugin_hooks", fixture.pintle(&["hooks"]).run_to_screen());
    snapshot!(
        "plugin_explain",
        fixture.pintle(&["explain", "tool.pre"]).with_input("{\"name\": \"think\"}").run_to_screen()
    );
    snapshot!(
        "plugin_fire",
        fixture.pintle(&["fire", "tool.pre", "."]).with_input("{\"name\": \"exec_root\"}").run_to_screen()
    );
    snapshot!(
        "plugin_veto",
        fixture.pintle(&["fire", "prompt.submit", "."]).with_input("{\"prompt\": \"a secret\"}").run_to_screen()
    );
}

#[test]
fn every_fault_of_a_plugin_is_pointed_at() {
    let text = "register_tool_hook({\"patern\": \"exec_*\", \"deny\": \"x\"})\n\
                register_session_hook(\"user_prompt_sumbit\", lambda event: None)\n\
                register_session_hook(\"session_start\", lambda event, more: None)\n\
                register_tool_hook({\"pattern\": \"tool.name =~ '['\", \"deny\": \"x\"})\n";
    snapshot!(
        "plugin_bad",
        CliFixture::new_empty().with_file("bad.star", text).pintle(&["validate", "bad.star"]).run_to_screen()
    );
}

#[test]
fn misuse_at_run_time_names_hook_event_and_shape() {
    let text = "register_session_hook(\"user_prompt_submit\", lambda event: 42)\n";
    let fixture = CliFixture::new_empty().with_file("misuse.star", text);
    let fired = fixture
        .pintle(&["fire", "prompt.submit", "--hooks", "misuse.star"])
        .with_input("{\"prompt\": \"x\"}")
        .run_to_screen();
    snapshot!("plugin_misuse", fired);
}

#[test]
fn a_module_that_registers_nothing_says_where_its_functions_are_named() {
    let fire = ["fire", "prompt.submit", "policy.star"];
    let (_, told, status) = create_package().pintle(&fire).with_input("{\"prompt\": \"x\"}").run_to_parts();
    assert!(
        told.contains("it does not register any; name the directory of a `harn.toml`") && status == Some(3),
        "{told}"
    );
}

#[test]
fn a_package_is_checked_and_fired() {
    let fixture = create_package();
    snapshot!("package_validate", fixture.pintle(&["validate"]).run_to_screen());
    snapshot!(
        "package_fire",
        fixture.pintle(&["fire", "prompt.submit", "."]).with_input("{\"prompt\": \"a secret\"}").run_to_screen()
    );
}

#[test]
fn every_fault_of_a_manifest_is_pointed_at() {
    let manifest = "[[hooks]]\nevent = \"UserPromptSumbit\"\npatern = \"*\"\nhandler = \"policy::reject_secrets\"\n\n\
                    [[hooks]]\nevent = \"PreToolUse\"\nhandler = \"policy::_hidden\"\n\n\
                    [[hooks]]\nevent = \"PreToolUse\"\nhandler = \"polcy::reject_secrets\"\n\n\
                    [[hooks]]\nevent = \"PreToolUse\"\nhandler = \"policy::reject_secret\"\n";
    let fixture = CliFixture::new_empty().with_file("harn.toml", manifest).with_file("policy.star", POLICY);
    snapshot!("package_bad", fixture.pintle(&["validate"]).run_to_screen());
}

/// A stand-in for the program: it answers each line that it reads.
const HARN: &str = "#!/bin/sh\n[ \"$1\" = run ] && [ \"$2\" = -e ] || exit 2\n\
                    case $3 in *'import { reject_secrets } from \"./policy\"'*) ;; *) exit 3 ;; esac\n\
                    while read -r line; do\n  case $line in\n    *secret*) echo '{\"block\":true,\"reason\":\"Harn says no\"}' ;;\n    \
                    *) echo null ;;\n  esac\ndone\n";

#[test]
fn a_module_in_harn_is_run_by_its_program_where_that_is_installed() {
    let fixture = CliFixture::new_empty()
        .with_file("harn.toml", MANIFEST)
        .with_file("policy.harn", "pub fn reject_secrets(event) { return nil }\n")
        .with_file("bin/harn", HARN);
    snapshot!(
        "package_harn_missing",
        fixture.pintle(&["validate"]).with_variable("PATH", "/usr/bin:/bin").run_to_screen()
    );
    #[cfg(unix)]
    {
        pintle_testkit::make_executable(fixture.path("bin/harn"));
        let path = format!("{}:/usr/bin:/bin", fixture.path("bin").display());
        let fire = |prompt: &str| {
            fixture
                .pintle(&["fire", "prompt.submit", "."])
                .with_input(prompt)
                .with_variable("PATH", &path)
                .run_to_parts()
        };
        let (out, err, status) = fire("{\"prompt\": \"a secret\"}");
        assert_eq!(status, Some(2), "{out}{err}");
        assert!(out.contains("Harn says no"), "{out}{err}");
        assert_eq!(fire("{\"prompt\": \"hello\"}").2, Some(0));
    }
}
