//! Background tasks of a team, and the tools a model uses to control them, as in docker-agent.

use std::sync::Arc;

use pintle_host::NoApprover;

use crate::session_state::{BackgroundTask, BackgroundTasks, DelegationResult, TaskInfo};
use crate::turn_context::TurnContext;

/// The maximum number of tasks that run at once, as in docker-agent.
const MAX_AT_ONCE: usize = 20;

impl BackgroundTasks {
    /// Starts a background task for an agent and returns its id.
    ///
    /// The task belongs to the session, not to the turn, so cancelling the turn does not stop it. It cannot request
    /// approval, because no user is waiting for it.
    pub(crate) fn start_team_task(
        &self,
        turn: &TurnContext,
        agent: &str,
        work: impl FnOnce(&TurnContext) -> DelegationResult + Send + 'static,
    ) -> Result<String, String> {
        if self.team_tasks().filter(|(_, job, _)| job.is_running()).count() >= MAX_AT_ONCE {
            return Err(format!("{MAX_AT_ONCE} background tasks are running; wait for one or stop one"));
        }
        let shared = &turn.agent.shared;
        let cancel = shared.cancel.child_token();
        let about = TaskInfo {
            agent: agent.to_owned(),
            began_us: shared.runtime.clock().monotonic_us(),
            cancel: cancel.clone(),
        };
        let mut turn = turn.clone();
        turn.scope.cancel = cancel;
        turn.scope.approver = Some(Arc::new(NoApprover));
        self.spawn_task(&turn, "agent_task", Some(about), work)
    }

    pub(crate) fn list(&self, turn: &TurnContext) -> String {
        let mut told = String::from("Background Agent Tasks:\n\n");
        let mut is_empty = true;
        for (id, job, about) in self.team_tasks() {
            is_empty = false;
            let (status, seconds) = (task_status(&job, &about), runtime_seconds(turn, &job, &about));
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

    /// The state and output of one task.
    pub(crate) fn view(&self, turn: &TurnContext, id: &str) -> Result<String, String> {
        let (job, about) = self.find_team_task(id)?;
        let (status, seconds) = (task_status(&job, &about), runtime_seconds(turn, &job, &about));
        let mut done = job.done.lock();
        let output = match &done.result {
            _ if status == "stopped" => String::from("<task was stopped>"),
            None => String::from("<no output yet, still running>"),
            Some(DelegationResult { result: Ok(answer), .. }) if answer.text.is_empty() => String::from("<no output>"),
            Some(DelegationResult { result: Ok(answer), .. }) => answer.text.clone(),
            Some(DelegationResult { result: Err(reason), .. }) => format!("<task failed>\nError: {reason}"),
        };
        turn.state.add_usage(done.take_usage());
        Ok(format!(
            "Task ID: {id}\nAgent:   {}\nStatus:  {status}\nRuntime: {seconds}s\n\n--- Output ---\n{output}",
            about.agent
        ))
    }

    pub(crate) fn stop(&self, id: &str) -> Result<String, String> {
        let (job, about) = self.find_team_task(id)?;
        if !job.is_running() || about.cancel.is_cancelled() {
            return Err(format!("task {id} is not running (status: {})", task_status(&job, &about)));
        }
        about.cancel.cancel();
        Ok(format!("Background agent task {id} stopped."))
    }

    fn find_team_task(&self, id: &str) -> Result<(Arc<BackgroundTask>, Arc<TaskInfo>), String> {
        let found = self.team_tasks().find(|(known, ..)| known == id);
        let (_, job, about) =
            found.ok_or_else(|| format!("task not found: {id}; `list_background_agents` gives the IDs"))?;
        Ok((job, about))
    }
}

fn task_status(job: &BackgroundTask, task: &TaskInfo) -> &'static str {
    let done = job.done.lock();
    match &done.result {
        _ if task.cancel.is_cancelled() && !done.is_done() => "stopped",
        None => "running",
        Some(DelegationResult { result: Ok(_), .. }) => "completed",
        Some(DelegationResult { result: Err(_), .. }) => "failed",
    }
}

/// How long a task has been running, or ran, in seconds.
fn runtime_seconds(turn: &TurnContext, job: &BackgroundTask, task: &TaskInfo) -> u64 {
    let ended_us = job.ended_us.get().copied();
    let until_us = ended_us.unwrap_or_else(|| turn.agent.shared.runtime.clock().monotonic_us());
    until_us.saturating_sub(task.began_us) / 1_000_000
}
