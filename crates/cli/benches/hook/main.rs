//! What `pintle hook claude` costs as a whole process, beside other programs that do the same check.
//!
//! All of them are started in turn, again and again, so that a machine whose speed drifts slows them all alike. What
//! counts is the median of the wall time from before the start to after the end, once for a call that is allowed and once
//! for one that is denied. Programs that are not there are left out. `pintle hook` asks the policies of
//! `examples/governed-agent`, and keeps its session and its tape as always; the others know the patterns of its command
//! guard and nothing else. The bar is for `pintle hook`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails by panicking")]

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

/// How often each program is started for each call.
const ROUNDS: usize = 100;
/// How many rounds are one session, whose state grows with every call of a turn.
const SESSION_ROUNDS: usize = 25;
/// What a call may take.
const BAR: Duration = Duration::from_millis(5);
/// What each of the calls is called, and its command line.
const CALLS: [(&str, &str); 2] = [("allow", "cargo test --workspace"), ("deny", "sudo rm -rf / --no-preserve-root")];

struct HookContender {
    name: &'static str,
    program: PathBuf,
    arguments: Vec<String>,
    /// Whether it says no to what is dangerous.
    is_checking: bool,
    /// What it took for each of the calls.
    durations: [Vec<Duration>; CALLS.len()],
}

fn main() -> ExitCode {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/hook");
    let room = tempfile::tempdir().unwrap();
    let (governed, bare) = (room.path().join("governed"), room.path().join("bare"));
    write_policies(&governed);
    fs::create_dir(&bare).unwrap();
    fs::create_dir(room.path().join("config")).unwrap();
    let file = |name: &str| dir.join(name).display().to_string();
    let pintle = PathBuf::from(env!("CARGO_BIN_EXE_pintle"));
    let hook = |hooks: &Path| ["hook", "claude", "--hooks", &hooks.display().to_string()].map(str::to_owned).to_vec();
    let contender = |name, program, arguments, checks| HookContender {
        name,
        program,
        arguments,
        is_checking: checks,
        durations: Default::default(),
    };
    let shell = |line: &str| vec![String::from("-c"), line.to_owned()];
    let mut contenders = vec![
        contender("pintle hook, governed agent", pintle.clone(), hook(&governed), true),
        contender("pintle hook, no hooks", pintle.clone(), hook(&bare), false),
        contender("pintle --version", pintle, vec![String::from("--version")], false),
        contender("/bin/true", PathBuf::from("/bin/true"), Vec::new(), false),
        contender("sh -c", PathBuf::from("/bin/sh"), shell(":"), false),
        contender("jq", PathBuf::from("jq"), vec![String::from("-c"), String::from("-f"), file("check.jq")], true),
        contender("python3", find_python(), vec![file("check.py")], true),
        contender("node", PathBuf::from("node"), vec![file("check.js")], true),
    ];
    contenders.retain(|contender| run_contender(contender, "", room.path()).is_some());
    for round in 0..ROUNDS {
        let session = format!("bench-{}", round / SESSION_ROUNDS);
        let payloads = CALLS.map(|(_, line)| build_payload(room.path(), &session, line));
        for contender in &mut contenders {
            for (index, payload) in payloads.iter().enumerate() {
                let (took, output) = run_contender(contender, payload, room.path()).unwrap();
                let said = String::from_utf8_lossy(&output.stdout).replace(' ', "");
                let denied = said.contains(r#""permissionDecision":"deny""#);
                assert_eq!(denied, contender.is_checking && index == 1, "{}: {output:?}", contender.name);
                contender.durations[index].push(took);
            }
        }
    }
    let mut out = io::stdout().lock();
    let mut is_met = true;
    for (index, (call, _)) in CALLS.iter().enumerate() {
        let title = format!("whole process, {call}");
        writeln!(out, "{title:<32} {:>10} {:>10} {:>10}", "median", "p10", "p90").unwrap();
        for contender in &mut contenders {
            let took = &mut contender.durations[index];
            took.sort_unstable();
            let at = |share: usize| took[took.len() * share / 100];
            let ms = |share: usize| format!("{:.2} ms", at(share).as_secs_f64() * 1_000.0);
            writeln!(out, "{:<32} {:>10} {:>10} {:>10}", contender.name, ms(50), ms(10), ms(90)).unwrap();
            is_met &= !contender.name.starts_with("pintle") || at(50) <= BAR;
        }
    }
    writeln!(out, "the bar of {BAR:?} is {}", if is_met { "met" } else { "missed" }).unwrap();
    if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The policies of the governed agent, with the name of a shell as every host's calls have it.
fn write_policies(dir: &Path) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/governed-agent");
    for part in ["", ".harness/hooks", ".harness/tools", ".harness/agents"] {
        fs::create_dir_all(dir.join(part)).unwrap();
        for entry in fs::read_dir(example.join(part)).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                let text = fs::read_to_string(entry.path()).unwrap();
                let text = text.replace(r#"payload["name"] == "run_command""#, r#"payload["name"] == "shell""#);
                fs::write(dir.join(part).join(entry.file_name()), text).unwrap();
            }
        }
    }
}

fn build_payload(cwd: &Path, session: &str, line: &str) -> String {
    let payload = serde_json::json!({
        "session_id": session, "transcript_path": "/dev/null", "cwd": cwd, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": line, "description": "what the agent wants"},
    });
    payload.to_string()
}

/// Runs it once. `None` where there is no such program.
fn run_contender(contender: &HookContender, payload: &str, state: &Path) -> Option<(Duration, Output)> {
    let began = Instant::now();
    let mut child = Command::new(&contender.program)
        .args(&contender.arguments)
        .env("PINTLE_STATE_DIR", state.join("state"))
        .env("PINTLE_CONFIG_DIR", state.join("config"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // `/bin/true` reads nothing, and may be gone already.
    let _ = child.stdin.take().unwrap().write_all(payload.as_bytes());
    let output = child.wait_with_output().unwrap();
    Some((began.elapsed(), output))
}

/// The interpreter itself, where `python3` is a script that looks for one.
fn find_python() -> PathBuf {
    let told = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let path = told.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    PathBuf::from(path.as_deref().map_or("python3", str::trim))
}
