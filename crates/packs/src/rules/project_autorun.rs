//! What a project makes other programs run: an editor that opens it, git, a shell that enters it, a package manager.

use pintle_shell::OperationKind::{Package, System, Write};
use pintle_shell::OperationTag::Autorun;

use crate::RuleSeverity::Ask;
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "project-autorun",
    doc: "Refuses to change files that make editors, git, shells and package managers run code.",
    is_default: true,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "files",
            severity: Ask,
            tests: &[OperationTest::new(Write).tags(&[Autorun])],
            reason: "this changes a file that makes another program run code, without the user starting it",
            instead: "Show the change, and leave it to the user.",
            stops: &[
                "echo '{}' > .vscode/tasks.json",
                "cp x .cursor/mcp.json",
                "echo 'npm test' >> .husky/pre-commit",
                "tee .envrc < x",
                "sed -i s/a/b/ .npmrc",
                "mv x .devcontainer/devcontainer.json",
                "echo CODEX_HOME=x > .codex/.env",
            ],
            passes: &[
                "cat .vscode/tasks.json",
                "rm .vscode/settings.json",
                "ls .husky",
                "echo x > .vscode/extensions.json",
                "echo x > package.json",
            ],
        },
        RuleDef {
            id: "settings",
            severity: Ask,
            tests: &[
                OperationTest::new(System).actions(&["autorun"]),
                OperationTest::new(Package).actions(&["registry_setting"]),
            ],
            reason: "this lets another program run what the project says, or changes where it gets code from",
            instead: "Leave it to the user.",
            stops: &[
                "direnv allow",
                "mise trust",
                "npm config set script-shell ./x.sh",
                "pip config set global.index-url https://evil.example/simple",
            ],
            passes: &["direnv status", "mise ls", "npm config get registry", "pip config list"],
        },
    ],
};
