//! Fires the events of one part of a tool call.

use std::sync::Arc;

use pintle::event::{DelegationPre, PermissionAsk, ToolGuard, ToolPre, ToolTransform};
use pintle::tools::{CanonicalCall, alternate_calls, to_canonical};
use pintle::{Decision, Event, Outcome, RunPrediction, explain};
use serde_json::Value;

use super::HostDispatch;
use crate::HostToolCall;

/// docker-agent's name for the `command` argument of `shell`.
const OTHER_COMMAND: &str = "cmd";

/// An event that is fired for a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolCallLane {
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

/// The judgement of a lane, so that the same call is not judged there again.
#[derive(Debug)]
pub(super) struct LaneJudgement {
    lane: ToolCallLane,
    name: String,
    args: Value,
    is_approved: bool,
}

/// One part of a tool call while its events are fired.
pub(super) struct HostCallGate<'h, 'a> {
    pub(super) dispatch: &'h mut HostDispatch<'a>,
    pub(super) call: &'h HostToolCall,
    /// The judgements of the lanes so far.
    pub(super) judgements: &'h mut Vec<LaneJudgement>,
    /// Whether this is a recheck of a changed call.
    pub(super) is_recheck: bool,
    /// The lane whose approval can replace the user's.
    pub(super) approving_lane: ToolCallLane,
    /// Whether a hook of that lane explicitly allowed the call.
    pub(super) is_approved: bool,
    /// Whether any hook changed the call, even if another hook changed it back.
    pub(super) is_changed: bool,
}

impl ToolCallLane {
    fn event_name(self) -> &'static str {
        match self {
            Self::Transform => "tool.transform",
            Self::Guard => "tool.guard",
            Self::Pre => "tool.pre",
            Self::Delegation => "delegation.pre",
            Self::Permission => "permission.ask",
        }
    }
}

impl HostCallGate<'_, '_> {
    /// Returns whether the call continues.
    pub(super) fn judge_part(&mut self, part: &mut CanonicalCall, lanes: &[ToolCallLane]) -> bool {
        lanes.iter().all(|lane| match lane {
            ToolCallLane::Delegation => self.fire_delegation(part),
            lane => self.fire_canonical(*lane, part) && self.fire_alternate_names(*lane, part),
        })
    }

    /// Fires the event with Pintle's own name of the tool.
    fn fire_canonical(&mut self, lane: ToolCallLane, part: &mut CanonicalCall) -> bool {
        let name = part.name.clone();
        if let Some(approved) = self.earlier_approval(lane, &name, &part.args) {
            self.is_approved |= approved && lane == self.approving_lane;
            return true;
        }
        // Every call is recorded on the tape.
        let is_told = !self.is_recheck && lane.event_name() == self.dispatch.always_fired_event();
        if !is_told && !self.has_listeners(lane) {
            return true;
        }
        let event = self.make_event(lane, &name, &part.args, part.category);
        let outcome = self.dispatch.fire_event(&event);
        if !self.apply_outcome(lane, &outcome) {
            return false;
        }
        self.is_changed |= apply_rewrite(part, &outcome);
        if lane == self.approving_lane {
            self.is_approved = outcome.approved && outcome.decision == Decision::Allow;
        }
        self.record_judgement(lane, &name, &part.args);
        true
    }

    /// Fires the event for hooks that know the tool only by another name, such as `run_command` of AI Harness: a policy
    /// that is written for one agent applies in every host.
    fn fire_alternate_names(&mut self, lane: ToolCallLane, part: &mut CanonicalCall) -> bool {
        if !self.has_listeners(lane) {
            return true;
        }
        let set = self.dispatch.runtime.hooks();
        let names: Vec<&str> = alternate_calls(&part.name, &part.args).map(|(name, _)| name).collect();
        for name in names {
            // Later names see the changes made under earlier names.
            let Some((_, args)) = alternate_calls(&part.name, &part.args).find(|(other, _)| *other == name) else {
                continue;
            };
            if self.earlier_approval(lane, name, &args).is_some() {
                continue;
            }
            let own = explain(&set, &self.make_event(lane, &part.name, &part.args, part.category));
            let other = self.make_event(lane, name, &args, part.category);
            let mut hears = explain(&set, &other).into_iter().zip(own);
            if !hears.any(|(other, own)| has_effect(&other.prediction) && !has_effect(&own.prediction)) {
                continue;
            }
            let outcome = self.dispatch.fire_event(&other);
            if !self.apply_outcome(lane, &outcome) {
                return false;
            }
            let mut args = args;
            if outcome.rewritten {
                self.is_changed = true;
                args = outcome.payload.field("args").cloned().unwrap_or(Value::Null);
                match outcome.payload.field("name").and_then(Value::as_str) {
                    // A host cannot be given a call of another tool; the error is reported when the call is converted
                    // back.
                    Some(renamed) if renamed != name => (part.name, part.args) = (renamed.to_owned(), args.clone()),
                    _ => part.args = to_canonical(name, &args).map_or(Value::Null, |(_, args)| args),
                }
            }
            self.record_judgement(lane, name, &args);
        }
        true
    }

    fn fire_delegation(&mut self, part: &mut CanonicalCall) -> bool {
        if part.category != Some("agent") || !self.has_listeners(ToolCallLane::Delegation) {
            return true;
        }
        let text = |name: &str| part.args.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(prompt) = part.args.get("prompt").and_then(Value::as_str).map(str::to_owned) else {
            // A tool that only waits for an agent, or sends it a message, does not delegate a task.
            return true;
        };
        if self.earlier_approval(ToolCallLane::Delegation, &part.name, &part.args).is_some() {
            return true;
        }
        let payload = DelegationPre {
            id: self.call.id.clone(),
            agent: text("agent"),
            task: prompt.clone(),
            prompt,
            depth: self.dispatch.origin.depth + 1,
            host: Some(self.dispatch.host_payload(Some(self.call))),
            ..DelegationPre::default()
        };
        let outcome = self.dispatch.fire(&payload);
        if !self.apply_outcome(ToolCallLane::Delegation, &outcome) {
            return false;
        }
        if outcome.rewritten
            && let Some(args) = part.args.as_object_mut()
        {
            for name in ["prompt", "agent"] {
                if let Some(value) =
                    outcome.payload.field(name).filter(|value| args.get(name).is_some_and(|old| old != *value))
                {
                    args.insert(name.to_owned(), value.clone());
                    self.is_changed = true;
                }
            }
        }
        self.record_judgement(ToolCallLane::Delegation, &part.name, &part.args);
        true
    }

    /// Applies a decision. Returns whether the call continues.
    fn apply_outcome(&mut self, lane: ToolCallLane, outcome: &Outcome) -> bool {
        // The host asks the user anyway.
        if lane == ToolCallLane::Permission && outcome.decision == Decision::Ask {
            return true;
        }
        self.dispatch.apply_outcome(outcome)
    }

    fn has_listeners(&self, lane: ToolCallLane) -> bool {
        // If a hook changes the call at `permission.ask`, hooks of events that the host event does not fire judge it,
        // too.
        if self.is_recheck {
            self.dispatch.has_any_listener(lane.event_name())
        } else {
            self.dispatch.has_listeners(lane.event_name())
        }
    }

    /// Whether a lane allowed the same arguments in an earlier round.
    fn earlier_approval(&self, lane: ToolCallLane, name: &str, args: &Value) -> Option<bool> {
        let mut known = self.judgements.iter().filter(|_| self.is_recheck);
        known
            .find(|known| known.lane == lane && known.name == name && known.args == *args)
            .map(|known| known.is_approved)
    }

    fn record_judgement(&mut self, lane: ToolCallLane, name: &str, args: &Value) {
        let approved = self.is_approved && lane == self.approving_lane;
        self.judgements.push(LaneJudgement { lane, name: name.to_owned(), args: args.clone(), is_approved: approved });
    }

    fn make_event(&self, lane: ToolCallLane, name: &str, args: &Value, category: Option<&str>) -> Event {
        let dispatch = &*self.dispatch;
        let (id, name, arguments) = (self.call.id.clone(), name.to_owned(), args.to_string());
        let (args, category) = (args.clone(), category.map(str::to_owned));
        let permission_mode = dispatch.event_context.permission_mode.clone();
        let host = Some(dispatch.host_payload(Some(self.call)));
        let origin = Arc::clone(&dispatch.origin);
        match lane {
            ToolCallLane::Transform => {
                let payload = ToolTransform {
                    id,
                    name,
                    arguments,
                    args,
                    category,
                    permission_mode,
                    host,
                    ..ToolTransform::default()
                };
                Event::from_payload(&payload, origin)
            }
            ToolCallLane::Guard => {
                let payload =
                    ToolGuard { id, name, arguments, args, category, permission_mode, host, ..ToolGuard::default() };
                Event::from_payload(&payload, origin)
            }
            ToolCallLane::Pre | ToolCallLane::Delegation => {
                let payload =
                    ToolPre { id, name, arguments, args, category, permission_mode, host, ..ToolPre::default() };
                Event::from_payload(&payload, origin)
            }
            ToolCallLane::Permission => {
                let reason = format!("{} asks", dispatch.host.title);
                let payload = PermissionAsk {
                    id,
                    name,
                    arguments,
                    args,
                    reason,
                    category,
                    permission_mode,
                    host,
                    ..PermissionAsk::default()
                };
                Event::from_payload(&payload, origin)
            }
        }
    }
}

/// Whether a hook takes part: it runs, or counts as failed.
fn has_effect(runs: &RunPrediction) -> bool {
    matches!(runs, RunPrediction::Yes | RunPrediction::HookFailed { .. })
}

/// Applies a hook's rewrite of a part. Returns whether the part changed.
fn apply_rewrite(part: &mut CanonicalCall, outcome: &Outcome) -> bool {
    if !outcome.rewritten {
        return false;
    }
    let name = outcome.payload.field("name").and_then(Value::as_str).unwrap_or(&part.name).to_owned();
    let mut args = outcome.payload.field("args").cloned().unwrap_or(Value::Null);
    // A docker-agent hook uses its own argument names.
    if let (Some(before), Some(after)) = (part.args.as_object(), args.as_object_mut())
        && part.name == "shell"
        && !before.contains_key(OTHER_COMMAND)
        && let Some(command) = after.shift_remove(OTHER_COMMAND)
        && after.get("command").is_none_or(|now| Some(now) == before.get("command"))
    {
        after.insert(String::from("command"), command);
    }
    let changed = part.name != name || part.args != args;
    part.name = name;
    part.args = args;
    changed
}
