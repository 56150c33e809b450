//! `cargo xtask bars [--only NAME...]`: what Pintle costs, each figure beside its floor or a peer in the same run.
//!
//! A bar is a row of [`BARS`]. Its figure comes from a bench of a crate, or from programs that are started in turn. A row
//! builds what it measures; one that cannot be measured here says why, and the others go on.

mod page;
mod programs;
mod recordings;
mod session;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::process::Command;

use pintle_contract::EventKind;
use serde::Deserialize;
use xtask::{ChoreReport, SourceWorkspace};

use programs::BarRoom;

/// A bar: what is measured, against what, and what it may be.
#[derive(Debug)]
struct SpeedBar {
    name: &'static str,
    about: &'static str,
    /// The floor or the peer.
    peer: &'static str,
    unit: &'static str,
    limit: BarLimit,
    source: BarSource,
}

/// What a figure may be.
#[derive(Debug, Clone, Copy)]
enum BarLimit {
    /// At most this many times the peer.
    Times(f64),
    /// At most this much more than the peer.
    Added(f64),
    AtMost(f64),
    AtLeast(f64),
    /// The row is for comparison.
    None,
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy)]
enum BarSource {
    /// A line of JSON that a bench of a package prints.
    Bench { package: &'static str, bench: &'static str, figure: &'static str },
    /// What a function measures. Its error says why it could not.
    Measured(fn(&BarRoom) -> Result<BarFigure, String>),
    /// The speed of a replay, which a bench prints.
    Replay,
}

/// A figure, and that of its peer.
#[derive(Debug, Clone, Copy, PartialEq)]
struct BarFigure {
    value: f64,
    peer: Option<f64>,
}

/// A line of JSON that a bench prints.
#[derive(Debug, Deserialize)]
struct PrintedFigure {
    figure: String,
    value: f64,
    peer: Option<f64>,
}

impl BarLimit {
    /// Whether a figure is within the limit; `None` if there is none.
    fn is_met(self, figure: &BarFigure) -> Option<bool> {
        let peer = figure.peer.unwrap_or(f64::NAN);
        match self {
            Self::Times(most) => Some(figure.value <= most * peer),
            Self::Added(most) => Some(figure.value - peer <= most),
            Self::AtMost(most) => Some(figure.value <= most),
            Self::AtLeast(least) => Some(figure.value >= least),
            Self::None => None,
        }
    }
}

const GOVERNED: BarSource = BarSource::Bench {
    package: "pintle-host",
    bench: "governed",
    figure: "the same, against the two calls of the interpreter",
};
const CONDITIONS: BarSource =
    BarSource::Bench { package: "pintle-host", bench: "governed", figure: "1,000 conditions that cannot be analysed" };
const UNHEARD: BarSource = BarSource::Bench { package: "pintle-host", bench: "governed", figure: "no hooks" };
const IDLE: BarSource = BarSource::Bench { package: "pintle-agent", bench: "sessions", figure: "MB of idle sessions" };
const IDLE_TAPED: BarSource =
    BarSource::Bench { package: "pintle-agent", bench: "sessions", figure: "MB of idle sessions with a tape" };
const PATTERNS: BarSource = BarSource::Bench {
    package: "pintle-handlers",
    bench: "script",
    figure: "eight patterns in a command of 200 KB, beside eight passes of memmem",
};

#[rustfmt::skip]
const BARS: &[SpeedBar] = &[
    SpeedBar { name: "cold", about: "installed call, governed stack, no resident process", peer: "`/bin/true`", unit: "ms", limit: BarLimit::Times(8.0), source: BarSource::Measured(|room| room.compare_call("true")) },
    SpeedBar { name: "resident", about: "installed call, governed stack, resident process", peer: "`sh -c :`", unit: "ms", limit: BarLimit::Times(2.0), source: BarSource::Measured(programs::compare_resident) },
    SpeedBar { name: "jq", about: "the same call", peer: "`jq` with the same patterns", unit: "ms", limit: BarLimit::None, source: BarSource::Measured(|room| room.compare_call("jq")) },
    SpeedBar { name: "python3", about: "the same call", peer: "`python3` with the same patterns", unit: "ms", limit: BarLimit::None, source: BarSource::Measured(|room| room.compare_call("python3")) },
    SpeedBar { name: "node", about: "the same call", peer: "`node` with the same patterns", unit: "ms", limit: BarLimit::None, source: BarSource::Measured(|room| room.compare_call("node")) },
    SpeedBar { name: "nah", about: "the same call", peer: "`nah`, as Claude Code starts it", unit: "ms", limit: BarLimit::None, source: BarSource::Measured(|room| room.compare_call("nah")) },
    SpeedBar { name: "cc-safety-net", about: "the same call", peer: "`cc-safety-net`, as Claude Code starts it", unit: "ms", limit: BarLimit::None, source: BarSource::Measured(|room| room.compare_call("cc-safety-net")) },
    SpeedBar { name: "other-hooks", about: "installed call with 1,000 other hook files, resident process", peer: "without them", unit: "ms", limit: BarLimit::Times(1.1), source: BarSource::Measured(programs::compare_other_hooks) },
    SpeedBar { name: "other-hooks-cold", about: "the same call, no resident process", peer: "without them", unit: "ms", limit: BarLimit::None, source: BarSource::Measured(programs::compare_other_hooks_cold) },
    SpeedBar { name: "payload", about: "a payload of 200 KB", peer: "one of 200 B", unit: "ms", limit: BarLimit::Added(2.0), source: BarSource::Measured(programs::compare_payloads) },
    SpeedBar { name: "stranger", about: "processor time of a call in a project of a stranger with 1,500 hook files", peer: "an empty project", unit: "ms", limit: BarLimit::AtMost(100.0), source: BarSource::Measured(programs::compare_stranger) },
    SpeedBar { name: "validate", about: "processor time of `pintle validate` of 10,000 hook files", peer: "`/bin/true`", unit: "ms", limit: BarLimit::AtMost(1_500.0), source: BarSource::Measured(|room| programs::time_many_files(room, &["validate"])) },
    SpeedBar { name: "fire", about: "processor time of `pintle fire` with 10,000 hook files", peer: "`/bin/true`", unit: "ms", limit: BarLimit::AtMost(1_000.0), source: BarSource::Measured(|room| programs::time_many_files(room, &["fire", EventKind::ToolPre.name(), "--hooks"])) },
    SpeedBar { name: "session", about: "the last 100 of 3,200 calls in a session", peer: "its second 100", unit: "ms", limit: BarLimit::Times(1.2), source: BarSource::Measured(session::compare_ends) },
    SpeedBar { name: "think-records", about: "records of one `think`", peer: "none", unit: "records", limit: BarLimit::AtMost(12.0), source: BarSource::Measured(session::count_records) },
    SpeedBar { name: "think-size", about: "bytes of one `think` on the tape", peer: "none", unit: "bytes", limit: BarLimit::AtMost(6.0 * 1024.0), source: BarSource::Measured(session::count_bytes) },
    SpeedBar { name: "idle", about: "10,000 idle sessions in one process", peer: "none", unit: "MB", limit: BarLimit::AtMost(100.0), source: IDLE },
    SpeedBar { name: "idle-taped", about: "10,000 idle sessions with tapes in one process", peer: "none", unit: "MB", limit: BarLimit::AtMost(200.0), source: IDLE_TAPED },
    SpeedBar { name: "stack", about: "the governed stack from text, one dispatch", peer: "its two bare interpreter calls", unit: "ns", limit: BarLimit::Times(3.0), source: GOVERNED },
    SpeedBar { name: "unheard", about: "a dispatch that no hook hears", peer: "none", unit: "ns", limit: BarLimit::AtMost(2_000.0), source: UNHEARD },
    SpeedBar { name: "conditions", about: "1,000 conditions that cannot be analysed", peer: "the governed stack", unit: "ns", limit: BarLimit::AtMost(100_000.0), source: CONDITIONS },
    SpeedBar { name: "patterns", about: "a command of 200 KB searched for eight patterns", peer: "eight passes of `memmem`", unit: "ns", limit: BarLimit::Times(3.0), source: PATTERNS },
    SpeedBar { name: "redecide", about: "1,000,000 recorded calls decided again with three packs", peer: "none", unit: "s", limit: BarLimit::AtMost(60.0), source: BarSource::Measured(recordings::time_calls) },
    SpeedBar { name: "redecide-memory", about: "the most memory that it takes", peer: "100,000 calls", unit: "MB", limit: BarLimit::Times(1.25), source: BarSource::Measured(recordings::compare_memory) },
    SpeedBar { name: "replay", about: "records replayed in a second, one thread, where `sha256sum` does 160 MB/s", peer: "the same tape without that scale", unit: "records/s", limit: BarLimit::AtLeast(150_000.0), source: BarSource::Replay },
];

/// Measures the bars, prints them, and writes the page unless only some were asked for.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let only = match arguments {
        [] => None,
        [option, names @ ..] if option == "--only" && !names.is_empty() => Some(names),
        _ => return Err(String::from("the only option is `--only NAME...`")),
    };
    if let Some(name) = only.unwrap_or_default().iter().find(|name| BARS.iter().all(|bar| bar.name != **name)) {
        let names: Vec<&str> = BARS.iter().map(|bar| bar.name).collect();
        return Err(format!("unknown bar `{name}`; the bars are `{}`", names.join("`, `")));
    }
    build(&workspace.root, &["-p", "pintle-cli"])?;
    let room = BarRoom::new(workspace)?;
    let mut benches = BTreeMap::new();
    let mut rows = Vec::new();
    for bar in BARS.iter().filter(|bar| only.is_none_or(|names| names.iter().any(|name| name == bar.name))) {
        let figure = match bar.source {
            BarSource::Measured(measure) => measure(&room),
            BarSource::Bench { package, bench, figure } => {
                find_figure(workspace, &mut benches, (package, bench), figure)
            }
            BarSource::Replay => {
                find_figure(workspace, &mut benches, ("pintle-tape", "replay"), "records replayed in a second")
                    .and_then(|found| programs::scale_replay(&room, found.value))
            }
        };
        println!("{}", page::render_row(bar, &figure));
        rows.push((bar, figure));
    }
    let mut lines = page::list_missed(&rows);
    if only.is_none() {
        page::write(workspace, &rows)?;
        lines.push(format!("`{}` is written", page::PATH));
    }
    Ok(ChoreReport { lines, passed: true })
}

/// A figure of a bench, which runs once.
fn find_figure(
    workspace: &SourceWorkspace,
    benches: &mut BTreeMap<(&'static str, &'static str), Vec<PrintedFigure>>,
    (package, bench): (&'static str, &'static str),
    figure: &str,
) -> Result<BarFigure, String> {
    let printed = match benches.entry((package, bench)) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(run_bench(workspace, package, bench)?),
    };
    let found = printed.iter().find(|printed| printed.figure == figure);
    let found = found.ok_or_else(|| format!("the bench `{bench}` of `{package}` does not print `{figure}`"))?;
    Ok(BarFigure { value: found.value, peer: found.peer })
}

/// What a bench prints. A bench that misses a bound of its own fails, but its figures count.
fn run_bench(workspace: &SourceWorkspace, package: &str, bench: &str) -> Result<Vec<PrintedFigure>, String> {
    let mut command = cargo(&workspace.root);
    command.args(["bench", "--quiet", "-p", package, "--bench", bench]);
    let output = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
    let figures: Vec<PrintedFigure> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if figures.is_empty() {
        // The last line, as a row of a table has room for one.
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the bench `{bench}` failed: {}", reason.trim().lines().last().unwrap_or_default()));
    }
    Ok(figures)
}

/// Builds a program as it is released.
fn build(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = cargo(root);
    let status = command.args(["build", "--release", "--quiet"]).args(arguments).status();
    match status.map_err(|error| format!("cannot run cargo: {error}"))?.success() {
        true => Ok(()),
        false => Err(format!("`cargo build --release {}` failed", arguments.join(" "))),
    }
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| String::from("cargo")));
    command.current_dir(root);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bar_has_a_name_of_its_own_and_a_limit_that_can_be_missed() {
        let names: std::collections::BTreeSet<&str> = BARS.iter().map(|bar| bar.name).collect();
        assert_eq!(names.len(), BARS.len());
        let figure = BarFigure { value: 3.0, peer: Some(1.0) };
        let met = [BarLimit::Times(3.0), BarLimit::Added(2.0), BarLimit::AtMost(3.0), BarLimit::AtLeast(3.0)];
        assert!(met.into_iter().all(|limit| limit.is_met(&figure) == Some(true)));
        let missed = [BarLimit::Times(2.9), BarLimit::Added(1.9), BarLimit::AtMost(2.9), BarLimit::AtLeast(3.1)];
        assert!(missed.into_iter().all(|limit| limit.is_met(&figure) == Some(false)));
        let alone = BarFigure { peer: None, ..figure };
        assert_eq!(BarLimit::Times(9.0).is_met(&alone), Some(false), "what has no peer cannot be within its limit");
        assert_eq!(BarLimit::None.is_met(&figure), None);
    }
}
