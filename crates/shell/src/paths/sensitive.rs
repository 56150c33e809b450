//! Paths that need care: secrets, the settings of agents, what starts by itself.

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use super::tails::TAILS;
use super::tails::TailRoot::{self, Anywhere, Home, Root};
use super::{UNKNOWN, matches_glob, strip_directory};
use crate::OperationTag::{self, Secret};
use crate::site::CallSite;

/// The ends of names that are templates or public.
const HARMLESS_ENDS: [&str; 12] = [
    ".example",
    ".sample",
    ".template",
    ".dist",
    ".pub",
    ".tpl",
    ".defaults",
    ".schema",
    "-example",
    ".md",
    ".example.json",
    ".d.ts",
];

/// A row of the table, divided into the names of its path.
struct SensitiveTail {
    root: TailRoot,
    /// Each name, with one that a pattern in it could stand for.
    names: Vec<(&'static str, String)>,
    tag: OperationTag,
    /// Whether everything below counts.
    is_open: bool,
}

/// The rows by their first names.
struct TailIndex {
    tails: Vec<SensitiveTail>,
    by_name: HashMap<String, Vec<usize>>,
    /// Those whose first name is a pattern; these have no other name. With each, the letter that its names end with.
    patterns: Vec<(usize, Option<u8>)>,
}

static TAIL_INDEX: LazyLock<TailIndex> = LazyLock::new(|| {
    let mut index = TailIndex { tails: Vec::new(), by_name: HashMap::new(), patterns: Vec::new() };
    for (number, (root, tail, tag)) in TAILS.iter().enumerate() {
        let names: Vec<&str> = tail.split('/').filter(|name| *name != "**").collect();
        match names.first() {
            Some(first) if !first.contains('*') => index.by_name.entry(fold_case(first)).or_default().push(number),
            first => {
                let last = first.and_then(|name| name.as_bytes().last().copied());
                index.patterns.push((number, last.filter(|letter| *letter != b'*')));
            }
        }
        index.tails.push(SensitiveTail {
            root: *root,
            names: names.into_iter().map(|name| (name, name.replace('*', "rsa"))).collect(),
            tag: *tag,
            is_open: tail.ends_with("/**"),
        });
    }
    index
});

/// A name as the file system of this machine compares it.
fn fold_case(name: &str) -> String {
    if cfg!(target_os = "macos") { name.to_ascii_lowercase() } else { name.to_owned() }
}

fn has_wildcard(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// What is known of an absolute path. `is_pattern`: its parts may be patterns.
pub(crate) fn tags_of_path(site: &CallSite<'_>, path: &Path, is_pattern: bool) -> Vec<OperationTag> {
    let text = path.to_string_lossy();
    let parts: Vec<&str> = text.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let Some(name) = parts.last() else { return Vec::new() };
    let home_parts = site.home.map_or(0, |home| {
        let home = &*home.to_string_lossy();
        if strip_directory(&text, home).is_some() { home.split('/').filter(|part| !part.is_empty()).count() } else { 0 }
    });
    let is_harmless = || HARMLESS_ENDS.iter().any(|end| name.ends_with(end)) || name.contains("example");
    let index = &*TAIL_INDEX;
    let mut tags: Vec<OperationTag> = Vec::new();
    let mut check = |tail: &SensitiveTail, start: usize| {
        if !tags.contains(&tail.tag)
            && tail.can_begin(start, parts.len(), home_parts)
            && tail.matches(parts.get(start..).unwrap_or_default(), is_pattern)
            && !(tail.tag == Secret && is_harmless())
        {
            tags.push(tail.tag);
        }
    };
    for (start, part) in parts.iter().enumerate() {
        if is_pattern && has_wildcard(part) {
            index.tails.iter().for_each(|tail| check(tail, start));
            continue;
        }
        let named =
            if cfg!(target_os = "macos") { index.by_name.get(&fold_case(part)) } else { index.by_name.get(*part) };
        for number in named.into_iter().flatten() {
            index.tails.get(*number).into_iter().for_each(|tail| check(tail, start));
        }
    }
    let last_letter = name.as_bytes().last().copied();
    let is_wild = is_pattern && has_wildcard(name);
    for (number, _) in index.patterns.iter().filter(|(_, last)| is_wild || last.is_none_or(|_| *last == last_letter)) {
        index.tails.get(*number).into_iter().for_each(|tail| check(tail, parts.len() - 1));
    }
    tags
}

impl SensitiveTail {
    /// Whether its first name may be the part of this number.
    fn can_begin(&self, start: usize, part_count: usize, home_parts: usize) -> bool {
        match self.root {
            Root => start == 0,
            Home if home_parts > 0 => start == home_parts,
            Anywhere if self.names.len() == 1 && !self.is_open => start + 1 == part_count,
            Home | Anywhere => true,
        }
    }

    /// Whether the rest of a path is this one, the first directories of it, or below it if it is open.
    fn matches(&self, rest: &[&str], is_pattern: bool) -> bool {
        let Some(last) = rest.last() else { return false };
        if rest.len() < self.names.len() {
            // A directory on the way is a match only if it says something: `.config` alone does not.
            let is_telling = rest.iter().any(|name| name.starts_with('.')) && !is_plain_directory(last);
            if !is_telling {
                return false;
            }
        } else if rest.len() > self.names.len() && !self.is_open {
            return false;
        }
        let mut above = "";
        rest.iter().zip(&self.names).all(|(part, (wanted, example))| {
            // Everything in a directory that says something, such as `.ssh/*`.
            let is_everything = is_pattern && *part == "*" && above.starts_with('.') && !is_plain_directory(above);
            above = part;
            is_everything || matches_part(part, wanted, example, is_pattern)
        })
    }
}

/// Directories that hold all kinds of files.
fn is_plain_directory(name: &str) -> bool {
    matches!(name, ".config" | ".local" | "Library" | "etc" | ".github" | "." | "..")
}

fn matches_part(part: &str, wanted: &str, example: &str, is_pattern: bool) -> bool {
    if let Some((before, after)) = wanted.split_once('*') {
        let is_hidden = before.is_empty() && part.starts_with('.');
        let is_long_enough = part.len() >= before.len() + after.len();
        let is_same = is_long_enough && part.starts_with(before) && matches_end(part, after) && !is_hidden;
        if is_same && !(part.starts_with(['*', UNKNOWN]) && part.len() < wanted.len()) {
            return true;
        }
    } else if part == wanted || (cfg!(target_os = "macos") && part.eq_ignore_ascii_case(wanted)) {
        return true;
    }
    if !is_pattern || !has_wildcard(part) {
        return false;
    }
    // A pattern that is nothing but a pattern matches what is harmless, too,
    // and `*.json` says nothing about a name either.
    let stem = part.rfind('.').filter(|dot| *dot > 0).and_then(|dot| {
        let end = part.get(dot + 1..)?;
        if has_wildcard(end) { None } else { part.get(..dot) }
    });
    let stem = stem.unwrap_or(part);
    let is_telling = part.starts_with('.') || stem.contains(|letter: char| letter.is_ascii_alphanumeric());
    // `find -name '*.env'` matches a leading dot, too.
    let hidden = if example.starts_with('.') { part.trim_start_matches('*') } else { part };
    is_telling && (matches_glob(part, example) || hidden.len() < part.len() && matches_glob(hidden, example))
}

/// Whether a name ends with the rest of a pattern, which may have one more `*`.
fn matches_end(name: &str, rest: &str) -> bool {
    match rest.split_once('*') {
        Some((middle, end)) => name.contains(middle) && name.ends_with(end),
        None => name.ends_with(rest),
    }
}
