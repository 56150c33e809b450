//! Self-protection: an agent does not switch off or change what guards it.

use pintle_shell::OperationKind::{Delete, Guard, Move, Permission, Read, Write};
use pintle_shell::OperationTag::{AgentSettings, Pintle, Secret};

use crate::RuleSeverity::{Ask, Deny};
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "self-protection",
    doc: "Refuses to change, delete or go round Pintle, its hooks, and the hook settings of agents.",
    is_default: true,
    pausable: &["agent-settings", "pintle-files"],
    rules: &[
        RuleDef {
            id: "agent-settings",
            severity: Deny,
            tests: &[
                OperationTest::new(Write).tags(&[AgentSettings]),
                OperationTest::new(Delete).tags(&[AgentSettings]),
                OperationTest::new(Move).tags(&[AgentSettings]),
                OperationTest::new(Permission).tags(&[AgentSettings]),
                OperationTest::new(Guard).actions(&["agent_settings"]),
            ],
            reason: "this changes the settings that decide which hooks guard an agent",
            instead: "Leave it to the user.",
            stops: &[
                "rm ~/.claude/settings.json",
                "cd .claude && echo '{}' > settings.json",
                "sed -i s/a/b/ ~/.codex/config.toml",
                "cd ~/.claude && mv settings.json x",
                "chmod 000 ~/.claude/settings.json",
                "claude mcp add x -- y",
            ],
            passes: &[
                "cat ~/.claude/settings.json",
                "ls .claude",
                "echo x > notes.txt",
                "rm notes.txt",
                "mv a.txt b.txt",
                "chmod +x run.sh",
            ],
        },
        RuleDef {
            id: "pintle-files",
            severity: Deny,
            tests: &[
                OperationTest::new(Write).tags(&[Pintle]),
                OperationTest::new(Delete).tags(&[Pintle]),
                OperationTest::new(Move).tags(&[Pintle]),
                OperationTest::new(Permission).tags(&[Pintle]),
            ],
            reason: "this changes Pintle's policy, state or program",
            instead: "Leave it to the user.",
            stops: &[
                "rm -rf .harness",
                "mv ~/.config/pintle /tmp",
                "chmod -x ~/.local/bin/pintle",
                "mkdir -p .harness/hooks",
            ],
            passes: &[
                "cat .harness/hooks/guard.md",
                "echo x > notes.txt",
                "rm notes.txt",
                "mv a.txt b.txt",
                "chmod +x run.sh",
            ],
        },
        RuleDef {
            id: "machine-key",
            severity: Deny,
            tests: &[OperationTest::new(Read).tags(&[Pintle, Secret])],
            reason: "this reads the key with which this machine signs its tapes",
            instead: "`pintle tape key` prints the public key.",
            stops: &["cat ~/.local/state/pintle/machine.key", "cp ~/.local/state/pintle/machine.key /tmp"],
            passes: &["cat ~/.local/state/pintle/trust.json", "pintle tape key", "cat ~/.ssh/id_rsa"],
        },
        RuleDef {
            id: "go-round",
            severity: Deny,
            tests: &[OperationTest::new(Guard).actions(&["pintle_command", "kill", "pintle_variable"])],
            reason: "this switches Pintle off or changes where it looks",
            instead: "Only the user may do that, in a terminal of their own.",
            stops: &[
                "pintle uninstall claude --yes",
                "pintle doctor --fix --yes",
                "pkill pintle",
                "PINTLE_MANAGED_DIR=/tmp claude -p hi",
            ],
            passes: &["pintle validate", "pintle hooks", "pintle doctor", "pintle doctor --fix --dry-run"],
        },
        RuleDef {
            id: "unchecked-agent",
            severity: Ask,
            tests: &[OperationTest::new(Guard).actions(&["unchecked_agent"])],
            reason: "this starts another agent without its checks",
            instead: "Start it with its checks, or use a subagent.",
            stops: &["claude --dangerously-skip-permissions -p hi"],
            passes: &["claude -p hi"],
        },
    ],
};
