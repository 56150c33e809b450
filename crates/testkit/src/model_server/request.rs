//! Reads HTTP requests.

use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpStream;

use serde_json::Value;

use super::ReceivedRequest;

impl ReceivedRequest {
    /// Whether the caller wants one body instead of a stream. Gemini says so in the path, the others in the body.
    pub(super) fn is_non_streaming(&self) -> bool {
        match self.path.to_ascii_lowercase().contains("generatecontent") {
            true => !self.path.contains(":stream"),
            false => self.body.get("stream") != Some(&Value::Bool(true)),
        }
    }
}

/// Reads a complete request.
pub(super) fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<ReceivedRequest> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut first = line.split(' ').map(str::to_owned);
    let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let mut seen = ReceivedRequest { method, path, headers, body: Value::Null };
    let body = if seen.header("transfer-encoding").is_some() {
        read_chunks(reader)?
    } else {
        let length = seen.header("content-length").and_then(|length| length.parse().ok());
        read_exact(reader, length.unwrap_or(0))?
    };
    seen.body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(seen)
}

fn read_exact(reader: &mut BufReader<TcpStream>, length: usize) -> io::Result<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        body.extend(read_exact(reader, length)?);
        // The line end after the bytes.
        read_exact(reader, 2)?;
        if length == 0 {
            return Ok(body);
        }
    }
}
