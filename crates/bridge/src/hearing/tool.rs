//! Before a tool: `tool.transform`, `tool.guard`, `tool.pre`, and `delegation.pre` for one that starts an agent, in the
//! order of Pintle's own loop. One call of a host can be several, and each is asked about.

use std::sync::Arc;

use pintle::dialects::tools::{Part, canonical, second};
use pintle::event::{DelegationPre, ToolGuard, ToolPre, ToolTransform};
use pintle::{Decision, Event, Outcome, Runs, explain};
use serde_json::Value;

use super::Hearing;
use crate::Call;

/// Asks about every part of a call.
pub(super) fn hear(hearing: &mut Hearing<'_>, call: &Call) {
    let tools = hearing.tools();
    let mut parts = tools.parts(&call.name, &call.input);
    let mut all_approved = true;
    let mut changed = false;
    for part in &mut parts {
        let mut gate = Gate { hearing, call, changed: false, approved: false };
        let goes_on = gate.pass(part);
        all_approved &= gate.approved;
        changed |= gate.changed;
        if !goes_on {
            return;
        }
    }
    hearing.ruling.approved = all_approved && hearing.ruling.decision == Decision::Allow;
    if changed {
        put_back(hearing, call, &parts);
    }
}

/// Puts changed arguments back into the host's form.
pub(super) fn put_back(hearing: &mut Hearing<'_>, call: &Call, parts: &[Part]) {
    match hearing.tools().merge(&call.name, &call.input, parts) {
        Ok(input) if input == call.input => {}
        Ok(input) => hearing.ruling.input = Some(input),
        Err(cannot) => {
            let title = hearing.host.title;
            hearing.deny(format!("a hook changed this call, and {title} cannot be given the change: {cannot}"));
        }
    }
}

/// What docker-agent calls the command of `shell`.
const OTHER_COMMAND: &str = "cmd";

/// One part of a call on its way past everybody.
struct Gate<'h, 'a> {
    hearing: &'h mut Hearing<'a>,
    call: &'h Call,
    changed: bool,
    approved: bool,
}

impl Gate<'_, '_> {
    /// Gives whether the next part is asked about.
    fn pass(&mut self, part: &mut Part) -> bool {
        self.transform(part) && self.guard(part) && self.pre(part) && self.delegation(part)
    }

    fn transform(&mut self, part: &mut Part) -> bool {
        if !self.hearing.listens("tool.transform") {
            return true;
        }
        let of = self.of(part);
        let outcome = self.hearing.fire(&ToolTransform {
            id: of.id,
            name: of.name,
            arguments: of.arguments,
            args: of.args,
            category: of.category,
            permission_mode: of.permission_mode,
            host: of.host,
            ..ToolTransform::default()
        });
        let goes_on = self.hearing.settle(&outcome);
        self.take(part, &outcome);
        goes_on
    }

    fn guard(&mut self, part: &Part) -> bool {
        if !self.hearing.listens("tool.guard") {
            return true;
        }
        let of = self.of(part);
        let outcome = self.hearing.fire(&ToolGuard {
            id: of.id,
            name: of.name,
            arguments: of.arguments,
            args: of.args,
            category: of.category,
            permission_mode: of.permission_mode,
            host: of.host,
            ..ToolGuard::default()
        });
        self.hearing.settle(&outcome)
    }

    fn pre(&mut self, part: &mut Part) -> bool {
        let event = self.event(&part.name, &part.args, part.category);
        let outcome = self.hearing.fire_event(&event);
        self.approved = outcome.approved;
        if !self.hearing.settle(&outcome) {
            return false;
        }
        // Guards see the final call.
        (!self.take(part, &outcome) || self.guard(part)) && self.second(part)
    }

    /// Asks the hooks that know the tool by another name alone, such as `run_command` of AI Harness: a policy that is
    /// written for one loop holds in every host.
    fn second(&mut self, part: &mut Part) -> bool {
        let set = self.hearing.runtime.hooks();
        let mut own = None;
        for (name, args) in second(&part.name.clone(), &part.args.clone()) {
            let other = self.event(name, &args, part.category);
            let own = own.get_or_insert_with(|| explain(&set, &self.event(&part.name, &part.args, part.category)));
            let mut hears = explain(&set, &other).into_iter().zip(own);
            if !hears.any(|(other, own)| counts(&other.runs) && !counts(&own.runs)) {
                continue;
            }
            let outcome = self.hearing.fire_event(&other);
            if !self.hearing.settle(&outcome) {
                return false;
            }
            if outcome.rewritten
                && let Some(args) = outcome.payload.field("args")
                && let Some((_, args)) = canonical(name, args)
            {
                self.changed |= part.args != args;
                part.args = args;
            }
        }
        true
    }

    fn event(&self, name: &str, args: &Value, category: Option<&str>) -> Event {
        let payload = ToolPre {
            id: self.call.id.clone(),
            name: name.to_owned(),
            arguments: args.to_string(),
            args: args.clone(),
            category: category.map(str::to_owned),
            permission_mode: self.hearing.whose.permission_mode.clone(),
            host: Some(self.hearing.said(Some(self.call))),
            ..ToolPre::default()
        };
        Event::of(&payload, Arc::clone(&self.hearing.origin))
    }

    fn delegation(&mut self, part: &mut Part) -> bool {
        if part.category != Some("agent") || !self.hearing.listens("delegation.pre") {
            return true;
        }
        let text = |name: &str| part.args.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(prompt) = part.args.get("prompt").and_then(Value::as_str).map(str::to_owned) else {
            // A tool that only waits for an agent, or speaks with one, hands no task over.
            return true;
        };
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
        if !self.hearing.settle(&outcome) {
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
        true
    }

    /// Takes over what hooks made of a part. Gives whether they changed it.
    fn take(&mut self, part: &mut Part, outcome: &Outcome) -> bool {
        let changed = take(part, outcome);
        self.changed |= changed;
        changed
    }

    fn of(&self, part: &Part) -> Of {
        Of::new(self.hearing, self.call, part)
    }
}

/// Whether a hook has a say: it runs, or counts as failed.
fn counts(runs: &Runs) -> bool {
    matches!(runs, Runs::Yes | Runs::HookFailed { .. })
}

/// Takes over what hooks made of a part. Gives whether they changed it.
pub(super) fn take(part: &mut Part, outcome: &Outcome) -> bool {
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

/// What the payloads of all events of a call have.
pub(super) struct Of {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) args: Value,
    pub(super) category: Option<String>,
    pub(super) permission_mode: Option<String>,
    pub(super) host: Option<pintle::event::HostSaid>,
}

impl Of {
    pub(super) fn new(hearing: &Hearing<'_>, call: &Call, part: &Part) -> Self {
        Self {
            id: call.id.clone(),
            name: part.name.clone(),
            arguments: part.args.to_string(),
            args: part.args.clone(),
            category: part.category.map(str::to_owned),
            permission_mode: hearing.whose.permission_mode.clone(),
            host: Some(hearing.said(Some(call))),
        }
    }
}
