//! Which dispatch a step belongs to.

use std::collections::HashMap;
use std::thread::ThreadId;

use pintle_contract::Payload;

/// The dispatches that are going on.
///
/// A dispatch reports its steps from the thread that it runs on, and a dispatch that a hook causes begins and ends
/// within the one that caused it. So each thread has a stack, and its top is the dispatch that reports.
#[derive(Debug, Default)]
pub(crate) struct Dispatches {
    last: u64,
    stacks: HashMap<ThreadId, Vec<Open>>,
    calls: HashMap<u64, u64>,
}

#[derive(Debug)]
struct Open {
    number: u64,
    versions: Vec<Payload>,
}

/// A version of a dispatch's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    /// Its number, from 0.
    pub(crate) number: u32,
    /// Whether it was not seen before.
    pub(crate) first_seen: bool,
}

impl Dispatches {
    /// A dispatch begins; gives its number and that of the one around it.
    pub(crate) fn begin(&mut self, thread: ThreadId, payload: &Payload) -> (u64, Option<u64>) {
        self.last += 1;
        let stack = self.stacks.entry(thread).or_default();
        let parent = stack.last().map(|open| open.number);
        stack.push(Open { number: self.last, versions: vec![payload.clone()] });
        (self.last, parent)
    }

    /// The dispatch that the thread reports for; 0 for none.
    pub(crate) fn current(&self, thread: ThreadId) -> Option<u64> {
        self.stacks.get(&thread).and_then(|stack| stack.last()).map(|open| open.number)
    }

    /// A hook is called.
    pub(crate) fn call(&mut self, call: u64, dispatch: u64) {
        self.calls.insert(call, dispatch);
    }

    /// The dispatch of a call that is going on.
    pub(crate) fn of_call(&self, call: u64) -> Option<u64> {
        self.calls.get(&call).copied()
    }

    /// Numbers a payload within the thread's dispatch.
    pub(crate) fn version(&mut self, thread: ThreadId, payload: &Payload) -> Version {
        let Some(open) = self.stacks.get_mut(&thread).and_then(|stack| stack.last_mut()) else {
            return Version { number: 0, first_seen: true };
        };
        // The newest is the likeliest, and a shared allocation is the cheap answer.
        if let Some(at) = open.versions.iter().rposition(|known| known == payload) {
            return Version { number: u32::try_from(at).unwrap_or(u32::MAX), first_seen: false };
        }
        open.versions.push(payload.clone());
        Version { number: u32::try_from(open.versions.len() - 1).unwrap_or(u32::MAX), first_seen: true }
    }

    /// The thread's dispatch is over.
    pub(crate) fn end(&mut self, thread: ThreadId) {
        let Some(stack) = self.stacks.get_mut(&thread) else { return };
        if let Some(open) = stack.pop() {
            self.calls.retain(|_, dispatch| *dispatch != open.number);
        }
        if stack.is_empty() {
            self.stacks.remove(&thread);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dispatches_nest_on_a_thread_and_stand_beside_each_other_on_two() {
        let mut open = Dispatches::default();
        let here = std::thread::current().id();
        let there = std::thread::spawn(|| std::thread::current().id()).join().unwrap();
        let payload = Payload::new(json!(1));
        assert_eq!(open.begin(here, &payload), (1, None));
        assert_eq!(open.begin(there, &payload), (2, None));
        assert_eq!(open.begin(here, &payload), (3, Some(1)));
        open.call(7, 3);
        assert_eq!((open.current(here), open.current(there), open.of_call(7)), (Some(3), Some(2), Some(3)));
        open.end(here);
        assert_eq!((open.current(here), open.of_call(7)), (Some(1), None));
        open.end(here);
        open.end(here);
        assert_eq!((open.current(here), open.current(there)), (None, Some(2)));
    }

    #[test]
    fn each_version_is_new_once() {
        let mut open = Dispatches::default();
        let here = std::thread::current().id();
        let first = Payload::new(json!({"a": 1}));
        open.begin(here, &first);
        let second = Payload::new(json!({"a": 2}));
        let version = |number, first_seen| Version { number, first_seen };
        assert_eq!(open.version(here, &first), version(0, false));
        assert_eq!(open.version(here, &second), version(1, true));
        assert_eq!(open.version(here, &Payload::new(json!({"a": 2}))), version(1, false));
        assert_eq!(open.version(here, &first), version(0, false));
    }
}
