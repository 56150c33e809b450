//! How often the hooks of a tape were reached: what `pintle hooks --live` shows.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pintle_contract::{Layer, to_hex};
use serde::{Deserialize, Serialize};

use crate::blobs::list_digest;
use crate::line::digest_bytes;
use crate::record::{HookScope, HooksRecord, LoadedHook, Record, RecordBody, RecordedVerdict, VerdictLabel};

/// The time that one count covers, in milliseconds.
pub const USAGE_SPAN_MS: u64 = 3_600_000;
/// Most characters of a failure.
const MAX_FAILURE_CHARS: usize = 400;

/// A hook, as a tape names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UsedHook {
    /// Its name.
    pub hook: String,
    /// The canonical event.
    pub event: String,
    /// The configuration layer that declares it.
    pub layer: Layer,
    /// Its file, as it was recorded.
    pub path: Option<String>,
}

/// How often a hook was reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageCounts {
    /// The dispatches of its event while it was loaded; `None` for the hook of an agent, of which tapes do not say when it
    /// applies.
    pub eligible: Option<u64>,
    /// The dispatches that its matcher accepted. In the others its matcher ruled it out, or the event was decided before.
    pub matched: u64,
    /// The calls, rechecks included.
    pub run: u64,
    /// The failed calls, and the failures of its matcher.
    pub failed: u64,
    /// The calls by verdict: `deny`, `ask`, `rewrite`, `allow` and `pass`.
    pub verdicts: BTreeMap<String, u64>,
    /// When it was called last, in milliseconds since the Unix epoch.
    pub last_run_ms: Option<u64>,
    /// When it failed last, and why.
    pub last_failure: Option<(u64, String)>,
}

/// The digest of the hooks of a configuration layer, as the format defines that of an array, in hex. `None` if there are none.
#[must_use]
pub fn digest_layer(record: &HooksRecord, layer: Layer) -> Option<String> {
    let mut hooks = record.hooks.iter().filter(|hook| hook.layer == layer).peekable();
    hooks.peek()?;
    // What was read as JSON can be written as JSON.
    let texts = hooks.map(|hook| serde_json::to_vec(hook).unwrap_or_default());
    Some(to_hex(&list_digest(texts.map(|text| digest_bytes(&text)))))
}

impl UsageCounts {
    /// Adds the counts of another time or tape.
    pub fn add(&mut self, other: &Self) {
        self.eligible = match (self.eligible, other.eligible) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        self.matched = self.matched.saturating_add(other.matched);
        self.run = self.run.saturating_add(other.run);
        self.failed = self.failed.saturating_add(other.failed);
        for (verdict, count) in &other.verdicts {
            let known = self.verdicts.entry(verdict.clone()).or_default();
            *known = known.saturating_add(*count);
        }
        self.last_run_ms = self.last_run_ms.max(other.last_run_ms);
        if other.last_failure.as_ref().map(|(at_ms, _)| *at_ms) >= self.last_failure.as_ref().map(|(at_ms, _)| *at_ms) {
            self.last_failure.clone_from(&other.last_failure);
        }
    }

    fn fail(&mut self, at_ms: u64, message: &str) {
        self.failed += 1;
        self.last_failure = Some((at_ms, message.chars().take(MAX_FAILURE_CHARS).collect()));
    }

    fn count_verdict(&mut self, at_ms: u64, verdict: &RecordedVerdict<'_>) {
        match (verdict.kind, &verdict.failure) {
            (VerdictLabel::Failed, failure) => {
                let text = failure.as_ref().map(|failure| format!("{}: {}", failure.kind, failure.message));
                self.fail(at_ms, &text.unwrap_or_default());
            }
            (kind, _) => self.count_label(kind),
        }
    }

    fn count_label(&mut self, label: VerdictLabel) {
        *self.verdicts.entry(label.as_str().to_owned()).or_default() += 1;
    }
}

/// Collects the counts from the records of a tape, in their order.
#[derive(Debug, Default)]
pub struct UsageCollector {
    /// The recorded hooks by their numbers, each as an index into `hooks`.
    entries: BTreeMap<u64, usize>,
    hooks: Vec<UsedHook>,
    indices: BTreeMap<UsedHook, usize>,
    /// The hooks of the runtime by event, each time that it was loaded.
    runtimes: Vec<BTreeMap<String, BTreeSet<usize>>>,
    /// How often events were fired, by the number of such a runtime and the time in spans.
    fired: BTreeMap<(usize, u64), HashMap<String, u64>>,
    /// The hooks of calls that did not return yet, by the call.
    running: BTreeMap<u64, usize>,
    /// The hooks whose matchers accepted the event of a dispatch.
    accepted: BTreeMap<u64, BTreeSet<usize>>,
    /// The hooks whose matchers failed in a dispatch that is open.
    undetermined: BTreeSet<(u64, usize)>,
    /// By hook, and by the time in spans.
    counts: BTreeMap<(usize, u64), UsageCounts>,
}

impl UsageCollector {
    /// Adds the next record.
    pub fn add(&mut self, record: &Record<'_>) {
        let at_ms = record.at_ms;
        match &record.body {
            RecordBody::Hooks(loaded) => {
                if loaded.scope == HookScope::Runtime {
                    self.runtimes.push(BTreeMap::new());
                }
                loaded.hooks.iter().for_each(|hook| self.load_hook(hook, loaded.scope));
            }
            RecordBody::Event(fired) => {
                self.count_event(&fired.event, at_ms);
                for passed in &fired.passed {
                    let Some(hook) = self.begin_call(fired.dispatch, passed.entry, at_ms) else { continue };
                    self.counts_at(hook, at_ms).count_label(VerdictLabel::Pass);
                }
                if fired.outcome().is_some() {
                    self.accepted.remove(&fired.dispatch);
                }
            }
            RecordBody::HookCall(called) => {
                if let Some(hook) = self.begin_call(called.dispatch, called.entry, at_ms) {
                    self.running.insert(called.call, hook);
                }
            }
            RecordBody::HookReturned(returned) => {
                if let Some(hook) = self.running.remove(&returned.call) {
                    self.counts_at(hook, at_ms).count_verdict(at_ms, &returned.verdict);
                }
            }
            RecordBody::MatcherFailed(skipped) => {
                let text = format!("{}: {}", skipped.failure.kind, skipped.failure.message);
                if let Some(hook) = self.entries.get(&skipped.entry).copied() {
                    self.undetermined.insert((skipped.dispatch, hook));
                    self.counts_at(hook, at_ms).fail(at_ms, &text);
                }
            }
            RecordBody::NotCalled(skipped) => {
                // After the failure of its matcher it is the same failure.
                if let Some(hook) = self.entries.get(&skipped.entry).copied()
                    && !self.undetermined.contains(&(skipped.dispatch, hook))
                {
                    self.accept(skipped.dispatch, hook, at_ms);
                }
            }
            RecordBody::Outcome(outcome) => {
                self.accepted.remove(&outcome.dispatch);
                self.undetermined.retain(|(dispatch, _)| *dispatch != outcome.dispatch);
            }
            _ => {}
        }
    }

    /// The counts of each hook by the time when each span begins. A hook whose event was not fired has none.
    #[must_use]
    pub fn finish(self) -> Vec<(UsedHook, u64, UsageCounts)> {
        let Self { hooks, mut counts, runtimes, fired, .. } = self;
        for ((runtime, span), events) in fired {
            for (event, count) in events {
                let listening = runtimes.get(runtime).and_then(|events| events.get(&event));
                for hook in listening.into_iter().flatten() {
                    let counts: &mut UsageCounts = counts.entry((*hook, span)).or_default();
                    counts.eligible = Some(counts.eligible.unwrap_or_default() + count);
                }
            }
        }
        let rows = counts.into_iter();
        rows.filter_map(|((hook, span), counts)| Some((hooks.get(hook)?.clone(), span * USAGE_SPAN_MS, counts)))
            .collect()
    }

    fn load_hook(&mut self, hook: &LoadedHook, scope: HookScope) {
        let used =
            UsedHook { hook: hook.id.clone(), event: hook.event.clone(), layer: hook.layer, path: hook.path.clone() };
        let index = *self.indices.entry(used.clone()).or_insert(self.hooks.len());
        if index == self.hooks.len() {
            self.hooks.push(used);
        }
        self.entries.insert(hook.entry, index);
        if let (HookScope::Runtime, Some(runtime)) = (scope, self.runtimes.last_mut()) {
            runtime.entry(hook.event.clone()).or_default().insert(index);
        }
    }

    fn count_event(&mut self, event: &str, at_ms: u64) {
        let Some(runtime) = self.runtimes.len().checked_sub(1) else { return };
        let events = self.fired.entry((runtime, at_ms / USAGE_SPAN_MS)).or_default();
        match events.get_mut(event) {
            Some(count) => *count += 1,
            None => drop(events.insert(event.to_owned(), 1)),
        }
    }

    fn begin_call(&mut self, dispatch: u64, entry: u64, at_ms: u64) -> Option<usize> {
        let hook = self.entries.get(&entry).copied()?;
        self.accept(dispatch, hook, at_ms);
        let counts = self.counts_at(hook, at_ms);
        counts.run += 1;
        counts.last_run_ms = counts.last_run_ms.max(Some(at_ms));
        Some(hook)
    }

    /// Counts that the matcher of a hook accepted the event of a dispatch, once.
    fn accept(&mut self, dispatch: u64, hook: usize, at_ms: u64) {
        if self.accepted.entry(dispatch).or_default().insert(hook) {
            self.counts_at(hook, at_ms).matched += 1;
        }
    }

    fn counts_at(&mut self, hook: usize, at_ms: u64) -> &mut UsageCounts {
        self.counts.entry((hook, at_ms / USAGE_SPAN_MS)).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_of_hooks_is_the_name_of_their_list_on_the_tape() {
        let mut lines = include_str!("record/examples.jsonl").lines();
        let example = lines.find_map(|line| line.strip_prefix("{\"kind\":\"hooks\",")).unwrap();
        let body = RecordBody::from_fields("hooks", format!("{{{example}").as_str()).unwrap().unwrap();
        let RecordBody::Hooks(mut record) = body else { panic!("{example}") };
        let (layer, hook) = (record.hooks[0].layer, record.hooks[0].clone());
        record.hooks = (0..20).map(|entry| LoadedHook { entry, ..hook.clone() }).collect();
        let extraction = crate::blobs::extract_blobs(&serde_json::to_vec(&record).unwrap().into()).unwrap();
        let digests: Vec<String> = extraction.blobs.iter().map(|blob| pintle_contract::to_hex(&blob.digest)).collect();
        assert_eq!(digests, [digest_layer(&record, layer).unwrap()]);
        record.hooks.clear();
        assert_eq!(digest_layer(&record, layer), None);
    }
}
