//! What git commands mean.

use super::commands::SUBCOMMAND_INDEX;
use super::subcommand::push_subcommands;
use super::{editors, files};
use crate::OperationKind::Git;
use crate::git_settings::{is_harmless_setting, runs_programs};
use crate::walk::ProgramCall;
use crate::walk::{CommandWalk, OptionLetters, ParsedOptions, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind, OperationTag};

/// `hub` gives git what it does not know itself.
pub(super) fn run_hub(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let args: Vec<ShellArg> = std::iter::once(ShellArg::new("git")).chain(call.args.iter().cloned()).collect();
    walk.run_args(&args, call.stdin)
}

pub(super) fn run_git(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let global = OptionLetters {
        letters: "Cc",
        names: &["git-dir", "work-tree", "namespace", "exec-path", "super-prefix", "config-env"],
    };
    let (leading, rest) = ParsedOptions::parse_leading(call.args, global);
    let cwd = walk.state.cwd.clone();
    for directory in leading.values("C", "").chain(leading.values("", "work-tree")) {
        walk.enter_directory(directory);
    }
    for path in leading.values("", "exec-path").filter(|path| !path.text.is_empty()) {
        walk.push(Operation::new(Git, "git").action("program_setting").written(path.shown()));
    }
    for setting in leading.values("c", "") {
        let (key, value) = setting.text.split_once('=').unwrap_or((setting.text.as_str(), ""));
        if runs_programs(key, value) && !is_harmless_setting(key, value) {
            walk.push(Operation::new(Git, "git").action("program_setting").written(setting.shown()));
        }
        if let Some(name) = key.strip_prefix("alias.") {
            run_alias(walk, call, name, value, rest);
        }
    }
    if let Some(rows) = SUBCOMMAND_INDEX.get(call.name) {
        push_subcommands(walk, &ProgramCall { args: rest, ..*call }, OptionLetters::default(), rows);
    }
    let flow = match rest.split_first() {
        Some((command, args)) => run_subcommand(walk, call, &command.text, args),
        None => TextFlow::default(),
    };
    walk.state.cwd = cwd;
    flow
}

fn run_alias(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, name: &str, value: &str, rest: &[ShellArg]) {
    if rest.first().is_none_or(|command| command.text != name) {
        return;
    }
    let args: Vec<String> = rest.iter().skip(1).map(|arg| crate::walk::quote(&arg.text)).collect();
    let line = match value.strip_prefix('!') {
        Some(line) => line.to_owned(),
        None => format!("git {value}"),
    };
    walk.run_line(&format!("{line} {}", args.join(" ")), call.stdin);
}

fn run_subcommand(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, command: &str, args: &[ShellArg]) -> TextFlow {
    let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    let operands: Vec<&ShellArg> = args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    let push = |walk: &mut CommandWalk<'_>, action: &str, written: String| {
        walk.push(Operation::new(Git, "git").action(action).written(written));
    };
    match command {
        "push" if !texts.iter().any(|text| matches!(*text, "-n" | "--dry-run")) => {
            for refspec in operands.iter().skip(1) {
                if refspec.text.starts_with('+') {
                    push(walk, "force_push", refspec.shown());
                } else if refspec.text.len() > 1 && refspec.text.starts_with(':') {
                    push(walk, "delete_remote", refspec.shown());
                }
            }
            let remote = operands.first().filter(|remote| is_address(&remote.text) || !remote.is_known());
            if remote.is_some() || walk.changes_remote() {
                push(
                    walk,
                    "push_address",
                    remote.or(operands.first()).map(|remote| remote.shown()).unwrap_or_default(),
                );
            }
            for option in texts.iter().filter(|text| text.starts_with("--receive-pack") || text.starts_with("--exec")) {
                walk.push_code(TextTaint::NONE, "git", "git runs a program of its options");
                walk.run_line(option.split_once('=').map_or("", |(_, program)| program), &TextFlow::default());
            }
        }
        "remote" => {
            let changes = matches!(texts.first(), Some(&"set-url" | &"add"));
            if changes && let Some(address) = operands.iter().rev().find(|arg| is_address(&arg.text)) {
                push(walk, "remote_address", address.shown());
                walk.note_remote();
            }
        }
        "clone" | "fetch" | "pull" | "ls-remote" | "submodule" | "archive" => {
            if command == "clone" {
                note_clone(walk, &operands);
            }
            if matches!(command, "fetch" | "pull") && operands.iter().any(|operand| is_address(&operand.text)) {
                walk.note_remote();
            }
            for template in texts.iter().filter_map(|text| text.strip_prefix("--template=")) {
                push(walk, "program_setting", format!("--template={template}"));
            }
            for option in &texts {
                let is_program = option.starts_with("--upload-pack")
                    || option.starts_with("-u=")
                    || option.starts_with("--exec=")
                    || option.starts_with("ext::");
                if is_program {
                    walk.push_code(TextTaint::NONE, "git", "git runs a program of its options");
                }
                if let Some(line) = option
                    .strip_prefix("ext::")
                    .or_else(|| option.split_once('=').filter(|_| is_program).map(|(_, line)| line))
                {
                    walk.run_line(line, &TextFlow::default());
                }
            }
            for setting in args
                .windows(2)
                .filter(|pair| pair.first().is_some_and(|arg| matches!(arg.text.as_str(), "-c" | "--config")))
                .filter_map(|pair| pair.get(1))
            {
                let (key, value) = setting.text.split_once('=').unwrap_or((setting.text.as_str(), ""));
                if runs_programs(key, value) {
                    push(walk, "program_setting", setting.shown());
                }
            }
        }
        "sparse-checkout" => {
            // `!PATTERN` leaves the working tree.
            for pattern in args.iter().filter_map(|arg| arg.text.strip_prefix('!')) {
                let path = ShellArg::new(pattern.trim_matches('/'));
                walk.push_path(Operation::new(OperationKind::Delete, "git").tag(OperationTag::Recursive), &path);
            }
        }
        "checkout" | "restore" => check_discarded(walk, command, args, &operands),
        "reset" if texts.contains(&"--") || operands.is_empty() => {}
        "config" => {
            let is_reading = texts.iter().any(|text| {
                matches!(
                    *text,
                    "--get"
                        | "--get-all"
                        | "-l"
                        | "--list"
                        | "--get-regexp"
                        | "get"
                        | "list"
                        | "--unset"
                        | "unset"
                        | "--get-urlmatch"
                )
            });
            let set: Vec<&&ShellArg> = operands.iter().filter(|arg| !matches!(arg.text.as_str(), "set")).collect();
            if let (false, Some(key), Some(value)) = (is_reading, set.first(), set.get(1)) {
                let key_text = key.text.to_ascii_lowercase();
                if key_text.ends_with(".mirror") || key_text.ends_with(".push") && value.text.contains(['+', ':']) {
                    push(walk, "force_push", format!("{} {}", key.shown(), value.shown()));
                }
                if runs_programs(&key.text, &value.text) && !(is_harmless_setting(&key.text, &value.text)) {
                    push(walk, "program_setting", format!("{} {}", key.shown(), value.shown()));
                }
            } else if texts.iter().any(|text| matches!(*text, "-e" | "--edit")) {
                push(walk, "program_setting", String::from("config --edit"));
            }
            for file in args
                .windows(2)
                .filter(|pair| pair.first().is_some_and(|arg| matches!(arg.text.as_str(), "-f" | "--file")))
                .filter_map(|pair| pair.get(1))
            {
                if !is_reading {
                    walk.write_file("git", file, "edit", TextFlow::default());
                }
            }
        }
        "rm" if !texts.contains(&"--cached") && !texts.iter().any(|text| matches!(*text, "-n" | "--dry-run")) => {
            let is_recursive =
                texts.iter().any(|text| text.starts_with('-') && !text.starts_with("--") && text.contains('r'));
            for operand in &operands {
                walk.push_path(
                    Operation::new(OperationKind::Delete, "git").tag_if(is_recursive, OperationTag::Recursive),
                    &from_top(walk, operand),
                );
            }
        }
        "clean" => clean_untracked(walk, args),
        "mv" => {
            if let Some((target, sources)) = operands.split_last() {
                for source in sources {
                    walk.push_path(Operation::new(OperationKind::Move, "git"), source);
                    files::write_target(walk, "git", target, source, &TextFlow::default());
                }
            }
        }
        "apply" | "am" => {
            let is_reversed = texts.iter().any(|text| matches!(*text, "-R" | "--reverse"));
            // The changes themselves, taken back.
            if is_reversed && operands.first().is_none_or(|file| walk.written_before(file).is_some()) {
                push(walk, "discard_changes", String::from("apply --reverse"));
            }
            let patch = match operands.first() {
                Some(file) => walk.read_file("git", file, false),
                None => call.stdin.clone(),
            };
            if !texts.iter().any(|text| matches!(*text, "--check" | "--stat" | "--numstat" | "--summary")) {
                editors::patch_files(walk, "git", &patch, None);
            }
        }
        "stash" => {
            let has_paths =
                texts.iter().position(|text| *text == "--").and_then(|index| args.get(index + 1..)).unwrap_or_default();
            for path in has_paths {
                walk.write_file("git", path, "restore", TextFlow::default());
            }
            if let Some(path) = operands.iter().skip(1).find(|path| walk.needs_care(path)) {
                walk.write_file("git", &(**path).clone(), "restore", TextFlow::default());
            }
        }
        "show" | "cat-file" | "diff" | "blame" | "log" | "grep" => {
            for file in texts.iter().filter_map(|text| text.strip_prefix("--output=")) {
                walk.write_file("git", &ShellArg::new(file), "replace", TextFlow::from_taint(TextTaint::FILE));
            }
            let mut flow = TextFlow::from_taint(TextTaint::FILE);
            for operand in &operands {
                // `HEAD:.env` names a file of a commit.
                let path = operand.text.split_once(':').map_or(operand.text.as_str(), |(_, path)| path);
                let is_pattern = path.contains(['*', '?']);
                let path = path.trim_start_matches(":(glob)").trim_start_matches("**/");
                let named = ShellArg { text: path.to_owned(), is_pattern, ..(**operand).clone() };
                let shows = command != "log"
                    || texts.iter().any(|text| {
                        matches!(*text, "-p" | "-u" | "--patch" | "--full-diff" | "-c" | "--cc")
                            || text.starts_with("-S")
                            || text.starts_with("-L")
                            || text.starts_with("-G")
                    });
                if shows && walk.place(&named).tags.contains(&OperationTag::Secret) {
                    flow.append(walk.read_file("git", &named, false));
                }
            }
            if texts.iter().any(|text| matches!(*text, "--name-only" | "--name-status")) {
                flow.taint = TextTaint::NAMES;
            }
            flow.text = None;
            if walk.changes_remote() && operands.iter().any(|operand| operand.text.contains(':')) {
                flow.taint |= TextTaint::NETWORK;
            }
            return flow;
        }
        "hash-object" if texts.contains(&"-w") => {
            for file in &operands {
                walk.read_file("git", file, false);
            }
        }
        "rebase" | "bisect" => {
            let index = texts.iter().position(|text| matches!(*text, "-x" | "--exec" | "run"));
            if let Some(rest) = index.and_then(|index| args.get(index + 1..)) {
                if command == "bisect" {
                    walk.run_args(rest, &TextFlow::default());
                } else if let Some(line) = rest.first() {
                    walk.run_line(&line.text.clone(), &TextFlow::default());
                }
            }
            for option in texts.iter().filter_map(|text| text.strip_prefix("--exec=")) {
                walk.run_line(option, &TextFlow::default());
            }
        }
        "submodule--foreach" => {}
        "ls-files" | "ls-tree" => {
            let is_filtered = texts.iter().any(|text| {
                matches!(
                    *text,
                    "-d" | "--deleted" | "-o" | "--others" | "-i" | "--ignored" | "-u" | "-m" | "--modified"
                )
            });
            let listed = if operands.is_empty() || command == "ls-tree" {
                vec![crate::walk::ListedFiles { root: ShellArg::new("."), is_filtered, is_recursive: true }]
            } else {
                operands
                    .iter()
                    .map(|root| crate::walk::ListedFiles {
                        root: (**root).clone(),
                        is_filtered: root.is_pattern || root.text.contains('*') || is_filtered,
                        is_recursive: true,
                    })
                    .collect()
            };
            return TextFlow::listing(listed);
        }
        "rev-parse" if texts.contains(&"--show-toplevel") => {
            return TextFlow::known(walk.site.project.to_string_lossy());
        }
        "rev-parse" if texts.iter().any(|text| matches!(*text, "--git-dir" | "--absolute-git-dir")) => {
            return TextFlow::known(walk.site.project.join(".git").to_string_lossy());
        }
        "diff-tree" | "diff-index" | "diff-files" => return TextFlow::from_taint(TextTaint::NAMES),
        _ => {}
    }
    if command == "submodule" && texts.first() == Some(&"foreach") {
        let line: Vec<&str> = texts.iter().skip(1).copied().filter(|text| *text != "--recursive").collect();
        walk.run_line(&line.join(" "), &TextFlow::default());
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

/// The directory of a clone holds code from the network.
fn note_clone(walk: &mut CommandWalk<'_>, operands: &[&ShellArg]) {
    let Some(address) = operands.iter().find(|operand| is_address(&operand.text)) else { return };
    let name =
        address.text.trim_end_matches('/').trim_end_matches(".git").rsplit(['/', ':']).next().unwrap_or_default();
    let directory = match operands.last() {
        Some(last) if !is_address(&last.text) => (*last).clone(),
        _ => ShellArg::new(name),
    };
    walk.note_unpacked(&directory, TextTaint::NETWORK);
}

/// `checkout -- PATH`, `checkout .`, `restore PATH`: changes that are not committed are gone.
fn check_discarded(walk: &mut CommandWalk<'_>, command: &str, args: &[ShellArg], operands: &[&ShellArg]) {
    let has = |any: &[&str]| args.iter().any(|arg| any.contains(&arg.text.as_str()));
    let dashes = args.iter().position(|arg| arg.text == "--");
    let paths: Vec<&ShellArg> = match (command, dashes) {
        ("restore", _) if has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]) => return,
        ("restore", _) => {
            let source = args.windows(2).find_map(|pair| match pair {
                [option, value] if matches!(option.text.as_str(), "-s" | "--source") => Some(value.text.as_str()),
                _ => None,
            });
            operands.iter().copied().filter(|arg| Some(arg.text.as_str()) != source).collect()
        }
        (_, Some(index)) => args.get(index + 1..).unwrap_or_default().iter().collect(),
        _ => operands
            .iter()
            .copied()
            .filter(|arg| matches!(arg.text.as_str(), "." | "./" | ":/" | "*" | ":/*" | "..") || walk.needs_care(arg))
            .collect(),
    };
    for path in paths {
        walk.push(Operation::new(Git, "git").action("discard_changes").written(path.shown()));
        walk.write_file("git", &from_top(walk, path), "restore", TextFlow::default());
    }
}

/// A path of git: `:/` and `:(top)` are the root of the repository.
fn from_top(walk: &CommandWalk<'_>, path: &ShellArg) -> ShellArg {
    let below = path.text.strip_prefix(":/").or_else(|| path.text.strip_prefix(":(top)"));
    match below {
        Some(below) => {
            let text = walk.site.project.join(below.trim_start_matches('/')).to_string_lossy().into_owned();
            ShellArg { text, ..path.clone() }
        }
        None => path.clone(),
    }
}

/// `git clean`: files that git does not know.
fn clean_untracked(walk: &mut CommandWalk<'_>, args: &[ShellArg]) {
    let valued = OptionLetters { letters: "e", names: &["exclude"] };
    let parsed = ParsedOptions::parse(args, valued);
    if parsed.has("n", "dry-run") {
        return;
    }
    let everything = [ShellArg::new(".")];
    let paths = if parsed.operands.is_empty() { everything.iter().collect() } else { parsed.operands };
    for path in paths {
        let operation = Operation::new(OperationKind::Delete, "git").action("untracked").tag(OperationTag::Recursive);
        walk.push_watched(operation, &from_top(walk, path));
    }
}

fn is_address(text: &str) -> bool {
    text.contains("://")
        || text.split_once(':').is_some_and(|(host, _)| host.contains(['@', '.']) && !host.contains('/'))
        || text.starts_with("ext::")
}
