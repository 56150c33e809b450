//! Tasks of a team that run beside the conversation: what a model may ask of them (docker-agent, background agents
//! tool).

use std::sync::{Arc, PoisonError};

use pintle::{CancelToken, NoApprover};

use super::Delegated;
use super::background::{Background, Job};
use crate::turn::Turn;

/// The most tasks that run at once (docker-agent, background agents tool).
const MAX_AT_ONCE: usize = 20;

/// What is known of a task besides its result.
#[derive(Debug)]
pub(super) struct About {
    agent: String,
    began_us: u64,
    /// Stops this task alone.
    pub(super) cancel: CancelToken,
}

impl Background {
    /// Starts a task for an agent and gives its id.
    ///
    /// It belongs to the session and not to the turn, which may be cancelled without it. There is nobody whom it could
    /// ask for anything.
    pub(crate) fn start_beside(
        &self,
        turn: &Turn,
        agent: &str,
        work: impl FnOnce(&Turn) -> Delegated + Send + 'static,
    ) -> Result<String, String> {
        if self.beside().filter(|(_, job, _)| job.is_running()).count() >= MAX_AT_ONCE {
            return Err(format!("{MAX_AT_ONCE} background tasks are running; wait for one or stop one"));
        }
        let shared = &turn.agent.shared;
        let cancel = shared.cancel.child_token();
        let about =
            About { agent: agent.to_owned(), began_us: shared.runtime.clock().monotonic_us(), cancel: cancel.clone() };
        let mut turn = turn.clone();
        turn.scope.cancel = cancel;
        turn.scope.approver = Some(Arc::new(NoApprover));
        self.spawn(&turn, "agent_task", Some(about), work)
    }

    pub(crate) fn list(&self, turn: &Turn) -> String {
        let mut told = String::from("Background Agent Tasks:\n\n");
        let mut is_empty = true;
        for (id, job, about) in self.beside() {
            is_empty = false;
            let (status, seconds) = (status(&job, &about), seconds(turn, &job, &about));
            told.push_str(&format!(
                "ID: {id}\n  Agent:   {}\n  Status:  {status}\n  Runtime: {seconds}s\n\n",
                about.agent
            ));
        }
        if is_empty {
            told.push_str("No background agent tasks found.\n");
        }
        told
    }

    /// The state of one task and what it came to.
    pub(crate) fn view(&self, turn: &Turn, id: &str) -> Result<String, String> {
        let (job, about) = self.one(id)?;
        let (status, seconds) = (status(&job, &about), seconds(turn, &job, &about));
        let mut done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
        let output = match &done.delegated {
            _ if status == "stopped" => String::from("<task was stopped>"),
            None => String::from("<no output yet, still running>"),
            Some(Delegated { result: Ok(answer), .. }) if answer.text.is_empty() => String::from("<no output>"),
            Some(Delegated { result: Ok(answer), .. }) => answer.text.clone(),
            Some(Delegated { result: Err(why), .. }) => format!("<task failed>\nError: {why}"),
        };
        done.spend(turn);
        Ok(format!(
            "Task ID: {id}\nAgent:   {}\nStatus:  {status}\nRuntime: {seconds}s\n\n--- Output ---\n{output}",
            about.agent
        ))
    }

    pub(crate) fn stop(&self, id: &str) -> Result<String, String> {
        let (job, about) = self.one(id)?;
        if !job.is_running() || about.cancel.is_cancelled() {
            return Err(format!("task {id} is not running (status: {})", status(&job, &about)));
        }
        about.cancel.cancel();
        Ok(format!("Background agent task {id} stopped."))
    }

    fn one(&self, id: &str) -> Result<(Arc<Job>, Arc<About>), String> {
        let found = self.beside().find(|(known, ..)| known == id);
        let (_, job, about) =
            found.ok_or_else(|| format!("task not found: {id}; `list_background_agents` gives the IDs"))?;
        Ok((job, about))
    }
}

fn status(job: &Job, about: &About) -> &'static str {
    let done = job.done.lock().unwrap_or_else(PoisonError::into_inner);
    match &done.delegated {
        _ if about.cancel.is_cancelled() && !done.is_done() => "stopped",
        None => "running",
        Some(Delegated { result: Ok(_), .. }) => "completed",
        Some(Delegated { result: Err(_), .. }) => "failed",
    }
}

/// How long a task has run, or ran.
fn seconds(turn: &Turn, job: &Job, about: &About) -> u64 {
    let ended_us = job.ended_us.get().copied();
    let until_us = ended_us.unwrap_or_else(|| turn.agent.shared.runtime.clock().monotonic_us());
    until_us.saturating_sub(about.began_us) / 1_000_000
}
