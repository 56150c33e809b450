//! `--redact-secrets`: whether secrets are redacted on tapes.

use clap::Args;

/// The environment variable that redacts secrets on every tape.
const VARIABLE: &str = "PINTLE_REDACT_SECRETS";

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RedactionOptions {
    /// Redact secrets in every record of the tape, whatever hooks are loaded; `PINTLE_REDACT_SECRETS=1` enables it,
    /// too.
    #[arg(long)]
    redact_secrets: bool,
}

impl RedactionOptions {
    pub(crate) fn is_on(self) -> bool {
        self.redact_secrets || is_enabled_by_env()
    }
}

/// Whether the variable is set to anything but an empty text, `0` or `false`.
pub(crate) fn is_enabled_by_env() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0" && value != "false")
}
