//! What a proof came to.

use std::fmt;

use super::proof::{Kind, Proof, Seen};

/// What a proof came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The command did not run, and the model was told why.
    Denied,
    /// The command did not run, and the task ended there.
    Ended,
    /// The command did not run, and nobody was told why.
    Silenced,
    /// The command ran.
    Ran,
    /// The other command ran and the model saw what it said, and the first did not run.
    Rewritten,
    /// A command ran that was to run, and the model does not know what it said.
    Unseen,
    /// The model never heard the prompt, and the person was told why.
    Refused,
    /// The model never heard the prompt, and nobody was told why.
    Unheard,
    /// The model was told.
    Told,
    /// The model was not told.
    Untold,
    /// The agent went on once, with the reason.
    WentOn,
    /// The agent stopped.
    Stopped,
    /// The agent went on more than once.
    NeverStopped,
    /// The command ran, and the model was told something else than it said.
    Changed,
    /// The command ran, and the model was told nothing of what it said.
    Withheld,
    /// The command ran, and the run ended there.
    Halted,
    /// The command ran, the run went on, and the next command did not run.
    Barred,
    /// The client could not be run, or not to its end.
    Broken,
}

impl Outcome {
    /// What it has to be in a client that can do everything.
    pub(super) fn wanted(kind: Kind) -> Self {
        match kind {
            Kind::Allow => Self::Ran,
            Kind::Deny => Self::Denied,
            Kind::Rewrite => Self::Rewritten,
            Kind::Context | Kind::Remark => Self::Told,
            Kind::Stop => Self::WentOn,
            Kind::Prompt => Self::Refused,
            Kind::Output | Kind::Failure => Self::Changed,
            Kind::End => Self::Halted,
        }
    }

    /// What it was.
    pub(super) fn of(proof: &Proof, seen: &Seen) -> Self {
        match proof.kind {
            Kind::Prompt if seen.requests == 0 && seen.said => Self::Refused,
            Kind::Prompt if seen.requests == 0 && seen.ended_well => Self::Unheard,
            _ if seen.requests == 0 => Self::Broken,
            Kind::Context | Kind::Remark if seen.told => Self::Told,
            Kind::Context | Kind::Remark => Self::Untold,
            Kind::Stop => match seen.requests {
                1 => Self::Stopped,
                2 if seen.told => Self::WentOn,
                _ => Self::NeverStopped,
            },
            Kind::Output | Kind::Failure | Kind::End if !seen.command.wrote => Self::Silenced,
            Kind::Output | Kind::Failure if seen.command.told => Self::Ran,
            Kind::Output | Kind::Failure if seen.told => Self::Changed,
            Kind::Output | Kind::Failure if seen.requests > 1 => Self::Withheld,
            Kind::Output | Kind::Failure => Self::Halted,
            Kind::End if seen.other.any() => Self::Ran,
            Kind::End if seen.requests > 1 => Self::Barred,
            Kind::End => Self::Halted,
            Kind::Allow if seen.command.any() && !(seen.command.wrote && seen.command.told) => Self::Unseen,
            Kind::Allow | Kind::Deny | Kind::Rewrite | Kind::Prompt if seen.command.any() => Self::Ran,
            Kind::Rewrite if seen.other.wrote && seen.other.told => Self::Rewritten,
            _ if seen.other.any() => Self::Unseen,
            _ if seen.told => Self::Denied,
            _ if seen.requests == 1 && seen.gave_up => Self::Ended,
            _ => Self::Silenced,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Denied => "did not run, the model knows why",
            Self::Ended => "did not run, the task ended",
            Self::Silenced => "did not run, nobody knows why",
            Self::Ran => "ran",
            Self::Rewritten => "the other command ran, and the model saw what it said",
            Self::Unseen => "ran, and the model does not know what it said",
            Self::Refused => "the model heard nothing, the person knows why",
            Self::Unheard => "the model heard nothing, nobody knows why",
            Self::Told => "the model was told",
            Self::Untold => "the model was not told",
            Self::WentOn => "went on once, with the reason",
            Self::Stopped => "stopped",
            Self::NeverStopped => "went on more than once",
            Self::Changed => "ran, and the model was told something else",
            Self::Withheld => "ran, and the model was told nothing of it",
            Self::Halted => "ran, and the run ended",
            Self::Barred => "ran, and no further command did",
            Self::Broken => "could not be run",
        })
    }
}
