//! Where a replay stops.

use std::fmt;
use std::str::FromStr;

use pintle_contract::{EventName, Origin, suggest_nearest};

use super::split::ParsedLine;
use crate::record::RecordBody;

/// Where a replay stops. It is behind what is named, which is still enacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopPoint {
    /// The record of this number.
    Record(u64),
    /// The end of this turn of the agent that the person talks to, from 1.
    Turn(u32),
    /// The first outcome of this event.
    Event(EventName),
}

impl FromStr for StopPoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(turn) = text.strip_prefix("turn:") {
            let turn = turn.parse().ok().filter(|turn| *turn > 0);
            return turn
                .map(Self::Turn)
                .ok_or_else(|| format!("`{text}` names no turn; turns count from 1, as in `turn:2`"));
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
            return text.parse().map(Self::Record).map_err(|_| format!("`{text}` is too large for a record's number"));
        }
        EventName::parse(text).map(Self::Event).map_err(|unknown| {
            format!("{unknown} (a place on a tape is the number of a record, `turn:N` or the name of an event)")
        })
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
    /// How many records are enacted.
    pub(super) fn record_count(&self, records: &[ParsedLine<'_>]) -> Result<usize, String> {
        match self {
            Self::Record(seq) => {
                let at = records.iter().position(|read| read.line.seq == *seq);
                let last = records.last().map_or(0, |read| read.line.seq);
                at.map(|at| at + 1).ok_or_else(|| format!("the tape has no record {seq}; its last one is {last}"))
            }
            Self::Turn(turn) => {
                let of = |read: &ParsedLine<'_>| {
                    origin_of(read.body.as_ref()?).filter(|origin| origin.depth == 0).map(|origin| origin.turn)
                };
                let last = records.iter().filter_map(of).max().unwrap_or_default();
                if *turn > last {
                    return Err(match last {
                        0 => String::from("the tape has no turns"),
                        last => format!("the tape has no turn {turn}; its last one is {last}"),
                    });
                }
                Ok(records.iter().position(|read| of(read) > Some(*turn)).unwrap_or(records.len()))
            }
            Self::Event(event) => {
                let outcome = |read: &ParsedLine<'_>| matches!(&read.body, Some(RecordBody::Outcome(decided)) if decided.event == event.as_str());
                let at = records.iter().position(outcome);
                at.map(|at| at + 1).ok_or_else(|| {
                    let there = records.iter().filter_map(|read| match &read.body {
                        Some(RecordBody::Outcome(decided)) => Some(&*decided.event),
                        _ => None,
                    });
                    let near = suggest_nearest(event.as_str(), there).map(|near| format!("; did you mean `{near}`?"));
                    format!("the tape has no outcome of `{event}`{}", near.unwrap_or_default())
                })
            }
        }
    }
}

/// Whose life a record is of.
fn origin_of<'b>(body: &'b RecordBody<'_>) -> Option<&'b Origin> {
    match body {
        RecordBody::Event(fired) => Some(&fired.origin),
        RecordBody::Host(record) => Some(record.origin()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_record_a_turn_or_an_event() {
        let cases = [
            ("0", Ok("record 0")),
            ("turn:3", Ok("turn 3")),
            ("tool.pre", Ok("`tool.pre`")),
            ("custom.deploy", Ok("`custom.deploy`")),
            ("turn:0", Err("`turn:0` names no turn; turns count from 1, as in `turn:2`")),
            ("99999999999999999999", Err("`99999999999999999999` is too large for a record's number")),
            (
                "tool.per",
                Err(
                    "unknown event `tool.per`; did you mean `tool.pre`? (a place on a tape is the number of a record, \
                     `turn:N` or the name of an event)",
                ),
            ),
        ];
        for (text, expected) in cases {
            let got = text.parse::<StopPoint>().map(|until| until.to_string());
            assert_eq!(got, expected.map(str::to_owned).map_err(str::to_owned));
        }
    }
}
