//! Determines the host's time zone, so that dates are local.
//!
//! The zone comes from the variable `TZ`, which names a file of the zone database or is a rule, otherwise from
//! `/etc/localtime`, otherwise it is UTC.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The directories of the zone database.
const DATABASES: [&str; 3] = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"];

/// The largest file of the database that is read.
const MOST_BYTES: u64 = 1 << 20;

/// The zone of the host, given the variable `TZ`.
pub(super) fn find_host_zone(variable: Option<&str>) -> TimeZone {
    let found = match variable {
        None => read_zone(Path::new("/etc/localtime")),
        Some("") => None,
        Some(named) => {
            let named = named.strip_prefix(':').unwrap_or(named);
            find_zone_file(named).and_then(|path| read_zone(&path)).or_else(|| parse_rule(named))
        }
    };
    found.unwrap_or(TimeZone::UTC)
}

/// The date in a zone at a time in milliseconds since the Unix epoch.
pub(super) fn find_local_date(zone: &TimeZone, unix_ms: i64) -> Date {
    let end = if unix_ms < 0 { Timestamp::MIN } else { Timestamp::MAX };
    let time = Timestamp::from_millisecond(unix_ms).unwrap_or(end);
    zone.to_datetime(time).date()
}

/// The file of a named zone. A name cannot lead out of the database.
fn find_zone_file(named: &str) -> Option<PathBuf> {
    if named.starts_with('/') {
        return Some(PathBuf::from(named));
    }
    if named.split('/').any(|part| part == ".." || part.is_empty()) {
        return None;
    }
    DATABASES.iter().map(|database| Path::new(database).join(named)).find(|path| path.is_file())
}

fn read_zone(path: &Path) -> Option<TimeZone> {
    let bytes = pintle_files::read_head(path, MOST_BYTES).ok()?;
    TimeZone::tzif("", &bytes).ok()
}

/// Parses a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`. Without days, the rule of the United States applies.
fn parse_rule(text: &str) -> Option<TimeZone> {
    let parsed = TimeZone::posix(text).or_else(|_| TimeZone::posix(&format!("{text},M3.2.0,M11.1.0")));
    parsed.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset_s(zone: &TimeZone, unix_s: i64) -> i32 {
        zone.to_offset(Timestamp::from_second(unix_s).unwrap()).seconds()
    }

    /// A version 2 file of the zone database: two changes and a rule for later times.
    fn test_zone() -> TimeZone {
        let mut bytes = Vec::new();
        for (version, width, times) in [(b'2', 4_usize, vec![0_i64, 1]), (b'2', 8, vec![1_000_000, 2_000_000])] {
            bytes.extend(b"TZif");
            bytes.push(version);
            bytes.extend([0; 15]);
            for count in [0_u32, 0, 0, 2, 3, 4] {
                bytes.extend(count.to_be_bytes());
            }
            for time in times {
                bytes.extend(&time.to_be_bytes()[8 - width..]);
            }
            bytes.extend([1, 2]);
            for offset in [3_600_i32, 7_200, -18_000] {
                bytes.extend(offset.to_be_bytes());
                bytes.extend([0, 0]);
            }
            bytes.extend(b"EST\0");
        }
        bytes.extend(b"\nEST5EDT,M3.2.0,M11.1.0\n");
        for length in 0..bytes.len() {
            // A truncated file is rejected or parsed, but never panics.
            let _ = TimeZone::tzif("", &bytes[..length]);
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("zone");
        std::fs::write(&path, bytes).unwrap();
        find_host_zone(Some(path.to_str().unwrap()))
    }

    #[test]
    fn written_changes_hold_until_the_rule_does() {
        let zone = test_zone();
        // 2026-01-15 and 2026-07-15.
        let cases =
            [(0, 3_600), (1_000_000, 7_200), (1_999_999, 7_200), (1_768_435_200, -18_000), (1_784_073_600, -14_400)];
        for (unix_s, expected) in cases {
            assert_eq!(offset_s(&zone, unix_s), expected, "{unix_s}");
        }
        assert_eq!(find_local_date(&zone, 1_768_435_200_000).to_string(), "2026-01-14");
    }

    #[test]
    fn a_zone_that_nobody_knows_is_universal_time() {
        for named in ["", ":", "../etc/passwd", "No/Such", "/nonexistent", "12"] {
            assert_eq!(find_local_date(&find_host_zone(Some(named)), 86_399_999).to_string(), "1970-01-01", "{named}");
        }
        assert_eq!(find_local_date(&find_host_zone(Some("ABC-14")), 86_399_999).to_string(), "1970-01-02");
        for far in [i64::MIN, i64::MAX] {
            // Times outside the calendar are its first and last day.
            assert_eq!(find_local_date(&TimeZone::UTC, far).year().abs(), 9_999);
        }
    }

    #[test]
    fn rules_know_when_time_is_saved() {
        // Seconds of 2026-01-15, 2026-07-15, and the seconds around the changes in Europe: 2026-03-29 and 2026-10-25.
        let (winter, summer, spring, autumn) = (1_768_435_200, 1_784_073_600, 1_774_746_000, 1_792_890_000);
        let cases = [
            ("UTC0", winter, 0),
            ("<+0530>-5:30", summer, 19_800),
            ("CET-1CEST,M3.5.0,M10.5.0/3", winter, 3_600),
            ("CET-1CEST,M3.5.0,M10.5.0/3", summer, 7_200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", spring - 1, 3_600),
            ("CET-1CEST,M3.5.0,M10.5.0/3", spring, 7_200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", autumn - 1, 7_200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", autumn, 3_600),
            ("EST5EDT", summer, -14_400),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", winter, 39_600),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", summer, 36_000),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", winter, 0),
            ("ABC3DEF,J60/0,300/-1:30", summer, -7_200),
            ("ABC3DEF,J60/0,300/-1:30", winter, -10_800),
        ];
        for (text, unix_s, expected) in cases {
            assert_eq!(parse_rule(text).map(|rule| offset_s(&rule, unix_s)), Some(expected), "{text} {unix_s}");
        }
        for text in
            ["", "UT0", "UTC", "UTC999", "UTC0X", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M1.1.0", "<x", "CET-1:2:3:4"]
        {
            assert_eq!(parse_rule(text), None, "{text}");
        }
    }
}
