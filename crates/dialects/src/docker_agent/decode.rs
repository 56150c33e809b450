//! Answers as verdicts (docker-agent behaviour, sections 2.3, 3.3, 3.6 and 3.7).
//!
//! What wants to decide and cannot be read is a failure; what a person or the model reads is read leniently.

mod embedded;
mod key;
mod output;
mod process;
mod reply;
mod ruling;
mod strict;

pub(super) use self::key::{OutputKey, Spelled, spelled};
pub(super) use self::reply::DECISION_SCHEMA;

use pintle_contract::{Event, Failure, FailureKind, HandlerOutput, Verdict};

use super::Row;
use super::codec::DockerAgent;

/// Reads an answer.
pub(super) fn decode(codec: &DockerAgent, event: &Event, row: &'static Row, answer: HandlerOutput) -> Verdict {
    let asked = Asked { codec, event, row };
    match answer {
        HandlerOutput::Process(answer) => process::decode(&asked, &answer),
        HandlerOutput::Text(reply) => reply::decode(&asked, &reply),
        HandlerOutput::Script(_) | HandlerOutput::Returned(_) => {
            bad("only commands, built-ins and models can answer in this dialect")
        }
    }
}

/// What was asked, and how its answer is read.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    codec: &'a DockerAgent,
    event: &'a Event,
    row: &'static Row,
}

/// An answer that cannot be read.
fn bad(message: impl Into<String>) -> Verdict {
    Verdict::failed(Failure::new(FailureKind::BadOutput, message))
}

impl Asked<'_> {
    /// The event's name for people.
    fn name(&self) -> &str {
        match self.row.name {
            "" => self.event.name.as_str(),
            name => name,
        }
    }
}

#[cfg(test)]
mod tests;
