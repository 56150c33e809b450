//! Programs that run a command line or code in their arguments or their input.

use std::path::Path;

use super::network::push_request;
use super::table::facts_of;
use crate::code;
use crate::secret_name::is_secret_name;
use crate::walk::{
    CommandWalk, OptionLetters, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, joined, quote,
};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind};

pub(super) fn run_env(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    if call.name == "printenv" {
        let names: Vec<&str> =
            call.args.iter().map(|arg| arg.text.as_str()).filter(|text| !text.starts_with('-')).collect();
        return match names.as_slice() {
            [] => TextFlow::from_taint(TextTaint::ENVIRONMENT),
            names if names.iter().any(|name| is_secret_name(name)) => TextFlow::from_taint(TextTaint::SECRET),
            _ => TextFlow::from_taint(TextTaint::OUTPUT),
        };
    }
    let valued = facts_of(call.name).grammar();
    let (parsed, mut rest) = ParsedOptions::parse_leading(call.args, valued);
    if let Some(directory) = parsed.values("C", "chdir").next() {
        walk.enter_directory(directory);
    }
    // `-S` divides its value into words, which are arguments as the others.
    if let Some(split) = parsed.values("S", "split-string").next() {
        let words = [call.name.to_owned(), split.text.clone()].into_iter();
        let words = words.chain(rest.iter().map(|arg| quote(&arg.text)));
        return walk.run_line(&words.collect::<Vec<_>>().join(" "), call.stdin);
    }
    // `env -` is `env -i`.
    if let [dash, behind @ ..] = rest
        && dash.text == "-"
    {
        rest = behind;
    }
    while let Some((arg, (name, text))) = rest.first().and_then(|arg| Some((arg, arg.text.split_once('=')?))) {
        walk.set_variable(name, vec![arg.with_text(text)]);
        // bash takes functions from such variables.
        if let Some(function) = name.strip_prefix("BASH_FUNC_") {
            walk.run_line(&format!("{} {text}", function.trim_end_matches(['%', '(', ')'])), &TextFlow::default());
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    if rest.first().is_some_and(|arg| arg.text == "--") {
        rest = rest.get(1..).unwrap_or_default();
    }
    if rest.is_empty() { TextFlow::from_taint(TextTaint::ENVIRONMENT) } else { walk.run_args(rest, call.stdin) }
}

/// Runs a text as a command line if it is known.
fn run_text(walk: &mut CommandWalk<'_>, program: &str, flow: &TextFlow, stdin: &TextFlow) -> TextFlow {
    for file in &flow.files {
        run_file(walk, program, file, &[], stdin);
    }
    match &flow.text {
        Some(text) => {
            let is_mixed = text.contains(crate::paths::UNKNOWN) && flow.taint.has(TextTaint::OUTPUT | TextTaint::FILE);
            // Scripts divide their arguments so.
            if walk.is_in_file() && text.starts_with("set -- ") {
                return walk.run_line(text, stdin);
            }
            if flow.taint.has(TextTaint::NETWORK | TextTaint::DECODED) || is_mixed {
                walk.push_code(flow.taint, program, "it runs text that comes from elsewhere");
            }
            walk.run_line_of(program, text, stdin)
        }
        None => {
            // A script of the project that is only read runs like `bash script.sh`.
            if flow.is_unknown() {
                walk.push_code(flow.taint, program, "it runs text that is not known");
            }
            TextFlow::from_taint(TextTaint::OUTPUT)
        }
    }
}

pub(super) fn run_source(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if let Some(flow) = parsed.operands.first().and_then(|file| given_script(walk, call, file)) {
        let is_settings = flow.text.is_none()
            && flow.taint.without(TextTaint::OUTPUT | TextTaint::ENVIRONMENT) == TextTaint::NONE
            && walk.printed_settings(EVALUATED);
        if !is_settings {
            return run_text(walk, call.name, &flow, &TextFlow::default());
        }
    }
    TextFlow::from_taint(TextTaint::NONE)
}

/// `direnv export` and its kin print variables for a shell to evaluate.
pub(super) fn run_variable_export(_: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let prints = matches!(call.first_operand(), Some("export" | "dump" | "env" | "hook-env"));
    TextFlow::from_taint(TextTaint::OUTPUT | if prints { TextTaint::ENVIRONMENT } else { TextTaint::NONE })
}

/// The content of a script that is the input, is read from a descriptor, was written by the line, or is on the disk.
pub(super) fn given_script(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, file: &ShellArg) -> Option<TextFlow> {
    let descriptor = ["/dev/fd/", "/proc/self/fd/"].iter().find_map(|start| file.text.strip_prefix(start));
    let flow = match file.text.as_str() {
        "-" | "/dev/stdin" => call.stdin.clone(),
        _ if descriptor == Some("0") => call.stdin.clone(),
        _ if descriptor.is_some() => walk.written_before(file).unwrap_or_else(TextFlow::from_outside),
        _ => {
            walk.note_script(call.name, file);
            return walk.code_of(file);
        }
    };
    walk.note_input(call.name, &flow);
    Some(flow)
}

/// Programs whose output is meant to be evaluated.
const EVALUATED: &str = "ssh-agent direnv pyenv rbenv nodenv goenv fnm brew opam conda mamba starship zoxide mise \
                         asdf dircolors lesspipe luarocks thefuck gpg-agent keychain minikube docker-machine \
                         poetry register-python-argcomplete resize";

pub(super) fn run_eval(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let line = joined(call.args);
    let taint = call.taint();
    let is_printed = taint.without(TextTaint::ENVIRONMENT) == TextTaint::OUTPUT;
    if line.contains(crate::paths::UNKNOWN) && is_printed && walk.printed_settings(EVALUATED) {
        return TextFlow::known("");
    }
    let flow = TextFlow { taint, text: Some(line), ..TextFlow::default() };
    run_text(walk, call.name, &flow, call.stdin)
}

/// The text behind `-c`, also when it is glued to other letters.
pub(super) fn command_text(args: &[ShellArg], letter: char) -> Option<(&ShellArg, &[ShellArg])> {
    let index = args.iter().position(|arg| {
        let text = arg.text.as_str();
        text.starts_with('-') && !text.starts_with("--") && text.contains(letter) || text == "--command"
    })?;
    // Options may stand between.
    let after = args.get(index + 1..)?;
    let text = after
        .iter()
        .position(|arg| !(arg.text.starts_with('-') || arg.text.starts_with('+')) || arg.text.contains(' '))?;
    Some((after.get(text)?, after.get(text + 1..).unwrap_or_default()))
}

pub(super) fn run_shell(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    walk.in_new_shell(|walk| run_shell_args(walk, call, parsed))
}

fn run_shell_args(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for file in parsed.values("", "rcfile").chain(parsed.values("", "init-file")) {
        if let Some(flow) = walk.code_of(file) {
            run_text(walk, call.name, &flow, &TextFlow::default());
        }
    }
    if let Some((text, rest)) = command_text(call.args, 'c') {
        let taint = if text.is_known() { text.taint.without(TextTaint::OUTPUT | TextTaint::FILE) } else { text.taint };
        let line = TextFlow { taint, text: Some(text.text.clone()), ..TextFlow::default() };
        if let Some((name, args)) = rest.split_first() {
            walk.set_variable("0", vec![name.clone()]);
            walk.set_arguments(args.to_vec());
        }
        return run_text(walk, call.name, &line, call.stdin);
    }
    let script = script_operand(&parsed.operands);
    let reads_input = call.has_arg(&["-s", "-"]) || script.is_none();
    match script {
        Some(script) if !reads_input => {
            let before = call.args.iter().take_while(|arg| !std::ptr::eq(*arg, script));
            if before.clone().any(|arg| matches!(arg.text.as_str(), "-n" | "--version" | "--help")) {
                return TextFlow::default();
            }
            run_script_file(walk, call, script)
        }
        _ if call.has_arg(&["--version", "--help", "-n"]) => TextFlow::default(),
        _ => {
            walk.note_input(call.name, call.stdin);
            if *call.stdin == TextFlow::default() {
                return TextFlow::default();
            }
            run_text(walk, call.name, call.stdin, &TextFlow::default())
        }
    }
}

/// The first operand of a shell behind its options: `+o` has a value as `-o` has.
fn script_operand<'a>(operands: &[&'a ShellArg]) -> Option<&'a ShellArg> {
    let mut operands = operands.iter();
    while let Some(operand) = operands.next() {
        match operand.text.strip_prefix('+').filter(|letters| !letters.is_empty()) {
            None => return Some(operand),
            Some(letters) if letters.ends_with(['o', 'O']) => drop(operands.next()),
            Some(_) => {}
        }
    }
    None
}

/// Interpreters by the ending of a file's name.
const ENDINGS: [(&str, &str); 7] = [
    ("py", "python"),
    ("js mjs cjs ts", "node"),
    ("rb", "ruby"),
    ("pl", "perl"),
    ("php", "php"),
    ("ps1", "pwsh"),
    ("bat cmd", "cmd"),
];

/// Whether a name ends like that of a script.
pub(super) fn is_script_name(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ending == "sh" || ENDINGS.iter().any(|(endings, _)| is_listed(endings, ending))
}

/// Runs a file of the disk as code of a program; as its first line says, if that is empty.
pub(super) fn run_file(
    walk: &mut CommandWalk<'_>,
    program: &str,
    path: &Path,
    args: &[ShellArg],
    stdin: &TextFlow,
) -> TextFlow {
    let Some(text) = walk.file_text(path) else { return TextFlow::default() };
    if !walk.spend_bytes(&text) {
        return TextFlow::default();
    }
    let program = if program.is_empty() { interpreter_of(&text, path) } else { program };
    let flow = if is_shell(program) {
        walk.in_file(path, "", |walk, text| {
            let name = ShellArg::new(path.to_string_lossy());
            walk.set_variable("0", vec![name.clone()]);
            walk.set_variable("BASH_SOURCE", vec![name]);
            walk.set_arguments(args.to_vec());
            walk.run_line_of(program, text, stdin)
        })
    } else if is_windows_shell(program) {
        walk.in_file(path, "", |walk, text| run_windows_text(walk, program, text, stdin))
    } else if walk.is_program(program) {
        walk.in_file(path, program, |walk, text| {
            super::interpreters::push_imports(walk, program, text);
            walk.run_code(program, text);
            TextFlow::default()
        })
    } else {
        None
    };
    let taint = flow.unwrap_or_default().taint;
    let kept = TextTaint::FILE | TextTaint::NAMES | TextTaint::HISTORY | TextTaint::NETWORK | TextTaint::DECODED;
    TextFlow::from_taint(taint.without(kept))
}

fn is_windows_shell(program: &str) -> bool {
    matches!(program, "pwsh" | "powershell" | "cmd")
}

/// Runs the text of a script for PowerShell or for cmd.
fn run_windows_text(walk: &mut CommandWalk<'_>, program: &str, text: &str, stdin: &TextFlow) -> TextFlow {
    match program {
        "cmd" => walk.run_powershell_line(&super::cmd::translate(text), stdin),
        _ => walk.run_powershell_line(text, stdin),
    }
}

/// Runs a file that the line wrote before, or one of the disk.
pub(super) fn run_written_script(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, flow: TextFlow) -> TextFlow {
    let program = call.name;
    let mut printed = TextFlow::default();
    for file in &flow.files {
        printed.append(walk.in_new_shell(|walk| run_file(walk, "", file, call.args, call.stdin)));
    }
    if flow.taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
        walk.push_code(flow.taint, program, "it runs a file whose content comes from elsewhere");
    } else if let Some(text) = flow.text {
        walk.in_new_shell(|walk| walk.run_line(&text, &TextFlow::default()));
        // A file that no shell of this system would read.
        let written = interpreter_of(&text, Path::new(&call.written.text));
        if is_windows_shell(written) {
            walk.in_new_shell(|walk| run_windows_text(walk, written, &text, &TextFlow::default()));
        } else if !is_shell(written) {
            code::read_code(walk, written, &text, &TextFlow::default());
        }
    }
    printed
}

/// The interpreter that the first line of a script names, or else the ending of its name.
pub(super) fn interpreter_of<'t>(text: &'t str, path: &Path) -> &'t str {
    let ending = path.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    let usual = ENDINGS.iter().find(|(endings, _)| is_listed(endings, ending));
    let usual = usual.map_or("sh", |(_, program)| program);
    let first = text.strip_prefix("#!").and_then(|rest| rest.lines().next()).unwrap_or(usual);
    let mut words = first.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let name = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('=')).unwrap_or("sh");
    name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
}

pub(super) fn is_shell(program: &str) -> bool {
    is_listed(". source eval sh bash zsh dash ksh mksh ash rbash yash osh busybox", program)
}

/// Runs a file as a script, with the arguments behind it.
pub(super) fn run_script_file(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, script: &ShellArg) -> TextFlow {
    if !script.is_known() && script.taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
        walk.push_code(script.taint, call.name, "which script runs is not known");
    }
    let mut printed = TextFlow::from_taint(TextTaint::OUTPUT);
    if let Some(flow) = given_script(walk, call, script) {
        let args = call.args.iter().skip_while(|arg| !std::ptr::eq(*arg, script)).skip(1);
        let args: Vec<ShellArg> = args.cloned().collect();
        for file in &flow.files {
            printed.append(run_file(walk, call.name, file, &args, call.stdin));
        }
        let flow = TextFlow { files: Vec::new(), ..flow };
        let is_shell = matches!(call.name, "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish");
        match (&flow.text, is_shell) {
            (Some(text), false) if !flow.taint.has(TextTaint::NETWORK | TextTaint::DECODED) => {
                code::read_code(walk, call.name, &text.clone(), &TextFlow::default());
            }
            _ => {
                if flow.text.is_some() || flow.is_unknown() {
                    walk.in_new_shell(|walk| run_text(walk, call.name, &flow, &TextFlow::default()));
                }
            }
        }
    }
    printed
}

pub(super) fn run_su(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    walk.push(Operation::new(OperationKind::Privilege, call.name).action("other_user"));
    match parsed.values("c", "command").next() {
        Some(text) => walk.run_line(&text.text.clone(), call.stdin),
        // `runuser -u USER PROGRAM`.
        None if call.name == "runuser" && parsed.has("u", "user") => {
            let valued = OptionLetters { letters: "ugGsw", names: "user group supp-group shell" };
            let (_, command) = ParsedOptions::parse_leading(call.args, valued);
            walk.run_args(command, call.stdin)
        }
        None => TextFlow::from_taint(TextTaint::OUTPUT),
    }
}

/// Runs a command on another machine or in a container, whose paths are not those of this one.
pub(super) fn run_elsewhere(walk: &mut CommandWalk<'_>, command: &[ShellArg], stdin: &TextFlow) -> TextFlow {
    let before = walk.operations.len();
    walk.state.cwd = None;
    let flow = walk.without_files(|walk| walk.run_args(command, stdin));
    walk.forget_places(before);
    flow
}

pub(super) fn run_ssh(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for option in parsed.values("o", "") {
        if let Some(command) = option.text.split_once(['=', ' ']).filter(|(name, _)| {
            ["proxycommand", "localcommand", "knownhostscommand"].contains(&name.to_ascii_lowercase().as_str())
        }) {
            walk.run_line(command.1, &TextFlow::default());
            walk.push_code(TextTaint::NONE, call.name, "ssh runs a program of its options");
        }
        if let Some((name, host)) = option.text.split_once(['=', ' '])
            && ["proxyjump", "hostname"].contains(&name.to_ascii_lowercase().as_str())
        {
            push_request(walk, call.name, host, None);
        }
    }
    let valued = OptionLetters { letters: "bcDEeFIiJLlmOopQRSWwB", names: "" };
    let (leading, rest) = ParsedOptions::parse_leading(call.args, valued);
    let forwards = |option: &ShellArg| option.text.to_ascii_lowercase().starts_with("remoteforward");
    let option = |option: &ShellArg| forwards(option).then(|| option.shown());
    let tunnel = leading.values("R", "").next().map(|value| format!("-R {}", value.shown()));
    if let Some(tunnel) = tunnel.or_else(|| leading.values("o", "").find_map(option)) {
        walk.push(Operation::new(OperationKind::System, call.name).action("tunnel").written(tunnel));
    }
    for host in leading.values("J", "") {
        push_request(walk, call.name, &host.text, None);
    }
    let rest = if call.name == "sshpass" {
        rest.iter().position(|arg| arg.text == "ssh").and_then(|index| rest.get(index + 1..)).unwrap_or_default()
    } else {
        rest
    };
    let (_, rest) = if call.name == "sshpass" {
        ParsedOptions::parse_leading(rest, valued)
    } else {
        (ParsedOptions::default(), rest)
    };
    let Some((host, command)) = rest.split_first() else { return TextFlow::default() };
    let is_local = crate::address::is_local_host(&host.text);
    let input = call.stdin.taint.without(TextTaint::NAMES);
    let sends = !is_local && (input != TextTaint::NONE || call.taint().has(TextTaint::SECRET | TextTaint::FILE));
    push_request(walk, call.name, &host.text, sends.then(|| input | call.taint()));
    let line = joined(command);
    if line.is_empty() {
        if let Some(text) = call.stdin.text.clone() {
            let before = walk.operations.len();
            if is_local {
                walk.run_line(&text, &TextFlow::default());
            } else {
                walk.without_files(|walk| walk.run_line(&text, &TextFlow::default()));
                walk.forget_places(before);
            }
        }
        return TextFlow::from_taint(TextTaint::NETWORK);
    }
    if is_local {
        return walk.run_line(&line, &TextFlow::from_taint(input));
    }
    let before = walk.operations.len();
    walk.without_files(|walk| walk.run_line(&line, &TextFlow::from_taint(input)));
    walk.forget_places(before);
    TextFlow::from_taint(TextTaint::NETWORK)
}

pub(super) fn run_powershell(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let is_option = |text: &str, name: &str, least: usize| {
        let lower = text.trim_start_matches(['-', '/']).to_ascii_lowercase();
        text.starts_with(['-', '/']) && lower.len() >= least && name.starts_with(&lower)
    };
    for (index, arg) in call.args.iter().enumerate() {
        let rest = call.args.get(index + 1..).unwrap_or_default();
        let is_encoded =
            is_option(&arg.text, "encodedcommand", 1) || matches!(arg.text.as_str(), "-ec" | "/ec" | "-EC");
        if is_encoded && !is_option(&arg.text, "executionpolicy", 2) {
            walk.push_code(TextTaint::DECODED, call.name, "the command is encoded");
            return TextFlow::from_taint(TextTaint::OUTPUT);
        }
        if is_option(&arg.text, "command", 1) && rest.first().is_none_or(|line| line.text != "-") {
            return walk.run_powershell_line(&joined(rest), call.stdin);
        }
        if is_option(&arg.text, "file", 1) {
            if let Some(script) = rest.first() {
                run_script_file(walk, call, script);
            }
            return TextFlow::from_taint(TextTaint::OUTPUT);
        }
    }
    let operand = call.args.iter().find(|arg| !arg.text.starts_with('-'));
    match operand {
        Some(line) => walk.run_powershell_line(&line.text.clone(), call.stdin),
        None if call.stdin.text.is_some() || call.stdin.taint != TextTaint::NONE => match call.stdin.text.clone() {
            Some(text) => walk.run_powershell_line(&text, &TextFlow::default()),
            None => {
                walk.push_code(call.stdin.taint, call.name, "it runs text that is not known");
                TextFlow::from_taint(TextTaint::OUTPUT)
            }
        },
        None => TextFlow::default(),
    }
}
