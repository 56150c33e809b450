//! The tape: the ordered log of a session, with every event, hook call, verdict and outcome.
//!
//! A tape is a file of JSON lines, one complete record per line. [`Tape`] writes it while a session runs, [`read`]
//! reads it, and [`show`] renders it for users. [`record`] documents the format field by field, next to the types that
//! are written.

pub mod checkpoint;
pub mod decisions;
pub mod hook_usage;
#[cfg(feature = "proof")]
pub mod proof;
pub mod record;
pub mod replay;
pub mod session_folder;
pub mod shared_call;
pub mod show;
pub mod tool_reach;
pub mod verify;

mod blobs;
mod dispatch_tracker;
mod error;
mod journal_records;
mod line;
mod read;
mod tree;
mod write;

pub use error::{RecordError, TapeError};
pub use pintle_contract::ListPrefix;
pub use read::{LoadedTape, TapeLine, TapeReader, TapeSource, TornRecord, read, read_bytes, read_file_bytes};
pub use record::{HeaderRecord, HostRecord, LoadedHook, Record, RecordBody};
pub use write::{Durability, RecordObserver, Tape, TapeCursor, UnknownDurabilityError, is_being_written};
