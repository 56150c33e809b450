//! What is being written at a place of a script.

use pintle_host::contract::ByteSpan;

/// A place in Starlark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScriptCursor {
    /// The name of a field of a variable: `payload["`, `op.get("`.
    Field { variable: String },
    /// A text that a field is compared with: `payload["name"] == "`.
    Word { field: String },
    /// A name, perhaps behind a namespace.
    Name { namespace: String },
    /// A text, a comment or a number, about which nothing is known.
    Other,
}

impl ScriptCursor {
    /// Finds what is written between the parts of a line before and after a place.
    pub(super) fn find(before: &str, after: &str) -> Self {
        match find_open_quote(before) {
            Some(quote) => in_text(before.get(..quote).unwrap_or_default(), after),
            None if before.contains('#') => Self::Other,
            None => {
                let name_start =
                    before.rfind(|letter: char| !is_name_letter(letter) && letter != '.').map_or(0, |end| {
                        end + before.get(end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
                    });
                let word = before.get(name_start..).unwrap_or_default();
                if word.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
                    return Self::Other;
                }
                let namespace = word.rsplit_once('.').map_or("", |(namespace, _)| namespace);
                Self::Name { namespace: namespace.to_owned() }
            }
        }
    }
}

fn is_name_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The quote of a text that is not closed.
fn find_open_quote(before: &str) -> Option<usize> {
    let mut open: Option<(usize, char)> = None;
    let mut is_escaped = false;
    for (index, letter) in before.char_indices() {
        match open {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if letter == '\\' => is_escaped = true,
            Some((_, quote)) if quote == letter => open = None,
            None if matches!(letter, '"' | '\'') => open = Some((index, letter)),
            None if letter == '#' => return None,
            _ => {}
        }
    }
    open.map(|(index, _)| index)
}

fn in_text(before_quote: &str, after: &str) -> ScriptCursor {
    let before = before_quote.trim_end();
    let opened = before.strip_suffix('[').or_else(|| before.strip_suffix(".get("));
    if let Some(variable) = opened.map(last_name).filter(|variable| !variable.is_empty()) {
        return ScriptCursor::Field { variable: variable.to_owned() };
    }
    // Behind an operator, or in a list of texts behind `in`.
    let mut compared = ["==", "!=", " in ["].iter().chain(&[" in ("]).filter_map(|operator| {
        let (start, rest) = before.rsplit_once(operator)?;
        let is_list = operator.contains("in");
        let is_open = if is_list { !rest.contains([']', ')']) } else { rest.trim().is_empty() };
        is_open.then(|| last_field(start)).flatten()
    });
    if let Some(field) = compared.next_back() {
        return ScriptCursor::Word { field: field.to_owned() };
    }
    // `"x" in op["tags"]`.
    let behind = after.split_once(['"', '\'']).map_or(after, |(_, behind)| behind).trim_start();
    let field = behind.strip_prefix("in ").or_else(|| behind.strip_prefix("not in ")).and_then(first_field);
    field.map_or(ScriptCursor::Other, |field| ScriptCursor::Word { field: field.to_owned() })
}

fn last_name(text: &str) -> &str {
    let start = text.char_indices().rev().take_while(|(_, letter)| is_name_letter(*letter)).last();
    start.and_then(|(start, _)| text.get(start..)).unwrap_or_default()
}

/// The field in the last `["field"]` or `.get("field")` of a text.
fn last_field(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let text = text.strip_suffix(" not").unwrap_or(text).trim_end().trim_end_matches([']', ')']);
    let text = text.strip_suffix(", \"\"").or_else(|| text.strip_suffix(", []")).unwrap_or(text);
    let text = text.strip_suffix(['"', '\''])?;
    text.rsplit_once(['"', '\'']).map(|(_, field)| field)
}

/// The field in the first `["field"]` or `.get("field")` of a text.
fn first_field(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(['"', '\''])?;
    rest.split_once(['"', '\'']).map(|(field, _)| field)
}

/// The list of the payload whose items a variable is: `for op in payload["operations"]`.
pub(super) fn list_of_variable<'s>(script: &'s str, variable: &str) -> Option<&'s str> {
    let loops = script.match_indices("for ").filter_map(|(start, _)| script.get(start + 4..));
    loops.into_iter().find_map(|rest| {
        let (name, rest) = rest.split_once(" in ")?;
        let list = rest.strip_prefix("payload")?;
        let list = list.strip_prefix('[').or_else(|| list.strip_prefix(".get("))?;
        (name.trim() == variable).then(|| first_field(list)).flatten()
    })
}

/// The bytes of the whole word at a place of a line, without what only ends a sentence.
pub(super) fn word_around(line: &str, byte: usize) -> ByteSpan {
    let is_part = |letter: char| is_name_letter(letter) || matches!(letter, '.' | '-' | '/' | ':' | '$' | '~');
    let byte = line.floor_char_boundary(byte);
    let (before, after) = (line.get(..byte).unwrap_or_default(), line.get(byte..).unwrap_or_default());
    let found = before.char_indices().rev().take_while(|(_, letter)| is_part(*letter)).last();
    let start = found.map_or(byte, |(start, _)| start);
    let length: usize = after.chars().take_while(|letter| is_part(*letter)).map(char::len_utf8).sum();
    let word = line.get(start..byte + length).unwrap_or_default();
    let start = start + (word.len() - word.trim_start_matches(':').len());
    let end = start + word.trim_start_matches(':').trim_end_matches([':', '.']).len();
    ByteSpan { start, end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_found() {
        let field = |variable: &str| ScriptCursor::Field { variable: variable.to_owned() };
        let word = |field: &str| ScriptCursor::Word { field: field.to_owned() };
        let name = |namespace: &str| ScriptCursor::Name { namespace: namespace.to_owned() };
        let cases = [
            ("if payload[\"", "", field("payload")),
            ("op.get(\"ta", "\")", field("op")),
            ("payload[\"name\"] == \"", "", word("name")),
            ("payload[\"name\"] in [\"Bash\", \"", "", word("name")),
            ("if op.get(\"place\") not in [\"", "", word("place")),
            ("if op.get(\"place\", \"\") == \"", "", word("place")),
            ("if \"", "\" in op.get(\"tags\", [])", word("tags")),
            ("return blo", "", name("")),
            ("metrics.in", "", name("metrics")),
            ("x = \"ä ", "\"", ScriptCursor::Other),
            ("# payload[\"", "", ScriptCursor::Other),
            ("x = 1.", "", ScriptCursor::Other),
            ("", "", name("")),
        ];
        for (before, after, wanted) in cases {
            assert_eq!(ScriptCursor::find(before, after), wanted, "{before}|{after}");
        }
    }

    #[test]
    fn variables_of_loops_are_items_of_lists() {
        let script = "for op in payload[\"operations\"]:\n  for c in payload.get('commands', []):\n";
        assert_eq!(list_of_variable(script, "op"), Some("operations"));
        assert_eq!(list_of_variable(script, "c"), Some("commands"));
        assert_eq!(list_of_variable(script, "x"), None);
    }

    #[test]
    fn words_are_found_around_a_place() {
        let cases = [
            ("event: tool.pre", 9, "tool.pre"),
            ("  priority: 1", 4, "priority"),
            ("see ./guard.sh.", 8, "./guard.sh"),
            ("é", 1, "é"),
            ("::", 1, ""),
            ("", 9, ""),
        ];
        for (line, byte, wanted) in cases {
            let ByteSpan { start, end } = word_around(line, byte);
            assert_eq!(&line[start..end], wanted, "{line}");
        }
    }
}
