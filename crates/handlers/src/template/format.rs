//! Formats values as Go does.

use std::fmt::Write as _;

use serde_json::Value;

use super::MOST_OUTPUT_BYTES;
use super::value::TemplateValue;

/// The largest width that `printf` pads to.
const MOST_WIDTH: usize = 1_000;

/// A value as `{{ . }}` prints it.
pub(super) fn display_value(cell: &TemplateValue<'_>) -> String {
    match cell {
        TemplateValue::Absent => String::new(),
        _ => match cell.value() {
            Value::Null => String::from("<no value>"),
            value => plain_text(value),
        },
    }
}

/// A value as `%v` prints it.
pub(super) fn plain_text(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("<nil>"),
        Value::String(inner) => text.push_str(inner),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index > 0 { " " } else { "" });
                write_value(text, item);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            text.push_str("map[");
            for (index, (key, item)) in sorted.into_iter().enumerate() {
                text.push_str(if index > 0 { " " } else { "" });
                text.push_str(key);
                text.push(':');
                write_value(text, item);
            }
            text.push(']');
        }
        // Writing to a string cannot fail.
        scalar => drop(write!(text, "{scalar}")),
    }
}

/// Rejects a text that is too large to print. Checked after each value, so that many values cost no more.
fn check_printable_size(text: &str) -> Result<(), String> {
    match text.len() > MOST_OUTPUT_BYTES {
        true => Err(format!("the output is larger than {MOST_OUTPUT_BYTES} bytes; shorten its parts with `truncate`")),
        false => Ok(()),
    }
}

/// `println`: a space between all values, and a newline.
pub(super) fn format_println(cells: &[TemplateValue<'_>]) -> Result<String, String> {
    let mut text = String::new();
    for (index, cell) in cells.iter().enumerate() {
        text.push_str(if index > 0 { " " } else { "" });
        text.push_str(&plain_text(cell.value()));
        check_printable_size(&text)?;
    }
    text.push('\n');
    Ok(text)
}

/// `print`: a space between two values if neither is a string.
pub(super) fn format_print(cells: &[TemplateValue<'_>]) -> Result<String, String> {
    let mut text = String::new();
    let mut before_is_text = true;
    for cell in cells {
        let is_text = cell.value().is_string();
        if !before_is_text && !is_text {
            text.push(' ');
        }
        text.push_str(&plain_text(cell.value()));
        check_printable_size(&text)?;
        before_is_text = is_text;
    }
    Ok(text)
}

/// A value in double quotes with escapes, as `%q` prints it.
fn quote_value(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// The format of one `printf` verb.
#[derive(Default)]
struct VerbFormat {
    is_left_aligned: bool,
    pads_with_zeros: bool,
    has_plus: bool,
    width: usize,
    precision: Option<usize>,
}

/// `printf` with the verbs `%v %s %q %d %f %g %e %t %x %%`, and Go's error marks for mismatches.
pub(super) fn format_printf(format: &str, cells: &[TemplateValue<'_>]) -> Result<String, String> {
    let mut text = String::new();
    let mut has_extra = false;
    let mut cells = cells.iter();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let (style, after) = parse_verb_format(after);
        let Some(verb) = after.chars().next() else {
            text.push_str("%!(NOVERB)");
            return Ok(text);
        };
        rest = after.get(verb.len_utf8()..).unwrap_or_default();
        if verb == '%' {
            text.push('%');
            continue;
        }
        match cells.next() {
            Some(cell) => write_padded(&mut text, &format_verb(verb, cell.value(), &style), &style),
            None => drop(write!(text, "%!{verb}(MISSING)")),
        }
        check_printable_size(&text)?;
    }
    text.push_str(rest);
    for (index, cell) in cells.enumerate() {
        text.push_str(if index > 0 { ", " } else { "%!(EXTRA " });
        // Writing to a string cannot fail.
        let _ = write!(text, "{}={}", type_name(cell.value()), plain_text(cell.value()));
        check_printable_size(&text)?;
        has_extra = true;
    }
    text.push_str(if has_extra { ")" } else { "" });
    Ok(text)
}

/// Parses flags, width and precision.
fn parse_verb_format(mut rest: &str) -> (VerbFormat, &str) {
    let mut style = VerbFormat::default();
    while let Some(after) = rest.strip_prefix(['-', '0', '+', ' ', '#']) {
        match rest.as_bytes().first() {
            Some(b'-') => style.is_left_aligned = true,
            Some(b'0') => style.pads_with_zeros = true,
            Some(b'+') => style.has_plus = true,
            _ => {}
        }
        rest = after;
    }
    let number = |rest: &mut &str| {
        let length = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let (digits, after) = rest.split_at_checked(length).unwrap_or_default();
        *rest = after;
        digits.parse::<usize>().ok().map(|number| number.min(MOST_WIDTH))
    };
    style.width = number(&mut rest).unwrap_or(0);
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        style.precision = Some(number(&mut rest).unwrap_or(0));
    }
    (style, rest)
}

fn format_verb(verb: char, value: &Value, style: &VerbFormat) -> String {
    let sign = |text: String| if style.has_plus && !text.starts_with('-') { format!("+{text}") } else { text };
    let cut = |text: String| match style.precision {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    };
    let misfit = || format!("%!{verb}({}={})", type_name(value), plain_text(value));
    match (verb, value) {
        ('v', Value::String(text)) => cut(text.clone()),
        ('v', value) => plain_text(value),
        ('s', Value::String(text)) => cut(text.clone()),
        ('s', Value::Array(_) | Value::Object(_)) => plain_text(value),
        ('q', Value::String(text)) => quote_value(text),
        ('t', Value::Bool(truth)) => truth.to_string(),
        // Go's JSON numbers are all floats, which `%d` rejects; an integer is accepted here.
        ('d', Value::Number(number)) => match number.as_i64() {
            Some(whole) => sign(whole.to_string()),
            None => misfit(),
        },
        ('x', Value::Number(number)) => number.as_i64().map_or_else(misfit, |whole| format!("{whole:x}")),
        ('x', Value::String(text)) => text.bytes().map(|byte| format!("{byte:02x}")).collect(),
        ('f' | 'g' | 'e', Value::Number(number)) => {
            let Some(float) = number.as_f64() else { return misfit() };
            sign(match (verb, style.precision) {
                ('f', precision) => format!("{float:.*}", precision.unwrap_or(6)),
                ('e', precision) => format!("{float:.*e}", precision.unwrap_or(6)),
                _ => float.to_string(),
            })
        }
        _ => misfit(),
    }
}

fn write_padded(text: &mut String, printed: &str, style: &VerbFormat) {
    let missing = style.width.saturating_sub(printed.chars().count());
    if style.is_left_aligned {
        text.push_str(printed);
        text.push_str(&" ".repeat(missing));
        return;
    }
    let (sign, digits) = match printed.strip_prefix('-') {
        Some(digits) if style.pads_with_zeros => ("-", digits),
        _ => ("", printed),
    };
    text.push_str(sign);
    text.push_str(&if style.pads_with_zeros { "0" } else { " " }.repeat(missing));
    text.push_str(digits);
}

/// Go's name of a value's type.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() || number.is_u64() => "int",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
