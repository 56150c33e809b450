//! `pintle uninstall`.

use clap::Args;
use pintle_bridge::install::InstallPlan;

use super::install::{Agreement, Edit};
use crate::fault::{Fault, Status};
use crate::options::{Global, HostArgument, ProjectOption, ScopeArgument};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// The agent: claude, codex, gemini, qwen, copilot, cline or cursor.
    #[arg(value_name = "HOST")]
    host: HostArgument,
    /// Whose settings are edited.
    #[arg(long, value_enum, default_value = "user")]
    scope: ScopeArgument,
    #[command(flatten)]
    agreement: Agreement,
    #[command(flatten)]
    project: ProjectOption,
}

impl Uninstall {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let (host, site) = (self.host.0, self.project.site()?);
        let plan = InstallPlan::uninstall(host, &site, self.scope.into()).map_err(Fault::invalid)?;
        let edit = Edit { host, site: &site, plan, done: "removed", idle: "nothing of Pintle is installed there" };
        edit.carry_out(&self.agreement, &[], terminal, global)
    }
}
