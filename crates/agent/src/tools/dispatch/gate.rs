//! The checks before a tool call runs, in docker-agent's order:
//!
//! 1. `tool.transform` may change the call.
//! 2. `tool.guard` decides, and a denial ends the checks; then the permission rules and the session's mode decide.
//! 3. `tool.pre` always fires: no mode, rule or grant skips a hook that decides. What a rule denies stays denied.
//! 4. If `tool.pre` changed the call, step 2 is repeated with the final call. It may deny or ask, but not allow.
//! 5. If a hook or rule asks: `permission.ask`, then the user, see `question`.
//! 6. `permission.reply` reports the result.
//!
//! For agents outside a team every step but 3 is skipped if nothing is declared and no hook listens; the asks of
//! `tool.pre` then go to the runtime's approver.

use std::sync::Arc;

use pintle::event::{
    ApprovalRequested, EventPayload, PermissionAsk, PermissionReply, ToolGuard, ToolPre, ToolTransform, UserInput,
};
use pintle::{Decision, Effect, Event, Outcome, OutcomeReason};
use serde_json::{Map, Value};

use super::question::{self, AskResult};
use super::refusal::CallRefusal;
use super::target::CallTarget;
use crate::permission::PermissionStatus;
use crate::turn_context::{TurnContext, denial_text};

/// How often hooks of `permission.ask` may change a call, which repeats the checks.
const MAX_ROUNDS: u32 = 3;

/// Runs all checks, and applies the rewrites of hooks to the call.
///
/// # Errors
/// With the reason why the call does not run.
pub(super) fn check(turn: &TurnContext, id: &str, target: &mut CallTarget) -> Result<(), CallRefusal> {
    let gate = ToolCallGate { turn, id, is_managed: is_managed(turn) };
    let settled = gate.decide(target);
    let settled = match settled {
        // Output of hooks that were cancelled is not a denial: the user wanted everything to stop.
        _ if turn.scope.cancel.is_cancelled() => {
            GateResult::deny("cancelled", "context_canceled", CallRefusal::Cancelled)
        }
        settled => settled,
    };
    if gate.is_managed && !settled.detail.is_empty() {
        gate.fire_reply(target, &settled);
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
    /// `person`, `hook`, `rule`, `resolver` or `cancelled`.
    pub(super) source: &'static str,
    /// docker-agent's name for it; empty if nothing was decided because the call cannot run anyway.
    pub(super) detail: &'static str,
    pub(super) reason: String,
    pub(super) should_remember: bool,
}

impl GateResult {
    pub(super) fn allow(source: &'static str, detail: &'static str) -> Self {
        Self { refusal: None, source, detail, reason: String::new(), should_remember: false }
    }

    pub(super) fn deny(source: &'static str, detail: &'static str, refusal: CallRefusal) -> Self {
        Self { refusal: Some(Box::new(refusal)), ..Self::allow(source, detail) }
    }

    /// The result when a hook denied.
    pub(super) fn from_denial(event: &'static str, detail: &'static str, outcome: &Outcome) -> Self {
        let said = !outcome.reasons.iter().all(|reason| reason.text.trim().is_empty());
        let words = if said { denial_text(outcome) } else { String::new() };
        let refusal = CallRefusal::Blocked { event, reason: outcome.reason_for_model(), user_text: words.clone() };
        Self { reason: words, ..Self::deny("hook", detail, refusal) }
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
    allows_by_hook: bool,
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
    is_managed: bool,
}

impl ToolCallGate<'_> {
    fn decide(&self, target: &mut CallTarget) -> GateResult {
        if let Err(denied) = self.fire_transform(target) {
            return denied;
        }
        for _ in 0..MAX_ROUNDS {
            match self.check_once(target) {
                Ok(AskResult::Decided(settled)) => return settled,
                // The changed call goes through all checks again.
                Ok(AskResult::Changed) => {}
                Err(denied) => return denied,
            }
        }
        let reason = String::from("the hooks of `permission.ask` keep changing the call");
        let refusal =
            CallRefusal::Blocked { event: "permission_request", reason: reason.clone(), user_text: reason.clone() };
        GateResult { reason, ..GateResult::deny("hook", "permission_request_hook_deny", refusal) }
    }

    fn check_once(&self, target: &mut CallTarget) -> Result<AskResult, GateResult> {
        let mut asks = PendingAsks::default();
        self.fire_guard(target, &mut asks)?;
        let ruled = self.check_rules(target, &mut asks);
        let pre = self.fire_pre(target);
        // What a rule denies stays denied, whatever the hooks of `tool.pre` decide.
        let mut runs = ruled.or_else(|denied| self.check_cancelled().and(Err(denied)))?;
        let (outcome, changed) = pre?;
        asks.add_outcome(&outcome);
        if changed {
            self.fire_guard(target, &mut asks)?;
            runs = self.check_rules(target, &mut asks)?;
        }
        if !self.is_managed {
            // The approver left this ask to the loop, which does not request approval outside a team.
            let is_open = outcome.decision == Decision::Ask;
            let open = || GateResult::deny("resolver", "non_interactive_deny", CallRefusal::Unavailable);
            return Ok(AskResult::Decided(if is_open { open() } else { GateResult::allow("hook", "") }));
        }
        // A call that cannot run needs no approval.
        if target.unusable_reason(self.turn).is_some() {
            return Ok(AskResult::Decided(GateResult::allow("rule", "")));
        }
        if outcome.approved && asks.rule_ask.as_ref().is_some_and(|asked| asked.allows_by_hook) {
            asks.rule_ask = None;
            runs = ("hook", "pre_tool_use_hook_allow");
        }
        if asks.is_silent() {
            let (source, detail) = if outcome.approved && runs.1 != "team_permissions_allow" {
                ("hook", "pre_tool_use_hook_allow")
            } else {
                runs
            };
            return Ok(AskResult::Decided(GateResult::allow(source, detail)));
        }
        Ok(question::resolve_asks(self, target, asks))
    }

    fn fire_transform(&self, target: &mut CallTarget) -> Result<(), GateResult> {
        if !self.turn.team_listens::<ToolTransform>() {
            return Ok(());
        }
        let outcome = self.fire(&target.to_transform_payload(self.turn, self.id));
        self.check_cancelled()?;
        if !outcome.is_allowed() {
            return Err(GateResult::from_denial("tool_input_transform", "tool_input_transform_deny", &outcome));
        }
        if outcome.rewritten {
            target.apply_rewrite(self.turn, outcome.payload.value());
        }
        Ok(())
    }

    /// Step 2, the hooks of `tool.guard`.
    fn fire_guard(&self, target: &CallTarget, asks: &mut PendingAsks) -> Result<(), GateResult> {
        if !self.turn.team_listens::<ToolGuard>() {
            return Ok(());
        }
        let outcome = self.turn.fire_deferring_asks(&self.new_event(&target.to_guard_payload(self.turn, self.id)));
        self.check_cancelled()?;
        if outcome.decision == Decision::Deny {
            return Err(GateResult::from_denial("tool_guard", "tool_guard_deny", &outcome));
        }
        asks.has_guard_ask |= outcome.decision == Decision::Ask;
        asks.add_outcome(&outcome);
        Ok(())
    }

    /// Step 2, the rules and the mode. Returns what allows the call if nothing asks, and docker-agent's name for it.
    fn check_rules(
        &self,
        target: &CallTarget,
        asks: &mut PendingAsks,
    ) -> Result<(&'static str, &'static str), GateResult> {
        match self.turn.agent.shared.permissions.check(&target.name, &target.args, target.is_read_only()) {
            PermissionStatus::Allowed { detail } => Ok(("rule", detail)),
            PermissionStatus::Denied { source: by, detail } => {
                Err(GateResult { reason: by.clone(), ..GateResult::deny("rule", detail, CallRefusal::Denied(by)) })
            }
            PermissionStatus::NeedsApproval {
                reason: why,
                allows_by_hook: hook_settles,
                allows_by_grant: grant_settles,
            } => {
                match &mut asks.rule_ask {
                    // An ask from before a hook changed the call still applies.
                    Some(firm) if !firm.allows_by_hook => firm.allows_by_grant &= grant_settles,
                    open => {
                        *open =
                            Some(RuleAsk { reason: why, allows_by_hook: hook_settles, allows_by_grant: grant_settles })
                    }
                }
                Ok(("rule", ""))
            }
        }
    }

    /// Step 3. Returns the outcome and whether the hooks changed the call.
    fn fire_pre(&self, target: &mut CallTarget) -> Result<(Outcome, bool), GateResult> {
        let event = self.new_event(&target.to_pre_payload(self.turn, self.id));
        let outcome = if self.is_managed { self.turn.fire_deferring_asks(&event) } else { self.turn.fire(&event) };
        self.check_cancelled()?;
        if outcome.decision == Decision::Deny {
            return Err(GateResult::from_denial("pre_tool_use", "pre_tool_use_hook_deny", &outcome));
        }
        let changed = outcome.rewritten && target.apply_rewrite(self.turn, outcome.payload.value());
        Ok((outcome, changed))
    }

    fn fire_reply(&self, target: &CallTarget, settled: &GateResult) {
        let reply = || PermissionReply {
            decision: String::from(if settled.refusal.is_none() { "allow" } else { "deny" }),
            source: settled.source.to_owned(),
            reason: settled.reason.clone(),
            remember: settled.should_remember,
            detail: settled.detail.to_owned(),
            ..target.to_reply_payload(self.turn, self.id)
        };
        let _ = self.turn.fire_team_end(reply);
    }

    /// Fails if the turn was cancelled, whatever the cancelled hooks returned.
    pub(super) fn check_cancelled(&self) -> Result<(), GateResult> {
        if self.turn.scope.cancel.is_cancelled() {
            return Err(GateResult::deny("cancelled", "context_canceled", CallRefusal::Cancelled));
        }
        Ok(())
    }

    pub(super) fn new_event<P: EventPayload>(&self, payload: &P) -> Event {
        Event::from_payload(payload, Arc::clone(&self.turn.origin))
    }

    fn fire(&self, payload: &ToolTransform) -> Outcome {
        self.turn.fire(&self.new_event(payload))
    }

    /// The event that the user approves, after which only the user can stop the call.
    pub(super) fn final_event(&self, target: &CallTarget) -> Event {
        let payload: ToolPre = target.to_pre_payload(self.turn, self.id);
        self.new_event(&payload)
    }
}
