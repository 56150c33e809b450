//! Whether secrets are kept off tapes.

use clap::Args;

/// The variable that keeps secrets off every tape.
const VARIABLE: &str = "PINTLE_REDACT_SECRETS";

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RedactionOptions {
    /// Take secrets out of every record of the tape, whatever hooks there are. `PINTLE_REDACT_SECRETS=1` does the same.
    #[arg(long)]
    redact_secrets: bool,
}

impl RedactionOptions {
    pub(crate) fn is_on(self) -> bool {
        self.redact_secrets || is_enabled_by_env()
    }
}

/// Whether the environment says so. Anything but an empty text, `0` and `false` does.
pub(crate) fn is_enabled_by_env() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0" && value != "false")
}
