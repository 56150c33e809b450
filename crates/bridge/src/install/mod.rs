//! Putting Pintle into the settings of a host, and taking it out again.
//!
//! A [`Plan`] says what would change; nothing is touched before [`Plan::apply`]. What stays of it in a host's file are
//! entries whose command line starts `pintle hook HOST`: by that they are known again, replaced and removed.

mod applied;
mod backup;
mod entry;
mod fault;
mod line;
mod plan;
mod programs;
mod settings;
mod site;
mod told;
mod tree;

pub use applied::Applied;
pub use entry::Entry;
pub use fault::InstallFault;
pub(crate) use line::UNASKED;
pub use line::{Options, ours};
pub use plan::{Change, Plan, installed, program};
pub use site::{Place, Scope, Site};
pub use told::{folders, is_current};

use serde_json::Value;

use crate::Host;

/// How Pintle gets into a host.
#[derive(Debug)]
pub struct Install {
    /// The host's own program, for `pintle doctor`.
    pub program: &'static str,
    /// Where the person's settings are.
    pub user: Place,
    /// Where a project's settings are.
    pub project: Place,
    /// What an entry looks like.
    pub form: Form,
    /// Time-outs of the host that our own deadline has to stay below: events and milliseconds. The others get
    /// [`Host::deadline_ms`] and some seconds.
    pub short: &'static [(&'static str, u64)],
    /// The shell, with its arguments, that the host gives a command line to.
    pub shell: &'static [&'static str],
    /// What a person has to know or do after installing.
    pub hints: fn(scope: Scope) -> Vec<String>,
    /// What of the host's settings keeps hooks from running.
    pub trust: fn(host: &'static Host, site: &Site) -> Vec<crate::doctor::Finding>,
}

/// What an entry of a host looks like.
#[derive(Debug)]
pub enum Form {
    /// A file with `hooks`: events, and in each a list of groups with a list of handlers in it.
    Groups(Handler),
    /// A file with `hooks`: events, and in each a list of handlers.
    Flat(Handler),
    /// A folder with an executable for each event.
    Programs,
}

/// One handler of a settings file.
#[derive(Debug)]
pub struct Handler {
    /// The field that has the command line.
    pub command: &'static str,
    /// What a new file holds besides the hooks, such as a version.
    pub head: &'static [(&'static str, i64)],
    /// A handler with this command line and this time-out in milliseconds.
    pub of: fn(command: &str, timeout_ms: u64) -> Value,
    /// The time-out of a handler, in milliseconds; 0 when it has none.
    pub timeout_ms: fn(handler: &Value) -> u64,
}

impl Install {
    /// Where the settings of a scope are.
    #[must_use]
    pub fn place(&self, scope: Scope) -> &Place {
        match scope {
            Scope::User => &self.user,
            Scope::Project => &self.project,
        }
    }
}

impl Form {
    /// The handlers of a settings file, when it is one.
    #[must_use]
    pub fn handler(&self) -> Option<&Handler> {
        match self {
            Self::Groups(handler) | Self::Flat(handler) => Some(handler),
            Self::Programs => None,
        }
    }
}
