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
    project_autorun::PACK,
    containers::PACK,
    kubernetes::PACK,
    cloud::PACK,
    databases::PACK,
    terraform::PACK,
    package_managers::PACK,
    ci::PACK,
];
