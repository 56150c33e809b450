//! Tells what a file is that an editor shows.
//!
//! An editor shows files of all kinds, and nothing says that Pintle is meant. So a file whose place does not make it one of
//! Pintle's must look like one.

use std::path::Path;

use pintle_dialects::{ArtifactKind, BundleFolder};

use crate::case_files::{is_case_file, is_scenario_file};
use crate::client_files;
use crate::discover::{
    POLICY, ROOT, RULES, folder_role, has_policy_keys, is_own_agent_file, is_yaml_path, role_of_own_file,
};
use crate::package::{MANIFEST, is_plugin_file};
use crate::read::read_limited;
use crate::team::recognise_role;

/// What a file is that a user writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditedFileKind {
    /// A file that is loaded.
    Artifact(ArtifactKind),
    /// Cases for `pintle test`.
    Cases,
    /// Scenarios for `pintle test`.
    Scenarios,
}

impl EditedFileKind {
    /// The name of the schema of these files; `None` for scripts and programs.
    #[must_use]
    pub fn schema_name(self) -> Option<String> {
        match self {
            Self::Artifact(kind) => kind.schema_name(),
            Self::Cases => Some(String::from("cases")),
            Self::Scenarios => Some(String::from("scenario")),
        }
    }
}

/// The keys of frontmatter that only hooks and tools have.
const HOOK_KEYS: [&str; 3] = ["event:", "script:", "when:"];
/// What the top level of a plugin calls.
const PLUGIN_CALLS: [&str; 4] =
    ["register_tool_hook", "register_session_hook", "register_persona_hook", "register_step_hook"];

/// Tells what a file is; `None` if nothing suggests that it is one of Pintle's.
#[must_use]
pub fn recognise_edited_file(path: &Path) -> Option<EditedFileKind> {
    if is_case_file(path) {
        return Some(EditedFileKind::Cases);
    }
    if is_scenario_file(path) {
        return Some(EditedFileKind::Scenarios);
    }
    recognise_artifact(path).map(EditedFileKind::Artifact)
}

fn recognise_artifact(path: &Path) -> Option<ArtifactKind> {
    let name = path.file_name()?.to_str()?;
    let dir = path.parent().and_then(Path::file_name).and_then(|dir| dir.to_str()).unwrap_or_default();
    let is_in_root = path.ancestors().skip(1).any(|dir| dir.file_name().is_some_and(|name| name == ROOT));
    match name {
        "harness.md" | "harness.yaml" => return Some(role_of_own_file(name)),
        MANIFEST => return Some(ArtifactKind::Package),
        _ => {}
    }
    let text = || read_limited(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    if is_plugin_file(path) {
        let is_plugin = is_in_root || PLUGIN_CALLS.iter().any(|call| text().contains(call));
        return is_plugin.then_some(ArtifactKind::Plugin);
    }
    if name.ends_with(".md") {
        return match is_in_root {
            true if dir == ROOT => Some(ArtifactKind::Bundle(BundleFolder::Root)),
            true => folder_role(dir),
            false => has_hook_keys(&text()).then(|| folder_role(dir).unwrap_or(ArtifactKind::Hook)),
        };
    }
    if is_yaml_path(path) {
        let is_policy = name == POLICY || dir == RULES;
        return match recognise_role(path) {
            None if is_policy && (is_in_root || has_policy_keys(&text())) => Some(ArtifactKind::Policy),
            role => role.filter(|role| !is_own_agent_file(*role)),
        };
    }
    client_files::artifact_kinds(path).into_iter().next()
}

/// Whether a Markdown file has frontmatter with a key of a hook.
fn has_hook_keys(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    lines.next().is_some_and(|line| line.trim_end() == "---")
        && lines
            .take_while(|line| line.trim_end() != "---")
            .any(|line| HOOK_KEYS.iter().any(|key| line.starts_with(key)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_files::UnsavedTexts;

    use super::*;

    fn kind_of(path: &str, text: &str) -> Option<EditedFileKind> {
        let path = Path::new(path);
        UnsavedTexts::new([(path.to_owned(), Arc::from(text))]).read_during(|| recognise_edited_file(path))
    }

    #[test]
    fn a_file_is_recognised_by_its_place_or_its_text() {
        use ArtifactKind::{Agent, Bundle, Harness, Hook, Package, Plugin, Policy, Team, Tool};
        let cases = [
            ("/p/.harness/hooks/a.md", "", Hook),
            ("/p/.harness/tools/a.md", "", Tool),
            ("/p/.harness/agents/a.md", "", Agent),
            ("/p/.harness/a.md", "", Bundle(BundleFolder::Root)),
            ("/p/harness.md", "", Harness),
            ("/p/other/a.md", "---\nevent: tool.pre\n---\n", Hook),
            ("/p/tools/a.md", "\u{feff}---\r\nscript: x\r\n---\r\n", Tool),
            ("/p/.harness/policy.yaml", "", Policy),
            ("/p/.harness/rules/a.yaml", "", Policy),
            ("/home/u/.config/pintle/policy.yaml", "deny:\n  - run: a\n", Policy),
            ("/p/agent.yaml", "agents:\n  root:\n    instruction: x\n", Team),
            ("/p/harn.toml", "", Package),
            ("/p/.harness/plugins/a.star", "", Plugin),
            ("/p/a.star", "register_tool_hook({})", Plugin),
        ];
        for (path, text, kind) in cases {
            assert_eq!(kind_of(path, text), Some(EditedFileKind::Artifact(kind)), "{path}");
        }
        assert_eq!(kind_of("/p/policy.cases.yaml", ""), Some(EditedFileKind::Cases));
    }

    #[test]
    fn a_file_of_something_else_is_not_recognised() {
        let cases = [
            ("/p/README.md", "# Title\n\nevent: x\n"),
            ("/p/_posts/a.md", "---\ntitle: A post\n---\n"),
            ("/p/.claude/agents/a.md", "---\nname: a\ndescription: b\n---\n"),
            ("/p/src/hooks/a.md", "# About\n"),
            ("/p/rules/a.yaml", "groups:\n  - name: x\n"),
            ("/p/policy.yaml", "apiVersion: v1\n"),
            ("/p/BUILD.star", "def f():\n  pass\n"),
            ("/p/.vscode/settings.json", "{\"editor.tabSize\": 2}"),
            ("/p/main.rs", "fn main() {}"),
            ("/", ""),
        ];
        for (path, text) in cases {
            assert_eq!(kind_of(path, text), None, "{path}");
        }
    }
}
