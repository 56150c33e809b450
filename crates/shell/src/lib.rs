//! What a tool call would do, found before it is done: shell facts and operations.
//!
//! [`operations_of_call`] turns a call in Pintle's words into [`Operation`]s. Command lines are parsed as bash and zsh
//! parse them: wrappers such as `sudo` and `xargs` are taken off, quotes and known variables are resolved, and programs in the
//! line are read, and so are scripts and other files with code that it runs, if the caller brings their text
//! ([`ProjectFiles`]). Nothing is executed. What cannot be known is an operation of the kind `unknown` with its reason.

mod address;
mod call;
mod code;
mod escape;
mod git_settings;
mod line;
mod paths;
mod programs;
mod secret_name;
mod site;
mod sql;
mod syntax;
mod tool;
mod walk;
mod watch;
mod word_lists;

pub use call::{operations_of_call, operations_of_command, read_shell_call};
pub use line::{LineCommands, command_text, commands_of_line, is_own_word, required_programs};
pub use pintle_contract::{Operation, OperationKind, OperationTag, PathPlace};
pub use secret_name::is_secret_name;
pub use site::{CallSite, ProjectFiles, ShellLanguage};
pub use tool::{ArgumentCommand, is_reading_tool, possible_paths, tool_commands};
pub use watch::{CommandReading, WatchedFile, WatchedFiles};
