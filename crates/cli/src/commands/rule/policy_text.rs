//! Edits the rules in the text of a policy file, and leaves everything else in it as it is.

/// What a new file begins with.
const HEAD: &str =
    "# Rules of your own. `pintle rule list` shows them, `pintle try 'COMMAND'` what happens to a call.\n";

/// The text with one more rule at the end of a list. `item` is its YAML, without the hyphen. `None` if the list is
/// written in one line, or in another form that only a person can edit.
pub(super) fn add_rule(text: &str, key: &str, item: &[String]) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if text.trim().is_empty() {
        lines = HEAD.lines().map(str::to_owned).collect();
    }
    let Some(start) = find_key(&lines, key) else {
        lines.push(format!("{key}:"));
        lines.extend(item_lines(item, 2));
        return Some(joined(&lines, text));
    };
    let items = list_range(&lines, start, key)?;
    let first = lines.get(items.clone())?.iter().find(|line| is_content(line))?;
    if !first.trim_start().starts_with("- ") {
        return None;
    }
    let indent = indent_of(first);
    let last = items.clone().rev().find(|index| lines.get(*index).is_some_and(|line| is_content(line)))?;
    lines.splice(last + 1..last + 1, item_lines(item, indent));
    Some(joined(&lines, text))
}

/// The text without the rule that begins on a line, counted from 1. `None` if the rule is not an item of a list that has
/// its lines for itself.
pub(super) fn remove_rule(text: &str, line: usize) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let start = line.checked_sub(1)?;
    let item = lines.get(start)?;
    if !item.trim_start().starts_with("- ") {
        return None;
    }
    let indent = indent_of(item);
    let is_part = |line: &&String| !is_content(line) || indent_of(line) > indent;
    let mut end = start + 1 + lines.iter().skip(start + 1).take_while(is_part).count();
    // Comments and empty lines in front of what follows belong to that.
    while lines.get(end - 1).is_some_and(|line| end - 1 > start && !is_content(line)) {
        end -= 1;
    }
    lines.drain(start..end);
    // A key without items would be a mistake in the file.
    let key = (0..start).rev().find(|index| lines.get(*index).is_some_and(|line| is_content(line)))?;
    let is_last = lines
        .get(key)
        .is_some_and(|line| line.ends_with(':') && indent_of(line) <= indent && !line.trim_start().starts_with('-'))
        && lines
            .iter()
            .skip(key + 1)
            .find(|line| is_content(line))
            .is_none_or(|line| !line.trim_start().starts_with("- "));
    if is_last {
        lines.remove(key);
    }
    Some(joined(&lines, text))
}

/// A text as a value in YAML, in quotes if it would be read as something else.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " ./_-~=".contains(letter);
    let starts_plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '.' || first == '/');
    let is_word = |word: &&str| text.eq_ignore_ascii_case(word);
    let is_value = ["true", "false", "null", "yes", "no", "on", "off"].iter().any(is_word);
    if starts_plain && text.chars().all(is_plain) && !text.ends_with(' ') && !is_value && text.parse::<f64>().is_err() {
        return text.to_owned();
    }
    if text.chars().any(char::is_control) {
        return serde_json::Value::from(text).to_string();
    }
    format!("'{}'", text.replace('\'', "''"))
}

fn find_key(lines: &[String], key: &str) -> Option<usize> {
    lines.iter().position(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
}

/// The lines of the list of a key. `None` if something else is on the key's own line.
fn list_range(lines: &[String], start: usize, key: &str) -> Option<std::ops::Range<usize>> {
    let rest = lines.get(start)?.strip_prefix(key)?.strip_prefix(':')?.trim();
    if !rest.is_empty() && !rest.starts_with('#') {
        return None;
    }
    let belongs = |line: &&String| !is_content(line) || line.starts_with([' ', '-']);
    Some(start + 1..start + 1 + lines.iter().skip(start + 1).take_while(belongs).count())
}

fn item_lines(item: &[String], indent: usize) -> Vec<String> {
    let line =
        |(index, text): (usize, &String)| format!("{:indent$}{}{text}", "", if index == 0 { "- " } else { "  " });
    item.iter().enumerate().map(line).collect()
}

fn is_content(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The lines with the line ends that the text had.
fn joined(lines: &[String], text: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    lines.iter().map(|line| format!("{line}{end}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> Vec<String> {
        text.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn a_rule_is_added_behind_the_others() {
        let add = |text: &str| add_rule(text, "deny", &item("run: x|reason: y"));
        assert_eq!(add("use: [shell]\n").unwrap(), "use: [shell]\ndeny:\n  - run: x\n    reason: y\n");
        let text = "deny:  # mine\n- a\n# last\n\nask:\n- b\n";
        assert_eq!(add(text).unwrap(), "deny:  # mine\n- a\n- run: x\n  reason: y\n# last\n\nask:\n- b\n");
        let text = "ask:\n  - b\ndeny:\n    - run: a\n      reason: z\n";
        assert_eq!(add(text).unwrap(), format!("{text}    - run: x\n      reason: y\n"));
        assert_eq!(add("use: [git]\r\n").unwrap(), "use: [git]\r\ndeny:\r\n  - run: x\r\n    reason: y\r\n");
        assert!(add("").unwrap().starts_with("# Rules"));
        for text in ["deny: [a]\n", "deny: a\n", "deny:\n  run: a\n", "deny:\n"] {
            assert_eq!(add(text), None, "{text}");
        }
    }

    #[test]
    fn a_rule_is_removed_with_its_lines() {
        let text =
            "use: [git]\ndeny:\n  - a\n  # about b\n  - run: b\n    reason: x\n\n  # about c\n  - c\nask:\n  - d\n";
        let without_b = "use: [git]\ndeny:\n  - a\n  # about b\n\n  # about c\n  - c\nask:\n  - d\n";
        assert_eq!(remove_rule(text, 5).as_deref(), Some(without_b));
        let without_d = "use: [git]\ndeny:\n  - a\n  # about b\n  - run: b\n    reason: x\n\n  # about c\n  - c\n";
        assert_eq!(remove_rule(text, 11).as_deref(), Some(without_d));
        assert_eq!(remove_rule("deny: [a]\n", 1), None);
        assert_eq!(remove_rule("deny:\n- a\n", 2).as_deref(), Some(""));
    }

    #[test]
    fn values_are_quoted_where_they_need_it() {
        for (text, expected) in [
            ("npm publish", "npm publish"),
            ("a: b", "'a: b'"),
            ("*.pem", "'*.pem'"),
            ("it's", "'it''s'"),
            ("no", "'no'"),
            ("1.5", "'1.5'"),
            ("~/x", "'~/x'"),
            ("a\nb", "\"a\\nb\""),
            ("", "''"),
        ] {
            assert_eq!(quoted(text), expected, "{text}");
        }
    }
}
