//! The tape: the ordered record of everything a session's hooks were asked, said and did.
//!
//! A tape is a file of JSON lines, one whole record a line. [`Tape`] writes it while a session runs, [`read`] reads
//! it back, and [`show`] renders it for people. The format is documented field by field in [`record`], next to
//! the types that are written.

pub mod record;
pub mod replay;
pub mod session_folder;
pub mod show;
pub mod verify;

mod blobs;
mod dispatch_tracker;
mod error;
mod journal_records;
mod line;
mod read;
mod redact;
mod write;

pub use error::TapeError;
pub use read::{LoadedTape, TapeLine, TapeReader, TornRecord, read, read_bytes, read_file_bytes};
pub use record::{HeaderRecord, HostRecord, LoadedHook, Record, RecordBody};
pub use write::{Durability, RecordObserver, Tape, TapeCursor, is_being_written};
