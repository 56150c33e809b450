//! How long the tapes of a user are kept.

/// How long the tapes of a user are kept, and how much of them. Default: all of them, until the user deletes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TapeRetention {
    /// How many days a session is kept that is not used. Default: forever.
    pub keep_days: Option<u64>,
    /// The size of all sessions together from which on the oldest are removed, in bytes. Default: none.
    pub max_size_bytes: Option<u64>,
}

/// The units of a size, each with its bytes.
const UNITS: [(&str, u64); 10] = [
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

impl TapeRetention {
    /// The values of `keep_days`. The upper one is a hundred years.
    pub const KEEP_DAYS: std::ops::RangeInclusive<u64> = 1..=36_500;

    /// A regular expression for the sizes that [`TapeRetention::parse_size`] parses.
    #[must_use]
    pub fn size_pattern() -> String {
        format!("^[0-9]+ ?({})$", UNITS.map(|(name, _)| name).join("|"))
    }

    /// Parses a size with its unit, such as `500MB`, and returns the bytes.
    #[must_use]
    pub fn parse_size(text: &str) -> Option<u64> {
        let digit_count = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at_checked(digit_count)?;
        let unit = unit.strip_prefix(' ').unwrap_or(unit);
        let (_, unit_bytes) = UNITS.iter().find(|(name, _)| *name == unit)?;
        number.parse::<u64>().ok()?.checked_mul(*unit_bytes)
    }

    /// Whether nothing is removed.
    #[must_use]
    pub fn keeps_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what another one limits and this one does not.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            keep_days: self.keep_days.or(other.keep_days),
            max_size_bytes: self.max_size_bytes.or(other.max_size_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_whole_number_and_a_unit() {
        let cases = [
            ("500MB", Some(500_000_000)),
            ("1 GB", Some(1_000_000_000)),
            ("2KiB", Some(2_048)),
            ("0B", Some(0)),
            ("500", None),
            ("MB", None),
            ("1.5GB", None),
            ("-1GB", None),
            ("1  GB", None),
            ("1gb", None),
            ("", None),
            ("99999999999999999999B", None),
            ("99999999999TiB", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(TapeRetention::parse_size(text), wanted, "{text}");
        }
    }

    #[test]
    fn the_first_limit_of_a_kind_applies() {
        let days = |days| TapeRetention { keep_days: Some(days), ..TapeRetention::default() };
        let size = TapeRetention { max_size_bytes: Some(5), ..TapeRetention::default() };
        assert_eq!(days(3).or(days(4)).or(size), TapeRetention { keep_days: Some(3), max_size_bytes: Some(5) });
        assert!(TapeRetention::default().or(TapeRetention::default()).keeps_everything() && !size.keeps_everything());
    }
}
