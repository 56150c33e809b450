//! `pintle hooks --live`: how often each hook was reached, by the tapes of the log.

use std::collections::BTreeMap;
use std::path::Path;

use pintle_host::files::real_path;
use pintle_host::tape::hook_usage::{UsageCounts, UsedHook};
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_host::{Clock, Layer, SystemClock};
use serde_json::{Value, json};

use super::HookRow;
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, LogFilterOptions, LogTapeOptions};
use crate::render::wrap::render_indented;
use crate::render::{age_text, table};
use crate::terminal::Terminal;

/// Most characters of a name and of an event, so that a row fits into 80 columns.
const NAME_CHARS: usize = 18;
const EVENT_CHARS: usize = 16;
/// Most characters of a failure.
const FAILURE_CHARS: usize = 400;

/// Prints the loaded hooks with their counts.
pub(super) fn print_usage(
    rows: &[HookRow<'_>],
    filter: &LogFilterOptions,
    tapes: LogTapeOptions,
    terminal: &Terminal,
    global: &GlobalOptions,
) -> Result<CliStatus, CliError> {
    let mut log = tapes.open_log(terminal)?;
    let mut usage: BTreeMap<UsedHook, UsageCounts> = BTreeMap::new();
    for (hook, counts) in log.count_usage(filter)? {
        let path = hook.path.as_deref().map(|path| real_path(Path::new(path)).to_string_lossy().into_owned());
        usage.entry(UsedHook { path, ..hook }).or_default().add(&counts);
    }
    let counted: Vec<HookUsageRow<'_>> = rows
        .iter()
        .map(|row| HookUsageRow {
            row,
            counts: usage.remove(&row.to_used_hook()).unwrap_or_default(),
            is_limited: filter.is_set(),
        })
        .collect();
    if global.json {
        terminal.print_json(&counted.iter().map(HookUsageRow::to_json).collect::<Vec<_>>());
        return Ok(CliStatus::Done);
    }
    if !counted.is_empty() {
        terminal.print_lines(&render_usage(&counted, SystemClock::default().unix_ms()));
    }
    match usage.len() {
        0 => {}
        1 => terminal.print_note("1 hook of the recorded sessions is not loaded here"),
        count => terminal.print_note(format!("{count} hooks of the recorded sessions are not loaded here")),
    }
    Ok(CliStatus::Done)
}

fn render_usage(rows: &[HookUsageRow<'_>], now_ms: u64) -> Vec<StyledLine> {
    let cells: Vec<_> = rows.iter().map(|row| row.to_cells(now_ms)).collect();
    let head = ["HOOK", "EVENT", "FIRED", "MATCHED", "RUN", "FAILED", "LAST RUN"];
    let details = |index: usize| rows.get(index).map(|row| row.detail_lines(now_ms)).unwrap_or_default();
    table::render_detailed_table(head, &cells, details)
}

impl HookRow<'_> {
    /// The hook as a tape names it.
    fn to_used_hook(&self) -> UsedHook {
        UsedHook {
            hook: self.hook.id.as_str().to_owned(),
            event: self.hook.event.as_str().to_owned(),
            layer: self.chain.layer,
            path: self.hook.location.path().map(|path| real_path(path).to_string_lossy().into_owned()),
        }
    }
}

/// A loaded hook with its counts, which are zero if its event was not fired.
struct HookUsageRow<'a> {
    row: &'a HookRow<'a>,
    counts: UsageCounts,
    /// Whether only some of the sessions or of the time are counted.
    is_limited: bool,
}

impl HookUsageRow<'_> {
    /// How often its event was fired; `None` if that is not known: when the hooks of an agent apply is not on the tapes.
    fn fired(&self) -> Option<u64> {
        self.counts.eligible.or((self.row.chain.layer != Layer::Agent).then_some(0))
    }

    fn to_cells(&self, now_ms: u64) -> [String; 7] {
        let (counts, fired) = (&self.counts, self.fired());
        [
            single_line(self.row.hook.id.as_str(), NAME_CHARS),
            single_line(self.row.hook.event.as_str(), EVENT_CHARS),
            fired.map_or_else(|| String::from("-"), |fired| fired.to_string()),
            counts.matched.to_string(),
            counts.run.to_string(),
            counts.failed.to_string(),
            counts.last_run_ms.map_or_else(
                || format!("{} {}", if self.is_limited { "not" } else { "never" }, missing_step(fired, counts)),
                |last_ms| age_text(now_ms.saturating_sub(last_ms)),
            ),
        ]
    }

    /// The verdicts, and the last failure.
    fn detail_lines(&self, now_ms: u64) -> Vec<StyledLine> {
        let verdicts = self.counts.verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}"));
        let verdicts = Some(verdicts.collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty());
        let failure = self.counts.last_failure.as_ref().map(|(at_ms, message)| {
            let age = age_text(now_ms.saturating_sub(*at_ms));
            format!("failed {age}: {}", single_line(message, FAILURE_CHARS))
        });
        let verdicts = verdicts.map(|text| render_indented(2, Tone::Quiet, &text));
        let failure = failure.map(|text| render_indented(2, Tone::Bad, &text));
        verdicts.into_iter().chain(failure).flatten().collect()
    }

    fn to_json(&self) -> Value {
        let mut json = self.row.to_json();
        let counts = &self.counts;
        if let Some(fields) = json.as_object_mut() {
            let failure =
                counts.last_failure.as_ref().map(|(at_ms, message)| json!({"at_ms": at_ms, "message": message}));
            let usage = json!({
                "eligible": self.fired(),
                "matched": counts.matched,
                "run": counts.run,
                "failed": counts.failed,
                "verdicts": counts.verdicts,
                "last_run_ms": counts.last_run_ms,
                "last_failure": failure,
            });
            fields.insert(String::from("usage"), usage);
        }
        json
    }
}

/// The first step that a hook did not reach.
fn missing_step(fired: Option<u64>, counts: &UsageCounts) -> &'static str {
    match (fired, counts.matched) {
        (Some(0), 0) => "fired",
        (_, 0) => "matched",
        _ => "run",
    }
}
