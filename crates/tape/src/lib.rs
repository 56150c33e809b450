//! The tape: the ordered record of everything a session's hooks were asked, said and did.
//!
//! A tape is a file of JSON lines, one whole record a line. [`Tape`] writes it while a session runs, [`read`] reads
//! it back, and [`show`] renders it for people. The format is documented field by field in [`record`], next to
//! the types that are written.

pub mod record;
pub mod replay;
pub mod show;
pub mod store;
pub mod verify;

mod blobs;
mod dispatches;
mod entries;
mod error;
mod line;
mod read;
mod scrub;
mod write;

pub use error::TapeError;
pub use read::{Line, Reader, Reading, Torn, bytes_of, read, read_bytes};
pub use record::{Body, Header, HookEntry, HostRecord, Record};
pub use write::{Cursor, Durability, Follower, Tape, in_use};
