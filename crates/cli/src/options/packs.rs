//! Packs: names on the command line, and those that are on.

use pintle_host::contract::{HandlerSpec, HookDeclaration, Location};
use pintle_host::dialects::pack_arguments;
use pintle_host::packs::{PackDef, PackSettings, PolicyRuleSpec, UnknownPackError, pack_by_name, read_arguments};
use pintle_host::{Layer, LoadedRuntime};

use crate::render::location_text;

/// Reads the name of a pack on the command line.
pub(crate) fn parse_pack(text: &str) -> Result<&'static PackDef, UnknownPackError> {
    pack_by_name(text.trim())
}

/// A pack that is on.
#[derive(Debug)]
pub(crate) struct ActivePack {
    pub(crate) pack: &'static PackDef,
    /// What the file that turns it on says about its rules.
    pub(crate) settings: PackSettings,
    pub(crate) layer: Layer,
    /// Where it is turned on.
    pub(crate) location: Location,
    /// The source of its hook, which has no location if it was not declared in a file.
    pub(crate) source: String,
}

impl ActivePack {
    /// The name of its hook.
    pub(crate) fn hook_name(&self) -> String {
        format!("pack:{}", self.pack.name)
    }

    /// Whether its hook has this name.
    pub(crate) fn is_hook(&self, name: &str) -> bool {
        name.strip_prefix("pack:") == Some(self.pack.name)
    }

    /// Where it is turned on, as `path:line`.
    pub(crate) fn place(&self) -> String {
        location_text(&self.location).unwrap_or_else(|| self.source.clone())
    }

    /// The layer and the place.
    pub(crate) fn layer_and_place(&self) -> String {
        format!("{}, {}", self.layer, self.place())
    }
}

/// The packs that are on, in the order of their hooks.
pub(crate) fn active_packs(built: &LoadedRuntime) -> Vec<ActivePack> {
    let set = built.runtime.hooks();
    let active = |(chain, hook): (&pintle_host::Chain, &pintle_host::Hook)| {
        let is_it = |declared: &&HookDeclaration| {
            declared.name == hook.id.as_str() && is_same_place(&declared.location, &hook.location)
        };
        let (pack, settings) = built.declarations().filter(is_it).find_map(pack_of)?;
        let location = hook.location.clone();
        Some(ActivePack { pack, settings, layer: chain.layer, location, source: chain.source.to_string() })
    };
    set.hooks().map(|(chain, hook)| (chain, &**hook)).filter_map(active).collect()
}

/// The pack of a hook; `None` if the hook is not one of a pack.
pub(crate) fn pack_of(declared: &HookDeclaration) -> Option<(&'static PackDef, PackSettings)> {
    read_arguments(pack_arguments(&declared.handler)?).ok()
}

/// The rules of a user's own in a hook; none if the hook is not one of a policy file.
pub(crate) fn policy_rules_of(declared: &HookDeclaration) -> Vec<PolicyRuleSpec> {
    let arguments = match &declared.handler {
        HandlerSpec::Builtin(spec) if spec.name == "rules" => spec.arguments.as_slice(),
        _ => &[],
    };
    arguments.iter().filter_map(|argument| serde_json::from_str(argument).ok()).collect()
}

/// Whether two locations are the same.
pub(crate) fn is_same_place(one: &Location, other: &Location) -> bool {
    one.path() == other.path() && one.span == other.span
}
