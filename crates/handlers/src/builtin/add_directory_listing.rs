//! `add_directory_listing`: adds the content of the working directory.

use std::fmt::Write as _;
use std::path::Path;

use pintle_contract::Verdict;

use super::{BuiltinCall, BuiltinHook, BuiltinResult, context_verdict, doubt_arguments};

/// The most entries that are listed.
const MOST_ENTRIES: usize = 100;

/// Adds the entries of the working directory to the context, without hidden ones.
#[derive(Debug)]
struct AddDirectoryListing;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    doubt_arguments(arguments, doubts);
    Ok(Box::new(AddDirectoryListing))
}

impl BuiltinHook for AddDirectoryListing {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        context_verdict(call.working_dir().and_then(|directory| list_directory(&directory)))
    }
}

/// The listing; `None` for a directory that cannot be read or has no visible entries.
fn list_directory(directory: &Path) -> Option<String> {
    let mut names: Vec<(String, bool)> = Vec::new();
    for entry in std::fs::read_dir(directory).ok()?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.push((name, entry.file_type().is_ok_and(|kind| kind.is_dir())));
        }
    }
    if names.is_empty() {
        return None;
    }
    names.sort_unstable();
    let mut text = format!("Top-level entries in {}:\n", directory.display());
    for (name, is_directory) in names.iter().take(MOST_ENTRIES) {
        // A name may contain a newline, and must not look like two entries.
        let name = name.replace('\n', "\\n");
        // Writing to a string cannot fail.
        let _ = write!(text, "\n- {name}{}", if *is_directory { "/" } else { "" });
    }
    if let Some(more) = names.len().checked_sub(MOST_ENTRIES).filter(|more| *more > 0) {
        let _ = write!(text, "\n... and {more} more");
    }
    Some(text)
}
