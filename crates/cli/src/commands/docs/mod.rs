//! `pintle docs`: the guides and the reference pages, which the program contains.

mod inline;
mod markdown;
mod pages;
mod table;

use clap::Args;
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::{Value, json};

use self::inline::MarkdownLink;
use self::pages::{DocsPage, DocsPages, INDEX, TopicParser};
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::render::{style, wrap};
use crate::terminal::{Terminal, screen_columns};

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Read the guides and the reference pages, which the program contains. Without a topic, \
list the pages by what you want to do. A page is laid out for a terminal, and is Markdown for a program that reads it";

/// The most characters of a line of prose on a wide terminal.
const MOST_COLUMNS: usize = 100;
/// Columns of a topic in a list, with the space around it.
const TOPIC_COLUMNS: usize = 30;

/// The most lines of a page that a search shows.
const MOST_LINES: usize = 4;
/// The most characters of such a line, and those of them before the first word.
const MOST_CHARS: usize = 90;
const CHARS_BEFORE: usize = 30;

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// Page to read.
    #[arg(value_name = "TOPIC", value_parser = TopicParser, hide_possible_values = true)]
    topic: Option<&'static str>,
    /// Find the pages that contain all of these words, and show the lines.
    #[arg(long, value_name = "WORD", num_args = 1.., conflicts_with = "topic")]
    search: Vec<String>,
}

impl DocsArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let pages = DocsPages::unpack()?;
        match self.topic {
            _ if !self.search.is_empty() => return search_pages(&pages, &self.search, terminal, global),
            Some(topic) => print_page(&pages, pages.find(topic)?, terminal, global),
            None if global.json => {
                let pages =
                    pages.iter().map(|page| json!({"topic": page.topic, "path": page.path, "title": page.title()}));
                terminal.print_json(&pages.collect::<Vec<_>>());
            }
            None => terminal.print_lines(&render_index(&pages)?),
        }
        Ok(CliStatus::Done)
    }
}

fn print_page(pages: &DocsPages, page: DocsPage<'_>, terminal: &Terminal, global: &GlobalOptions) {
    if global.json {
        let DocsPage { topic, path, text } = page;
        terminal.print_json(&json!({"topic": topic, "path": path, "title": page.title(), "text": text}));
    } else if let Some(columns) = screen_columns() {
        for line in markdown::render_page(page.text, columns.min(MOST_COLUMNS), &|link| pages.resolve(page, link)) {
            terminal.print_exact_line(line);
        }
    } else {
        terminal.print_piece(page.text);
    }
}

/// Lists the pages by task, as the page `index` does.
fn render_index(pages: &DocsPages) -> Result<Vec<StyledLine>, CliError> {
    let index = pages.find(INDEX)?;
    let mut lines = Vec::new();
    for line in index.text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let space = (!lines.is_empty()).then(|| StyledLine::new(Tone::Plain, ""));
            lines.extend(space.into_iter().chain([StyledLine::new(Tone::Good, heading)]));
        }
        // A row is a task, and what leads to it.
        let mut task = line.strip_prefix("| ").and_then(|row| row.split_once(" | ")).map(|(task, _)| task);
        for link in inline::links(line) {
            let target = pages.resolve(index, link.target);
            let Some(page) = target.topic.and_then(|topic| pages.find(topic).ok()) else { continue };
            let about = description(&link).or_else(|| task.take()).unwrap_or_else(|| page.title());
            lines.extend(render_topic(page.topic, about));
        }
    }
    lines.push(StyledLine::new(Tone::Plain, ""));
    lines.push(StyledLine::new(Tone::Quiet, "`pintle docs TOPIC` shows a page, `pintle docs --search WORD` finds one"));
    Ok(lines)
}

/// What the index says about a page behind the link to it, up to the next link.
fn description<'t>(link: &MarkdownLink<'t>) -> Option<&'t str> {
    let about = link.rest.strip_prefix(": ").filter(|about| !about.starts_with('['))?;
    Some(about.split_once(" [").map_or(about, |(about, _)| about.trim_end_matches(" and").trim_end_matches(',')))
}

fn render_topic(topic: &str, text: &str) -> Vec<StyledLine> {
    let mut lines = wrap::render_indented(TOPIC_COLUMNS, Tone::Plain, text);
    if let Some(first) = lines.first_mut() {
        let about = std::mem::replace(
            first,
            StyledLine::new(Tone::Plain, format!("  {topic:<width$}", width = TOPIC_COLUMNS - 2)),
        );
        first.push(Tone::Plain, about.to_string().trim_start());
    }
    lines
}

fn search_pages(
    pages: &DocsPages,
    words: &[String],
    terminal: &Terminal,
    global: &GlobalOptions,
) -> Result<CliStatus, CliError> {
    let found = find_lines(pages, words);
    if global.json {
        let rows = found.iter().flat_map(|(page, lines)| {
            lines
                .iter()
                .map(|(number, line)| json!({"topic": page.topic, "path": page.path, "line": number, "text": line}))
        });
        terminal.print_json(&rows.collect::<Vec<Value>>());
        return Ok(CliStatus::Done);
    }
    if found.is_empty() {
        let words = words.join(" ");
        return Err(CliError::failure(format!("no page contains `{words}`")).help("`pintle docs` lists the pages"));
    }
    for (page, lines) in &found {
        terminal.print_line(format!("{}  {}", style::paint_text(Tone::Good, page.topic), page.title()));
        for (number, line) in lines {
            terminal.print_line(format!("{}  {line}", style::paint_text(Tone::Quiet, format!("{number:>5}"))));
        }
    }
    Ok(CliStatus::Done)
}

/// The lines of a page, each with its number.
type NumberedLines = Vec<(usize, String)>;

/// The pages that contain all words, those with most of them in one line first, and the lines with most of them.
fn find_lines<'p>(pages: &'p DocsPages, words: &[String]) -> Vec<(DocsPage<'p>, NumberedLines)> {
    let words: Vec<String> = words.iter().flat_map(|word| word.split_whitespace()).map(str::to_lowercase).collect();
    let mut found: Vec<(bool, usize, usize, DocsPage<'_>, NumberedLines)> = Vec::new();
    for page in pages.iter() {
        let text = page.text.to_lowercase();
        if words.is_empty() || !words.iter().all(|word| text.contains(word)) {
            continue;
        }
        let count_of = |line: &str| words.iter().filter(|word| line.contains(word.as_str())).count();
        let counts: Vec<usize> = text.lines().map(count_of).collect();
        let most = counts.iter().copied().max().unwrap_or_default();
        let lines = page.text.lines().enumerate().zip(&counts).filter(|(_, count)| **count == most);
        let lines: NumberedLines = lines.map(|((index, line), _)| (index + 1, crop(line.trim(), &words))).collect();
        let title = page.title().to_lowercase();
        let is_about = words.iter().all(|word| title.contains(word));
        found.push((is_about, most, lines.len(), page, lines.into_iter().take(MOST_LINES).collect()));
    }
    found.sort_by_key(|(is_about, most, lines, ..)| std::cmp::Reverse((*is_about, *most, *lines)));
    found.into_iter().map(|(.., page, lines)| (page, lines)).collect()
}

/// The part of a long line around the first of the words.
fn crop(line: &str, words: &[String]) -> String {
    let length = line.chars().count();
    if length <= MOST_CHARS {
        return line.to_owned();
    }
    let lower = line.to_lowercase();
    let at = words.iter().filter_map(|word| lower.find(word.as_str())).min().unwrap_or_default();
    let before = lower.get(..at).map_or(0, |before| before.chars().count());
    let start = before.saturating_sub(CHARS_BEFORE).min(length - MOST_CHARS);
    let shown: String = line.chars().skip(start).take(MOST_CHARS).collect();
    let (first, last) = (if start > 0 { "…" } else { "" }, if start + MOST_CHARS < length { "…" } else { "" });
    format!("{first}{}{last}", shown.trim())
}
