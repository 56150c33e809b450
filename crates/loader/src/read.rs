//! Reads one file of any kind.

use std::path::Path;
use std::sync::Arc;

use pintle_contract::{ByteSpan, Diagnostic, Location, SourceFile};
use pintle_dialects::document::{MAX_FILE_BYTES, source_file};
use pintle_dialects::{Artifact, ArtifactKind};

use crate::discover::{DiscoveredFile, io_error_text};
use crate::documents::is_document;

/// Reads files as artifacts. Unreadable files are reported as diagnostics. Documents are removed from the files with a
/// note; a file that the user named is what the user says it is.
pub(crate) fn read_all(files: &mut Vec<DiscoveredFile>, named: &Path, findings: &mut Vec<Diagnostic>) -> Vec<Artifact> {
    let mut artifacts = Vec::with_capacity(files.len());
    files.retain(|file| match read_artifact(file) {
        Ok(artifact) if file.path != named && is_document(file.role, &file.path, &artifact.file.text) => {
            let message = "this is a document: it has no frontmatter and nothing that a hook has";
            findings.push(Diagnostic::note("document", message, Location::new(artifact.file, ByteSpan::default())));
            false
        }
        Ok(artifact) => {
            artifacts.push(artifact);
            true
        }
        Err(error) => {
            findings.push(error);
            true
        }
    });
    artifacts
}

/// Reads a file as an artifact.
///
/// # Errors
/// When it cannot be read, is not a regular file, is larger than an artifact may be, or is not UTF-8.
fn read_artifact(discovered: &DiscoveredFile) -> Result<Artifact, Diagnostic> {
    if matches!(discovered.role, ArtifactKind::Client(file) if !file.is_text()) {
        let file = Arc::new(SourceFile { path: discovered.path.clone(), text: String::new() });
        return Ok(Artifact { role: discovered.role, name: name_without_ending(&discovered.path), file });
    }
    let bytes = read_limited(&discovered.path)?;
    let (file, error) = source_file(&discovered.path, bytes);
    match error {
        Some(error) => Err(error),
        None => Ok(Artifact { role: discovered.role, name: name_without_ending(&discovered.path), file }),
    }
}

/// The name without its extension and nothing else, so that `a.b.md` is `a.b`.
pub(crate) fn name_without_ending(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let known = [".md", ".yaml", ".yml", ".star", ".harn", ".toml", ".json"]
        .into_iter()
        .find_map(|ending| name.strip_suffix(ending));
    known.unwrap_or(&name).to_owned()
}

pub(crate) fn read_limited(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let unreadable = |error: &std::io::Error| {
        let message = format!("cannot read the file: {}", io_error_text(error));
        unread_file_error(path, "unreadable", message, "check that it exists and that you may read it")
    };
    let (bytes, size) = match pintle_files::read_head_sized(path, MAX_FILE_BYTES + 1) {
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {
            let message = String::from("cannot read the file: it is not a regular file");
            return Err(unread_file_error(path, "unreadable", message, "use a regular file"));
        }
        read => read.map_err(|error| unreadable(&error))?,
    };
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let message = format!("the file is too large: it has {size} bytes, the limit is {MAX_FILE_BYTES}");
        return Err(unread_file_error(
            path,
            "too_large",
            message,
            "shorten it, or move scripts into files of their own",
        ));
    }
    Ok(bytes)
}

/// An error about a file whose text is not known.
fn unread_file_error(path: &Path, code: &'static str, message: String, help: &str) -> Diagnostic {
    let file = Arc::new(SourceFile { path: path.to_owned(), text: String::new() });
    Diagnostic::error(code, message, Location::new(file, ByteSpan::default())).help(help)
}
