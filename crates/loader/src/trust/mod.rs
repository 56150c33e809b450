//! Consent: what a project's hooks may do, and whether somebody agreed to that.
//!
//! Hooks that come with a project run on the machine of whoever opens it. Those that can only judge need nobody's consent:
//! scripts in the sandbox without network, tools and agents, and built-ins that tell. All others ([`Capability`]) run only
//! when the person agreed, and agreed to *these bytes*: those of every file that was loaded, and of every file of the
//! project that a command names.
//!
//! - `claim`: one hook or tool, and what it may do.
//! - `named`: the files that a command names, and what it runs that its text does not say.
//! - `binding`: a command is held to the files that it was loaded with.
//! - `bound`: what of a file counts, and its digest.
//! - `footprint`: the claims and files of one project, as they are.
//! - `agreement`: what was agreed to, and how the project differs from it.
//! - `store`: the agreements on disk.
//! - `begun`: the sessions that were begun here, whose tapes may say what they go on with.
//! - `standing`: which hooks run, which are passed over, and which deny in their place.
//!
//! [`Capability`]: pintle_contract::Reach

mod begun;
mod binding;
mod digest;
mod evaluate;
mod grant;
mod item;
mod manifest;
mod referenced_files;
mod store;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pintle_contract::UntrustedGuardPolicy;

pub use begun::BegunSessions;
pub(crate) use binding::{bind_commands, hold_to_binding};
pub(crate) use evaluate::evaluate_trust;
pub use evaluate::{ProjectTrust, UntrustedHook};
pub use grant::{TrustDifference, TrustGrant, TrustState};
pub use item::{TrustItem, TrustItemKind};
pub(crate) use manifest::LoadedFiles;
pub use manifest::TrustManifest;
pub(crate) use referenced_files::files_of_hook;
pub use store::{TrustStore, TrustStoreError};

use crate::layers::state_dir;

/// The file of agreements in the state directory.
const STORE: &str = "trust.json";
/// Makes guards that nobody agreed to deny. It can only make things stricter: a project can set variables in some hosts.
const GUARDS: &str = "PINTLE_UNTRUSTED_GUARDS";

/// Whose agreements count, and what becomes of what nobody agreed to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustOptions {
    /// The file of agreements. Default: none, and nothing was ever agreed to.
    pub store_path: Option<PathBuf>,
    /// What becomes of guards that nobody agreed to. Default: those of a project that nobody knows are passed over, and
    /// those that changed since somebody agreed deny, or else whoever can edit a guard's script could disarm it.
    pub untrusted_guards: Option<UntrustedGuardPolicy>,
    /// Whether hooks that do not run are kept among the others all the same, to be shown. Nothing may be fired at such a
    /// set. Default: no.
    pub lists_untrusted: bool,
    /// The guards that ran without anybody's agreement when the session began, by the folders of their projects. What they
    /// guarded is denied when they are not what they were. Default: none.
    pub session_guards: BTreeMap<PathBuf, TrustGrant>,
}

impl TrustOptions {
    /// The file of agreements in the state directory ([`state_dir`]), and `PINTLE_UNTRUSTED_GUARDS=deny`.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_state_dir(state_dir().as_deref())
    }

    /// The file of agreements in this state directory, and `PINTLE_UNTRUSTED_GUARDS=deny`. Without a directory nothing
    /// was ever agreed to.
    #[must_use]
    pub fn from_state_dir(directory: Option<&Path>) -> Self {
        let denies = std::env::var_os(GUARDS).is_some_and(|word| word == "deny");
        Self {
            store_path: directory.map(|folder| folder.join(STORE)),
            untrusted_guards: denies.then_some(UntrustedGuardPolicy::Deny),
            ..Self::default()
        }
    }

    /// The same with what the person's settings say of guards. What is stricter counts.
    #[must_use]
    pub fn tighten_guards(mut self, guards: Option<UntrustedGuardPolicy>) -> Self {
        self.untrusted_guards =
            self.untrusted_guards.filter(|own| *own == UntrustedGuardPolicy::Deny).or(guards).or(self.untrusted_guards);
        self
    }

    /// What was agreed to.
    #[must_use]
    pub fn into_grants(self) -> TrustGrants {
        TrustGrants { options: self, store: OnceLock::new() }
    }
}

/// What was agreed to, for one load. The file is read when it is first asked for and never again, so that all of the load
/// goes by the same.
#[derive(Debug)]
pub struct TrustGrants {
    options: TrustOptions,
    store: OnceLock<Result<TrustStore, TrustStoreError>>,
}

impl TrustGrants {
    /// The file's, or why nothing counts as agreed to.
    pub(crate) fn load_store(&self) -> Result<&TrustStore, &TrustStoreError> {
        self.store.get_or_init(|| TrustStore::open(&self.options)).as_ref()
    }

    /// Whether a folder is one whose guards have to be there.
    pub(crate) fn contains(&self, folder: &Path) -> bool {
        self.options.session_guards.contains_key(folder) || self.load_store().is_ok_and(|store| store.contains(folder))
    }
}
