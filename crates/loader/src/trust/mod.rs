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

mod agreement;
mod begun;
mod binding;
mod bound;
mod claim;
mod footprint;
mod named;
mod standing;
mod store;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pintle_contract::UntrustedGuardPolicy;

pub use agreement::{Agreement, Difference, State};
pub use begun::BegunSessions;
pub(crate) use binding::{bind, held};
pub use claim::{Claim, ClaimKind};
pub use footprint::Footprint;
pub(crate) use footprint::Source;
pub(crate) use named::files_named_by;
pub(crate) use standing::stand;
pub use standing::{Consent, Withheld};
pub use store::{Store, StoreFault};

use crate::layers::state_dir;

/// The file of agreements in the state directory.
const STORE: &str = "trust.json";
/// Makes guards that nobody agreed to deny. It can only make things stricter: a project can set variables in some hosts.
const GUARDS: &str = "PINTLE_UNTRUSTED_GUARDS";

/// Whose agreements count, and what becomes of what nobody agreed to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trust {
    /// The file of agreements. Default: none, and nothing was ever agreed to.
    pub store: Option<PathBuf>,
    /// What becomes of guards that nobody agreed to. Default: those of a project that nobody knows are passed over, and
    /// those that changed since somebody agreed deny, or else whoever can edit a guard's script could disarm it.
    pub guards: Option<UntrustedGuardPolicy>,
    /// Whether hooks that do not run are kept among the others all the same, to be shown. Nothing may be fired at such a
    /// set. Default: no.
    pub lists: bool,
    /// The guards that ran without anybody's agreement when the session began, by the folders of their projects. What they
    /// guarded is denied when they are not what they were. Default: none.
    pub session: BTreeMap<PathBuf, Agreement>,
}

impl Trust {
    /// The file of agreements in the state directory ([`state_dir`]), and `PINTLE_UNTRUSTED_GUARDS=deny`.
    #[must_use]
    pub fn of_environment() -> Self {
        Self::of_state(state_dir().as_deref())
    }

    /// The file of agreements in this state directory, and `PINTLE_UNTRUSTED_GUARDS=deny`. Without a directory nothing
    /// was ever agreed to.
    #[must_use]
    pub fn of_state(directory: Option<&Path>) -> Self {
        let denies = std::env::var_os(GUARDS).is_some_and(|word| word == "deny");
        Self {
            store: directory.map(|folder| folder.join(STORE)),
            guards: denies.then_some(UntrustedGuardPolicy::Deny),
            ..Self::default()
        }
    }

    /// The same with what the person's settings say of guards. What is stricter counts.
    #[must_use]
    pub fn or_guards(mut self, guards: Option<UntrustedGuardPolicy>) -> Self {
        self.guards = self.guards.filter(|own| *own == UntrustedGuardPolicy::Deny).or(guards).or(self.guards);
        self
    }

    /// What was agreed to.
    #[must_use]
    pub fn agreements(self) -> Agreements {
        Agreements { trust: self, store: OnceLock::new() }
    }
}

/// What was agreed to, for one load. The file is read when it is first asked for and never again, so that all of the load
/// goes by the same.
#[derive(Debug)]
pub struct Agreements {
    trust: Trust,
    store: OnceLock<Result<Store, StoreFault>>,
}

impl Agreements {
    /// The file's, or why nothing counts as agreed to.
    pub(crate) fn store(&self) -> Result<&Store, &StoreFault> {
        self.store.get_or_init(|| Store::open(&self.trust)).as_ref()
    }

    /// Whether a folder is one whose guards have to be there.
    pub(crate) fn knows(&self, folder: &Path) -> bool {
        self.trust.session.contains_key(folder) || self.store().is_ok_and(|store| store.knows(folder))
    }
}
