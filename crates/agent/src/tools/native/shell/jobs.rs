//! Background commands of a session.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::Mutex;
use pintle_host::CancelToken;
use pintle_host::process::{self, ProcessError, ProcessOutput};

use super::command::ToolCommand;
use crate::session_state::WorkKind;
use crate::turn_context::ToolContext;

/// The number of bytes of a job's output that are kept, from its beginning, as in docker-agent.
const OUTPUT_BYTES: usize = 10 << 20;

/// The maximum number of jobs of one set, finished ones included.
const MAX_JOBS: usize = 100;

/// The time limit of a job: longer than any session, so that in practice a job ends with its session.
const LIFETIME_MS: u64 = 30 * 24 * 60 * 60 * 1_000;

/// The jobs of one set. Dropping them stops them all.
#[derive(Debug, Default)]
pub(super) struct ShellJobs(Mutex<BTreeMap<usize, Arc<ShellJob>>>);

#[derive(Debug)]
struct ShellJob {
    id: String,
    command: String,
    began_us: u64,
    cancel: CancelToken,
    /// Its output so far.
    output: Mutex<Vec<u8>>,
    end: Mutex<Option<JobExit>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// How a job ended.
#[derive(Debug)]
struct JobExit {
    status: &'static str,
    /// The exit code as a shell reports it; -1 if there is none.
    exit_code: i32,
    /// A remark about its output.
    remark: String,
    ended_us: u64,
}

impl ShellJobs {
    /// Starts a command and returns the job's id. It belongs to the session, not to the turn, so cancelling the turn
    /// does not stop it.
    pub(super) fn start(&self, command: ToolCommand<'_>, context: &ToolContext<'_>) -> Result<String, String> {
        let run = ToolCommand { timeout_ms: LIFETIME_MS, output_bytes: OUTPUT_BYTES, ..command };
        run.check(context)?;
        let spec = run.to_process(context)?;
        let shared = &context.turn.agent.shared;
        let runtime = Arc::clone(&shared.runtime);
        let mut jobs = self.0.lock();
        if jobs.len() >= MAX_JOBS {
            return Err(format!("this session already has {MAX_JOBS} jobs, the maximum"));
        }
        let number = jobs.len() + 1;
        let job = Arc::new(ShellJob {
            id: format!("job_{number}"),
            command: run.line.to_owned(),
            began_us: shared.runtime.clock().monotonic_us(),
            cancel: shared.cancel.child_token(),
            output: Mutex::default(),
            end: Mutex::default(),
            thread: Mutex::default(),
        });
        let running = Arc::clone(&job);
        let open = shared.state.pending_work.begin(WorkKind::BackgroundTask, &job.id, run.line, job.began_us);
        let work = move || {
            let _open = open;
            let result = process::run_streaming(&spec, &running.cancel, &mut |printed| running.append_output(printed));
            if let Ok(output) = &result {
                running.append_output(&output.stdout);
            }
            let end = JobExit::from_result(result, runtime.clock().monotonic_us());
            *running.end.lock() = Some(end);
        };
        let thread = std::thread::Builder::new().name(job.id.clone()).spawn(work);
        let thread = thread.map_err(|error| format!("the job cannot be started: {error}"))?;
        *job.thread.lock() = Some(thread);
        jobs.insert(number, Arc::clone(&job));
        let (id, line, directory) = (&job.id, run.line, run.directory());
        Ok(format!("Background job started with ID: {id}\nCommand: {line}\nWorking directory: {directory}"))
    }

    pub(super) fn list(&self, context: &ToolContext<'_>) -> String {
        let mut told = String::from("Background Jobs:\n\n");
        let jobs = self.0.lock();
        for job in jobs.values() {
            told.push_str(&format!("ID: {}\n  Command: {}\n", job.id, job.command));
            for line in job.describe_state(context).lines() {
                told.push_str(&format!("  {line}\n"));
            }
            told.push('\n');
        }
        if jobs.is_empty() {
            told.push_str("No background jobs found.\n");
        }
        told
    }

    pub(super) fn view(&self, id: &str, context: &ToolContext<'_>) -> Result<String, String> {
        let job = self.find_job(id)?;
        let state = job.describe_state(context);
        let end = job.end.lock();
        let printed = job.output.lock();
        let mut output = String::from_utf8_lossy(&printed).into_owned();
        output.push_str(end.as_ref().map_or("", |end| end.remark.as_str()));
        let output = if output.is_empty() { "<no output>\n" } else { output.as_str() };
        Ok(format!("Job ID: {id}\nCommand: {}\n{state}\n--- Output ---\n{output}", job.command))
    }

    pub(super) fn stop(&self, id: &str) -> Result<String, String> {
        let job = self.find_job(id)?;
        if let Some(end) = &*job.end.lock() {
            return Err(format!("Job {id} is not running (current status: {})", end.status));
        }
        job.finish();
        Ok(format!("Job {id} stopped successfully"))
    }

    fn find_job(&self, id: &str) -> Result<Arc<ShellJob>, String> {
        let jobs = self.0.lock();
        let found = jobs.values().find(|job| job.id == id).cloned();
        found.ok_or_else(|| format!("Job not found: {id}; `list_background_jobs` gives the IDs"))
    }
}

impl ShellJob {
    /// Appends output that was printed since the last call.
    fn append_output(&self, printed: &[u8]) {
        let mut kept = self.output.lock();
        let from = kept.len();
        kept.extend_from_slice(printed.get(from..).unwrap_or_default());
    }

    /// Stops the job with all its processes, and waits until they have ended.
    fn finish(&self) {
        self.cancel.cancel();
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            // A thread that panicked needs no waiting for.
            let _ = thread.join();
        }
    }

    /// The job's state, in lines.
    fn describe_state(&self, context: &ToolContext<'_>) -> String {
        let end = self.end.lock();
        let now_us = || context.turn.agent.shared.runtime.clock().monotonic_us();
        let until_us = end.as_ref().map_or_else(now_us, |end| end.ended_us);
        let seconds = until_us.saturating_sub(self.began_us) / 1_000_000;
        match &*end {
            None => format!("Status: running\nRuntime: {seconds}s\n"),
            Some(end) => format!("Status: {}\nRuntime: {seconds}s\nExit Code: {}\n", end.status, end.exit_code),
        }
    }
}

impl JobExit {
    fn from_result(result: Result<ProcessOutput, ProcessError>, at_us: u64) -> Self {
        let (status, exit_code, remark) = match result {
            Ok(output) => {
                let code = output.exit_code.unwrap_or_else(|| 128 + output.signal.unwrap_or(0));
                let remark = if output.truncated { "\n\n[Output truncated at 10MB limit]" } else { "" };
                (if code == 0 { "completed" } else { "failed" }, code, remark.to_owned())
            }
            Err(ProcessError::Cancelled) => ("stopped", -1, String::new()),
            Err(error) => ("failed", -1, error.to_string()),
        };
        Self { status, exit_code, remark, ended_us: at_us }
    }
}

impl Drop for ShellJobs {
    fn drop(&mut self) {
        for job in self.0.get_mut().values() {
            job.finish();
        }
    }
}
