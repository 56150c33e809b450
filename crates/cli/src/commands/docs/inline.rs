//! The text of a paragraph or a cell: its links, its code and its emphasis.

use clap::builder::styling::{AnsiColor, Style};

/// How a character looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextLook {
    Plain,
    Strong,
    Code,
    /// Where a link leads.
    Target,
}

/// Characters with their looks.
pub(super) type LookedText = Vec<(char, TextLook)>;

/// A link in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkdownLink<'t> {
    /// What it shows.
    text: &'t str,
    pub(super) target: &'t str,
    /// The text behind it.
    pub(super) rest: &'t str,
}

/// The links of a line.
pub(super) fn links(mut line: &str) -> impl Iterator<Item = MarkdownLink<'_>> {
    std::iter::from_fn(move || {
        let link = line.match_indices('[').find_map(|(start, _)| parse_link(line.get(start..)?))?;
        line = link.rest;
        Some(link)
    })
}

/// The link that a text begins with.
fn parse_link(text: &str) -> Option<MarkdownLink<'_>> {
    let (shown, behind) = text.strip_prefix('[')?.split_once("](")?;
    let (target, rest) = behind.split_once(')')?;
    (!shown.contains('[')).then_some(MarkdownLink { text: shown, target, rest })
}

/// Reads a text. The function says what is shown behind the text of a link.
pub(super) fn parse(mut text: &str, shown_target: &mut dyn FnMut(&str) -> Option<String>) -> LookedText {
    let mut looked = LookedText::new();
    let mut look = TextLook::Plain;
    while let Some(first) = text.chars().next() {
        let rest = text.get(first.len_utf8()..).unwrap_or_default();
        if let Some((code, rest)) = rest.split_once('`').filter(|_| first == '`') {
            looked.extend(code.chars().map(|letter| (letter, TextLook::Code)));
            text = rest;
        } else if let Some(link) = parse_link(text) {
            let target = shown_target(link.target);
            looked.extend(parse(link.text, &mut |_| None));
            if let Some(target) = target {
                looked.extend([(' ', TextLook::Plain), ('(', TextLook::Plain)]);
                looked.extend(target.chars().map(|letter| (letter, TextLook::Target)));
                looked.push((')', TextLook::Plain));
            }
            text = link.rest;
        } else if let Some(escaped) = rest.chars().next().filter(|next| first == '\\' && next.is_ascii_punctuation()) {
            looked.push((escaped, look));
            text = rest.get(escaped.len_utf8()..).unwrap_or_default();
        } else if first == '*' && is_emphasis(looked.last().map(|(letter, _)| *letter), rest) {
            look = if look == TextLook::Plain { TextLook::Strong } else { TextLook::Plain };
            text = rest.trim_start_matches('*');
        } else {
            // A picture shows its words.
            let is_picture = first == '!' && parse_link(rest).is_some();
            looked.extend((!is_picture).then_some((first, look)));
            text = rest;
        }
    }
    looked
}

/// Whether a star begins or ends an emphasis: it touches a word.
fn is_emphasis(before: Option<char>, rest: &str) -> bool {
    let after = rest.trim_start_matches('*').chars().next();
    let is_word = |letter: Option<char>| letter.is_some_and(|letter| !letter.is_whitespace());
    is_word(before) != is_word(after)
        || before.is_some_and(|letter| !letter.is_alphanumeric()) && is_word(after)
        || after.is_some_and(|letter| !letter.is_alphanumeric()) && is_word(before)
}

/// Breaks a text between words, into lines of at most this many columns.
pub(super) fn wrap(text: &[(char, TextLook)], columns: usize) -> Vec<LookedText> {
    let mut lines = vec![LookedText::new()];
    for word in text.split(|(letter, _)| *letter == ' ').filter(|word| !word.is_empty()) {
        let used = lines.last().map_or(0, Vec::len);
        if used > 0 && used + 1 + word.len() > columns {
            lines.push(LookedText::new());
        }
        if let Some(line) = lines.last_mut() {
            // A space within code looks like it.
            let is_code = |letter: Option<&(char, TextLook)>| letter.is_some_and(|(_, look)| *look == TextLook::Code);
            let space = if is_code(line.last()) && is_code(word.first()) { TextLook::Code } else { TextLook::Plain };
            line.extend((!line.is_empty()).then_some((' ', space)));
            line.extend(word);
        }
    }
    lines
}

/// The text with codes of colours.
pub(super) fn paint(text: &[(char, TextLook)]) -> String {
    let runs = text.chunk_by(|(_, one), (_, other)| one == other);
    runs.map(|run| {
        let style = match run.first().map(|(_, look)| *look) {
            Some(TextLook::Strong) => Style::new().bold(),
            Some(TextLook::Code) => AnsiColor::Cyan.on_default(),
            Some(TextLook::Target) => Style::new().underline(),
            Some(TextLook::Plain) | None => Style::new(),
        };
        let shown: String = run.iter().map(|(letter, _)| *letter).collect();
        format!("{style}{shown}{style:#}")
    })
    .collect()
}
