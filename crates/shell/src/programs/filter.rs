//! Filters of lists of files: which names a regular expression lets through.

use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, ListedFiles, ShellArg};

/// A pattern of any name. It does not stand for everything in a directory, but for what a condition selects.
pub(super) const SOME_NAME: &str = "*?*";

/// The files of a list whose names a filter such as `grep` lets through; as they are if it may let all through.
pub(super) fn select_listed(walk: &CommandWalk<'_>, listed: Vec<ListedFiles>, pattern: &str) -> Vec<ListedFiles> {
    if walk.watches_files() {
        return listed;
    }
    let select = |files: ListedFiles| {
        let directory = match files.root.text.strip_suffix('*') {
            Some(directory) if files.root.is_pattern || directory.is_empty() => {
                directory.trim_end_matches('/').to_owned()
            }
            _ if files.root.is_pattern => return vec![files],
            _ => files.root.text.trim_end_matches('/').to_owned(),
        };
        let names = required_words(pattern);
        // A word of the directory is in the path of each file.
        if names.is_empty() || names.iter().any(|name| files.root.text.contains(name.as_str())) {
            return vec![files];
        }
        let slash = if directory.is_empty() && !files.root.text.starts_with('/') { "" } else { "/" };
        let root = |name: &String| {
            let name = if name.contains('/') { SOME_NAME.to_owned() } else { format!("*{name}*") };
            ShellArg { text: format!("{directory}{slash}{name}"), is_pattern: true, ..files.root.clone() }
        };
        names.iter().map(|name| ListedFiles { root: root(name), is_filtered: true, ..files.clone() }).collect()
    };
    listed.into_iter().flat_map(select).collect()
}

/// For each alternative of a regular expression a text that is in all it matches; none if one may match anything.
fn required_words(pattern: &str) -> Vec<String> {
    // What stands in brackets may be there or not.
    if pattern.contains(")?") || pattern.contains(")*") || pattern.contains("){") || pattern.contains(UNKNOWN) {
        return Vec::new();
    }
    let alternatives = pattern.replace("\\|", "|");
    let words: Vec<Option<String>> = alternatives.split('|').map(required_word).collect();
    words.into_iter().collect::<Option<Vec<String>>>().unwrap_or_default()
}

/// The longest text that a regular expression without alternatives needs.
fn required_word(pattern: &str) -> Option<String> {
    let mut runs = vec![String::new()];
    let mut letters = pattern.chars();
    let mut is_set = false;
    while let Some(letter) = letters.next() {
        let run = runs.last_mut()?;
        match letter {
            ']' => is_set = false,
            _ if is_set => {}
            '[' => {
                is_set = true;
                runs.push(String::new());
            }
            // The letter before may be missing.
            '*' | '?' | '{' => {
                run.pop();
                runs.push(String::new());
            }
            '\\' => match letters.next() {
                Some(letter) if letter.is_ascii_punctuation() && !"(){}<>?+".contains(letter) => run.push(letter),
                Some('?' | '{') => drop(run.pop()),
                _ => runs.push(String::new()),
            },
            letter if letter.is_alphanumeric() || "_-/ @%=~:,".contains(letter) => run.push(letter),
            _ => runs.push(String::new()),
        }
    }
    let is_word = |run: &String| run.chars().filter(|letter| letter.is_alphanumeric()).count() > 1;
    runs.into_iter().filter(is_word).max_by_key(String::len)
}
