//! The locations of the clients' files, and the kind of each file.

use std::path::Path;

use crate::{CLIENTS, ClientDef, claude_code, copilot, cursor, gemini};

/// A client's file that contains hooks.
#[derive(Debug, Clone, Copy)]
pub struct ClientFile {
    /// The client.
    pub client: &'static ClientDef,
    /// How the file is read.
    pub format: FileFormat,
}

impl ClientFile {
    /// Whether the file's text is read. A program's is not, because it may be binary.
    #[must_use]
    pub fn is_text(self) -> bool {
        self.format != FileFormat::Program
    }
}

impl PartialEq for ClientFile {
    fn eq(&self, other: &Self) -> bool {
        self.client.name == other.client.name && self.format == other.format
    }
}

impl Eq for ClientFile {}

/// How a client's file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// JSON with comments.
    Json,
    /// TOML.
    Toml,
    /// A program whose name is its event. Its text is not read, because it may be binary.
    Program,
}

/// A path in a project or in the user's home directory.
#[derive(Debug, Clone, Copy)]
pub struct ClientFileLocation {
    /// The relative path.
    pub path: &'static str,
    /// What is at the path.
    pub kind: LocationKind,
    /// How the file is read.
    pub format: FileFormat,
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationKind {
    /// One file.
    File,
    /// A directory of JSON files.
    Documents,
    /// A directory of programs.
    Programs,
}

impl ClientFileLocation {
    /// A JSON file.
    #[must_use]
    pub const fn json(path: &'static str) -> Self {
        Self { path, kind: LocationKind::File, format: FileFormat::Json }
    }

    /// A directory of JSON files.
    #[must_use]
    pub const fn documents(path: &'static str) -> Self {
        Self { path, kind: LocationKind::Documents, format: FileFormat::Json }
    }

    /// A directory of programs.
    #[must_use]
    pub const fn programs(path: &'static str) -> Self {
        Self { path, kind: LocationKind::Programs, format: FileFormat::Program }
    }
}

/// Every location, with the client's file that it is.
pub fn locations() -> impl Iterator<Item = (&'static ClientFileLocation, ClientFile)> {
    let of = |client: &&'static ClientDef| {
        let client = *client;
        client.files.iter().map(move |place| (place, ClientFile { client, format: place.format }))
    };
    CLIENTS.iter().flat_map(of)
}

/// Recognizes a file by its location, otherwise by its content. `None` if it is not a client's file.
#[must_use]
pub fn recognise(path: &Path, text: &str) -> Option<ClientFile> {
    let is_at = |place: &ClientFileLocation| match place.kind {
        LocationKind::File => path.ends_with(place.path),
        LocationKind::Documents => path.parent().is_some_and(|dir| dir.ends_with(place.path)) && is_json(path),
        LocationKind::Programs => path.parent().is_some_and(|dir| dir.ends_with(place.path)),
    };
    if let Some((_, file)) = locations().find(|(place, _)| is_at(place)) {
        return Some(file);
    }
    is_json(path).then(|| recognise_text(text)).flatten()
}

/// Recognizes a JSON file by the events it names and the keys of its entries.
fn recognise_text(text: &str) -> Option<ClientFile> {
    let says = |word: &str| text.contains(&format!("\"{word}\""));
    let is_of = |client: &ClientDef| {
        let unmapped = client.unmapped_events.iter().flat_map(|events| events.names);
        client.hook_events().map(|def| def.name).chain(unmapped.copied()).any(says)
    };
    let file = |client| ClientFile { client, format: FileFormat::Json };
    // The most specific evidence first: events that only one client has, then the shape of the entries.
    if ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel"].into_iter().any(says) {
        return Some(file(&gemini::CLIENT));
    }
    if says("version") && is_of(&cursor::CLIENT) && !says("bash") && !says("timeoutSec") && !says("powershell") {
        let is_cursors = ["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "afterFileEdit", "stop"];
        let is_flat = !says("type");
        if is_flat || is_cursors.into_iter().any(says) {
            return Some(file(&cursor::CLIENT));
        }
    }
    if says("version") && (is_of(&copilot::CLIENT) || says("hooks")) {
        return Some(file(&copilot::CLIENT));
    }
    says("hooks").then_some(file(&claude_code::CLIENT))
}

/// What a JSON file is read as that nothing marks as a client's: the format that most of them have in common.
#[must_use]
pub fn unmarked_json() -> ClientFile {
    ClientFile { client: &claude_code::CLIENT, format: FileFormat::Json }
}

/// Whether a file is a JSON document, judging by its name.
#[must_use]
pub fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_place_or_by_its_words() {
        let claude = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
        let gemini = r#"{"hooks": {"BeforeTool": [{"hooks": []}]}}"#;
        let copilot = r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "x"}]}}"#;
        let cursor = r#"{"version": 1, "hooks": {"preToolUse": [{"command": "x"}]}}"#;
        for (path, text, wanted) in [
            ("/p/.claude/settings.json", "", Some(("claude", FileFormat::Json))),
            ("/p/.claude/settings.local.json", "", Some(("claude", FileFormat::Json))),
            ("/p/.gemini/settings.json", claude, Some(("gemini", FileFormat::Json))),
            (".github/hooks/guard.json", "", Some(("copilot", FileFormat::Json))),
            (".github/hooks/guard.sh", "", None),
            (".clinerules/hooks/PreToolUse", "", Some(("cline", FileFormat::Program))),
            ("config.toml", "[hooks]", None),
            ("/p/.codex/config.toml", "", Some(("codex", FileFormat::Toml))),
            ("plugin/hooks/hooks.json", claude, Some(("claude", FileFormat::Json))),
            ("my.json", gemini, Some(("gemini", FileFormat::Json))),
            ("my.json", copilot, Some(("copilot", FileFormat::Json))),
            ("my.json", cursor, Some(("cursor", FileFormat::Json))),
            ("my.json", "{\"version\": 1, \"hooks\": {}}", Some(("copilot", FileFormat::Json))),
            ("my.json", "{\"hooks\": {\"ConfigChange\": []}}", Some(("claude", FileFormat::Json))),
            ("my.json", "{\"a\": 1}", None),
            ("my.yaml", claude, None),
        ] {
            let found = recognise(Path::new(path), text).map(|file| (file.client.name, file.format));
            assert_eq!(found, wanted, "{path} {text}");
        }
    }
}
