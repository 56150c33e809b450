//! Delegations that run in the background.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use pintle::event::TokenUsage;
use serde_json::Value;

use super::DelegationResult;
use super::background_tools::TaskInfo;
use super::limiter::wait_for_change;
use crate::finish::WorkKind;
use crate::turn_context::TurnContext;

/// The background tasks of a session, finished ones included.
#[derive(Debug, Default)]
pub(crate) struct BackgroundTasks {
    tasks: Mutex<BTreeMap<String, Arc<BackgroundTask>>>,
}

/// A background task.
#[derive(Debug, Default)]
pub(super) struct BackgroundTask {
    pub(super) done: Mutex<FinishedTask>,
    ended: Condvar,
    /// When the task ended, for any reason.
    pub(super) ended_us: OnceLock<u64>,
    /// For a team's task, its agent and cancellation token.
    info: Option<Arc<TaskInfo>>,
}

#[derive(Debug, Default)]
pub(super) struct FinishedTask {
    pub(super) result: Option<DelegationResult>,
    /// Whether the task's usage has been counted.
    is_spent: bool,
}

/// The maximum number of background tasks in one session, finished ones included.
const MAX_JOBS: usize = 100;

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
        about: Option<TaskInfo>,
        work: impl FnOnce(&TurnContext) -> DelegationResult + Send + 'static,
    ) -> Result<String, String> {
        let id = turn.agent.shared.unique_name(kind);
        let job = Arc::new(BackgroundTask { info: about.map(Arc::new), ..BackgroundTask::default() });
        let mut jobs = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.len() >= MAX_JOBS {
            return Err(format!("this session already has {MAX_JOBS} tasks, the maximum"));
        }
        jobs.insert(id.clone(), Arc::clone(&job));
        drop(jobs);
        let mut turn = turn.clone();
        turn.scope.cause = turn.scope.cause.detached();
        // A waiter must wake up even if the task crashes.
        let shared = &turn.agent.shared;
        let open =
            shared.pending_work.begin(WorkKind::BackgroundTask, &id, kind, shared.runtime.clock().monotonic_us());
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
                self.tasks.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                Err(format!("the task cannot be started: {error}"))
            }
        }
    }

    pub(super) fn status(&self, id: &str) -> Result<&'static str, String> {
        let job = self.find_task(id)?;
        let done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(match &done.result {
            None => "running",
            Some(DelegationResult { result: Ok(_), .. }) => "done",
            Some(DelegationResult { result: Err(_), .. }) => "failed",
        })
    }

    pub(super) fn result(&self, turn: &TurnContext, id: &str) -> Result<String, String> {
        if self.status(id)? == "running" {
            return Err(format!("task `{id}` is still running; wait for it with delegate_await"));
        }
        self.wait(turn, id)
    }

    /// Waits until a task ends or the session is cancelled.
    pub(super) fn wait(&self, turn: &TurnContext, id: &str) -> Result<String, String> {
        let job = self.find_task(id)?;
        let woken = Arc::clone(&job);
        let _woken = turn.scope.cancel.wake_on_cancel(move || {
            let _done = woken.done.lock().unwrap_or_else(PoisonError::into_inner);
            woken.ended.notify_all();
        });
        let mut done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            done.count_usage(turn);
            if let Some(delegated) = &done.result {
                return delegated.result.as_ref().map(|answer| answer.text.clone()).map_err(String::clone);
            }
            if turn.scope.cancel.is_cancelled() {
                return Err(String::from("cancelled"));
            }
            done = wait_for_change(&job.ended, done, &turn.scope.cancel);
        }
    }

    /// Waits for all tasks, so that none outlives the session. Background tasks of a team are stopped.
    pub(crate) fn join(&self) {
        for (.., about) in self.team_tasks() {
            about.cancel.cancel();
        }
        let jobs: Vec<Arc<BackgroundTask>> =
            self.tasks.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for job in jobs {
            let mut done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
            while done.result.is_none() {
                done = job.ended.wait(done).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// The tasks of a team, by id.
    pub(super) fn team_tasks(&self) -> impl Iterator<Item = (String, Arc<BackgroundTask>, Arc<TaskInfo>)> {
        let jobs = self.tasks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        jobs.into_iter().filter_map(|(id, job)| {
            let about = Arc::clone(job.info.as_ref()?);
            Some((id, job, about))
        })
    }

    fn find_task(&self, id: &str) -> Result<Arc<BackgroundTask>, String> {
        let jobs = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.get(id).cloned().ok_or_else(|| format!("task `{id}` does not exist; delegate_async returns task ids"))
    }
}

impl FinishedTask {
    pub(super) fn is_done(&self) -> bool {
        matches!(self.result, Some(DelegationResult { result: Ok(_), .. }))
    }

    /// Counts the tokens of a finished task, once.
    pub(super) fn count_usage(&mut self, turn: &TurnContext) {
        if let Some(delegated) = self.result.as_ref().filter(|_| !self.is_spent) {
            turn.state.add_usage(delegated.usage);
            self.is_spent = true;
        }
    }
}

impl BackgroundTask {
    pub(super) fn is_running(&self) -> bool {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).result.is_none()
    }

    fn finish(&self, delegated: DelegationResult) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).result = Some(delegated);
        self.ended.notify_all();
    }
}
