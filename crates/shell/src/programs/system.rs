//! Programs that change processes and the system.

use super::ProgramCall;
use crate::walk::{CommandWalk, ParsedOptions, Taint, TextFlow};
use crate::{Operation, OperationKind};

/// Processes that belong to the system or to Pintle and the agents.
const SYSTEM_PROCESSES: [&str; 26] = [
    "systemd",
    "init",
    "launchd",
    "sshd",
    "dockerd",
    "docker",
    "containerd",
    "Xorg",
    "gnome-shell",
    "WindowServer",
    "loginwindow",
    "Finder",
    "cron",
    "crond",
    "rsyslogd",
    "auditd",
    "dbus-daemon",
    "NetworkManager",
    "firewalld",
    "kernel",
    "falcon-sensor",
    "osqueryd",
    "clamd",
    "explorer",
    "lsass",
    "postgres",
];
const GUARD_PROCESSES: [&str; 7] = ["pintle", "claude", "codex", "gemini", "copilot", "qwen", "opencode"];

pub(super) fn run_kill(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if parsed.has("l", "list") || call.has_arg(&["-0"]) {
        return TextFlow::default();
    }
    let all = call.name == "kill" && call.args.iter().skip(1).any(|arg| arg.text == "-1") && call.args.len() > 1;
    let is_first_process = call.name == "kill" && parsed.operands.iter().any(|arg| arg.text == "1");
    let named: Vec<&str> =
        call.args.iter().map(|arg| arg.text.as_str()).filter(|text| !text.starts_with('-')).collect();
    let names = |list: &[&str]| {
        call.name != "kill"
            && named.iter().any(|name| {
                let plain = name.trim_matches(['^', '$', '.', '*']).trim_end_matches(".exe");
                list.iter().any(|known| {
                    plain.eq_ignore_ascii_case(known)
                        || plain.split(['/', ' ']).any(|part| part == *known && *known == "pintle")
                })
            })
    };
    let every_process = call.name != "kill"
        && (named.iter().any(|name| matches!(*name, "." | ".*" | "" | "*"))
            || parsed.has("u", "user") && named.len() <= 1 && call.name != "pkill"
            || call.name == "pkill"
                && call.args.iter().any(|arg| arg.text == "-u" || arg.text == "-U")
                && named.len() <= 1);
    let listed = call.stdin.text.is_none()
        && parsed.operands.iter().any(|arg| arg.text.contains(crate::paths::UNKNOWN) && arg.taint.has(Taint::SECRET));
    let action = match () {
        () if names(&GUARD_PROCESSES) => {
            walk.push(Operation::new(OperationKind::Guard, call.name).action("kill").written(named.join(" ")));
            return TextFlow::default();
        }
        () if all || every_process || listed => "everything",
        () if is_first_process || names(&SYSTEM_PROCESSES) => "system_process",
        () => "",
    };
    walk.push(Operation::new(OperationKind::Kill, call.name).action(action).written(named.join(" ")));
    TextFlow::default()
}

pub(super) fn run_crontab(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if parsed.has("l", "") {
        return TextFlow::of(Taint::OUTPUT);
    }
    walk.push(Operation::new(OperationKind::System, call.name).action("schedule").tag(crate::OperationTag::Startup));
    TextFlow::default()
}

pub(super) fn run_history(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if call.name == "history" && (parsed.has("c", "") || parsed.has("d", "") || parsed.has("w", "")) {
        walk.push(Operation::new(OperationKind::System, call.name).action("logs"));
        return TextFlow::default();
    }
    TextFlow::of(Taint::OUTPUT)
}

/// Subcommands of Pintle that only look.
const HARMLESS: [&str; 20] = [
    "validate",
    "hooks",
    "events",
    "explain",
    "fire",
    "test",
    "try",
    "packs",
    "doctor",
    "tape",
    "sessions",
    "replay",
    "log",
    "why",
    "diff",
    "help",
    "docs",
    "version",
    "hook",
    "completions",
];

pub(super) fn run_pintle(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let command = call.first_operand().unwrap_or_default();
    let is_looking = command.is_empty()
        || HARMLESS.contains(&command)
            && !(command == "sessions" && parsed.operands.iter().any(|arg| arg.text == "delete"))
        || command == "run" && !call.has_arg(&["--shadow", "--yes"])
        || matches!(command, "install" | "uninstall" | "init")
            && call.has_arg(&["--report", "--dry-run"])
            && command == "install"
        || matches!(command, "trust") && call.has_arg(&["--json"]) && !call.has_arg(&["--yes"]);
    if !is_looking {
        walk.push(Operation::new(OperationKind::Guard, call.name).action("pintle_command").written(command));
    }
    TextFlow::of(Taint::OUTPUT)
}

pub(super) fn run_mount(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    if !call.args.is_empty() && !call.has_arg(&["-l", "--help", "-V"]) {
        let written: Vec<String> = call.args.iter().map(crate::walk::ShellArg::shown).collect();
        walk.push(Operation::new(OperationKind::System, call.name).action("mount").written(written.join(" ")));
    }
    TextFlow::of(Taint::OUTPUT)
}

pub(super) fn run_sysctl(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if parsed.has("w", "write")
        || parsed.has("p", "load")
        || parsed.has("", "system")
        || call.args.iter().any(|arg| arg.text.contains('='))
    {
        walk.push(Operation::new(OperationKind::System, call.name).action("kernel"));
    }
    TextFlow::of(Taint::OUTPUT)
}
