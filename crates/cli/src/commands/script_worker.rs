//! `pintle script-worker`: the isolated process in which scripts run whose cost their input does not bound.

use clap::Args;

use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ScriptWorker {}

impl ScriptWorker {
    pub(crate) fn execute(self, _terminal: &Terminal, _global: &Global) -> Result<Status, Fault> {
        pintle::worker_main();
        Ok(Status::Done)
    }
}
