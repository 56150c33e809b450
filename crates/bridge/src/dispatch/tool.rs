//! Fires the events before a tool: the bridge as a host of [`pintle_host::lifecycle`]. Every hook judges the final call.

use std::cell::OnceCell;
use std::sync::Arc;

use pintle_host::lifecycle::{
    AskResolution, CallStage, MAX_ROUNDS, ToolCallHost, ToolCallRequest, decide, decide_permission,
};
use pintle_host::loader::{CallAllowance, PauseWindow};
use pintle_host::packs::{ALLOWED_ONCE_RULE, PAUSED_RULE};
use pintle_host::tools::call_digest;
use pintle_host::{Decision, Effect, EventScope, Outcome};
use serde_json::{Value, json};

use super::HostDispatch;
use crate::HostToolCall;
use crate::policy::{GuardedAccess, denial_text, find_guarded_access, key_denial_text};
use crate::session::{ALLOWANCE_NOTE, PAUSE_NOTE};

/// Judges a tool call before it runs.
pub(super) fn fire(dispatch: &mut HostDispatch<'_>, call: &mut HostToolCall) {
    let mut gate = HostCallGate::new(dispatch, call, CallStage::Pre);
    let Some(is_approved) = gate.judge(decide) else { return };
    dispatch.decision.is_approved = is_approved && dispatch.decision.decision == Decision::Allow;
}

/// Judges a call before the user is asked: `permission.ask`, whose hooks may answer for the user. An `ask` of such a
/// hook has no effect, because the user is asked anyway. A changed call is a new call, which all hooks judge.
pub(super) fn fire_permission(dispatch: &mut HostDispatch<'_>, call: &mut HostToolCall) {
    let mut gate = HostCallGate::new(dispatch, call, CallStage::Permission);
    let Some(is_approved) = gate.judge(decide_permission) else { return };
    dispatch.decision.is_approved = is_approved;
}

/// A call that is denied; the decision says why.
struct DeniedCall;

/// One tool call while its events are fired.
struct HostCallGate<'h, 'a> {
    dispatch: &'h mut HostDispatch<'a>,
    /// The scope of the call's events, with its own memory.
    scope: EventScope,
    /// The call as the hooks left it.
    request: ToolCallRequest,
    /// The stage whose approval can replace the user's.
    approving_stage: CallStage,
    /// Whether a hook of that stage explicitly allowed the call.
    is_approved: bool,
    /// The user's pause of self-protection, as it was when it was first looked for.
    pause: OnceCell<Option<PauseWindow>>,
    /// The rule of a pack that lets the call pass because of the pause.
    paused_rule: Option<String>,
    /// The user's permission for this call, as it was when the call came.
    allowance: Option<CallAllowance>,
    /// The rule that lets the call pass because of the permission.
    allowed_rule: Option<String>,
    /// The agent's arguments if the call has changed. Then hooks of events that the host event does not fire judge it, too.
    args_before: Option<Value>,
}

impl<'h, 'a> HostCallGate<'h, 'a> {
    fn new(dispatch: &'h mut HostDispatch<'a>, call: &mut HostToolCall, approving_stage: CallStage) -> Self {
        let request = dispatch.take_request(call);
        let scope = EventScope { memory: Some(Arc::default()), ..dispatch.scope.clone() };
        let mut gate = Self {
            dispatch,
            scope,
            request,
            approving_stage,
            is_approved: false,
            pause: OnceCell::new(),
            paused_rule: None,
            allowance: None,
            allowed_rule: None,
            args_before: None,
        };
        if gate.request.paths.is_some() {
            gate.request.pause_ends_at_ms = gate.find_pause().map(|pause| pause.ends_at_ms);
            gate.allowance = gate.find_allowance();
            gate.request.allowance_ends_at_ms = gate.allowance.as_ref().map(|allowance| allowance.ends_at_ms);
        }
        gate
    }

    /// Runs the protocol. Returns whether a hook approved the call; `None` if it is denied.
    fn judge(&mut self, protocol: fn(&mut Self) -> Result<(), DeniedCall>) -> Option<bool> {
        protocol(self).ok()?;
        let parts = self.request.parts();
        match find_guarded_access(self.dispatch.paths, &self.request.name, &parts) {
            Some(GuardedAccess::ReadsKey(key)) => self.protect(None, &key_denial_text(&key)).ok()?,
            Some(GuardedAccess::ChangesPolicy(changed)) => self.apply_self_protection(&changed).ok()?,
            None => {
                if let (Some(rule), Some(pause)) = (&self.paused_rule, self.find_pause()) {
                    self.record_pause(pause, &format!("what the rule `{rule}` guards"));
                }
            }
        }
        self.use_allowance().ok()?;
        if self.args_before.as_ref().is_some_and(|before| *before != self.request.args) {
            self.dispatch.decision.input = Some(self.request.args.clone());
        }
        Some(self.is_approved)
    }

    /// Denies a call that would change policy, unless the user paused self-protection.
    fn apply_self_protection(&mut self, changed: &str) -> Result<(), DeniedCall> {
        let reason = denial_text(changed, self.dispatch.host);
        let paused = self.find_pause().map(|pause| {
            self.record_pause(pause, changed);
            let rest = pause.remaining_text(self.dispatch.now_ms);
            format!("pintle: self-protection is paused for another {rest}, so this may change {changed}")
        });
        self.protect(paused, &reason)
    }

    /// Denies a call for a reason, unless a notice says why it passes or nothing is enforced.
    fn protect(&mut self, passing_notice: Option<String>, reason: &str) -> Result<(), DeniedCall> {
        let notice = match passing_notice {
            Some(notice) => notice,
            None if self.dispatch.shadow => format!("pintle, in shadow mode: would have denied this: {reason}"),
            None => {
                self.dispatch.deny(format!("blocked by pintle: {reason}"));
                return Err(DeniedCall);
            }
        };
        self.dispatch.decision.notices.push(notice);
        Ok(())
    }

    /// The user's pause. A project that names its own state directory cannot pause anything.
    fn find_pause(&self) -> Option<PauseWindow> {
        *self.pause.get_or_init(|| {
            let state = self.dispatch.state_directory?;
            let pause = PauseWindow::load(state, self.dispatch.now_ms).ok()??;
            (!PauseWindow::is_stored_in(state, self.dispatch.paths.project())).then_some(pause)
        })
    }

    /// The user's permission for this call. A project that names its own state directory permits nothing.
    fn find_allowance(&self) -> Option<CallAllowance> {
        let state = self.dispatch.state_directory.filter(|state| CallAllowance::has_any(state))?;
        if PauseWindow::is_stored_in(state, self.dispatch.paths.project()) {
            return None;
        }
        let event = self.request.to_event(CallStage::Pre, "", Arc::clone(&self.dispatch.origin));
        let found = CallAllowance::find(state, &call_digest(&event.payload), self.dispatch.now_ms)?;
        // The call that used it comes again if several entries are installed, and when the agent asks its user, of which
        // not every agent says for which call.
        (found.is_for(&self.request.id) || self.approving_stage == CallStage::Permission).then_some(found)
    }

    /// Uses the permission up if a rule let the call pass because of it. Of several calls at once one passes.
    fn use_allowance(&mut self) -> Result<(), DeniedCall> {
        let (Some(rule), Some(allowance)) = (&self.allowed_rule, &self.allowance) else { return Ok(()) };
        if allowance.used_by.is_none() && !allowance.take(&self.request.id) {
            self.dispatch.deny(format!(
                "blocked by pintle: you allowed this call once, and another call has used that [{rule}]"
            ));
            return Err(DeniedCall);
        }
        self.record_passing(ALLOWANCE_NOTE, "rule", rule, allowance.ends_at_ms);
        Ok(())
    }

    fn record_pause(&self, pause: PauseWindow, changed: &str) {
        self.record_passing(PAUSE_NOTE, "changed", changed, pause.ends_at_ms);
    }

    /// Records that a call passes because the user said so, and what would have refused it.
    fn record_passing(&self, note_kind: &str, key: &str, text: &str, ends_at_ms: u64) {
        if let Some(tape) = self.dispatch.runtime.tape() {
            let note = json!({
                "host": self.dispatch.host.name,
                "event": self.dispatch.event_def.name,
                "tool": self.request.name,
                key: text,
                "ends_at_ms": ends_at_ms,
            });
            tape.record_note(note_kind, note);
        }
    }

    fn refuse_change(&mut self, reason: &str) -> DeniedCall {
        let title = self.dispatch.host.title;
        self.dispatch.deny(format!("a hook changed this call, but the change cannot be passed to {title}: {reason}"));
        DeniedCall
    }
}

/// The rule that a hook names in its metadata.
fn find_rule(outcome: &Outcome, key: &str) -> Option<String> {
    let facts = outcome.effects.iter().find_map(|(_, effect)| match effect {
        Effect::Metadata(facts) => facts.get(key)?.as_str(),
        _ => None,
    });
    facts.map(str::to_owned)
}

impl ToolCallHost for HostCallGate<'_, '_> {
    type Refusal = DeniedCall;
    type Approval = ();

    fn hears(&self, stage: CallStage) -> bool {
        let event = stage.event_kind();
        let is_delegation = stage == CallStage::Delegation;
        if is_delegation && self.request.delegated_task().is_none() {
            return false;
        }
        // Every call is recorded on the tape.
        match self.args_before {
            Some(_) => self.dispatch.has_any_listener(event),
            None => event == self.dispatch.always_fired_event() || self.dispatch.has_listeners(event),
        }
    }

    fn fire(&mut self, stage: CallStage) -> Result<Outcome, DeniedCall> {
        let reason = format!("{} asks", self.dispatch.host.title);
        let event = self.request.to_event(stage, &reason, Arc::clone(&self.dispatch.origin));
        let outcome = self.dispatch.fire_event_in(&event, &self.scope);
        self.paused_rule = find_rule(&outcome, PAUSED_RULE).or(self.paused_rule.take());
        self.allowed_rule = find_rule(&outcome, ALLOWED_ONCE_RULE).or(self.allowed_rule.take());
        Ok(outcome)
    }

    fn refuse(&mut self, _stage: CallStage, outcome: &Outcome) -> DeniedCall {
        self.dispatch.apply_outcome(outcome);
        DeniedCall
    }

    fn take_outcome(&mut self, stage: CallStage, outcome: &Outcome) -> Result<bool, DeniedCall> {
        // The host asks its user anyway.
        if stage != CallStage::Permission || outcome.decision != Decision::Ask {
            self.dispatch.apply_outcome(outcome);
        }
        if stage == self.approving_stage {
            self.is_approved = outcome.approved && outcome.decision == Decision::Allow;
        }
        let changed =
            self.request.changed_by(stage, outcome).map_err(|error| self.refuse_change(&error.to_string()))?;
        let Some((name, args)) = changed else { return Ok(false) };
        if name != self.request.name {
            let reason = format!("a call of `{}` cannot become a call of another tool", self.request.name);
            return Err(self.refuse_change(&reason));
        }
        let before = std::mem::replace(&mut self.request.args, args);
        self.args_before.get_or_insert(before);
        // What an earlier form of the call would have done does not count.
        self.paused_rule = None;
        // The user allowed another call than this one.
        (self.allowance, self.allowed_rule, self.request.allowance_ends_at_ms) = (None, None, None);
        Ok(true)
    }

    /// The host resolves asks itself.
    fn resolve_asks(&mut self) -> Result<AskResolution<()>, DeniedCall> {
        Ok(AskResolution::Approved(()))
    }

    fn refuse_unsettled(&mut self, _stage: CallStage) -> DeniedCall {
        self.dispatch.deny(format!(
            "hooks keep changing this call, even after {MAX_ROUNDS} recheck rounds; make one of them keep the other's \
             change"
        ));
        DeniedCall
    }
}
