//! The commands, one file each. Adding one is a file and a row of the table below.

use clap::Subcommand;

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

macro_rules! commands {
    ($($(#[$attribute:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(mod $module;)*

        /// What the program is asked to do.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($(#[$attribute])* $name($module::$name),)*
        }

        impl Command {
            /// Does it.
            pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
                match self {
                    $(Self::$name(command) => command.execute(terminal, global),)*
                }
            }
        }
    };
}

impl Command {
    /// Reads a command line of the one command whose callers wait for every millisecond. `None` when it is none of its.
    pub(crate) fn at_once() -> Option<Self> {
        hook::Hook::of_command_line().map(Self::Hook)
    }
}

commands! {
    /// Run an agent under its hooks.
    run::Run,
    /// Compile and check hooks, tools and agents.
    validate::Validate,
    /// Fire one event at hooks and show the outcome.
    fire::Fire,
    /// Tell which hooks would run for an event, and why the others would not.
    explain::Explain,
    /// List the hooks that are loaded.
    hooks::Hooks,
    /// List the events, or describe one.
    events::Events,
    /// Enact a session's tape again, or decide it again under other hooks.
    replay::Replay,
    /// Look at the tape of a session.
    tape::Tape,
    /// List sessions, to take one up again with `run --resume`, and delete them.
    sessions::Sessions,
    /// Look at what a project's hooks may do, and agree to it.
    trust::Trust,
    /// Go back to the files as they were before an agent's work.
    snapshot::Snapshot,
    /// Answer another agent, such as Claude Code. Started by that agent, as `pintle install` writes it.
    hook::Hook,
    /// Put Pintle into an agent's settings, so that your hooks hold there.
    install::Install,
    /// Take Pintle out of an agent's settings.
    uninstall::Uninstall,
    /// Prove that an agent asks Pintle, and say why when it does not.
    doctor::Doctor,
    /// Run scripts of hooks in isolation. Started by the program itself.
    #[command(hide = true)]
    script_worker::ScriptWorker,
}
