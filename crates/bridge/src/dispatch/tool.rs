//! Fires the events before a tool in the order of Pintle's own loop: `tool.transform`, `tool.guard`, `tool.pre`, and
//! `delegation.pre` for a tool that starts an agent. One host call can consist of several canonical calls, and each is
//! judged.
//!
//! Every hook judges the final call: if any hook changes it, under any name, the resulting host call is converted again
//! and rechecked by all hooks, until nothing changes.

use pintle::Decision;
use pintle::tools::CanonicalCall;
use serde_json::Value;

use super::HostDispatch;
use super::gate::{HostCallGate, LaneJudgement, ToolCallLane};
use crate::HostToolCall;
use crate::policy::policy_denial;

/// The most recheck rounds before a changed call is denied.
const MAX_ROUNDS: u8 = 3;

/// A call that passed all hooks.
struct JudgedCall {
    /// The final input in the host's form.
    input: Value,
    /// Whether a hook explicitly allowed every part of it.
    is_approved: bool,
}

/// Judges a tool call before it runs.
pub(super) fn fire(dispatch: &mut HostDispatch<'_>, call: &HostToolCall) {
    let lanes = [ToolCallLane::Transform, ToolCallLane::Guard, ToolCallLane::Pre, ToolCallLane::Delegation];
    let Some(settled) = judge_until_stable(dispatch, call, ToolCallLane::Pre, [&lanes, &lanes]) else { return };
    dispatch.decision.is_approved = settled.is_approved && dispatch.decision.decision == Decision::Allow;
    if settled.input != call.input {
        dispatch.decision.input = Some(settled.input);
    }
}

/// Judges a call before the user is asked: `permission.ask`, whose hooks may answer for the user. An `ask` of such a
/// hook has no effect, because the user is asked anyway. A changed call is a new call, which all hooks judge.
pub(super) fn fire_permission(dispatch: &mut HostDispatch<'_>, call: &HostToolCall) {
    let all = [
        ToolCallLane::Transform,
        ToolCallLane::Guard,
        ToolCallLane::Pre,
        ToolCallLane::Delegation,
        ToolCallLane::Permission,
    ];
    let Some(settled) =
        judge_until_stable(dispatch, call, ToolCallLane::Permission, [&[ToolCallLane::Permission], &all])
    else {
        return;
    };
    dispatch.decision.is_approved = settled.is_approved;
    if settled.input != call.input {
        dispatch.decision.input = Some(settled.input);
    }
}

/// Judges a call until nothing changes: the first round uses the first lanes, recheck rounds the others. `None` if it
/// is denied.
fn judge_until_stable(
    hearing: &mut HostDispatch<'_>,
    call: &HostToolCall,
    approves: ToolCallLane,
    [first, then]: [&[ToolCallLane]; 2],
) -> Option<JudgedCall> {
    let tools = hearing.tools();
    let mut input = call.input.clone();
    let mut judgements: Vec<LaneJudgement> = Vec::new();
    for round in 0..=MAX_ROUNDS {
        let mut parts: Vec<CanonicalCall> = tools.to_canonical(&call.name, &input);
        let mut changed = false;
        let mut approved = true;
        for (index, part) in parts.iter_mut().enumerate() {
            hearing.memory.enter(index);
            let lanes = if round == 0 { first } else { then };
            let mut gate = HostCallGate {
                dispatch: hearing,
                call,
                judgements: &mut judgements,
                is_recheck: round > 0,
                approving_lane: approves,
                is_approved: false,
                is_changed: false,
            };
            let passed = gate.judge_part(part, lanes);
            approved &= gate.is_approved;
            changed |= gate.is_changed;
            hearing.memory.leave();
            if !passed {
                return None;
            }
        }
        if !changed {
            if let Some(reason) = policy_denial(hearing.paths, hearing.host, &parts) {
                if hearing.shadow {
                    hearing.decision.notices.push(format!("pintle, in shadow mode: would have denied this: {reason}"));
                } else {
                    hearing.deny(format!("blocked by pintle: {reason}"));
                    return None;
                }
            }
            return Some(JudgedCall { input, is_approved: approved });
        }
        match tools.merge_back(&call.name, &input, &parts) {
            Ok(changed) => input = changed,
            Err(cannot) => {
                let title = hearing.host.title;
                hearing.deny(format!("a hook changed this call, but the change cannot be passed to {title}: {cannot}"));
                return None;
            }
        }
    }
    hearing.deny(format!(
        "hooks keep changing this call, even after {MAX_ROUNDS} recheck rounds; make one of them keep the \
         other's change"
    ));
    None
}
