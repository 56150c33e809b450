//! What a tool call would do, found before it is done: shell facts and operations.
//!
//! [`operations_of_call`] turns a call in Pintle's words into [`Operation`]s. Command lines are parsed as bash and zsh
//! parse them: wrappers such as `sudo` and `xargs` are taken off, quotes and known variables are resolved, and programs in the
//! line are read, and so are scripts and other files with code that it runs, if the caller brings their text
//! ([`ProjectFiles`]). Nothing is executed. What cannot be known is an operation of the kind `unknown` with its reason.
//!
//! # Features
//!
//! | feature | reads | default |
//! | --- | --- | --- |
//! | `powershell` | lines and scripts of PowerShell, and lines of cmd | yes |
//! | `code` | code in lines, and in the files that they run: Python, JavaScript, Perl, Ruby, awk and others | yes |
//! | `sql` | statements for databases | yes |
//!
//! bash and zsh are always read. What needs a reader that is not built in is an operation of the kind `unknown`, also in
//! a file that runs; Pintle's packs ask about it.

#[cfg(not(all(feature = "code", feature = "powershell", feature = "sql")))]
mod absent;
mod address;
mod call;
#[cfg(feature = "code")]
mod code;
mod command_files;
mod escape;
mod git_settings;
mod line;
mod name_index;
#[cfg(any(feature = "code", feature = "powershell"))]
mod operation_def;
mod paths;
mod programs;
mod secret_name;
mod site;
#[cfg(feature = "sql")]
mod sql;
mod syntax;
mod tool;
mod walk;
mod watch;
mod word_lists;

#[cfg(not(feature = "code"))]
use absent::code;
#[cfg(not(feature = "sql"))]
use absent::sql;
pub use call::{
    CallEffects, effects_of_call, files_of_command, operations_of_call, operations_of_command, read_shell_call,
};
pub use command_files::{
    CommandFiles, FileUse, FileWord, GivenCommand, PathStart, ScriptLanguage, UnnamedFiles, UnnamedReason,
};
pub use line::{LineCommands, command_text, commands_of_line, is_own_word, required_programs, runs_unknown};
pub use paths::matches_glob;
pub use pintle_contract::{CallCommand, Operation, OperationKind, OperationTag, PathPlace};
pub use programs::known_actions;
pub use secret_name::is_secret_name;
pub use site::{CallSite, ProjectFiles, ShellLanguage};
pub use tool::{ArgumentCommand, is_reading_tool, possible_paths, tool_commands};
pub use walk::{in_quotes, program_name};
pub use watch::{CommandReading, WatchedFile, WatchedFiles};
