//! The commands, one module each. To add one, add a module and a row to the table below, beside
//! the commands for the same task: help lists them in this order. Its examples are in `command_help`.

use clap::Subcommand;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($module:ident::$arguments:ident)),* $(,)?) => {
        $(mod $module;)*

        /// The command to execute.
        #[derive(Debug, Subcommand)]
        pub(crate) enum CliCommand {
            $($(#[$attribute])* $name($module::$arguments),)*
        }

        impl CliCommand {
            pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
                match self {
                    $(Self::$name(command) => command.execute(terminal, global),)*
                }
            }
        }
    };
}

impl CliCommand {
    /// Whether the command only shows something, which may be longer than the screen.
    pub(crate) fn is_paged(&self) -> bool {
        match self {
            Self::Log(log) => !log.is_following(),
            Self::Why(_)
            | Self::Packs(_)
            | Self::Hooks(_)
            | Self::Events(_)
            | Self::Explain(_)
            | Self::Diff(_)
            | Self::Docs(_)
            | Self::Tape(_) => true,
            _ => false,
        }
    }

    /// Parses `pintle hook`, the one command whose callers wait for every millisecond; `None` for any other command
    /// line.
    pub(crate) fn parse_hook_command() -> Option<Self> {
        hook::HookArgs::from_command_line().map(Self::Hook)
    }
}

commands! {
    /// Write a policy with the default packs, and install it everywhere.
    #[command(long_about = "Write a policy with the default packs, install it in every agent of this machine, and prove \
                            that each of them refuses a call")]
    Init(init::InitArgs),
    /// Judge one call of an agent as your hooks would.
    #[command(long_about = "Judge one call of an agent as `pintle hook` would, without storing anything")]
    Try(try_call::TryArgs),
    /// List what was denied, asked or failed, and what was allowed.
    #[command(long_about = log::LONG_ABOUT)]
    Log(log::LogArgs),
    /// Say why a decision of the log was made.
    #[command(long_about = why::LONG_ABOUT)]
    Why(why::WhyArgs),
    /// Show what happened as a page in your browser.
    #[command(long_about = view::LONG_ABOUT)]
    View(view::ViewArgs),
    /// Let one refused call pass once.
    #[command(long_about = allow::LONG_ABOUT)]
    Allow(allow::AllowArgs),
    /// Add, list and remove rules of your own.
    #[command(visible_alias = "rules", long_about = rule::LONG_ABOUT)]
    Rule(rule::RuleArgs),
    /// List the packs of rules, or show the rules of one.
    #[command(long_about = "List the packs of rules and whether they are on here, or show the rules of one")]
    Packs(packs::PacksArgs),
    /// Check that an agent runs Pintle's hooks.
    #[command(long_about = "Check that an agent runs Pintle's hooks, and diagnose why if it does not")]
    Doctor(doctor::DoctorArgs),
    /// Install Pintle in another agent's settings.
    #[command(long_about = "Install Pintle in another agent's settings, so that it enforces your hooks")]
    Install(install::InstallArgs),
    /// Remove Pintle from another agent's settings.
    Uninstall(uninstall::UninstallArgs),
    /// Say where this program was installed from, and how to update it there.
    #[command(long_about = update::LONG_ABOUT)]
    Update(update::UpdateArgs),
    /// Pause self-protection for some minutes, so that an agent may edit its policy.
    #[command(long_about = pause::LONG_ABOUT)]
    Pause(pause::PauseArgs),
    /// Review what a project's hooks can do, and trust the project.
    Trust(trust::TrustArgs),
    /// Fetch what policy files extend.
    #[command(long_about = fetch::LONG_ABOUT)]
    Fetch(fetch::FetchArgs),
    /// Write a hook, a rule, a tool or a plugin to begin with.
    #[command(name = "new", long_about = new_file::LONG_ABOUT)]
    New(new_file::NewArgs),
    /// Compile and check hooks, tools and agents.
    Validate(validate::ValidateArgs),
    /// Run the examples, cases and scenarios of hooks.
    #[command(long_about = test::LONG_ABOUT)]
    Test(test::TestArgs),
    /// Serve editors: findings, completion and more for the files of hooks.
    #[command(long_about = lsp::LONG_ABOUT)]
    Lsp(lsp::LspArgs),
    /// List the loaded hooks, and how often each was reached.
    #[command(long_about = hooks::LONG_ABOUT)]
    Hooks(hooks::HooksArgs),
    /// List the events, or describe one.
    Events(events::EventsArgs),
    /// Show which hooks would run for an event, and why.
    #[command(long_about = "Show which hooks would run for an event and why others would not")]
    Explain(explain::ExplainArgs),
    /// Fire one event at hooks and show the outcome.
    Fire(fire::FireArgs),
    /// Replay a session, or show what other hooks would have decided.
    #[command(long_about = "Replay a session from its tape, fire its events at the current hooks, or show what other hooks \
                            would have decided about recorded calls")]
    Replay(replay::ReplayArgs),
    /// Compare two sets of hooks on recorded calls.
    #[command(long_about = diff::LONG_ABOUT)]
    Diff(diff::DiffArgs),
    /// Show, verify and export session tapes.
    Tape(tape::TapeArgs),
    /// List, delete and prune sessions.
    #[command(long_about = "List, delete and prune sessions (resume one with `pintle run --resume`)")]
    Sessions(sessions::SessionsArgs),
    /// List, compare and restore file snapshots.
    Snapshot(snapshot::SnapshotArgs),
    /// Run an agent under its hooks.
    Run(run::RunArgs),
    /// Handle the calls of agents in one process, which stays.
    #[command(long_about = serve::LONG_ABOUT)]
    Serve(serve::ServeArgs),
    /// Run an MCP server behind your hooks.
    #[command(long_about = mcp::LONG_ABOUT)]
    Mcp(mcp::McpArgs),
    /// Answer the contexts of a host that speaks AGENT-HOOKS.
    #[command(long_about = intercept::LONG_ABOUT)]
    Intercept(intercept::InterceptArgs),
    /// Run hooks for another agent, such as Claude Code.
    ///
    /// `pintle install` configures the agent to run this command.
    Hook(hook::HookArgs),
    /// Read the guides and the reference pages.
    #[command(long_about = docs::LONG_ABOUT)]
    Docs(docs::DocsArgs),
    /// Print the completions of a shell.
    #[command(long_about = completions::LONG_ABOUT)]
    Completions(completions::CompletionsArgs),
    /// Write the man pages into a directory, for packages.
    #[command(hide = true)]
    Man(man::ManArgs),
    /// Run hook scripts in an isolated process, started by Pintle itself.
    #[command(hide = true)]
    ScriptWorker(script_worker::ScriptWorkerArgs),
}
