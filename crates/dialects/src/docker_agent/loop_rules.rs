//! docker-agent's rules for the agent loop.

use pintle_contract::{EventKind, LoopRules, RefusalWording};
use pintle_tools::DOCKER_AGENT;

/// docker-agent's rules for the agent loop: its events always fire, and its hooks know these texts.
pub const LOOP_RULES: LoopRules = LoopRules {
    fires_team_events: true,
    submits_steering: false,
    reports_denials: true,
    has_own_sessions: true,
    tool_vocabulary: Some(DOCKER_AGENT.name),
    wording: RefusalWording {
        call: "The tool call was rejected by a {event} hook. Reason: {reason}",
        call_without_reason: "The tool call was rejected by a {event} hook.",
        event_names: &[
            (EventKind::ToolTransform, "tool_input_transform"),
            (EventKind::ToolGuard, "tool_guard"),
            (EventKind::ToolPre, "pre_tool_use"),
            (EventKind::PermissionAsk, "permission_request"),
        ],
        skipped_call: "The tool call was skipped because a post_tool_use hook signalled run termination.",
        turn: "{reason}",
        quotes_hooks: true,
    },
};
