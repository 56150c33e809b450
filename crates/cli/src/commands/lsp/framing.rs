//! Messages as they are written: a header with the length, an empty line, JSON.

use std::io::{self, BufRead, Read as _};

use serde_json::Value;

/// The longest message that is read, in bytes.
const MAX_MESSAGE_BYTES: u64 = 256 << 20;
/// The longest line of a header that is read, in bytes.
const MAX_HEADER_BYTES: u64 = 8 << 10;

/// What was read.
#[derive(Debug, PartialEq)]
pub(super) enum ReadMessage {
    /// A message, as JSON.
    Whole(Value),
    /// Something that is not a message; what follows can be read.
    Malformed(String),
}

/// Reads a message. `None` at the end of the input.
pub(super) fn read_message(input: &mut impl BufRead) -> io::Result<Option<ReadMessage>> {
    let Some(length) = read_header(input)? else { return Ok(None) };
    let length = match length {
        Ok(length) => length,
        Err(problem) => return Ok(Some(ReadMessage::Malformed(problem))),
    };
    if length > MAX_MESSAGE_BYTES {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        let problem = format!("the message is longer than {MAX_MESSAGE_BYTES} bytes");
        return Ok(Some(ReadMessage::Malformed(problem)));
    }
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => ReadMessage::Whole(message),
        Err(error) => ReadMessage::Malformed(format!("the message is not JSON: {error}")),
    }))
}

/// Reads a header, and returns the length of the message behind it. `None` at the end of the input; an error says what is
/// wrong with the header.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<Result<u64, String>>> {
    let (mut length, mut is_empty) = (None, true);
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(if is_empty { None } else { Some(Err(String::from("the header does not end"))) });
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return Ok(Some(length.unwrap_or_else(|| Err(String::from("the header has no `Content-Length`")))));
        }
        is_empty = false;
        let Some((name, value)) = line.split_once(':') else {
            return Ok(Some(Err(String::from("a line of the header has no colon"))));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let parsed = value.trim().parse::<u64>();
            length = Some(parsed.map_err(|error| format!("`Content-Length` is not a length: {error}")));
        }
    }
}

/// A message as it is written.
pub(super) fn frame_message(message: &Value) -> String {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let message = json!({"method": "ä", "params": [1]});
        let text = frame_message(&message).repeat(2);
        let mut input = text.as_bytes();
        for _ in 0..2 {
            assert_eq!(read_message(&mut input).unwrap(), Some(ReadMessage::Whole(message.clone())));
        }
        assert_eq!(read_message(&mut input).unwrap(), None);
    }

    #[test]
    fn what_follows_a_malformed_message_is_read() {
        let malformed = [
            "Content-Length: x\r\n\r\n",
            "Content-Length: -1\r\n\r\n",
            "no colon\r\n",
            "Content-Type: text\r\n\r\n",
            "\r\n",
            "Content-Length: 2\r\n\r\n{]",
            "Content-Length: 3\r\n\r\n\"\u{0}\"",
            "content-length: 1\n\n[",
        ];
        for text in malformed {
            let whole = format!("{text}{}", frame_message(&json!({})));
            let mut input = whole.as_bytes();
            let first = read_message(&mut input).unwrap();
            assert!(matches!(first, Some(ReadMessage::Malformed(_))), "{text:?}: {first:?}");
            assert_eq!(read_message(&mut input).unwrap(), Some(ReadMessage::Whole(json!({}))), "{text:?}");
        }
    }

    #[test]
    fn a_length_alone_takes_no_memory() {
        for text in ["Content-Length: 999999999999999\r\n\r\n{}", "Content-Length: 200000000\r\n\r\n{}"] {
            let _ = read_message(&mut text.as_bytes()).unwrap();
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let text = format!("Content-Length: {}\r\n\r\n{deep}", deep.len());
        assert!(matches!(read_message(&mut text.as_bytes()).unwrap(), Some(ReadMessage::Malformed(_))));
    }
}
