//! Everybody who may keep a call from running, in the order in which they are asked (docker-agent behaviour, section
//! 1.4):
//!
//! 1. `tool.transform` may change the call.
//! 2. `tool.guard` judges it, and a denial ends it here; then the permission rules and the session's mode judge.
//! 3. `tool.pre`, always: no mode, rule or grant keeps a hook that decides from being asked. What a rule denies stays
//!    denied.
//! 4. When `tool.pre` changed the call, step 2 again on the final one. It may deny or ask; it allows nothing.
//! 5. When anybody wants a person to look: `permission.ask`, then the person, see `question`.
//! 6. `permission.reply` tells what it came to.
//!
//! For agents that are in no team each step but 3 is left out where nothing is declared and nobody listens; asks of their
//! `tool.pre` go to the runtime's resolver.

use std::sync::Arc;

use pintle::event::{
    ApprovalRequested, EventPayload, PermissionAsk, PermissionReply, ToolGuard, ToolPre, ToolTransform, UserInput,
};
use pintle::{Decision, Effect, Event, Outcome, OutcomeReason};
use serde_json::{Map, Value};

use super::question::{self, Answered};
use super::refusal::Refusal;
use super::target::Target;
use crate::permission::Standing;
use crate::turn::{Turn, words};

/// How often hooks of `permission.ask` may change a call, each time to be judged anew.
const MAX_ROUNDS: u32 = 3;

/// Asks everybody, and takes over what hooks made of the call.
///
/// # Errors
/// With what keeps it from running.
pub(super) fn pass(turn: &Turn, id: &str, target: &mut Target) -> Result<(), Refusal> {
    let gate = Gate { turn, id, is_managed: is_managed(turn) };
    let settled = gate.settle(target);
    let settled = match settled {
        // What hooks that were cut short said is no denial: the person wanted everything to stop.
        _ if turn.scope.cancel.is_cancelled() => Settled::no("cancelled", "context_canceled", Refusal::Cancelled),
        settled => settled,
    };
    if gate.is_managed && !settled.detail.is_empty() {
        gate.tell(target, &settled);
    }
    settled.refusal.map_or(Ok(()), |refusal| Err(*refusal))
}

/// Whether the loop settles asks itself, with all that belongs to it.
fn is_managed(turn: &Turn) -> bool {
    turn.agent.shared.permissions.is_declared()
        || turn.tells_of::<ToolGuard>()
        || turn.tells_of::<PermissionAsk>()
        || turn.tells_of::<PermissionReply>()
        || turn.tells_of::<UserInput>()
        || turn.listens::<ApprovalRequested>()
}

/// What it came to.
pub(super) struct Settled {
    pub(super) refusal: Option<Box<Refusal>>,
    /// `person`, `hook`, `rule`, `resolver` or `cancelled`.
    pub(super) source: &'static str,
    /// docker-agent's word for it; empty when nothing was settled because the call cannot run anyway.
    pub(super) detail: &'static str,
    pub(super) reason: String,
    pub(super) remember: bool,
}

impl Settled {
    pub(super) fn yes(source: &'static str, detail: &'static str) -> Self {
        Self { refusal: None, source, detail, reason: String::new(), remember: false }
    }

    pub(super) fn no(source: &'static str, detail: &'static str, refusal: Refusal) -> Self {
        Self { refusal: Some(Box::new(refusal)), ..Self::yes(source, detail) }
    }

    /// A hook of an event said no.
    pub(super) fn blocked(event: &'static str, detail: &'static str, outcome: &Outcome) -> Self {
        let said = !outcome.reasons.iter().all(|reason| reason.text.trim().is_empty());
        let words = if said { words(outcome) } else { String::new() };
        let refusal = Refusal::Blocked { event, reason: outcome.reason_for_model(), words: words.clone() };
        Self { reason: words, ..Self::no("hook", detail, refusal) }
    }
}

/// Who wants a person to look, and what is said about the call for that person.
#[derive(Debug, Default)]
pub(super) struct Asks {
    pub(super) reasons: Vec<OutcomeReason>,
    /// Whether a hook of `tool.guard` asks: then no other hook can answer for the person.
    pub(super) by_guard: bool,
    /// What a rule or the mode asks for.
    pub(super) by_rule: Option<AskOfRule>,
    pub(super) metadata: Map<String, Value>,
}

/// What a rule or the mode asks for.
#[derive(Debug)]
pub(super) struct AskOfRule {
    pub(super) why: String,
    /// Whether a hook that allows the call is enough.
    hook_settles: bool,
    /// Whether a person's `always` is.
    grant_settles: bool,
}

impl Asks {
    /// Takes over who asks, and what the hooks say about the call.
    fn take(&mut self, outcome: &Outcome) {
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

    /// What was said first stands: the hooks of `tool.guard` are asked first, and those of `permission.ask` last.
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

    /// Whether nobody asks but the session's mode.
    pub(super) fn are_of_mode(&self) -> bool {
        self.reasons.is_empty() && self.by_rule.as_ref().is_some_and(|asked| asked.grant_settles)
    }

    fn is_silent(&self) -> bool {
        self.reasons.is_empty() && self.by_rule.is_none()
    }
}

/// One call on its way past everybody.
pub(super) struct Gate<'a> {
    pub(super) turn: &'a Turn,
    pub(super) id: &'a str,
    is_managed: bool,
}

impl Gate<'_> {
    fn settle(&self, target: &mut Target) -> Settled {
        if let Err(denied) = self.transform(target) {
            return denied;
        }
        for _ in 0..MAX_ROUNDS {
            match self.judge(target) {
                Ok(Answered::Settled(settled)) => return settled,
                // Everybody judges the changed call anew.
                Ok(Answered::Changed) => {}
                Err(denied) => return denied,
            }
        }
        let reason = String::from("the hooks of `permission.ask` change the call again and again");
        let refusal = Refusal::Blocked { event: "permission_request", reason: reason.clone(), words: reason.clone() };
        Settled { reason, ..Settled::no("hook", "permission_request_hook_deny", refusal) }
    }

    fn judge(&self, target: &mut Target) -> Result<Answered, Settled> {
        let mut asks = Asks::default();
        self.guard(target, &mut asks)?;
        let ruled = self.rule(target, &mut asks);
        let pre = self.pre(target);
        // What a rule denies stays denied, whatever the hooks of `tool.pre` made of it.
        let mut runs = ruled.or_else(|denied| self.not_cancelled().and(Err(denied)))?;
        let (outcome, changed) = pre?;
        asks.take(&outcome);
        if changed {
            self.guard(target, &mut asks)?;
            runs = self.rule(target, &mut asks)?;
        }
        if !self.is_managed {
            // Whoever answers asks here left this one to the loop, which asks nobody outside a team.
            let is_open = outcome.decision == Decision::Ask;
            let open = || Settled::no("resolver", "non_interactive_deny", Refusal::Nobody);
            return Ok(Answered::Settled(if is_open { open() } else { Settled::yes("hook", "") }));
        }
        // Nobody need look at a call that cannot run.
        if target.unusable(self.turn).is_some() {
            return Ok(Answered::Settled(Settled::yes("rule", "")));
        }
        if outcome.approved && asks.by_rule.as_ref().is_some_and(|asked| asked.hook_settles) {
            asks.by_rule = None;
            runs = ("hook", "pre_tool_use_hook_allow");
        }
        if asks.is_silent() {
            let (source, detail) = if outcome.approved && runs.1 != "team_permissions_allow" {
                ("hook", "pre_tool_use_hook_allow")
            } else {
                runs
            };
            return Ok(Answered::Settled(Settled::yes(source, detail)));
        }
        Ok(question::ask(self, target, asks))
    }

    fn transform(&self, target: &mut Target) -> Result<(), Settled> {
        if !self.turn.tells_of::<ToolTransform>() {
            return Ok(());
        }
        let outcome = self.fire(&target.transform(self.turn, self.id));
        self.not_cancelled()?;
        if !outcome.is_allowed() {
            return Err(Settled::blocked("tool_input_transform", "tool_input_transform_deny", &outcome));
        }
        if outcome.rewritten {
            target.take(self.turn, outcome.payload.value());
        }
        Ok(())
    }

    /// Step 2, the guards.
    fn guard(&self, target: &Target, asks: &mut Asks) -> Result<(), Settled> {
        if !self.turn.tells_of::<ToolGuard>() {
            return Ok(());
        }
        let outcome = self.turn.fire_deferring(&self.event(&target.guard(self.turn, self.id)));
        self.not_cancelled()?;
        if outcome.decision == Decision::Deny {
            return Err(Settled::blocked("tool_guard", "tool_guard_deny", &outcome));
        }
        asks.by_guard |= outcome.decision == Decision::Ask;
        asks.take(&outcome);
        Ok(())
    }

    /// Step 2, the rules and the mode. Gives who lets the call run if nobody asks, and docker-agent's word for that.
    fn rule(&self, target: &Target, asks: &mut Asks) -> Result<(&'static str, &'static str), Settled> {
        match self.turn.agent.shared.permissions.judge(&target.name, &target.args, target.is_read_only()) {
            Standing::Runs { detail } => Ok(("rule", detail)),
            Standing::Denied { by, detail } => {
                Err(Settled { reason: by.clone(), ..Settled::no("rule", detail, Refusal::Denied(by)) })
            }
            Standing::Asks { why, hook_settles, grant_settles } => {
                match &mut asks.by_rule {
                    // What asked about the call before a hook changed it still asks.
                    Some(firm) if !firm.hook_settles => firm.grant_settles &= grant_settles,
                    open => *open = Some(AskOfRule { why, hook_settles, grant_settles }),
                }
                Ok(("rule", ""))
            }
        }
    }

    /// Step 3. Gives what the hooks said and whether they made another call of it.
    fn pre(&self, target: &mut Target) -> Result<(Outcome, bool), Settled> {
        let event = self.event(&target.pre(self.turn, self.id));
        let outcome = if self.is_managed { self.turn.fire_deferring(&event) } else { self.turn.fire(&event) };
        self.not_cancelled()?;
        if outcome.decision == Decision::Deny {
            return Err(Settled::blocked("pre_tool_use", "pre_tool_use_hook_deny", &outcome));
        }
        let changed = outcome.rewritten && target.take(self.turn, outcome.payload.value());
        Ok((outcome, changed))
    }

    fn tell(&self, target: &Target, settled: &Settled) {
        let reply = || PermissionReply {
            decision: String::from(if settled.refusal.is_none() { "allow" } else { "deny" }),
            source: settled.source.to_owned(),
            reason: settled.reason.clone(),
            remember: settled.remember,
            detail: settled.detail.to_owned(),
            ..target.reply(self.turn, self.id)
        };
        let _ = self.turn.fire_end_of(reply);
    }

    /// A raised flag says that the person wants everything to stop, whatever the hooks that were cut short said.
    pub(super) fn not_cancelled(&self) -> Result<(), Settled> {
        if self.turn.scope.cancel.is_cancelled() {
            return Err(Settled::no("cancelled", "context_canceled", Refusal::Cancelled));
        }
        Ok(())
    }

    pub(super) fn event<P: EventPayload>(&self, payload: &P) -> Event {
        Event::from_payload(payload, Arc::clone(&self.turn.origin))
    }

    fn fire(&self, payload: &ToolTransform) -> Outcome {
        self.turn.fire(&self.event(payload))
    }

    /// The event that a person is asked about, and that nothing but the person may still stop.
    pub(super) fn final_event(&self, target: &Target) -> Event {
        let payload: ToolPre = target.pre(self.turn, self.id);
        self.event(&payload)
    }
}
