//! Delegation: an agent gives a task to another agent.

use pintle_contract::event::{DelegationPost, DelegationPostVerify, DelegationPre};

use super::life::{AnswerChange, LifeHost, ReviewedEvent, pass, pass_answer};

/// Shows hooks a task before another agent gets it (`delegation.pre`).
///
/// # Errors
/// With the refusal, if hooks deny it.
pub fn review_task<H: LifeHost>(host: &mut H, task: DelegationPre) -> Result<ReviewedEvent<DelegationPre>, H::Refusal> {
    pass(host, || task)
}

/// Shows hooks the result of a delegation (`delegation.post`), and returns what they change about it.
///
/// # Errors
/// With the refusal, if hooks deny it.
pub fn review_result<H: LifeHost>(host: &mut H, result: DelegationPost) -> Result<AnswerChange, H::Refusal> {
    pass_answer(host, || result, "result")
}

/// Asks hooks whether a result does what the task asks (`delegation.post_verify`), and returns what they change.
///
/// # Errors
/// With the refusal, if hooks deny it: the other agent tries again.
pub fn verify_result<H: LifeHost>(host: &mut H, result: DelegationPostVerify) -> Result<AnswerChange, H::Refusal> {
    pass_answer(host, || result, "result")
}
