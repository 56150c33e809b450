//! Hooks that are defined twice, in the dialects that run such a hook once (docker-agent, section 3.1).

use pintle_contract::{Hook, Profile};

/// Whether two hooks of one event do the same, so that asking both would say nothing new. Their matchers may differ.
///
/// What decides how a verdict counts has to agree besides the definition: a hook in shadow mode does not speak for an
/// enforced one, nor one that fails open for one that fails closed, or adding a hook could lift a deny.
pub(crate) fn is_duplicate(
    (one_dialect, one_profile, one): (&str, Profile, &Hook),
    (other_dialect, other_profile, other): (&str, Profile, &Hook),
) -> bool {
    one.definition.is_some()
        && one.definition == other.definition
        && one.event_alias == other.event_alias
        && one_dialect == other_dialect
        && one_profile == other_profile
        && (one.mode, one.source_trust, one.on_failure, one.on_deny)
            == (other.mode, other.source_trust, other.on_failure, other.on_deny)
}
