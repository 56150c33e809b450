//! Checks that forced handoffs do not form a cycle.

use pintle_contract::AgentSpec;

use crate::document::{FileReport, MapEntry};

/// Reports every agent whose forced handoffs lead back to it.
pub(super) fn check(members: &[AgentSpec], entries: &[MapEntry], report: &FileReport) {
    let next = |name: &str| {
        let member = members.iter().find(|member| member.name == name)?;
        member.member.as_ref()?.forced_handoff.as_deref()
    };
    for entry in entries {
        let mut at = next(&entry.key);
        // A chain with more links than agents is a cycle without this agent.
        for _ in members {
            match at {
                Some(name) if name == entry.key => {
                    let message = format!("the forced handoffs of agent `{}` lead back to it", entry.key);
                    let help = "remove `force_handoff` from one of the agents, so that it answers";
                    report.value_error("endless_handoff", message, entry.key_span, help);
                    break;
                }
                Some(name) => at = next(name),
                None => break,
            }
        }
    }
}
