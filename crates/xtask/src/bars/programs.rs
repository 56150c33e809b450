//! Programs that are started in turn, so that a machine whose speed drifts slows them all alike.

use std::cell::{Cell, OnceCell};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;
use xtask::SourceWorkspace;

use super::recordings::RedecisionCost;
use super::{BarFigure, build};

/// How often a program is started, and one that takes long.
pub(super) const ROUNDS: usize = 200;
pub(super) const LONG_ROUNDS: usize = 21;
/// How many rounds are one session of an agent, whose state grows with every call of a turn.
const SESSION_ROUNDS: usize = 25;
/// What the session is called in the input of a program.
const SESSION: &str = "SESSION";
/// The processor time of a program is that which a shell prints.
const TIMED: &str = r#"TIMEFORMAT='%3U %3S'; { time "$0" "$@" > /dev/null 2>&1; } 2>&1"#;
/// The command line that every call asks about.
const COMMAND: &str = "cargo test --workspace";
/// The speed of `sha256sum` to which the speed of a replay is scaled, in bytes a second.
const SHA_BYTES: f64 = 160e6;

/// The programs, and directories for what they read and write.
#[derive(Debug)]
pub(super) struct BarRoom {
    dir: TempDir,
    repository: PathBuf,
    pub(super) pintle: PathBuf,
    /// How many sessions the calls have had.
    session_count: Cell<usize>,
    /// The tape of a long session, once it was played.
    pub(super) session: OnceCell<Result<String, String>>,
    /// What many and few recorded calls took to decide again, once that was measured.
    pub(super) redecisions: OnceCell<Result<[RedecisionCost; 2], String>>,
}

/// A program, its arguments and what it reads.
#[derive(Debug)]
struct TimedProgram {
    program: PathBuf,
    arguments: Vec<String>,
    input: String,
}

impl BarRoom {
    pub(super) fn new(workspace: &SourceWorkspace) -> Result<Self, String> {
        let dir = tempfile::tempdir().map_err(|error| format!("cannot make a directory: {error}"))?;
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.root.join("target"), PathBuf::from);
        let pintle = target.join("release/pintle");
        let repository = workspace.root.clone();
        let (session, redecisions) = (OnceCell::new(), OnceCell::new());
        let room = Self { dir, repository, pintle, session_count: Cell::new(0), session, redecisions };
        room.write_governed("governed", 0).map_err(|error| format!("cannot write hooks: {error}"))?;
        for name in ["config", "state", "home", "empty"] {
            fs::create_dir_all(room.path(name)).map_err(|error| format!("cannot make a directory: {error}"))?;
        }
        Ok(room)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes the policies of the governed agent, with the name of a shell as in every host's calls, and other hooks.
    fn write_governed(&self, name: &str, others: usize) -> std::io::Result<()> {
        let hooks = self.path(name).join(".harness/hooks");
        fs::create_dir_all(&hooks)?;
        for entry in fs::read_dir(self.repository.join("examples/governed-agent/.harness/hooks"))? {
            let path = entry?.path();
            let text = fs::read_to_string(&path)?;
            let text = text.replace(r#"payload["name"] == "run_command""#, r#"payload["name"] == "shell""#);
            fs::write(hooks.join(path.file_name().unwrap_or_default()), text)?;
        }
        write_others(&hooks, others)
    }

    /// A program of this machine, in a directory without anybody's configuration.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("PINTLE_STATE_DIR", self.path("state")).env("PINTLE_CONFIG_DIR", self.path("config"));
        command.env("HOME", self.path("home")).current_dir(self.path("empty"));
        command
    }

    /// What Claude Code sends before it runs a command line.
    fn call_input(&self, command: &str, project: &str) -> String {
        let payload = serde_json::json!({
            "session_id": SESSION, "transcript_path": "/dev/null", "cwd": self.path(project), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
            "tool_input": {"command": command, "description": "what the agent wants"},
        });
        payload.to_string()
    }

    fn pintle_hook(&self, hooks: &str) -> TimedProgram {
        let hooks = self.path(hooks).display().to_string();
        let arguments = ["hook", "claude", "--hooks", &hooks].map(str::to_owned).to_vec();
        TimedProgram { program: self.pintle.clone(), arguments, input: self.call_input(COMMAND, "empty") }
    }

    /// The program that asks a resident process, in a directory with the full one, as they are installed: as a static
    /// program if this machine builds one, which starts sooner.
    fn install_client(&self) -> Result<PathBuf, String> {
        let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
        let library = Command::new("rustc").args(["--print", "target-libdir", "--target", &target]).output();
        let library = library.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
        let is_static = library.is_ok_and(|dir| dir.is_dir());
        let release = self.pintle.parent().ok_or("the program has no directory")?;
        let mut arguments = vec!["-p", "pintle-hook", "--example", "pintle-hook"];
        let built = if is_static {
            arguments.extend(["--target", &target]);
            release.join("..").join(&target).join("release/examples/pintle-hook")
        } else {
            release.join("examples/pintle-hook")
        };
        build(&self.repository, &arguments)?;
        let dir = self.path("bin");
        let client = dir.join("pintle-hook");
        let installed = fs::create_dir_all(&dir)
            .and_then(|()| fs::copy(&self.pintle, dir.join("pintle")))
            .and_then(|_| fs::copy(built, &client));
        installed.map_err(|error| format!("cannot install the programs: {error}"))?;
        Ok(client)
    }

    /// A call of the governed stack beside another program that gets the same input.
    pub(super) fn compare_call(&self, peer: &str) -> Result<BarFigure, String> {
        let script = |name: &str| self.repository.join("crates/cli/benches/hook").join(name).display().to_string();
        let (program, arguments) = match peer {
            "true" => ("/bin/true", Vec::new()),
            "jq" => ("jq", vec![String::from("-c"), String::from("-f"), script("check.jq")]),
            "python3" => ("python3", vec![script("check.py")]),
            "node" => ("node", vec![script("check.js")]),
            "nah" => ("nah", vec![String::from("_claude-hook")]),
            other => (other, vec![String::from("hook"), String::from("--claude-code")]),
        };
        let program = if peer == "python3" { find_python() } else { PathBuf::from(program) };
        let peer = TimedProgram { program, arguments, input: self.call_input(COMMAND, "empty") };
        self.compare(&[self.pintle_hook("governed"), peer], ROUNDS)
    }

    /// The median wall times of a program and its peer, in milliseconds.
    fn compare(&self, programs: &[TimedProgram; 2], rounds: usize) -> Result<BarFigure, String> {
        self.compare_times(programs, rounds, |program, session| self.time(program, session))
    }

    /// The same with the processor time of the programs and of all that they wait for.
    fn compare_processor(&self, programs: &[TimedProgram; 2], rounds: usize) -> Result<BarFigure, String> {
        self.compare_times(programs, rounds, |program, session| self.time_processor(program, session))
    }

    fn compare_times(
        &self,
        programs: &[TimedProgram; 2],
        rounds: usize,
        time: impl Fn(&TimedProgram, &str) -> Result<f64, String>,
    ) -> Result<BarFigure, String> {
        let mut times = [Vec::with_capacity(rounds), Vec::with_capacity(rounds)];
        for round in 0..=rounds {
            if round % SESSION_ROUNDS == 0 {
                self.session_count.set(self.session_count.get() + 1);
            }
            for (index, (program, times)) in programs.iter().zip(&mut times).enumerate() {
                // A session stays with the project that it began in, so each program has its own.
                let took = time(program, &format!("bars-{}-{index}", self.session_count.get()))?;
                // The first round fills caches.
                if round > 0 {
                    times.push(took);
                }
            }
        }
        let [value, peer] = times.map(median);
        Ok(BarFigure { value, peer: Some(peer) })
    }

    /// The wall time of one run, in milliseconds.
    fn time(&self, program: &TimedProgram, session: &str) -> Result<f64, String> {
        let TimedProgram { program, arguments, input } = program;
        let input = input.replace(SESSION, session);
        let mut command = self.command(program);
        command.args(arguments);
        let began = Instant::now();
        run(&mut command, program, &input)?;
        Ok(began.elapsed().as_secs_f64() * 1e3)
    }

    /// The processor time of one run, in milliseconds.
    fn time_processor(&self, program: &TimedProgram, session: &str) -> Result<f64, String> {
        let TimedProgram { program, arguments, input } = program;
        let mut command = self.command(Path::new("bash"));
        command.arg("-c").arg(TIMED).arg(program).args(arguments);
        let printed = run(&mut command, Path::new("bash"), &input.replace(SESSION, session))?;
        let seconds = printed.split_whitespace().map(str::parse::<f64>).sum::<Result<f64, _>>();
        seconds.map(|seconds| seconds * 1e3).map_err(|_| format!("`bash` printed no times: {}", printed.trim()))
    }
}

/// What a program prints for an input.
fn run(command: &mut Command, program: &Path, input: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("`{}` is not installed", program.display()),
        _ => format!("cannot run `{}`: {error}", program.display()),
    };
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // Some programs read nothing, and may have ended already.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Hook files that do not concern the call.
fn write_others(dir: &Path, count: usize) -> std::io::Result<()> {
    fs::create_dir_all(dir)?;
    for number in 0..count {
        let text = format!(
            "---\nevent: tool.pre\nwhen: payload[\"name\"] == \"tool_{number}\"\nscript: |\n  def handle(event, payload):\n      \
             return block(\"not this one\")\n---\n"
        );
        fs::write(dir.join(format!("other_{number}.md")), text)?;
    }
    Ok(())
}

/// A call that a resident process answers, beside a shell that does nothing.
pub(super) fn compare_resident(room: &BarRoom) -> Result<BarFigure, String> {
    let call = TimedProgram { program: room.install_client()?, ..room.pintle_hook("governed") };
    let shell = TimedProgram {
        program: PathBuf::from("/bin/sh"),
        arguments: vec![String::from("-c"), String::from(":")],
        input: String::new(),
    };
    compare_with_resident(room, &[call, shell])
}

/// Compares programs while a resident process answers, the first of them in every round.
fn compare_with_resident(room: &BarRoom, programs: &[TimedProgram; 2]) -> Result<BarFigure, String> {
    let [call, _] = programs;
    // The first call starts the resident process, which has to be ready before the others.
    room.time(call, "bars")?;
    std::thread::sleep(std::time::Duration::from_secs(2));
    let figure = room.compare(programs, ROUNDS);
    let status = run(room.command(&room.pintle).args(["serve", "status", "--json"]), &room.pintle, "")?;
    // A resident process that cannot be stopped ends by itself.
    let _ = run(room.command(&room.pintle).args(["serve", "stop"]), &room.pintle, "");
    let status: serde_json::Value = serde_json::from_str(&status).unwrap_or_default();
    let calls = status.pointer("/0/resident/calls").and_then(serde_json::Value::as_u64).unwrap_or_default();
    if calls >= ROUNDS as u64 { figure } else { Err(format!("a resident process answered only {calls} calls")) }
}

/// The governed stack among 1,000 other hook files, and alone, while a resident process answers.
pub(super) fn compare_other_hooks(room: &BarRoom) -> Result<BarFigure, String> {
    let (client, programs) = (room.install_client()?, crowded_programs(room)?);
    compare_with_resident(room, &programs.map(|call| TimedProgram { program: client.clone(), ..call }))
}

/// The same without a resident process. A fifth of such a call only looks at the files.
pub(super) fn compare_other_hooks_cold(room: &BarRoom) -> Result<BarFigure, String> {
    room.compare(&crowded_programs(room)?, ROUNDS)
}

/// A call of the governed stack among 1,000 other hook files, and alone.
fn crowded_programs(room: &BarRoom) -> Result<[TimedProgram; 2], String> {
    room.write_governed("crowded", 1_000).map_err(|error| format!("cannot write hooks: {error}"))?;
    Ok(["crowded", "governed"].map(|hooks| room.pintle_hook(hooks)))
}

/// A call with a comment of 200 KB, and a short one.
pub(super) fn compare_payloads(room: &BarRoom) -> Result<BarFigure, String> {
    let long = format!("{COMMAND} # {}", "a word ".repeat(200_000 / 7));
    let large = TimedProgram { input: room.call_input(&long, "empty"), ..room.pintle_hook("governed") };
    room.compare(&[large, room.pintle_hook("governed")], ROUNDS)
}

/// A call in a project that has many hooks without an agreement, and in one that has none.
pub(super) fn compare_stranger(room: &BarRoom) -> Result<BarFigure, String> {
    let hooks = room.path("stranger/.harness/hooks");
    write_others(&hooks, 1_500).map_err(|error| format!("cannot write hooks: {error}"))?;
    let call = |project: &str| TimedProgram {
        program: room.pintle.clone(),
        arguments: vec![String::from("hook"), String::from("claude")],
        input: room.call_input(COMMAND, project),
    };
    room.compare_processor(&[call("stranger"), call("empty")], LONG_ROUNDS)
}

/// A command of the program with 10,000 hook files.
pub(super) fn time_many_files(room: &BarRoom, arguments: &[&str]) -> Result<BarFigure, String> {
    let dir = room.path("many");
    if !dir.exists() {
        write_others(&dir, 10_000).map_err(|error| format!("cannot write hooks: {error}"))?;
    }
    let mut arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    arguments.push(dir.display().to_string());
    let input = String::from(r#"{"id":"1","name":"run_command","args":{"command":"ls"}}"#);
    let program = TimedProgram { program: room.pintle.clone(), arguments, input };
    let idle = TimedProgram { program: PathBuf::from("/bin/true"), arguments: Vec::new(), input: String::new() };
    room.compare_processor(&[program, idle], LONG_ROUNDS)
}

/// The speed of a replay as it would be where `sha256sum` does 160 MB/s. The peer is the speed on this machine.
pub(super) fn scale_replay(room: &BarRoom, rate: f64) -> Result<BarFigure, String> {
    let size = 64 << 20;
    let path = room.path("zeros");
    fs::write(&path, vec![0; size]).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
    let sum = TimedProgram {
        program: PathBuf::from("sha256sum"),
        arguments: vec![path.display().to_string()],
        input: String::new(),
    };
    let idle = TimedProgram { program: PathBuf::from("/bin/true"), arguments: Vec::new(), input: String::new() };
    let BarFigure { value, peer, .. } = room.compare(&[sum, idle], LONG_ROUNDS)?;
    let bytes_per_second = size as f64 / (value - peer.unwrap_or_default()) * 1e3;
    Ok(BarFigure { value: rate * SHA_BYTES / bytes_per_second, peer: Some(rate) })
}

/// The interpreter itself, where `python3` is a script that looks for one.
fn find_python() -> PathBuf {
    let told = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let path = told.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    PathBuf::from(path.as_deref().map_or("python3", str::trim))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
