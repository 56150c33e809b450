//! Expands the words of a command as far as they are known, and finds the files of the project that they name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pintle_files::normalize_path;

use super::shell::{CommandWord, WordPart};

/// A piece of an expanded word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValuePiece {
    Text(String),
    /// `*`, `?` or `[..]`.
    Glob(String),
    /// The directory of the project.
    Root,
    Home,
    /// The output of a command in a variable.
    CommandOutput,
    /// Anything.
    Any,
}

/// One expansion of a word.
pub(super) type WordValue = Vec<ValuePiece>;

/// The values of variables; a variable that is set twice has both.
pub(super) type VariableValues = BTreeMap<String, Vec<WordValue>>;

/// The files that a word names.
#[derive(Debug, Default)]
pub(super) struct NamedPaths {
    pub(super) files: Vec<PathBuf>,
    pub(super) folders: Vec<PathBuf>,
    /// Whether it may name other files as well.
    pub(super) is_open: bool,
    /// Whether only the output of a command is unknown.
    pub(super) is_command_output: bool,
    /// Whether it leads out of the project.
    pub(super) is_outside: bool,
}

/// The most values of a word.
const MOST_VALUES: usize = 64;
/// The most files that a pattern matches.
const MOST_MATCHES: usize = 1024;

/// All possible expansions of a word.
pub(super) fn expand_word(command_word: &CommandWord, variables: &VariableValues) -> Vec<WordValue> {
    let mut values: Vec<WordValue> = vec![Vec::new()];
    for part in &command_word.parts {
        let choices: Vec<WordValue> = match part {
            WordPart::Text(text) if text.is_empty() => continue,
            WordPart::Text(text) => vec![vec![ValuePiece::Text(text.clone())]],
            WordPart::Glob(text) => vec![vec![ValuePiece::Glob(text.clone())]],
            WordPart::OneOf(texts) => texts.iter().map(|text| vec![ValuePiece::Text(text.clone())]).collect(),
            WordPart::Home => vec![vec![ValuePiece::Home]],
            WordPart::Unknown => vec![vec![ValuePiece::Any]],
            WordPart::Variable(name) => match variables.get(name) {
                Some(known) => known.clone(),
                None if name == "PWD" => vec![vec![ValuePiece::Text(String::from("."))]],
                None if name.ends_with("PROJECT_DIR") => vec![vec![ValuePiece::Root]],
                None if name == "HOME" => vec![vec![ValuePiece::Home]],
                None => vec![vec![ValuePiece::Any]],
            },
        };
        values = values
            .iter()
            .flat_map(|before| choices.iter().map(|more| [before.clone(), more.clone()].concat()))
            .collect();
        if values.len() > MOST_VALUES {
            return vec![vec![ValuePiece::Any]];
        }
    }
    values
}

/// The text of a value, if it is literal.
pub(super) fn literal_text(value: &WordValue) -> Option<String> {
    value.iter().map(|piece| if let ValuePiece::Text(text) = piece { Some(text.as_str()) } else { None }).collect()
}

/// The files and directories of the project that a value names, relative to these directories. `roots` are further
/// directories that may be meant by the project's root.
pub(super) fn find_paths(
    value: &WordValue,
    bases: &[PathBuf],
    roots: &[PathBuf],
    home: Option<&Path>,
    is_ours: &dyn Fn(&Path) -> bool,
) -> NamedPaths {
    let mut place = NamedPaths::default();
    let is_unknown = |piece: &ValuePiece| matches!(piece, ValuePiece::Any | ValuePiece::CommandOutput);
    let mut pieces = value.as_slice();
    let mut starts: Vec<PathBuf> = bases.to_vec();
    match pieces.split_first() {
        Some((ValuePiece::Root, rest)) => {
            pieces = rest;
            starts.extend_from_slice(roots);
        }
        Some((ValuePiece::Home, rest)) => {
            pieces = rest;
            starts = home.into_iter().map(Path::to_owned).collect();
        }
        // The part before a slash may be the path of one of the directories.
        Some((first, rest))
            if is_unknown(first) && matches!(rest.first(), Some(ValuePiece::Text(text)) if text.starts_with('/')) =>
        {
            place.is_open = true;
            place.is_command_output = *first == ValuePiece::CommandOutput;
            pieces = rest;
            starts.extend_from_slice(roots);
        }
        Some((ValuePiece::Text(text), _)) if text.starts_with('/') => starts = vec![PathBuf::from("/")],
        _ => {}
    }
    if let Some(unknown) =
        pieces.iter().find(|piece| is_unknown(piece) || matches!(piece, ValuePiece::Root | ValuePiece::Home))
    {
        place.is_open = true;
        place.is_command_output =
            *unknown == ValuePiece::CommandOutput && value.iter().all(|piece| *piece != ValuePiece::Any);
        return place;
    }
    let names = split_names(pieces);
    let mut is_cut = false;
    for start in starts {
        let mut found = vec![start];
        for name in &names {
            found = found.iter().flat_map(|dir| enter_name(dir, name)).collect();
            is_cut |= found.len() > MOST_MATCHES;
            found.truncate(MOST_MATCHES);
        }
        for path in found.iter().map(|path| normalize_path(path)) {
            let is_ours = is_ours(path.as_path()) || path.canonicalize().is_ok_and(|real| is_ours(&real));
            match (is_ours, path.is_file()) {
                (true, true) => place.files.push(path),
                (true, false) if path.is_dir() => place.folders.push(path),
                (false, true) => place.is_outside = true,
                _ => {}
            }
        }
    }
    place.is_open |= is_cut;
    place
}

/// The components of a path, each of text and patterns.
fn split_names(pieces: &[ValuePiece]) -> Vec<Vec<ValuePiece>> {
    let mut names: Vec<Vec<ValuePiece>> = vec![Vec::new()];
    for piece in pieces {
        let ValuePiece::Text(text) = piece else {
            names.last_mut().into_iter().for_each(|name| name.push(piece.clone()));
            continue;
        };
        for (index, part) in text.split('/').enumerate() {
            if index > 0 {
                names.push(Vec::new());
            }
            if !part.is_empty() {
                names.last_mut().into_iter().for_each(|name| name.push(ValuePiece::Text(part.to_owned())));
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The paths that a component means in a directory: itself, or all matches.
fn enter_name(dir: &Path, name: &[ValuePiece]) -> Vec<PathBuf> {
    let is_plain = name.iter().all(|piece| matches!(piece, ValuePiece::Text(_)));
    if is_plain {
        let text: String = name
            .iter()
            .filter_map(|piece| if let ValuePiece::Text(text) = piece { Some(text.as_str()) } else { None })
            .collect();
        return vec![dir.join(text)];
    }
    if name.len() > 1 && name.iter().all(|piece| matches!(piece, ValuePiece::Glob(glob) if glob == "*")) {
        return folders_below(dir);
    }
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| matches_pattern(name, &entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    found.sort_unstable();
    found
}

/// A directory and all directories below it, as `**` matches in some shells.
fn folders_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = vec![dir.to_owned()];
    let mut next = 0;
    while let Some(dir) = found.get(next).filter(|_| found.len() <= MOST_MATCHES).cloned() {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        found.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()),
        );
        next += 1;
    }
    found
}

/// Whether a name matches a pattern. Ranges of characters match any character: one file too many is better than one too
/// few.
fn matches_pattern(pattern: &[ValuePiece], name: &str) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((ValuePiece::Text(text), rest)) => {
            name.strip_prefix(text.as_str()).is_some_and(|name| matches_pattern(rest, name))
        }
        Some((ValuePiece::Glob(glob), rest)) if glob == "*" => name
            .char_indices()
            .map(|(index, _)| index)
            .chain([name.len()])
            .any(|index| matches_pattern(rest, name.get(index..).unwrap_or_default())),
        Some((_, rest)) => {
            let mut letters = name.chars();
            letters.next().is_some() && matches_pattern(rest, letters.as_str())
        }
    }
}

/// A glob of a list of files, as a value.
pub(super) fn parse_glob(text: &str) -> WordValue {
    let mut value: WordValue = Vec::new();
    for letter in text.chars() {
        match (letter, value.last_mut()) {
            ('*' | '?', Some(ValuePiece::Glob(known))) if letter == '*' && known == "*" => {}
            ('*' | '?', _) => value.push(ValuePiece::Glob(letter.to_string())),
            (letter, Some(ValuePiece::Text(known))) => known.push(letter),
            (letter, _) => value.push(ValuePiece::Text(letter.to_string())),
        }
    }
    value
}
