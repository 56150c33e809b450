//! Merging the permission rules of several files.

use std::sync::Arc;

use pintle_contract::{PermissionsSpec, TeamSpec};

/// Adds permission rules to others.
pub(super) fn merge_rules(rules: &mut PermissionsSpec, more: PermissionsSpec) {
    rules.allow.extend(more.allow);
    rules.ask.extend(more.ask);
    rules.deny.extend(more.deny);
    rules.mode = rules.mode.or(more.mode);
}

/// Adds the user's permission rules to those of a team. The user's mode overrides the modes that the authors of agents
/// set.
pub(super) fn apply_user_rules(team: &mut TeamSpec, user: PermissionsSpec) {
    let mode = user.mode;
    merge_rules(&mut team.permissions, user);
    if mode.is_some() {
        team.permissions.mode = mode;
        for agent in &mut team.agents {
            Arc::make_mut(agent).permission_mode = None;
        }
    }
}
