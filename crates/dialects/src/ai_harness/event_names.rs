//! The events that AI Harness names.

use pintle_contract::EventKind;

use crate::{EventAlias, EventMapping, EventNames, UnmappedEvents};

const fn same_name_mapping(kind: EventKind) -> EventMapping {
    EventMapping { canonical: kind, native: kind.name() }
}

/// The names of the events. Hooks can subscribe to every event of the catalogue.
pub(super) const NAMES: EventNames =
    EventNames { mappings: EVENTS, aliases: ALIASES, unmapped: UnmappedEvents::Accepted };

/// The events of the reference, and `agent.stop`. All names are canonical.
static EVENTS: &[EventMapping] = &[
    same_name_mapping(EventKind::SessionStart),
    same_name_mapping(EventKind::SessionEnd),
    same_name_mapping(EventKind::TurnStart),
    same_name_mapping(EventKind::TurnEnd),
    same_name_mapping(EventKind::ToolPre),
    same_name_mapping(EventKind::ToolPost),
    same_name_mapping(EventKind::CompletionPre),
    same_name_mapping(EventKind::CompletionPost),
    same_name_mapping(EventKind::DelegationPre),
    same_name_mapping(EventKind::DelegationPost),
    same_name_mapping(EventKind::DelegationPostVerify),
    same_name_mapping(EventKind::AgentStop),
    same_name_mapping(EventKind::Error),
    same_name_mapping(EventKind::Custom),
    same_name_mapping(EventKind::Meta),
];

/// The reference's names of events that the implementation fires under other names. Both work.
static ALIASES: &[EventAlias] = &[
    EventAlias { name: "meta.tool_register", canonical: "meta.register_tool" },
    EventAlias { name: "meta.hook_register", canonical: "meta.register_hook" },
    EventAlias { name: "meta.agent_register", canonical: "meta.register_agent" },
];
