//! Duplicate hooks, in dialects that run a hook that is declared twice only once, such as docker-agent.

use pintle_contract::{Hook, Profile};

/// Whether two hooks of one event do the same, so that calling both is redundant. Their matchers may differ.
///
/// In addition to the definition, everything that affects how a verdict applies must be equal: a hook in shadow mode is
/// not a duplicate of an enforced one, nor one that fails open of one that fails closed. Otherwise adding a hook could
/// lift a deny.
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
