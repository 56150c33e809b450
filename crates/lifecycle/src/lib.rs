//! The protocol of an agent's life: which events a host fires, in which order, what a deny means, and what goes back.
//!
//! Every host follows it: Pintle's own agent loop, the bridge to other agents, and programs that embed Pintle. The
//! protocol does no I/O: a host implements [`ToolCallHost`], [`ToolResultHost`] and [`LifeHost`], and the functions here
//! call it.
//!
//! A tool call takes this way ([`decide`]):
//!
//! 1. `tool.transform` may change the call.
//! 2. `tool.guard` decides, and a deny ends the checks; then the host's own permission rules decide.
//! 3. `tool.pre` always fires: no rule skips a hook that decides. What a rule denies stays denied.
//! 4. `delegation.pre` follows, if the tool starts another agent.
//! 5. If step 3 or 4 changed the call, the hooks before it judge the final call: `tool.transform` and step 2 are
//!    repeated, and `tool.pre` if they or step 4 changed the call, until nothing changes. The host makes sure that a
//!    repeated hook has its effects once.
//! 6. The host resolves open asks: hooks of `permission.ask`, then the user. If a hook changes the call there, all
//!    steps are repeated.
//!
//! After the tool, [`conclude`] fires `tool.result` and `tool.post`.
//!
//! The rest of a life is one function an event, over a [`LifeHost`], in this order:
//!
//! | Event | Function | A deny means |
//! | --- | --- | --- |
//! | `prompt.submit` | [`submit_prompt`] | the prompt is dropped |
//! | `turn.start` | [`begin_turn`] | the turn does not begin |
//! | `completion.pre` | [`review_request`] | the model is not called, and the turn ends |
//! | `completion.post` | [`review_reply`] | the reply is withheld, and the turn ends |
//! | (tool calls) | [`decide`], [`conclude`] | the call does not run; its result is withheld |
//! | `prompt.steer` | [`steer`] | the messages that were sent meanwhile are dropped |
//! | `agent.stop` | [`review_answer`] | the agent continues; after a failed hook the turn ends |
//! | `turn.end` | [`end_turn`] | the answer is withheld |
//! | `prompt.followup` | [`follow_up`] | the waiting prompt is dropped |
//!
//! A compaction asks `compact.pre` and `compact.before` ([`plan_compaction`]), which can prevent it, and reports
//! `compact.post` ([`report_compaction`]). A delegation asks `delegation.pre` ([`review_task`]), then `delegation.post`
//! ([`review_result`]) and `delegation.post_verify` ([`verify_result`]), which can refuse the result.

mod decide;
mod life;
mod request;
mod turn;

pub use decide::{
    AskResolution, CallStage, MAX_ROUNDS, ToolCallHost, ToolResultHost, conclude, decide, decide_permission,
    result_after,
};
pub use life::{
    AnswerChange, CompactionPlan, HookChangeError, LifeHost, ReviewedEvent, pass, plan_compaction, report_compaction,
    review_result, review_task, verify_result,
};
pub use pintle_tools::PathResolver;
pub use request::ToolCallRequest;
pub use turn::{
    AfterRejection, AnswerDecision, AnswerRejection, begin_turn, end_turn, follow_up, review_answer,
    review_delegated_answer, review_reply, review_request, steer, submit_prompt,
};
