//! The start of a time that the user names.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// Parses `30m`, `2h`, `1d`, `2w`, `today`, `yesterday`, a date or a time, and returns it in milliseconds since the Unix
/// epoch.
pub(super) fn parse_since(text: &str, now: Timestamp, zone: &TimeZone) -> Result<u64, String> {
    let unknown = || {
        format!(
            "`{text}` is not a time; write `30m`, `2h`, `1d`, `2w`, `today`, `yesterday`, `2026-01-31` or \
         `2026-01-31T08:00:00Z`"
        )
    };
    let start_of = |date: Date| date.to_zoned(zone.clone()).map(|start| start.timestamp()).map_err(|_| unknown());
    let today = now.to_zoned(zone.clone()).date();
    let start = match text {
        "today" => start_of(today)?,
        "yesterday" => start_of(today.saturating_sub(1.day()))?,
        _ => match (parse_minutes(text), text.parse::<Timestamp>(), text.parse::<Date>()) {
            (Some(minutes), _, _) => now.saturating_sub(minutes.minutes()).map_err(|_| unknown())?,
            (_, Ok(time), _) => time,
            (_, _, Ok(date)) => start_of(date)?,
            _ => return Err(unknown()),
        },
    };
    Ok(u64::try_from(start.as_millisecond()).unwrap_or_default())
}

/// The minutes of a number with a unit.
fn parse_minutes(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        'w' => 7 * 24 * 60,
        _ => return None,
    };
    let count: u32 = text.strip_suffix(unit)?.parse().ok()?;
    // A longer time is all of it.
    Some((i64::from(count) * minutes).min(1_000_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_pintle_log_reads_them() {
        let now: Timestamp = "2026-03-05T10:30:00Z".parse().unwrap();
        for (text, expected) in [
            ("30m", "2026-03-05T10:00:00Z"),
            ("2h", "2026-03-05T08:30:00Z"),
            ("1d", "2026-03-04T10:30:00Z"),
            ("2w", "2026-02-19T10:30:00Z"),
            ("today", "2026-03-05T00:00:00Z"),
            ("yesterday", "2026-03-04T00:00:00Z"),
            ("2026-01-31", "2026-01-31T00:00:00Z"),
            ("2026-01-31T08:00:00Z", "2026-01-31T08:00:00Z"),
        ] {
            let expected: Timestamp = expected.parse().unwrap();
            let found = parse_since(text, now, &TimeZone::UTC);
            assert_eq!(found, Ok(u64::try_from(expected.as_millisecond()).unwrap()), "{text}");
        }
        for wrong in ["", "h", "-1h", "1y", "soon", "2026-13-01"] {
            assert!(parse_since(wrong, now, &TimeZone::UTC).is_err(), "{wrong}");
        }
    }
}
