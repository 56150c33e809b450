//! Formatting of output.

pub(crate) mod diagnostic;
pub(crate) mod guards;
pub(crate) mod progress;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod trust;
pub(crate) mod wrap;

use std::path::Path;

use pintle_host::contract::Location;

/// Formats a count with its noun: `1 hook`, `2 hooks`.
pub(crate) fn count_text(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the serialized name of an enum variant.
pub(crate) fn enum_word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => other.unwrap_or_default().to_string(),
    }
}

/// Formats a path below the current directory relative to it, without a leading `./`.
pub(crate) fn path_text(path: &Path) -> String {
    let here = std::env::current_dir().ok().filter(|here| path != here);
    let path = here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path).display().to_string()
}

/// Formats a location as `path:line`, if it has a file.
pub(crate) fn location_text(location: &Location) -> Option<String> {
    let (line, _) = location.line_column()?;
    Some(format!("{}:{line}", path_text(location.path()?)))
}

/// Formats a time span in its largest whole unit.
pub(crate) fn age_text(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// Formats a size in its largest unit, such as `12 kB`.
pub(crate) fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let cases = [
            (999, "0 s ago"),
            (59_999, "59 s ago"),
            (60_000, "1 min ago"),
            (7_200_000, "2 h ago"),
            (86_400_000, "1 d ago"),
        ];
        for (ms, text) in cases {
            assert_eq!(age_text(ms), text);
        }
    }

    #[test]
    fn a_size_is_told_in_its_largest_unit() {
        let cases = [(999, "999 B"), (1_000, "1 kB"), (2_999_999, "2 MB"), (5_000_000_000, "5 GB")];
        for (bytes, text) in cases {
            assert_eq!(size_text(bytes), text);
        }
    }
}
