//! What is said between this process and a launcher: frames of a length, four bytes little endian, and a body.
//!
//! The launcher greets with [`HELLO`] when it begins. It makes the pipes of each call and names them two calls ahead: with
//! the greeting those of the first two, with each answer another. The host opens its ends through `/proc`. It sends a
//! request, and at any time an empty frame, which ends the call. The launcher answers the request with one frame when
//! nothing of the call is left: how the program ended, or why it did not start.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pintle_contract::SandboxSpec;

use super::super::pipes::NearEnds;
use super::super::start::Ended;
use super::super::{Environment, Spec, variables};

/// What a launcher says first. Another greeting is another program, or another version of this one.
pub(super) const HELLO: &[u8] = concat!("pintle launcher ", env!("CARGO_PKG_VERSION"), " 3").as_bytes();

/// The longest frame; longer than any command line that the system would start.
const MAX_FRAME_BYTES: usize = 16 << 20;

/// A request as the launcher reads it.
#[derive(Debug)]
pub(super) struct Request {
    /// Whether the program has an input; otherwise it has ended before it began.
    pub(super) has_input: bool,
    /// What to run; without what the host keeps to itself: input, deadline and limits of output.
    pub(super) spec: Spec,
}

/// A body as a frame.
pub(super) fn frame(body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(body.len() + 4);
    put(&mut frame, body);
    frame
}

/// Takes the first whole frame off what was received.
///
/// # Errors
/// When what was received is no frame.
pub(super) fn take_frame(received: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    let Some(length) = received.first_chunk::<4>().map(|length| u32::from_le_bytes(*length) as usize) else {
        return Ok(None);
    };
    if length > MAX_FRAME_BYTES {
        return Err(nonsense());
    }
    if received.len() < length + 4 {
        return Ok(None);
    }
    let rest = received.split_off(length + 4);
    let mut taken = std::mem::replace(received, rest);
    taken.drain(..4);
    Ok(Some(taken))
}

/// The host's ends of the next call's pipes, as numbers of this process: input, output, complaints.
pub(super) fn ready(near: &NearEnds) -> Vec<u8> {
    let stdin = near.stdin.as_ref().map_or(-1, AsRawFd::as_raw_fd);
    let mut body = Vec::with_capacity(32);
    for pipe in [stdin, near.stdout.as_raw_fd(), near.stderr.as_raw_fd()] {
        put(&mut body, &pipe.to_le_bytes());
    }
    frame(&body)
}

/// Reads the numbers of the next call's pipes.
///
/// # Errors
/// When this is something else.
pub(super) fn read_ready(body: &[u8]) -> io::Result<[RawFd; 3]> {
    let mut rest = body;
    let rest = &mut rest;
    Ok([number(rest)?, number(rest)?, number(rest)?].map(RawFd::from_le_bytes))
}

/// A request as a frame. The directory is absolute; `None` is the launcher's own.
pub(super) fn request(spec: &Spec, directory: Option<&Path>, has_input: bool) -> Vec<u8> {
    let mut body = Vec::with_capacity(512);
    put(&mut body, &[has_input, spec.sandbox.read_only, spec.sandbox.no_network].map(u8::from));
    put(&mut body, spec.program.as_bytes());
    put_list(&mut body, spec.arguments.iter().map(String::as_bytes));
    put(&mut body, directory.map_or(&[], |directory| directory.as_os_str().as_bytes()));
    // The launcher has no variables but harmless ones: its children can read them.
    let variables = spec.environment.given().unwrap_or_else(variables);
    put_list(&mut body, variables.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
    frame(&body)
}

/// Reads a request.
///
/// # Errors
/// When it is none.
pub(super) fn read_request(body: &[u8]) -> io::Result<Request> {
    let mut rest = body;
    let rest = &mut rest;
    let [has_input, read_only, no_network] = number(rest)?.map(|flag: u8| flag == 1);
    let mut spec = Spec::new(text(rest)?, list(rest)?);
    spec.sandbox = SandboxSpec { read_only, no_network };
    let directory = take(rest)?;
    spec.directory = (!directory.is_empty()).then(|| OsStr::from_bytes(directory).into());
    let mut texts = list(rest)?.into_iter();
    let mut variables = Vec::new();
    while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
        variables.push((name, value));
    }
    spec.environment = Environment::Only(variables);
    Ok(Request { has_input, spec })
}

/// How a call went, as a frame: the exit code, the signal, or the fault.
pub(super) fn reply(ended: &io::Result<Ended>) -> Vec<u8> {
    let (kind, number, text) = match ended {
        Ok(Ended { exit_code: Some(code), .. }) => (0_u8, *code, String::new()),
        Ok(Ended { signal, .. }) => (1, signal.unwrap_or_default(), String::new()),
        Err(fault) => (2, fault.raw_os_error().unwrap_or_default(), fault.to_string()),
    };
    let mut body = Vec::with_capacity(32);
    put(&mut body, &[kind]);
    put(&mut body, &number.to_le_bytes());
    put(&mut body, text.as_bytes());
    frame(&body)
}

/// Reads how a call went.
///
/// # Errors
/// When it did not start, or this is no reply.
pub(super) fn read_reply(body: &[u8]) -> io::Result<Ended> {
    let mut rest = body;
    let rest = &mut rest;
    let kind: [u8; 1] = number(rest)?;
    let code = i32::from_le_bytes(number(rest)?);
    match (kind, code) {
        ([0], code) => Ok(Ended { exit_code: Some(code), signal: None }),
        ([1], signal) => Ok(Ended { exit_code: None, signal: Some(signal) }),
        (_, 0) => Err(io::Error::other(text(rest)?)),
        (_, code) => Err(io::Error::from_raw_os_error(code)),
    }
}

fn nonsense() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the launcher and its host do not understand each other")
}

fn put(body: &mut Vec<u8>, bytes: &[u8]) {
    // What is longer than this cannot be started either; the reader will find the frame broken.
    body.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    body.extend_from_slice(bytes);
}

fn put_list<'a>(body: &mut Vec<u8>, texts: impl Iterator<Item = &'a [u8]> + Clone) {
    put(body, &u32::try_from(texts.clone().count()).unwrap_or(u32::MAX).to_le_bytes());
    for text in texts {
        put(body, text);
    }
}

fn take<'a>(rest: &mut &'a [u8]) -> io::Result<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>().ok_or_else(nonsense)?;
    let (bytes, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(nonsense)?;
    *rest = after;
    Ok(bytes)
}

fn number<const BYTES: usize>(rest: &mut &[u8]) -> io::Result<[u8; BYTES]> {
    take(rest)?.try_into().map_err(|_| nonsense())
}

fn text(rest: &mut &[u8]) -> io::Result<String> {
    String::from_utf8(take(rest)?.to_vec()).map_err(|_| nonsense())
}

fn list(rest: &mut &[u8]) -> io::Result<Vec<String>> {
    let count = u32::from_le_bytes(number(rest)?);
    (0..count).map(|_| text(rest)).collect()
}
