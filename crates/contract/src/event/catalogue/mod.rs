//! The catalogue: one file for each event, with its event definition and payload type.
//!
//! Reference pages, JSON Schemas, `pintle events`, dialect mappings and lints are derived from it. To add an event, add
//! a file here and an entry to the list below.

use serde_json::Value;

use super::def::EventDef;
use super::fit;

macro_rules! catalogue {
    ($($module:ident::$payload:ident),* $(,)?) => {
        $(pub mod $module;)*
        $(pub use $module::$payload;)*

        $(impl super::EventPayload for $payload {
            fn def() -> &'static EventDef {
                &$module::ROW
            }
        })*

        /// Every event definition, in the order of an agent's lifecycle.
        pub static CATALOGUE: &[&EventDef] = &[$(&$module::ROW),*];

        /// Checks one field of a payload against the payload type of its event definition.
        pub(super) fn fits(row: &EventDef, name: &str, value: &Value) -> Result<(), serde_json::Error> {
            $(if std::ptr::eq(row, &$module::ROW) {
                return fit::check_field::<$payload>(name, value);
            })*
            Ok(())
        }

        #[cfg(test)]
        fn round_trips() {
            $(tests::assert_round_trip::<$payload>();)*
        }
    };
}

catalogue! {
    worktree_create::WorktreeCreate,
    session_start::SessionStart,
    session_resume::SessionResume,
    prompt_submit::PromptSubmit,
    prompt_steer::PromptSteer,
    prompt_followup::PromptFollowup,
    turn_start::TurnStart,
    iteration_start::IterationStart,
    completion_pre::CompletionPre,
    completion_post::CompletionPost,
    tool_transform::ToolTransform,
    tool_guard::ToolGuard,
    tool_pre::ToolPre,
    permission_ask::PermissionAsk,
    approval_requested::ApprovalRequested,
    permission_reply::PermissionReply,
    tool_result::ToolResultPayload,
    tool_post::ToolPost,
    tool_batch::ToolBatch,
    file_edited::FileEdited,
    delegation_pre::DelegationPre,
    delegation_post::DelegationPost,
    delegation_post_verify::DelegationPostVerify,
    handoff_emitted::HandoffEmitted,
    agent_switch::AgentSwitch,
    persona_paused::PersonaPaused,
    persona_resumed::PersonaResumed,
    step_pre::StepPre,
    step_post::StepPost,
    budget_threshold::BudgetThreshold,
    limit_iterations::LimitIterations,
    iteration_post::IterationPost,
    iteration_end::IterationEnd,
    compact_pre::CompactPre,
    compact_before::CompactBefore,
    compact_post::CompactPost,
    agent_stop::AgentStop,
    turn_end::TurnEnd,
    finish_pre::FinishPre,
    finish_unsettled::FinishUnsettled,
    finish_post::FinishPost,
    user_input::UserInput,
    notification::Notification,
    session_idle::SessionIdle,
    error::ErrorPayload,
    session_error::SessionError,
    session_end::SessionEnd,
    custom::CustomPayload,
    meta::MetaPayload,
}

#[cfg(test)]
mod tests;
