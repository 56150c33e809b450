//! `pintle doctor`.

mod told;

use clap::Args;
use pintle::loader::UserDirs;
use pintle_bridge::HOSTS;
use pintle_bridge::doctor::{DoctorReport, examine};
use serde_json::Value;

use crate::fault::{Fault, Status};
use crate::options::{Global, HostArgument, ProjectOption};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The host. Default: every host that Pintle is installed in.
    #[arg(value_name = "HOST")]
    host: Option<HostArgument>,
    #[command(flatten)]
    project: ProjectOption,
}

impl Doctor {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let site = self.project.site()?;
        let now = UserDirs::from_env().to_absolute();
        let look = |host| examine(host, &site, &now);
        let found: Vec<DoctorReport> = match self.host {
            Some(host) => vec![look(host.0)],
            None => HOSTS.iter().map(|host| look(host)).filter(DoctorReport::is_installed).collect(),
        };
        if found.is_empty() {
            let fault = Fault::failed("nothing of Pintle is installed in any host");
            return Err(fault.help("`pintle install HOST`, such as `pintle install claude`"));
        }
        if global.json {
            terminal.json(&found.iter().map(told::described).collect::<Vec<Value>>());
        } else {
            found.iter().for_each(|examination| terminal.lines(&told::lines(examination, &site)));
        }
        Ok(if found.iter().all(DoctorReport::is_healthy) { Status::Done } else { Status::Failed })
    }
}
