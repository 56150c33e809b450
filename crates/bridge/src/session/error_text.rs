//! Errors of a session, for the user.

use std::io;

use pintle_host::tape::TapeError;

use super::HostSessionError;
use crate::{HostDef, HostEvent};

/// The error of a session, for the user. `action` is what could not be done.
pub(crate) fn session_error_text(action: &str, error: &HostSessionError, host: &HostDef, event: &HostEvent) -> String {
    match error {
        HostSessionError::Tape(error @ (TapeError::Write { .. } | TapeError::Changed { .. })) => {
            format!("cannot record this event on the tape: {error}")
        }
        HostSessionError::Tape(error) => format!("{error}; {}", recovery_hint(host, event)),
        HostSessionError::State(error) if error.kind() == io::ErrorKind::Other => {
            format!("{action}: {error}; {}", recovery_hint(host, event))
        }
        HostSessionError::State(error) => format!("{action}: {error}"),
    }
}

/// The next steps for a session that cannot continue.
fn recovery_hint(host: &HostDef, event: &HostEvent) -> String {
    format!(
        "inspect it with `pintle sessions --host {0}` and `pintle tape verify`, then start again with \
         `pintle sessions delete --host {0} {1}`",
        host.name, event.context.session
    )
}
