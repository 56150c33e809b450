//! Answers as verdicts (docker-agent behaviour, sections 2.3, 3.3, 3.6 and 3.7).
//!
//! What wants to decide and cannot be read is a failure; what a person or the model reads is read leniently.

mod embedded;
mod key;
mod output;
mod process;
mod reply;
mod strict;
mod verdict;

pub(super) use self::key::{KeySpelling, OutputKey, find_key};
pub(super) use self::reply::DECISION_SCHEMA;

use pintle_contract::{Event, Failure, FailureKind, HandlerOutput, Verdict};

use super::DockerEventDef;
use super::codec::DockerAgentCodec;

/// Reads an answer.
pub(super) fn decode(
    codec: &DockerAgentCodec,
    event: &Event,
    row: &'static DockerEventDef,
    answer: HandlerOutput,
) -> Verdict {
    let asked = DockerDecodeContext { codec, event, def: row };
    match answer {
        HandlerOutput::Process(answer) => process::decode(&asked, &answer),
        HandlerOutput::Text(reply) => reply::decode(&asked, &reply),
        HandlerOutput::Script(_) | HandlerOutput::Returned(_) => {
            bad_output("only commands, built-ins and models can be hooks in this dialect")
        }
    }
}

/// What was asked, and how its answer is read.
#[derive(Debug, Clone, Copy)]
struct DockerDecodeContext<'a> {
    codec: &'a DockerAgentCodec,
    event: &'a Event,
    def: &'static DockerEventDef,
}

/// An answer that cannot be read.
fn bad_output(message: impl Into<String>) -> Verdict {
    Verdict::failed(Failure::new(FailureKind::BadOutput, message))
}

impl DockerDecodeContext<'_> {
    /// The event's name for people.
    fn name(&self) -> &str {
        match self.def.name {
            "" => self.event.name.as_str(),
            name => name,
        }
    }
}

#[cfg(test)]
mod tests;
