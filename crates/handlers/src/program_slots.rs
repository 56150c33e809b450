//! Programs that run at once, of guards or to load scripts: no more than the machine has cores, so that their time limits
//! measure them and not the queue, however many calls a model makes and however many sessions are opened.

use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;

/// How often a program that waits looks whether its call was cancelled.
const LOOK_MS: u64 = 50;
/// How long a program waits if no other one begins or ends. A guard that waits for a person holds up no other one for long.
const PATIENCE: Duration = Duration::from_secs(10);

/// The programs that run.
#[derive(Debug, Default)]
struct RunningPrograms {
    count: usize,
    /// Whether one of them runs alone.
    has_lone: bool,
    /// How many wait for a place beside others, and for one alone.
    waiting: usize,
    waiting_lone: usize,
    /// How many began or ended.
    changes: u64,
}

impl RunningPrograms {
    fn queue(&mut self, is_alone: bool) -> &mut usize {
        if is_alone { &mut self.waiting_lone } else { &mut self.waiting }
    }

    fn has_room(&self, is_alone: bool, most: usize) -> bool {
        match is_alone {
            true => self.count == 0,
            // Else one that waits to run alone would wait for ever.
            false => self.count < most && !self.has_lone && self.waiting_lone == 0,
        }
    }
}

/// The places of a process.
#[derive(Debug)]
pub(crate) struct ProgramSlots {
    running: Mutex<RunningPrograms>,
    changed: Condvar,
    most: usize,
    patience: Duration,
}

/// A place, which is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct ProgramSlot<'s> {
    slots: &'s ProgramSlots,
    is_alone: bool,
}

impl ProgramSlots {
    /// As many places as the machine has cores.
    pub(crate) fn of_machine() -> Self {
        Self::new(thread::available_parallelism().map_or(1, NonZeroUsize::get), PATIENCE)
    }

    fn new(most: usize, patience: Duration) -> Self {
        Self { running: Mutex::default(), changed: Condvar::new(), most, patience }
    }

    /// Waits for a place; `is_alone`: for one beside which nothing else runs. If nothing moves, it is had all the same.
    /// `None` if the call is cancelled first.
    pub(crate) fn enter(&self, is_alone: bool, cancel: &CancelToken) -> Option<ProgramSlot<'_>> {
        let mut running = self.lock();
        *running.queue(is_alone) += 1;
        let mut last_change = (running.changes, Instant::now());
        let mut is_cancelled = cancel.is_cancelled();
        while !is_cancelled && !running.has_room(is_alone, self.most) && last_change.1.elapsed() < self.patience {
            let wait = cancel.limit_wait(Duration::from_millis(LOOK_MS));
            running = self.changed.wait_timeout(running, wait).unwrap_or_else(PoisonError::into_inner).0;
            if running.changes != last_change.0 {
                last_change = (running.changes, Instant::now());
            }
            is_cancelled = cancel.is_cancelled();
        }
        *running.queue(is_alone) -= 1;
        if is_cancelled {
            self.changed.notify_all();
            return None;
        }
        running.has_lone |= is_alone;
        running.count += 1;
        running.changes += 1;
        Some(ProgramSlot { slots: self, is_alone })
    }

    fn lock(&self) -> MutexGuard<'_, RunningPrograms> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(unix, feature = "commands"))]
impl ProgramSlot<'_> {
    /// Whether another guard runs as well, or waits until this one ends.
    pub(crate) fn has_company(&self) -> bool {
        let running = self.slots.lock();
        running.count > 1 || running.waiting + running.waiting_lone > 0
    }
}

impl Drop for ProgramSlot<'_> {
    fn drop(&mut self) {
        let mut running = self.slots.lock();
        running.count -= 1;
        running.changes += 1;
        running.has_lone &= !self.is_alone;
        self.slots.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_more_run_at_once_than_there_are_places_and_one_alone_runs_alone() {
        let (slots, cancel) = (ProgramSlots::new(2, PATIENCE), CancelToken::default());
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for number in 0..24 {
                let (slots, cancel, now, most) = (&slots, &cancel, &now, &most);
                scope.spawn(move || {
                    let is_alone = number % 3 == 0;
                    let slot = slots.enter(is_alone, cancel);
                    assert!(slot.is_some());
                    let count = now.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(count, Ordering::SeqCst);
                    assert!(count <= if is_alone { 1 } else { 2 });
                    thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.into_inner() <= 2);
    }

    #[test]
    fn guards_that_wait_for_a_person_hold_up_no_other() {
        let (slots, cancel) = (ProgramSlots::new(1, Duration::ZERO), CancelToken::default());
        let _held = slots.enter(false, &cancel);
        assert!(slots.enter(false, &cancel).is_some() && slots.enter(true, &cancel).is_some());
    }

    #[test]
    fn a_cancelled_call_does_not_wait() {
        let (slots, cancel) = (ProgramSlots::new(1, PATIENCE), CancelToken::default());
        let held = slots.enter(false, &cancel);
        cancel.cancel();
        assert!(slots.enter(false, &cancel).is_none() && slots.enter(true, &cancel).is_none());
        drop(held);
        assert!(slots.enter(false, &CancelToken::default()).is_some());
    }
}
