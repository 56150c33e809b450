//! Decodes hook output into verdicts.
//!
//! Output that is meant to decide but is invalid is a failure; output for the user or the model is read leniently.

mod output;
mod process;
mod reply;
mod verdict;

use pintle_contract::{Event, Failure, FailureKind, HandlerOutput, Verdict};

use super::codec::DockerAgentCodec;
use super::event_def::DockerEventDef;

pub(super) use self::output::KeySpelling;
pub(super) use self::output::OutputKey;
pub(super) use self::output::find_key;
pub(super) use self::output::is_spelled_so_in_the_example;
pub(super) use self::reply::DECISION_SCHEMA;

/// Decodes the output of a hook.
pub(super) fn decode(
    codec: &DockerAgentCodec,
    event: &Event,
    docker_event_def: &'static DockerEventDef,
    answer: HandlerOutput,
) -> Verdict {
    let asked = DockerDecodeContext { codec, event, def: docker_event_def };
    match answer {
        HandlerOutput::Process(answer) => process::decode(&asked, &answer),
        HandlerOutput::Text(reply) => reply::decode(&asked, &reply),
        HandlerOutput::Script(_) | HandlerOutput::Returned(_) => {
            bad_output("only commands, built-ins and models can be hooks in this dialect")
        }
    }
}

/// The event and codec of the hook whose output is decoded.
#[derive(Debug, Clone, Copy)]
struct DockerDecodeContext<'a> {
    codec: &'a DockerAgentCodec,
    event: &'a Event,
    def: &'static DockerEventDef,
}

fn bad_output(message: impl Into<String>) -> Verdict {
    Verdict::failed(Failure::new(FailureKind::BadOutput, message))
}

impl DockerDecodeContext<'_> {
    /// The event's name in diagnostics.
    fn name(&self) -> &str {
        match self.def.name {
            "" => self.event.name.as_str(),
            name => name,
        }
    }
}

#[cfg(test)]
mod tests;
