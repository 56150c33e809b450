//! The operators of `${NAME…}` on a known value.

use crate::paths::matches_glob;

/// Applies an operator to a value; `None` if its result cannot be known.
pub(super) fn apply_operator(value: &str, operator: &str, operand: &str) -> Option<String> {
    match operator {
        "" | ":-" | "-" | ":=" | "=" | ":?" | "?" => Some(value.to_owned()),
        ":+" | "+" => Some(operand.to_owned()),
        "length" => Some(value.chars().count().to_string()),
        "^^" => Some(value.to_uppercase()),
        ",," => Some(value.to_lowercase()),
        "^" | "," => {
            let mut letters = value.chars();
            let first: String = letters.next().into_iter().collect();
            let first = if operator == "^" { first.to_uppercase() } else { first.to_lowercase() };
            Some(first + letters.as_str())
        }
        ":" => cut(value, operand),
        "#" | "##" | "%" | "%%" => Some(strip(value, operator, operand)),
        "/" | "//" | "/#" | "/%" => replace(value, operator, operand),
        _ => None,
    }
}

/// `:OFFSET` and `:OFFSET:LENGTH`.
fn cut(value: &str, operand: &str) -> Option<String> {
    let (from, count) = operand.split_once(':').map_or((operand, None), |(from, count)| (from, Some(count)));
    let letters: Vec<char> = value.chars().collect();
    let position = |text: &str, end: usize| -> Option<usize> {
        let number: i64 = text.trim().parse().ok()?;
        let end = i64::try_from(end).ok()?;
        usize::try_from(if number < 0 { end + number } else { number.min(end) }).ok()
    };
    let from = position(from, letters.len())?;
    let end = match count {
        None => letters.len(),
        Some(count) => match count.trim().parse::<i64>().ok()? {
            length if length < 0 => position(count, letters.len())?,
            length => (from + usize::try_from(length).ok()?).min(letters.len()),
        },
    };
    Some(letters.get(from..end)?.iter().collect())
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
