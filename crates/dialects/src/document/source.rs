//! Decodes the bytes of a file.

use std::path::Path;
use std::sync::Arc;

use pintle_contract::{ByteSpan, Diagnostic, Location, SourceFile};

/// The maximum size of a file, 1 MiB. An artifact is a page of text; anything larger is a mistake.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Creates a source file from bytes.
///
/// Bytes that are not UTF-8 produce a file with replacement characters, to show the location, and an error; such a file
/// must not be read further.
#[must_use]
pub fn source_file(path: &Path, bytes: Vec<u8>) -> (Arc<SourceFile>, Option<Diagnostic>) {
    match String::from_utf8(bytes) {
        Ok(text) => (Arc::new(SourceFile { path: path.to_owned(), text }), None),
        Err(error) => {
            let index = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let file = Arc::new(SourceFile { path: path.to_owned(), text });
            // The replacement character that is now at that position is three bytes long.
            let location = Location::new(Arc::clone(&file), ByteSpan { start: index, end: index + 3 });
            let diagnostic = Diagnostic::error(
                "not_utf8",
                format!("the file is not UTF-8: invalid byte at offset {index}"),
                location,
            )
            .help("save the file as UTF-8");
            (file, Some(diagnostic))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_is_no_character_is_named_with_its_place() {
        let (file, error) = source_file(Path::new("a.md"), b"---\nevent: \xFFx\n".to_vec());
        let error = error.unwrap();
        assert_eq!(error.message, "the file is not UTF-8: invalid byte at offset 11");
        assert_eq!(error.location.line_column(), Some((2, 8)));
        assert_eq!(file.text, "---\nevent: \u{FFFD}x\n");
        assert!(source_file(Path::new("a.md"), b"caf\xC3\xA9".to_vec()).1.is_none());
    }
}
