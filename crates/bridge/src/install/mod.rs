//! Installs Pintle in the settings of a host, and uninstalls it.
//!
//! An [`InstallPlan`] contains the changes; nothing is written before [`InstallPlan::apply`]. Installed entries in a
//! host's file are recognised by their command line, which starts with `pintle hook HOST`, and can so be replaced and
//! removed.

mod apply;
mod backup;
mod entry;
mod entry_program;
mod environment;
mod error;
mod installed_line;
mod json_tree;
mod line;
mod plan;
mod programs;
mod settings;

pub use apply::InstallReport;
pub use backup::list_copies;
pub use entry_program::{EntryProgram, StartedProgram};
pub(crate) use entry_program::{is_left_behind, is_replaceable_program};
pub use environment::InstallEnvironment;
pub(crate) use environment::is_executable;
pub use error::InstallError;
pub(crate) use installed_line::line_in_image;
pub use installed_line::{is_current, named_dirs};
pub use line::{InstallOptions, parse_own_command, written_timeout_ms};
pub(crate) use line::{NO_RESPONSE, call_words};
pub use pintle_host::clients::install::{
    EntryFormat, HandlerFormat, InstallScope, InstallSpec, InstalledEntry, SettingsLocation,
};
pub use plan::{InstallPlan, SettingsChange, installed_entries, program_of};
