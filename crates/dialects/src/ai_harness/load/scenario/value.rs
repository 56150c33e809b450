//! Reads values that only scenarios have: times, durations, and texts that must be shown.

use jiff::Timestamp;
use serde_json::Value;

use crate::document::{DocNode, FieldReader, FileReport, NodeKind, to_json};

/// The longest time that a scenario lets pass at once: a hundred years.
const LONGEST_MS: u64 = 100 * 366 * 24 * 3_600 * 1_000;

/// Units of time and their milliseconds; the longer ends come first.
const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// Reads a time as milliseconds since the Unix epoch.
pub(super) fn read_time(fields: &mut FieldReader<'_>, key: &'static str) -> Option<u64> {
    let text = fields.text(key)?;
    let time = text.parse::<Timestamp>().ok().and_then(|time| u64::try_from(time.as_millisecond()).ok());
    if time.is_none() {
        let message = format!("{key} is not a time since 1970");
        let help = "write it with its offset, as in `2026-03-02T17:55:00Z`";
        fields.report().value_error("bad_value", message, fields.span_of(key), help);
    }
    time
}

/// Reads how much time passes, in milliseconds.
pub(super) fn read_duration(fields: &mut FieldReader<'_>, key: &'static str) -> Option<u64> {
    let text = fields.text(key)?;
    let text = text.trim();
    let (message, help) = match parse_duration(text) {
        Some(0) => (format!("`{key}: {text}` moves no time"), "write how much time passes, as in `5m`"),
        Some(ms) if ms <= LONGEST_MS => return Some(ms),
        Some(_) => (format!("`{key}: {text}` is longer than a hundred years"), "write less"),
        None if text.starts_with('-') => {
            (format!("time does not go back, as `{key}: {text}` says"), "begin earlier with `clock`")
        }
        None => {
            (format!("`{text}` is not a time that passes"), "write a number and `ms`, `s`, `m`, `h` or `d`, as in `5m`")
        }
    };
    fields.report().value_error("bad_value", message, fields.span_of(key), help);
    None
}

fn parse_duration(text: &str) -> Option<u64> {
    let (number, factor) = UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse::<u64>().ok())??.checked_mul(factor)
}

/// Reads a text or a list of texts, none of them empty: every text contains an empty one.
pub(super) fn read_wanted_texts(fields: &mut FieldReader<'_>, key: &'static str) -> Vec<String> {
    let report = fields.report();
    let Some(node) = fields.node(key) else { return Vec::new() };
    let texts = match &node.kind {
        NodeKind::List(_) => fields.texts(key),
        _ => fields.text(key).into_iter().collect(),
    };
    if texts.iter().any(|text| text.trim().is_empty()) || matches!(node.items(), Some([])) {
        let message = format!("{key} is empty, which holds for every text");
        report.value_error("bad_example", message, node.span, format!("write a text, or remove `{key}`"));
    }
    texts
}

/// A value as JSON; `None` if it has a number that JSON does not have, which is reported.
pub(super) fn read_json_value(report: &FileReport, node: &DocNode) -> Option<Value> {
    let report_number = |node: &DocNode| {
        let message = "a number must be finite and fit in 64 bits";
        report.value_error("bad_value", message, node.span, None);
    };
    to_json(node).map_err(report_number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_number_with_a_unit() {
        for (text, expected) in [
            ("500ms", Some(500)),
            ("90s", Some(90_000)),
            ("5m", Some(300_000)),
            ("2h", Some(7_200_000)),
            ("1d", Some(86_400_000)),
            ("0s", Some(0)),
            ("5", None),
            ("m", None),
            ("-5m", None),
            ("5 m", None),
            ("1.5h", None),
            ("99999999999999999999d", None),
            ("18446744073709551615d", None),
        ] {
            assert_eq!(parse_duration(text), expected, "{text}");
        }
    }
}
