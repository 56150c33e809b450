//! `pintle diff`: what one set of hooks decides about recorded calls, and another one does not.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::slice;

use clap::Args;

use super::replay::{ComparisonTask, RedecideArgs};
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, UserOptions};
use crate::terminal::Terminal;

pub(crate) const LONG_ABOUT: &str = "Compare two sets of hooks on recorded calls: what does BEFORE deny or ask that AFTER allows, and the other way round, \
     with calls as examples. Without any recorded call, the calls are those of the examples, rules and case files of both, \
     and variants of them. Nothing but the hooks runs.";

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Hooks, as `--hooks` of other commands takes them: a policy file, a hook, a directory of hooks or a project.
    before: PathBuf,
    /// The hooks to compare them with.
    after: PathBuf,
    /// Tapes of the calls [default: every tape that `pintle log` lists].
    #[arg(value_name = "TAPE")]
    tapes: Vec<PathBuf>,
    /// Number of threads [default: the number of processors].
    #[arg(long, value_name = "COUNT")]
    threads: Option<NonZeroUsize>,
    /// Compare on the calls of examples, even if there are tapes.
    #[arg(long, conflicts_with_all = ["tapes", "session_file"])]
    examples: bool,
    #[command(flatten)]
    user: UserOptions,
    #[command(flatten)]
    options: RedecideArgs,
}

impl DiffArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let task = ComparisonTask {
            base: Some(slice::from_ref(&self.before)),
            hooks: slice::from_ref(&self.after),
            user: &self.user,
            tapes: &self.tapes,
            threads: self.threads,
            uses_examples: self.examples,
        };
        self.options.execute(&task, terminal, global)
    }
}
