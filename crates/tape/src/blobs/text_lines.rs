//! Texts that are written in lines, so that a text which repeats most of an earlier one costs what is new in it.

use std::collections::VecDeque;
use std::io::Write as _;
use std::ops::Range;

use pintle_contract::to_hex;

use super::BlobName;

/// The number of texts that are remembered.
const MOST_TEXTS: usize = 4;
/// The maximum size of the JSON text of a text that is remembered or compared.
const MOST_TEXT_BYTES: usize = 64 << 10;
/// One divided by the part of a text that may be new. Each text then costs about as much for what is new in it as for
/// its share of the text that the others refer to.
const LEAST_SHARED: usize = 6;
/// The minimum size of a line that is searched farther on. Shorter ones occur everywhere.
const LONG_LINE_BYTES: usize = 8;

/// The texts that were written last in full, the newest first, from which the next one may take lines.
#[derive(Debug, Default)]
pub(crate) struct RecentTexts(VecDeque<RecentText>);

#[derive(Debug)]
struct RecentText {
    name: BlobName,
    json: Vec<u8>,
}

impl RecentTexts {
    /// Adds the newest text of the tape, given as its JSON text. Returns the content of its blob from `of` on if an
    /// earlier text has most of its lines. Otherwise it has to be written in full.
    pub(crate) fn add(&mut self, name: BlobName, json: &[u8]) -> Option<Vec<u8>> {
        if json.first() != Some(&b'"') || json.len() > MOST_TEXT_BYTES {
            return None;
        }
        let content = self.0.iter().find_map(|known| known.encode_lines_of(json));
        if content.is_none() {
            self.0.truncate(MOST_TEXTS - 1);
            self.0.push_front(RecentText { name, json: json.to_vec() });
        }
        content
    }
}

impl RecentText {
    /// The content of the blob of another text; `None` if too much in it is new.
    fn encode_lines_of(&self, json: &[u8]) -> Option<Vec<u8>> {
        enum LinePart {
            Slice(Range<usize>),
            New(Vec<u8>),
        }
        if first_line(&self.json) != first_line(json) {
            return None;
        }
        let known = split_lines(&self.json);
        let (mut parts, mut position) = (Vec::new(), 0);
        let mut most_new_bytes = json.len() / LEAST_SHARED;
        for line in split_lines(json) {
            let farther = known.iter().skip(position).take(if line.len() < LONG_LINE_BYTES { 1 } else { usize::MAX });
            let found = farther.zip(position..).find_map(|(known, index)| (*known == line).then_some(index));
            if let Some(index) = found {
                position = index + 1;
            } else {
                most_new_bytes = most_new_bytes.checked_sub(line.len())?;
            }
            match (found, parts.last_mut()) {
                (Some(index), Some(LinePart::Slice(range))) if range.end == index => range.end += 1,
                (Some(index), _) => parts.push(LinePart::Slice(index..index + 1)),
                (None, Some(LinePart::New(text))) => text.extend_from_slice(line),
                (None, _) => parts.push(LinePart::New(line.to_vec())),
            }
        }
        let mut content = format!("\"{}\",\"lines\":[", to_hex(&self.name)).into_bytes();
        for (index, part) in parts.iter().enumerate() {
            content.extend_from_slice(if index > 0 { b"," } else { b"" });
            // Writing to memory cannot fail.
            drop(match part {
                LinePart::Slice(range) => write!(content, "[{},{}]", range.start, range.end),
                LinePart::New(text) => content.write_all(&[b"\"", &text[..], b"\""].concat()),
            });
        }
        content.push(b']');
        (content.len() < json.len() / 2).then_some(content)
    }
}

/// Where the lines of a text end in its JSON text.
pub(super) fn find_line_ends(json: &[u8]) -> Vec<usize> {
    let mut end = 1;
    split_lines(json)
        .iter()
        .map(|line| {
            end += line.len();
            end
        })
        .collect()
}

/// The lines of a text as they are in its JSON text, each with its end.
fn split_lines(json: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut rest = between_quotes(json);
    while !rest.is_empty() {
        let (line, after) = rest.split_at_checked(line_bytes(rest)).unwrap_or((rest, b""));
        lines.push(line);
        rest = after;
    }
    lines
}

fn first_line(json: &[u8]) -> Option<&[u8]> {
    let text = between_quotes(json);
    text.get(..line_bytes(text))
}

/// The JSON text of a string without its quotes.
pub(super) fn between_quotes(json: &[u8]) -> &[u8] {
    json.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or_default()
}

/// The size of the first line, with its end.
fn line_bytes(text: &[u8]) -> usize {
    let mut size_bytes = 0;
    loop {
        let rest = text.get(size_bytes..).unwrap_or_default();
        match rest.iter().position(|byte| *byte == b'\\') {
            None => return text.len(),
            Some(index) => size_bytes = (size_bytes + index + 2).min(text.len()),
        }
        if text.get(..size_bytes).is_some_and(|line| line.ends_with(b"n")) {
            return size_bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_json(text: &str) -> Vec<u8> {
        serde_json::to_vec(text).unwrap()
    }

    #[test]
    fn lines_end_where_the_text_has_line_ends() {
        let json = to_json("a\n\n\\n\u{fc}\tn\r\nb");
        let lines: Vec<&str> = split_lines(&json).into_iter().map(|line| std::str::from_utf8(line).unwrap()).collect();
        assert_eq!(lines, ["a\\n", "\\n", "\\\\n\u{fc}\\tn\\r\\n", "b"]);
        assert_eq!(find_line_ends(&json), [4, 6, 18, 19]);
        for none in ["\"\"", "", "\"", "\"\\\""] {
            assert!(split_lines(none.as_bytes()).len() <= 1, "{none}");
        }
    }

    #[test]
    fn a_window_that_moves_costs_what_is_new_in_it() {
        let window = |from: usize| {
            let lines: Vec<String> = (from..from + 100).map(|number| format!("thought number {number}")).collect();
            to_json(&format!("Thoughts:\n{}", lines.join("\n")))
        };
        let (mut texts, mut size_bytes, mut whole) = (RecentTexts::default(), 0, 0);
        for from in 100..200 {
            match texts.add([0; 16], &window(from)) {
                Some(content) => size_bytes += content.len(),
                None => (size_bytes, whole) = (size_bytes + window(from).len(), whole + 1),
            }
        }
        assert!(whole < 10 && size_bytes / 100 < 380, "{whole} in full, {size_bytes} bytes");
    }

    #[test]
    fn texts_that_share_little_are_written_in_full() {
        let mut texts = RecentTexts::default();
        let of = |line: &str, count: usize| to_json(&format!("first\n{}", format!("{line}\n").repeat(count)));
        assert_eq!(texts.add([10; 16], &of("one line", 100)), None);
        assert_eq!(texts.add([1; 16], &of("another line", 100)), None);
        assert_eq!(texts.add([2; 16], &to_json(&"x".repeat(2_000))), None);
        assert_eq!(texts.add([3; 16], b"{\"a\":1}"), None);
        let content = texts.add([4; 16], &of("one line", 99)).unwrap();
        assert_eq!(content, format!("\"{}\",\"lines\":[[0,100]]", "0a".repeat(16)).as_bytes());
    }
}
