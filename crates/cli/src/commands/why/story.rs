//! What a tape has about a dispatch: the hooks that were called, and what they changed.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use pintle_host::event::CallFacts;
use pintle_host::tape::record::{LoadedHook, RecordedVerdict};
use pintle_host::tape::show::RemovedTexts;
use pintle_host::tape::{RecordBody, TapeError, TapeReader};
use pintle_log::LogEntry;
use serde_json::{Value, json};

use crate::commands::log::entry_to_json;

/// What a tape has about one dispatch.
#[derive(Debug, Default)]
pub(in crate::commands) struct DispatchStory {
    pub(super) calls: Vec<RecordedCall>,
    fired: Value,
    /// The payload after the hooks, if they changed it.
    pub(super) changed: Option<Value>,
    pub(in crate::commands) removed: RemovedTexts,
}

/// A call of a hook.
#[derive(Debug)]
pub(super) struct RecordedCall {
    call: u64,
    pub(super) hook: String,
    /// Whether the hook was called before, and judged what another one had changed.
    pub(super) is_recheck: bool,
    pub(super) declared: Option<LoadedHook>,
    pub(super) verdict: Option<RecordedVerdict<'static>>,
    pub(super) duration_us: u64,
    /// Why the hook was not called.
    pub(super) skipped: Option<String>,
}

/// Reads the stories of some dispatches from the records of a tape, in their order.
#[derive(Debug)]
pub(in crate::commands) struct StoryReader {
    /// The numbers of these dispatches.
    pub(in crate::commands) wanted: RangeInclusive<u64>,
    hooks: BTreeMap<u64, LoadedHook>,
    /// The newest version of the payload of a dispatch that is open.
    newest: BTreeMap<u64, Value>,
    /// The stories by the number of the dispatch.
    pub(in crate::commands) stories: BTreeMap<u64, DispatchStory>,
}

impl StoryReader {
    /// Creates a reader of the stories of dispatches with these numbers.
    pub(in crate::commands) fn new(wanted: RangeInclusive<u64>) -> Self {
        Self { wanted, hooks: BTreeMap::new(), newest: BTreeMap::new(), stories: BTreeMap::new() }
    }

    /// Adds the next record.
    pub(in crate::commands) fn add(&mut self, body: RecordBody<'static>) {
        if let RecordBody::Hooks(loaded) = &body {
            self.hooks.extend(loaded.hooks.iter().map(|hook| (hook.entry, hook.clone())));
        }
        let Some(dispatch) = body.dispatch().filter(|dispatch| self.wanted.contains(dispatch)) else { return };
        let story = self.stories.entry(dispatch).or_default();
        story.removed.add(&body);
        let declared = |entry: u64| self.hooks.get(&entry).cloned();
        match body {
            RecordBody::Event(fired) => {
                for passed in &fired.passed {
                    let mut call = RecordedCall::new(passed.call, &passed.hook, declared(passed.entry));
                    call.duration_us = passed.duration_us;
                    story.calls.push(call);
                }
                story.fired = fired.payload.into_owned();
            }
            RecordBody::HookCall(called) => {
                if let Some(value) = called.value.as_deref() {
                    self.newest.insert(dispatch, value.clone());
                }
                let mut call = RecordedCall::new(called.call, &called.hook, declared(called.entry));
                call.is_recheck = called.round > 0;
                story.calls.push(call);
            }
            RecordBody::HookReturned(returned) => {
                if let Some(call) = story.calls.iter_mut().rfind(|call| call.call == returned.call) {
                    call.duration_us = returned.duration_us;
                    call.verdict = Some(returned.verdict);
                }
            }
            RecordBody::MatcherFailed(skipped) | RecordBody::NotCalled(skipped) => {
                let mut call = RecordedCall::new(0, &skipped.hook, declared(skipped.entry));
                call.skipped = Some(format!("{}: {}", skipped.failure.kind, skipped.failure.message));
                story.calls.push(call);
            }
            RecordBody::Outcome(decided) => {
                let newest = self.newest.remove(&dispatch);
                if decided.rewritten {
                    story.changed = decided.value.as_deref().cloned().or(newest);
                }
            }
            _ => {}
        }
    }
}

impl DispatchStory {
    /// Reads the story of an entry.
    pub(in crate::commands) fn read(entry: &LogEntry) -> Result<Self, TapeError> {
        let Some(dispatch) = entry.decision.dispatch else { return Ok(Self::default()) };
        let mut reader = StoryReader::new(dispatch..=dispatch);
        for line in TapeReader::open(&entry.tape)?.abridged() {
            match line {
                Ok(line) => reader.add(line.record.body),
                // What comes before a damaged line is known all the same.
                Err(_) if reader.stories.contains_key(&dispatch) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(reader.stories.remove(&dispatch).unwrap_or_default())
    }

    /// The entry with all that the tape has of its dispatch.
    pub(in crate::commands) fn to_json(&self, entry: &LogEntry) -> Value {
        let mut json = entry_to_json(entry);
        if let Some(fields) = json.as_object_mut() {
            fields.insert(String::from("hooks"), self.hooks_to_json());
            fields.insert(String::from("payload"), self.fired.clone());
            fields.insert(String::from("changed_payload"), self.changed.clone().unwrap_or_default());
        }
        json
    }

    /// The calls of hooks.
    pub(in crate::commands) fn hooks_to_json(&self) -> Value {
        self.calls.iter().map(RecordedCall::to_json).collect()
    }

    /// The fields that hooks changed, as they were and as they are.
    pub(in crate::commands) fn changes(&self) -> Vec<FieldChange<'_>> {
        let mut changes = Vec::new();
        if let Some(changed) = &self.changed {
            list_changes("", &self.fired, changed, &mut changes);
        }
        // They are made from the arguments.
        let is_derived = |change: &FieldChange<'_>| {
            change.field == "arguments" || CallFacts::WORKED_OUT.contains(&change.field.as_str())
        };
        if changes.iter().any(|change| change.field.starts_with("args.")) {
            changes.retain(|change| !is_derived(change));
        }
        changes
    }
}

impl RecordedCall {
    fn new(call: u64, hook: &str, declared: Option<LoadedHook>) -> Self {
        let hook = hook.to_owned();
        Self { call, hook, is_recheck: false, declared, verdict: None, duration_us: 0, skipped: None }
    }

    pub(super) fn word(&self) -> &'static str {
        match (&self.verdict, &self.skipped) {
            (_, Some(_)) => "not called",
            (Some(verdict), _) => verdict.kind.as_str(),
            (None, None) => "pass",
        }
    }

    /// The call for other programs.
    pub(super) fn to_json(&self) -> Value {
        let declared = self.declared.as_ref();
        json!({
            "hook": self.hook,
            "word": self.word(),
            "is_recheck": self.is_recheck,
            "duration_us": self.duration_us,
            "path": declared.and_then(|declared| declared.path.as_deref()),
            "line": declared.and_then(|declared| declared.line),
            "layer": declared.map(|declared| declared.layer),
            "dialect": declared.map(|declared| declared.dialect.as_str()),
            "verdict": self.verdict,
            "not_called": self.skipped,
        })
    }
}

/// A field that differs.
pub(in crate::commands) struct FieldChange<'v> {
    /// Its path, such as `args.command`.
    pub(in crate::commands) field: String,
    pub(in crate::commands) before: Option<&'v Value>,
    pub(in crate::commands) after: Option<&'v Value>,
}

fn list_changes<'v>(field: &str, before: &'v Value, after: &'v Value, changes: &mut Vec<FieldChange<'v>>) {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        if before != after {
            changes.push(FieldChange { field: field.to_owned(), before: Some(before), after: Some(after) });
        }
        return;
    };
    let path = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    for (name, before) in old {
        match new.get(name) {
            Some(after) => list_changes(&path(name), before, after, changes),
            None => changes.push(FieldChange { field: path(name), before: Some(before), after: None }),
        }
    }
    for (name, after) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        changes.push(FieldChange { field: path(name), before: None, after: Some(after) });
    }
}
