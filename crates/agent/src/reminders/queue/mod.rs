//! The queue of reminders, as a state machine that knows neither the session nor the tape.

use std::collections::BTreeMap;

use pintle_host::Reminder;
use pintle_host::contract::ReminderPropagation;
use pintle_host::tape::record::host::ReminderTransition;

/// What happened to which reminder, in order.
pub(crate) type TransitionLog = Vec<(ReminderTransition, Reminder)>;

/// The reminders of one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReminderQueue {
    /// In order of arrival; at most one per key, and one per text without a key.
    queued: Vec<QueuedReminder>,
    /// The text last sent under each key, and whether it survives compaction.
    sent: BTreeMap<String, (String, bool)>,
    /// The number of reminders ever queued.
    added_count: u64,
}

/// A queued reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueuedReminder {
    /// Its number, from 1.
    pub(super) number: u64,
    /// The turn in which a hook injected it.
    pub(super) turn: u32,
    /// The reminder, with the number of requests left.
    pub(super) reminder: Reminder,
}

impl ReminderQueue {
    /// Queues a reminder that a hook injected in this turn.
    pub(crate) fn inject(&mut self, reminder: Reminder, turn: u32) -> TransitionLog {
        let Some(reminder) = normalize_reminder(reminder) else { return TransitionLog::new() };
        let mut steps = TransitionLog::new();
        if let Some(index) = self.position_of(&reminder) {
            let old = self.queued.get(index).map(|entry| &entry.reminder);
            // A smaller value is a higher authority. Of two with the same authority the newer one wins, unless the
            // texts are equal.
            let stands = old.is_some_and(|old| {
                old.authority < reminder.authority
                    || (old.authority == reminder.authority && is_same_text(&old.body, &reminder.body))
            });
            if stands {
                return vec![(ReminderTransition::Deduped, reminder)];
            }
            steps.push((ReminderTransition::Dropped, self.queued.remove(index).reminder));
        } else if let Some(key) = &reminder.dedupe_key
            && self.sent.get(key).is_some_and(|(body, _)| is_same_text(body, &reminder.body))
        {
            return vec![(ReminderTransition::Deduped, reminder)];
        }
        self.add(reminder.clone(), turn);
        steps.push((ReminderTransition::Injected, reminder));
        steps
    }

    /// The reminders of the next request, by authority and then by age.
    pub(super) fn due_reminders(&self) -> Vec<QueuedReminder> {
        let mut due = self.queued.clone();
        due.sort_by_key(|entry| (entry.reminder.authority, entry.number));
        due
    }

    /// Updates the queue after the model answered a request with these reminders.
    pub(crate) fn mark_sent(&mut self, numbers: &[u64]) -> TransitionLog {
        let mut steps = TransitionLog::new();
        for number in numbers {
            let Some(index) = self.queued.iter().position(|entry| entry.number == *number) else { continue };
            self.mark_one_sent(index, &mut steps);
        }
        steps
    }

    fn mark_one_sent(&mut self, index: usize, steps: &mut TransitionLog) {
        let Some(entry) = self.queued.get_mut(index) else { return };
        let reminder = &mut entry.reminder;
        steps.push((ReminderTransition::Rendered, reminder.clone()));
        if let Some(key) = &reminder.dedupe_key {
            self.sent.insert(key.clone(), (reminder.body.clone(), reminder.preserve_on_compact));
        }
        let Some(left) = &mut reminder.ttl_turns else { return };
        *left = left.saturating_sub(1);
        if *left == 0 {
            steps.push((ReminderTransition::Expired, self.queued.remove(index).reminder));
        }
    }

    /// The number of the newest reminder; later ones have larger numbers.
    pub(super) fn last_number(&self) -> u64 {
        self.added_count
    }

    /// Updates the queue after a compaction. Reminders injected since the mark are meant for the compacted conversation
    /// and stay.
    pub(crate) fn on_compacted(&mut self, mark: u64) -> TransitionLog {
        self.forget_sent();
        let mut steps = TransitionLog::new();
        self.queued.retain(|entry| {
            let is_kept = entry.reminder.preserve_on_compact;
            if entry.number <= mark {
                steps.push((
                    if is_kept { ReminderTransition::Retained } else { ReminderTransition::Dropped },
                    entry.reminder.clone(),
                ));
            }
            is_kept || entry.number > mark
        });
        steps
    }

    /// Forgets sent texts that are no longer in the conversation.
    pub(super) fn forget_sent(&mut self) {
        self.sent.retain(|_, (_, is_preserved)| *is_preserved);
    }

    /// Updates the queue after the conversation was cleared.
    pub(crate) fn on_cleared(&mut self) -> TransitionLog {
        self.sent.clear();
        self.queued.drain(..).map(|entry| (ReminderTransition::Dropped, entry.reminder)).collect()
    }

    /// Updates the queue when another agent takes over the conversation.
    pub(crate) fn on_handoff(&mut self) -> TransitionLog {
        let is_left = |entry: &mut QueuedReminder| entry.reminder.propagate == ReminderPropagation::None;
        self.queued.extract_if(.., is_left).map(|entry| (ReminderTransition::Dropped, entry.reminder)).collect()
    }

    /// The reminders that a child agent inherits, oldest first.
    pub(super) fn inheritable(&self) -> impl Iterator<Item = &Reminder> {
        self.queued
            .iter()
            .map(|entry| &entry.reminder)
            .filter(|reminder| reminder.propagate == ReminderPropagation::All)
    }

    /// Queues a copy of a parent's reminder.
    pub(crate) fn inherit(&mut self, reminder: Reminder, turn: u32) -> (ReminderTransition, Reminder) {
        self.add(reminder.clone(), turn);
        (ReminderTransition::Inherited, reminder)
    }

    /// Restores one change from the tape.
    pub(super) fn apply_transition(&mut self, transition: ReminderTransition, reminder: Reminder, turn: u32) {
        let at = self.position_of(&reminder);
        match (transition, at) {
            (ReminderTransition::Injected | ReminderTransition::Inherited, _) => self.add(reminder, turn),
            (ReminderTransition::Rendered, Some(index)) => self.mark_one_sent(index, &mut TransitionLog::new()),
            (ReminderTransition::Expired | ReminderTransition::Dropped, Some(index)) => {
                self.queued.remove(index);
            }
            (ReminderTransition::Rendered | ReminderTransition::Expired | ReminderTransition::Dropped, None)
            | (ReminderTransition::Deduped | ReminderTransition::Retained, _) => {}
        }
    }

    fn add(&mut self, reminder: Reminder, turn: u32) {
        self.added_count += 1;
        self.queued.push(QueuedReminder { number: self.added_count, turn, reminder });
    }

    /// The index of the reminder with the same key, or without a key with the same text.
    fn position_of(&self, reminder: &Reminder) -> Option<usize> {
        self.queued.iter().position(|entry| match (&entry.reminder.dedupe_key, &reminder.dedupe_key) {
            (Some(one), Some(other)) => one == other,
            (None, None) => is_same_text(&entry.reminder.body, &reminder.body),
            _ => false,
        })
    }
}

/// The reminder with trimmed text and each tag once; `None` if the text is empty.
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

/// Whether two texts are equal except for spaces and line ends.
fn is_same_text(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

#[cfg(test)]
mod tests;
