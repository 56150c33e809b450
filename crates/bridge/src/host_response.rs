//! What a host gets back.

use serde_json::Value;

/// What a host gets back: exactly these bytes and this exit status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostResponse {
    /// Written to standard output. Empty, or one JSON document, or plain text where the host wants that.
    pub stdout: String,
    /// Written to standard error.
    pub stderr: String,
    /// The exit status: 0, or 2 where the host takes that for a deny. Nothing else means that something was decided.
    pub exit_code: u8,
}

impl HostResponse {
    /// Nothing is said and nothing is against it.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// A JSON document on standard output, status 0. An empty object says nothing.
    #[must_use]
    pub fn json(value: &Value) -> Self {
        let stdout = match value.as_object() {
            Some(fields) if fields.is_empty() => String::new(),
            _ => value.to_string(),
        };
        Self { stdout, ..Self::default() }
    }

    /// The same with a text on standard error.
    #[must_use]
    pub fn with_stderr(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.stderr = format!("{text}\n");
        }
        self
    }

    /// The same with another exit status.
    #[must_use]
    pub fn with_exit_code(mut self, exit_code: u8) -> Self {
        self.exit_code = exit_code;
        self
    }
}
