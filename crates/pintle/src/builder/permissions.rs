//! Rules for tool calls, of several files.

use std::sync::Arc;

use pintle_contract::{PermissionsSpec, TeamSpec};

/// Adds rules to others.
pub(super) fn merge_rules(rules: &mut PermissionsSpec, more: PermissionsSpec) {
    rules.allow.extend(more.allow);
    rules.ask.extend(more.ask);
    rules.deny.extend(more.deny);
    rules.mode = rules.mode.or(more.mode);
}

/// Lays the user's rules over those of a team. The user's mode outranks what the authors of agents wrote (docker-agent,
/// Permissions, Declarative Safety Defaults).
pub(super) fn apply_user_rules(team: &mut TeamSpec, user: PermissionsSpec) {
    let mode = user.mode;
    merge_rules(&mut team.permissions, user);
    if mode.is_some() {
        team.permissions.mode = mode;
        for agent in &mut team.agents {
            if let Some(member) = &mut Arc::make_mut(agent).member {
                member.permission_mode = None;
            }
        }
    }
}
