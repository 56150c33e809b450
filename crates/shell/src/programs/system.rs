//! Programs that change processes and the system.

use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind};

/// Processes that belong to the system or to Pintle and the agents.
const SYSTEM_PROCESSES: &str = "systemd init launchd sshd dockerd docker containerd Xorg gnome-shell WindowServer \
                                loginwindow Finder cron crond rsyslogd auditd dbus-daemon NetworkManager firewalld \
                                kernel falcon-sensor osqueryd clamd explorer lsass postgres";
const GUARD_PROCESSES: &str = "pintle claude codex gemini copilot qwen opencode pi droid";

/// Programs that list processes.
pub(super) fn run_ps(_: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let processes = match call.name {
        "ps" => {
            let selects_some = call.has_arg(&["-C", "-p", "-q", "-s", "-g", "-t", "--pid", "--ppid", "--sid", "--tty"]);
            let is_all = !selects_some || parsed.has("e", "") || parsed.has("A", "");
            let named = parsed.values("C", "").map(|name| name.text.clone());
            named.chain(is_all.then(|| String::from("*"))).collect()
        }
        _ => parsed.operands.iter().map(|name| name.text.clone()).collect(),
    };
    // `ps eww` and `ps auxe` print the environment of each process; `ps -e` does not.
    let is_letters = |text: &str| text.len() < 8 && text.bytes().all(|letter| letter.is_ascii_lowercase());
    let prints_environment = call.name == "ps"
        && call.args.iter().any(|arg| arg.text == "-E" || is_letters(&arg.text) && arg.text.contains('e'))
        && !call.has_arg(&["-C", "-o"]);
    if prints_environment {
        return TextFlow { processes, ..TextFlow::from_taint(TextTaint::OUTPUT | TextTaint::ENVIRONMENT) };
    }
    TextFlow { processes, ..TextFlow::from_taint(TextTaint::OUTPUT) }
}

/// The names in a pattern such as `[c]laude` or `claude|codex`.
fn process_names(pattern: &str) -> impl Iterator<Item = String> {
    let plain: String =
        pattern.chars().filter(|letter| !matches!(letter, '[' | ']' | '(' | ')' | '^' | '$' | '\\')).collect();
    plain
        .split('|')
        .map(|name| name.trim_matches(['.', '*', ' ']).trim_end_matches(".exe").to_owned())
        .collect::<Vec<_>>()
        .into_iter()
}

pub(super) fn run_kill(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if parsed.has("l", "list") || call.has_arg(&["-0"]) {
        return TextFlow::default();
    }
    let all = call.name == "kill" && call.args.iter().skip(1).any(|arg| arg.text == "-1") && call.args.len() > 1;
    let is_first_process = call.name == "kill" && parsed.operands.iter().any(|arg| arg.text == "1");
    let operands: Vec<&ShellArg> =
        parsed.operands.iter().copied().filter(|arg| !is_signal_value(call, &arg.text)).collect();
    // Names on the line, and those of the processes whose numbers another program lists.
    let shown: Vec<String> = operands.iter().map(|arg| arg.shown()).collect();
    let written: Vec<&str> = operands.iter().map(|arg| arg.text.as_str()).collect();
    let listed = operands
        .iter()
        .filter_map(|arg| arg.content.as_ref())
        .flat_map(|flow| flow.processes.iter().map(String::as_str));
    let named: Vec<&str> =
        if call.name == "kill" { listed.collect() } else { written.iter().copied().chain(listed).collect() };
    let shown = match shown.iter().any(|text| text.contains('…') || text.starts_with('$')) && !named.is_empty() {
        true => named.iter().map(|name| (*name).to_owned()).collect(),
        false => shown,
    };
    let names = |list: &str| {
        named.iter().flat_map(|pattern| process_names(pattern)).any(|name| {
            list.split(' ').any(|known| {
                name.eq_ignore_ascii_case(known)
                    || is_part_of_name(call, &name, known)
                    || name.split(['/', ' ']).any(|part| part == known && known == "pintle")
            })
        })
    };
    let selects_user = |option: &str| call.args.iter().any(|arg| arg.text.starts_with(option)) && named.is_empty();
    let every_process = named.iter().any(|name| matches!(*name, "." | ".*" | "" | "*"))
        || call.name != "kill"
            && (selects_user("-u") || selects_user("-U") || parsed.has("", "user") && named.len() <= 1);
    let action = match () {
        () if names(GUARD_PROCESSES) => {
            walk.push(Operation::new(OperationKind::Guard, call.name).action("kill").written(shown.join(" ")));
            return TextFlow::default();
        }
        () if all || every_process => "everything",
        () if is_first_process || names(SYSTEM_PROCESSES) => "system_process",
        () => "",
    };
    walk.push(Operation::new(OperationKind::Kill, call.name).action(action).written(shown.join(" ")));
    TextFlow::default()
}

/// Whether a part of a name is enough: `pkill pint`, `killall -r 'claud.*'`, `Get-Process pint*`.
fn is_part_of_name(call: &ProgramCall<'_>, name: &str, known: &str) -> bool {
    let takes_parts = matches!(call.name, "pkill" | "Stop-Process") || call.has_arg(&["-r", "--regexp", "-f"]);
    let least = if known == "pintle" { 4 } else { 5 };
    is_listed(GUARD_PROCESSES, known) && takes_parts && name.len() >= least && known.starts_with(name)
}

/// Whether an operand is the value of a signal option.
fn is_signal_value(call: &ProgramCall<'_>, text: &str) -> bool {
    call.args.windows(2).any(|pair| match pair {
        [option, value] => {
            value.text == text
                && matches!(option.text.as_str(), "-s" | "-n" | "--signal" | "-u" | "-U" | "--user" | "-t")
        }
        _ => false,
    })
}

pub(super) fn run_crontab(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if parsed.has("l", "") {
        return TextFlow::from_taint(TextTaint::OUTPUT);
    }
    walk.push(Operation::new(OperationKind::System, call.name).action("schedule").tag(crate::OperationTag::Startup));
    TextFlow::default()
}

pub(super) fn run_history(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if call.name == "history" && (parsed.has("c", "") || parsed.has("d", "") || parsed.has("w", "")) {
        walk.push(Operation::new(OperationKind::System, call.name).action("logs"));
        return TextFlow::default();
    }
    TextFlow::from_taint(TextTaint::OUTPUT | TextTaint::HISTORY)
}

/// Subcommands of Pintle that only look.
const HARMLESS: &str = "validate hooks events explain fire test try packs doctor tape sessions replay log why diff \
                        help docs version hook completions";

/// Subcommands of `pintle-fleet policy` that only look.
const FLEET_LOOKS: &str = "status compare help";

/// Whether sessions are removed, and not only shown.
fn removes_sessions(parsed: &ParsedOptions<'_>) -> bool {
    let has_operand = |name: &str| parsed.operands.iter().any(|arg| arg.text == name);
    has_operand("delete") || has_operand("prune") && !parsed.has("", "dry-run")
}

pub(super) fn run_pintle(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let command = call.first_operand().unwrap_or_default();
    let is_looking = command.is_empty()
        || is_listed(HARMLESS, command)
            && !(command == "sessions" && removes_sessions(parsed))
            && !(command == "doctor" && parsed.has("", "fix") && !parsed.has("", "dry-run"))
        || matches!(command, "rule" | "rules") && parsed.operands.get(1).is_none_or(|arg| arg.text == "list")
        || command == "run" && !call.has_arg(&["--shadow", "--yes"])
        || matches!(command, "install" | "uninstall" | "init")
            && call.has_arg(&["--report", "--dry-run"])
            && command == "install"
        || call.name == "pintle-fleet"
            && command == "policy"
            && parsed.operands.get(1).is_none_or(|arg| is_listed(FLEET_LOOKS, &arg.text))
        || command == "trust" && call.has_arg(&["--json"]) && !parsed.has("y", "yes") && !parsed.has("", "revoke");
    if !is_looking {
        let words: Vec<String> = call.args.iter().map(ShellArg::shown).collect();
        walk.push(Operation::new(OperationKind::Guard, call.name).action("pintle_command").written(words.join(" ")));
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

pub(super) fn run_mount(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let selects = call.name == "mount" && ["a", "L", "U"].iter().any(|letter| parsed.has(letter, "all"))
        || call.name == "losetup" && parsed.has("D", "detach-all");
    let lists = call.name != "umount" && (call.has_arg(&["-l"]) || parsed.operands.is_empty() && !selects);
    if !call.args.is_empty() && !lists && !call.has_arg(&["--help", "-V"]) {
        let written: Vec<String> = call.args.iter().map(crate::walk::ShellArg::shown).collect();
        walk.push(Operation::new(OperationKind::System, call.name).action("mount").written(written.join(" ")));
        for place in parsed.operands.iter().filter(|_| call.name == "mount") {
            walk.push_watched(Operation::new(OperationKind::Write, call.name).action("mount"), place);
        }
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

pub(super) fn run_sysctl(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if parsed.has("w", "write")
        || parsed.has("p", "load")
        || parsed.has("", "system")
        || call.args.iter().any(|arg| arg.text.contains('='))
    {
        walk.push(Operation::new(OperationKind::System, call.name).action("kernel"));
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}
