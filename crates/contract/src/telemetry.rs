//! Where the telemetry of a user is sent.

use std::path::PathBuf;

/// Where telemetry is sent, and what of it: the key `telemetry` of the user's settings. Without it nothing is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelemetrySettings {
    /// The address of an OTLP endpoint, such as `https://otel.example:4318`.
    pub otlp: String,
    /// The file with headers that identify the user to the endpoint, as the user wrote it. Default: none.
    pub headers_file: Option<PathBuf>,
    /// Whether the content of calls is sent, too: arguments, prompts, results and directories. Default: no.
    pub content: bool,
}

impl TelemetrySettings {
    /// A regular expression for the addresses that [`TelemetrySettings::check_endpoint`] accepts.
    pub const ENDPOINT_PATTERN: &'static str =
        r"^(https://|http://(localhost|127\.[0-9.]+|\[::1\])(:[0-9]+)?(/|$))[^@?#\\\s]*$";

    /// Checks the address of an endpoint: it is encrypted unless it is on this machine, and nothing secret is in it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_endpoint(address: &str) -> Result<(), &'static str> {
        let (scheme, rest) = address.split_once("://").ok_or("it does not begin with `https://`")?;
        let authority = rest.split('/').next().unwrap_or_default();
        let host = match authority.strip_prefix('[') {
            Some(address) => address.split(']').next(),
            None => authority.split(':').next(),
        };
        let host = host.filter(|host| !host.is_empty()).ok_or("it names no host")?;
        if authority.contains('@') {
            return Err("it has a user; what identifies you belongs in `headers_file`");
        }
        if rest.contains(['?', '#', '\\']) || rest.contains(|character: char| character.is_whitespace()) {
            return Err("it has more than a host, a port and a path");
        }
        let is_number = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let is_here = ["localhost", "::1"].contains(&host) || host.strip_prefix("127.").is_some_and(is_number);
        match scheme {
            "https" => Ok(()),
            "http" if is_here => Ok(()),
            "http" => Err("`http` would send telemetry unencrypted to another machine"),
            _ => Err("it does not begin with `https://`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_encrypted_or_on_this_machine_and_has_no_secret() {
        for address in [
            "https://otel.example",
            "https://otel.example:4318/a/b",
            "http://localhost:4318",
            "http://127.0.0.2",
            "http://[::1]:4318/",
            "https://[2001:db8::1]:4318",
        ] {
            assert_eq!(TelemetrySettings::check_endpoint(address), Ok(()), "{address}");
        }
        for (address, reason) in [
            ("otel.example:4318", "does not begin"),
            ("ftp://otel.example", "does not begin"),
            ("HTTP://localhost", "does not begin"),
            ("https://", "no host"),
            ("https:///v1", "no host"),
            ("https://:4318", "no host"),
            ("http://otel.example:4318", "unencrypted"),
            ("http://localhost.example", "unencrypted"),
            ("http://127.otel.example", "unencrypted"),
            ("http://[2001:db8::1]", "unencrypted"),
            ("https://me:secret@otel.example", "a user"),
            ("http://localhost:4318@otel.example", "a user"),
            ("http://localhost\\@otel.example", "a user"),
            ("http://localhost\\.otel.example", "more than"),
            ("https://otel.example?key=secret", "more than"),
            ("https://otel.example#x", "more than"),
            ("https://otel.example/a b", "more than"),
        ] {
            let error = TelemetrySettings::check_endpoint(address).unwrap_err();
            assert!(error.contains(reason), "{address}: {error}");
        }
    }
}
