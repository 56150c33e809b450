//! `cargo lab clients --drift`: what an installed client knows and our tables do not.
//!
//! A client's package is searched as text. Words of one kind, such as the names of events, are written close together
//! somewhere in it: in an array, an enumeration, a type or a schema. A word among them that our tables do not have is
//! something new, unless `drift.txt` says why it is none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pintle_clients::{CLIENTS, ClientDef};

/// Words that are in no table, and why.
const EXCEPTIONS: &str = include_str!("drift.txt");

/// The lengths of words that are looked at.
const WORD_LENGTHS: std::ops::RangeInclusive<usize> = 3..=42;

/// The keys of JSON schemas, in which fields are described.
const SCHEMA_WORDS: [&str; 10] = [
    "additionalProperties",
    "allOf",
    "const",
    "default",
    "definitions",
    "description",
    "enum",
    "properties",
    "required",
    "type",
];

/// A kind of words.
struct WordKind {
    name: &'static str,
    /// The words that our tables have.
    known: fn(&ClientDef) -> BTreeSet<&'static str>,
    /// Words that may be beside them.
    ignored: fn(&ClientDef) -> BTreeSet<&'static str>,
    /// Whether a word is written as one of this kind.
    is_written: fn(&PackageWord<'_>) -> bool,
    /// How far a word may be behind the one before, in bytes.
    gap: usize,
    /// How many known words make a list one of this kind; 0 counts each word by itself.
    at_least: usize,
    /// How many words a list may have for each known one; 0 for any number.
    at_most_for_each: usize,
}

/// A word in a text: letters, digits, `_` and `.`.
struct PackageWord<'a> {
    text: &'a str,
    /// Where it begins.
    start: usize,
    before: u8,
    after: &'a [u8],
}

impl PackageWord<'_> {
    fn is_quoted(&self) -> bool {
        matches!(self.before, b'"' | b'\'' | b'`') && self.after.first() == Some(&self.before)
    }

    /// Whether it is the key of an object or a type.
    fn is_key(&self) -> bool {
        let rest = self.after.strip_prefix(b"\"").unwrap_or(self.after);
        !self.text.contains('.') && rest.strip_prefix(b"?").unwrap_or(rest).first() == Some(&b':')
    }

    /// Whether it switches hooks.
    fn is_switch(&self) -> bool {
        const VERBS: [&str; 6] = ["allow", "bypass", "disable", "enable", "skip", "strict"];
        let is_about_hooks = self.text.contains("Hook") || self.text.contains("_hook");
        is_about_hooks && VERBS.iter().any(|verb| self.text.starts_with(verb))
    }
}

const KINDS: [WordKind; 4] = [
    WordKind {
        name: "event",
        known: |def| {
            let unmapped = def.unmapped_events.iter().flat_map(|events| events.names.iter().copied());
            def.events.iter().map(|event| event.name).chain(unmapped).collect()
        },
        ignored: |_| BTreeSet::new(),
        is_written: |word| word.is_quoted(),
        gap: 60,
        at_least: 4,
        at_most_for_each: 2,
    },
    WordKind {
        name: "field",
        known: |def| def.output_fields.iter().map(|field| field.name).collect(),
        ignored: |def| {
            let keys = def.events.iter().flat_map(|event| event.keys.iter().copied().flatten().chain(event.style.base));
            keys.map(|key| key.name.rsplit('/').next().unwrap_or(key.name)).chain(SCHEMA_WORDS).collect()
        },
        is_written: |word| word.is_key(),
        gap: 240,
        at_least: 4,
        at_most_for_each: 2,
    },
    WordKind {
        name: "tool",
        known: |def| def.tools.tools.iter().flat_map(|tool| tool.native_names.iter().copied()).collect(),
        ignored: |_| BTreeSet::new(),
        is_written: |word| word.is_quoted(),
        gap: 40,
        at_least: 5,
        at_most_for_each: 3,
    },
    WordKind {
        name: "setting",
        known: |def| def.install.managed_switches.iter().flat_map(|(path, _)| path.iter().copied()).collect(),
        ignored: |_| BTreeSet::new(),
        is_written: |word| word.is_switch() && (word.is_key() || word.is_quoted()),
        gap: 0,
        at_least: 0,
        at_most_for_each: 0,
    },
];

/// Returns a line for each word of a package that our tables do not have, and for each exception that it does not need.
pub(super) fn find(client: &str, package: &str, modules: &Path) -> Result<Vec<String>, String> {
    let def = CLIENTS.iter().find(|def| def.name == client).ok_or_else(|| format!("no client `{client}`"))?;
    let mut lists: Vec<PackageLists> = KINDS.iter().map(|kind| PackageLists::new(kind, def)).collect();
    for dir in package_dirs(package, modules)? {
        search_dir(&dir, &mut |path, text| {
            for word in words(text) {
                lists.iter_mut().for_each(|lists| lists.add(&word, path));
            }
            lists.iter_mut().for_each(|lists| lists.close(path));
        })?;
    }
    let mut found: BTreeMap<(&str, String), String> = BTreeMap::new();
    for lists in lists {
        // A search that finds nothing says nothing.
        if lists.list_count == 0 && !lists.known.is_empty() {
            found.insert((lists.kind.name, String::from("-")), String::from("the whole package: no list was found"));
        }
        found.extend(lists.unknown.into_iter().map(|(word, file)| ((lists.kind.name, word), file)));
    }
    let mut lines = Vec::new();
    for line in EXCEPTIONS.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let parts: Option<(&str, &str, &str)> = line.split_once(" | ").and_then(|(list, _why)| {
            let (whose, rest) = list.split_once(' ')?;
            rest.split_once(' ').map(|(kind, words)| (whose, kind, words))
        });
        let Some((whose, kind, words)) = parts else {
            return Err(format!("`{line}` in drift.txt is not a client, a kind, words and a reason"));
        };
        for word in words.split(' ').filter(|_| whose == client) {
            if found.remove(&(kind, word.to_owned())).is_none() {
                lines.push(format!("the exception `{kind} {word}` is not needed"));
            }
        }
    }
    lines.extend(found.iter().map(|((kind, word), file)| format!("unknown {kind} `{word}` in {file}")));
    Ok(lines)
}

/// The lists of one kind while a package is searched.
struct PackageLists {
    kind: &'static WordKind,
    known: BTreeSet<&'static str>,
    ignored: BTreeSet<&'static str>,
    /// Whether all known words begin with a capital letter, or none of them; `None` if only some do.
    is_capital: Option<bool>,
    list: BTreeSet<String>,
    end: usize,
    /// How many lists of this kind there are.
    list_count: usize,
    /// The words that our tables do not have, and a file with each.
    unknown: BTreeMap<String, String>,
}

impl PackageLists {
    fn new(kind: &'static WordKind, def: &ClientDef) -> Self {
        let known = (kind.known)(def);
        let capitals = known.iter().filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase())).count();
        let is_capital = (capitals == known.len()).then_some(true).or_else(|| (capitals == 0).then_some(false));
        Self {
            kind,
            known,
            ignored: (kind.ignored)(def),
            is_capital,
            list: BTreeSet::new(),
            end: 0,
            list_count: 0,
            unknown: BTreeMap::new(),
        }
    }

    fn add(&mut self, word: &PackageWord<'_>, path: &Path) {
        if !(self.kind.is_written)(word) {
            return;
        }
        if word.start.saturating_sub(self.end) > self.kind.gap {
            self.close(path);
        }
        self.end = word.start + word.text.len();
        if self.ignored.contains(word.text) && !self.known.contains(word.text) {
            return;
        }
        let is_capital = word.text.starts_with(|c: char| c.is_ascii_uppercase());
        if self.is_capital.is_none_or(|all| all == is_capital) {
            self.list.insert(word.text.to_owned());
        }
    }

    fn close(&mut self, path: &Path) {
        let list = std::mem::take(&mut self.list);
        self.end = 0;
        let known = list.iter().filter(|word| self.known.contains(word.as_str())).count();
        let (least, most) = (self.kind.at_least, self.kind.at_most_for_each);
        if known < least || (most > 0 && list.len() > known * most) {
            return;
        }
        self.list_count += usize::from(!list.is_empty());
        for word in list.into_iter().filter(|word| !self.known.contains(word.as_str())) {
            self.unknown.entry(word).or_insert_with(|| path.display().to_string());
        }
    }
}

/// The words of a text.
fn words(text: &[u8]) -> impl Iterator<Item = PackageWord<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            while !is_word_byte(*text.get(from)?) {
                from += 1;
            }
            let start = from;
            while text.get(from).is_some_and(|byte| is_word_byte(*byte)) {
                from += 1;
            }
            let (Some(bytes), Some(after)) = (text.get(start..from), text.get(from..)) else { return None };
            if let Ok(word) = std::str::from_utf8(bytes)
                && WORD_LENGTHS.contains(&word.len())
                && word.starts_with(|c: char| c.is_ascii_alphabetic())
            {
                let before = start.checked_sub(1).and_then(|before| text.get(before)).copied().unwrap_or(b' ');
                return Some(PackageWord { text: word, start, before, after });
            }
        }
    })
}

fn is_word_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.')
}

/// The directories of a package: its own, and those of its parts, whose names begin with its name, or are in a scope that
/// has its name.
fn package_dirs(package: &str, modules: &Path) -> Result<Vec<PathBuf>, String> {
    let scope = modules.join(format!("@{package}"));
    let own = modules.join(package);
    let (Some(parent), Some(name)) = (own.parent(), own.file_name().and_then(|name| name.to_str())) else {
        return Err(format!("`{package}` is not the name of a package"));
    };
    let name = name.trim_end_matches("-ai");
    let entries = fs::read_dir(parent).map_err(|error| format!("cannot read `{}`: {error}", parent.display()))?;
    let parts = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(name));
    Ok(parts.map(|entry| entry.path()).chain(scope.is_dir().then_some(scope)).collect())
}

/// Gives every file of a package that may have code in it.
fn search_dir(dir: &Path, take: &mut dyn FnMut(&Path, &[u8])) -> Result<(), String> {
    let error = |error| format!("cannot read `{}`: {error}", dir.display());
    for entry in fs::read_dir(dir).map_err(error)? {
        let entry = entry.map_err(error)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(error)?);
        if kind.is_dir() {
            search_dir(&path, take)?;
        } else if kind.is_file() && has_code(&path) {
            take(&path, &fs::read(&path).map_err(error)?);
        }
    }
    Ok(())
}

/// Whether a file may have code in it: scripts, types and programs, which have no ending or `.exe`.
fn has_code(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_none_or(|ending| matches!(ending, "js" | "cjs" | "mjs" | "ts" | "mts" | "cts" | "exe" | "node"))
}
