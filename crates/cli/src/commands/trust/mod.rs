//! `pintle trust`: what a project's hooks may do, and whether they may.

mod list;
mod revoke;

use std::path::PathBuf;

use clap::Args;
use pintle::loader::{ProjectTrust, LayerDirs, TrustState, TrustOptions as Trusted, find_projects};
use serde_json::{Value, json};

use crate::fault::{Fault, Status};
use crate::options::consent::{agree, agrees, is_somebody_there, look, refused};
use crate::options::{Global, UserOptions};
use crate::render::consent::{not_covered, question};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The project's folder. Default: the project around the current directory.
    #[arg(value_name = "DIR")]
    path: Option<PathBuf>,
    /// Agree without being asked.
    #[arg(long, short, conflicts_with_all = ["list", "revoke"])]
    yes: bool,
    /// List what you agreed to.
    #[arg(long, conflicts_with_all = ["revoke", "path"])]
    list: bool,
    /// Take back what you agreed to.
    #[arg(long)]
    revoke: bool,
    #[command(flatten)]
    user: UserOptions,
}

impl Trust {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let trust = Trusted::from_env();
        if self.list {
            return list::execute(&trust, terminal, global);
        }
        if self.revoke {
            return revoke::execute(&trust, &self.path.unwrap_or_else(|| PathBuf::from(".")), terminal, global);
        }
        let folder = self.folder(&trust)?;
        let Some(consent) = look(&folder, &self.user, &trust)? else {
            return Err(Fault::failed(format!("`{}` could not be looked at", folder.display())));
        };
        if let Some(fault) = consent.error.as_ref().filter(|fault| !fault.is_broken) {
            return Err(refused(fault.clone()));
        }
        // Also what needs no consent to run is bound to its bytes by it, and only then trusted.
        let is_empty = consent.manifest.files.is_empty() && consent.manifest.items.is_empty();
        let is_settled = consent.state == TrustState::Trusted || (consent.state == TrustState::NotRequired && is_empty);
        if global.json {
            if self.yes && !is_settled {
                agree(&trust, &consent, terminal)?;
            }
            terminal.json(&value(&consent, self.yes && !is_settled));
            return Ok(Status::Done);
        }
        if is_settled {
            for line in settled(&consent) {
                terminal.out(line);
            }
            return Ok(Status::Done);
        }
        for line in question(&consent) {
            terminal.out(line);
        }
        if !self.yes && !is_somebody_there() {
            let fault = Fault::invalid("nobody is there to be asked, so nothing was agreed to");
            return Err(fault.help("`--yes` agrees without asking; read the above first"));
        }
        if !self.yes && !agrees(terminal)? {
            terminal.note("nothing was agreed to");
            return Ok(Status::Denied);
        }
        agree(&trust, &consent, terminal)?;
        terminal.out(format!("agreed to `{}`; `pintle trust --revoke` takes it back", consent.folder().display()));
        Ok(Status::Done)
    }

    /// The folder that was named, or that of the project around the current directory.
    fn folder(&self, trust: &Trusted) -> Result<PathBuf, Fault> {
        if let Some(path) = &self.path {
            if path.exists() {
                return Ok(path.clone());
            }
            return Err(
                Fault::invalid(format!("there is no `{}`", path.display())).help("name the folder of a project")
            );
        }
        let here = std::env::current_dir().unwrap_or_default();
        let layers = LayerDirs::from_env(here, self.user.config_dir()?);
        find_projects(&layers, &trust.clone().into_grants()).pop().ok_or_else(|| {
            Fault::invalid("there is no project with hooks around the current directory")
                .help("name its folder, as in `pintle trust path/to/project`")
        })
    }
}

/// What there is to say when there is nothing to ask.
fn settled(consent: &ProjectTrust) -> Vec<String> {
    let folder = consent.folder().display();
    match consent.state {
        TrustState::Trusted => {
            let mut lines = vec![format!("you agreed to `{folder}` as it is")];
            lines.extend(not_covered(consent));
            lines
        }
        _ => vec![format!("there are no hooks in `{folder}`")],
    }
}

fn value(consent: &ProjectTrust, agreed: bool) -> Value {
    json!({
        "folder": consent.folder(),
        "state": consent.state,
        "agreed_now": agreed,
        "digest": consent.manifest.digest(),
        "files": consent.manifest.files,
        "claims": consent.manifest.items,
        "not_covered": consent.manifest.list_not_covered(),
        "difference": consent.difference,
        "fault": consent.error.as_ref().map(ToString::to_string),
    })
}
