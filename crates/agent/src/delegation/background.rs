//! Delegations that run in the background.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pintle_host::event::TokenUsage;
use serde_json::Value;

use crate::session_state::{BackgroundTasks, DelegationResult, TaskInfo, WorkKind};
use crate::turn_context::TurnContext;

impl BackgroundTasks {
    /// Starts a delegation in the background and returns its id.
    pub(super) fn start(&self, turn: &TurnContext, request: &Value) -> Result<String, String> {
        let request = request.clone();
        self.spawn_task(turn, "task", None, move |turn| super::delegate(turn, &request))
    }

    /// Runs work on a new thread and returns its id, which starts with `kind`.
    pub(super) fn spawn_task(
        &self,
        turn: &TurnContext,
        kind: &str,
        task: Option<TaskInfo>,
        work: impl FnOnce(&TurnContext) -> DelegationResult + Send + 'static,
    ) -> Result<String, String> {
        let id = turn.agent.shared.unique_name(kind);
        let job = self.add(&id, task)?;
        let mut turn = turn.clone();
        turn.scope.cause = turn.scope.cause.detached();
        // A waiter must wake up even if the task crashes.
        let shared = &turn.agent.shared;
        let open =
            shared.state.pending_work.begin(WorkKind::BackgroundTask, &id, kind, shared.runtime.clock().monotonic_us());
        let work = move || {
            let delegated = catch_unwind(AssertUnwindSafe(|| work(&turn)));
            // The pending-work entry is gone before waiters see the end.
            drop(open);
            job.ended_us.get_or_init(|| turn.agent.shared.runtime.clock().monotonic_us());
            job.finish(delegated.unwrap_or_else(|_| DelegationResult {
                result: Err(String::from("the delegation crashed")),
                usage: TokenUsage::default(),
            }));
        };
        let started = std::thread::Builder::new().name(id.clone()).spawn(work);
        match started {
            Ok(_) => Ok(id),
            Err(error) => {
                self.remove(&id);
                Err(format!("the task cannot be started: {error}"))
            }
        }
    }

    pub(super) fn result(&self, turn: &TurnContext, id: &str) -> Result<String, String> {
        if self.status(id)? == "running" {
            return Err(format!("task `{id}` is still running; wait for it with delegate_await"));
        }
        self.wait_for_answer(turn, id)
    }

    /// Waits until a task ends or the session is cancelled, and counts its tokens on this turn.
    pub(super) fn wait_for_answer(&self, turn: &TurnContext, id: &str) -> Result<String, String> {
        let (answer, usage) = self.wait(id, &turn.scope.cancel);
        turn.state.add_usage(usage);
        answer
    }
}
