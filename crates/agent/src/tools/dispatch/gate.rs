//! The checks before a tool call runs: the agent loop as a host of [`pintle_host::lifecycle`].
//!
//! For agents outside a team every stage but `tool.pre` is skipped if nothing is declared and no hook listens; the asks
//! of `tool.pre` then go to the runtime's approver.

use std::path::Path;
use std::sync::Arc;

use pintle_host::RecheckMemory;
use pintle_host::contract::OutcomeReason;
use pintle_host::event::permission_reply::PermissionBasis;
use pintle_host::event::{
    ApprovalRequested, EventPayload, PermissionAsk, PermissionReply, ToolGuard, ToolTransform, UserInput,
};
use pintle_host::lifecycle::{AskResolution, CallStage, ToolCallHost, decide};
use pintle_host::{Decision, Effect, Event, EventKind, EventScope, Outcome};
use serde_json::{Map, Value};

use super::question;
use super::refusal::CallRefusal;
use super::target::CallTarget;
use crate::permission::PermissionStatus;
use crate::turn_context::{TurnContext, defer_asks};

/// Runs all checks, and applies the rewrites of hooks to the call.
///
/// # Errors
/// With the reason why the call does not run.
pub(super) fn check(turn: &TurnContext, id: &str, target: &mut CallTarget) -> Result<(), CallRefusal> {
    let mut gate = ToolCallGate {
        turn,
        id,
        target,
        is_managed: is_managed(turn),
        asks: PendingAsks::default(),
        allowed_by: None,
        pre: PreDecision::default(),
        memory: Arc::default(),
    };
    let settled = decide(&mut gate).unwrap_or_else(|denied| denied);
    let settled = match settled {
        // Output of hooks that were cancelled is not a denial: the user wanted everything to stop.
        _ if turn.scope.cancel.is_cancelled() => GateResult::cancelled(turn),
        settled => settled,
    };
    if let Some(basis) = settled.basis.filter(|_| gate.is_managed) {
        gate.fire_reply(&settled, basis);
    }
    settled.refusal.map_or(Ok(()), |refusal| Err(*refusal))
}

/// Whether the loop itself handles asks, with all their events.
fn is_managed(turn: &TurnContext) -> bool {
    turn.agent.shared.permissions.is_declared()
        || turn.team_listens::<ToolGuard>()
        || turn.team_listens::<PermissionAsk>()
        || turn.team_listens::<PermissionReply>()
        || turn.team_listens::<UserInput>()
        || turn.has_listener::<ApprovalRequested>()
}

/// The result of the checks.
pub(super) struct GateResult {
    pub(super) refusal: Option<Box<CallRefusal>>,
    /// What it is based on; `None` if nothing was decided because the call cannot run anyway.
    pub(super) basis: Option<PermissionBasis>,
    pub(super) reason: String,
    pub(super) should_remember: bool,
}

impl GateResult {
    pub(super) fn allow(basis: PermissionBasis) -> Self {
        Self::from_basis(Some(basis))
    }

    fn from_basis(basis: Option<PermissionBasis>) -> Self {
        Self { refusal: None, basis, reason: String::new(), should_remember: false }
    }

    pub(super) fn deny(basis: PermissionBasis, refusal: CallRefusal) -> Self {
        Self { refusal: Some(Box::new(refusal)), ..Self::allow(basis) }
    }

    /// The result when the turn was cancelled, or a hook ended the run.
    fn cancelled(turn: &TurnContext) -> Self {
        Self::deny(PermissionBasis::Cancelled, CallRefusal::cancelled(turn))
    }

    /// The result when hooks of an event denied.
    fn from_denial(turn: &TurnContext, basis: PermissionBasis, outcome: &Outcome) -> Self {
        let refusal = CallRefusal::Blocked(turn.rules().wording.call_denied_by(basis.event(), outcome));
        Self { reason: outcome.hook_texts(), ..Self::deny(basis, refusal) }
    }
}

/// The pending asks of hooks and rules, and what the user is shown about the call.
#[derive(Debug, Default)]
pub(super) struct PendingAsks {
    pub(super) reasons: Vec<OutcomeReason>,
    /// Whether a hook of `tool.guard` asks. Then no other hook can approve for the user.
    pub(super) has_guard_ask: bool,
    /// The ask of a rule or the mode.
    pub(super) rule_ask: Option<RuleAsk>,
    pub(super) metadata: Map<String, Value>,
}

/// An ask of a permission rule or of the mode.
#[derive(Debug)]
pub(super) struct RuleAsk {
    pub(super) reason: String,
    /// Whether a hook that allows the call is enough.
    pub(super) allows_by_hook: bool,
    /// Whether an earlier `always` of the user is enough.
    allows_by_grant: bool,
}

impl PendingAsks {
    /// Adds the asks and the metadata of an outcome.
    fn add_outcome(&mut self, outcome: &Outcome) {
        self.take_metadata(outcome);
        if outcome.decision != Decision::Ask {
            return;
        }
        for reason in &outcome.reasons {
            if !self.reasons.contains(reason) {
                self.reasons.push(reason.clone());
            }
        }
    }

    /// Adds metadata. The first value of a key wins: hooks of `tool.guard` run first, and those of `permission.ask`
    /// last.
    pub(super) fn take_metadata(&mut self, outcome: &Outcome) {
        let mut said = Map::new();
        for (_, effect) in &outcome.effects {
            if let Effect::Metadata(fields) = effect {
                said.extend(fields.clone());
            }
        }
        for (name, value) in said {
            self.metadata.entry(name).or_insert(value);
        }
    }

    /// Whether only the session's mode asks.
    pub(super) fn is_only_mode(&self) -> bool {
        self.reasons.is_empty() && self.rule_ask.as_ref().is_some_and(|asked| asked.allows_by_grant)
    }

    fn is_silent(&self) -> bool {
        self.reasons.is_empty() && self.rule_ask.is_none()
    }
}

/// The checks of one call.
pub(super) struct ToolCallGate<'a> {
    pub(super) turn: &'a TurnContext,
    pub(super) id: &'a str,
    pub(super) target: &'a mut CallTarget,
    is_managed: bool,
    pub(super) asks: PendingAsks,
    /// What allows the call if nothing asks.
    allowed_by: Option<PermissionBasis>,
    pre: PreDecision,
    /// What the hooks did in earlier events about the call.
    memory: Arc<RecheckMemory>,
}

/// What the hooks of `tool.pre` decided.
#[derive(Debug, Default)]
struct PreDecision {
    /// Whether one of them allowed the call.
    is_approved: bool,
    /// Whether one of them asks, and the runtime's approver left that to the loop.
    is_open: bool,
}

/// What a denial at a stage is based on.
fn denial_basis(stage: CallStage) -> PermissionBasis {
    match stage {
        CallStage::Transform => PermissionBasis::ToolTransform,
        CallStage::Guard => PermissionBasis::ToolGuard,
        CallStage::Pre | CallStage::Delegation => PermissionBasis::ToolPre,
        CallStage::Permission => PermissionBasis::PermissionAsk,
    }
}

impl ToolCallHost for ToolCallGate<'_> {
    type Refusal = GateResult;
    type Approval = GateResult;

    fn hears(&self, stage: CallStage) -> bool {
        match stage {
            CallStage::Transform => self.turn.has_listener::<ToolTransform>(),
            CallStage::Guard => self.turn.has_listener::<ToolGuard>(),
            CallStage::Pre => true,
            // The tool that starts another agent fires it, with the task as that agent gets it.
            CallStage::Delegation => false,
            CallStage::Permission => true,
        }
    }

    fn fire(&mut self, stage: CallStage) -> Result<Outcome, GateResult> {
        let event = self.event(stage);
        let defers = match stage {
            CallStage::Guard | CallStage::Permission => true,
            CallStage::Pre => self.is_managed,
            CallStage::Transform | CallStage::Delegation => false,
        };
        let scope = EventScope { memory: Some(Arc::clone(&self.memory)), ..self.turn.scope.clone() };
        let outcome = self.turn.fire_in(&event, &if defers { defer_asks(scope) } else { scope });
        self.check_cancelled()?;
        Ok(outcome)
    }

    fn refuse(&mut self, stage: CallStage, outcome: &Outcome) -> GateResult {
        GateResult::from_denial(self.turn, denial_basis(stage), outcome)
    }

    fn take_outcome(&mut self, stage: CallStage, outcome: &Outcome) -> Result<bool, GateResult> {
        match stage {
            CallStage::Transform if !outcome.is_allowed() => return Err(self.refuse(stage, outcome)),
            CallStage::Guard => {
                self.asks.has_guard_ask |= outcome.decision == Decision::Ask;
                self.asks.add_outcome(outcome);
            }
            CallStage::Pre => {
                self.pre = PreDecision { is_approved: outcome.approved, is_open: outcome.decision == Decision::Ask };
                self.asks.add_outcome(outcome);
            }
            CallStage::Transform | CallStage::Delegation | CallStage::Permission => {}
        }
        Ok(outcome.rewritten && self.target.apply_rewrite(self.turn, outcome.payload.value()))
    }

    /// The permission rules and the session's mode.
    fn check_rules(&mut self) -> Result<(), GateResult> {
        let permissions = &self.turn.agent.shared.permissions;
        let target = &*self.target;
        match permissions.check(&target.name, &target.args, target.is_read_only(), Path::new(&self.turn.origin.cwd)) {
            PermissionStatus::Allowed { basis } => self.allowed_by = Some(basis),
            PermissionStatus::Denied { source: by, basis } => {
                return Err(GateResult { reason: by.clone(), ..GateResult::deny(basis, CallRefusal::Denied(by)) });
            }
            PermissionStatus::NeedsApproval { reason, allows_by_hook, allows_by_grant } => {
                match &mut self.asks.rule_ask {
                    // An ask from before a hook changed the call still applies.
                    Some(firm) if !firm.allows_by_hook => firm.allows_by_grant &= allows_by_grant,
                    open => *open = Some(RuleAsk { reason, allows_by_hook, allows_by_grant }),
                }
                self.allowed_by = None;
            }
        }
        Ok(())
    }

    fn begin_round(&mut self) {
        self.asks = PendingAsks::default();
    }

    fn resolve_asks(&mut self) -> Result<AskResolution<GateResult>, GateResult> {
        let approved = |basis| Ok(AskResolution::Approved(GateResult::from_basis(basis)));
        if !self.is_managed {
            // The approver left this ask to the loop, which does not request approval outside a team.
            if self.pre.is_open {
                let reason = question::join_reasons(&self.asks.reasons);
                return Err(GateResult::deny(PermissionBasis::Unavailable, CallRefusal::Unavailable(reason)));
            }
            return approved(None);
        }
        // A call that cannot run needs no approval.
        if self.target.unusable_reason(self.turn).is_some() {
            return approved(None);
        }
        if self.pre.is_approved && self.asks.rule_ask.as_ref().is_some_and(|asked| asked.allows_by_hook) {
            self.asks.rule_ask = None;
            self.allowed_by = Some(PermissionBasis::ToolPre);
        }
        if self.asks.is_only_mode() {
            // What the user grants when asked about an earlier call covers this one as well.
            self.turn.await_turn();
            if self.turn.agent.shared.permissions.is_session_granted() {
                self.asks.rule_ask = None;
                self.check_rules()?;
            }
        }
        if self.asks.is_silent() {
            let is_by_hook = self.pre.is_approved && self.allowed_by != Some(PermissionBasis::Rule);
            return approved(if is_by_hook { Some(PermissionBasis::ToolPre) } else { self.allowed_by });
        }
        question::resolve_asks(self)
    }

    fn refuse_unsettled(&mut self, stage: CallStage) -> GateResult {
        let reason = format!("the hooks of `{}` keep changing the call", stage.event_kind());
        let basis = denial_basis(stage);
        let text = self.turn.rules().wording.call_denied_for(basis.event(), &reason);
        GateResult { reason, ..GateResult::deny(basis, CallRefusal::Blocked(text)) }
    }
}

impl ToolCallGate<'_> {
    fn fire_reply(&self, gate: &GateResult, basis: PermissionBasis) {
        let reply = || PermissionReply {
            decision: String::from(if gate.refusal.is_none() { "allow" } else { "deny" }),
            source: basis.source().to_owned(),
            reason: gate.reason.clone(),
            remember: gate.should_remember,
            detail: basis,
            ..self.target.to_reply_payload(self.turn, self.id)
        };
        // What was allowed without a question follows from the rules, and the tape has the call.
        let _ = match gate.refusal {
            Some(_) => self.turn.fire_team_end(reply),
            None => self.turn.fire_if_listened(reply),
        };
    }

    /// Fails if the turn was cancelled, whatever the cancelled hooks returned.
    pub(super) fn check_cancelled(&self) -> Result<(), GateResult> {
        if self.turn.scope.cancel.is_cancelled() {
            return Err(GateResult::cancelled(self.turn));
        }
        Ok(())
    }

    /// The event of a stage for the call as it is now. That of `tool.pre` is also what the user approves, after which
    /// only the user can stop the call.
    pub(super) fn event(&self, stage: CallStage) -> Event {
        match stage {
            CallStage::Permission => self.new_event(&self.permission_payload()),
            stage => self.target.to_request(self.turn, self.id).to_event(stage, "", Arc::clone(&self.turn.origin)),
        }
    }

    fn permission_payload(&self) -> PermissionAsk {
        let asks = &self.asks;
        let texts: Vec<&str> = asks.reasons.iter().map(|reason| reason.text.as_str()).collect();
        let request = self.target.to_request(self.turn, self.id);
        PermissionAsk {
            arguments: request.arguments_text(),
            facts: request.facts(EventKind::PermissionAsk),
            id: request.id,
            name: request.name,
            args: request.args,
            reason: texts.join("\n"),
            asked_by: asks.reasons.first().map(|reason| reason.hook.to_string()),
            metadata: asks.metadata.clone(),
        }
    }

    fn new_event<P: EventPayload>(&self, payload: &P) -> Event {
        Event::from_payload(payload, Arc::clone(&self.turn.origin))
    }
}
