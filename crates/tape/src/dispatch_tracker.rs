//! Tracks the open dispatches of a tape.

use pintle_contract::{CallId, DispatchId, Event, EventCause};

use crate::journal_records::OpenDispatch;

/// The open dispatches, and the numbers of all.
#[derive(Debug, Default)]
pub(crate) struct DispatchTracker {
    last: u64,
    /// In the order in which they began. Few are open at a time.
    open: Vec<OpenDispatch>,
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

    /// The number of the next dispatch, which another tracker began.
    pub(crate) fn reserve(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Begins a dispatch. A cause that has ended is not recorded: what a hook started in the background may outlive the
    /// hook's call.
    pub(crate) fn begin(&mut self, event: &Event, cause: EventCause) -> &mut OpenDispatch {
        let number = self.reserve();
        let parent = cause.parent.and_then(|parent| self.open.iter().find(|open| open.number == parent.0));
        let call = parent.and(cause.call).filter(|call| parent.is_some_and(|parent| parent.is_running(*call)));
        let parent = parent.map(|parent| parent.number);
        self.open.push(OpenDispatch::new(number, parent, call, event));
        self.open.last_mut().unwrap_or(&mut self.no_dispatch)
    }

    /// An open dispatch, or one with the number 0.
    pub(crate) fn dispatch(&mut self, id: DispatchId) -> &mut OpenDispatch {
        self.open.iter_mut().rfind(|open| open.number == id.0).unwrap_or(&mut self.no_dispatch)
    }

    /// Whether any dispatch is open.
    pub(crate) fn has_open_dispatch(&self) -> bool {
        !self.open.is_empty()
    }

    /// The number of the dispatch that a call belongs to; `None` for a tool call, and once the dispatch has ended.
    pub(crate) fn dispatch_of_call(&self, dispatch: DispatchId, call: CallId) -> Option<u64> {
        let open = self.open.iter().rfind(|open| open.number == dispatch.0)?;
        (call != CallId::default()).then_some(open.number)
    }

    /// Ends a dispatch.
    pub(crate) fn end(&mut self, id: DispatchId) {
        self.open.retain(|open| open.number != id.0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_contract::{EventName, Origin};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_dispatch_has_the_parent_that_it_names_while_that_is_open() {
        let mut tracker = DispatchTracker::resume_after(0);
        let fired = Event::new(EventName::parse("tool.pre").unwrap(), json!({}), Arc::new(Origin::default()));
        let begin = |tracker: &mut DispatchTracker, parent: Option<u64>, call: Option<u64>| {
            let cause = EventCause { parent: parent.map(DispatchId), call: call.map(CallId), depth: 1 };
            let open = tracker.begin(&fired, cause);
            (open.number, open.parent, open.cause.map(|call| call.0))
        };
        assert_eq!(begin(&mut tracker, None, None), (1, None, None));
        assert_eq!(begin(&mut tracker, None, None), (2, None, None));
        tracker.dispatch(DispatchId(1)).begin_call(CallId(7));
        assert_eq!(begin(&mut tracker, Some(1), Some(7)), (3, Some(1), Some(7)), "2 began later");
        assert_eq!(begin(&mut tracker, Some(1), Some(8)), (4, Some(1), None), "no such call is running");
        tracker.dispatch(DispatchId(1)).end_call(CallId(7));
        assert_eq!(begin(&mut tracker, Some(1), Some(7)), (5, Some(1), None), "the call has returned");
        assert_eq!(tracker.dispatch_of_call(DispatchId(1), CallId(7)), Some(1));
        assert_eq!(tracker.dispatch_of_call(DispatchId(1), CallId(0)), None, "a tool");
        tracker.end(DispatchId(1));
        assert_eq!(begin(&mut tracker, Some(1), Some(7)), (6, None, None), "the parent has ended");
        assert_eq!(tracker.dispatch_of_call(DispatchId(1), CallId(7)), None);
        assert_eq!((tracker.dispatch(DispatchId(1)).number, tracker.dispatch(DispatchId(3)).number), (0, 3));
        (2..=6).for_each(|number| tracker.end(DispatchId(number)));
        assert!(!tracker.has_open_dispatch());
        assert_eq!(begin(&mut DispatchTracker::resume_after(9), None, None), (10, None, None));
    }
}
