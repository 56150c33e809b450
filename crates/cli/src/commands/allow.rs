//! `pintle allow`: lets one refused call pass once. Only a user on a terminal may do that.

use std::collections::BTreeSet;

use clap::Args;
use pintle_host::loader::{CallAllowance, state_dir};
use pintle_host::packs::pack_by_name;
use pintle_host::tape::decisions::{DecisionLabel, RecordedDecision, is_rule_hook};
use pintle_host::tape::{RecordBody, TapeReader};
use pintle_host::tools::call_digest;
use pintle_host::{Clock, Layer, Payload, SystemClock};
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
        let call = read_call(&entry)?;
        check_liftable(&entry, &call)?;
        let payload = call.payload;
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

/// A call, and whose hooks judged it.
struct RefusedCall {
    /// The payload of the event at which it was refused.
    payload: Payload,
    /// The hooks of an organisation.
    managed: BTreeSet<String>,
}

/// Checks that nothing refused a call but what the user may lift. Otherwise it would be refused again.
fn check_liftable(entry: &LogEntry, call: &RefusedCall) -> Result<(), CliError> {
    let RecordedDecision { reasons, failures, .. } = &entry.decision;
    let refuse = |why: String, help: &str| Err(CliError::invalid_input(format!("`{}` {why}", entry.id)).help(help));
    if !matches!(entry.decision.word(), DecisionLabel::Denied | DecisionLabel::Asked) {
        return refuse(String::from("was not refused"), "`pintle log --denied --asked` lists the refused calls");
    }
    if let Some(failed) = failures.iter().find(|failed| failed.denied) {
        let why = format!("was refused because the hook `{}` failed, which no user allows", failed.hook);
        return refuse(why, "mend the hook; `pintle why` shows what failed");
    }
    for reason in reasons {
        let hook = reason.hook.as_str();
        if call.managed.contains(hook) {
            let why = format!("was refused by `{hook}` of your organisation, which no user allows");
            return refuse(why, "ask those who wrote the policy");
        }
        let pack = hook.strip_prefix("pack:").and_then(|name| pack_by_name(name).ok());
        let guards_pintle = pack.is_some_and(|pack| !pack.pausable.is_empty());
        if guards_pintle {
            let why = format!("was refused by `{hook}`, which guards Pintle itself");
            return refuse(why, "`pintle pause 10m` lets an agent edit its policy for ten minutes");
        }
        if !is_rule_hook(hook) {
            let why = format!("was refused by the hook `{hook}`: only what packs and rules refuse can pass once");
            return refuse(why, "change the hook, whose file `pintle why` shows, or make the call yourself");
        }
    }
    Ok(())
}

/// Reads the event at which a call was refused.
fn read_call(entry: &LogEntry) -> Result<RefusedCall, CliError> {
    let RecordedDecision { dispatch, .. } = &entry.decision;
    if entry.host.is_none() {
        let error = CliError::invalid_input(format!("`{}` is of Pintle's own agent loop", entry.id));
        return Err(error.help("there, the user is asked in the session"));
    }
    let unreadable = |error| CliError::invalid_input(format!("`{}`: {error}", entry.tape.display()));
    let mut managed = BTreeSet::new();
    for line in TapeReader::open(&entry.tape).map_err(unreadable)? {
        let line = line.map_err(unreadable)?;
        if let RecordBody::Hooks(loaded) = &line.record.body {
            let hooks = loaded.hooks.iter().filter(|hook| hook.layer == Layer::Managed);
            managed.extend(hooks.map(|hook| hook.id.clone()));
        }
        if dispatch.is_some()
            && line.record.body.dispatch() == *dispatch
            && let RecordBody::Event(fired) = line.record.body
        {
            let payload = Payload::new(fired.payload.into_owned());
            let has_call = payload.field("name").is_some() && payload.field("args").is_some();
            return if has_call { Ok(RefusedCall { payload, managed }) } else { Err(no_call(entry)) };
        }
    }
    Err(no_call(entry))
}

fn no_call(entry: &LogEntry) -> CliError {
    CliError::invalid_input(format!("`{}` is not about a tool call", entry.id))
        .help("`pintle log --denied --asked` lists the refused calls")
}
