//! `pintle script-worker`: the isolated process for scripts whose cost is not bounded by their input.

use std::ffi::OsString;

use clap::Args;

use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

#[derive(Debug, Clone, Args)]
pub(crate) struct ScriptWorkerArgs {
    /// Arguments that the worker itself reads.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

impl ScriptWorkerArgs {
    pub(crate) fn execute(self, _terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        pintle_host::worker_main();
        Ok(CliStatus::Done)
    }
}
