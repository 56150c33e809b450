//! The program `pintle-hook`, and what it and a resident `pintle serve` agree on: where the resident listens, what a call
//! and an answer look like on its socket, and where the payload of a call ends.
//!
//! The resident is never asked for more than speed. Whatever is in doubt (no socket, another program behind it, another
//! version, an answer that is not whole), the call is handled by the full program, whose decision is the same.

#[cfg(target_os = "linux")]
mod client;
mod frame;
mod payload;
#[cfg(target_os = "linux")]
mod place;
mod program;

pub use frame::{
    CallMessage, FrameError, HookAnswer, MAX_CALL_BYTES, ResidentReply, ResidentRequest, read_frame, write_frame,
};
pub use payload::{MAX_PAYLOAD_BYTES, read_first_object};
#[cfg(target_os = "linux")]
pub use place::{ServeDir, SocketLock, SocketPeer, environment_digest, is_volatile};
pub use program::run;
