//! The results of proofs.

use std::fmt;

use super::proof::{ClientProof, ProofEvidence, ProofKind};

/// The result of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProofResult {
    /// The command did not run, and the model got the reason.
    Denied,
    /// The command did not run, and the task ended there.
    DeniedAndEnded,
    /// The command did not run, and the reason was not shown.
    DeniedSilently,
    /// The command ran.
    Ran,
    /// The other command ran and the model saw its output, and the first did not run.
    Rewritten,
    /// The right command ran, and the model did not see its output.
    OutputUnseen,
    /// The model did not get the prompt, and the user got the reason.
    PromptDenied,
    /// The model did not get the prompt, and the reason was not shown.
    PromptDeniedSilently,
    /// The model did not get the prompt, and the client shows an error instead of the reason.
    PromptFailed,
    /// The model got the text.
    ModelInformed,
    /// The model did not get the text.
    ModelNotInformed,
    /// The agent continued once, with the reason.
    ContinuedOnce,
    /// The agent stopped.
    Stopped,
    /// The agent continued more than once.
    ContinuedRepeatedly,
    /// The command ran, and the model got another output.
    OutputReplaced,
    /// The command ran, and the model got none of its output.
    OutputWithheld,
    /// The command ran, and the run ended there.
    RunEnded,
    /// The command ran, the run continued, and the next command did not run.
    NextCommandDenied,
    /// The client could not be run, or did not finish.
    ClientFailed,
}

impl ProofResult {
    /// The expected result in a client with full support.
    pub(super) fn expected_for(kind: ProofKind) -> Self {
        match kind {
            ProofKind::Allow => Self::Ran,
            ProofKind::Deny | ProofKind::LookBack => Self::Denied,
            ProofKind::Rewrite => Self::Rewritten,
            ProofKind::Context | ProofKind::PromptContext | ProofKind::Remark => Self::ModelInformed,
            ProofKind::Stop => Self::ContinuedOnce,
            ProofKind::Prompt => Self::PromptDenied,
            ProofKind::Output | ProofKind::Failure => Self::OutputReplaced,
            ProofKind::End => Self::RunEnded,
        }
    }

    /// The result that the evidence shows.
    pub(super) fn from_evidence(proof: &ClientProof, seen: &ProofEvidence) -> Self {
        match proof.kind {
            ProofKind::Prompt if seen.requests == 0 && seen.user_informed => Self::PromptDenied,
            ProofKind::Prompt if seen.requests == 0 && seen.ended_well => Self::PromptDeniedSilently,
            ProofKind::Prompt if seen.requests == 0 && seen.has_error => Self::PromptFailed,
            _ if seen.requests == 0 => Self::ClientFailed,
            ProofKind::Context | ProofKind::PromptContext | ProofKind::Remark if seen.model_informed => {
                Self::ModelInformed
            }
            ProofKind::Context | ProofKind::PromptContext | ProofKind::Remark => Self::ModelNotInformed,
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
            ProofKind::Allow | ProofKind::Deny | ProofKind::LookBack | ProofKind::Rewrite | ProofKind::Prompt
                if seen.command.has_run() =>
            {
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
            Self::DeniedSilently => "did not run, the reason was not shown",
            Self::Ran => "ran",
            Self::Rewritten => "the other command ran, and the model saw its output",
            Self::OutputUnseen => "ran, and the model did not see its output",
            Self::PromptDenied => "the model got no prompt, the user got the reason",
            Self::PromptDeniedSilently => "the model got no prompt, the reason was not shown",
            Self::PromptFailed => "the model got no prompt, an error was shown",
            Self::ModelInformed => "the model got the text",
            Self::ModelNotInformed => "the model did not get the text",
            Self::ContinuedOnce => "continued once, with the reason",
            Self::Stopped => "stopped",
            Self::ContinuedRepeatedly => "continued more than once",
            Self::OutputReplaced => "ran, and the model got another output",
            Self::OutputWithheld => "ran, and the model got none of its output",
            Self::RunEnded => "ran, and the run ended",
            Self::NextCommandDenied => "ran, and no further command ran",
            Self::ClientFailed => "could not be run",
        })
    }
}
