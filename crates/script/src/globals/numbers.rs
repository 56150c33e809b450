//! `math`, and the formatting of times.

use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::float::UnpackFloat;

use crate::call_state::script_error;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("math", math);
}

#[starlark_module]
fn math(builder: &mut GlobalsBuilder) {
    fn abs<'v>(x: Value<'v>, heap: starlark::values::Heap<'v>) -> starlark::Result<Value<'v>> {
        let negative = x.compare(heap.alloc(0))?.is_lt();
        if negative { x.minus(heap) } else { Ok(x) }
    }

    fn min<'v>(a: Value<'v>, b: Value<'v>) -> starlark::Result<Value<'v>> {
        Ok(if b.compare(a)?.is_lt() { b } else { a })
    }

    fn max<'v>(a: Value<'v>, b: Value<'v>) -> starlark::Result<Value<'v>> {
        Ok(if b.compare(a)?.is_gt() { b } else { a })
    }

    fn floor(x: UnpackFloat) -> starlark::Result<i64> {
        to_integer("math.floor", x.0.floor())
    }

    fn ceil(x: UnpackFloat) -> starlark::Result<i64> {
        to_integer("math.ceil", x.0.ceil())
    }
}

fn to_integer(builtin: &str, number: f64) -> starlark::Result<i64> {
    const LARGEST: f64 = 9_223_372_036_854_774_784.0;
    if !number.is_finite() || number.abs() > LARGEST {
        return Err(script_error(format_args!("{builtin}: {number} does not fit in 64 bits")));
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 64 bits")]
    Ok(number as i64)
}

/// A time as RFC 3339 in UTC, with milliseconds.
pub(super) fn format_rfc3339(unix_ms: i64) -> String {
    let days = unix_ms.div_euclid(86_400_000);
    let in_day = unix_ms.rem_euclid(86_400_000);
    // Converts days since 1970-01-01 to a Gregorian date. Years start in March, so that the leap day is last.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hours, minutes) = (in_day / 3_600_000, in_day / 60_000 % 60);
    let (seconds, millis) = (in_day / 1_000 % 60, in_day % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        let cases = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_700_000_000_123, "2023-11-14T22:13:20.123Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ];
        for (unix_ms, expected) in cases {
            assert_eq!(format_rfc3339(unix_ms), expected);
        }
    }
}
