//! The command line of `pintle run`.

use std::path::PathBuf;

use clap::Args;
use pintle_host::tape::Durability;

use super::daemon::DaemonArgs;
use super::persona::PersonaOption;
use crate::options::{AgentOption, AskOptions, PermissionOptions, RedactionOptions, UserOptions};

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Directory of the agent, with its `harness.md`, or a docker-agent YAML file [default: the project that contains the
    /// current directory].
    #[arg(value_name = "AGENT")]
    pub(super) path: Option<PathBuf>,
    /// Prompts, each for a turn of its own: `/NAME` is a prompt that the agent's file declares, and `-` is all of
    /// standard input [default: the prompts of the model script, otherwise a conversation on a terminal, otherwise
    /// standard input].
    pub(super) prompt: Vec<String>,
    /// Model to use, as `PROVIDER:NAME`, for example `anthropic:claude-sonnet-4-5`, `ollama:llama3.2` or
    /// `script:demo.yaml`. In a team it applies to every agent; `AGENT=PROVIDER/NAME` applies to one.
    #[arg(long, short)]
    pub(super) model: Option<String>,
    #[command(flatten)]
    pub(super) agent: AgentOption,
    /// Load these hooks, too; they run before the agent's own. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub(super) hooks: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) user: UserOptions,
    /// Run every hook and record its verdict, but enforce nothing.
    #[arg(long)]
    pub(super) shadow: bool,
    #[command(flatten)]
    pub(super) asks: AskOptions,
    #[command(flatten)]
    pub(super) rules: PermissionOptions,
    /// Write the tape to this new file [default: a file in `.pintle/tapes` of the agent's directory, or of the current
    /// directory for a docker-agent YAML file].
    #[arg(long, value_name = "FILE")]
    pub(super) tape: Option<PathBuf>,
    /// Resume a session: its ID or the start of it, `last`, or the path of its tape. Agent, model, workspace and modes
    /// are those of the session unless named here. Without a prompt, an interrupted turn is continued. If the session
    /// was not started on this machine, everything that its tape names must be named again.
    #[arg(long, value_name = "ID|PATH|last", conflicts_with_all = ["tape", "worktree"])]
    pub(super) resume: Option<String>,
    /// Resume a session although guards that it ran under changed or are gone.
    #[arg(long, requires = "resume")]
    pub(super) accept_changed_hooks: bool,
    /// When to flush the tape to disk: `none` (survives a killed process), `turn` (also survives a power failure, up to
    /// the last finished turn) or `record` (up to the last record) [default: `none`].
    #[arg(long, value_name = "LEVEL", default_value_t, hide_default_value = true)]
    pub(super) durability: Durability,
    #[command(flatten)]
    pub(super) redaction: RedactionOptions,
    /// Directory that the agent works in and cannot leave [default: the agent's directory, or the current directory for
    /// a docker-agent YAML file].
    #[arg(long, visible_alias = "working-dir", value_name = "DIR")]
    pub(super) workspace: Option<PathBuf>,
    /// Run the agent in a new git worktree on a new branch, and keep it afterwards [default branch: named after the
    /// session].
    #[arg(long, value_name = "BRANCH", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(conflicts_with = "workspace")]
    pub(super) worktree: Option<String>,
    #[command(flatten)]
    pub(super) waits: DaemonArgs,
    #[command(flatten)]
    pub(super) role: PersonaOption,
    /// Show only the agent's text.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Show the trace of hooks, too: every event, verdict and effect with its time, and everything that child agents do.
    #[arg(long, short)]
    pub(super) verbose: bool,
}
