//! The commands, one file each. Adding one is a file and a row of the table below.

use clap::Subcommand;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($module:ident::$arguments:ident)),* $(,)?) => {
        $(mod $module;)*

        /// What the program is asked to do.
        #[derive(Debug, Subcommand)]
        pub(crate) enum CliCommand {
            $($(#[$attribute])* $name($module::$arguments),)*
        }

        impl CliCommand {
            /// Does it.
            pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
                match self {
                    $(Self::$name(command) => command.execute(terminal, global),)*
                }
            }
        }
    };
}

impl CliCommand {
    /// Reads a command line of the one command whose callers wait for every millisecond. `None` when it is none of its.
    pub(crate) fn parse_hook_command() -> Option<Self> {
        hook::HookArgs::from_command_line().map(Self::Hook)
    }
}

commands! {
    /// Run an agent under its hooks.
    Run(run::RunArgs),
    /// Compile and check hooks, tools and agents.
    Validate(validate::ValidateArgs),
    /// Fire one event at hooks and show the outcome.
    Fire(fire::FireArgs),
    /// Tell which hooks would run for an event, and why the others would not.
    Explain(explain::ExplainArgs),
    /// List the hooks that are loaded.
    Hooks(hooks::HooksArgs),
    /// List the events, or describe one.
    Events(events::EventsArgs),
    /// Enact a session's tape again, or decide it again under other hooks.
    Replay(replay::ReplayArgs),
    /// Look at the tape of a session.
    Tape(tape::TapeArgs),
    /// List sessions, to take one up again with `run --resume`, and delete them.
    Sessions(sessions::SessionsArgs),
    /// Look at what a project's hooks may do, and agree to it.
    Trust(trust::TrustArgs),
    /// Go back to the files as they were before an agent's work.
    Snapshot(snapshot::SnapshotArgs),
    /// Answer another agent, such as Claude Code. Started by that agent, as `pintle install` writes it.
    Hook(hook::HookArgs),
    /// Put Pintle into an agent's settings, so that your hooks hold there.
    Install(install::InstallArgs),
    /// Take Pintle out of an agent's settings.
    Uninstall(uninstall::UninstallArgs),
    /// Prove that an agent asks Pintle, and say why when it does not.
    Doctor(doctor::DoctorArgs),
    /// Run scripts of hooks in isolation. Started by the program itself.
    #[command(hide = true)]
    ScriptWorker(script_worker::ScriptWorkerArgs),
}
