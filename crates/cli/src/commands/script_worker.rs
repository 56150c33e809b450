//! `pintle script-worker`: the isolated process in which scripts run whose cost their input does not bound.

use std::ffi::OsString;

use clap::Args;

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Clone, Args)]
pub(crate) struct ScriptWorker {
    /// What the worker itself reads of the command line.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

impl ScriptWorker {
    pub(crate) fn execute(self, _terminal: &Terminal, _global: &Global) -> Result<Status, Fault> {
        pintle::worker_main();
        Ok(Status::Done)
    }
}
