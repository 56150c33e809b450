//! Recognizes docker-agent's YAML files.

use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::{ByteSpan, SourceFile, suggest_nearest};

use super::hooks::guess_event;
use crate::ArtifactKind;
use crate::docker_agent::event_def::ROWS;
use crate::document::{FileReport, MapEntry, NodeKind, outline, skip_byte_order_mark};

/// Keys of a model script, which may have `agents` as well and is in the same directory as the agents that use it.
const SCRIPT: [&str; 3] = ["about", "prompts", "turns"];
/// Keys of an agent, which identify a mapping of agents whatever its key is.
const OF_AGENTS: [&str; 4] = ["hooks", "instruction", "toolsets", "sub_agents"];
/// The maximum length of a key that may be a misspelling.
const MAX_KEY: usize = 64;

/// Recognizes a docker-agent YAML file by the keys of its document; `None` if it is not one of its files.
///
/// A file with a YAML error, or with a misspelt identifying key, is recognized as what it was meant to be: otherwise
/// the error would never be reported.
#[must_use]
pub fn recognise(text: &str) -> Option<ArtifactKind> {
    let report = FileReport::new(Arc::new(SourceFile { path: PathBuf::new(), text: text.to_owned() }), "");
    let whole = ByteSpan { start: skip_byte_order_mark(&report), end: text.len() };
    match outline(&report, whole) {
        Ok(document) => {
            let document = document?;
            let entries = document.entries()?;
            let keys: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
            recognise_exact_keys(&keys)
                .or_else(|| entries.iter().find_map(|entry| recognise_misspelled_key(entry, &keys)))
        }
        Err(read) => {
            let lines = text.lines().filter_map(top_level_key);
            let keys: Vec<&str> = read.iter().map(String::as_str).chain(lines).collect();
            recognise_exact_keys(&keys).or_else(|| names_agents(text).then_some(ArtifactKind::Team))
        }
    }
}

/// The kind of a document with these keys.
fn recognise_exact_keys(keys: &[&str]) -> Option<ArtifactKind> {
    if is_script(keys) {
        return None;
    }
    if keys.contains(&"agents") {
        return Some(ArtifactKind::Team);
    }
    if keys.contains(&"settings") {
        return Some(ArtifactKind::UserSettings);
    }
    ROWS.iter().any(|def| keys.contains(&def.name)).then_some(ArtifactKind::HooksBlock)
}

/// The kind that a document with a misspelt key was meant to be, judging by the key's value.
fn recognise_misspelled_key(entry: &MapEntry, keys: &[&str]) -> Option<ArtifactKind> {
    if is_script(keys) {
        return None;
    }
    let MapEntry { key, value, .. } = entry;
    let is_near = |word: &str| key != word && key.len() <= MAX_KEY && suggest_nearest(key, [word]).is_some();
    let below = value.entries().unwrap_or_default();
    if is_near("agents") && below.iter().any(|agent| OF_AGENTS.iter().any(|key| agent.value.get(key).is_some())) {
        return Some(ArtifactKind::Team);
    }
    if is_near("settings") && value.get("hooks").is_some() {
        return Some(ArtifactKind::UserSettings);
    }
    let is_event =
        |entry: &MapEntry| !matches!(entry.value.kind, NodeKind::Scalar(_)) && guess_event(&entry.key).is_some();
    // No file has events below a top-level `hooks:` key.
    let is_block = is_event(entry) || (key == "hooks" && below.iter().any(is_event));
    is_block.then_some(ArtifactKind::HooksBlock)
}

fn is_script(keys: &[&str]) -> bool {
    SCRIPT.iter().any(|key| keys.contains(key))
}

/// Whether invalid YAML has a key `agents` somewhere.
fn names_agents(text: &str) -> bool {
    let ends_a_word = |before: &str| !before.ends_with(|last: char| last.is_alphanumeric() || "_-.".contains(last));
    text.match_indices("agents").any(|(index, word)| {
        let (before, behind) = (text.get(..index), text.get(index + word.len()..));
        let behind = behind.unwrap_or_default().trim_start_matches(['"', '\'']).trim_start();
        behind.starts_with(':') && before.is_some_and(ends_a_word)
    })
}

/// The key at the start of a line of the top-level mapping.
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
            ("agents:\n  root:\n    model: openai/gpt-4o\n", Some(ArtifactKind::Team)),
            ("# agents\nversion: \"2\"\n\"agents\" :\n", Some(ArtifactKind::Team)),
            ("\u{FEFF}agents: {root: {\n", Some(ArtifactKind::Team)),
            ("settings:\n  hooks: {}\n", Some(ArtifactKind::UserSettings)),
            ("pre_tool_use:\n  - hooks: []\n", Some(ArtifactKind::HooksBlock)),
            ("name: helper\nmodel: gpt-4o\nhooks: []\n", None),
            ("about: a script\nturns: []\nagents: {helper: []}\n", None),
            ("{agents: {root: {model: openai/gpt-4o}}}", Some(ArtifactKind::Team)),
            ("{\"version\": \"2\",\n \"agents\": {\"root\": {}}}", Some(ArtifactKind::Team)),
            ("  agents:\n    root: {}\n", Some(ArtifactKind::Team)),
            ("? agents\n: root: {}\n", Some(ArtifactKind::Team)),
            ("{version: 2, agents: {root: [}", Some(ArtifactKind::Team)),
            ("x: &x\n  agents: {root: {}}\n<<: *x\n", Some(ArtifactKind::Team)),
            ("<<: {pre_tool_use: []}\n", Some(ArtifactKind::HooksBlock)),
            ("--- {settings: {hooks: {}}}", Some(ArtifactKind::UserSettings)),
            ("{pre_tool_use: []}", Some(ArtifactKind::HooksBlock)),
            ("\u{FEFF}  {\n\"pre_tool_use\"\n: []}", Some(ArtifactKind::HooksBlock)),
            ("agent:\n  root:\n    hooks: {}\n", Some(ArtifactKind::Team)),
            ("agent:\n  log_level: debug\n", None),
            ("pre_tool_us:\n  - hooks: []\n", Some(ArtifactKind::HooksBlock)),
            ("PreToolUse:\n  - hooks: []\n", Some(ArtifactKind::HooksBlock)),
            ("hooks:\n  pre_tool_use: []\n", Some(ArtifactKind::HooksBlock)),
            ("setting:\n  hooks: {}\n", Some(ArtifactKind::UserSettings)),
            (
                "name: a\ndescription: b\nmodel: {}\nmodels: []\ncontext: {}\ntools_policy: {}\ndelegation: {}\nmeta: {}\nnetwork: {}\nexit_policy: {}\ntools: []\nhooks: []\nversion: []\n",
                None,
            ),
            ("[pre_tool_use]", None),
            ("# pre_tool_use:\n", None),
            ("name: helper\ncontext:\n  agents: none\n", None),
            ("", None),
        ];
        for (text, role) in cases {
            assert_eq!(recognise(text), role, "{text}");
        }
    }
}
