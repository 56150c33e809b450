//! The rules, one file a pack.

mod exfiltration;
mod git;
mod remote_code;
mod secrets;
mod self_protection;
mod shell;
mod system;

use crate::PackDef;

/// Every pack, the default ones first.
pub(crate) static PACKS: &[PackDef] = &[
    shell::PACK,
    git::PACK,
    secrets::PACK,
    exfiltration::PACK,
    remote_code::PACK,
    system::PACK,
    self_protection::PACK,
];
