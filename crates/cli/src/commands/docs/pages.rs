//! The pages that the program contains.

use std::ffi::OsStr;
use std::io::Read as _;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};
use flate2::read::DeflateDecoder;
use pintle_host::contract::suggest_nearest;

use crate::error::CliError;

/// The topics, in order.
pub(super) const TOPICS: &[&str] = include!(concat!(env!("OUT_DIR"), "/topics.rs"));
/// The topic of the list of all pages.
pub(super) const INDEX: &str = "index";

/// Topic, path without its ending, and text of each page, each before U+0000.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/docs.deflate"));

/// The unpacked pages.
#[derive(Debug)]
pub(super) struct DocsPages(String);

/// A page of the documentation.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocsPage<'p> {
    /// What names it after `pintle docs`.
    pub(super) topic: &'p str,
    /// Its path in `docs`, without `.md`.
    pub(super) path: &'p str,
    /// Its text as Markdown.
    pub(super) text: &'p str,
}

/// Where a link of a page leads.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LinkTarget<'p> {
    /// The page, unless it is the page itself.
    pub(super) topic: Option<&'p str>,
    /// The address or the path in the repository of anything else.
    pub(super) address: Option<String>,
}

impl DocsPages {
    pub(super) fn unpack() -> Result<Self, CliError> {
        let mut text = String::new();
        let unpacked = DeflateDecoder::new(PACKED).read_to_string(&mut text);
        unpacked.map_err(|error| CliError::failure(format!("cannot unpack the pages: {error}")))?;
        Ok(Self(text))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = DocsPage<'_>> {
        let mut parts = self.0.split('\0');
        std::iter::from_fn(move || Some(DocsPage { topic: parts.next()?, path: parts.next()?, text: parts.next()? }))
    }

    pub(super) fn find(&self, topic: &str) -> Result<DocsPage<'_>, CliError> {
        let missing = || CliError::invalid_input(unknown_topic(topic)).help("`pintle docs` lists the pages");
        self.iter().find(|page| page.topic == topic).ok_or_else(missing)
    }

    /// Where a link of a page leads.
    pub(super) fn resolve(&self, from: DocsPage<'_>, link: &str) -> LinkTarget<'_> {
        let path = link.split('#').next().unwrap_or_default();
        if link.contains("://") {
            return LinkTarget { address: Some(link.to_owned()), ..LinkTarget::default() };
        }
        if path.is_empty() {
            return LinkTarget::default();
        }
        let mut parts: Vec<&str> = vec!["docs"];
        parts.extend(from.path.split('/'));
        parts.pop();
        for part in path.split('/') {
            match part {
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        let page = path.strip_prefix("docs/").and_then(|path| path.strip_suffix(".md"));
        match page.and_then(|path| self.iter().find(|page| page.path == path)) {
            Some(page) => LinkTarget { topic: Some(page.topic).filter(|topic| *topic != from.topic), address: None },
            None => LinkTarget { address: Some(path), topic: None },
        }
    }
}

impl<'p> DocsPage<'p> {
    pub(super) fn title(self) -> &'p str {
        self.text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(self.topic)
    }
}

/// Reads a topic: its name, or the path of its page.
#[derive(Debug, Clone)]
pub(super) struct TopicParser;

impl TypedValueParser for TopicParser {
    type Value = &'static str;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, value: &OsStr) -> Result<&'static str, clap::Error> {
        let typed = value.to_string_lossy();
        let path = typed.split('#').next().unwrap_or_default();
        let path = path.strip_suffix(".md").unwrap_or(path).trim_start_matches("docs/");
        let name = path.rsplit('/').next().unwrap_or_default();
        let find = |wanted: &str| TOPICS.iter().copied().find(|topic| *topic == wanted);
        find(path).or_else(|| find(name).filter(|_| path != name)).ok_or_else(|| {
            clap::Error::raw(ErrorKind::InvalidValue, format!("{}\n", unknown_topic(path))).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(TOPICS.iter().map(PossibleValue::new)))
    }
}

fn unknown_topic(typed: &str) -> String {
    let lower = typed.to_lowercase();
    let part_of = |topic: &&str| !lower.is_empty() && topic.contains(lower.as_str());
    let near = suggest_nearest(typed, TOPICS.iter().copied()).or_else(|| TOPICS.iter().copied().find(part_of));
    match near {
        Some(near) => format!("there is no page `{typed}`; did you mean `pintle docs {near}`?"),
        None => format!(
            "there is no page `{typed}`; `pintle docs` lists them, `pintle docs --search {typed}` searches them"
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::inline;
    use super::*;

    #[test]
    fn every_link_leads_to_a_page_or_to_a_file_of_the_repository() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let pages = DocsPages::unpack().unwrap();
        let mut count = 0;
        for page in pages.iter() {
            for link in page.text.lines().flat_map(inline::links) {
                let LinkTarget { address, .. } = pages.resolve(page, link.target);
                let Some(address) = address.filter(|address| !address.contains("://")) else { continue };
                count += 1;
                let is_page = address.starts_with("docs/") && !address.starts_with("docs/contributing/");
                assert!(!is_page && root.join(&address).exists(), "{}: {}", page.path, link.target);
            }
        }
        assert!(count > 50, "{count}");
    }

    #[test]
    fn a_topic_is_named_by_itself_or_by_its_path() {
        let parse = |typed: &str| TopicParser.parse_ref(&Command::new("docs"), None, OsStr::new(typed));
        let cases = [
            ("log", "log"),
            ("guide/log.md#x", "log"),
            ("docs/guide/log.md", "log"),
            ("docker-agent", "docker-agent"),
            ("reference/docker-agent.md", "reference/docker-agent"),
            ("specs/harn", "specs/harn"),
            ("events", "events"),
        ];
        for (typed, topic) in cases {
            assert_eq!(parse(typed).unwrap(), topic);
        }
        assert!(parse("evnts").unwrap_err().to_string().contains("`pintle docs events`"));
        assert!(parse("").is_err());
    }

    /// The command lines of `pintle` in the code of a page, without what a shell does with them.
    fn command_lines(page: &str) -> Vec<Vec<String>> {
        let mut lines = Vec::new();
        let mut language = None;
        for line in page.lines() {
            if let Some(fence) = line.strip_prefix("```") {
                language = if language.is_none() { Some(fence) } else { None };
            }
            let is_code = matches!(language, Some("sh" | "console")) || language.is_none() && line.starts_with("    ");
            let line = line.trim().trim_start_matches("$ ");
            // A line that goes on below, or has words of a shell, is left out.
            let is_whole = !line.ends_with(['\\', '|']) && !line.contains("$(") && line.matches('\'').count() % 2 == 0;
            if let Some(line) = line.strip_prefix("pintle ").filter(|_| is_code && is_whole) {
                lines.push(split_words(line));
            }
        }
        lines
    }

    /// The words of a command line, up to what a shell does with it or a comment.
    fn split_words(line: &str) -> Vec<String> {
        let mut words = vec![String::from("pintle")];
        let (mut word, mut quote, mut spaces) = (String::new(), None, 1);
        for letter in format!("{line} ").chars() {
            match (letter, quote) {
                ('\'' | '"', None) => quote = Some(letter),
                (letter, Some(open)) if letter == open => quote = None,
                ('|' | '<' | '>' | ';' | '&' | '#', None) if spaces > 0 => break,
                (' ', None) => {
                    spaces += 1;
                    words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                    // What is far to the right says what the line does.
                    if spaces > 2 {
                        break;
                    }
                    continue;
                }
                _ => word.push(letter),
            }
            spaces = 0;
        }
        words
    }

    #[test]
    fn command_lines_of_the_pages_are_command_lines() {
        let pages = DocsPages::unpack().unwrap();
        let (mut wrong, mut count) = (Vec::new(), 0);
        for page in pages.iter() {
            for words in command_lines(page.text) {
                count += 1;
                let is_placeholder =
                    |word: &String| word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
                let has_placeholder = words.iter().any(is_placeholder);
                let Err(error) = crate::command_help::command_tree().try_get_matches_from(&words) else { continue };
                let is_allowed = match error.kind() {
                    ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
                    ErrorKind::InvalidValue | ErrorKind::ValueValidation => has_placeholder,
                    _ => false,
                };
                if !is_allowed {
                    wrong.push(format!("{}: {}: {error}", page.path, words.join(" ")));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(count > 100, "{count}");
    }
}
