//! Which hooks were called for which tool: the coverage that `pintle view` shows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::decisions::describe_payload;
use crate::record::{Record, RecordBody, RecordedVerdict, VerdictLabel};

/// Most characters of a tool's name.
const MAX_NAME_CHARS: usize = 80;
/// Most tools and hooks of one event; the names of more are a model's invention.
const MAX_NAMES: usize = 500;

/// How often an event about a tool was fired, and what hooks did about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReachCounts {
    /// The dispatches.
    pub fired: u64,
    /// By hook, its calls by verdict: `deny`, `ask`, `rewrite`, `allow`, `pass` and `failed`.
    pub hooks: BTreeMap<String, BTreeMap<String, u64>>,
}

/// The counts of some tapes by event, and by tool; the tool of an event that is not about one is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolReach {
    /// The counts.
    pub events: BTreeMap<String, BTreeMap<String, ReachCounts>>,
}

impl ToolReach {
    /// Adds the counts of another tape.
    pub fn add(&mut self, other: &Self) {
        for (event, tools) in &other.events {
            let known = self.events.entry(event.clone()).or_default();
            for (tool, counts) in tools {
                let known = known.entry(tool.clone()).or_default();
                known.fired = known.fired.saturating_add(counts.fired);
                for (hook, verdicts) in &counts.hooks {
                    let known = known.hooks.entry(hook.clone()).or_default();
                    for (verdict, count) in verdicts {
                        let known = known.entry(verdict.clone()).or_default();
                        *known = known.saturating_add(*count);
                    }
                }
            }
        }
    }

    fn counts_of(&mut self, event: &str, tool: &str) -> &mut ReachCounts {
        let tools = self.events.entry(event.to_owned()).or_default();
        let is_known = tools.len() < MAX_NAMES || tools.contains_key(tool);
        tools.entry(if is_known { tool.to_owned() } else { String::from("...") }).or_default()
    }
}

/// Collects the counts from the records of a tape, in their order.
#[derive(Debug, Default)]
pub struct ReachCollector {
    reach: ToolReach,
    /// The event and the tool of each dispatch that is open.
    open: BTreeMap<u64, (String, String)>,
}

impl ReachCollector {
    /// Adds the next record.
    pub fn add(&mut self, record: &Record<'_>) {
        match &record.body {
            RecordBody::Event(fired) => {
                let (tool, _) = describe_payload(&fired.event, &fired.payload);
                let tool: String = tool.unwrap_or_default().chars().take(MAX_NAME_CHARS).collect();
                self.reach.counts_of(&fired.event, &tool).fired += 1;
                let place = (fired.event.to_string(), tool);
                for passed in &fired.passed {
                    self.count(&place, &passed.hook, VerdictLabel::Pass);
                }
                if fired.outcome().is_none() {
                    self.open.insert(fired.dispatch, place);
                }
            }
            RecordBody::HookReturned(returned) => {
                let RecordedVerdict { kind, .. } = returned.verdict;
                if let Some(place) = self.open.get(&returned.dispatch).cloned() {
                    self.count(&place, &returned.hook, kind);
                }
            }
            RecordBody::Outcome(decided) => drop(self.open.remove(&decided.dispatch)),
            _ => {}
        }
    }

    fn count(&mut self, (event, tool): &(String, String), hook: &str, verdict: VerdictLabel) {
        let hooks = &mut self.reach.counts_of(event, tool).hooks;
        *hooks.entry(hook.to_owned()).or_default().entry(verdict.as_str().to_owned()).or_default() += 1;
    }

    /// The counts.
    #[must_use]
    pub fn finish(self) -> ToolReach {
        self.reach
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn collect(records: &[Value]) -> ToolReach {
        let mut collector = ReachCollector::default();
        for (seq, record) in records.iter().enumerate() {
            let mut line = json!({"seq": seq, "at_ms": seq, "prev": null});
            line.as_object_mut().unwrap().extend(record.as_object().unwrap().clone());
            collector.add(&Record::from_line(line.to_string().as_bytes()).unwrap());
        }
        collector.finish()
    }

    fn fired(dispatch: usize, event: &str, tool: &str, more: Value) -> Value {
        let mut record = json!({
            "origin": {"session": "s", "turn": 1, "agent": "root", "depth": 0}, "kind": "event", "dispatch": dispatch,
            "event": event
        });
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record["payload"] = json!({"name": tool, "args": {}});
        record
    }

    #[test]
    fn hooks_are_counted_for_the_tool_of_their_event() {
        let returned = |dispatch: u64, hook: &str, kind: &str| {
            let verdict = json!({"kind": kind});
            json!({
                "kind": "hook_returned", "dispatch": dispatch, "call": 1, "hook": hook, "duration_us": 1,
                "verdict": verdict
            })
        };
        let passed = json!({"passed": [{"call": 1, "hook": "pack:git", "entry": 0, "duration_us": 1}]});
        let reach = collect(&[
            fired(1, "tool.pre", "Bash", json!({})),
            fired(2, "tool.pre", "Read", json!({})),
            returned(2, "guard", "deny"),
            returned(1, "guard", "pass"),
            returned(1, "guard", "pass"),
            fired(3, "tool.pre", "Bash", passed),
            fired(4, "turn.end", "Bash", json!({"no_hooks": true})),
            returned(4, "guard", "pass"),
        ]);
        let bash = json!({"fired": 2, "hooks": {"guard": {"pass": 2}, "pack:git": {"pass": 1}}});
        let read = json!({"fired": 1, "hooks": {"guard": {"deny": 1}}});
        let expected = json!({"tool.pre": {"Bash": bash, "Read": read}, "turn.end": {"": {"fired": 1, "hooks": {}}}});
        assert_eq!(serde_json::to_value(&reach).unwrap(), expected);
        let mut twice = reach.clone();
        twice.add(&reach);
        assert_eq!(twice.events["tool.pre"]["Bash"].hooks["guard"]["pass"], 4);
    }

    #[test]
    fn invented_tools_are_counted_together() {
        let none = || json!({"no_hooks": true});
        let calls: Vec<Value> =
            (1..=2 * MAX_NAMES).map(|tool| fired(tool, "tool.pre", &format!("tool {tool}"), none())).collect();
        let reach = collect(&calls);
        assert_eq!(reach.events["tool.pre"].len(), MAX_NAMES + 1);
        assert_eq!(reach.events["tool.pre"]["..."].fired, MAX_NAMES as u64);
    }
}
