//! What a proof came to.

use std::fmt;

use super::proof::{ClientProof, ProofEvidence, ProofKind};

/// What a proof came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProofResult {
    /// The command did not run, and the model was told why.
    Denied,
    /// The command did not run, and the task ended there.
    DeniedAndEnded,
    /// The command did not run, and nobody was told why.
    DeniedSilently,
    /// The command ran.
    Ran,
    /// The other command ran and the model saw what it said, and the first did not run.
    Rewritten,
    /// A command ran that was to run, and the model does not know what it said.
    OutputUnseen,
    /// The model never heard the prompt, and the person was told why.
    PromptDenied,
    /// The model never heard the prompt, and nobody was told why.
    PromptDeniedSilently,
    /// The model was told.
    ModelInformed,
    /// The model was not told.
    ModelNotInformed,
    /// The agent went on once, with the reason.
    ContinuedOnce,
    /// The agent stopped.
    Stopped,
    /// The agent went on more than once.
    ContinuedRepeatedly,
    /// The command ran, and the model was told something else than it said.
    OutputReplaced,
    /// The command ran, and the model was told nothing of what it said.
    OutputWithheld,
    /// The command ran, and the run ended there.
    RunEnded,
    /// The command ran, the run went on, and the next command did not run.
    NextCommandDenied,
    /// The client could not be run, or not to its end.
    ClientFailed,
}

impl ProofResult {
    /// What it has to be in a client that can do everything.
    pub(super) fn expected_for(kind: ProofKind) -> Self {
        match kind {
            ProofKind::Allow => Self::Ran,
            ProofKind::Deny => Self::Denied,
            ProofKind::Rewrite => Self::Rewritten,
            ProofKind::Context | ProofKind::Remark => Self::ModelInformed,
            ProofKind::Stop => Self::ContinuedOnce,
            ProofKind::Prompt => Self::PromptDenied,
            ProofKind::Output | ProofKind::Failure => Self::OutputReplaced,
            ProofKind::End => Self::RunEnded,
        }
    }

    /// What it was.
    pub(super) fn from_evidence(proof: &ClientProof, seen: &ProofEvidence) -> Self {
        match proof.kind {
            ProofKind::Prompt if seen.requests == 0 && seen.user_informed => Self::PromptDenied,
            ProofKind::Prompt if seen.requests == 0 && seen.ended_well => Self::PromptDeniedSilently,
            _ if seen.requests == 0 => Self::ClientFailed,
            ProofKind::Context | ProofKind::Remark if seen.model_informed => Self::ModelInformed,
            ProofKind::Context | ProofKind::Remark => Self::ModelNotInformed,
            ProofKind::Stop => match seen.requests {
                1 => Self::Stopped,
                2 if seen.model_informed => Self::ContinuedOnce,
                _ => Self::ContinuedRepeatedly,
            },
            ProofKind::Output | ProofKind::Failure | ProofKind::End if !seen.command.file_written => {
                Self::DeniedSilently
            }
            ProofKind::Output | ProofKind::Failure if seen.command.output_seen => Self::Ran,
            ProofKind::Output | ProofKind::Failure if seen.model_informed => Self::OutputReplaced,
            ProofKind::Output | ProofKind::Failure if seen.requests > 1 => Self::OutputWithheld,
            ProofKind::Output | ProofKind::Failure => Self::RunEnded,
            ProofKind::End if seen.other.has_run() => Self::Ran,
            ProofKind::End if seen.requests > 1 => Self::NextCommandDenied,
            ProofKind::End => Self::RunEnded,
            ProofKind::Allow if seen.command.has_run() && !(seen.command.file_written && seen.command.output_seen) => {
                Self::OutputUnseen
            }
            ProofKind::Allow | ProofKind::Deny | ProofKind::Rewrite | ProofKind::Prompt if seen.command.has_run() => {
                Self::Ran
            }
            ProofKind::Rewrite if seen.other.file_written && seen.other.output_seen => Self::Rewritten,
            _ if seen.other.has_run() => Self::OutputUnseen,
            _ if seen.model_informed => Self::Denied,
            _ if seen.requests == 1 && seen.gave_up => Self::DeniedAndEnded,
            _ => Self::DeniedSilently,
        }
    }
}

impl fmt::Display for ProofResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Denied => "did not run, the model knows why",
            Self::DeniedAndEnded => "did not run, the task ended",
            Self::DeniedSilently => "did not run, nobody knows why",
            Self::Ran => "ran",
            Self::Rewritten => "the other command ran, and the model saw what it said",
            Self::OutputUnseen => "ran, and the model does not know what it said",
            Self::PromptDenied => "the model heard nothing, the person knows why",
            Self::PromptDeniedSilently => "the model heard nothing, nobody knows why",
            Self::ModelInformed => "the model was told",
            Self::ModelNotInformed => "the model was not told",
            Self::ContinuedOnce => "went on once, with the reason",
            Self::Stopped => "stopped",
            Self::ContinuedRepeatedly => "went on more than once",
            Self::OutputReplaced => "ran, and the model was told something else",
            Self::OutputWithheld => "ran, and the model was told nothing of it",
            Self::RunEnded => "ran, and the run ended",
            Self::NextCommandDenied => "ran, and no further command did",
            Self::ClientFailed => "could not be run",
        })
    }
}
