//! The life of reminders, as a function of what happens to them: nothing here knows a session or writes anything down.

use std::collections::BTreeMap;

use pintle::tape::record::host::ReminderTransition as Step;
use pintle::{Reminder, ReminderPropagation};

/// What happened, in order.
pub(super) type TransitionLog = Vec<(Step, Reminder)>;

/// The reminders of one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ReminderQueue {
    /// In the order in which they came; at most one of a key, and one of a text without a key.
    queued: Vec<QueuedReminder>,
    /// What was sent under a key, and whether it outlives a compaction.
    sent: BTreeMap<String, (String, bool)>,
    /// How many were ever kept.
    added_count: u64,
}

/// A reminder that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueuedReminder {
    /// Which one it is, from 1.
    pub(super) number: u64,
    /// The turn in which a hook asked for it.
    pub(super) turn: u32,
    /// The reminder, with the requests it still wants to be in.
    pub(super) reminder: Reminder,
}

impl ReminderQueue {
    /// Takes a reminder in that a hook asked for in this turn.
    pub(super) fn inject(&mut self, reminder: Reminder, turn: u32) -> TransitionLog {
        let Some(reminder) = normalize_reminder(reminder) else { return TransitionLog::new() };
        let mut steps = TransitionLog::new();
        if let Some(at) = self.position_of(&reminder) {
            let old = self.queued.get(at).map(|entry| &entry.reminder);
            // Smaller weighs more. Of two that weigh the same the newer one stands, unless it says the same.
            let stands = old.is_some_and(|old| {
                old.authority < reminder.authority
                    || (old.authority == reminder.authority && is_same_text(&old.body, &reminder.body))
            });
            if stands {
                return vec![(Step::Deduped, reminder)];
            }
            steps.push((Step::Dropped, self.queued.remove(at).reminder));
        } else if let Some(key) = &reminder.dedupe_key
            && self.sent.get(key).is_some_and(|(body, _)| is_same_text(body, &reminder.body))
        {
            return vec![(Step::Deduped, reminder)];
        }
        self.add(reminder.clone(), turn);
        steps.push((Step::Injected, reminder));
        steps
    }

    /// What the next request carries, in the order of authority and then of age.
    pub(super) fn due_reminders(&self) -> Vec<QueuedReminder> {
        let mut due = self.queued.clone();
        due.sort_by_key(|entry| (entry.reminder.authority, entry.number));
        due
    }

    /// The model answered a request that carried these.
    pub(super) fn mark_sent(&mut self, numbers: &[u64]) -> TransitionLog {
        let mut steps = TransitionLog::new();
        for number in numbers {
            let Some(at) = self.queued.iter().position(|entry| entry.number == *number) else { continue };
            self.mark_one_sent(at, &mut steps);
        }
        steps
    }

    fn mark_one_sent(&mut self, at: usize, steps: &mut TransitionLog) {
        let Some(entry) = self.queued.get_mut(at) else { return };
        let reminder = &mut entry.reminder;
        steps.push((Step::Rendered, reminder.clone()));
        if let Some(key) = &reminder.dedupe_key {
            self.sent.insert(key.clone(), (reminder.body.clone(), reminder.preserve_on_compact));
        }
        let Some(left) = &mut reminder.ttl_turns else { return };
        *left = left.saturating_sub(1);
        if *left == 0 {
            steps.push((Step::Expired, self.queued.remove(at).reminder));
        }
    }

    /// How many were ever kept: what comes later has a larger number.
    pub(super) fn last_number(&self) -> u64 {
        self.added_count
    }

    /// The conversation was compacted. What hooks asked for since the mark is about what comes and stays.
    pub(super) fn on_compacted(&mut self, mark: u64) -> TransitionLog {
        self.forget_sent();
        let mut steps = TransitionLog::new();
        self.queued.retain(|entry| {
            let is_kept = entry.reminder.preserve_on_compact;
            if entry.number <= mark {
                steps.push((if is_kept { Step::Retained } else { Step::Dropped }, entry.reminder.clone()));
            }
            is_kept || entry.number > mark
        });
        steps
    }

    /// Forgets what was sent and is no longer in the conversation.
    pub(super) fn forget_sent(&mut self) {
        self.sent.retain(|_, (_, is_preserved)| *is_preserved);
    }

    /// The conversation was forgotten altogether.
    pub(super) fn on_cleared(&mut self) -> TransitionLog {
        self.sent.clear();
        self.queued.drain(..).map(|entry| (Step::Dropped, entry.reminder)).collect()
    }

    /// Another agent takes the conversation over.
    pub(super) fn on_handoff(&mut self) -> TransitionLog {
        let is_left = |entry: &mut QueuedReminder| entry.reminder.propagate == ReminderPropagation::None;
        self.queued.extract_if(.., is_left).map(|entry| (Step::Dropped, entry.reminder)).collect()
    }

    /// What an agent below gets, oldest first.
    pub(super) fn inheritable(&self) -> impl Iterator<Item = &Reminder> {
        self.queued
            .iter()
            .map(|entry| &entry.reminder)
            .filter(|reminder| reminder.propagate == ReminderPropagation::All)
    }

    /// Takes a copy in of what the agent above has.
    pub(super) fn inherit(&mut self, reminder: Reminder, turn: u32) -> (Step, Reminder) {
        self.add(reminder.clone(), turn);
        (Step::Inherited, reminder)
    }

    /// Takes over what a tape says that happened.
    pub(super) fn apply_transition(&mut self, step: Step, reminder: Reminder, turn: u32) {
        let at = self.position_of(&reminder);
        match (step, at) {
            (Step::Injected | Step::Inherited, _) => self.add(reminder, turn),
            (Step::Rendered, Some(at)) => self.mark_one_sent(at, &mut TransitionLog::new()),
            (Step::Expired | Step::Dropped, Some(at)) => {
                self.queued.remove(at);
            }
            (Step::Rendered | Step::Expired | Step::Dropped, None) | (Step::Deduped | Step::Retained, _) => {}
        }
    }

    fn add(&mut self, reminder: Reminder, turn: u32) {
        self.added_count += 1;
        self.queued.push(QueuedReminder { number: self.added_count, turn, reminder });
    }

    /// Where the one stands that is about the same: that has the same key, or without a key the same text.
    fn position_of(&self, reminder: &Reminder) -> Option<usize> {
        self.queued.iter().position(|entry| match (&entry.reminder.dedupe_key, &reminder.dedupe_key) {
            (Some(one), Some(other)) => one == other,
            (None, None) => is_same_text(&entry.reminder.body, &reminder.body),
            _ => false,
        })
    }
}

/// A reminder without blanks around its words and with each tag once; nothing when it says nothing.
fn normalize_reminder(mut reminder: Reminder) -> Option<Reminder> {
    let trim = |text: &mut String| *text = text.trim().to_owned();
    trim(&mut reminder.body);
    if reminder.body.is_empty() {
        return None;
    }
    let mut tags: Vec<String> = Vec::with_capacity(reminder.tags.len());
    for tag in &reminder.tags {
        let tag = tag.trim();
        if !tag.is_empty() && !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    reminder.tags = tags;
    reminder.dedupe_key = reminder.dedupe_key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
    reminder.ttl_turns = reminder.ttl_turns.map(|turns| turns.max(1));
    Some(reminder)
}

/// Whether two texts are the same but for blanks and line ends.
fn is_same_text(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

#[cfg(test)]
mod tests;
