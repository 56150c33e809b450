//! Projects whose hooks are written for a coding agent, in the file that the agent keeps its settings in.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pintle::Decision;
use pintle::loader::TrustState;

use crate::stage::Stage;

const SETTINGS: &str = r#"{
  "permissions": {"allow": ["Bash(ls)"]},
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}
  ]}]}
}
"#;
const FRAMEWORK: &str = r#"{"hooks": {"PreToolUse": [{"path": "checks/Guard.sh", "matcher": {"tool_name": "Bash"}}]}}"#;
const GUARD: &str = "#!/bin/sh\ncat >/dev/null\necho 'the guard says no' >&2\nexit 2\n";

/// A project with one guard, which is a program of its own, and the file that registers it.
fn stage(file: &str, settings: &str, guard: &str) -> Stage {
    let stage = Stage::empty();
    stage.write(file, settings);
    stage.write(guard, GUARD);
    fs::set_permissions(stage.path(guard), fs::Permissions::from_mode(0o755)).unwrap();
    stage
}

#[test]
fn the_guards_of_coding_agents_are_bound_to_their_scripts() {
    for (file, settings, guard) in
        [(".claude/settings.json", SETTINGS, ".claude/hooks/guard.sh"), ("settings.json", FRAMEWORK, "checks/Guard.sh")]
    {
        let stage = stage(file, settings, guard);
        assert_eq!(stage.state(), TrustState::New, "{file}");
        assert_eq!(stage.shell().decision, Decision::Allow, "{file}");
        stage.agree();
        assert!(stage.shell().reason().contains("the guard says no"), "{file}: {}", stage.shell().reason());
        stage.write(guard, "#!/bin/sh\nexit 0\n");
        assert!(stage.shell().reason().contains("was changed since you agreed to it"), "{file}");
        fs::remove_file(stage.path(file)).unwrap();
        assert!(stage.shell().reason().contains("is gone or guards less"), "{file}: {}", stage.shell().reason());
    }
}

#[test]
fn what_an_agent_writes_into_its_settings_besides_hooks_changes_nothing() {
    let stage = stage(".claude/settings.json", SETTINGS, ".claude/hooks/guard.sh");
    stage.agree();
    stage.write(".claude/settings.json", SETTINGS.replace("Bash(ls)", "Bash(rm *)"));
    stage.write(".claude/settings.local.json", r#"{"permissions": {"allow": ["Bash(git *)"]}}"#);
    assert_eq!(stage.state(), TrustState::Trusted);
    stage.write(".claude/settings.json", SETTINGS.replace("\"hooks\"", "\"disableAllHooks\": true, \"hooks\""));
    assert_eq!(stage.state(), TrustState::Changed);
    stage.write(".claude/settings.json", SETTINGS);
    assert_eq!(stage.state(), TrustState::Trusted);
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    stage.write(".claude/settings.local.json", hook);
    assert_eq!(stage.state(), TrustState::Changed);
    assert!(stage.shell().reason().contains("the guard says no"), "the hook that was agreed to still runs");
}

#[test]
fn a_program_that_is_a_hook_by_its_name_is_bound_to_its_bytes() {
    let stage = stage(".clinerules/hooks/PreToolUse", GUARD, ".clinerules/hooks/PreToolUse");
    stage.agree();
    stage.write(".clinerules/hooks/PreToolUse", "#!/bin/sh\nexit 0\n");
    assert_eq!(stage.state(), TrustState::Changed);
    assert_eq!(stage.shell().decision, Decision::Deny);
}

#[test]
fn the_host_runs_its_own_hooks_itself() {
    let mut stage = stage(".claude/settings.json", SETTINGS, ".claude/hooks/guard.sh");
    stage.without = Some("claude_code");
    let consent = stage.consent();
    assert!(consent.untrusted_hooks.is_empty() && consent.user_notice().is_none(), "{:?}", consent.untrusted_hooks);
    assert_eq!(stage.built().runtime.hooks().hooks().count(), 0);
}
