//! `pintle trust`: reviews what a project's hooks can do, and trusts the project.

mod list;
mod revoke;

use std::path::PathBuf;

use clap::Args;
use pintle_host::loader::{ProjectTrust, TrustOptions, TrustState, find_projects};
use serde_json::{Value, json};

use crate::error::{CliError, CliStatus};
use crate::options::trust::{confirm, grant, inspect, is_interactive, trust_error};
use crate::options::{GlobalOptions, UserOptions};
use crate::render::trust::{describe_not_covered, describe_trust_request};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Project directory [default: the project that contains the current directory].
    #[arg(value_name = "DIR")]
    path: Option<PathBuf>,
    /// Trust the project without prompting.
    #[arg(long, short, conflicts_with_all = ["list", "revoke"])]
    yes: bool,
    /// List the trusted projects.
    #[arg(long, conflicts_with_all = ["revoke", "path"])]
    list: bool,
    /// Revoke trust in the project.
    #[arg(long)]
    revoke: bool,
    #[command(flatten)]
    user: UserOptions,
}

impl TrustArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let trust = TrustOptions::from_env();
        if self.list {
            return list::execute(&trust, terminal, global);
        }
        if self.revoke {
            return revoke::execute(&trust, &self.path.unwrap_or_else(|| PathBuf::from(".")), terminal, global);
        }
        let dir = self.find_project_dir(&trust)?;
        let Some(consent) = inspect(&dir, &self.user, &trust)? else {
            return Err(CliError::failure(format!("cannot inspect `{}`", dir.display())));
        };
        if let Some(error) = consent.error.as_ref().filter(|error| !error.is_broken) {
            return Err(trust_error(error.clone()));
        }
        // Trust is also granted to hooks that run without it: it binds them to their bytes, and only then are they
        // trusted.
        let is_empty = consent.manifest.files.is_empty() && consent.manifest.items.is_empty();
        let is_settled = consent.state == TrustState::Trusted || (consent.state == TrustState::NotRequired && is_empty);
        if global.json {
            if self.yes && !is_settled {
                grant(&trust, &consent, terminal)?;
            }
            terminal.print_json(&trust_to_json(&consent, self.yes && !is_settled));
            return Ok(CliStatus::Done);
        }
        if is_settled {
            for line in render_nothing_to_ask(&consent) {
                terminal.print_line(line);
            }
            return Ok(CliStatus::Done);
        }
        for line in describe_trust_request(&consent) {
            terminal.print_line(line);
        }
        if !self.yes && !is_interactive() {
            let error = CliError::invalid_input(
                "the project was not trusted: standard input or standard error is not a terminal",
            );
            return Err(error.help("review the above, then trust the project without prompting with `--yes`"));
        }
        if !self.yes && !confirm(terminal)? {
            terminal.print_note("the project was not trusted");
            return Ok(CliStatus::Denied);
        }
        grant(&trust, &consent, terminal)?;
        terminal
            .print_line(format!("trusted `{}`; revoke this with `pintle trust --revoke`", consent.folder().display()));
        Ok(CliStatus::Done)
    }

    /// Returns the named directory, or that of the project that contains the current directory.
    fn find_project_dir(&self, trust: &TrustOptions) -> Result<PathBuf, CliError> {
        if let Some(path) = &self.path {
            if path.exists() {
                return Ok(path.clone());
            }
            return Err(CliError::invalid_input(format!("`{}` does not exist", path.display()))
                .help("name a project directory"));
        }
        let here = std::env::current_dir().unwrap_or_default();
        let layers = self.user.layers(here)?;
        find_projects(&layers, &trust.clone().into_grants()).pop().ok_or_else(|| {
            CliError::invalid_input("the current directory is not in a project with hooks")
                .help("name the project directory, as in `pintle trust path/to/project`")
        })
    }
}

/// Describes a project that needs no confirmation.
fn render_nothing_to_ask(project: &ProjectTrust) -> Vec<String> {
    let dir = project.folder().display();
    match project.state {
        TrustState::Trusted => {
            let mut lines = vec![format!("`{dir}` is trusted as it is")];
            lines.extend(describe_not_covered(project));
            lines
        }
        _ => vec![format!("`{dir}` contains no hooks")],
    }
}

fn trust_to_json(project: &ProjectTrust, granted: bool) -> Value {
    json!({
        "dir": project.folder(),
        "state": project.state,
        "granted": granted,
        "digest": project.manifest.digest(),
        "files": project.manifest.files,
        "items": project.manifest.items,
        "not_covered": project.manifest.list_not_covered(),
        "difference": project.difference,
        "error": project.error.as_ref().map(ToString::to_string),
    })
}
