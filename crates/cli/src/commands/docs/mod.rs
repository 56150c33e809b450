//! `pintle docs`: the guides and the reference pages, which the program contains.

mod inline;
mod markdown;
mod pages;
mod search;
mod table;

use clap::Args;
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::{Value, json};

use self::inline::MarkdownLink;
use self::pages::{DocsPage, DocsPages, INDEX, TopicParser};
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::render::{style, wrap};
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Read the guides and the reference pages, which the program contains. Without a topic, \
list the pages by what you want to do. A page is laid out for a terminal, and is Markdown for a program that reads it";

/// The most characters of a line of prose on a wide terminal.
const MOST_COLUMNS: usize = 100;
/// Columns of a topic in a list, with the space around it.
const TOPIC_COLUMNS: usize = 30;

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
    } else if let Some(columns) = terminal.width() {
        for line in markdown::render_page(page.text, columns.min(MOST_COLUMNS), &|link| pages.resolve(page, link)) {
            terminal.print_line(line);
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
    let found = search::find_lines(pages, words);
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
