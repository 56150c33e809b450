//! The messages on the resident's socket: a length, a kind, and fields with lengths of their own.

use std::io::{self, Read, Write};

use crate::MAX_PAYLOAD_BYTES;

/// The largest request: a payload of the largest size, and what an environment and a command line may take.
pub const MAX_CALL_BYTES: usize = MAX_PAYLOAD_BYTES + (4 << 20);

/// What a client asks a resident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResidentRequest {
    /// To handle a call of an agent.
    Call(CallMessage),
    /// What it is and has done, as text in the answer.
    Status,
    /// To end, once the running calls are answered.
    Stop,
}

/// A call of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallMessage {
    /// The version of the program that asks; a resident of another one declines.
    pub version: Vec<u8>,
    /// The arguments after the program's name.
    pub arguments: Vec<Vec<u8>>,
    /// The caller's working directory.
    pub cwd: Vec<u8>,
    /// What the agent wrote to the hook's standard input.
    pub payload: Vec<u8>,
}

/// What a resident says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResidentReply {
    /// It handles the call, and answers within this time.
    Accepted {
        /// In milliseconds from now.
        within_ms: u32,
    },
    /// The answer to the agent.
    Answer(HookAnswer),
    /// It does not handle the call, and why: the client does it itself.
    Declined(String),
    /// What was asked for, other than a call.
    Report(String),
}

/// What the hook writes and exits with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookAnswer {
    /// The exit status.
    pub exit_code: u8,
    /// What goes to standard output.
    pub stdout: Vec<u8>,
    /// What goes to standard error.
    pub stderr: Vec<u8>,
}

/// A message that cannot be read.
#[derive(Debug)]
pub enum FrameError {
    /// The connection failed, or ended within a message.
    Io(io::Error),
    /// The bytes are no message.
    Malformed,
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes a message in one piece.
///
/// # Errors
/// When it cannot be written.
pub fn write_frame(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    let mut frame = Vec::with_capacity(body.len() + 4);
    push_bytes(&mut frame, body);
    output.write_all(&frame)
}

/// Reads a message of at most `most_bytes`.
///
/// # Errors
/// When the connection fails, ends within the message, or the message is longer.
pub fn read_frame(input: &mut impl Read, most_bytes: usize) -> Result<Vec<u8>, FrameError> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > most_bytes {
        return Err(FrameError::Malformed);
    }
    // The memory grows with what arrives, whatever length was announced.
    let mut body = Vec::with_capacity(length.min(64 << 10));
    input.take(length as u64).read_to_end(&mut body)?;
    if body.len() == length { Ok(body) } else { Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()) }
}

const CALL: u8 = b'C';
const STATUS: u8 = b'S';
const STOP: u8 = b'E';
const ACCEPTED: u8 = b'a';
const ANSWER: u8 = b'r';
const DECLINED: u8 = b'd';
const REPORT: u8 = b't';

impl ResidentRequest {
    /// The body of its message.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Call(call) => {
                let mut body = Vec::with_capacity(call.payload.len() + 1024);
                body.push(CALL);
                push_bytes(&mut body, &call.version);
                push_bytes(&mut body, &call.cwd);
                push_bytes(&mut body, &call.payload);
                call.arguments.iter().for_each(|argument| push_bytes(&mut body, argument));
                body
            }
            Self::Status => vec![STATUS],
            Self::Stop => vec![STOP],
        }
    }

    /// Reads the body of a message.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_bytes(body: &[u8]) -> Result<Self, FrameError> {
        let (kind, fields) = body.split_first().ok_or(FrameError::Malformed)?;
        let mut fields = fields;
        let request = match *kind {
            CALL => {
                let mut next = || take_bytes(&mut fields);
                let (version, cwd, payload) = (next()?, next()?, next()?);
                let mut arguments = Vec::new();
                while !fields.is_empty() {
                    arguments.push(take_bytes(&mut fields)?);
                }
                Self::Call(CallMessage { version, arguments, cwd, payload })
            }
            STATUS => Self::Status,
            STOP => Self::Stop,
            _ => return Err(FrameError::Malformed),
        };
        if fields.is_empty() { Ok(request) } else { Err(FrameError::Malformed) }
    }
}

impl ResidentReply {
    /// The body of its message.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        match self {
            Self::Accepted { within_ms } => {
                body.push(ACCEPTED);
                body.extend_from_slice(&within_ms.to_le_bytes());
            }
            Self::Answer(answer) => {
                body.extend_from_slice(&[ANSWER, answer.exit_code]);
                push_bytes(&mut body, &answer.stdout);
                push_bytes(&mut body, &answer.stderr);
            }
            Self::Declined(text) | Self::Report(text) => {
                body.push(if matches!(self, Self::Declined(_)) { DECLINED } else { REPORT });
                body.extend_from_slice(text.as_bytes());
            }
        }
        body
    }

    /// Reads the body of a message.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_bytes(body: &[u8]) -> Result<Self, FrameError> {
        match body.split_first().ok_or(FrameError::Malformed)? {
            (&ACCEPTED, limit) => {
                let limit = limit.try_into().map_err(|_| FrameError::Malformed)?;
                Ok(Self::Accepted { within_ms: u32::from_le_bytes(limit) })
            }
            (&ANSWER, fields) => {
                let (exit_code, mut fields) = fields.split_first().ok_or(FrameError::Malformed)?;
                let (stdout, stderr) = (take_bytes(&mut fields)?, take_bytes(&mut fields)?);
                let answer = HookAnswer { exit_code: *exit_code, stdout, stderr };
                if fields.is_empty() { Ok(Self::Answer(answer)) } else { Err(FrameError::Malformed) }
            }
            (&DECLINED, reason) => Ok(Self::Declined(String::from_utf8_lossy(reason).into_owned())),
            (&REPORT, text) => Ok(Self::Report(String::from_utf8_lossy(text).into_owned())),
            _ => Err(FrameError::Malformed),
        }
    }
}

/// Adds a field with its length.
fn push_bytes(body: &mut Vec<u8>, field: &[u8]) {
    // Longer ones are refused by the reader: the length then says more than there is.
    let length = u32::try_from(field.len()).unwrap_or(u32::MAX);
    body.extend_from_slice(&length.to_le_bytes());
    body.extend_from_slice(field);
}

/// Takes the next field.
fn take_bytes(fields: &mut &[u8]) -> Result<Vec<u8>, FrameError> {
    let (length, rest) = fields.split_first_chunk::<4>().ok_or(FrameError::Malformed)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (field, rest) = rest.split_at_checked(length).ok_or(FrameError::Malformed)?;
    *fields = rest;
    Ok(field.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_call() -> CallMessage {
        CallMessage {
            version: b"1".to_vec(),
            arguments: vec![b"hook".to_vec(), Vec::new(), vec![0xff, 0]],
            cwd: b"/x".to_vec(),
            payload: vec![b'{'; 70_000],
        }
    }

    #[test]
    fn messages_are_read_as_they_were_written() {
        for request in [
            ResidentRequest::Call(sample_call()),
            ResidentRequest::Call(CallMessage::default()),
            ResidentRequest::Status,
            ResidentRequest::Stop,
        ] {
            let mut sent = Vec::new();
            write_frame(&mut sent, &request.to_bytes()).unwrap();
            let body = read_frame(&mut &sent[..], MAX_CALL_BYTES).unwrap();
            assert_eq!(ResidentRequest::from_bytes(&body).unwrap(), request);
        }
        let answer = HookAnswer { exit_code: 2, stdout: b"{}".to_vec(), stderr: b"no".to_vec() };
        for reply in [
            ResidentReply::Accepted { within_ms: 7 },
            ResidentReply::Answer(answer),
            ResidentReply::Declined(String::from("busy")),
            ResidentReply::Report(String::from("{}")),
        ] {
            assert_eq!(ResidentReply::from_bytes(&reply.to_bytes()).unwrap(), reply);
        }
    }

    #[test]
    fn a_message_that_was_cut_or_changed_is_not_another_one() {
        let whole = ResidentRequest::Call(CallMessage { payload: b"{}".to_vec(), ..sample_call() }).to_bytes();
        for cut in 0..whole.len() {
            let read = ResidentRequest::from_bytes(&whole[..cut]);
            // A cut between two arguments cannot be seen here: the frame around the body has its length.
            let shorter =
                |request: &ResidentRequest| matches!(request, ResidentRequest::Call(call) if call.arguments.len() < 3);
            assert!(read.as_ref().is_err() || read.as_ref().is_ok_and(shorter), "{cut}");
        }
        let answer =
            ResidentReply::Answer(HookAnswer { exit_code: 0, stdout: b"abc".to_vec(), stderr: Vec::new() }).to_bytes();
        for cut in 0..answer.len() {
            assert!(ResidentReply::from_bytes(&answer[..cut]).is_err(), "{cut}");
        }
        let mut framed = Vec::new();
        write_frame(&mut framed, &answer).unwrap();
        for cut in 0..framed.len() {
            assert!(read_frame(&mut &framed[..cut], 1 << 20).is_err(), "{cut}");
        }
        assert!(matches!(read_frame(&mut &[0xff_u8; 8][..], 1 << 20), Err(FrameError::Malformed)));
        for bytes in [&b""[..], b"?", b"Sx", b"C\xff\xff\xff\xff"] {
            assert!(ResidentRequest::from_bytes(bytes).is_err());
            assert!(ResidentReply::from_bytes(bytes).is_err());
        }
    }
}
