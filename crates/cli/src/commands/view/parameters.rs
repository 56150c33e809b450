//! What a request asks for.

use std::path::PathBuf;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use pintle_host::files;
use pintle_host::tape::decisions::DecisionLabel;
use pintle_host::{Clock, SystemClock};
use pintle_log::{LogCursor, LogQuery, StartTime, parse_start};

use super::server::ViewError;

/// The name of Pintle's own agent loop in a filter; another agent is named as in `pintle log --host`.
pub(super) const OWN_HOST: &str = "pintle";
/// Most characters of a value.
const MAX_VALUE_CHARS: usize = 1_000;
/// The words of decisions that a filter knows.
const LABELS: [DecisionLabel; 5] = [
    DecisionLabel::Denied,
    DecisionLabel::Asked,
    DecisionLabel::Rewritten,
    DecisionLabel::Allowed,
    DecisionLabel::Undecided,
];

/// What a request asks for: the parameters of its address.
#[derive(Debug, Default)]
pub(super) struct ViewParameters {
    /// Which entries.
    pub(super) query: LogQuery,
    /// How many sessions, or events of a session, come before.
    pub(super) skip: usize,
    /// The ID of an entry, or the digits of a session.
    pub(super) id: String,
    /// The number of days of a chart.
    pub(super) days: Option<u32>,
}

impl ViewParameters {
    /// Parses the query of an address. A parameter that is not known is refused, since a misspelt one would select nothing.
    pub(super) fn parse(text: &str) -> Result<Self, ViewError> {
        let mut parameters = Self::default();
        for (name, value) in url::form_urlencoded::parse(text.as_bytes()) {
            if value.chars().count() > MAX_VALUE_CHARS {
                return Err(ViewError::bad_request(format!("`{name}` is too long")));
            }
            parameters.set(&name, &value)?;
        }
        Ok(parameters)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), ViewError> {
        let wrong = || ViewError::bad_request(format!("`{value}` is not a value of `{name}`"));
        let query = &mut self.query;
        match name {
            _ if value.is_empty() => {}
            "word" if value == "failed" => query.with_failures = true,
            "word" => query.words.push(*LABELS.iter().find(|label| label.as_str() == value).ok_or_else(wrong)?),
            "agent" => query.hosts.push(if value == OWN_HOST { String::new() } else { value.to_owned() }),
            "project" => {
                // A project that is gone is still on tapes.
                query.project = Some(files::canonicalize(value).unwrap_or_else(|_| PathBuf::from(value)));
            }
            "rule" => query.rule = Some(value.to_owned()),
            "q" => query.text = Some(value.to_owned()),
            "from" => query.since_ms = Some(to_unix_ms(&parse_start(value).map_err(ViewError::bad_request)?)),
            "to" => query.until_ms = Some(parse_end(value).map_err(ViewError::bad_request)?),
            "before" => {
                let (at_ms, long_id) = value.split_once('.').ok_or_else(wrong)?;
                let at_ms = at_ms.parse().map_err(|_| wrong())?;
                query.before = Some(LogCursor { at_ms, long_id: long_id.to_owned() });
            }
            "skip" => self.skip = value.parse().map_err(|_| wrong())?,
            "days" => self.days = Some(value.parse().map_err(|_| wrong())?),
            "id" => value.clone_into(&mut self.id),
            _ => return Err(ViewError::bad_request(format!("`{name}` is not a parameter"))),
        }
        Ok(())
    }
}

/// The end of a time in milliseconds: that of a day, or a point in time.
fn parse_end(text: &str) -> Result<u64, String> {
    let end = match parse_start(text)? {
        StartTime::Day(date) => StartTime::Day(date.tomorrow().unwrap_or(date)),
        StartTime::DayStart { days_ago } => StartTime::DayStart { days_ago: days_ago - 1 },
        end => end,
    };
    Ok(to_unix_ms(&end))
}

/// A start in milliseconds since the Unix epoch.
pub(super) fn to_unix_ms(start: &StartTime) -> u64 {
    let now = i64::try_from(SystemClock::default().unix_ms()).unwrap_or(i64::MAX);
    let now = Timestamp::from_millisecond(now).unwrap_or(Timestamp::MAX);
    start.to_unix_ms(now, &TimeZone::system())
}
