//! Tracks which dispatch a record belongs to.

use std::cell::Cell;
use std::collections::HashMap;
use std::thread::ThreadId;

use pintle_contract::Event;

use crate::journal_records::OpenDispatch;

thread_local! {
    /// The dispatch that ended last on this thread, and its tape.
    static ENDED: Cell<(usize, u64)> = const { Cell::new((0, 0)) };
}

/// The open dispatches.
///
/// A dispatch reports its entries from the thread that it runs on, and a dispatch that a hook causes begins and ends
/// within the one that caused it. So each thread has a stack, and the dispatch at its top is the one that reports.
#[derive(Debug, Default)]
pub(crate) struct DispatchTracker {
    last: u64,
    stacks: HashMap<ThreadId, Vec<OpenDispatch>>,
    calls: HashMap<u64, u64>,
    /// The dispatch of entries that belong to none.
    no_dispatch: OpenDispatch,
}

impl DispatchTracker {
    /// Continues after the dispatches of a tape.
    pub(crate) fn resume_after(last: u64) -> Self {
        Self { last, ..Self::default() }
    }

    /// The number of the last dispatch.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Begins a dispatch.
    pub(crate) fn begin(&mut self, thread: ThreadId, fired: &Event) -> &mut OpenDispatch {
        self.last += 1;
        let stack = self.stacks.entry(thread).or_default();
        let parent = stack.last().map(|open| open.number);
        stack.push(OpenDispatch::new(self.last, parent, fired));
        stack.last_mut().unwrap_or(&mut self.no_dispatch)
    }

    /// The dispatch that the thread reports for, or one with the number 0.
    pub(crate) fn current(&mut self, thread: ThreadId) -> &mut OpenDispatch {
        self.stacks.get_mut(&thread).and_then(|stack| stack.last_mut()).unwrap_or(&mut self.no_dispatch)
    }

    /// Whether any dispatch is open.
    pub(crate) fn has_open_dispatch(&self) -> bool {
        !self.stacks.is_empty()
    }

    /// Begins a hook call.
    pub(crate) fn begin_call(&mut self, call: u64, dispatch: u64) {
        self.calls.insert(call, dispatch);
    }

    /// The dispatch of an open call.
    pub(crate) fn dispatch_of_call(&self, call: u64) -> Option<u64> {
        self.calls.get(&call).copied()
    }

    /// Ends the thread's dispatch.
    pub(crate) fn end(&mut self, thread: ThreadId, tape: usize) {
        let Some(stack) = self.stacks.get_mut(&thread) else { return };
        if let Some(open) = stack.pop() {
            ENDED.set((tape, open.number));
            if !self.calls.is_empty() {
                self.calls.retain(|_, dispatch| *dispatch != open.number);
            }
        }
        if stack.is_empty() {
            self.stacks.remove(&thread);
        }
    }
}

/// The dispatch of a tape that ended last on this thread.
pub(crate) fn last_ended_on_thread(tape: usize) -> Option<u64> {
    let (of, number) = ENDED.get();
    (of == tape && number > 0).then_some(number)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_contract::{EventName, Origin};
    use serde_json::json;

    use super::*;

    #[test]
    fn dispatches_nest_on_a_thread_and_stand_beside_each_other_on_two() {
        let mut open = DispatchTracker::resume_after(0);
        let here = std::thread::current().id();
        let there = std::thread::spawn(|| std::thread::current().id()).join().unwrap();
        let fired = Event::new(EventName::parse("tool.pre").unwrap(), json!({}), Arc::new(Origin::default()));
        let of = |open: &OpenDispatch| (open.number, open.parent);
        assert_eq!(of(open.begin(here, &fired)), (1, None));
        assert_eq!(of(open.begin(there, &fired)), (2, None));
        assert_eq!(of(open.begin(here, &fired)), (3, Some(1)));
        open.begin_call(7, 3);
        let now = |open: &mut DispatchTracker, thread| open.current(thread).number;
        assert_eq!((now(&mut open, here), now(&mut open, there), open.dispatch_of_call(7)), (3, 2, Some(3)));
        open.end(here, 5);
        assert_eq!((now(&mut open, here), open.dispatch_of_call(7)), (1, None));
        assert_eq!((last_ended_on_thread(5), last_ended_on_thread(6)), (Some(3), None));
        open.end(here, 5);
        open.end(here, 5);
        assert_eq!((now(&mut open, here), now(&mut open, there)), (0, 2));
        assert_eq!(of(DispatchTracker::resume_after(9).begin(here, &fired)), (10, None));
    }
}
