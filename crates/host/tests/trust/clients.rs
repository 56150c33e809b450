//! Projects whose hooks are written for a client, in the client's settings file.

use std::fs;

use pintle_host::Decision;
use pintle_host::loader::TrustState;

use crate::trust::fixture::TrustFixture;

const SETTINGS: &str = r#"{
  "permissions": {"allow": ["Bash(ls)"]},
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}
  ]}]}
}
"#;
const FRAMEWORK: &str = r#"{"hooks": {"PreToolUse": [{"path": "checks/Guard.sh", "matcher": {"tool_name": "Bash"}}]}}"#;
const GUARD: &str = "#!/bin/sh\ncat >/dev/null\necho 'the guard says no' >&2\nexit 2\n";

/// A project with one guard, which is a separate program, and the file that registers it.
fn guarded_project(file: &str, settings: &str, guard: &str) -> TrustFixture {
    let fixture = TrustFixture::empty();
    fixture.write(file, settings);
    fixture.write(guard, GUARD);
    pintle_testkit::make_executable(fixture.path(guard));
    fixture
}

#[test]
fn the_guards_of_coding_agents_are_bound_to_their_scripts() {
    for (file, settings, guard) in
        [(".claude/settings.json", SETTINGS, ".claude/hooks/guard.sh"), ("settings.json", FRAMEWORK, "checks/Guard.sh")]
    {
        let fixture = guarded_project(file, settings, guard);
        assert_eq!(fixture.trust_state(), TrustState::New, "{file}");
        assert_eq!(fixture.call_shell().decision, Decision::Allow, "{file}");
        fixture.grant_trust();
        assert!(
            fixture.call_shell().reason().contains("the guard says no"),
            "{file}: {}",
            fixture.call_shell().reason()
        );
        fixture.write(guard, "#!/bin/sh\nexit 0\n");
        assert!(fixture.call_shell().reason().contains("changed after you trusted this project"), "{file}");
        fs::remove_file(fixture.path(file)).unwrap();
        assert!(
            fixture.call_shell().reason().contains("was removed or weakened"),
            "{file}: {}",
            fixture.call_shell().reason()
        );
    }
}

#[test]
fn what_an_agent_writes_into_its_settings_besides_hooks_changes_nothing() {
    let fixture = guarded_project(".claude/settings.json", SETTINGS, ".claude/hooks/guard.sh");
    fixture.grant_trust();
    fixture.write(".claude/settings.json", SETTINGS.replace("Bash(ls)", "Bash(rm *)"));
    fixture.write(".claude/settings.local.json", r#"{"permissions": {"allow": ["Bash(git *)"]}}"#);
    assert_eq!(fixture.trust_state(), TrustState::Trusted);
    fixture.write(".claude/settings.json", SETTINGS.replace("\"hooks\"", "\"disableAllHooks\": true, \"hooks\""));
    assert_eq!(fixture.trust_state(), TrustState::Changed);
    fixture.write(".claude/settings.json", SETTINGS);
    assert_eq!(fixture.trust_state(), TrustState::Trusted);
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    fixture.write(".claude/settings.local.json", hook);
    assert_eq!(fixture.trust_state(), TrustState::Changed);
    assert!(fixture.call_shell().reason().contains("the guard says no"), "the hook that was agreed to still runs");
}

#[test]
fn a_program_that_is_a_hook_by_its_name_is_bound_to_its_bytes() {
    let fixture = guarded_project(".clinerules/hooks/PreToolUse", GUARD, ".clinerules/hooks/PreToolUse");
    fixture.grant_trust();
    fixture.write(".clinerules/hooks/PreToolUse", "#!/bin/sh\nexit 0\n");
    assert_eq!(fixture.trust_state(), TrustState::Changed);
    assert_eq!(fixture.call_shell().decision, Decision::Deny);
}

#[test]
fn the_host_runs_its_own_hooks_itself() {
    let mut fixture = guarded_project(".claude/settings.json", SETTINGS, ".claude/hooks/guard.sh");
    fixture.without_dialect = Some("claude_code");
    let consent = fixture.consent();
    assert!(consent.untrusted_hooks.is_empty() && consent.user_notice().is_none(), "{:?}", consent.untrusted_hooks);
    assert_eq!(fixture.build_runtime().runtime.hooks().hooks().count(), 0);
}
