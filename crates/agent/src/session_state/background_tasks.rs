//! Delegations that run in the background.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use parking_lot::{Condvar, Mutex};
use pintle_host::CancelToken;
use pintle_host::event::TokenUsage;

use super::child_limiter::wait_for_change;
use super::turn_output::TurnOutput;

/// The agent, start time and cancellation token of a team's task.
#[derive(Debug)]
pub(crate) struct TaskInfo {
    pub(crate) agent: String,
    pub(crate) began_us: u64,
    /// Cancels only this task.
    pub(crate) cancel: CancelToken,
}

/// The result of a delegation, and the tokens it used in any case.
#[derive(Debug, Clone)]
pub(crate) struct DelegationResult {
    pub(crate) result: Result<TurnOutput, String>,
    pub(crate) usage: TokenUsage,
}

/// The background tasks of a session, finished ones included.
#[derive(Debug, Default)]
pub(crate) struct BackgroundTasks {
    tasks: Mutex<BTreeMap<String, Arc<BackgroundTask>>>,
}

/// A background task.
#[derive(Debug, Default)]
pub(crate) struct BackgroundTask {
    pub(crate) done: Mutex<FinishedTask>,
    ended: Condvar,
    /// When the task ended, for any reason.
    pub(crate) ended_us: OnceLock<u64>,
    /// For a team's task, its agent and cancellation token.
    info: Option<Arc<TaskInfo>>,
}

#[derive(Debug, Default)]
pub(crate) struct FinishedTask {
    pub(crate) result: Option<DelegationResult>,
    /// Whether the task's usage has been counted.
    is_spent: bool,
}

/// The maximum number of background tasks in one session, finished ones included.
const MAX_JOBS: usize = 100;

impl BackgroundTasks {
    /// Adds a task.
    ///
    /// # Errors
    /// When the session already has the maximum number of tasks.
    pub(crate) fn add(&self, id: &str, info: Option<TaskInfo>) -> Result<Arc<BackgroundTask>, String> {
        let job = Arc::new(BackgroundTask { info: info.map(Arc::new), ..BackgroundTask::default() });
        let mut jobs = self.tasks.lock();
        if jobs.len() >= MAX_JOBS {
            return Err(format!("this session already has {MAX_JOBS} tasks, the maximum"));
        }
        jobs.insert(id.to_owned(), Arc::clone(&job));
        Ok(job)
    }

    pub(crate) fn remove(&self, id: &str) {
        self.tasks.lock().remove(id);
    }

    /// Waits until a task ends or `cancel` is set. Returns the answer's text, and the tokens that are not counted yet.
    pub(crate) fn wait(&self, id: &str, cancel: &CancelToken) -> (Result<String, String>, TokenUsage) {
        let job = match self.find_task(id) {
            Ok(job) => job,
            Err(error) => return (Err(error), TokenUsage::default()),
        };
        let woken = Arc::clone(&job);
        let _woken = cancel.wake_on_cancel(move || {
            let _done = woken.done.lock();
            woken.ended.notify_all();
        });
        let mut done = job.done.lock();
        loop {
            let usage = done.take_usage();
            if let Some(delegated) = &done.result {
                return (delegated.result.as_ref().map(|answer| answer.text.clone()).map_err(String::clone), usage);
            }
            if cancel.is_cancelled() {
                return (Err(String::from("cancelled")), usage);
            }
            wait_for_change(&job.ended, &mut done, cancel);
        }
    }

    pub(crate) fn status(&self, id: &str) -> Result<&'static str, String> {
        let job = self.find_task(id)?;
        let done = job.done.lock();
        Ok(match &done.result {
            None => "running",
            Some(DelegationResult { result: Ok(_), .. }) => "done",
            Some(DelegationResult { result: Err(_), .. }) => "failed",
        })
    }

    /// Waits for all tasks, so that none outlives the session. Background tasks of a team are stopped.
    pub(crate) fn join(&self) {
        for (.., about) in self.team_tasks() {
            about.cancel.cancel();
        }
        let jobs: Vec<Arc<BackgroundTask>> = self.tasks.lock().values().cloned().collect();
        for job in jobs {
            let mut done = job.done.lock();
            while done.result.is_none() {
                job.ended.wait(&mut done);
            }
        }
    }

    /// The tasks of a team, by id.
    pub(crate) fn team_tasks(&self) -> impl Iterator<Item = (String, Arc<BackgroundTask>, Arc<TaskInfo>)> {
        let jobs = self.tasks.lock().clone();
        jobs.into_iter().filter_map(|(id, job)| {
            let about = Arc::clone(job.info.as_ref()?);
            Some((id, job, about))
        })
    }

    fn find_task(&self, id: &str) -> Result<Arc<BackgroundTask>, String> {
        let jobs = self.tasks.lock();
        jobs.get(id).cloned().ok_or_else(|| format!("task `{id}` does not exist; delegate_async returns task ids"))
    }
}

impl FinishedTask {
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.result, Some(DelegationResult { result: Ok(_), .. }))
    }

    /// Takes the tokens of a finished task, once.
    pub(crate) fn take_usage(&mut self) -> TokenUsage {
        let usage = self.result.as_ref().filter(|_| !self.is_spent).map(|delegated| delegated.usage);
        self.is_spent |= usage.is_some();
        usage.unwrap_or_default()
    }
}

impl BackgroundTask {
    pub(crate) fn is_running(&self) -> bool {
        self.done.lock().result.is_none()
    }

    pub(crate) fn finish(&self, delegated: DelegationResult) {
        self.done.lock().result = Some(delegated);
        self.ended.notify_all();
    }
}
