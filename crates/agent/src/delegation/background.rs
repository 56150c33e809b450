//! Delegations that the delegating agent does not wait for.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pintle::event::TokenUsage;
use serde_json::Value;

use super::DelegationResult;
use super::background_tools::TaskInfo;
use crate::finish::WorkKind;
use crate::turn_context::TurnContext;

/// The delegations of one session that run, or ended, in the background.
#[derive(Debug, Default)]
pub(crate) struct BackgroundTasks {
    tasks: Mutex<BTreeMap<String, Arc<BackgroundTask>>>,
}

/// One of them.
#[derive(Debug, Default)]
pub(super) struct BackgroundTask {
    pub(super) done: Mutex<FinishedTask>,
    ended: Condvar,
    /// When it ended, whatever ended it.
    pub(super) ended_us: OnceLock<u64>,
    /// What more is known of a task of a team.
    info: Option<Arc<TaskInfo>>,
}

#[derive(Debug, Default)]
pub(super) struct FinishedTask {
    pub(super) result: Option<DelegationResult>,
    /// Whether somebody has taken its cost into account.
    is_spent: bool,
}

/// The most jobs of one session, ended ones included.
const MAX_JOBS: usize = 100;

impl BackgroundTasks {
    /// Starts one and gives its id.
    pub(super) fn start(&self, turn: &TurnContext, request: &Value) -> Result<String, String> {
        let request = request.clone();
        self.spawn_task(turn, "task", None, move |turn| super::delegate(turn, &request))
    }

    /// Starts work on a thread of its own and gives it an id of this kind.
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
            return Err(format!("there are already {MAX_JOBS} tasks in this session"));
        }
        jobs.insert(id.clone(), Arc::clone(&job));
        drop(jobs);
        let turn = turn.clone();
        // Whoever waits for the job must be told even of a crash.
        let shared = &turn.agent.shared;
        let open =
            shared.pending_work.begin(WorkKind::BackgroundTask, &id, kind, shared.runtime.clock().monotonic_us());
        let work = move || {
            let delegated = catch_unwind(AssertUnwindSafe(|| work(&turn)));
            // Whoever waits for the end finds the task settled.
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
            Err(fault) => {
                self.tasks.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                Err(format!("the task cannot be started: {fault}"))
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

    /// Waits for the end of one, or of the session.
    pub(super) fn wait(&self, turn: &TurnContext, id: &str) -> Result<String, String> {
        let job = self.find_task(id)?;
        let mut done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            done.count_usage(turn);
            if let Some(delegated) = &done.result {
                return delegated.result.as_ref().map(|answer| answer.text.clone()).map_err(String::clone);
            }
            if turn.scope.cancel.is_cancelled() {
                return Err(String::from("cancelled"));
            }
            let waited = job.ended.wait_timeout(done, Duration::from_millis(20));
            done = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for all of them: nothing of a session outlives it. Those that run beside the conversation are stopped.
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
        jobs.get(id).cloned().ok_or_else(|| format!("there is no task `{id}`; delegate_async gives the ids"))
    }
}

impl FinishedTask {
    pub(super) fn is_done(&self) -> bool {
        matches!(self.result, Some(DelegationResult { result: Ok(_), .. }))
    }

    /// Counts the tokens of a job that has ended, once.
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
