//! The report about all tapes: what another set of hooks would have decided.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pintle_tape::show::RemovedTexts;

use super::answer::{PolicyAnswer, PolicyResult};
use super::policy_hooks::DecisionGap;

/// One call or other event that was decided again.
#[derive(Debug, Clone)]
pub struct RedecidedCall {
    /// The number of its record on its tape, by which the log knows it.
    pub seq: u64,
    /// Whether the log lists it: every tool call, and other events about which hooks decided something.
    pub is_listed: bool,
    /// When it was fired, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The tape, by its number in the report.
    pub tape: usize,
    /// The session on it.
    pub session: String,
    /// The event.
    pub event: String,
    /// Whether it is a tool call before it runs.
    pub is_tool_call: bool,
    /// The agent that made the call.
    pub agent: String,
    /// The tool, if it is a tool call.
    pub tool: Option<String>,
    /// What it does, in one text.
    pub call: String,
    /// What the recorded hooks decided, or those that others are compared with.
    pub before: PolicyAnswer,
    /// What the other hooks decide.
    pub after: PolicyAnswer,
}

impl RedecidedCall {
    /// The tool that is called; of other events their name, with the tool that they are about.
    #[must_use]
    pub fn subject(&self) -> String {
        match &self.tool {
            Some(tool) if self.is_tool_call => tool.clone(),
            Some(tool) => format!("{} of {tool}", self.event),
            None => self.event.clone(),
        }
    }
}

/// Calls that changed in the same way, or for which the same is missing.
#[derive(Debug, Default)]
pub struct ChangeGroup {
    /// How many.
    pub count: u64,
    /// How many by who decides and which tool or event it is about.
    pub by: BTreeMap<ChangeSource, u64>,
    /// The newest of them.
    pub examples: VecDeque<RedecidedCall>,
}

/// Who decides about what.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangeSource {
    /// The rule, if a pack decides.
    pub rule: Option<String>,
    /// The hook that decides now, or that decided before and no longer does.
    pub hook: Option<String>,
    /// What it is about, as [`RedecidedCall::subject`] says it.
    pub subject: String,
}

/// What another set of hooks decides about recorded calls.
#[derive(Debug, Default)]
pub struct RedecisionReport {
    /// The tool calls that were compared.
    pub calls: u64,
    /// The other events that were compared.
    pub events: u64,
    /// Calls and events about which both decide the same.
    pub unchanged: u64,
    /// The others, by what was decided before and after.
    pub changes: BTreeMap<(PolicyResult, PolicyResult), ChangeGroup>,
    /// Calls and events whose answer is not known, by what is missing.
    pub undecided: BTreeMap<DecisionGap, ChangeGroup>,
    /// The calls that Pintle itself denied, whatever hooks decide.
    pub own_denials: u64,
    /// The calls and events about which nothing is recorded, because the tape ends before.
    pub unfinished: u64,
    /// The names of the events on the tapes.
    pub seen_events: BTreeSet<String>,
}

impl ChangeGroup {
    pub(super) fn add(&mut self, source: ChangeSource, example: RedecidedCall, limit: usize) {
        self.count += 1;
        *self.by.entry(source).or_default() += 1;
        self.examples.push_back(example);
        if self.examples.len() > limit {
            self.examples.pop_front();
        }
    }

    fn merge(&mut self, other: Self, limit: usize) {
        self.count += other.count;
        for (source, count) in other.by {
            *self.by.entry(source).or_default() += count;
        }
        self.examples.extend(other.examples);
        self.examples.make_contiguous().sort_by_key(|call| (call.at_ms, call.tape, call.seq));
        let surplus = self.examples.len().saturating_sub(limit);
        self.examples.drain(..surplus);
    }
}

impl ChangeSource {
    /// Who decides now; if no hook does, who decided before.
    pub(super) fn new(call: &RedecidedCall) -> Self {
        let by = [&call.after, &call.before].into_iter().find(|answer| answer.hook.is_some());
        let subject = call.subject();
        Self { rule: by.and_then(|by| by.rule.clone()), hook: by.and_then(|by| by.hook.clone()), subject }
    }
}

impl RedecisionReport {
    /// Every group of changed or undecided calls.
    fn groups_mut(&mut self) -> impl Iterator<Item = &mut ChangeGroup> {
        self.changes.values_mut().chain(self.undecided.values_mut())
    }

    /// Hides the texts that hooks removed from a tape.
    pub(super) fn hide_removed(&mut self, removed: &RemovedTexts) {
        for call in self.groups_mut().flat_map(|group| &mut group.examples) {
            if let Some(text) = removed.replacement_for(&call.call) {
                call.call = text;
            }
        }
    }

    /// Adds the report about another tape. `limit` is the most examples of each group.
    pub fn merge(&mut self, other: Self, limit: usize) {
        self.calls += other.calls;
        self.events += other.events;
        self.unchanged += other.unchanged;
        self.own_denials += other.own_denials;
        self.unfinished += other.unfinished;
        self.seen_events.extend(other.seen_events);
        for (key, group) in other.changes {
            self.changes.entry(key).or_default().merge(group, limit);
        }
        for (gap, group) in other.undecided {
            self.undecided.entry(gap).or_default().merge(group, limit);
        }
    }
}
