//! The time zone of the host, so that a date is the user's and not Greenwich's.
//!
//! The zone is found as everywhere else: the variable `TZ`, which is a rule or names a file of the zone database, else
//! `/etc/localtime`, else universal time.

mod file;
mod rule;

use std::path::{Path, PathBuf};

use file::Transitions;
use rule::Rule;
pub use rule::calendar_date;

/// Where files of the zone database lie.
const DATABASES: [&str; 3] = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"];

/// A time zone.
#[derive(Debug, Default)]
pub(super) struct Zone {
    /// The changes that are written down.
    transitions: Transitions,
    /// What holds after the last of them.
    rule: Option<Rule>,
}

impl Zone {
    /// The zone of the host, given the variable `TZ`.
    pub(super) fn of_host(variable: Option<&str>) -> Self {
        let found = match variable {
            None => read(Path::new("/etc/localtime")),
            Some("") => None,
            Some(named) => {
                let named = named.strip_prefix(':').unwrap_or(named);
                file_of(named).and_then(|path| read(&path)).or_else(|| {
                    let rule = Rule::parse(named)?;
                    Some(Self { transitions: Transitions::default(), rule: Some(rule) })
                })
            }
        };
        found.unwrap_or_default()
    }

    /// Year, month and day at a time in seconds since the Unix epoch.
    pub(super) fn date(&self, unix_s: i64) -> (i64, i64, i64) {
        calendar_date((unix_s.saturating_add(self.offset_s(unix_s))).div_euclid(86_400))
    }

    /// Seconds that the zone is ahead of universal time.
    fn offset_s(&self, unix_s: i64) -> i64 {
        match (self.transitions.offset_s(unix_s), &self.rule) {
            (file::Offset::Known(offset), _) | (file::Offset::Last(offset), None) => offset,
            (file::Offset::Last(_), Some(rule)) => rule.offset_s(unix_s),
        }
    }
}

/// The most bytes of a file of the database.
const MOST_BYTES: u64 = 1 << 20;

/// The file of a named zone. A name does not lead out of the database.
fn file_of(named: &str) -> Option<PathBuf> {
    if named.starts_with('/') {
        return Some(PathBuf::from(named));
    }
    if named.split('/').any(|part| part == ".." || part.is_empty()) {
        return None;
    }
    DATABASES.iter().map(|database| Path::new(database).join(named)).find(|path| path.is_file())
}

fn read(path: &Path) -> Option<Zone> {
    let bytes = pintle_files::read_head(path, MOST_BYTES).ok()?;
    let (transitions, rule) = file::parse(&bytes)?;
    Some(Zone { transitions, rule: Rule::parse(rule) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of the zone database in its second version: two changes and a rule for what follows.
    fn zone() -> Zone {
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
        let (transitions, rule) = file::parse(&bytes).unwrap();
        assert_eq!(rule, "EST5EDT,M3.2.0,M11.1.0");
        for length in 0..bytes.len() {
            // A file that was cut short is refused or read, and never a panic.
            let _ = file::parse(&bytes[..length]);
        }
        Zone { transitions, rule: Rule::parse(rule) }
    }

    #[test]
    fn written_changes_hold_until_the_rule_does() {
        let zone = zone();
        // 2026-01-15 and 2026-07-15.
        let cases =
            [(0, 3_600), (1_000_000, 7_200), (1_999_999, 7_200), (1_768_435_200, -18_000), (1_784_073_600, -14_400)];
        for (unix_s, offset_s) in cases {
            assert_eq!(zone.offset_s(unix_s), offset_s, "{unix_s}");
        }
        assert_eq!(zone.date(1_768_435_200), (2026, 1, 14));
    }

    #[test]
    fn a_zone_that_nobody_knows_is_universal_time() {
        for named in ["", ":", "../etc/passwd", "No/Such", "/nonexistent", "12"] {
            assert_eq!(Zone::of_host(Some(named)).date(86_399), (1970, 1, 1), "{named}");
        }
        assert_eq!(Zone::of_host(Some("ABC-14")).date(86_399), (1970, 1, 2));
    }
}
