//! `pintle allow`: lets one refused call pass once. Only a user on a terminal may do that.

use clap::Args;
use pintle_host::loader::{CallAllowance, state_dir};
use pintle_host::tape::decisions::RecordedDecision;
use pintle_host::tape::{RecordBody, TapeReader};
use pintle_host::tools::call_digest;
use pintle_host::{Clock, Payload, SystemClock};
use pintle_log::{LogEntry, call_text};
use serde_json::json;

use super::pause::{confirm_with_code, pause_error, require_user};
use super::why::find_entry;
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, LAST, LogTapeOptions};
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Let one refused call pass once, within the next five minutes: the agent makes the \
same call again, and what packs and rules of your own found in it is only shown. What an organisation refuses, what guards \
Pintle itself, and other hooks are not affected. Only a user on a terminal can do this, never an agent, and the call is on \
the session's tape";

/// Most characters of the call that are shown.
const CALL_CHARS: usize = 2_000;

#[derive(Debug, Args)]
pub(crate) struct AllowArgs {
    /// ID of a refused call, as `pintle log` lists it, or `last`: the newest one.
    #[arg(value_name = "ID", default_value = LAST)]
    id: String,
    #[command(flatten)]
    tapes: LogTapeOptions,
}

impl AllowArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        require_user("nothing was allowed", "allow a call: run `pintle allow`")?;
        let state = self.tapes.find_state_dir().or_else(state_dir);
        let state = state.ok_or_else(|| {
            CliError::invalid_input("no state directory").help("set HOME, or name it with `--state-dir`")
        })?;
        let entry = find_entry(&mut self.tapes.open_log(terminal)?, &self.id)?;
        let payload = read_call(&entry)?;
        let host = entry.host.as_deref().unwrap_or_default();
        terminal.print_error_line(format!(
            "{}\n\nThis call of {host} passes once within five minutes. It may do what your packs and rules refuse.",
            call_text(&entry.decision, CALL_CHARS)
        ));
        if !confirm_with_code("allow it", terminal)? {
            terminal.print_note("nothing was allowed, because the code is not the one that was shown");
            return Ok(CliStatus::Denied);
        }
        let now_ms = SystemClock::default().unix_ms();
        let allowance = CallAllowance::grant(&state, &call_digest(&payload), now_ms).map_err(pause_error)?;
        match global.json {
            true => terminal.print_json(&json!({"id": entry.id, "ends_at_ms": allowance.ends_at_ms})),
            false => terminal.print_line("allowed once: tell the agent to make the call again"),
        }
        Ok(CliStatus::Done)
    }
}

/// The payload of the event at which a call was refused.
fn read_call(entry: &LogEntry) -> Result<Payload, CliError> {
    let RecordedDecision { dispatch, .. } = &entry.decision;
    if entry.host.is_none() {
        let error = CliError::invalid_input(format!("`{}` is of Pintle's own agent loop", entry.id));
        return Err(error.help("there, the user is asked in the session"));
    }
    let unreadable = |error| CliError::invalid_input(format!("`{}`: {error}", entry.tape.display()));
    for line in TapeReader::open(&entry.tape).map_err(unreadable)? {
        let line = line.map_err(unreadable)?;
        if dispatch.is_some()
            && line.record.body.dispatch() == *dispatch
            && let RecordBody::Event(fired) = line.record.body
        {
            let payload = Payload::new(fired.payload.into_owned());
            let has_call = payload.field("name").is_some() && payload.field("args").is_some();
            return if has_call { Ok(payload) } else { Err(no_call(entry)) };
        }
    }
    Err(no_call(entry))
}

fn no_call(entry: &LogEntry) -> CliError {
    CliError::invalid_input(format!("`{}` is not about a tool call", entry.id))
        .help("`pintle log --denied --asked` lists the refused calls")
}
