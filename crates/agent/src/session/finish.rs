//! The end of a run: reports unsettled work and lets the host replace the run's value.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle_host::event::{FinishPost, FinishPre, FinishUnsettled, UnsettledState};
use serde_json::Value;

use super::Session;
use crate::observer::AgentEvent;
use crate::unsettled;

/// The host's callback: takes the run's value and the unsettled work, and returns the value to use instead.
pub(crate) struct FinishCallback(Box<FinishFn>);

type FinishFn = dyn FnOnce(Value, &UnsettledState) -> Value + Send;

impl std::fmt::Debug for FinishCallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnFinish").finish_non_exhaustive()
    }
}

impl Session {
    /// Sets the callback that may replace the run's value when the run finishes. It is called once. A second call of
    /// this method replaces the first callback.
    pub fn on_finish(&mut self, callback: impl FnOnce(Value, &UnsettledState) -> Value + Send + 'static) {
        self.on_finish = Some(FinishCallback(Box::new(callback)));
    }

    /// The session's unsettled work.
    #[must_use]
    pub fn unsettled_work(&self) -> UnsettledState {
        unsettled::collect(&self.first_agent.shared, &self.conversation)
    }

    /// Finishes the run with the text of the last answer, or `null` if there was none; see [`Session::finish_with`].
    pub fn finish(&mut self) -> Value {
        let value = self.last_answer.take().map_or(Value::Null, Value::String);
        self.finish_with(value)
    }

    /// Finishes the run: fires `finish.pre`, then `finish.unsettled` if work is unsettled, calls the callback of
    /// [`Session::on_finish`], whose value replaces this one, and fires `finish.post`. Returns the final value.
    ///
    /// A run finishes once: later calls return the same value. [`Session::end`] finishes a run that is not finished
    /// yet. If the callback panics, the value stays unchanged and the user is notified.
    pub fn finish_with(&mut self, value: Value) -> Value {
        if self.is_finished || !self.is_started() {
            return value;
        }
        self.is_finished = true;
        let turn = self.turn_for_agent(&self.first_agent, 0);
        let callback = self.on_finish.take();
        let is_heard = turn.has_listener::<FinishPre>()
            || turn.has_listener::<FinishUnsettled>()
            || turn.has_listener::<FinishPost>();
        if !is_heard && callback.is_none() {
            return value;
        }
        let state = self.unsettled_work();
        let unsettled = state.all();
        let _ = turn.fire_if_listened(|| FinishPre {
            return_value: value.clone(),
            unsettled: unsettled.clone(),
            has_on_finish: callback.is_some(),
        });
        if !state.is_empty() {
            let _ =
                turn.fire_if_listened(|| FinishUnsettled { unsettled: unsettled.clone(), summary: state.summary() });
        }
        let value = match callback {
            None => value,
            Some(FinishCallback(callback)) => {
                let before = value.clone();
                catch_unwind(AssertUnwindSafe(|| callback(value, &state))).unwrap_or_else(|_| {
                    turn.notify(AgentEvent::Notice {
                        message: "the callback of `on_finish` crashed; its value is not used",
                    });
                    before
                })
            }
        };
        let _ = turn.fire_if_listened(|| FinishPost { return_value: value.clone(), unsettled });
        value
    }
}
