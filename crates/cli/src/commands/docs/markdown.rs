//! A Markdown page as a terminal shows it: the part of Markdown that the pages of `docs` use.

use std::collections::HashSet;

use super::inline::{self, LookedText, TextLook};
use super::pages::LinkTarget;
use super::table;

/// Spaces before a line of code.
const CODE_INDENT: usize = 4;

/// Says where a link of the page leads.
pub(super) type LinkResolver<'r, 'p> = &'r dyn Fn(&str) -> LinkTarget<'p>;

/// Renders a page, in colours, in lines of at most this many columns. A long word stays whole, and so does code.
pub(super) fn render_page(page: &str, columns: usize, resolve: LinkResolver<'_, '_>) -> Vec<String> {
    let mut renderer = PageRenderer { columns, resolve, named: HashSet::new(), lines: Vec::new() };
    renderer.render(page);
    renderer.lines
}

struct PageRenderer<'r, 'p> {
    columns: usize,
    resolve: LinkResolver<'r, 'p>,
    /// What links of this section led to.
    named: HashSet<String>,
    lines: Vec<String>,
}

impl PageRenderer<'_, '_> {
    fn render(&mut self, page: &str) {
        let mut lines = page.lines().peekable();
        while let Some(line) = lines.next() {
            let text = line.trim_start();
            let indent = line.len() - text.len();
            if text.starts_with("```") {
                let inside = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
                for line in inside {
                    self.push_code(line.get(indent..).unwrap_or_default());
                }
            } else if text.is_empty() || text.starts_with("<!--") {
                self.push_space();
            } else if let Some(heading) = text.strip_prefix('#') {
                self.push_heading(heading.trim_start_matches('#').trim());
            } else if indent >= CODE_INDENT {
                self.push_code(line.get(CODE_INDENT..).unwrap_or_default());
            } else if text.starts_with('|') {
                let mut rows = vec![text];
                while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                    rows.push(row);
                }
                self.push_table(&rows);
            } else {
                let marker = list_marker(text);
                let mut paragraph = text.get(marker.len()..).unwrap_or_default().to_owned();
                while let Some(next) = lines.next_if(|line| continues_paragraph(line)) {
                    paragraph.push(' ');
                    paragraph.push_str(next.trim());
                }
                self.push_paragraph(indent, marker, &paragraph);
            }
        }
    }

    fn push_space(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    fn push_code(&mut self, line: &str) {
        let line: LookedText = line.chars().map(|character| (character, TextLook::Code)).collect();
        self.lines.push(format!("{:CODE_INDENT$}{}", "", inline::paint(&line)));
    }

    fn push_heading(&mut self, heading: &str) {
        self.named.clear();
        let heading: LookedText =
            self.parse(heading).into_iter().map(|(letter, _)| (letter, TextLook::Strong)).collect();
        self.lines.push(inline::paint(&heading));
    }

    fn push_paragraph(&mut self, indent: usize, marker: &str, text: &str) {
        let text = self.parse(text);
        let below = indent + marker.chars().count();
        let first = format!("{:indent$}{marker}", "");
        for (index, line) in inline::wrap(&text, self.columns.saturating_sub(below)).iter().enumerate() {
            let start = if index == 0 { first.as_str() } else { "" };
            self.lines.push(format!("{start:below$}{}", inline::paint(line)));
        }
    }

    fn push_table(&mut self, rows: &[&str]) {
        let rows: Vec<Vec<LookedText>> = rows
            .iter()
            .filter(|row| !row.starts_with("| ---") && !row.starts_with("|---"))
            .map(|row| table::split_cells(row).iter().map(|cell| self.parse(cell)).collect())
            .collect();
        self.lines.extend(table::render(&rows, self.columns));
    }

    /// Reads a text with its links. What a section has led to already is not named again.
    fn parse(&mut self, text: &str) -> LookedText {
        inline::parse(text, &mut |link| {
            let target = (self.resolve)(link);
            let shown = target.topic.map(|topic| format!("pintle docs {topic}")).or(target.address)?;
            self.named.insert(shown.clone()).then_some(shown)
        })
    }
}

/// The marker of a list item with the space behind it, or nothing.
fn list_marker(text: &str) -> &str {
    let digits = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = text.len() - digits.len();
    let length = match (text.get(..2), digits.get(..2)) {
        (Some("- " | "* "), _) => 2,
        (_, Some(". ")) if number > 0 => number + 2,
        _ => 0,
    };
    text.get(..length).unwrap_or_default()
}

/// Whether a line belongs to the paragraph before it.
fn continues_paragraph(line: &str) -> bool {
    let text = line.trim_start();
    let begins_block = ["```", "#", "|", "<!--"].iter().any(|start| text.starts_with(start));
    !text.is_empty() && !begins_block && list_marker(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# A page of `x`

Words that are [linked](log.md#a), *twice* ([log](log.md)) and **strongly**
said.

- one item that is longer than the line is wide
  1. inner

```console
$ pintle a_very_long_command_line --that-stays-whole
```

| key | what |
| --- | --- |
| `a` | a [site](https://host/) \\| more |
";

    fn render(columns: usize) -> String {
        let resolve = |link: &str| match link.strip_suffix(".md").or(link.strip_suffix(".md#a")) {
            Some("log") => LinkTarget { topic: Some("log"), address: None },
            _ => LinkTarget { topic: None, address: Some(link.to_owned()) },
        };
        let lines = render_page(PAGE, columns, &resolve).join("\n");
        anstream::adapter::strip_str(&lines).to_string()
    }

    #[test]
    fn a_page_is_laid_out_for_a_terminal() {
        let expected = "\
A page of x

Words that are linked (pintle docs log),
twice (log) and strongly said.

- one item that is longer than the line
  is wide
  1. inner

    $ pintle a_very_long_command_line --that-stays-whole

key  what
a    a site (https://host/) | more";
        assert_eq!(render(40), expected);
    }
}
