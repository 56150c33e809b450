//! The operators of `${NAME…}` on a known value.

use super::ShellArg;
use crate::paths::matches_glob;

/// Applies an operator to a value; `None` if its result cannot be known.
pub(super) fn apply_operator(value: &str, operator: &str, operand: &str) -> Option<String> {
    match operator {
        "" | ":-" | "-" | ":=" | "=" | ":?" | "?" => Some(value.to_owned()),
        "length" => Some(value.chars().count().to_string()),
        "^^" => Some(value.to_uppercase()),
        ",," => Some(value.to_lowercase()),
        "^" | "," => {
            let mut letters = value.chars();
            let first: String = letters.next().into_iter().collect();
            let first = if operator == "^" { first.to_uppercase() } else { first.to_lowercase() };
            Some(first + letters.as_str())
        }
        "#" | "##" | "%" | "%%" => Some(strip(value, operator, operand)),
        "/" | "//" | "/#" | "/%" => replace(value, operator, operand),
        _ => None,
    }
}

/// `OFFSET` and `LENGTH` of `:OFFSET:LENGTH`. A `?` has a `:` of its own.
pub(super) fn split_range(operand: &str) -> (&str, Option<&str>) {
    let (mut open, mut questions) = (0_usize, 0_usize);
    let end = operand.find(|letter| {
        match letter {
            '(' | '[' => open += 1,
            ')' | ']' => open = open.saturating_sub(1),
            '?' => questions += 1,
            ':' if open == 0 && questions == 0 => return true,
            ':' => questions = questions.saturating_sub(1),
            _ => {}
        }
        false
    });
    let split = end.and_then(|end| Some((operand.get(..end)?, Some(operand.get(end + 1..)?))));
    split.unwrap_or((operand, None))
}

/// Where a part begins and ends.
fn range_of(size: usize, offset: i64, length: Option<i64>) -> Option<(usize, usize)> {
    let size = i64::try_from(size).ok()?;
    let begin = if offset < 0 { size.checked_add(offset)? } else { offset.min(size) };
    let end = match length {
        None => size,
        Some(length) if length < 0 => size.checked_add(length)?,
        Some(length) => begin.saturating_add(length).min(size),
    };
    Some((usize::try_from(begin).ok()?, usize::try_from(end).ok()?))
}

/// A part of a text.
pub(super) fn cut_text(value: &str, offset: i64, length: Option<i64>) -> Option<String> {
    let letters: Vec<char> = value.chars().collect();
    let (begin, end) = range_of(letters.len(), offset, length)?;
    Some(letters.get(begin..end)?.iter().collect())
}

/// A part of a list.
pub(super) fn cut_list(values: Vec<ShellArg>, offset: i64, length: Option<i64>) -> Option<Vec<ShellArg>> {
    let (begin, end) = range_of(values.len(), offset, length)?;
    values.get(begin..end).map(<[ShellArg]>::to_vec)
}

/// `#`, `##`, `%`, `%%`: without the beginning or end that a pattern matches.
fn strip(value: &str, operator: &str, pattern: &str) -> String {
    let mut cuts: Vec<usize> = value.char_indices().map(|(index, _)| index).chain([value.len()]).take(512).collect();
    let is_front = operator.starts_with('#');
    // The shortest first: for the front that is the smallest index, for the end the largest.
    if is_front == (operator.len() == 2) {
        cuts.reverse();
    }
    let matched = cuts.into_iter().find(|cut| {
        let part = if is_front { value.get(..*cut) } else { value.get(*cut..) };
        part.is_some_and(|part| matches_glob(pattern, part))
    });
    let rest = matched.and_then(|cut| if is_front { value.get(cut..) } else { value.get(..cut) });
    rest.unwrap_or(value).to_owned()
}

/// `/PATTERN/TEXT`: only patterns without wildcards.
fn replace(value: &str, operator: &str, operand: &str) -> Option<String> {
    let (pattern, text) = operand.split_once('/').unwrap_or((operand, ""));
    if pattern.contains(['*', '?', '[']) || pattern.is_empty() {
        return None;
    }
    Some(match operator {
        "//" => value.replace(pattern, text),
        "/" => value.replacen(pattern, text, 1),
        "/#" => value.strip_prefix(pattern).map_or_else(|| value.to_owned(), |rest| format!("{text}{rest}")),
        _ => value.strip_suffix(pattern).map_or_else(|| value.to_owned(), |rest| format!("{rest}{text}")),
    })
}
