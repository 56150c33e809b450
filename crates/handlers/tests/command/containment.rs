//! No process that a hook starts outlives its call, and no unrelated process is killed.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pintle_contract::{FailureKind, HandlerFactory, Verdict, VerdictKind};
use pintle_handlers::{DefaultHandlerFactory, WorkerProgram};

use crate::fixture::{CommandFixture, command_declaration, shell_command};

/// A way to escape, with `LEAVE` for the process that would stay. It writes its ID to a file and sleeps.
const VARIANTS: &[(&str, &str)] = &[
    ("a child that holds the pipes", "LEAVE &"),
    ("a double fork", "(LEAVE &)"),
    ("a session of its own", "setsid LEAVE &"),
    ("a group of its own", "set -m; LEAVE &"),
    ("a daemon", "(setsid LEAVE <&- >/dev/null 2>&1 &)"),
    ("a daemon without open files", "(setsid LEAVE <&- >&- 2>&- &)"),
    ("a daemon two sessions away", "(setsid sh -c 'setsid LEAVE2 & exit' </dev/null >/dev/null 2>&1 &)"),
    ("a daemon without an environment", "(setsid env -i /bin/sh STAY </dev/null >/dev/null 2>&1 &)"),
    ("nohup", "nohup LEAVE >/dev/null 2>&1 &"),
    ("one that ignores what can be ignored", "trap '' TERM HUP INT QUIT; LEAVE &"),
    ("a stopped child", "LEAVE & kill -STOP $!; kill -CONT $!"),
    ("a stopped daemon", "(setsid sh -c 'LEAVE2 & sleep 0.05; kill -STOP $!' </dev/null >/dev/null 2>&1 &)"),
    ("many generations", "f() { [ $1 -gt 0 ] && (setsid sh -c \". STAY\" & f $(($1-1))) & LEAVE & }; f 5"),
];

/// The way in which the program itself ends, and the result of the call.
const ENDINGS: &[(&str, &str, Option<FailureKind>)] = &[
    ("ends well", "exit 0", None),
    ("ends badly", "exit 1", None),
    ("dies", "kill -9 $$", None),
    ("hangs", "exec sleep 100000", Some(FailureKind::Timeout)),
    ("is stopped", "kill -STOP $$", Some(FailureKind::Timeout)),
];

struct ContainmentFixture {
    folder: tempfile::TempDir,
}

impl ContainmentFixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let scene = Self { folder: dir };
        let stay = format!("echo $$ >>{}; exec sleep 100000\n", scene.pids_file().display());
        fs::write(scene.stay_script(), stay).unwrap();
        scene
    }

    fn pids_file(&self) -> PathBuf {
        self.folder.path().join("pids")
    }

    fn stay_script(&self) -> PathBuf {
        self.folder.path().join("stay")
    }

    /// A script that starts an escaping process, waits until it exists, and continues.
    fn leaving_script(&self, leave: &str, ending: &str) -> String {
        let stay = self.stay_script();
        let leave = leave.replace("LEAVE2", &format!("sh {}", stay.display()));
        let leave = leave.replace("LEAVE", &format!("sh {}", stay.display())).replace("STAY", stay.to_str().unwrap());
        format!("{leave}\nuntil [ -s {} ]; do sleep 0.01; done\n{ending}", self.pids_file().display())
    }

    /// The IDs of escaped processes, at least one, that are still running.
    fn live_pids(&self) -> Vec<String> {
        let pids = fs::read_to_string(self.pids_file()).unwrap();
        assert!(!pids.trim().is_empty(), "nobody left");
        pids.split_whitespace().filter(|pid| Path::new("/proc").join(pid).exists()).map(str::to_owned).collect()
    }
}

#[test]
fn no_descendant_outlives_its_call() {
    for (variant, leave) in VARIANTS {
        // The calls of one variant run concurrently: none may kill the processes of another.
        std::thread::scope(|scope| {
            for ending in ENDINGS {
                scope.spawn(move || assert_nobody_outlives(variant, leave, ending));
            }
        });
    }
}

fn assert_nobody_outlives(variant: &str, leave: &str, (how, ending, failure): &(&str, &str, Option<FailureKind>)) {
    let scene = ContainmentFixture::new();
    let timeout_ms = if failure.is_some() { 1_000 } else { 60_000 };
    let fixture = CommandFixture::new(shell_command(&scene.leaving_script(leave, ending))).with_timeout(timeout_ms);
    let began = Instant::now();
    let verdict = fixture.call_hook();
    let took = began.elapsed();
    assert_eq!(failure_kind(&verdict), *failure, "{variant}; the program {how}: {verdict:?}");
    assert_eq!(scene.live_pids(), Vec::<String>::new(), "{variant}; the program {how}");
    assert!(took < Duration::from_secs(30), "{variant}; the program {how}: {took:?}");
}

fn failure_kind(verdict: &Verdict) -> Option<FailureKind> {
    match &verdict.kind {
        VerdictKind::Failed(failure) => Some(failure.kind),
        _ => None,
    }
}

/// The fork bombs stop by themselves after a few hundred processes, so that a failing test does not block the machine.
#[test]
fn a_fork_bomb_is_over_with_its_call() {
    let same_group = "f() { [ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; LEAVE; }; f 6 &";
    let own_sessions = "setsid sh BOMB 6 &";
    for bomb in [same_group, own_sessions] {
        let scene = ContainmentFixture::new();
        let file = scene.folder.path().join("bomb");
        let stay = scene.stay_script();
        let again = format!("setsid sh {} $(($1-1)) &", file.display());
        fs::write(&file, format!("[ $1 -gt 0 ] && {{ {again} {again} }}\n. {}\n", stay.display())).unwrap();
        let bomb = bomb.replace("BOMB", file.to_str().unwrap());
        for ending in ["exit 0", "sleep 100000"] {
            let fixture = CommandFixture::new(shell_command(&scene.leaving_script(&bomb, ending))).with_timeout(500);
            fixture.call_hook();
            assert_eq!(scene.live_pids(), Vec::<String>::new(), "{bomb}; {ending}");
            let running = processes_naming(scene.folder.path().to_str().unwrap());
            assert_eq!(running, Vec::<String>::new(), "{bomb}; {ending}");
        }
    }
}

/// The command lines of all processes that mention a path.
fn processes_naming(path: &str) -> Vec<String> {
    let read = |entry: std::io::Result<fs::DirEntry>| fs::read(entry.ok()?.path().join("cmdline")).ok();
    let lines = fs::read_dir("/proc").unwrap().filter_map(read);
    lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " ")).filter(|line| line.contains(path)).collect()
}

#[test]
fn calls_at_the_same_time_and_strangers_are_left_alone() {
    let mut stranger = Command::new("sleep");
    stranger.arg("100000").stdin(Stdio::null()).process_group(0);
    let mut stranger = stranger.spawn().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let [ready, go] = ["ready", "go"].map(|name| dir.path().join(name));
    let script = format!(
        "setsid sh -c 'echo >{}; until [ -e {} ]; do sleep 0.01; done; echo still there' & wait",
        ready.display(),
        go.display()
    );
    let sibling = CommandFixture::new(shell_command(&script));
    let told = std::thread::scope(|scope| {
        let told = scope.spawn(|| sibling.call_output());
        while !ready.exists() {
            std::thread::yield_now();
        }
        for (leave, ending) in [("setsid LEAVE &", "exit 0"), ("(setsid LEAVE &)", "exec sleep 100000")] {
            let scene = ContainmentFixture::new();
            CommandFixture::new(shell_command(&scene.leaving_script(leave, ending))).with_timeout(500).call_hook();
            assert_eq!(scene.live_pids(), Vec::<String>::new());
        }
        fs::write(&go, "").unwrap();
        told.join().unwrap()
    });
    assert_eq!(told, "exit 0|still there|");
    assert_eq!(stranger.try_wait().unwrap(), None);
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn a_program_that_kills_its_launcher_is_a_failure_and_the_next_call_works() {
    let failure = CommandFixture::new(shell_command("kill -9 $PPID; sleep 5")).call_failure();
    assert_eq!(
        (failure.kind, &*failure.message),
        (FailureKind::NotStarted, "cannot run `/bin/sh`: the launcher of the program was killed")
    );
    assert_eq!(CommandFixture::new(shell_command("echo on")).call_output(), "exit 0|on|");
}

#[test]
fn a_program_that_stops_its_launcher_leaves_nobody_all_the_same() {
    let over_and_over = "while :; do kill -STOP $PPID; done";
    let from_afar = format!("L=$PPID; (setsid sh -c \"while :; do kill -STOP $L; done\" &); {over_and_over}");
    for ending in ["exit 0", "exec sleep 100000", over_and_over, &from_afar] {
        let scene = ContainmentFixture::new();
        let script = scene.leaving_script("LEAVE &", &format!("kill -STOP $PPID; {ending}"));
        assert_eq!(
            CommandFixture::new(shell_command(&script)).with_timeout(1_000).call_failure().kind,
            FailureKind::Timeout,
            "{ending}"
        );
        // A launcher that is stopped repeatedly continues alone after its call is abandoned.
        let end = Instant::now() + Duration::from_secs(30);
        while !scene.live_pids().is_empty() {
            assert!(Instant::now() < end, "{ending}: still there: {:?}", scene.live_pids());
            std::thread::yield_now();
        }
    }
}

/// Tells this program, started once more, that its launcher is not a launcher.
const SILENT: &str = "PINTLE_TEST_SILENT_LAUNCHER";

#[test]
fn a_launcher_that_says_nothing_is_a_failure_within_the_time_of_the_hook() {
    if std::env::var(SILENT).is_ok() {
        let program = WorkerProgram { program: "/bin/sleep".into(), arguments: vec![String::from("100000")] };
        let handler = DefaultHandlerFactory::new(program)
            .build_handler(&command_declaration("tool.pre", shell_command("exit 0")))
            .handler
            .unwrap();
        let failure = CommandFixture::from_handler(handler).with_timeout(300).call_failure();
        let expected =
            "cannot run `/bin/sh`: its launcher `/bin/sleep` does not respond; rebuild that program with this version";
        assert_eq!((failure.kind, &*failure.message), (FailureKind::NotStarted, expected));
        return;
    }
    // A process has one kind of launcher for its whole life.
    let own_name = "containment::a_launcher_that_says_nothing_is_a_failure_within_the_time_of_the_hook";
    let began = Instant::now();
    let own = std::env::current_exe().unwrap();
    let done = Command::new(own).args(["--exact", own_name]).env(SILENT, "1").output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert!(began.elapsed() < Duration::from_secs(4), "the launcher was waited for longer than the hook");
}

/// Tells this program, started once more, that it is the host to be killed.
const HOST: &str = "PINTLE_TEST_HOST_SCRIPT";

#[test]
fn what_a_killed_host_had_started_ends_too() {
    if let Ok(script) = std::env::var(HOST) {
        CommandFixture::new(shell_command(&script)).call_hook();
        return;
    }
    let scene = ContainmentFixture::new();
    let own_name = "containment::what_a_killed_host_had_started_ends_too";
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args(["--exact", own_name]).env(HOST, scene.leaving_script("(setsid LEAVE &)", "exec sleep 100000"));
    let mut host = host.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !fs::read_to_string(scene.pids_file()).is_ok_and(|pids| pids.ends_with('\n')) {
        std::thread::yield_now();
    }
    host.kill().unwrap();
    host.wait().unwrap();
    // The launcher cannot report that it is done: it has lost its host.
    let end = Instant::now() + Duration::from_secs(30);
    while !scene.live_pids().is_empty() {
        assert!(Instant::now() < end, "still there: {:?}", scene.live_pids());
        std::thread::yield_now();
    }
}
