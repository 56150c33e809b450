//! `memory`: notes that outlive the session.
//!
//! They are stored in a file with one JSON object per line, so that the user can read and fix it. docker-agent stores
//! them in a database; such a file is rejected rather than overwritten.

mod store;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::set::Toolset;
use crate::tools::{ToolAccess, ToolDef, build_tools, text_argument};
use crate::workspace::Workspace;

use store::{MemoryFile, MemoryNote};

/// The default file, which no other tool can change.
const OWN_FILE: &str = ".pintle/memory.jsonl";

static TOOLS: [ToolDef<MemoryFile>; 5] = [
    ToolDef {
        name: "add_memory",
        description: "Stores a note for later sessions.",
        required: &["memory"],
        properties: note_properties,
        access: ToolAccess::Reported,
        call: |store, arguments, at| {
            let now_ms = at.turn.agent.shared.runtime.clock().unix_ms();
            let id = store.change(|notes| {
                let newest = notes.iter().filter_map(|note| note.id.parse::<u64>().ok()).max().unwrap_or(0);
                let id = (newest + 1).to_string();
                notes.push(MemoryNote {
                    id: id.clone(),
                    created_at: store::format_date(now_ms),
                    memory: text_argument(arguments, "memory").to_owned(),
                    category: text_argument(arguments, "category").to_owned(),
                });
                Ok(id)
            })?;
            Ok(Value::String(format!("Memory added successfully with ID: {id}")))
        },
    },
    ToolDef {
        name: "get_memories",
        description: "Returns all notes.",
        required: &[],
        properties: || json!({}),
        access: ToolAccess::ReadOnly,
        call: |store, _arguments, _at| Ok(notes_to_value(&store.read()?)),
    },
    ToolDef {
        name: "delete_memory",
        description: "Deletes a note.",
        required: &["id"],
        properties: || json!({"id": {"type": "string", "description": "The note's ID."}}),
        access: ToolAccess::Reported,
        call: |store, arguments, _at| {
            let id = text_argument(arguments, "id");
            store.change(|notes| {
                let at = notes.iter().position(|note| note.id == id).ok_or_else(|| unknown_note_message(id))?;
                notes.remove(at);
                Ok(())
            })?;
            Ok(Value::String(format!("Memory with ID {id} deleted successfully")))
        },
    },
    ToolDef {
        name: "search_memories",
        description: "Returns the notes that contain every word of `query` and belong to the `category`, if these are given.",
        required: &[],
        properties: || {
            json!({
                "query": {"type": "string", "description": "Words, separated by spaces. Case is ignored."},
                "category": {"type": "string", "description": "The category."},
            })
        },
        access: ToolAccess::ReadOnly,
        call: |store, arguments, _at| {
            let query = text_argument(arguments, "query").to_lowercase();
            let category = text_argument(arguments, "category");
            let mut notes = store.read()?;
            notes.retain(|note| {
                let memory = note.memory.to_lowercase();
                let is_of = category.is_empty() || note.category.eq_ignore_ascii_case(category);
                is_of && query.split_whitespace().all(|word| memory.contains(word))
            });
            Ok(notes_to_value(&notes))
        },
    },
    ToolDef {
        name: "update_memory",
        description: "Changes the text of a note, and its category if one is given.",
        required: &["id", "memory"],
        properties: || {
            let mut properties = note_properties();
            if let Some(properties) = properties.as_object_mut() {
                properties.insert(String::from("id"), json!({"type": "string", "description": "The note's ID."}));
            }
            properties
        },
        access: ToolAccess::Reported,
        call: |store, arguments, _at| {
            let (id, category) = (text_argument(arguments, "id"), text_argument(arguments, "category"));
            store.change(|notes| {
                let note = notes.iter_mut().find(|note| note.id == id).ok_or_else(|| unknown_note_message(id))?;
                text_argument(arguments, "memory").clone_into(&mut note.memory);
                if !category.is_empty() {
                    category.clone_into(&mut note.category);
                }
                Ok(())
            })?;
            Ok(Value::String(format!("Memory with ID {id} updated successfully")))
        },
    },
];

/// The first bytes of an SQLite database.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// Whether a file is a database, which cannot store notes.
fn is_database(file: &std::path::Path) -> bool {
    pintle_host::files::read_head(file, DATABASE.len() as u64).is_ok_and(|start| start == DATABASE)
}

/// The tools for a file: one in the workspace, or any declared absolute path.
///
/// # Errors
/// When a relative path leads out of the workspace, or the file is a database.
pub(super) fn open(path: Option<&str>, workspace: &Workspace) -> Result<Toolset, String> {
    let file = match path {
        None => workspace.root().join(OWN_FILE),
        Some(path) if std::path::Path::new(path).is_absolute() => PathBuf::from(path),
        Some(path) => workspace.root().join(workspace.relative_path(path).map_err(|error| error.to_string())?),
    };
    if is_database(&file) {
        let shown = file.display();
        return Err(format!(
            "the memory file `{shown}` is an SQLite database, as docker-agent uses; give the toolset another `path`"
        ));
    }
    Ok(Toolset {
        tools: build_tools("memory", &TOOLS, MemoryFile::new(file)),
        instruction: String::from(
            "Search your notes of earlier sessions before you begin, and note what will matter later: what the user \
             prefers or corrected, decisions, and special facts about the project.",
        ),
        ..Toolset::default()
    })
}

fn note_properties() -> Value {
    json!({
        "memory": {"type": "string", "minLength": 1, "description": "The note."},
        "category": {"type": "string", "description": "What kind of note it is, such as `preference`, `fact` or `decision`."},
    })
}

fn notes_to_value(notes: &[MemoryNote]) -> Value {
    Value::String(Value::Array(notes.iter().map(MemoryNote::to_value).collect()).to_string())
}

fn unknown_note_message(id: &str) -> String {
    format!("memory with ID `{id}` does not exist; `get_memories` returns the IDs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_refused_before_the_session_begins() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        std::fs::write(dir.path().join("memory.db"), b"SQLite format 3\0and more").unwrap();
        std::fs::write(dir.path().join("notes.jsonl"), b"").unwrap();
        let reason = open(Some("memory.db"), &workspace).map(drop).unwrap_err();
        assert!(reason.contains("is an SQLite database") && reason.contains("another `path`"), "{reason}");
        assert!(open(Some("notes.jsonl"), &workspace).is_ok() && open(Some("new.jsonl"), &workspace).is_ok());
    }
}
