//! The messages between this process and a launcher: frames of a length, four bytes little endian, and a body.
//!
//! The launcher sends [`HELLO`] when it starts. It creates the pipes of each call and sends their numbers two calls
//! ahead: those of the first two with the greeting, and another with each reply. The host opens its ends through
//! `/proc`. It sends a request, and at any time an empty frame, which ends the call. The launcher replies to the
//! request with one frame when no process of the call is left: the program's exit, or the reason why it did not start.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pintle_contract::SandboxSpec;

use super::super::pipes::ParentEnds;
use super::super::spawn::ProcessExit;
use super::super::{ProcessEnvironment, ProcessSpec, all_variables};

/// The greeting of a launcher. Another greeting means another program, or another version of this one.
pub(super) const HELLO: &[u8] = concat!("pintle launcher ", env!("CARGO_PKG_VERSION"), " 3").as_bytes();

/// The longest frame; longer than any command line that the system can start.
const MAX_FRAME_BYTES: usize = 16 << 20;

/// A request as the launcher decodes it.
#[derive(Debug)]
pub(super) struct LaunchRequest {
    /// Whether the program has an input; otherwise its input is closed before it starts.
    pub(super) has_input: bool,
    /// The process to start, without the parts that the host handles itself: input, deadline and output limits.
    pub(super) spec: ProcessSpec,
}

/// Encodes a body as a frame.
pub(super) fn encode_frame(body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(body.len() + 4);
    put_bytes(&mut frame, body);
    frame
}

/// Takes the first complete frame off the received bytes.
///
/// # Errors
/// When the bytes are not a frame.
pub(super) fn take_frame(received: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    let Some(length) = received.first_chunk::<4>().map(|length| u32::from_le_bytes(*length) as usize) else {
        return Ok(None);
    };
    if length > MAX_FRAME_BYTES {
        return Err(malformed_frame_error());
    }
    if received.len() < length + 4 {
        return Ok(None);
    }
    let rest = received.split_off(length + 4);
    let mut taken = std::mem::replace(received, rest);
    taken.drain(..4);
    Ok(Some(taken))
}

/// Encodes the host's ends of the next call's pipes, as file descriptors of this process: input, output, error output.
pub(super) fn encode_pipes(parent: &ParentEnds) -> Vec<u8> {
    let stdin = parent.stdin.as_ref().map_or(-1, AsRawFd::as_raw_fd);
    let mut body = Vec::with_capacity(32);
    for pipe in [stdin, parent.stdout.as_raw_fd(), parent.stderr.as_raw_fd()] {
        put_bytes(&mut body, &pipe.to_le_bytes());
    }
    encode_frame(&body)
}

/// Decodes the file descriptors of the next call's pipes.
///
/// # Errors
/// When the body is malformed.
pub(super) fn decode_pipes(body: &[u8]) -> io::Result<[RawFd; 3]> {
    let mut rest = body;
    let rest = &mut rest;
    Ok([take_number(rest)?, take_number(rest)?, take_number(rest)?].map(RawFd::from_le_bytes))
}

/// Encodes a request as a frame. The directory is absolute; `None` is the launcher's own.
pub(super) fn encode_request(spec: &ProcessSpec, directory: Option<&Path>, has_input: bool) -> Vec<u8> {
    let mut body = Vec::with_capacity(512);
    put_bytes(&mut body, &[has_input, spec.sandbox.read_only, spec.sandbox.no_network].map(u8::from));
    put_bytes(&mut body, spec.program.as_bytes());
    put_list(&mut body, spec.arguments.iter().map(String::as_bytes));
    put_bytes(&mut body, directory.map_or(&[], |directory| directory.as_os_str().as_bytes()));
    // The launcher has only harmless variables, because its children can read them.
    let variables = spec.environment.explicit_variables().unwrap_or_else(all_variables);
    put_list(&mut body, variables.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
    encode_frame(&body)
}

/// Decodes a request.
///
/// # Errors
/// When the body is malformed.
pub(super) fn decode_request(body: &[u8]) -> io::Result<LaunchRequest> {
    let mut rest = body;
    let rest = &mut rest;
    let [has_input, read_only, no_network] = take_number(rest)?.map(|flag: u8| flag == 1);
    let mut spec = ProcessSpec::new(take_text(rest)?, take_list(rest)?);
    spec.sandbox = SandboxSpec { read_only, no_network };
    let directory = take_bytes(rest)?;
    spec.directory = (!directory.is_empty()).then(|| OsStr::from_bytes(directory).into());
    let mut texts = take_list(rest)?.into_iter();
    let mut variables = Vec::new();
    while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
        variables.push((name, value));
    }
    spec.environment = ProcessEnvironment::Exactly(variables);
    Ok(LaunchRequest { has_input, spec })
}

/// Encodes the result of a call as a frame: the exit code, the signal, or the error.
pub(super) fn encode_reply(exit: &io::Result<ProcessExit>) -> Vec<u8> {
    let (kind, number, text) = match exit {
        Ok(ProcessExit { exit_code: Some(code), .. }) => (0_u8, *code, String::new()),
        Ok(ProcessExit { signal, .. }) => (1, signal.unwrap_or_default(), String::new()),
        Err(error) => (2, error.raw_os_error().unwrap_or_default(), error.to_string()),
    };
    let mut body = Vec::with_capacity(32);
    put_bytes(&mut body, &[kind]);
    put_bytes(&mut body, &number.to_le_bytes());
    put_bytes(&mut body, text.as_bytes());
    encode_frame(&body)
}

/// Decodes the result of a call.
///
/// # Errors
/// When the program did not start, or the body is malformed.
pub(super) fn decode_reply(body: &[u8]) -> io::Result<ProcessExit> {
    let mut rest = body;
    let rest = &mut rest;
    let kind: [u8; 1] = take_number(rest)?;
    let code = i32::from_le_bytes(take_number(rest)?);
    match (kind, code) {
        ([0], code) => Ok(ProcessExit { exit_code: Some(code), signal: None }),
        ([1], signal) => Ok(ProcessExit { exit_code: None, signal: Some(signal) }),
        (_, 0) => Err(io::Error::other(take_text(rest)?)),
        (_, code) => Err(io::Error::from_raw_os_error(code)),
    }
}

fn malformed_frame_error() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "malformed message between the launcher and its host")
}

fn put_bytes(body: &mut Vec<u8>, bytes: &[u8]) {
    // Longer data cannot be started either; the receiver rejects the frame.
    body.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    body.extend_from_slice(bytes);
}

fn put_list<'a>(body: &mut Vec<u8>, texts: impl Iterator<Item = &'a [u8]> + Clone) {
    put_bytes(body, &u32::try_from(texts.clone().count()).unwrap_or(u32::MAX).to_le_bytes());
    for text in texts {
        put_bytes(body, text);
    }
}

fn take_bytes<'a>(rest: &mut &'a [u8]) -> io::Result<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>().ok_or_else(malformed_frame_error)?;
    let (bytes, after) =
        after.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(malformed_frame_error)?;
    *rest = after;
    Ok(bytes)
}

fn take_number<const BYTES: usize>(rest: &mut &[u8]) -> io::Result<[u8; BYTES]> {
    take_bytes(rest)?.try_into().map_err(|_| malformed_frame_error())
}

fn take_text(rest: &mut &[u8]) -> io::Result<String> {
    String::from_utf8(take_bytes(rest)?.to_vec()).map_err(|_| malformed_frame_error())
}

fn take_list(rest: &mut &[u8]) -> io::Result<Vec<String>> {
    let count = u32::from_le_bytes(take_number(rest)?);
    (0..count).map(|_| take_text(rest)).collect()
}
