//! The stop point of a replay.

use std::fmt;
use std::str::FromStr;

use pintle_contract::event::UnknownEvent;
use pintle_contract::{EventName, suggest_nearest};

use super::split::ParsedLine;

/// Where a replay stops: after what it names, which is still replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopPoint {
    /// The record with this number.
    Record(u64),
    /// The end of this session turn, from 1.
    Turn(u32),
    /// The first outcome of this event.
    Event(EventName),
}

/// The reason why a text is not a stop point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StopPointError {
    /// The text after `turn:` is not a number of a turn.
    #[error("`{text}` is not a turn; turns count from 1, as in `turn:2`")]
    InvalidTurn {
        /// The text as written.
        text: String,
    },
    /// The number is too large.
    #[error("`{text}` is too large for a record number")]
    RecordTooLarge {
        /// The text as written.
        text: String,
    },
    /// The text is neither a number nor an event.
    #[error("{0} (a stop point is a record number, `turn:N` or an event name)")]
    UnknownEvent(#[from] UnknownEvent),
}

impl FromStr for StopPoint {
    type Err = StopPointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(turn) = text.strip_prefix("turn:") {
            let turn = turn.parse().ok().filter(|turn| *turn > 0);
            return turn.map(Self::Turn).ok_or_else(|| StopPointError::InvalidTurn { text: text.to_owned() });
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
            return text
                .parse()
                .map(Self::Record)
                .map_err(|_| StopPointError::RecordTooLarge { text: text.to_owned() });
        }
        Ok(Self::Event(EventName::parse(text)?))
    }
}

impl fmt::Display for StopPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record(seq) => write!(f, "record {seq}"),
            Self::Turn(turn) => write!(f, "turn {turn}"),
            Self::Event(event) => write!(f, "`{event}`"),
        }
    }
}

impl StopPoint {
    /// The number of records that are replayed.
    pub(super) fn record_count(&self, records: &[ParsedLine<'_>]) -> Result<usize, String> {
        match self {
            Self::Record(seq) => {
                let index = records.iter().position(|record| record.line.seq == *seq);
                let last = records.last().map_or(0, |record| record.line.seq);
                index
                    .map(|index| index + 1)
                    .ok_or_else(|| format!("the tape has no record {seq}; its last one is {last}"))
            }
            Self::Turn(turn) => {
                let last = records.iter().filter_map(|record| record.turn).max().unwrap_or_default();
                if *turn > last {
                    return Err(match last {
                        0 => String::from("the tape has no turns"),
                        last => format!("the tape has no turn {turn}; its last one is {last}"),
                    });
                }
                Ok(records.iter().position(|record| record.turn > Some(*turn)).unwrap_or(records.len()))
            }
            Self::Event(event) => {
                let outcome_of = |record: &ParsedLine<'_>| Some(record.body.as_ref()?.outcome()?.event.to_string());
                let is_outcome = |record: &ParsedLine<'_>| outcome_of(record).as_deref() == Some(event.as_str());
                let index = records.iter().position(is_outcome);
                index.map(|index| index + 1).ok_or_else(|| {
                    let known: Vec<String> = records.iter().filter_map(outcome_of).collect();
                    let near = suggest_nearest(event.as_str(), known.iter().map(String::as_str))
                        .map(|near| format!("; did you mean `{near}`?"));
                    format!("the tape has no outcome of `{event}`{}", near.unwrap_or_default())
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_point_is_a_record_a_turn_or_an_event() {
        let cases = [
            ("0", Ok("record 0")),
            ("turn:3", Ok("turn 3")),
            ("tool.pre", Ok("`tool.pre`")),
            ("custom.deploy", Ok("`custom.deploy`")),
            ("turn:0", Err("`turn:0` is not a turn; turns count from 1, as in `turn:2`")),
            ("99999999999999999999", Err("`99999999999999999999` is too large for a record number")),
            (
                "tool.per",
                Err(
                    "unknown event `tool.per`; did you mean `tool.pre`? (a stop point is a record number, `turn:N` or \
                     an event name)",
                ),
            ),
        ];
        for (text, expected) in cases {
            let actual = text.parse::<StopPoint>().map(|stop_point| stop_point.to_string());
            assert_eq!(actual.map_err(|error| error.to_string()), expected.map(str::to_owned).map_err(str::to_owned));
        }
    }
}
