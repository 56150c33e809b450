//! An index over the tapes of a person, which answers what was denied, asked or failed, and when.
//!
//! The index is a file of SQLite beside the tapes. Everything in it comes from the tapes: it can be deleted at any time, and
//! the next [`LogIndex::update`] makes it again. It proves nothing; a tape does.

mod entry;
mod index;
mod query;
mod sessions;

pub use entry::{LogEntry, TapeLocation};
pub use index::{LogError, LogIndex, UnreadableTape};
pub use query::{LogCursor, LogQuery};
pub use sessions::{EntryCounts, EntryFacts, LoggedSession};
