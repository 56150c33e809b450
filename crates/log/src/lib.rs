//! What a log shows of recorded decisions, and an index over the tapes of a person, which answers what was denied, asked or
//! failed, and when.
//!
//! The index is a file of SQLite beside the tapes. Everything in it comes from the tapes: it can be deleted at any time, and
//! the next `LogIndex::update` makes it again. It proves nothing; a tape does.

mod entry;
#[cfg(feature = "index")]
mod index;
mod line;
#[cfg(feature = "index")]
mod query;
#[cfg(feature = "index")]
mod sessions;
mod start_time;

pub use entry::{LogEntry, TapeLocation};
#[cfg(feature = "index")]
pub use index::{LogError, LogIndex, UnreadableTape};
pub use line::{DecisionPlace, NAME_CHARS, agent_text, call_text, decided_text, decision_to_json, time_text};
#[cfg(feature = "index")]
pub use query::{LogCursor, LogQuery};
#[cfg(feature = "index")]
pub use sessions::{EntryCounts, EntryFacts, LoggedSession};
pub use start_time::{StartTime, parse_start};
