//! Determines the host's time zone, so that dates are local.
//!
//! The zone comes from the variable `TZ`, which is a rule or names a file of the zone database, otherwise from
//! `/etc/localtime`, otherwise it is UTC.

mod file;
mod rule;

use std::path::{Path, PathBuf};

use file::ZoneTransitions;
use rule::ZoneRule;
pub use rule::calendar_date;

/// The directories of the zone database.
const DATABASES: [&str; 3] = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"];

#[derive(Debug, Default)]
pub(super) struct TimeZone {
    /// The recorded changes.
    transitions: ZoneTransitions,
    /// The rule after the last change.
    rule: Option<ZoneRule>,
}

impl TimeZone {
    /// The zone of the host, given the variable `TZ`.
    pub(super) fn from_host(variable: Option<&str>) -> Self {
        let found = match variable {
            None => read_zone(Path::new("/etc/localtime")),
            Some("") => None,
            Some(named) => {
                let named = named.strip_prefix(':').unwrap_or(named);
                zone_file(named).and_then(|path| read_zone(&path)).or_else(|| {
                    let rule = ZoneRule::parse(named)?;
                    Some(Self { transitions: ZoneTransitions::default(), rule: Some(rule) })
                })
            }
        };
        found.unwrap_or_default()
    }

    /// Year, month and day at a time in seconds since the Unix epoch.
    pub(super) fn local_date(&self, unix_s: i64) -> (i64, i64, i64) {
        calendar_date((unix_s.saturating_add(self.offset_s(unix_s))).div_euclid(86_400))
    }

    /// The offset from UTC in seconds.
    fn offset_s(&self, unix_s: i64) -> i64 {
        match (self.transitions.offset_s(unix_s), &self.rule) {
            (file::ZoneOffset::Known(offset), _) | (file::ZoneOffset::Last(offset), None) => offset,
            (file::ZoneOffset::Last(_), Some(rule)) => rule.offset_s(unix_s),
        }
    }
}

/// The largest file of the database that is read.
const MOST_BYTES: u64 = 1 << 20;

/// The file of a named zone. A name cannot lead out of the database.
fn zone_file(named: &str) -> Option<PathBuf> {
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
    let (transitions, rule) = file::parse_zone_file(&bytes)?;
    Some(TimeZone { transitions, rule: ZoneRule::parse(rule) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A version 2 file of the zone database: two changes and a rule for later times.
    fn test_zone() -> TimeZone {
        let mut bytes = Vec::new();
        for (version, width, times) in [(b'2', 4_usize, vec![0_i64, 0]), (b'2', 8, vec![1_000_000, 2_000_000])] {
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
            bytes.extend(b"ABC\0");
        }
        bytes.extend(b"\nEST5EDT,M3.2.0,M11.1.0\n");
        let (transitions, rule) = file::parse_zone_file(&bytes).unwrap();
        assert_eq!(rule, "EST5EDT,M3.2.0,M11.1.0");
        for length in 0..bytes.len() {
            // A truncated file is rejected or parsed, but never panics.
            let _ = file::parse_zone_file(&bytes[..length]);
        }
        TimeZone { transitions, rule: ZoneRule::parse(rule) }
    }

    #[test]
    fn written_changes_hold_until_the_rule_does() {
        let zone = test_zone();
        // 2026-01-15 and 2026-07-15.
        let cases =
            [(0, 3_600), (1_000_000, 7_200), (1_999_999, 7_200), (1_768_435_200, -18_000), (1_784_073_600, -14_400)];
        for (unix_s, offset_s) in cases {
            assert_eq!(zone.offset_s(unix_s), offset_s, "{unix_s}");
        }
        assert_eq!(zone.local_date(1_768_435_200), (2026, 1, 14));
    }

    #[test]
    fn a_zone_that_nobody_knows_is_universal_time() {
        for named in ["", ":", "../etc/passwd", "No/Such", "/nonexistent", "12"] {
            assert_eq!(TimeZone::from_host(Some(named)).local_date(86_399), (1970, 1, 1), "{named}");
        }
        assert_eq!(TimeZone::from_host(Some("ABC-14")).local_date(86_399), (1970, 1, 2));
    }
}
