//! The start of the time that the log is about.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

/// The start of a time until now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartTime {
    /// This long ago.
    Ago {
        /// In milliseconds.
        ms: u64,
    },
    /// The beginning of the day this many days ago.
    DayStart {
        /// 0 for today.
        days_ago: i64,
    },
    /// The beginning of a day.
    Day(Date),
    /// A point in time.
    At(Timestamp),
}

/// Parses what a person writes for a time.
///
/// # Errors
/// What can be written, if the text is not a time.
pub fn parse_start(text: &str) -> Result<StartTime, String> {
    const UNITS: [(&str, u64); 5] = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800)];
    match text {
        "today" => return Ok(StartTime::DayStart { days_ago: 0 }),
        "yesterday" => return Ok(StartTime::DayStart { days_ago: 1 }),
        _ => {}
    }
    let span = UNITS.iter().find_map(|(unit, seconds)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(number.saturating_mul(*seconds).saturating_mul(1_000))
    });
    if let Some(ms) = span {
        return Ok(StartTime::Ago { ms });
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(StartTime::At(time));
    }
    // A date with more behind it is a time without its zone, which could mean two.
    let date = text.parse::<Date>().ok().filter(|_| text.len() == "2026-01-31".len());
    date.map(StartTime::Day).ok_or_else(|| {
        String::from("write `30m`, `2h`, `1d`, `2w`, `today`, `yesterday`, `2026-01-31` or `2026-01-31T08:00:00Z`")
    })
}

impl StartTime {
    /// The start in milliseconds since the Unix epoch.
    #[must_use]
    pub fn to_unix_ms(&self, now: Timestamp, zone: &TimeZone) -> u64 {
        let start_of = |date: Date| date.to_zoned(zone.clone()).ok().as_ref().map(Zoned::timestamp);
        let start = match self {
            Self::Ago { ms } => return to_unix_ms(now).saturating_sub(*ms),
            Self::DayStart { days_ago } => {
                let today = now.to_zoned(zone.clone()).date();
                start_of(today.saturating_sub(days_ago.days()))
            }
            Self::Day(date) => start_of(*date),
            Self::At(time) => Some(*time),
        };
        start.map(to_unix_ms).unwrap_or_default()
    }
}

fn to_unix_ms(time: Timestamp) -> u64 {
    u64::try_from(time.as_millisecond()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_what_a_person_means_by_it() {
        let now: Timestamp = "2026-03-10T12:30:00Z".parse().unwrap();
        let cases = [
            ("30m", "2026-03-10T12:00:00Z"),
            ("0s", "2026-03-10T12:30:00Z"),
            ("2h", "2026-03-10T10:30:00Z"),
            ("1d", "2026-03-09T12:30:00Z"),
            ("2w", "2026-02-24T12:30:00Z"),
            ("today", "2026-03-10T00:00:00Z"),
            ("yesterday", "2026-03-09T00:00:00Z"),
            ("2026-03-01", "2026-03-01T00:00:00Z"),
            ("2026-03-01T08:00:00Z", "2026-03-01T08:00:00Z"),
            ("2026-03-01T08:00:00+02:00", "2026-03-01T06:00:00Z"),
            ("9999999999999999w", "1970-01-01T00:00:00Z"),
        ];
        for (text, start) in cases {
            let wanted = to_unix_ms(start.parse().unwrap());
            assert_eq!(parse_start(text).unwrap().to_unix_ms(now, &TimeZone::UTC), wanted, "{text}");
        }
        for text in [
            "",
            "d",
            "1",
            "-1d",
            "-1h",
            "h",
            "1y",
            "soon",
            "1 d",
            "1.5h",
            "99999999999999999999d",
            "2026-13-01",
            "2026-03-01 08:00",
            "2026-03-01T08:00",
            "last week",
        ] {
            assert!(parse_start(text).is_err(), "{text}");
        }
    }
}
