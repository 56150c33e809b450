//! Paths that need care: secrets, the settings of agents, what starts by itself.

use std::borrow::Cow;
use std::path::Path;

use super::tails::TailRoot::{self, Anywhere, Home, Programs, Root};
use super::tails::{TailMeaning, read_tail};
use super::{UNKNOWN, matches_glob, strip_directory};
use crate::OperationTag::{self, ProbableSecret, Secret};
use crate::name_index::{ReadOnce, TAIL_NAMES, TAIL_PATTERNS, TAILS_COUNT};
use crate::site::CallSite;
use crate::word_lists::is_listed;

/// The ends of names that are templates or public.
const HARMLESS_ENDS: &str = ".example .sample .template .dist .pub .tpl .defaults .schema -example .md .example.json \
                             .d.ts";
/// Directories of made-up secrets.
const FIXTURES: &str = "fixtures __fixtures__ testdata test-data test_data test-fixtures";
/// Parts of a pattern by which it asks for secrets. `*config*` may match `kubeconfig`, but does not ask for it.
const TELLING_PARTS: &str = "env secret cred passw token key pem p12 pfx jks hist netrc npmrc pypirc pgpass shadow rsa \
     ed25519 ecdsa id_ kdbx ppk htpasswd tfvars tfstate kubeconfig account adminsdk wp-config cookie logins wallet \
     mnemonic my.cnf api dev.vars";

/// A row of a table, in lower case: names do not differ by case on every system.
struct SensitiveTail {
    root: TailRoot,
    tail: Cow<'static, str>,
    /// How many names it has.
    count: usize,
    meaning: TailMeaning,
    /// Whether everything below counts.
    is_open: bool,
}

/// The rows that were needed already.
static READ_TAILS: ReadOnce<SensitiveTail> = ReadOnce::new(TAILS_COUNT);

/// The row of a number.
fn find_tail(number: usize) -> Option<&'static SensitiveTail> {
    READ_TAILS.get_or_read(number, || {
        let (root, whole, meaning) = read_tail(number)?;
        let tail = whole.strip_suffix("/**").unwrap_or(whole);
        let (is_open, count) = (tail.len() < whole.len(), tail.split('/').count());
        Some(SensitiveTail { root, tail: lower_case(tail), count, meaning, is_open })
    })
}

fn lower_case(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|letter| letter.is_ascii_uppercase()) { text.to_ascii_lowercase().into() } else { text.into() }
}

fn has_wildcard(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// An absolute path, divided into its names.
struct PathNames<'p> {
    names: Vec<&'p str>,
    /// How many of them are those of the home directory; 0 if it is not below that.
    home_count: usize,
    /// Whether names may be patterns.
    is_pattern: bool,
}

/// What is known of an absolute path. `is_pattern`: its parts may be patterns.
pub(crate) fn tags_of_path(call_site: &CallSite<'_>, path: &Path, is_pattern: bool) -> Vec<OperationTag> {
    let text = path.to_string_lossy();
    let home_count = call_site.home.map_or(0, |home| {
        let home = &*home.to_string_lossy();
        if strip_directory(&text, home).is_some() { home.split('/').filter(|name| !name.is_empty()).count() } else { 0 }
    });
    let text = lower_case(&text);
    let names: Vec<&str> = text.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
    let Some(last) = names.last().copied() else { return Vec::new() };
    let path = PathNames { names, home_count, is_pattern };
    let mut meanings: Vec<TailMeaning> = Vec::new();
    let mut check = |tail: &SensitiveTail, start: usize| {
        if !meanings.contains(&tail.meaning)
            && let Some(meaning) = tail.meaning_of(&path, start)
        {
            meanings.push(meaning);
        }
    };
    for (start, name) in path.names.iter().enumerate() {
        if is_pattern && has_wildcard(name) {
            (0..TAILS_COUNT).filter_map(find_tail).for_each(|tail| check(tail, start));
            continue;
        }
        let numbers = TAIL_NAMES.find(name).into_iter().flat_map(|position| TAIL_NAMES.numbers_at(position));
        numbers.filter_map(find_tail).for_each(|tail| check(tail, start));
    }
    let ends = [last.as_bytes().first().copied(), last.as_bytes().last().copied()];
    let is_wild = is_pattern && has_wildcard(last);
    let may_be =
        |wanted: &[Option<u8>; 2]| wanted.iter().zip(&ends).all(|(wanted, end)| wanted.is_none() || wanted == end);
    // Their first names are patterns, and they have no others.
    for (number, _) in TAIL_PATTERNS.iter().filter(|(_, wanted)| is_wild || may_be(wanted)) {
        find_tail(usize::from(*number)).into_iter().for_each(|tail| check(tail, path.names.len() - 1));
    }
    if meanings.is_empty() {
        return Vec::new();
    }
    let is_public =
        meanings.contains(&None) || HARMLESS_ENDS.split(' ').any(|end| last.ends_with(end)) || last.contains("example");
    let is_made_up = || path.names.iter().any(|name| is_listed(FIXTURES, name));
    let mut tags: Vec<OperationTag> = meanings.into_iter().flatten().collect();
    if is_public {
        tags.retain(|tag| !matches!(tag, Secret | ProbableSecret));
    } else if tags.contains(&Secret) {
        tags.retain(|tag| *tag != ProbableSecret);
        if is_made_up() {
            tags.iter_mut().filter(|tag| **tag == Secret).for_each(|tag| *tag = ProbableSecret);
        }
    }
    tags
}

impl SensitiveTail {
    /// What it means for a path if it begins at the name of this number: the path is this one, a directory on the way to
    /// it, or below it if it is open.
    fn meaning_of(&self, path: &PathNames<'_>, start: usize) -> Option<TailMeaning> {
        let rest = path.names.get(start..)?;
        let last = rest.last()?;
        let count = self.count;
        let is_placed = match self.root {
            Root => start == 0,
            Programs => follows_program_directory(path.names.get(..start)?),
            Home if path.home_count > 0 => start == path.home_count,
            Anywhere if count == 1 && !self.is_open => rest.len() == 1,
            Home | Anywhere => true,
        };
        if !is_placed || rest.len() > count && !self.is_open {
            return None;
        }
        let is_secret = self.meaning == Some(Secret);
        let is_on_way = rest.len() < count;
        // A directory on the way is a match only if it says something: `.config` alone does not.
        let is_telling = || match self.root {
            Programs => true,
            Home if is_secret && path.home_count == 0 => false,
            _ => rest.iter().any(|name| name.starts_with('.')) && !is_plain_directory(last),
        };
        if is_on_way && (self.meaning.is_none() || !is_telling()) {
            return None;
        }
        let is_pattern = path.is_pattern && self.meaning.is_some();
        let mut above = "";
        let is_same = rest.iter().zip(self.tail.split('/')).all(|(name, wanted)| {
            // Everything in a directory that says something, such as `.ssh/*`.
            let says_something = above.starts_with('.') && !is_plain_directory(above)
                || self.root == Programs && (!above.is_empty() || self.tail.ends_with(last) && last != name);
            let is_everything = is_pattern && *name == "*" && says_something;
            let is_asked = is_secret && above.is_empty();
            above = name;
            is_everything || matches_name(name, wanted, is_pattern, is_asked)
        });
        // The directory of one login among other files.
        let is_probable = is_secret && is_on_way && matches!(self.root, Home | Programs);
        is_same.then_some(if is_probable { Some(ProbableSecret) } else { self.meaning })
    }
}

/// Whether the last of these names are those of a directory where programs keep their files.
fn follows_program_directory(names: &[&str]) -> bool {
    let is_pair = |pair: &[&str]| {
        matches!(
            pair,
            [".local", "share" | "state"]
                | ["library", "application support" | "preferences" | "caches"]
                | ["appdata", "roaming" | "local"]
        )
    };
    matches!(names.last(), Some(&(".config" | ".cache"))) || names.last_chunk::<2>().is_some_and(|pair| is_pair(pair))
}

/// Directories that hold all kinds of files.
fn is_plain_directory(name: &str) -> bool {
    matches!(name, ".config" | ".local" | ".cache" | "library" | "etc" | ".github" | "." | "..")
}

/// Whether a name is the wanted one, which may be a pattern. If the name is a pattern itself, it may match; `is_asked`: only
/// if it also asks for secrets.
fn matches_name(name: &str, wanted: &str, is_pattern: bool, is_asked: bool) -> bool {
    if let Some((before, after)) = wanted.split_once('*') {
        let is_hidden = before.is_empty() && name.starts_with('.');
        let is_long_enough = name.len() >= before.len() + after.bytes().filter(|letter| *letter != b'*').count();
        let is_same = is_long_enough && name.starts_with(before) && matches_end(name, after) && !is_hidden;
        if is_same && !(name.starts_with(['*', UNKNOWN]) && name.len() < wanted.len()) {
            return true;
        }
    } else if name == wanted {
        return true;
    }
    if !is_pattern || !has_wildcard(name) {
        return false;
    }
    // A pattern that is nothing but a pattern matches what is harmless, too,
    // and `*.json` says nothing about a name either.
    let stem = name.rfind('.').filter(|dot| *dot > 0).and_then(|dot| {
        let end = name.get(dot + 1..)?;
        if has_wildcard(end) { None } else { name.get(..dot) }
    });
    let stem = stem.unwrap_or(name);
    let is_telling = name.starts_with('.') || stem.contains(|letter: char| letter.is_ascii_alphanumeric());
    let example = wanted.replace('*', "rsa");
    // `find -name '*.env'` matches a leading dot, too.
    let hidden = if example.starts_with('.') { name.trim_start_matches('*') } else { name };
    let asks = || name.starts_with('.') || TELLING_PARTS.split_whitespace().any(|part| name.contains(part));
    is_telling
        && (!is_asked || asks())
        && (matches_glob(name, &example) || hidden.len() < name.len() && matches_glob(hidden, &example))
}

/// Whether a name ends with the rest of a pattern, which may have one more `*`.
fn matches_end(name: &str, rest: &str) -> bool {
    match rest.split_once('*') {
        Some((middle, end)) => name.contains(middle) && name.ends_with(end),
        None => name.ends_with(rest),
    }
}
