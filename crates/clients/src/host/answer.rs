//! The response to a host.

use serde_json::Value;

/// The response to a host: exactly these bytes and this exit status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostResponse {
    /// Standard output: empty, one JSON document, or plain text if the host expects that.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit status: 0, or 2 if the host treats that as a denial. Any other status means that nothing was decided.
    pub exit_code: u8,
}

impl HostResponse {
    /// An empty response, which allows.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// A JSON document on standard output, status 0. An empty object allows.
    #[must_use]
    pub fn json(value: &Value) -> Self {
        let stdout = match value.as_object() {
            Some(fields) if fields.is_empty() => String::new(),
            _ => value.to_string(),
        };
        Self { stdout, ..Self::default() }
    }

    /// The response with a text on standard error.
    #[must_use]
    pub fn with_stderr(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.stderr = format!("{text}\n");
        }
        self
    }

    /// The response with another exit status.
    #[must_use]
    pub fn with_exit_code(mut self, exit_code: u8) -> Self {
        self.exit_code = exit_code;
        self
    }
}
