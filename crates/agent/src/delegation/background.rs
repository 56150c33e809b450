//! Delegations that the delegating agent does not wait for.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use pintle::event::Usage;
use serde_json::Value;

use super::Delegated;
use crate::turn::Turn;

/// The delegations of one session that run, or ended, in the background.
#[derive(Debug, Default)]
pub(crate) struct Background {
    jobs: Mutex<BTreeMap<String, Arc<Job>>>,
}

/// One of them.
#[derive(Debug, Default)]
struct Job {
    done: Mutex<Done>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Done {
    delegated: Option<Delegated>,
    /// Whether somebody has taken its cost into account.
    is_spent: bool,
}

/// The most jobs of one session, ended ones included.
const MAX_JOBS: usize = 100;

impl Background {
    /// Starts one and gives its id.
    pub(super) fn start(&self, turn: &Turn, request: &Value) -> Result<String, String> {
        let id = turn.agent.shared.unique("task");
        let job = Arc::new(Job::default());
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.len() >= MAX_JOBS {
            return Err(format!("there are already {MAX_JOBS} tasks in this session"));
        }
        jobs.insert(id.clone(), Arc::clone(&job));
        drop(jobs);
        let (turn, request) = (turn.clone(), request.clone());
        // Whoever waits for the job must be told even of a crash.
        let work = move || {
            let delegated = catch_unwind(AssertUnwindSafe(|| super::delegate(&turn, &request)));
            job.end(delegated.unwrap_or_else(|_| Delegated {
                result: Err(String::from("the delegation crashed")),
                usage: Usage::default(),
            }));
        };
        let started = std::thread::Builder::new().name(id.clone()).spawn(work);
        match started {
            Ok(_) => Ok(id),
            Err(fault) => {
                self.jobs.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                Err(format!("the task cannot be started: {fault}"))
            }
        }
    }

    pub(super) fn status(&self, id: &str) -> Result<&'static str, String> {
        let job = self.job(id)?;
        let done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(match &done.delegated {
            None => "running",
            Some(Delegated { result: Ok(_), .. }) => "done",
            Some(Delegated { result: Err(_), .. }) => "failed",
        })
    }

    pub(super) fn result(&self, turn: &Turn, id: &str) -> Result<String, String> {
        if self.status(id)? == "running" {
            return Err(format!("task `{id}` is still running; wait for it with delegate_await"));
        }
        self.wait(turn, id)
    }

    /// Waits for the end of one, or of the session.
    pub(super) fn wait(&self, turn: &Turn, id: &str) -> Result<String, String> {
        let job = self.job(id)?;
        let mut done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let is_spent = done.is_spent;
            if let Some(delegated) = &done.delegated {
                if !is_spent {
                    turn.state.spend(delegated.usage);
                }
                let result = delegated.result.as_ref().map(|answer| answer.text.clone()).map_err(String::clone);
                done.is_spent = true;
                return result;
            }
            if turn.scope.cancel.is_cancelled() {
                return Err(String::from("cancelled"));
            }
            let waited = job.ended.wait_timeout(done, Duration::from_millis(20));
            done = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for all of them: nothing of a session outlives it.
    pub(crate) fn join(&self) {
        let jobs: Vec<Arc<Job>> = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for job in jobs {
            let mut done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
            while done.delegated.is_none() {
                done = job.ended.wait(done).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn job(&self, id: &str) -> Result<Arc<Job>, String> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.get(id).cloned().ok_or_else(|| format!("there is no task `{id}`; delegate_async gives the ids"))
    }
}

impl Job {
    fn end(&self, delegated: Delegated) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).delegated = Some(delegated);
        self.ended.notify_all();
    }
}
