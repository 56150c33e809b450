//! The packs that ship with Pintle, and their names.

use std::fmt;

use pintle_contract::suggest_or_list;

use crate::{PackDef, rules};

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
    rules::PACKS
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
