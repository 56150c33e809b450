//! What the repository's chores share: how they are named and run, and the files that they look at.
//!
//! `cargo xtask` has those that need only the repository, and `cargo lab` those that need documents, packages or programs
//! from outside.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "chores print for their user")]

mod chore;
mod workspace;

pub use chore::{ChoreReport, RepositoryChore, run_chore};
pub use workspace::{
    SOURCE_FOLDERS, SourceWorkspace, WorkspaceCrate, capture_output, is_in_src, read_peak_kb, run_tool,
};
