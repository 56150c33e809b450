//! Trust of a project (workspace trust): what its hooks can do, and whether the user trusts them.
//!
//! A project's hooks run on the machine of everyone who opens the project. Hooks that can only return decisions do not
//! need trust: scripts in the sandbox without network, tools and agents, and built-ins that add context. All others
//! ([`Capability`]) run only if the user trusts *these bytes*: those of every loaded file, and of every file of the
//! project that a command names.
//!
//! - `item`: one hook or tool with its capabilities.
//! - `referenced_files`: the files that a command names, and the parts of it that trust does not cover.
//! - `binding`: restricts a command to the files that it was loaded with.
//! - `digest`: the digest of the relevant part of a file.
//! - `manifest`: the items and files of a project as it is.
//! - `grant`: what the user trusted, and how the project differs from it.
//! - `store`: the trust grants on disk.
//! - `worktrees`: the same directory in other worktrees of its repository.
//! - `begun`: the sessions that were started on this machine.
//! - `evaluate`: which hooks run, which are skipped, and which deny.
//!
//! [`Capability`]: pintle_contract::Capability

mod begun;
mod binding;
mod digest;
mod evaluate;
mod grant;
mod item;
mod manifest;
mod referenced_files;
mod store;
mod worktrees;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pintle_contract::UntrustedGuardPolicy;

pub use begun::BegunSessions;
pub(crate) use binding::{bind_commands, hold_to_binding};
pub(crate) use digest::digest_bytes;
pub(crate) use evaluate::evaluate_trust;
pub use evaluate::{ProjectTrust, UNTRUSTED_HANDLER, UntrustedHook};
pub use grant::{TrustDifference, TrustGrant, TrustState};
pub use item::{TrustItem, TrustItemKind};
pub(crate) use manifest::LoadedFiles;
pub use manifest::TrustManifest;
pub(crate) use referenced_files::files_of_hook;
pub use store::{TrustStore, TrustStoreError};

use crate::layers::state_dir;

/// The trust file in the state directory.
const STORE: &str = "trust.json";
/// Makes untrusted guards deny. It can only make things stricter, since a project can set variables in some hosts.
const GUARDS: &str = "PINTLE_UNTRUSTED_GUARDS";

/// The source of trust grants, and the policy for untrusted hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustOptions {
    /// The trust file. Default: none, and no project is trusted.
    pub store_path: Option<PathBuf>,
    /// The policy for untrusted guards. Default: guards of a new project are skipped, and guards that changed after
    /// they were trusted deny. Otherwise anyone who can edit a guard's script could disable it.
    pub untrusted_guards: Option<UntrustedGuardPolicy>,
    /// Whether to keep hooks that do not run in the list, to show them. Events must not be fired with such a set.
    /// Default: no.
    pub lists_untrusted: bool,
    /// The guards that ran without trust when the session started, by project directory. Their events are denied if
    /// they change. Default: none.
    pub session_guards: BTreeMap<PathBuf, TrustGrant>,
}

impl TrustOptions {
    /// The trust file in the state directory ([`state_dir`]), and `PINTLE_UNTRUSTED_GUARDS=deny`.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_state_dir(state_dir().as_deref())
    }

    /// The trust file in this state directory, and `PINTLE_UNTRUSTED_GUARDS=deny`. Without a directory no project is
    /// trusted.
    #[must_use]
    pub fn from_state_dir(directory: Option<&Path>) -> Self {
        let denies = std::env::var_os(GUARDS).is_some_and(|word| word == "deny");
        Self {
            store_path: directory.map(|dir| dir.join(STORE)),
            untrusted_guards: denies.then_some(UntrustedGuardPolicy::Deny),
            ..Self::default()
        }
    }

    /// Combines this policy with the user's settings for guards; the stricter one applies.
    #[must_use]
    pub fn tighten_guards(mut self, guards: Option<UntrustedGuardPolicy>) -> Self {
        self.untrusted_guards =
            self.untrusted_guards.filter(|own| *own == UntrustedGuardPolicy::Deny).or(guards).or(self.untrusted_guards);
        self
    }

    /// The trust grants for one load.
    #[must_use]
    pub fn into_grants(self) -> TrustGrants {
        TrustGrants { options: self, store: OnceLock::new() }
    }
}

/// The trust grants for one load. The file is read on first use and only once, so that the whole load uses the same
/// grants.
#[derive(Debug)]
pub struct TrustGrants {
    options: TrustOptions,
    store: OnceLock<Result<TrustStore, TrustStoreError>>,
}

impl TrustGrants {
    /// The trust store, or the reason why no project is trusted.
    pub(crate) fn load_store(&self) -> Result<&TrustStore, &TrustStoreError> {
        self.store.get_or_init(|| TrustStore::open(&self.options)).as_ref()
    }

    /// Whether the guards of a directory must exist.
    pub(crate) fn contains(&self, dir: &Path) -> bool {
        self.options.session_guards.contains_key(dir) || self.load_store().is_ok_and(|store| store.contains(dir))
    }
}
