//! The documents that the editor has open, as it shows them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use url::Url;

use super::positions::{TextRange, byte_of};

/// A document that is open.
#[derive(Debug, Clone)]
pub(super) struct OpenDocument {
    /// The address, as the editor writes it.
    pub(super) uri: String,
    /// The file; `None` if the address is not one of a file.
    pub(super) path: Option<PathBuf>,
    pub(super) version: i64,
    pub(super) text: Arc<str>,
}

/// The open documents, by their addresses.
#[derive(Debug, Default)]
pub(super) struct OpenDocuments(BTreeMap<String, OpenDocument>);

/// A document that an editor opens.
#[derive(Debug, Deserialize)]
pub(super) struct OpenedDocument {
    uri: String,
    #[serde(default)]
    version: i64,
    text: String,
}

/// Which document, and which state of it.
#[derive(Debug, Deserialize)]
pub(super) struct DocumentVersion {
    uri: String,
    version: Option<i64>,
}

/// A change: of a range, or of the whole text.
#[derive(Debug, Deserialize)]
pub(super) struct TextChange {
    range: Option<TextRange>,
    text: String,
}

impl OpenDocuments {
    /// Opens a document, also one that is open already.
    pub(super) fn open(&mut self, opened: OpenedDocument) {
        let OpenedDocument { uri, version, text } = opened;
        let document = OpenDocument { path: path_of(&uri), version, text: Arc::from(text), uri: uri.clone() };
        self.0.insert(uri, document);
    }

    /// Changes an open document. A change of a range that is not newer than the text was made for another text, and is
    /// dropped; a whole text is never wrong.
    pub(super) fn change(&mut self, changed: &DocumentVersion, changes: &[TextChange]) {
        let Some(document) = self.0.get_mut(&changed.uri) else { return };
        let is_newer = changed.version.is_none_or(|version| version > document.version);
        let mut text = document.text.to_string();
        let mut is_known = is_newer;
        for TextChange { range, text: new } in changes {
            match range {
                None => {
                    text.clone_from(new);
                    is_known = true;
                }
                Some(range) if is_known => {
                    let (start, end) = (byte_of(&text, range.start), byte_of(&text, range.end));
                    text.replace_range(start.min(end)..end.max(start), new);
                }
                Some(_) => {}
            }
        }
        document.text = Arc::from(text);
        document.version = changed.version.filter(|_| is_known).unwrap_or(document.version);
    }

    /// Closes a document. What its file has is read again.
    pub(super) fn close(&mut self, uri: &str) {
        self.0.remove(uri);
    }

    pub(super) fn find(&self, uri: &str) -> Option<&OpenDocument> {
        self.0.get(uri)
    }

    /// The documents now.
    pub(super) fn snapshot(&self) -> Vec<OpenDocument> {
        self.0.values().cloned().collect()
    }
}

/// The file of an address, if it is one of a file.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

/// The address of a file.
pub(super) fn uri_of(path: &std::path::Path) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    Url::from_file_path(path).ok().map(String::from)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const URI: &str = "file:///p/a%20b.md";

    fn text_after(changes: &[(i64, Value)]) -> String {
        let mut documents = OpenDocuments::default();
        documents.open(serde_json::from_value(json!({"uri": URI, "version": 1, "text": "aé\nb"})).unwrap());
        for (version, changes) in changes {
            let changed = serde_json::from_value(json!({"uri": URI, "version": version})).unwrap();
            let changes: Vec<TextChange> = serde_json::from_value(changes.clone()).unwrap();
            documents.change(&changed, &changes);
        }
        documents.find(URI).unwrap().text.to_string()
    }

    fn change(start: (u32, u32), end: (u32, u32), text: &str) -> Value {
        json!([{"range": {"start": {"line": start.0, "character": start.1}, "end": {"line": end.0, "character": end.1}}, "text": text}])
    }

    #[test]
    fn changes_are_applied_in_their_order() {
        let cases = [
            (vec![(2, change((0, 2), (1, 0), "-"))], "aé-b"),
            (vec![(2, change((0, 1), (0, 2), "😀")), (3, change((0, 3), (0, 3), "x"))], "a😀x\nb"),
            (vec![(2, change((9, 9), (9, 9), "!"))], "aé\nb!"),
            // The ends are the wrong way round.
            (vec![(2, change((1, 1), (0, 2), ""))], "aé"),
            (vec![(2, json!([{"text": "new"}]))], "new"),
            // Not newer, so of another text; a whole text is one.
            (vec![(1, change((0, 0), (0, 1), "x"))], "aé\nb"),
            (vec![(3, json!([{"text": "3"}])), (2, change((0, 0), (0, 1), "2"))], "3"),
            (vec![(1, json!([{"text": "whole"}]))], "whole"),
        ];
        for (changes, wanted) in cases {
            assert_eq!(text_after(&changes), wanted, "{changes:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_addresses_of_files_have_a_path() {
        assert_eq!(path_of(URI), Some(PathBuf::from("/p/a b.md")));
        for other in
            ["untitled:Untitled-1", "https://example.com/a.md", "git:/p/a.md", "", "a.md", "file://host/a.md", "::"]
        {
            assert_eq!(path_of(other), None, "{other}");
        }
        assert_eq!(uri_of(std::path::Path::new("/p/a b#ä.md")).as_deref(), Some("file:///p/a%20b%23%C3%A4.md"));
    }
}
