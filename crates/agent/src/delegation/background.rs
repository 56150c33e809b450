//! Delegations that the delegating agent does not wait for.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pintle::event::TokenUsage;
use serde_json::Value;

use super::Delegated;
use super::beside::About;
use crate::finish::Kind;
use crate::turn::Turn;

/// The delegations of one session that run, or ended, in the background.
#[derive(Debug, Default)]
pub(crate) struct Background {
    jobs: Mutex<BTreeMap<String, Arc<Job>>>,
}

/// One of them.
#[derive(Debug, Default)]
pub(super) struct Job {
    pub(super) done: Mutex<Done>,
    ended: Condvar,
    /// When it ended, whatever ended it.
    pub(super) ended_us: OnceLock<u64>,
    /// What more is known of a task of a team.
    about: Option<Arc<About>>,
}

#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) delegated: Option<Delegated>,
    /// Whether somebody has taken its cost into account.
    is_spent: bool,
}

/// The most jobs of one session, ended ones included.
const MAX_JOBS: usize = 100;

impl Background {
    /// Starts one and gives its id.
    pub(super) fn start(&self, turn: &Turn, request: &Value) -> Result<String, String> {
        let request = request.clone();
        self.spawn(turn, "task", None, move |turn| super::delegate(turn, &request))
    }

    /// Starts work on a thread of its own and gives it an id of this kind.
    pub(super) fn spawn(
        &self,
        turn: &Turn,
        kind: &str,
        about: Option<About>,
        work: impl FnOnce(&Turn) -> Delegated + Send + 'static,
    ) -> Result<String, String> {
        let id = turn.agent.shared.unique(kind);
        let job = Arc::new(Job { about: about.map(Arc::new), ..Job::default() });
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.len() >= MAX_JOBS {
            return Err(format!("there are already {MAX_JOBS} tasks in this session"));
        }
        jobs.insert(id.clone(), Arc::clone(&job));
        drop(jobs);
        let turn = turn.clone();
        // Whoever waits for the job must be told even of a crash.
        let shared = &turn.agent.shared;
        let open = shared.open.hold(Kind::BackgroundTask, &id, kind, shared.runtime.clock().monotonic_us());
        let work = move || {
            let delegated = catch_unwind(AssertUnwindSafe(|| work(&turn)));
            // Whoever waits for the end finds the task settled.
            drop(open);
            job.ended_us.get_or_init(|| turn.agent.shared.runtime.clock().monotonic_us());
            job.end(delegated.unwrap_or_else(|_| Delegated {
                result: Err(String::from("the delegation crashed")),
                usage: TokenUsage::default(),
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
            done.spend(turn);
            if let Some(delegated) = &done.delegated {
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
        for (.., about) in self.beside() {
            about.cancel.cancel();
        }
        let jobs: Vec<Arc<Job>> = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for job in jobs {
            let mut done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
            while done.delegated.is_none() {
                done = job.ended.wait(done).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// The tasks of a team, by id.
    pub(super) fn beside(&self) -> impl Iterator<Item = (String, Arc<Job>, Arc<About>)> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        jobs.into_iter().filter_map(|(id, job)| {
            let about = Arc::clone(job.about.as_ref()?);
            Some((id, job, about))
        })
    }

    fn job(&self, id: &str) -> Result<Arc<Job>, String> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.get(id).cloned().ok_or_else(|| format!("there is no task `{id}`; delegate_async gives the ids"))
    }
}

impl Done {
    pub(super) fn is_done(&self) -> bool {
        matches!(self.delegated, Some(Delegated { result: Ok(_), .. }))
    }

    /// Counts the tokens of a job that has ended, once.
    pub(super) fn spend(&mut self, turn: &Turn) {
        if let Some(delegated) = self.delegated.as_ref().filter(|_| !self.is_spent) {
            turn.state.spend(delegated.usage);
            self.is_spent = true;
        }
    }
}

impl Job {
    pub(super) fn is_running(&self) -> bool {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).delegated.is_none()
    }

    fn end(&self, delegated: Delegated) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).delegated = Some(delegated);
        self.ended.notify_all();
    }
}
