//! Programs that run a command line or code in their arguments or their input.

use super::ProgramCall;
use crate::code;
use crate::walk::{CommandWalk, OptionLetters, ParsedOptions, ShellArg, Taint, TextFlow, is_secret_name, quote};
use crate::{Operation, OperationKind};

pub(super) fn run_cd(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    match parsed.operands.first() {
        Some(directory) if directory.text != "-" => walk.enter_directory(directory),
        Some(_) => walk.cwd = None,
        None if call.args.iter().any(|arg| arg.text == "-") => walk.cwd = None,
        None => walk.cwd = walk.site.home.map(std::path::Path::to_owned),
    }
    TextFlow::known("")
}

pub(super) fn run_env(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    if call.name == "printenv" {
        let names: Vec<&str> =
            call.args.iter().map(|arg| arg.text.as_str()).filter(|text| !text.starts_with('-')).collect();
        return match names.as_slice() {
            [] => TextFlow::of(Taint::ENVIRONMENT),
            names if names.iter().any(|name| is_secret_name(name)) => TextFlow::of(Taint::SECRET),
            _ => TextFlow::of(Taint::OUTPUT),
        };
    }
    let valued = OptionLetters { letters: "uC", names: &["unset", "chdir"] };
    // `-S` divides its value into words.
    let split = call.args.iter().position(|arg| {
        arg.text.starts_with("-S") || arg.text.starts_with("--split-string") || arg.text.starts_with("-vS")
    });
    if let Some(index) = split {
        let option = call.args.get(index).map(|arg| arg.text.as_str()).unwrap_or_default();
        let glued =
            option.split_once('=').map_or(option.split_once('S').map_or("", |(_, rest)| rest), |(_, value)| value);
        let glued = if option.starts_with("--") && !option.contains('=') { "" } else { glued };
        let rest = call.args.get(index + 1..).unwrap_or_default();
        let line: Vec<String> = std::iter::once(glued.to_owned())
            .filter(|text| !text.is_empty())
            .chain(
                rest.iter()
                    .enumerate()
                    .map(|(at, arg)| if at == 0 && glued.is_empty() { arg.text.clone() } else { quote(&arg.text) }),
            )
            .collect();
        return walk.run_line(&line.join(" "), call.stdin);
    }
    let (parsed, mut rest) = ParsedOptions::parse_leading(call.args, valued);
    let _ = parsed;
    while let Some((name, value)) = rest.first().and_then(super::wrappers::assignment_of) {
        walk.set_variable(&name, vec![value]);
        rest = rest.get(1..).unwrap_or_default();
    }
    if rest.is_empty() { TextFlow::of(Taint::ENVIRONMENT) } else { walk.run_args(rest, call.stdin) }
}

/// Runs a text as a command line if it is known.
fn run_text(walk: &mut CommandWalk<'_>, program: &str, flow: &TextFlow, stdin: &TextFlow) -> TextFlow {
    match &flow.text {
        Some(text) => {
            if flow.taint.has(Taint::NETWORK | Taint::DECODED) {
                walk.push_code(flow.taint, program, "it runs text that comes from elsewhere");
            }
            walk.run_line(text, stdin)
        }
        None => {
            // A script of the project that is only read runs like `bash script.sh`.
            let is_plain_file = flow.taint.has(Taint::FILE)
                && !flow.taint.has(Taint::NETWORK | Taint::DECODED | Taint::SECRET | Taint::OUTPUT);
            if !is_plain_file {
                walk.push_code(flow.taint, program, "it runs text that is not known");
            }
            TextFlow::of(Taint::OUTPUT)
        }
    }
}

pub(super) fn run_source(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if let Some(file) = parsed.operands.first() {
        if file.text == "/dev/stdin" || file.text.starts_with("/dev/fd/0") {
            return run_text(walk, call.name, call.stdin, &TextFlow::default());
        }
        if let Some(flow) = walk.written_before(file) {
            return run_text(walk, call.name, &flow, &TextFlow::default());
        }
    }
    TextFlow::of(Taint::NONE)
}

/// Programs whose output is meant to be evaluated.
const EVALUATED: [&str; 26] = [
    "ssh-agent",
    "direnv",
    "pyenv",
    "rbenv",
    "nodenv",
    "goenv",
    "fnm",
    "brew",
    "opam",
    "conda",
    "mamba",
    "starship",
    "zoxide",
    "mise",
    "asdf",
    "dircolors",
    "lesspipe",
    "luarocks",
    "thefuck",
    "gpg-agent",
    "keychain",
    "minikube",
    "docker-machine",
    "poetry",
    "register-python-argcomplete",
    "resize",
];

pub(super) fn run_eval(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let line: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    let taint = call.taint();
    let line = line.join(" ");
    if line.contains(crate::paths::UNKNOWN)
        && taint.has(Taint::OUTPUT)
        && walk.last_program().is_some_and(|name| EVALUATED.contains(&name))
    {
        return TextFlow::known("");
    }
    let flow = TextFlow { taint: taint.without(Taint::OUTPUT), text: Some(line), listed: Vec::new() };
    run_text(walk, call.name, &flow, call.stdin)
}

/// The text behind `-c`, also when it is glued to other letters.
fn command_text<'a>(args: &'a [ShellArg], letter: char) -> Option<(&'a ShellArg, &'a [ShellArg])> {
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
    for file in parsed.values("", "rcfile").chain(parsed.values("", "init-file")) {
        if let Some(flow) = walk.written_before(file) {
            run_text(walk, call.name, &flow, &TextFlow::default());
        }
    }
    if let Some((text, rest)) = command_text(call.args, 'c') {
        for (index, arg) in rest.iter().take(10).enumerate() {
            walk.set_variable(&index.to_string(), vec![arg.clone()]);
        }
        if rest.len() > 1 {
            for name in ["@", "*"] {
                walk.set_variable(name, rest.get(1..).unwrap_or_default().to_vec());
            }
        }
        let cwd = walk.cwd.clone();
        let flow = run_text(
            walk,
            call.name,
            &TextFlow {
                taint: text.taint.without(Taint::OUTPUT | Taint::FILE),
                text: Some(text.text.clone()),
                listed: Vec::new(),
            },
            call.stdin,
        );
        walk.cwd = cwd;
        return flow;
    }
    let reads_input = call.has_arg(&["-s", "-"]) || parsed.operands.is_empty();
    match parsed.operands.first() {
        Some(script) if !reads_input && script.text != "/dev/stdin" => {
            run_script_file(walk, call, script);
            TextFlow::of(Taint::OUTPUT)
        }
        _ if call.has_arg(&["--version", "--help", "-n"]) => TextFlow::default(),
        _ if call.stdin.text.is_none() && call.stdin.taint == Taint::NONE && call.stdin.listed.is_empty() => {
            TextFlow::default()
        }
        _ => run_text(walk, call.name, call.stdin, &TextFlow::default()),
    }
}

/// Runs a file as a script.
fn run_script_file(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, script: &ShellArg) {
    if !script.is_known() && script.taint.has(Taint::NETWORK | Taint::DECODED) {
        walk.push_code(script.taint, call.name, "which script runs is not known");
    }
    if let Some(flow) = walk.written_before(script) {
        let is_shell = matches!(call.name, "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish");
        match (&flow.text, is_shell) {
            (Some(text), false) if !flow.taint.has(Taint::NETWORK | Taint::DECODED) => {
                code::read_code(walk, call.name, &text.clone(), &TextFlow::default());
            }
            _ => {
                let is_file = flow.taint.has(Taint::FILE) && !flow.taint.has(Taint::NETWORK | Taint::DECODED);
                if !(flow.text.is_none() && (is_file || flow.taint == Taint::NONE)) {
                    run_text(walk, call.name, &flow, &TextFlow::default());
                }
            }
        }
    }
}

pub(super) fn run_su(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    walk.push(Operation::new(OperationKind::Privilege, call.name).action("other_user"));
    match parsed.values("c", "command").next() {
        Some(text) => walk.run_line(&text.text.clone(), call.stdin),
        None => TextFlow::of(Taint::OUTPUT),
    }
}

/// Runs a command on another machine or in a container, whose paths are not those of this one.
pub(super) fn run_elsewhere(walk: &mut CommandWalk<'_>, command: &[ShellArg], stdin: &TextFlow) -> TextFlow {
    let before = walk.operations.len();
    let cwd = walk.cwd.take();
    let flow = walk.run_args(command, stdin);
    walk.cwd = cwd;
    walk.forget_places(before);
    flow
}

pub(super) fn run_ssh(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for option in parsed.values("o", "") {
        if let Some(command) = option.text.split_once(['=', ' ']).filter(|(name, _)| {
            ["proxycommand", "localcommand", "knownhostscommand"].contains(&name.to_ascii_lowercase().as_str())
        }) {
            walk.run_line(command.1, &TextFlow::default());
            walk.push_code(Taint::NONE, call.name, "ssh runs a program of its options");
        }
    }
    let valued = OptionLetters { letters: "bcDEeFIiJLlmOopQRSWwB", names: &[] };
    let (_, rest) = ParsedOptions::parse_leading(call.args, valued);
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
    let is_local = super::network::is_local_host(&host.text);
    let input = call.stdin.taint.without(Taint::NAMES);
    if !is_local && (input != Taint::NONE || call.taint().has(Taint::SECRET | Taint::FILE)) {
        walk.push((input | call.taint()).tag(Operation::new(OperationKind::Upload, call.name).written(host.shown())));
    }
    let line: Vec<&str> = command.iter().map(|arg| arg.text.as_str()).collect();
    let line = line.join(" ");
    if line.is_empty() {
        if let Some(text) = call.stdin.text.clone() {
            let before = walk.operations.len();
            walk.run_line(&text, &TextFlow::default());
            if !is_local {
                walk.forget_places(before);
            }
        }
        return TextFlow::of(Taint::NETWORK);
    }
    let before = walk.operations.len();
    let cwd = walk.cwd.clone();
    let flow = walk.run_line(&line, &TextFlow::of(input));
    walk.cwd = cwd;
    if is_local {
        return flow;
    }
    walk.forget_places(before);
    TextFlow::of(Taint::NETWORK)
}

/// Programs that take a command line among their arguments.
pub(super) fn run_line_runner(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let texts: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    let after = |options: &[&str]| {
        texts
            .iter()
            .position(|text| options.contains(text))
            .and_then(|index| texts.get(index + 1))
            .map(|text| (*text).to_owned())
    };
    let plain = |valued: OptionLetters, skipped: usize| {
        let (_, rest) = ParsedOptions::parse_leading(call.args, valued);
        rest.get(skipped.min(rest.len())..).unwrap_or_default()
    };
    let letters = |letters: &'static str| OptionLetters {
        letters,
        names: &["interval", "delay", "ext", "watch", "exec", "clear"],
    };
    let line = match call.name {
        "watch" => Some(plain(letters("n"), 0).iter().map(|arg| arg.text.clone()).collect::<Vec<_>>().join(" ")),
        "entr" | "nodemon" | "watchexec" | "hyperfine" | "concurrently" => {
            let rest = plain(letters("newdi"), 0);
            if rest.iter().any(|arg| arg.text.contains(' ')) {
                Some(rest.iter().map(|arg| arg.text.clone()).collect::<Vec<_>>().join(" ; "))
            } else {
                return walk.run_args(rest, call.stdin);
            }
        }
        "flock" => match after(&["-c", "--command"]) {
            Some(line) => Some(line),
            None => return walk.run_args(plain(letters("wE"), 1), call.stdin),
        },
        "script" => after(&["-c", "--command", "-qc", "-qec", "-ec"]).or_else(|| after(&["/dev/null"])),
        "tmux" => {
            let rest = plain(letters("tnscxyFL"), 1);
            let sent: Vec<String> = rest
                .iter()
                .map(|arg| arg.text.clone())
                .filter(|text| !matches!(text.as_str(), "Enter" | "C-m"))
                .collect();
            let is_runner = matches!(
                call.first_operand(),
                Some(
                    "new"
                        | "new-session"
                        | "neww"
                        | "new-window"
                        | "run"
                        | "run-shell"
                        | "send"
                        | "send-keys"
                        | "splitw"
                        | "split-window"
                        | "respawn-pane"
                        | "if-shell"
                )
            );
            is_runner.then(|| {
                let args: Vec<ShellArg> = sent.into_iter().map(ShellArg::new).collect();
                let (_, rest) = ParsedOptions::parse_leading(&args, letters("tnscxyFL"));
                rest.iter().map(|arg| arg.text.clone()).collect::<Vec<_>>().join(" ")
            })
        }
        "screen" => {
            let stuffed = texts
                .iter()
                .position(|text| *text == "stuff")
                .and_then(|index| texts.get(index + 1))
                .map(|text| (*text).to_owned());
            stuffed.or_else(|| {
                Some(plain(letters("SctTshX"), 0).iter().map(|arg| quote(&arg.text)).collect::<Vec<_>>().join(" "))
            })
        }
        "at" | "batch" => call.stdin.text.clone(),
        "nix-shell" => after(&["--run", "--command"]),
        "nix" => {
            let index = texts.iter().position(|text| matches!(*text, "-c" | "--command"));
            return index
                .and_then(|index| call.args.get(index + 1..))
                .map_or_else(TextFlow::default, |rest| walk.run_args(rest, call.stdin));
        }
        "expect" => after(&["-c"]).map(|text| text.replace("spawn ", " ; ")),
        "gdb" | "lldb" => after(&["-ex", "-o", "--eval-command"])
            .map(|text| text.trim_start_matches("shell ").trim_start_matches("!").to_owned()),
        "make" | "just" | "task" => {
            if let Some((_, value)) = texts
                .iter()
                .filter_map(|text| text.split_once('='))
                .find(|(name, _)| matches!(*name, "SHELL" | ".SHELLFLAGS"))
            {
                Some(value.to_owned())
            } else if texts.iter().any(|text| matches!(*text, "-f-" | "/dev/stdin"))
                || texts.windows(2).any(|pair| pair == ["-f", "-"])
            {
                // The recipe lines of a Makefile in the input.
                call.stdin.text.as_ref().map(|text| {
                    text.lines()
                        .filter_map(|line| {
                            line.strip_prefix('\t').or_else(|| line.split_once(";").map(|(_, recipe)| recipe))
                        })
                        .map(|line| line.trim_start_matches(['@', '-']))
                        .collect::<Vec<_>>()
                        .join("\n")
                })
            } else {
                after(&["--eval"]).and_then(|text| {
                    let shell = text.split_once("$(shell ").map(|(_, rest)| rest.trim_end_matches(')').to_owned());
                    shell.or_else(|| text.split_once(';').map(|(_, recipe)| recipe.to_owned()))
                })
            }
        }
        "cmd" | "start" | "wsl" => {
            let rest: Vec<String> = call
                .args
                .iter()
                .map(|arg| arg.text.clone())
                .skip_while(|text| text.starts_with('/') && text.len() <= 2 || text.starts_with('-'))
                .collect();
            Some(rest.join(" "))
        }
        "osascript" => {
            let script = after(&["-e"]);
            script.and_then(|text| {
                text.split_once("do shell script ")
                    .map(|(_, rest)| rest.trim_matches(['"', '\'']).split('"').next().unwrap_or_default().to_owned())
            })
        }
        _ => None,
    };
    match line.filter(|line| !line.trim().is_empty()) {
        Some(line) => walk.run_line(&line, call.stdin),
        None => TextFlow::of(Taint::OUTPUT),
    }
}

/// Options of interpreters whose value is code.
fn code_options(name: &str) -> &'static [&'static str] {
    match name {
        "node" | "nodejs" | "bun" | "tsx" | "ts-node" => &["-e", "--eval", "-p", "--print", "-pe"],
        "deno" => &["eval"],
        "perl" | "ruby" | "lua" | "luajit" | "Rscript" | "R" | "groovy" | "scala" | "swift" | "julia" | "tclsh"
        | "elixir" | "crystal" | "ghci" | "guile" => {
            &["-e", "-E", "--eval", "-ne", "-pe", "-le", "-nle", "-ple", "-i", "-pi", "-0777"]
        }
        "php" => &["-r", "-B", "-R", "-E"],
        _ => &["-c"],
    }
}

pub(super) fn run_interpreter(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    parsed: &ParsedOptions<'_>,
) -> TextFlow {
    let options = code_options(call.name);
    let is_perl_like = matches!(call.name, "perl" | "ruby");
    let is_code_option = |text: &str| {
        options.contains(&text)
            || is_perl_like
                && text.starts_with('-')
                && !text.starts_with("--")
                && text.len() < 12
                && text.ends_with(['e', 'E'])
            || call.name.starts_with("python")
                && text.starts_with('-')
                && !text.starts_with("--")
                && text.ends_with('c')
    };
    let mut flow = call.stdin.clone();
    flow.text = None;
    flow.taint = flow.taint.without(Taint::NETWORK) | Taint::OUTPUT;
    let mut has_code = false;
    for (index, arg) in call.args.iter().enumerate() {
        if is_code_option(&arg.text) {
            if let Some(text) = call.args.get(index + 1) {
                has_code = true;
                read_arg_code(walk, call, text);
            }
        } else if let Some(glued) = glued_code(call.name, &arg.text) {
            has_code = true;
            read_arg_code(walk, call, &ShellArg { text: glued.to_owned(), ..arg.clone() });
        }
    }
    let is_in_place = is_perl_like
        && call.args.iter().any(|arg| {
            arg.text.starts_with("-i")
                || arg.text.starts_with('-')
                    && !arg.text.starts_with("--")
                    && arg.text.len() < 8
                    && arg.text.contains('i')
                    && arg.text.contains('p')
        });
    if has_code {
        let codes: Vec<&str> = call
            .args
            .windows(2)
            .filter_map(|pair| match pair {
                [option, code] if is_code_option(&option.text) => Some(code.text.as_str()),
                _ => None,
            })
            .collect();
        for file in parsed.operands.iter().filter(|file| !codes.contains(&file.text.as_str())) {
            if is_in_place {
                walk.write_file(call.name, file, "edit", TextFlow::of(Taint::DECODED));
            } else if is_perl_like || walk.place(file).tags.contains(&crate::OperationTag::Secret) {
                flow.append(walk.read_file(call.name, file, false));
            } else if walk
                .place(file)
                .tags
                .iter()
                .any(|tag| matches!(tag, crate::OperationTag::AgentSettings | crate::OperationTag::Pintle))
            {
                walk.push_path(Operation::new(OperationKind::Write, call.name).action("unknown_program"), file);
            }
        }
        return flow;
    }
    if call.has_arg(&["-m"])
        || call
            .args
            .iter()
            .any(|arg| arg.text.starts_with("-m") && arg.text.len() > 2 && call.name.starts_with("python"))
    {
        run_module(walk, call);
        return flow;
    }
    if matches!(call.name, "deno" | "bun")
        && matches!(
            call.first_operand(),
            Some("run" | "test" | "install" | "task" | "fmt" | "lint" | "add" | "build" | "x" | "check")
        )
    {
        if let Some(script) = parsed.operands.get(1).filter(|script| script.text.starts_with("http")) {
            walk.push_code(Taint::NETWORK, call.name, "it runs a script from the network");
            let _ = script;
        }
        return flow;
    }
    match parsed.operands.first() {
        Some(script) if script.text != "-" && script.text != "/dev/stdin" => {
            if script.text.starts_with("http") {
                walk.push_code(Taint::NETWORK, call.name, "it runs a script from the network");
            }
            run_script_file(walk, call, script);
            // The arguments of a script that name what needs care.
            for arg in parsed.operands.iter().skip(1) {
                if walk.place(arg).tags.contains(&crate::OperationTag::Secret) {
                    flow.append(walk.read_file(call.name, arg, false));
                }
            }
        }
        _ if call.has_arg(&["--version", "-V", "-v", "--help", "-h"]) => {}
        _ => match &call.stdin.text {
            Some(text) => {
                if call.stdin.taint.has(Taint::NETWORK | Taint::DECODED) {
                    walk.push_code(call.stdin.taint, call.name, "it runs text that comes from elsewhere");
                }
                code::read_code(walk, call.name, &text.clone(), &TextFlow::default());
            }
            None if call.stdin.taint.has(Taint::NETWORK | Taint::DECODED | Taint::OUTPUT) => {
                walk.push_code(call.stdin.taint, call.name, "it runs text that is not known");
            }
            None => {}
        },
    }
    flow
}

fn read_arg_code(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, text: &ShellArg) {
    if text.text.trim() == crate::paths::UNKNOWN.to_string()
        || text.taint.has(Taint::NETWORK | Taint::DECODED) && !text.is_known()
    {
        walk.push_code(text.taint, call.name, "the code that it runs is not known");
        return;
    }
    code::read_code(walk, call.name, &text.text, call.stdin);
}

/// Code that follows its option in the same word, such as `-e'...'` or `--eval=…`.
fn glued_code<'t>(name: &str, text: &'t str) -> Option<&'t str> {
    if let Some(code) = text.strip_prefix("--eval=").or_else(|| text.strip_prefix("--print=")) {
        return Some(code);
    }
    let letter = match name {
        "perl" | "ruby" => "-e",
        name if name.starts_with("python") => "-c",
        "php" => "-r",
        "node" => "-e",
        _ => return None,
    };
    text.strip_prefix(letter).filter(|code| code.len() > 2)
}

/// Modules of Python that do something to files or the network.
fn run_module(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    let mut rest = call.args.iter().skip_while(|arg| !arg.text.starts_with("-m"));
    let Some(option) = rest.next() else { return };
    let module = match option.text.strip_prefix("-m").filter(|glued| !glued.is_empty()) {
        Some(glued) => glued.to_owned(),
        None => rest.next().map(|arg| arg.text.clone()).unwrap_or_default(),
    };
    let args: Vec<ShellArg> = rest.cloned().collect();
    match module.as_str() {
        "http.server" | "SimpleHTTPServer" | "pyftpdlib" => {
            let directory = args.iter().skip_while(|arg| arg.text != "-d" && arg.text != "--directory").nth(1).cloned();
            let root = directory.unwrap_or_else(|| ShellArg::new("."));
            let placed = walk.place(&root);
            if !matches!(
                placed.place,
                crate::PathPlace::Project | crate::PathPlace::ProjectRoot | crate::PathPlace::Temporary
            ) {
                walk.push_path(
                    Operation::new(OperationKind::Upload, call.name).action("serve").tag(crate::OperationTag::File),
                    &root,
                );
            }
        }
        "pip" | "ensurepip" | "pipx" | "twine" | "uv" => {
            let program = ShellArg::new(module);
            let args: Vec<ShellArg> = std::iter::once(program).chain(args).collect();
            walk.run_args(&args, call.stdin);
        }
        "base64" | "zipfile" | "tarfile" | "json.tool" | "gzip" => {
            for file in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                walk.read_file(call.name, file, false);
            }
        }
        "shutil" | "os" => {}
        _ => {}
    }
}

pub(super) fn run_powershell(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let is_option = |text: &str, name: &str, least: usize| {
        let lower = text.trim_start_matches(['-', '/']).to_ascii_lowercase();
        text.starts_with(['-', '/']) && lower.len() >= least && name.starts_with(&lower)
    };
    for (index, arg) in call.args.iter().enumerate() {
        let rest = call.args.get(index + 1..).unwrap_or_default();
        if is_option(&arg.text, "encodedcommand", 1) && !is_option(&arg.text, "executionpolicy", 2) {
            walk.push_code(Taint::DECODED, call.name, "the command is encoded");
            return TextFlow::of(Taint::OUTPUT);
        }
        if is_option(&arg.text, "command", 1) {
            let line: Vec<&str> = rest.iter().map(|arg| arg.text.as_str()).collect();
            return walk.run_powershell_line(&line.join(" "), call.stdin);
        }
        if is_option(&arg.text, "file", 1) {
            if let Some(script) = rest.first() {
                run_script_file(walk, call, script);
            }
            return TextFlow::of(Taint::OUTPUT);
        }
    }
    let operand = call.args.iter().find(|arg| !arg.text.starts_with('-'));
    match operand {
        Some(line) => walk.run_powershell_line(&line.text.clone(), call.stdin),
        None if call.stdin.text.is_some() || call.stdin.taint != Taint::NONE => match call.stdin.text.clone() {
            Some(text) => walk.run_powershell_line(&text, &TextFlow::default()),
            None => {
                walk.push_code(call.stdin.taint, call.name, "it runs text that is not known");
                TextFlow::of(Taint::OUTPUT)
            }
        },
        None => TextFlow::default(),
    }
}
