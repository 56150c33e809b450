//! The exit status of a turn that failed.

use pintle_agent::{TurnError, TurnErrorKind};

use crate::error::{CliError, CliStatus};

/// Converts an error of the session.
pub(super) fn status_of_turn_error(error: TurnError) -> Result<CliStatus, CliError> {
    let status = match error.kind {
        TurnErrorKind::Denied => CliStatus::Denied,
        TurnErrorKind::Cancelled | TurnErrorKind::Failed { .. } => CliStatus::Failed,
    };
    Err(CliError { status, message: error.message, help: None })
}
