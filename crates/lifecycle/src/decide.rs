//! The checks before a tool call runs.

use pintle_contract::event::ToolResult;
use pintle_contract::{Decision, EventKind, Outcome};
use serde_json::Value;

/// How often a call may change and be checked again before it is refused.
pub const MAX_ROUNDS: u32 = 3;

/// An event about a tool call before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStage {
    /// `tool.transform`.
    Transform,
    /// `tool.guard`.
    Guard,
    /// `tool.pre`.
    Pre,
    /// `delegation.pre`.
    Delegation,
    /// `permission.ask`.
    Permission,
}

impl CallStage {
    /// The kind of the event.
    #[must_use]
    pub const fn event_kind(self) -> EventKind {
        match self {
            Self::Transform => EventKind::ToolTransform,
            Self::Guard => EventKind::ToolGuard,
            Self::Pre => EventKind::ToolPre,
            Self::Delegation => EventKind::DelegationPre,
            Self::Permission => EventKind::PermissionAsk,
        }
    }
}

/// What became of the open asks of a call.
#[derive(Debug)]
pub enum AskResolution<A> {
    /// The call runs.
    Approved(A),
    /// A hook changed the call, so it is checked again.
    Changed,
}

/// A host while it decides on one tool call. The host keeps the call.
pub trait ToolCallHost {
    /// Why a call does not run.
    type Refusal;
    /// What approved a call.
    type Approval;

    /// Whether the event of a stage is fired. `tool.pre` should be fired even without hooks, so that every call is
    /// recorded.
    fn hears(&self, stage: CallStage) -> bool;

    /// Fires the event of a stage for the call as it is now, and applies the effects of the outcome. Asks stay open.
    /// A stage may be fired more than once about a call: the host drops the effects and further rewrites of repeated
    /// hooks.
    ///
    /// # Errors
    /// If the host was cancelled.
    fn fire(&mut self, stage: CallStage) -> Result<Outcome, Self::Refusal>;

    /// The refusal for an outcome that denies.
    fn refuse(&mut self, stage: CallStage, outcome: &Outcome) -> Self::Refusal;

    /// Takes over what the outcome leaves open or changes: asks, approvals, and a rewrite of the call. Returns whether
    /// the call changed.
    ///
    /// # Errors
    /// If the host cannot run the changed call.
    fn take_outcome(&mut self, stage: CallStage, outcome: &Outcome) -> Result<bool, Self::Refusal>;

    /// Applies the host's own rules to the call as it is now. Default: no rules.
    ///
    /// # Errors
    /// If a rule denies the call.
    fn check_rules(&mut self) -> Result<(), Self::Refusal> {
        Ok(())
    }

    /// Forgets the open asks of an earlier round. Default: keeps them.
    fn begin_round(&mut self) {}

    /// Resolves the open asks.
    ///
    /// # Errors
    /// If the call is not approved.
    fn resolve_asks(&mut self) -> Result<AskResolution<Self::Approval>, Self::Refusal>;

    /// The refusal of a call that hooks keep changing; those of this stage changed it last.
    fn refuse_unsettled(&mut self, stage: CallStage) -> Self::Refusal;
}

/// Checks a tool call until nothing changes it any more.
///
/// # Errors
/// With the refusal, if the call does not run.
pub fn decide<H: ToolCallHost>(host: &mut H) -> Result<H::Approval, H::Refusal> {
    for _ in 0..MAX_ROUNDS {
        host.begin_round();
        check_until_settled(host)?;
        if let AskResolution::Approved(approval) = host.resolve_asks()? {
            return Ok(approval);
        }
    }
    Err(host.refuse_unsettled(CallStage::Permission))
}

/// Checks a call that the host agent is about to ask its user about: `permission.ask`, whose hooks may answer for the
/// user. A call that they change is a new call, which takes the whole way.
///
/// # Errors
/// With the refusal, if the call does not run.
pub fn decide_permission<H: ToolCallHost>(host: &mut H) -> Result<H::Approval, H::Refusal> {
    for _ in 0..MAX_ROUNDS {
        if pass_stage(host, CallStage::Permission)? {
            decide(host)?;
        } else if let AskResolution::Approved(approval) = host.resolve_asks()? {
            return Ok(approval);
        }
    }
    Err(host.refuse_unsettled(CallStage::Permission))
}

/// Steps 1 to 5. Returns when every hook that can deny the call has judged the final one.
fn check_until_settled<H: ToolCallHost>(host: &mut H) -> Result<(), H::Refusal> {
    pass_stage(host, CallStage::Transform)?;
    let mut changed_by = pass_checks(host)?;
    for _ in 0..MAX_ROUNDS {
        let Some(stage) = changed_by else { return Ok(()) };
        let was_transformed = pass_stage(host, CallStage::Transform)?;
        changed_by = if was_transformed || stage == CallStage::Delegation {
            pass_checks(host)?
        } else {
            // The hooks of `tool.pre` agreed among themselves on the call as it is now.
            pass_guards(host)?;
            None
        };
    }
    changed_by.map_or(Ok(()), |stage| Err(host.refuse_unsettled(stage)))
}

/// Step 2.
fn pass_guards<H: ToolCallHost>(host: &mut H) -> Result<(), H::Refusal> {
    pass_stage(host, CallStage::Guard)?;
    host.check_rules()
}

/// Steps 2 to 4. Returns the last stage whose hooks changed the call.
fn pass_checks<H: ToolCallHost>(host: &mut H) -> Result<Option<CallStage>, H::Refusal> {
    pass_stage(host, CallStage::Guard)?;
    let ruled = host.check_rules();
    let judged = pass_stage(host, CallStage::Pre);
    // What a rule denies stays denied, whatever the hooks of `tool.pre` decide.
    ruled?;
    let was_judged_anew = judged?;
    if pass_stage(host, CallStage::Delegation)? {
        return Ok(Some(CallStage::Delegation));
    }
    Ok(was_judged_anew.then_some(CallStage::Pre))
}

/// Fires a stage. Returns whether its hooks changed the call.
fn pass_stage<H: ToolCallHost>(host: &mut H, stage: CallStage) -> Result<bool, H::Refusal> {
    if !host.hears(stage) {
        return Ok(false);
    }
    let outcome = host.fire(stage)?;
    if outcome.decision == Decision::Deny {
        return Err(host.refuse(stage, &outcome));
    }
    host.take_outcome(stage, &outcome)
}

/// A host while it handles the result of one tool call.
pub trait ToolResultHost {
    /// Fires `tool.result`, if any hook listens.
    fn fire_result(&mut self, result: &ToolResult) -> Option<Outcome>;

    /// Fires `tool.post`.
    fn fire_post(&mut self, result: &ToolResult) -> Outcome;

    /// The result after the hooks of one event. Returns the result and whether the next event is fired.
    fn take_outcome(&mut self, result: ToolResult, outcome: &Outcome) -> (ToolResult, bool);
}

/// Shows all hooks the result of a call, and returns what is left of it: `tool.result` may change it before anything
/// else sees it, then `tool.post` sees it.
pub fn conclude<H: ToolResultHost>(host: &mut H, result: ToolResult) -> ToolResult {
    let mut result = result;
    if let Some(outcome) = host.fire_result(&result) {
        let (changed, goes_on) = host.take_outcome(result, &outcome);
        result = changed;
        if !goes_on {
            return result;
        }
    }
    let outcome = host.fire_post(&result);
    host.take_outcome(result, &outcome).0
}

/// The result after the hooks of one event, as the model gets it: what they changed, or why they withhold it.
#[must_use]
pub fn result_after(result: ToolResult, outcome: &Outcome) -> ToolResult {
    if outcome.denies_event() {
        let content = format!("tool result blocked: {}", outcome.reason_for_model());
        return ToolResult::new(result.call_id, result.name, Value::String(content), true);
    }
    if !outcome.rewritten {
        return result;
    }
    let fields = outcome.payload.value();
    let is_error = fields.get("is_error").and_then(Value::as_bool).unwrap_or(result.is_error);
    match fields.get("content").and_then(Value::as_str) {
        Some(content) => ToolResult::from_content(result.call_id, result.name, content, is_error),
        None => ToolResult { is_error, ..result },
    }
}
