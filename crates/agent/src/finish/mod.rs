//! The end of a run: what is not settled yet, and what the host makes of the value (Harn, `pre_finish`,
//! `on_unsettled_detected`, `post_finish`).

mod pending_work;
mod unsettled;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle::event::{FinishPost, FinishPre, FinishUnsettled};
use serde_json::Value;

use crate::observer::AgentEvent;
use crate::session::Session;

pub(crate) use pending_work::{PendingWork, WorkKind};
pub use unsettled::UnsettledState;

/// What the host makes of a run's value: given the value and what is not settled, it gives the value in its place.
pub(crate) struct FinishCallback(Box<FinishFn>);

type FinishFn = dyn FnOnce(Value, &UnsettledState) -> Value + Send;

impl std::fmt::Debug for FinishCallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnFinish").finish_non_exhaustive()
    }
}

impl Session {
    /// Sets what the run's value goes through when it finishes. There is one such callback and it is called once: the
    /// last one that is set counts.
    pub fn on_finish(&mut self, callback: impl FnOnce(Value, &UnsettledState) -> Value + Send + 'static) {
        self.on_finish = Some(FinishCallback(Box::new(callback)));
    }

    /// What is not settled now, in this session.
    #[must_use]
    pub fn unsettled_work(&self) -> UnsettledState {
        UnsettledState::collect(&self.first_agent.shared, &self.conversation)
    }

    /// Finishes the run with the text of the last answer, or `null` when there was none; see [`Session::finish_with`].
    pub fn finish(&mut self) -> Value {
        let value = self.last_answer.take().map_or(Value::Null, Value::String);
        self.finish_with(value)
    }

    /// Finishes the run: `finish.pre`, then `finish.unsettled` when something is not settled, then the callback of
    /// [`Session::on_finish`], whose value takes the place of this one, then `finish.post`. Gives the value in the end.
    ///
    /// A run finishes once: later calls give back their value. [`Session::end`] finishes a run that nobody finished. A
    /// callback that panics leaves the value as it was, and the person is told.
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
