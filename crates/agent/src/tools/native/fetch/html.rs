//! Converts HTML pages to text for a model. This is not a parser: what it does not understand is left out.
//!
//! It builds no tree, so that a page of a million open elements takes no more stack than any other, and looks at each
//! part of a page a limited number of times.

/// The text of a page, with each block on its own lines.
pub(super) fn to_text(html: &str) -> String {
    HtmlTextWriter::new(false).write_page(html)
}

/// The page as Markdown, with headings, lists, links, emphasis and code.
pub(super) fn to_markdown(html: &str) -> String {
    HtmlTextWriter::new(true).write_page(html)
}

/// Elements whose content is not shown.
const UNREAD: [&str; 7] = ["script", "style", "noscript", "template", "svg", "iframe", "head"];

/// Elements that are separated from the surrounding text.
const BLOCKS: [&str; 26] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "html",
    "main",
    "nav",
    "ol",
    "p",
    "section",
    "table",
    "tbody",
    "thead",
    "tr",
    "ul",
];

/// Elements with Markdown marks on both sides.
const MARKS: [(&str, &str); 5] = [("strong", "**"), ("b", "**"), ("em", "*"), ("i", "*"), ("code", "`")];

/// The most bytes between `&` and `;`.
const MAX_ENTITY: usize = 32;

/// Named characters.
const ENTITIES: [(&str, &str); 12] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ndash", "-"),
    ("mdash", "-"),
    ("hellip", "..."),
    ("copy", "(c)"),
    ("laquo", "\""),
    ("raquo", "\""),
];

struct HtmlTextWriter {
    is_markdown: bool,
    text: String,
    /// The addresses of links that are still open.
    links: Vec<String>,
    /// The number of open `pre` elements, in which whitespace is kept.
    preformatted: usize,
}

struct HtmlTag<'a> {
    name: String,
    is_end: bool,
    attributes: &'a str,
}

impl HtmlTextWriter {
    fn new(is_markdown: bool) -> Self {
        Self { is_markdown, text: String::new(), links: Vec::new(), preformatted: 0 }
    }

    fn write_page(mut self, html: &str) -> String {
        let mut rest = html;
        let last_end = html.rfind('>').unwrap_or_default();
        while let Some((before, after)) = rest.split_once('<') {
            self.write_text(before);
            if let Some(comment) = after.strip_prefix("!--") {
                rest = comment.split_once("-->").map_or("", |(_, behind)| behind);
                continue;
            }
            let starts_tag = after.starts_with(|letter: char| letter.is_ascii_alphabetic() || "/!?".contains(letter));
            let may_end = starts_tag && html.len() - after.len() <= last_end;
            let Some((inside, behind)) = may_end.then(|| after.split_once('>')).flatten() else {
                self.write_text("<");
                rest = after;
                continue;
            };
            rest = behind;
            let tag = HtmlTag::parse(inside);
            if !tag.is_end && UNREAD.contains(&tag.name.as_str()) && !inside.ends_with('/') {
                rest = skip_element(rest, &tag.name);
            } else {
                self.write_tag(&tag);
            }
        }
        self.write_text(rest);
        let lines = self.text.lines().map(str::trim_end);
        let mut page = String::new();
        let mut empty = 0;
        for line in lines {
            empty = if line.is_empty() { empty + 1 } else { 0 };
            if empty < 2 {
                page.push_str(line);
                page.push('\n');
            }
        }
        page.trim().to_owned()
    }

    fn write_tag(&mut self, tag: &HtmlTag<'_>) {
        let level =
            tag.name.strip_prefix('h').and_then(|level| level.parse::<usize>().ok()).filter(|level| *level <= 6);
        match tag.name.as_str() {
            "br" => self.text.push('\n'),
            "pre" => {
                self.preformatted =
                    if tag.is_end { self.preformatted.saturating_sub(1) } else { self.preformatted + 1 };
                self.start_block();
                if self.is_markdown {
                    self.text.push_str("```\n");
                }
            }
            "li" if !tag.is_end => {
                self.start_line();
                self.text.push_str("- ");
            }
            "td" | "th" if tag.is_end => self.text.push(' '),
            "a" if self.is_markdown => self.write_link(tag),
            _ if level.is_some() => {
                self.start_block();
                if self.is_markdown && !tag.is_end {
                    self.text.push_str(&"#".repeat(level.unwrap_or(1).max(1)));
                    self.text.push(' ');
                }
            }
            name if BLOCKS.contains(&name) => self.start_block(),
            name => {
                let mark = MARKS.iter().find(|(known, _)| *known == name).filter(|_| self.preformatted == 0);
                if let Some((_, mark)) = mark.filter(|_| self.is_markdown) {
                    self.text.push_str(mark);
                }
            }
        }
    }

    fn write_link(&mut self, tag: &HtmlTag<'_>) {
        if !tag.is_end {
            self.links.push(tag.attribute("href"));
            self.text.push('[');
        } else if let Some(target) = self.links.pop() {
            self.text.push_str(&format!("]({target})"));
        }
    }

    /// Text between tags. Whitespace is collapsed, as in a browser.
    fn write_text(&mut self, written: &str) {
        let decoded = decode_entities(written);
        if self.preformatted > 0 {
            self.text.push_str(&decoded);
            return;
        }
        for letter in decoded.chars() {
            if !letter.is_whitespace() {
                self.text.push(letter);
            } else if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
                self.text.push(' ');
            }
        }
    }

    fn start_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn start_block(&mut self) {
        self.start_line();
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }
}

impl<'a> HtmlTag<'a> {
    fn parse(inside: &'a str) -> Self {
        let (is_end, inside) = inside.strip_prefix('/').map_or((false, inside), |name| (true, name));
        let length = inside.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(inside.len());
        let (name, rest) = inside.split_at(length);
        Self { name: name.to_ascii_lowercase(), is_end, attributes: rest }
    }

    fn attribute(&self, name: &str) -> String {
        let lower = self.attributes.to_ascii_lowercase();
        let found = lower.find(&format!("{name}=")).map(|index| index + name.len() + 1);
        let value = found.and_then(|index| self.attributes.get(index..)).unwrap_or_default();
        let value = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value.split(quote).nth(1),
            _ => value.split([' ', '\n', '\t', '/']).next().filter(|value| !value.is_empty()),
        };
        decode_entities(value.unwrap_or_default())
    }
}

/// The text after the end of an element.
fn skip_element<'a>(html: &'a str, name: &str) -> &'a str {
    let mut rest = html;
    while let Some((_, after)) = rest.split_once("</") {
        if after.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return after.split_once('>').map_or("", |(_, behind)| behind);
        }
        rest = after;
    }
    ""
}

/// Text with named and numbered characters decoded.
fn decode_entities(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        rest = after;
        let end = after.bytes().take(MAX_ENTITY).position(|byte| byte == b';');
        let entity = end.and_then(|end| Some((after.get(..end)?, after.get(end + 1..)?)));
        match entity.and_then(|(name, behind)| Some((decode_entity(name)?, behind))) {
            Some((character, behind)) => {
                decoded.push_str(&character);
                rest = behind;
            }
            None => decoded.push('&'),
        }
    }
    decoded.push_str(rest);
    decoded
}

fn decode_entity(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, shown)| (*shown).to_owned());
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<!DOCTYPE html><html><head><title>T</title><style>b{}</style></head><body>\n\
        <h2>One &amp; two</h2><p>Some <b>bold</b>\n text &#8364; 1 &lt; 2.</p><script>if (a < b) { }</script>\
        <ul><li>first</li><li><a class=x href='/next?a=1&amp;b=2'>next</a></li></ul>\
        <pre>a\n  b</pre><!-- gone --><p>end<br>line";

    #[test]
    fn a_page_becomes_text_or_markdown() {
        let text = "One & two\n\nSome bold text € 1 < 2.\n\n- first\n- next\n\na\n  b\n\nend\nline";
        assert_eq!(to_text(PAGE), text);
        let markdown = "## One & two\n\nSome **bold** text € 1 < 2.\n\n- first\n- [next](/next?a=1&b=2)\n\n```\na\n  b\n\n```\n\nend\nline";
        assert_eq!(to_markdown(PAGE), markdown);
    }

    /// What takes minutes if each part is looked at again from every other.
    #[test]
    fn a_page_that_never_closes_anything_is_read_once() {
        for (part, count) in [("<a", 2_000_000), ("&", 2_000_000), ("<div>", 1_000_000), ("<ul><li>", 500_000)] {
            let page = part.repeat(count);
            assert!(to_markdown(&page).len() <= page.len(), "{part}");
        }
        assert_eq!(to_text(&"<script></".repeat(400_000)), "");
    }

    #[test]
    fn what_is_no_html_passes_through() {
        for (html, expected) in [
            ("", ""),
            ("a < b && c > d", "a < b && c > d"),
            ("<", "<"),
            ("<a", "<a"),
            ("<p", "<p"),
            ("&#xFFFFFFFF; &#; &x", "&#xFFFFFFFF; &#; &x"),
            ("<script>never ends", ""),
            ("<!-- never ends", ""),
            ("ä<ü>ö</ü>", "ä<ü>ö"),
        ] {
            assert_eq!(to_text(html), expected, "{html}");
        }
    }
}
