//! Which YAML files are docker-agent's.

use crate::Role;
use crate::docker_agent::DIALECT;

/// Keys of a script that a model plays, which may have `agents` as well and lies beside the agents that use it.
const SCRIPT: [&str; 3] = ["about", "prompts", "turns"];

/// What a YAML file is to docker-agent, by the keys of its document; `None` when it is none of its files.
///
/// It looks at text and not at a tree, so that a file with a fault in its YAML is still taken for what it is.
#[must_use]
pub fn recognise(text: &str) -> Option<Role> {
    let keys = || text.lines().filter_map(top_level_key);
    if keys().any(|key| key == "agents") && !keys().any(|key| SCRIPT.contains(&key)) {
        return Some(Role::Team);
    }
    if keys().any(|key| key == "settings") {
        return Some(Role::UserSettings);
    }
    keys().any(|key| DIALECT.names().any(|name| name == key)).then_some(Role::HooksBlock)
}

/// The key that a line of the outermost mapping begins with.
fn top_level_key(line: &str) -> Option<&str> {
    let (key, _) = line.trim_start_matches('\u{FEFF}').split_once(':')?;
    let key = key.trim_end();
    let quoted = |quote: char| key.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    let key = quoted('"').or_else(|| quoted('\'')).unwrap_or(key);
    key.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_the_keys_of_its_document() {
        let cases = [
            ("agents:\n  root:\n    model: openai/gpt-4o\n", Some(Role::Team)),
            ("# agents\nversion: \"2\"\n\"agents\" :\n", Some(Role::Team)),
            ("\u{FEFF}agents: {root: {\n", Some(Role::Team)),
            ("settings:\n  hooks: {}\n", Some(Role::UserSettings)),
            ("pre_tool_use:\n  - hooks: []\n", Some(Role::HooksBlock)),
            ("name: helper\nmodel: gpt-4o\nhooks: []\n", None),
            ("about: a script\nturns: []\nagents: {helper: []}\n", None),
            ("name: helper\ncontext:\n  agents: none\n", None),
            ("", None),
        ];
        for (text, role) in cases {
            assert_eq!(recognise(text), role, "{text}");
        }
    }
}
