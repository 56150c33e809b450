//! The catalogue: one file for each event, with its event definition and payload type.
//!
//! Reference pages, JSON Schemas, `pintle events`, dialect mappings and lints are derived from it. To add an event, add
//! a file here, its example as JSON in `../examples`, and an entry to the list below; the entry's first word is the
//! event's [`EventKind`].

mod prelude;

use serde_json::Value;

use super::EventDef;
use super::fit;

macro_rules! catalogue {
    ($($kind:ident: $module:ident::$payload:ident),* $(,)?) => {
        $(pub mod $module;)*
        $(pub use $module::$payload;)*

        $(impl super::EventPayload for $payload {
            const KIND: EventKind = EventKind::$kind;
        })*

        /// The kind of an event: one for each event definition, in the order of an agent's lifecycle.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum EventKind {
            $(#[doc = concat!("The event of [`", stringify!($payload), "`].")] $kind,)*
        }

        impl EventKind {
            /// Every kind, in the order of an agent's lifecycle.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The event definition in the catalogue.
            #[must_use]
            pub const fn def(self) -> &'static EventDef {
                match self {
                    $(Self::$kind => &$module::ROW,)*
                }
            }

            /// Generates the JSON Schema of the payload type, which `schemas.json` has.
            #[cfg(feature = "schema")]
            #[must_use]
            pub fn generate_schema(self) -> Value {
                match self {
                    $(Self::$kind => super::def::generate_schema::<$payload>(),)*
                }
            }

            /// Checks one field of a payload against the payload type of the event.
            pub(super) fn check_field(self, name: &str, value: &Value) -> Result<(), serde_json::Error> {
                match self {
                    $(Self::$kind => fit::check_field::<$payload>(name, value),)*
                }
            }
        }

        /// The example payload of the event with a name, as JSON text.
        fn find_example(name: &str) -> &'static str {
            $(if name == $module::ROW.name {
                return include_str!(concat!("../examples/", stringify!($module), ".json"));
            })*
            ""
        }

        /// Every event definition, in the order of an agent's lifecycle.
        pub static CATALOGUE: &[&EventDef] = &[$(&$module::ROW),*];

        #[cfg(test)]
        fn round_trips() {
            $(tests::assert_round_trip::<$payload>();)*
        }
    };
}

catalogue! {
    WorktreeCreate: worktree_create::WorktreeCreate,
    SessionStart: session_start::SessionStart,
    SessionResume: session_resume::SessionResume,
    PromptSubmit: prompt_submit::PromptSubmit,
    PromptSteer: prompt_steer::PromptSteer,
    PromptFollowup: prompt_followup::PromptFollowup,
    TurnStart: turn_start::TurnStart,
    IterationStart: iteration_start::IterationStart,
    CompletionPre: completion_pre::CompletionPre,
    CompletionPost: completion_post::CompletionPost,
    ToolTransform: tool_transform::ToolTransform,
    ToolGuard: tool_guard::ToolGuard,
    ToolPre: tool_pre::ToolPre,
    PermissionAsk: permission_ask::PermissionAsk,
    ApprovalRequested: approval_requested::ApprovalRequested,
    PermissionReply: permission_reply::PermissionReply,
    ToolResult: tool_result::ToolResultPayload,
    ToolPost: tool_post::ToolPost,
    ToolBatch: tool_batch::ToolBatch,
    FileEdited: file_edited::FileEdited,
    DelegationPre: delegation_pre::DelegationPre,
    DelegationPost: delegation_post::DelegationPost,
    DelegationPostVerify: delegation_post_verify::DelegationPostVerify,
    HandoffEmitted: handoff_emitted::HandoffEmitted,
    AgentSwitch: agent_switch::AgentSwitch,
    PersonaPaused: persona_paused::PersonaPaused,
    PersonaResumed: persona_resumed::PersonaResumed,
    StepPre: step_pre::StepPre,
    StepPost: step_post::StepPost,
    BudgetThreshold: budget_threshold::BudgetThreshold,
    LimitIterations: limit_iterations::LimitIterations,
    IterationPost: iteration_post::IterationPost,
    IterationEnd: iteration_end::IterationEnd,
    CompactPre: compact_pre::CompactPre,
    CompactBefore: compact_before::CompactBefore,
    CompactPost: compact_post::CompactPost,
    AgentStop: agent_stop::AgentStop,
    TurnEnd: turn_end::TurnEnd,
    FinishPre: finish_pre::FinishPre,
    FinishUnsettled: finish_unsettled::FinishUnsettled,
    FinishPost: finish_post::FinishPost,
    UserInput: user_input::UserInput,
    Notification: notification::Notification,
    SessionIdle: session_idle::SessionIdle,
    Error: error::ErrorPayload,
    SessionError: session_error::SessionError,
    SessionEnd: session_end::SessionEnd,
    Custom: custom::CustomPayload,
    Meta: meta::MetaPayload,
}

impl EventDef {
    /// A realistic example payload.
    #[must_use]
    pub fn example(&self) -> Value {
        // A test parses the example of every event.
        serde_json::from_str(find_example(self.name)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
