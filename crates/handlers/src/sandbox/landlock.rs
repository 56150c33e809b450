//! Applies the limits as Landlock rules.

use std::io;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};
use pintle_contract::SandboxSpec;

/// The oldest Landlock ABI with each of the two limits; features of newer kernels are used if available.
const FILES: ABI = ABI::V1;
const NETWORK: ABI = ABI::V4;

/// Applies the limits to the calling thread and its future children.
pub(super) fn restrict(limits: SandboxSpec) -> io::Result<()> {
    apply_rules(limits).map_err(|error| {
        let since = if limits.no_network { "6.7" } else { "5.13" };
        let next = format!("leave out `sandbox`, or enable Landlock in a kernel from {since} on");
        io::Error::other(format!("this kernel cannot set up the sandbox: {error}; {next}"))
    })
}

fn apply_rules(limits: SandboxSpec) -> Result<(), RulesetError> {
    let mut rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    if limits.read_only {
        rules = rules.handle_access(AccessFs::from_write(FILES))?;
        rules = rules.set_compatibility(CompatLevel::BestEffort).handle_access(AccessFs::from_write(ABI::V7))?;
    }
    if limits.no_network {
        rules = rules.set_compatibility(CompatLevel::HardRequirement).handle_access(AccessNet::from_all(NETWORK))?;
        rules = rules.set_compatibility(CompatLevel::BestEffort).scope(Scope::AbstractUnixSocket)?;
    }
    let mut created = rules.set_compatibility(CompatLevel::BestEffort).create()?;
    if limits.read_only {
        // Without that file there is nothing to write to.
        if let Ok(sink) = PathFd::new("/dev/null") {
            created = created.add_rule(PathBeneath::new(sink, AccessFs::WriteFile))?;
        }
    }
    created.restrict_self().map(drop)
}
