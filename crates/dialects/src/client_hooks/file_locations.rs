//! The locations of the clients' files, and the kind of each file.

use std::path::Path;

use crate::{ArtifactKind, Dialect, claude_code, cline, codex, copilot, cursor, gemini, qwen};

/// A client's file that contains hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientFile {
    /// Claude Code's settings, or the hooks of one of its plugins.
    Claude,
    /// Codex's `hooks.json`.
    Codex,
    /// Codex's `config.toml`.
    CodexConfig,
    /// Gemini CLI's settings.
    Gemini,
    /// Qwen Code's settings.
    Qwen,
    /// A hook file of Copilot CLI.
    Copilot,
    /// Cursor's `hooks.json`.
    Cursor,
    /// A program that Cline runs by its name.
    ClineExecutable,
}

/// A path in a project or in the user's home directory.
#[derive(Debug, Clone, Copy)]
pub struct ClientFileLocation {
    /// The relative path.
    pub path: &'static str,
    /// What is at the path.
    pub kind: LocationKind,
    /// The client file that it is.
    pub file: ClientFile,
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

/// Every location.
pub const PLACES: &[ClientFileLocation] = &[
    ClientFileLocation { path: ".claude/settings.json", kind: LocationKind::File, file: ClientFile::Claude },
    ClientFileLocation { path: ".claude/settings.local.json", kind: LocationKind::File, file: ClientFile::Claude },
    ClientFileLocation { path: ".codex/hooks.json", kind: LocationKind::File, file: ClientFile::Codex },
    ClientFileLocation { path: ".codex/config.toml", kind: LocationKind::File, file: ClientFile::CodexConfig },
    ClientFileLocation { path: ".gemini/settings.json", kind: LocationKind::File, file: ClientFile::Gemini },
    ClientFileLocation { path: ".qwen/settings.json", kind: LocationKind::File, file: ClientFile::Qwen },
    ClientFileLocation { path: ".github/hooks", kind: LocationKind::Documents, file: ClientFile::Copilot },
    ClientFileLocation { path: ".copilot/hooks", kind: LocationKind::Documents, file: ClientFile::Copilot },
    ClientFileLocation { path: ".cursor/hooks.json", kind: LocationKind::File, file: ClientFile::Cursor },
    ClientFileLocation { path: ".clinerules/hooks", kind: LocationKind::Programs, file: ClientFile::ClineExecutable },
    ClientFileLocation { path: ".cline/hooks", kind: LocationKind::Programs, file: ClientFile::ClineExecutable },
    ClientFileLocation {
        path: "Documents/Cline/Hooks",
        kind: LocationKind::Programs,
        file: ClientFile::ClineExecutable,
    },
];

impl ClientFile {
    /// The dialect that reads the file.
    #[must_use]
    pub fn dialect(self) -> &'static Dialect {
        match self {
            Self::Claude => &claude_code::DIALECT,
            Self::Codex | Self::CodexConfig => &codex::DIALECT,
            Self::Gemini => &gemini::DIALECT,
            Self::Qwen => &qwen::DIALECT,
            Self::Copilot => &copilot::DIALECT,
            Self::Cursor => &cursor::DIALECT,
            Self::ClineExecutable => &cline::DIALECT,
        }
    }

    /// Whether the file's text is read. A program's is not, because it may be binary.
    #[must_use]
    pub fn is_text(self) -> bool {
        self != Self::ClineExecutable
    }
}

/// Recognizes a file that the user named: by its location, otherwise by its content. `None` if it is not a client's
/// file.
#[must_use]
pub fn recognise(path: &Path, text: &str) -> Option<ArtifactKind> {
    let is_at = |place: &&ClientFileLocation| match place.kind {
        LocationKind::File => path.ends_with(place.path),
        LocationKind::Documents => path.parent().is_some_and(|dir| dir.ends_with(place.path)) && is_json(path),
        LocationKind::Programs => path.parent().is_some_and(|dir| dir.ends_with(place.path)),
    };
    if let Some(place) = PLACES.iter().find(is_at) {
        return Some(ArtifactKind::Client(place.file));
    }
    if !is_json(path) {
        return None;
    }
    recognise_text(text).map(ArtifactKind::Client)
}

/// Recognizes a JSON file by the events it names and the keys of its entries.
fn recognise_text(text: &str) -> Option<ClientFile> {
    let says = |word: &str| text.contains(&format!("\"{word}\""));
    let names = |file: ClientFile, of: &dyn Fn(&str) -> bool| {
        let own = super::client_of(file).events.iter().map(|def| def.name);
        own.into_iter().any(of)
    };
    let is_of = |file| names(file, &says);
    // The most specific evidence first: events that only one client has, then the shape of the entries.
    if ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel"].into_iter().any(says) {
        return Some(ClientFile::Gemini);
    }
    if says("version") && is_of(ClientFile::Cursor) && !says("bash") && !says("timeoutSec") && !says("powershell") {
        let is_cursors = ["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "afterFileEdit", "stop"];
        let is_flat = !says("type");
        if is_flat || is_cursors.into_iter().any(says) {
            return Some(ClientFile::Cursor);
        }
    }
    if says("version") && is_of(ClientFile::Copilot) {
        return Some(ClientFile::Copilot);
    }
    (says("hooks") && is_of(ClientFile::Claude)).then_some(ClientFile::Claude)
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
            ("/p/.claude/settings.json", "", Some(ClientFile::Claude)),
            ("/p/.claude/settings.local.json", "", Some(ClientFile::Claude)),
            ("/p/.gemini/settings.json", claude, Some(ClientFile::Gemini)),
            (".github/hooks/guard.json", "", Some(ClientFile::Copilot)),
            (".github/hooks/guard.sh", "", None),
            (".clinerules/hooks/PreToolUse", "", Some(ClientFile::ClineExecutable)),
            ("config.toml", "[hooks]", None),
            ("/p/.codex/config.toml", "", Some(ClientFile::CodexConfig)),
            ("plugin/hooks/hooks.json", claude, Some(ClientFile::Claude)),
            ("my.json", gemini, Some(ClientFile::Gemini)),
            ("my.json", copilot, Some(ClientFile::Copilot)),
            ("my.json", cursor, Some(ClientFile::Cursor)),
            ("my.json", "{\"a\": 1}", None),
            ("my.yaml", claude, None),
        ] {
            assert_eq!(recognise(Path::new(path), text), wanted.map(ArtifactKind::Client), "{path} {text}");
        }
    }
}
