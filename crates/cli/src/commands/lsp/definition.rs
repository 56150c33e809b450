//! Where the thing that a word names is.

use std::path::{Path, PathBuf};

use pintle_host::contract::ByteSpan;
use pintle_host::files;
use serde_json::{Value, json};

use super::documents::{OpenDocument, OpenDocuments, uri_of};
use super::hover::word_at;
use super::place::DocumentPlace;
use super::positions::{TextPosition, TextRange, range_of};
use super::publish::DeclaredName;

/// The place that the word at a position names: a function, a file, a hook or a rule.
pub(super) fn find_definition(
    document: &OpenDocument,
    position: TextPosition,
    documents: &OpenDocuments,
    declared: &[DeclaredName],
) -> Value {
    let (word, end) = word_at(document, position);
    if word.is_empty() {
        return Value::Null;
    }
    let is_script = matches!(DocumentPlace::find(document, end), Some(DocumentPlace::Script { .. }));
    let found = match is_script {
        true => find_function(&document.text, &word).map(|span| (document.uri.clone(), range_of(&document.text, span))),
        false => find_handler(document, &word, documents)
            .or_else(|| find_file(document, &word))
            .or_else(|| find_declared(declared, &word)),
    };
    found.map_or(Value::Null, |(uri, range)| json!({"uri": uri, "range": range}))
}

/// The name in the definition of a function.
fn find_function(text: &str, name: &str) -> Option<ByteSpan> {
    let definition = format!("def {name}(");
    let start = text.find(&definition)? + "def ".len();
    Some(ByteSpan { start, end: start + name.len() })
}

/// The function of `module::function`, in the file that the manifest exports under this name.
fn find_handler(document: &OpenDocument, word: &str, documents: &OpenDocuments) -> Option<(String, TextRange)> {
    let (module, function) = word.rsplit_once("::")?;
    let module = module.rsplit("::").next().unwrap_or(module);
    let dir = document.path.as_deref()?.parent()?;
    let exported = document.text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == module).then(|| value.trim().trim_matches('"').to_owned())
    });
    let names = exported.into_iter().chain([format!("{module}.star")]);
    let path = names.map(|name| dir.join(name)).find(|path| files::is_file(path))?;
    let uri = uri_of(&path)?;
    let open = documents.find(&uri).map(|open| open.text.to_string());
    let text = open.or_else(|| files::read_text(&path).ok())?;
    let span = find_function(&text, function).unwrap_or_default();
    Some((uri, range_of(&text, span)))
}

/// A file that a word names, relative to the document or to a directory above it.
fn find_file(document: &OpenDocument, word: &str) -> Option<(String, TextRange)> {
    if !word.contains(['.', '/']) {
        return None;
    }
    let word = word.strip_prefix("$CLAUDE_PROJECT_DIR/").unwrap_or(word);
    let dir = document.path.as_deref()?.parent()?;
    let candidates = dir.ancestors().take(4).map(|above: &Path| -> PathBuf { above.join(word) });
    let path = candidates.into_iter().find(|path| files::is_file(path))?;
    Some((uri_of(&path)?, range_of("", ByteSpan::default())))
}

fn find_declared(declared: &[DeclaredName], word: &str) -> Option<(String, TextRange)> {
    let known = declared.iter().find(|known| known.name == word)?;
    Some((known.uri.clone(), known.range))
}
