//! Where a place is in YAML, TOML or JSON that may not be finished: below which keys, and in a key or a value.
//!
//! A document that is being typed seldom parses, so this reads lines and brackets, not a grammar.

/// A step from a mapping or a list to what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DataStep {
    /// The value of a key.
    Key(String),
    /// An item of a list.
    Item,
}

/// A place in data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DataCursor {
    /// The way from the whole document: to the mapping whose key this is, or to this value.
    pub(super) path: Vec<DataStep>,
    /// Whether the place is in a key.
    pub(super) is_key: bool,
    /// Whether a new key needs its colon.
    pub(super) is_bare: bool,
}

/// The notation of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataNotation {
    Yaml,
    Toml,
    Json,
}

impl DataCursor {
    /// Finds where the end of a text is; what follows on its line is not needed.
    pub(super) fn at_end_of(before: &str, notation: DataNotation) -> Self {
        match notation {
            DataNotation::Yaml => yaml_cursor(before),
            DataNotation::Toml => toml_cursor(before),
            DataNotation::Json => flow_cursor(before, Vec::new()),
        }
    }

    /// Whether the place is a key of a payload, as examples and cases have it.
    pub(super) fn is_payload_key(&self) -> bool {
        self.is_key && matches!(self.path.last(), Some(DataStep::Key(key)) if key == "payload")
    }

    /// Whether the place is the name of the tool in a payload.
    pub(super) fn is_payload_tool(&self) -> bool {
        let is_name = |steps: &[DataStep]| matches!(steps, [DataStep::Key(payload), DataStep::Key(name)] if payload == "payload" && name == "name");
        !self.is_key && self.path.last_chunk::<2>().is_some_and(|steps| is_name(steps))
    }

    /// The key that the place is the value of.
    pub(super) fn value_key(&self) -> Option<&str> {
        if self.is_key {
            return None;
        }
        self.path.iter().rev().find_map(|step| match step {
            DataStep::Key(key) => Some(key.as_str()),
            DataStep::Item => None,
        })
    }
}

/// A part of a line of YAML, with its column.
enum YamlPart<'l> {
    Item(usize),
    Key(usize, &'l str),
}

/// The markers of list items and the key that a line starts with, and what follows.
fn split_line(line: &str) -> (Vec<YamlPart<'_>>, usize) {
    let mut parts = Vec::new();
    let mut column = line.len() - line.trim_start_matches(' ').len();
    while let Some(rest) =
        line.get(column..).and_then(|rest| rest.strip_prefix("- ").or(if rest == "-" { Some("") } else { None }))
    {
        parts.push(YamlPart::Item(column));
        column = line.len() - rest.trim_start_matches(' ').len();
    }
    let rest = line.get(column..).unwrap_or_default();
    if let Some(end) = find_key_end(rest) {
        let key = rest.get(..end).unwrap_or_default().trim().trim_matches(['"', '\'']);
        parts.push(YamlPart::Key(column, key));
        column += end + 1;
    }
    (parts, column)
}

/// The colon that ends the key at the start of a text.
fn find_key_end(text: &str) -> Option<usize> {
    if text.starts_with(['{', '[', '#']) {
        return None;
    }
    let ends = text.match_indices(':').map(|(end, _)| end);
    ends.into_iter()
        .find(|end| text.get(end + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r'])))
}

fn yaml_cursor(before: &str) -> DataCursor {
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.get(line_start..).unwrap_or_default();
    let (parts, rest_start) = split_line(line);
    let is_value = matches!(parts.last(), Some(YamlPart::Key(..)));
    let mut path = Vec::new();
    // Parts of this line that the place is in, from the right.
    let mut limit = rest_start;
    if let Some(YamlPart::Key(column, key)) = parts.last() {
        path.push(DataStep::Key((*key).to_owned()));
        limit = *column;
    }
    let mut may_equal = false;
    for part in parts.iter().rev() {
        if let YamlPart::Item(column) = part {
            path.push(DataStep::Item);
            (limit, may_equal) = (*column, true);
        }
    }
    for line in before.get(..line_start).unwrap_or_default().lines().rev() {
        if limit == 0 && !may_equal {
            break;
        }
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        for part in split_line(line).0.iter().rev() {
            match part {
                YamlPart::Key(column, key) if *column < limit || (may_equal && *column == limit) => {
                    path.push(DataStep::Key((*key).to_owned()));
                    (limit, may_equal) = (*column, false);
                }
                YamlPart::Item(column) if *column < limit => {
                    path.push(DataStep::Item);
                    (limit, may_equal) = (*column, true);
                }
                _ => {}
            }
        }
    }
    path.reverse();
    let rest = line.get(rest_start..).unwrap_or_default();
    match rest.trim_start().starts_with(['{', '[']) {
        true => flow_cursor(rest, path),
        false => DataCursor { path, is_key: !is_value, is_bare: true },
    }
}

/// The place in `{..}` and `[..]`, which JSON is made of.
fn flow_cursor(text: &str, base: Vec<DataStep>) -> DataCursor {
    let mut path = base;
    let mut open: Vec<(char, usize)> = Vec::new();
    let (mut word, mut is_value) = (String::new(), true);
    let (mut quote, mut is_escaped) = (None, false);
    for letter in text.chars() {
        if let Some(own) = quote {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' if own == '"' => is_escaped = true,
                _ if letter == own => quote = None,
                _ => word.push(letter),
            }
            continue;
        }
        match letter {
            '"' | '\'' => {
                quote = Some(letter);
                word.clear();
            }
            '{' | '[' => {
                open.push((letter, path.len()));
                if letter == '[' {
                    path.push(DataStep::Item);
                }
                is_value = letter == '[';
                word.clear();
            }
            ':' if matches!(open.last(), Some(('{', _))) && !is_value => {
                path.push(DataStep::Key(std::mem::take(&mut word).trim().to_owned()));
                is_value = true;
            }
            ',' => {
                if let Some((bracket, depth)) = open.last() {
                    path.truncate(if *bracket == '[' { depth + 1 } else { *depth });
                    is_value = *bracket == '[';
                }
                word.clear();
            }
            '}' | ']' => {
                if let Some((_, depth)) = open.pop() {
                    path.truncate(depth);
                }
                is_value = true;
                word.clear();
            }
            letter if letter.is_whitespace() && word.is_empty() => {}
            letter => word.push(letter),
        }
    }
    DataCursor { path, is_key: !is_value, is_bare: quote.is_none() }
}

fn toml_cursor(before: &str) -> DataCursor {
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.get(line_start..).unwrap_or_default();
    let mut path = Vec::new();
    let header = before.get(..line_start).unwrap_or_default().lines().rev().find(|line| line.starts_with('['));
    if let Some(header) = header {
        let is_list = header.starts_with("[[");
        let names: Vec<&str> = header.trim_matches(['[', ']', ' ', '\r']).split('.').map(str::trim).collect();
        for name in names {
            path.push(DataStep::Key(name.to_owned()));
            // `[[personas.steps]]` are steps of the last persona.
            if is_list {
                path.push(DataStep::Item);
            }
        }
    }
    match line.split_once('=') {
        None => DataCursor { path, is_key: true, is_bare: true },
        Some((key, value)) => {
            path.push(DataStep::Key(key.trim().to_owned()));
            flow_cursor(value, path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, notation: DataNotation) -> String {
        let cursor = DataCursor::at_end_of(before, notation);
        let steps: Vec<String> = cursor
            .path
            .iter()
            .map(|step| match step {
                DataStep::Key(key) => key.clone(),
                DataStep::Item => String::from("-"),
            })
            .collect();
        format!("{} {}", steps.join("."), if cursor.is_key { "key" } else { "value" })
    }

    #[test]
    fn places_in_yaml_are_found() {
        let cases = [
            ("", " key"),
            ("ev", " key"),
            ("event: ", "event value"),
            ("event: to", "event value"),
            ("examples:\n  - ", "examples.- key"),
            ("examples:\n- call: x\n  ", "examples.- key"),
            ("examples:\n- call: x\n  expect: a", "examples.-.expect value"),
            ("a:\n  b:\n    c: 1\n  d: ", "a.d value"),
            ("a:\n  b: 1\n", " key"),
            ("a:\n\n  # x\n  b", "a key"),
            ("deny:\n  - read: {inside: ", "deny.-.read.inside value"),
            ("deny:\n  - read: {inside: home, ta", "deny.-.read key"),
            ("use: [git, ", "use.- value"),
            ("use:\n  - gi", "use.- key"),
            ("- {call: x, expect: ", "-.expect value"),
            (
                "agents:\n  root:\n    hooks:\n      pre_tool_use:\n        - matcher: x\n          hooks:\n            - type: ",
                "agents.root.hooks.pre_tool_use.-.hooks.-.type value",
            ),
            ("- - - ", "-.-.- key"),
        ];
        for (before, wanted) in cases {
            assert_eq!(shown(before, DataNotation::Yaml), wanted, "{before:?}");
        }
    }

    #[test]
    fn places_in_toml_and_json_are_found() {
        let toml = [
            ("[[hooks]]\nevent = \"", "hooks.-.event value"),
            ("[[hooks]]\nev", "hooks.- key"),
            ("[package]\n", "package key"),
            ("[[personas.steps]]\ntools = [\"", "personas.-.steps.-.tools.- value"),
        ];
        for (before, wanted) in toml {
            assert_eq!(shown(before, DataNotation::Toml), wanted, "{before:?}");
        }
        let json = [
            ("{\"", " key"),
            ("{\"hooks\": {\"", "hooks key"),
            ("{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"B", "hooks.PreToolUse.-.matcher value"),
            ("{\"a\": [1, 2], \"b\": {\"c\": 1}, \"", " key"),
            ("{\"a\": \"x\\\"y\", \"b\": ", "b value"),
            ("]}}[", "- value"),
        ];
        for (before, wanted) in json {
            assert_eq!(shown(before, DataNotation::Json), wanted, "{before:?}");
        }
    }
}
