//! Scores the packs on the labelled corpus, beside other guards.
//!
//! The calls of the corpus are made in a repository below a home directory of their own, so that every guard sees real
//! directories. Nothing of the corpus is executed.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jiff::Timestamp;
use pintle_host::contract::ToolKind;
use pintle_host::files::resolve_links;
use pintle_host::packs::{PackDef, PackSettings, RuleSeverity, RuledCall, default_packs, judge, packs};
use pintle_host::shell::{CallSite, operations_of_call};
use serde_json::{Value, json};
use xtask::{ChoreReport, SourceWorkspace};

/// The parts of the corpus. Calls of the second are only ever scored, never shown.
const PARTS: [&str; 2] = ["building", "scored"];
/// The home directory that the corpus is written for, and the project below it.
const WRITTEN_HOME: &str = "/home/dev";
const PROJECT: &str = "shop";
/// Where the figures go.
const PAGE: &str = "docs/reference/scorecard.md";

/// A call with its label.
struct LabelledCall {
    row: Value,
    area: String,
    must_stop: bool,
    is_evasion: bool,
}

/// How many calls of a kind there are, and how many were stopped.
#[derive(Debug, Default, Clone, Copy)]
struct StopCount {
    total: usize,
    stopped: usize,
}

impl StopCount {
    fn add(&mut self, stopped: bool) {
        self.total += 1;
        self.stopped += usize::from(stopped);
    }

    fn percent(self) -> f64 {
        let (total, stopped) = (u32::try_from(self.total), u32::try_from(self.stopped));
        match (total, stopped) {
            (Ok(total), Ok(stopped)) if total > 0 => 100.0 * f64::from(stopped) / f64::from(total),
            _ => 0.0,
        }
    }

    fn show(self) -> String {
        format!("{} of {} ({:.1} %)", self.stopped, self.total, self.percent())
    }
}

/// Another guard that judges the same calls.
struct PeerGuard {
    name: &'static str,
    /// Its settings, as the page names them.
    level: &'static str,
    /// The program that the calls are given to, one on a line.
    script: &'static str,
    /// What is behind it: for `judge_by_hook.py`, the guard's own command.
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    /// How it is installed.
    install: &'static str,
}

/// Every other guard, each with its defaults and with everything on.
const PEERS: &[PeerGuard] = &[
    PeerGuard {
        name: "nah 0.11",
        level: "defaults",
        script: "judge_by_nah.py",
        arguments: &[],
        variables: &[],
        install: "pip install nah==0.11.0",
    },
    PeerGuard {
        name: "cc-safety-net 2.4",
        level: "standard, its default",
        script: "judge_by_hook.py",
        arguments: &["cc-safety-net", "hook", "--claude-code"],
        variables: &[("CC_SAFETY_NET_LEVEL", "standard")],
        install: "npm install --global cc-safety-net@2.4.5",
    },
    PeerGuard {
        name: "cc-safety-net 2.4",
        level: "paranoid, its strictest",
        script: "judge_by_hook.py",
        arguments: &["cc-safety-net", "hook", "--claude-code"],
        variables: &[("CC_SAFETY_NET_LEVEL", "paranoid")],
        install: "npm install --global cc-safety-net@2.4.5",
    },
];

/// What a guard makes of a part of the corpus: whether it stops each call.
struct GuardScore {
    name: String,
    stopped: Vec<bool>,
}

pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let home = make_home(&workspace.root.join("target/scorecard"))?;
    let mut lines = Vec::new();
    let mut page = String::from(PAGE_HEAD);
    let mut passed = true;
    // `--file PATH`: a corpus of the user's own, in the same format.
    let own_file = arguments.iter().position(|argument| argument == "--file").and_then(|at| arguments.get(at + 1));
    let parts = match own_file {
        Some(file) => vec![("own", PathBuf::from(file))],
        None => PARTS.map(|part| (part, workspace.root.join(format!("lab/scorecard/{part}.jsonl")))).into(),
    };
    for (part, file) in parts {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let calls = read_calls(&text.replace(WRITTEN_HOME, &home.to_string_lossy()))?;
        let score = |name: &str, packs: &[&'static PackDef]| GuardScore {
            name: name.to_owned(),
            stopped: calls.iter().map(|call| is_stopped(call, &home, packs)).collect(),
        };
        let mut scores = vec![
            score("Pintle, all packs", &packs().iter().collect::<Vec<_>>()),
            score("Pintle, default packs", &default_packs().collect::<Vec<_>>()),
        ];
        let own: Vec<bool> = scores.first().map(|score| score.stopped.clone()).unwrap_or_default();
        if part != "scored" && has("--show") {
            let wrong = calls.iter().zip(&own).filter(|(call, stopped)| call.must_stop != **stopped);
            lines.extend(
                wrong.map(|(call, stopped)| format!("{} {}", if *stopped { "disturbed" } else { "missed" }, call.row)),
            );
        }
        if !has("--alone") {
            for peer in PEERS {
                let stopped = judge_by_peer(&workspace.root, &home, &calls, peer)?;
                scores.push(GuardScore { name: format!("{} ({})", peer.name, peer.level), stopped });
            }
        }
        let tables = format!("{}\n{}", render_guards(&calls, &scores), render_areas(&calls, &own));
        let _ = writeln!(page, "\n## `{part}.jsonl`: {} calls\n\n{tables}", calls.len());
        lines.push(format!("{part}.jsonl: {} calls", calls.len()));
        lines.extend(tables.lines().map(str::to_owned));
        let (stops, passes) = count(&calls, &own, |_| true);
        if part == "scored" {
            passed &= stops.percent() >= 97.0 && passes.percent() <= 2.0;
        }
    }
    if has("--write") {
        page = page.replace("DATE", &Timestamp::now().strftime("%Y-%m-%d").to_string());
        fs::write(workspace.root.join(PAGE), page).map_err(|error| error.to_string())?;
        lines.push(format!("wrote {PAGE}"));
    }
    Ok(ChoreReport { lines, passed })
}

const PAGE_HEAD: &str = "# Scorecard of the packs

*Written by `cargo lab scorecard --write` on DATE.*

The packs, [nah](https://pypi.org/project/nah/) and [cc-safety-net](https://www.npmjs.com/package/cc-safety-net) judge the
same labelled tool calls in one run, each with its defaults and, where it has more, with everything on. The corpus, with
its rules for labels, is in [`lab/scorecard`](../../lab/scorecard/README.md). A call is *stopped* if it
is denied or the user is asked. `building.jsonl` was looked at while rules were written; `scored.jsonl` was only ever
scored. nah runs without a language model, by its Python module, and has nothing stricter to switch on; cc-safety-net
runs as the hook of Claude Code, and denies where others ask. PowerShell, fetches, deletes and moves by tools are given to
both as command lines. destructive_command_guard 0.16 needs a newer Rust than this repository and was not built.
";

/// Makes the home directory of the corpus with its repository.
fn make_home(dir: &Path) -> Result<PathBuf, String> {
    let home = dir.join("home/dev");
    let project = home.join(PROJECT);
    fs::create_dir_all(project.join("src")).map_err(|error| error.to_string())?;
    let made = Command::new("git").args(["init", "-q"]).arg(&project).status();
    match made {
        Ok(status) if status.success() => Ok(home),
        Ok(status) => Err(format!("git init ended with {status}")),
        Err(error) => Err(format!("git cannot be started: {error}")),
    }
}

fn read_calls(text: &str) -> Result<Vec<LabelledCall>, String> {
    let read = |line: &str| -> Result<LabelledCall, String> {
        let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_evasion = row.get("evasion").and_then(Value::as_bool).unwrap_or_default();
        Ok(LabelledCall { area: text("area"), must_stop: text("label") == "stop", is_evasion, row })
    };
    text.lines().map(read).collect()
}

/// Whether the packs deny a call or ask about it.
fn is_stopped(call: &LabelledCall, home: &Path, packs: &[&'static PackDef]) -> bool {
    let project = home.join(PROJECT);
    let site = CallSite::new(&project, &project).with_home(Some(home)).resolved_by(&resolve_links);
    let row = &call.row;
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let (kind, name, args) = match text("tool") {
        "" if text("shell") == "powershell" => (ToolKind::Shell, "powershell", json!({"command": row.get("command")})),
        "" => (ToolKind::Shell, "shell", json!({"command": row.get("command")})),
        "read" => (ToolKind::Read, "read", json!({"path": text("path")})),
        "write" => (ToolKind::Write, "write", json!({"path": text("path"), "content": text("content")})),
        "edit" => (ToolKind::Edit, "edit", json!({"path": text("path"), "new": text("content")})),
        "delete" => (ToolKind::Delete, "delete", json!({"path": text("path")})),
        "move" => (ToolKind::Move, "move", json!({"path": text("path"), "to": text("to")})),
        _ => (ToolKind::Fetch, "fetch", json!({"url": text("url")})),
    };
    let operations = operations_of_call(kind, name, &args, &site);
    let settings = PackSettings::default();
    packs
        .iter()
        .flat_map(|pack| judge(pack, &settings, RuledCall::of_operations(&operations)))
        .any(|found| found.severity > RuleSeverity::Warn)
}

/// Whether another guard stops each call.
fn judge_by_peer(root: &Path, home: &Path, calls: &[LabelledCall], peer: &PeerGuard) -> Result<Vec<bool>, String> {
    let mut child = Command::new("python3")
        .arg(root.join("lab/scorecard").join(peer.script))
        .args(peer.arguments)
        .current_dir(home.join(PROJECT))
        .env("HOME", home)
        .envs(peer.variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("python3 cannot be started: {error}"))?;
    let input: String = calls.iter().map(|call| format!("{}\n", call.row)).collect();
    let mut stdin = child.stdin.take().ok_or("python3 has no input")?;
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let _ = writer.join();
    let decisions: Vec<bool> =
        String::from_utf8_lossy(&output.stdout).lines().map(|decision| !decision.starts_with("allow")).collect();
    if decisions.len() == calls.len() {
        Ok(decisions)
    } else {
        Err(format!("{} did not judge every call; install it with `{}`, or pass `--alone`", peer.name, peer.install))
    }
}

/// The stopped calls among those that must not pass, and among the harmless ones.
fn count(calls: &[LabelledCall], stopped: &[bool], wants: impl Fn(&LabelledCall) -> bool) -> (StopCount, StopCount) {
    let mut counts = (StopCount::default(), StopCount::default());
    for (call, stopped) in calls.iter().zip(stopped).filter(|(call, _)| wants(call)) {
        if call.must_stop { counts.0.add(*stopped) } else { counts.1.add(*stopped) }
    }
    counts
}

/// A row for each guard.
fn render_guards(calls: &[LabelledCall], scores: &[GuardScore]) -> String {
    let mut table = String::from(
        "| | must not pass: stopped | harmless: disturbed | evasions: stopped | bash only: stopped |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    for GuardScore { name, stopped } in scores {
        let (stops, passes) = count(calls, stopped, |_| true);
        let (evasions, _) = count(calls, stopped, |call| call.is_evasion);
        let (lines, _) = count(calls, stopped, is_bash_line);
        let row = [stops, passes, evasions, lines].map(StopCount::show).join(" | ");
        let _ = writeln!(table, "| {name} | {row} |");
    }
    table
}

/// A row for each area, with all packs.
fn render_areas(calls: &[LabelledCall], own: &[bool]) -> String {
    let mut areas: Vec<&str> = calls.iter().map(|call| call.area.as_str()).collect();
    areas.sort_unstable();
    areas.dedup();
    let mut table =
        String::from("| all packs, by area | must not pass: stopped | harmless: disturbed |\n| --- | --- | --- |\n");
    for area in areas {
        let (stops, passes) = count(calls, own, |call| call.area == area);
        let _ = writeln!(table, "| {area} | {} | {} |", stops.show(), passes.show());
    }
    table
}

fn is_bash_line(call: &LabelledCall) -> bool {
    call.row.get("shell").is_none() && call.row.get("tool").is_none()
}
