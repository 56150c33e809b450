//! The rules, one file a pack.
//!
//! If a default pack refuses something harmless, change the tests of the rule that `pintle try` names, and add the
//! command line to the rule's `passes` and to the crate's `tests/harmless.txt`.

mod ci;
mod cloud;
mod containers;
mod databases;
mod exfiltration;
mod git;
mod kubernetes;
mod package_managers;
mod project_autorun;
mod remote_code;
mod secrets;
mod self_protection;
mod shell;
mod system;
mod terraform;

use std::fmt;

use pintle_contract::suggest_or_list;

use crate::PackDef;

/// Every pack, the default ones first.
static PACKS: &[PackDef] = &[
    shell::PACK,
    git::PACK,
    secrets::PACK,
    exfiltration::PACK,
    remote_code::PACK,
    system::PACK,
    self_protection::PACK,
    project_autorun::PACK,
    containers::PACK,
    kubernetes::PACK,
    cloud::PACK,
    databases::PACK,
    terraform::PACK,
    package_managers::PACK,
    ci::PACK,
];

/// A name that no pack has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPackError {
    /// What is wrong.
    pub message: String,
    /// The nearest name, or all names.
    pub help: String,
}

impl fmt::Display for UnknownPackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.help)
    }
}

impl std::error::Error for UnknownPackError {}

/// Every pack, the default ones first.
#[must_use]
pub fn packs() -> &'static [PackDef] {
    PACKS
}

/// The pack of a name.
///
/// # Errors
/// If no pack has it.
pub fn pack_by_name(name: &str) -> Result<&'static PackDef, UnknownPackError> {
    packs().iter().find(|pack| pack.name == name).ok_or_else(|| UnknownPackError {
        message: format!("unknown pack `{name}`"),
        help: suggest_or_list(name, packs().iter().map(|pack| pack.name), "the packs are"),
    })
}

/// The packs that are on unless a user says otherwise.
pub fn default_packs() -> impl Iterator<Item = &'static PackDef> {
    packs().iter().filter(|pack| pack.is_default)
}
