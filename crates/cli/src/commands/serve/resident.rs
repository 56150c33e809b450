//! The resident of `pintle-hook`, and what people ask it.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use pintle_bridge::{ResidentCommand, ResidentOptions, ResidentReport, ask_residents, read_resident_log, run_resident};
use pintle_hook::ResidentRequest;
use serde_json::{Value, json};

use super::{ResidentArgs, ServeAction};
use crate::commands::hook::{HookCommandLine, ResidentMemory};
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, remove_expired_of_account};
use crate::render::table::render_table;
use crate::terminal::Terminal;

pub(super) fn run(args: ResidentArgs) -> Result<CliStatus, CliError> {
    let memory = ResidentMemory::default();
    let parse = move |words: &[OsString]| -> Option<Arc<dyn ResidentCommand>> {
        Some(Arc::new(HookCommandLine::for_resident(words, &memory)?))
    };
    let state_dir = args.place.find()?;
    let state = state_dir.clone();
    let options = ResidentOptions {
        state_dir,
        at_end: Box::new(move || remove_expired_of_account(&state)),
        idle: Duration::from_secs(args.idle_seconds),
        parse: Box::new(parse),
    };
    run_resident(options).map(|()| CliStatus::Done).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => CliError::failure("a resident of this environment is running already"),
        _ => CliError::failure(format!("cannot serve: {error}")),
    })
}

pub(super) fn ask(action: ServeAction, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
    let to_error = |error| CliError::failure(format!("cannot ask the residents: {error}"));
    match action {
        ServeAction::Status(place) => {
            print_status(&ask_residents(&place.find()?, &ResidentRequest::Status).map_err(to_error)?, terminal, global);
        }
        ServeAction::Stop(place) => {
            print_stopped(&ask_residents(&place.find()?, &ResidentRequest::Stop).map_err(to_error)?, terminal, global);
        }
        ServeAction::Logs(place) => {
            let text = read_resident_log(&place.find()?).map_err(to_error)?;
            match global.json {
                true => terminal.print_json(&text.lines().collect::<Vec<_>>()),
                false => text.lines().for_each(|line| terminal.print_line(with_time(line))),
            }
        }
    }
    Ok(CliStatus::Done)
}

fn print_status(reports: &[ResidentReport], terminal: &Terminal, global: &GlobalOptions) {
    let parsed = |report: &ResidentReport| -> Value {
        report.answer.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    };
    if global.json {
        let rows = reports.iter().map(|report| json!({"environment": report.environment, "resident": parsed(report)}));
        return terminal.print_json(&rows.collect::<Vec<_>>());
    }
    if reports.is_empty() {
        return terminal.print_line("no resident is running; the next call of an agent starts one");
    }
    let cell = |value: &Value, name: &str| match value.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::from("-"),
    };
    let row = |report: &ResidentReport| {
        let value = parsed(report);
        let memory_mib = value.get("memory_bytes").and_then(Value::as_u64).map(|bytes| format!("{} MiB", bytes >> 20));
        [
            cell(&value, "process"),
            cell(&value, "version"),
            cell(&value, "calls"),
            cell(&value, "running"),
            cell(&value, "declined"),
            memory_mib.unwrap_or_else(|| String::from("-")),
            report.environment.chars().take(8).collect(),
        ]
    };
    let rows: Vec<_> = reports.iter().map(row).collect();
    let head = ["PROCESS", "VERSION", "CALLS", "RUNNING", "DECLINED", "MEMORY", "ENVIRONMENT"];
    terminal.print_lines(&render_table(head, &rows));
}

fn print_stopped(reports: &[ResidentReport], terminal: &Terminal, global: &GlobalOptions) {
    let count = reports.iter().filter(|report| report.answer.is_some()).count();
    match (global.json, count) {
        (true, _) => terminal.print_json(&json!({"stopped": count})),
        (false, 0) => terminal.print_line("no resident was running"),
        (false, 1) => terminal.print_line("1 resident ends"),
        (false, count) => terminal.print_line(format!("{count} residents end")),
    }
}

/// A line of the log with its time as people read it.
fn with_time(line: &str) -> String {
    let time =
        line.split_once(' ').and_then(|(ms, rest)| Some((Timestamp::from_millisecond(ms.parse().ok()?).ok()?, rest)));
    time.map_or_else(|| line.to_owned(), |(time, rest)| format!("{time:.0} {rest}"))
}
