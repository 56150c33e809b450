//! The headers that identify a machine to an OTLP endpoint.

use std::fmt;
use std::path::Path;

use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};

use crate::FleetError;

/// Names the headers if the settings name no file. OpenTelemetry's own variable is not read: what is in it is for another
/// endpoint.
pub const OTLP_HEADERS_VARIABLE: &str = "PINTLE_OTLP_HEADERS";

/// The headers of a request that are not the user's.
const OWN_HEADERS: [HeaderName; 5] = [CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING];

/// Headers for an endpoint. Their values are never shown.
#[derive(Clone, Default)]
pub struct OtlpHeaders(HeaderMap);

impl OtlpHeaders {
    /// Reads the headers in the file that the settings name, otherwise in the variable.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is not a header. The error does not quote it.
    pub fn load(file: Option<&Path>, variable: Option<&str>) -> Result<Self, FleetError> {
        match (file, variable) {
            (Some(file), _) => {
                let text = pintle_files::read_text(file).map_err(|error| {
                    FleetError::invalid_input(format!("cannot read the file of headers `{}`: {error}", file.display()))
                        .help("write `NAME: VALUE` in each line, or remove `headers_file` from your `config.yaml`")
                })?;
                Self::parse(&text, &format!("`{}`", file.display()))
            }
            (None, Some(text)) => Self::parse(text, &format!("the variable `{OTLP_HEADERS_VARIABLE}`")),
            (None, None) => Ok(Self::default()),
        }
    }

    fn parse(text: &str, place: &str) -> Result<Self, FleetError> {
        let mut headers = HeaderMap::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let header = line.split_once(':').and_then(|(name, value)| {
                let name = HeaderName::from_bytes(name.trim().as_bytes()).ok()?;
                Some((name, HeaderValue::from_str(value.trim()).ok()?))
            });
            let header = header.filter(|(name, _)| !OWN_HEADERS.contains(name));
            let Some((name, mut value)) = header else {
                let message = format!("line {} of {place} is not a header that can be sent", index + 1);
                return Err(FleetError::invalid_input(message).help("write `NAME: VALUE` in each line"));
            };
            value.set_sensitive(true);
            headers.append(name, value);
        }
        Ok(Self(headers))
    }

    pub(super) fn into_map(self) -> HeaderMap {
        self.0
    }
}

impl fmt::Debug for OtlpHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OtlpHeaders({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_lines_and_no_error_quotes_them() {
        let parsed = OtlpHeaders::load(None, Some("Authorization: Bearer a:b\n\n x-key :v \r\n")).unwrap();
        assert_eq!(parsed.0.get("authorization").unwrap(), "Bearer a:b");
        assert_eq!(parsed.0.get("x-key").unwrap(), "v");
        assert!(!format!("{parsed:?}").contains("Bearer"));
        for text in ["secret", "x y: secret", "ok: 1\nHost: secret", "x: secret\u{1}", "content-type: secret"] {
            let error = OtlpHeaders::load(None, Some(text)).unwrap_err();
            assert!(error.message.contains(&format!("line {} of", text.lines().count())), "{error:?}");
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
        let missing = OtlpHeaders::load(Some(Path::new("/nonexistent/headers")), Some("a: b")).unwrap_err();
        assert!(missing.message.contains("/nonexistent/headers"), "a file that is named applies");
    }
}
