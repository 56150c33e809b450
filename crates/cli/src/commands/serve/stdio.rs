//! `--stdio`: a request a line on standard input, an answer a line on standard output.

use std::io::{self, BufRead, Read as _};

use pintle_bridge::serving::protocol::RequestError;
use pintle_bridge::serving::{HostAnswer, HostServer};
use pintle_host::contract::MAX_PAYLOAD_BYTES;
use serde_json::Value;

use crate::error::CliStatus;
use crate::terminal::Terminal;

/// Serves until standard input ends, and then ends all sessions.
pub(super) fn serve(server: &HostServer, terminal: &Terminal) -> CliStatus {
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    // An input that cannot be read has ended.
    while let Ok(Some(is_whole)) = read_line(&mut input, &mut line) {
        let terminal = terminal.clone();
        let send = Box::new(move |answer: HostAnswer| {
            // A host that does not read its answers has ended, and soon so does standard input.
            let _ = terminal.write_exact(&format!("{}\n", answer.to_json()), "");
        });
        if !is_whole {
            let error = RequestError::too_long(format!("the line is longer than {MAX_PAYLOAD_BYTES} bytes"));
            send(HostAnswer { id: Value::Null, result: Err(error) });
        } else if !line.iter().all(u8::is_ascii_whitespace) {
            server.submit(&line, None, send);
        }
    }
    server.close();
    CliStatus::Done
}

/// Reads a line. `None` at the end of the input; `Some(false)` if the line is too long, and was dropped.
pub(crate) fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let most = MAX_PAYLOAD_BYTES as u64 + 1;
    if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') || (line.len() as u64) < most {
        return Ok(Some(true));
    }
    line.clear();
    while !matches!(line.last(), Some(b'\n')) {
        line.clear();
        if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
            break;
        }
    }
    Ok(Some(false))
}
