//! One part of a call on its way past everybody who may refuse or change it.

use std::sync::Arc;

use pintle::dialects::tools::{CanonicalCall, alternate_calls, to_canonical};
use pintle::event::{DelegationPre, PermissionAsk, ToolGuard, ToolPre, ToolTransform};
use pintle::{Decision, Event, Outcome, RunPrediction, explain};
use serde_json::Value;

use super::Hearing;
use crate::Call;

/// What docker-agent calls the command of `shell`.
const OTHER_COMMAND: &str = "cmd";

/// An event that a call is fired as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
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

/// What was judged in a lane, and is not judged there again.
#[derive(Debug)]
pub(super) struct Judgement {
    lane: Lane,
    name: String,
    args: Value,
    approved: bool,
}

/// One part of a call on its way past everybody.
pub(super) struct Gate<'h, 'a> {
    pub(super) hearing: &'h mut Hearing<'a>,
    pub(super) call: &'h Call,
    /// What the lanes said yes to so far.
    pub(super) judgements: &'h mut Vec<Judgement>,
    /// Whether the call was changed and is judged again.
    pub(super) is_repeated: bool,
    /// The lane whose yes can stand in for the user's.
    pub(super) approves: Lane,
    /// Whether a hook of that lane said yes in so many words.
    pub(super) approved: bool,
    /// Whether anybody changed the call, even if somebody else changed it back.
    pub(super) changed: bool,
}

impl Lane {
    fn event(self) -> &'static str {
        match self {
            Self::Transform => "tool.transform",
            Self::Guard => "tool.guard",
            Self::Pre => "tool.pre",
            Self::Delegation => "delegation.pre",
            Self::Permission => "permission.ask",
        }
    }
}

impl Gate<'_, '_> {
    /// Gives whether the call goes on.
    pub(super) fn pass(&mut self, part: &mut CanonicalCall, lanes: &[Lane]) -> bool {
        lanes.iter().all(|lane| match lane {
            Lane::Delegation => self.delegation(part),
            lane => self.own(*lane, part) && self.second(*lane, part),
        })
    }

    /// Asks under Pintle's own name of the tool.
    fn own(&mut self, lane: Lane, part: &mut CanonicalCall) -> bool {
        let name = part.name.clone();
        if let Some(approved) = self.judged(lane, &name, &part.args) {
            self.approved |= approved && lane == self.approves;
            return true;
        }
        // Every call is on the tape.
        let is_told = !self.is_repeated && lane.event() == self.hearing.told_event();
        if !is_told && !self.listens(lane) {
            return true;
        }
        let event = self.event(lane, &name, &part.args, part.category);
        let outcome = self.hearing.fire_event(&event);
        if !self.settle(lane, &outcome) {
            return false;
        }
        self.changed |= take(part, &outcome);
        if lane == self.approves {
            self.approved = outcome.approved && outcome.decision == Decision::Allow;
        }
        self.keep(lane, &name, &part.args);
        true
    }

    /// Asks the hooks that know the tool by another name alone, such as `run_command` of AI Harness: a policy that is
    /// written for one loop holds in every host.
    fn second(&mut self, lane: Lane, part: &mut CanonicalCall) -> bool {
        if !self.listens(lane) {
            return true;
        }
        let set = self.hearing.runtime.hooks();
        let names: Vec<&str> = alternate_calls(&part.name, &part.args).map(|(name, _)| name).collect();
        for name in names {
            // What was changed under an earlier name is what is asked about under this one.
            let Some((_, args)) = alternate_calls(&part.name, &part.args).find(|(other, _)| *other == name) else {
                continue;
            };
            if self.judged(lane, name, &args).is_some() {
                continue;
            }
            let own = explain(&set, &self.event(lane, &part.name, &part.args, part.category));
            let other = self.event(lane, name, &args, part.category);
            let mut hears = explain(&set, &other).into_iter().zip(own);
            if !hears.any(|(other, own)| counts(&other.prediction) && !counts(&own.prediction)) {
                continue;
            }
            let outcome = self.hearing.fire_event(&other);
            if !self.settle(lane, &outcome) {
                return false;
            }
            let mut args = args;
            if outcome.rewritten {
                self.changed = true;
                args = outcome.payload.field("args").cloned().unwrap_or(Value::Null);
                match outcome.payload.field("name").and_then(Value::as_str) {
                    // No agent can be given a call of another tool, which is told where the call is put back.
                    Some(renamed) if renamed != name => (part.name, part.args) = (renamed.to_owned(), args.clone()),
                    _ => part.args = to_canonical(name, &args).map_or(Value::Null, |(_, args)| args),
                }
            }
            self.keep(lane, name, &args);
        }
        true
    }

    fn delegation(&mut self, part: &mut CanonicalCall) -> bool {
        if part.category != Some("agent") || !self.listens(Lane::Delegation) {
            return true;
        }
        let text = |name: &str| part.args.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(prompt) = part.args.get("prompt").and_then(Value::as_str).map(str::to_owned) else {
            // A tool that only waits for an agent, or speaks with one, hands no task over.
            return true;
        };
        if self.judged(Lane::Delegation, &part.name, &part.args).is_some() {
            return true;
        }
        let payload = DelegationPre {
            id: self.call.id.clone(),
            agent: text("agent"),
            task: prompt.clone(),
            prompt,
            depth: self.hearing.origin.depth + 1,
            host: Some(self.hearing.said(Some(self.call))),
            ..DelegationPre::default()
        };
        let outcome = self.hearing.fire(&payload);
        if !self.settle(Lane::Delegation, &outcome) {
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
                    self.changed = true;
                }
            }
        }
        self.keep(Lane::Delegation, &part.name, &part.args);
        true
    }

    /// Takes over a decision. Gives whether the call goes on.
    fn settle(&mut self, lane: Lane, outcome: &Outcome) -> bool {
        // The user is asked anyway.
        if lane == Lane::Permission && outcome.decision == Decision::Ask {
            return true;
        }
        self.hearing.settle(outcome)
    }

    fn listens(&self, lane: Lane) -> bool {
        // A call that is changed while the user is asked is judged by hooks of events that the row does not fire.
        if self.is_repeated { self.hearing.hears(lane.event()) } else { self.hearing.listens(lane.event()) }
    }

    /// Whether a lane approved of these very bytes, when it judged them in an earlier round.
    fn judged(&self, lane: Lane, name: &str, args: &Value) -> Option<bool> {
        let mut known = self.judgements.iter().filter(|_| self.is_repeated);
        known.find(|known| known.lane == lane && known.name == name && known.args == *args).map(|known| known.approved)
    }

    fn keep(&mut self, lane: Lane, name: &str, args: &Value) {
        let approved = self.approved && lane == self.approves;
        self.judgements.push(Judgement { lane, name: name.to_owned(), args: args.clone(), approved });
    }

    fn event(&self, lane: Lane, name: &str, args: &Value, category: Option<&str>) -> Event {
        let hearing = &*self.hearing;
        let (id, name, arguments) = (self.call.id.clone(), name.to_owned(), args.to_string());
        let (args, category) = (args.clone(), category.map(str::to_owned));
        let permission_mode = hearing.whose.permission_mode.clone();
        let host = Some(hearing.said(Some(self.call)));
        let origin = Arc::clone(&hearing.origin);
        match lane {
            Lane::Transform => {
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
            Lane::Guard => {
                let payload =
                    ToolGuard { id, name, arguments, args, category, permission_mode, host, ..ToolGuard::default() };
                Event::from_payload(&payload, origin)
            }
            Lane::Pre | Lane::Delegation => {
                let payload =
                    ToolPre { id, name, arguments, args, category, permission_mode, host, ..ToolPre::default() };
                Event::from_payload(&payload, origin)
            }
            Lane::Permission => {
                let reason = format!("{} asks", hearing.host.title);
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

/// Whether a hook has a say: it runs, or counts as failed.
fn counts(runs: &RunPrediction) -> bool {
    matches!(runs, RunPrediction::Yes | RunPrediction::HookFailed { .. })
}

/// Takes over what hooks made of a part. Gives whether they changed it.
fn take(part: &mut CanonicalCall, outcome: &Outcome) -> bool {
    if !outcome.rewritten {
        return false;
    }
    let name = outcome.payload.field("name").and_then(Value::as_str).unwrap_or(&part.name).to_owned();
    let mut args = outcome.payload.field("args").cloned().unwrap_or(Value::Null);
    // A hook of docker-agent answers in its own words.
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
