//! Parses time zone rules such as `CET-1CEST,M3.5.0,M10.5.0/3`, the POSIX format of the variable `TZ`.

/// A standard time, and a daylight saving time between two days of each year.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ZoneRule {
    standard_s: i64,
    daylight: Option<DaylightRule>,
}

#[derive(Debug, PartialEq, Eq)]
struct DaylightRule {
    offset_s: i64,
    start: YearlyTime,
    end: YearlyTime,
}

/// A local time on a day of every year.
#[derive(Debug, PartialEq, Eq)]
struct YearlyTime {
    day: YearlyDay,
    time_s: i64,
}

#[derive(Debug, PartialEq, Eq)]
enum YearlyDay {
    /// `Jn`: from 1, without counting February 29.
    WithoutLeap(i64),
    /// `n`: from 0.
    WithLeap(i64),
    /// `Mm.w.d`: weekday `d` in week `w` of month `m`; week 5 is the last.
    OfMonth { month: i64, week: i64, weekday: i64 },
}

impl ZoneRule {
    /// Parses a rule; `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        skip_name(&mut rest)?;
        let standard_s = -parse_time_s(&mut rest)?;
        if rest.is_empty() {
            return Some(Self { standard_s, daylight: None });
        }
        skip_name(&mut rest)?;
        let offset_s = match rest.starts_with(',') || rest.is_empty() {
            true => standard_s + 3_600,
            false => -parse_time_s(&mut rest)?,
        };
        // Without days, the rule of the United States applies.
        let days = if rest.is_empty() { ",M3.2.0,M11.1.0" } else { rest };
        let (start, end) = days.strip_prefix(',')?.split_once(',')?;
        let daylight = DaylightRule { offset_s, start: YearlyTime::parse(start)?, end: YearlyTime::parse(end)? };
        Some(Self { standard_s, daylight: Some(daylight) })
    }

    /// The offset from UTC in seconds.
    pub(super) fn offset_s(&self, unix_s: i64) -> i64 {
        let Some(daylight) = &self.daylight else { return self.standard_s };
        let (year, _, _) = calendar_date(unix_s.saturating_add(self.standard_s).div_euclid(86_400));
        let start = daylight.start.unix_s(year) - self.standard_s;
        let end = daylight.end.unix_s(year) - daylight.offset_s;
        let saves = match start < end {
            true => (start..end).contains(&unix_s),
            // South of the equator, daylight saving time starts late in the year.
            false => !(end..start).contains(&unix_s),
        };
        if saves { daylight.offset_s } else { self.standard_s }
    }
}

impl YearlyTime {
    fn parse(text: &str) -> Option<Self> {
        let (day, time_text) = text.split_once('/').unwrap_or((text, "2"));
        let mut rest = time_text;
        let time_s = parse_time_s(&mut rest).filter(|_| rest.is_empty())?;
        let number = |text: &str, least: i64, most: i64| {
            text.parse::<i64>().ok().filter(|number| (least..=most).contains(number))
        };
        let day = if let Some(day) = day.strip_prefix('J') {
            YearlyDay::WithoutLeap(number(day, 1, 365)?)
        } else if let Some(day) = day.strip_prefix('M') {
            let mut parts = day.split('.');
            let mut next = |least, most| parts.next().and_then(|part| number(part, least, most));
            YearlyDay::OfMonth { month: next(1, 12)?, week: next(1, 5)?, weekday: next(0, 6)? }
        } else {
            YearlyDay::WithLeap(number(day, 0, 365)?)
        };
        Some(Self { day, time_s })
    }

    /// The time in a year, as if local time were UTC.
    fn unix_s(&self, year: i64) -> i64 {
        let new_year = days_since_epoch(year, 1, 1);
        let day = match self.day {
            YearlyDay::WithLeap(day) => new_year + day,
            YearlyDay::WithoutLeap(day) => {
                let leaps = days_since_epoch(year, 3, 1) - new_year == 60;
                new_year + day - 1 + i64::from(leaps && day >= 60)
            }
            YearlyDay::OfMonth { month, week, weekday } => {
                let first = days_since_epoch(year, month, 1);
                let next =
                    if month == 12 { days_since_epoch(year + 1, 1, 1) } else { days_since_epoch(year, month + 1, 1) };
                // January 1, 1970 was a Thursday.
                let first_fit = first + (weekday - (first + 4).rem_euclid(7)).rem_euclid(7);
                let fit = first_fit + (week - 1) * 7;
                if fit >= next { fit - 7 } else { fit }
            }
        };
        day * 86_400 + self.time_s
    }
}

/// Skips the name of a zone: letters, or anything in `<` and `>`.
fn skip_name(rest: &mut &str) -> Option<()> {
    let text = *rest;
    if let Some(quoted) = text.strip_prefix('<') {
        *rest = quoted.split_once('>')?.1;
        return Some(());
    }
    let after = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    *rest = after;
    (text.len() - after.len() >= 3).then_some(())
}

/// Parses `[+-]h[:m[:s]]` as seconds.
fn parse_time_s(rest: &mut &str) -> Option<i64> {
    let text = *rest;
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let after = digits.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ':');
    let written = digits.get(..digits.len() - after.len())?;
    *rest = after;
    let mut seconds = 0;
    for (part, unit) in written.split(':').zip([3_600, 60, 1]) {
        let part: i64 = part.parse().ok().filter(|part| (0..=167).contains(part))?;
        seconds += part * unit;
    }
    (written.split(':').count() <= 3).then_some(sign * seconds)
}

/// The days from the Unix epoch to a date. Years start in March here, so that the leap day is their last day.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The Gregorian date of a day since the Unix epoch: year, month and day of the month.
#[must_use]
pub fn calendar_date(days_since: i64) -> (i64, i64, i64) {
    let days_since = days_since.clamp(-100_000_000, 100_000_000) + 719_468;
    let era = days_since.div_euclid(146_097);
    let day_of_era = days_since - era * 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{calendar_date as date, *};

    #[test]
    fn days_and_dates_are_each_others_inverse() {
        for day in (-800_000..800_000).step_by(97) {
            let (year, month, of_month) = date(day);
            assert_eq!(days_since_epoch(year, month, of_month), day);
        }
        assert_eq!([date(0), date(-1), date(20_779)], [(1970, 1, 1), (1969, 12, 31), (2026, 11, 22)]);
        assert_eq!([date(11_016), date(19_782)], [(2000, 2, 29), (2024, 2, 29)]);
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
        for (text, unix_s, offset_s) in cases {
            assert_eq!(ZoneRule::parse(text).map(|rule| rule.offset_s(unix_s)), Some(offset_s), "{text} {unix_s}");
        }
        for text in
            ["", "UT0", "UTC", "UTC999", "UTC0X", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M1.1.0", "<x", "CET-1:2:3:4"]
        {
            assert_eq!(ZoneRule::parse(text), None, "{text}");
        }
    }
}
