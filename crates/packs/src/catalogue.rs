//! The packs that ship with Pintle.

use crate::{PackDef, rules};

/// Every pack, the default ones first.
#[must_use]
pub fn packs() -> &'static [PackDef] {
    rules::PACKS
}

/// The pack of a name.
#[must_use]
pub fn pack_by_name(name: &str) -> Option<&'static PackDef> {
    packs().iter().find(|pack| pack.name == name)
}

/// The packs that are on unless a user says otherwise.
pub fn default_packs() -> impl Iterator<Item = &'static PackDef> {
    packs().iter().filter(|pack| pack.is_default)
}
