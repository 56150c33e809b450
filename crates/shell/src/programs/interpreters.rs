//! Interpreters: code in their arguments, in their input, or in a file.

use super::option_uses;
use super::shells::run_script_file;
use crate::OperationTag::{AgentSettings, File, Local, Pintle, Secret};
use crate::PathPlace::{Project, ProjectRoot, Temporary};
use crate::code;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind};

pub(super) fn run_language(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let codes = option_uses::code_values(call);
    let is_perl_like = matches!(call.name, "perl" | "ruby");
    let mut flow = call.stdin.clone();
    flow.text = None;
    flow.taint = flow.taint.without(TextTaint::NETWORK) | TextTaint::OUTPUT;
    // `-n` and `-p` give the code the lines of the files.
    let has_letters = |is_meant: fn(&str) -> bool| {
        let is_letters = |text: &str| text.len() < 8 && text.starts_with('-') && !text.starts_with("--");
        is_perl_like && call.args.iter().any(|arg| is_letters(&arg.text) && is_meant(&arg.text))
    };
    let reads_lines = has_letters(|text| text.contains(['n', 'p']));
    let lines = if reads_lines { call.stdin.taint | TextTaint::FILE } else { call.stdin.taint };
    let stdin = TextFlow { taint: lines, ..call.stdin.clone() };
    let call = &ProgramCall { stdin: &stdin, ..*call };
    // `node -p` prints the value of its code.
    let prints = call.name.starts_with("node") && call.has_arg(&["-p", "--print", "-pe"]);
    let before = walk.operations.len();
    for code in &codes {
        let printed = code.with_text(format!("console.log({})", code.text));
        read_arg_code(walk, call, if prints { &printed } else { code });
    }
    let fetches = |operation: &Operation| operation.kind == OperationKind::Download && !operation.has(Local);
    if walk.operations.iter().skip(before).any(fetches) {
        flow.taint |= TextTaint::NETWORK;
    }
    let is_in_place = is_perl_like && call.args.iter().any(|arg| arg.text.starts_with("-i"))
        || has_letters(|text| text.contains('i') && text.contains('p'));
    // `unlink` without a name takes each line of the input.
    if reads_lines && call.args.iter().any(|arg| arg.text.split([';', ' ', '(']).any(|word| word == "unlink")) {
        for listed in &call.stdin.listed {
            super::files::delete_listed(walk, call.name, listed);
        }
    }
    if !codes.is_empty() {
        for file in parsed.operands.iter().filter(|file| codes.iter().all(|code| code.text != file.text)) {
            if is_in_place {
                walk.write_file(call.name, file, "edit", TextFlow::from_taint(TextTaint::DECODED));
            } else if is_perl_like || walk.place(file).tags.contains(&Secret) {
                flow.append(walk.read_file(call.name, file, false));
            } else if walk.place(file).tags.iter().any(|tag| matches!(tag, AgentSettings | Pintle)) {
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
    if matches!((call.name, call.first_operand()), ("deno", Some("task")) | ("bun", Some(_))) {
        super::tasks::run_scripts(walk, call, parsed);
    }
    let command = call.first_operand().unwrap_or_default();
    if matches!(call.name, "deno" | "bun") && is_listed("run test install task fmt lint add build x check", command) {
        match parsed.operands.get(1).filter(|_| command == "run") {
            Some(script) if script.text == "-" => run_input(walk, call),
            Some(script) if script.text.starts_with("http") => {
                walk.push_code(TextTaint::NETWORK, call.name, "it runs a script from the network");
            }
            Some(script) => drop(run_script_file(walk, call, script)),
            None => {}
        }
        return flow;
    }
    // `php -- ARGUMENTS` and `python3 - ARGUMENTS` run their input.
    let reads_input = call.args.iter().position(|arg| arg.text == "--").is_some_and(|mark| {
        let before = call.args.get(..mark).unwrap_or_default();
        before.iter().enumerate().all(|(index, arg)| {
            let follows = index.checked_sub(1).and_then(|index| before.get(index));
            arg.text.starts_with('-')
                || follows.is_some_and(|option| matches!(option.text.as_str(), "-d" | "-c" | "-W"))
        })
    });
    match parsed.operands.first().filter(|_| !reads_input) {
        Some(script) if !matches!(script.text.as_str(), "-" | "/dev/stdin" | "/dev/fd/0") => {
            if script.text.starts_with("http") {
                walk.push_code(TextTaint::NETWORK, call.name, "it runs a script from the network");
            }
            flow.append(run_script_file(walk, call, script));
        }
        // Behind `-` and `--`, they are arguments of the program that is read.
        None if !reads_input && call.has_arg(&["--version", "-V", "-v", "--help", "-h"]) => {}
        _ => run_input(walk, call),
    }
    flow
}

/// Runs the input as code.
fn run_input(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>) {
    walk.note_input(call.name, call.stdin);
    call.stdin.text.iter().for_each(|text| walk.note_code(call.name, &ShellArg::new(text.as_str())));
    match &call.stdin.text {
        Some(text) => {
            if call.stdin.taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
                walk.push_code(call.stdin.taint, call.name, "it runs text that comes from elsewhere");
            }
            code::read_code(walk, call.name, text, &TextFlow::default());
        }
        None if call.stdin.is_unknown() => {
            walk.push_code(call.stdin.taint, call.name, "it runs text that is not known");
        }
        None => {
            for file in &call.stdin.files {
                super::shells::run_file(walk, call.name, file, &[], &TextFlow::default());
            }
        }
    }
}

fn read_arg_code(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, text: &ShellArg) {
    walk.note_code(call.name, text);
    if text.text.trim() == crate::paths::UNKNOWN.to_string()
        || text.taint.has(TextTaint::NETWORK | TextTaint::DECODED) && !text.is_known()
    {
        walk.push_code(text.taint, call.name, "the code that it runs is not known");
        return;
    }
    push_imports(walk, call.name, &text.text);
    code::read_code(walk, call.name, &text.text, call.stdin);
    if text.text.contains("bundler/inline") && text.text.contains("://") {
        walk.push_code(TextTaint::NETWORK, call.name, "it installs packages of an address and loads them");
    }
}

/// What code imports: modules that the line fetched, and addresses.
pub(super) fn push_imports(walk: &mut CommandWalk<'_>, program: &str, text: &str) {
    let is_python = program.starts_with("python") || program.starts_with("pypy");
    for statement in text.split([';', '\n']).filter(|_| is_python) {
        let mut words = statement.split([' ', ',']).filter(|word| !word.is_empty());
        if let (Some("import" | "from"), Some(module)) = (words.next(), words.next()) {
            push_module(walk, program, module);
        }
    }
    let loaders = ["import(", "require(", "source(", "include(", "evaluate(", "load(", "dofile(", "from", "import"];
    for (at, loader) in loaders.iter().flat_map(|loader| text.match_indices(loader)).filter(|_| !is_python) {
        let is_word = text.get(..at).is_some_and(|before| !before.ends_with(|letter: char| letter.is_alphanumeric()));
        let rest = text.get(at + loader.len()..).unwrap_or_default().trim_start();
        let quoted = rest.strip_prefix(['"', '\'', '`']).and_then(|rest| rest.split(['"', '\'', '`']).next());
        let is_built = loader.ends_with('(')
            && (rest.starts_with("new URL(") || quoted.is_some_and(|text| text.starts_with("data:")));
        match quoted {
            _ if !is_word => {}
            _ if is_built => {
                walk.push_code(TextTaint::NETWORK | TextTaint::DECODED, program, "it loads text as code");
            }
            Some(path) if path.starts_with("http://") || path.starts_with("https://") => {
                walk.push_code(TextTaint::NETWORK, program, "it loads code of an address");
            }
            Some(path) => {
                if let Some(taint) = walk.fetched_taint(path) {
                    walk.push_code(taint, program, "it loads a file that comes from elsewhere");
                }
                if path.starts_with(['.', '/']) {
                    let ends = ["", ".js", ".ts", ".mjs", ".cjs", ".rb", ".pl", ".php", "/index.js"];
                    run_module_file(walk, program, &ends.map(|end| format!("{path}{end}")));
                }
            }
            None => {}
        }
    }
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
            if !matches!(placed.place, Project | ProjectRoot | Temporary) {
                walk.push_path(Operation::new(OperationKind::Upload, call.name).action("serve").tag(File), &root);
            }
        }
        "pip" | "ensurepip" | "pipx" | "twine" | "uv" | "awscli" | "alembic" | "poetry" | "build" | "flask" => {
            let program = ShellArg::new(module);
            let args: Vec<ShellArg> = std::iter::once(program).chain(args).collect();
            walk.run_args(&args, call.stdin);
        }
        "timeit" => args.iter().filter(|arg| !arg.text.starts_with('-')).for_each(|arg| read_arg_code(walk, call, arg)),
        "IPython" | "asyncio" | "bpython" | "code" | "ptpython" => run_input(walk, call),
        "cProfile" | "coverage" | "pdb" | "profile" | "trace" => {
            for script in args.iter().filter(|arg| arg.text.ends_with(".py")) {
                run_script_file(walk, call, script);
            }
            run_input(walk, call);
        }
        "venv" | "virtualenv" => {
            for directory in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                walk.push_made_directory(call.name, directory);
            }
        }
        "base64" | "zipfile" | "tarfile" | "json.tool" | "gzip" => {
            let target = match args.first().map(|arg| arg.text.as_str()) {
                Some("-e" | "--extract") => args.get(2),
                Some("-c" | "--create") => args.get(1),
                _ => None,
            };
            if let Some(target) = target {
                walk.write_file(call.name, target, "unpack", TextFlow::default());
            }
            for file in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                walk.read_file(call.name, file, false);
            }
        }
        module => push_module(walk, call.name, module),
    }
}

/// A module that the line itself fetched into the working directory.
fn push_module(walk: &mut CommandWalk<'_>, program: &str, module: &str) {
    let first = module.split('.').next().unwrap_or(module);
    for path in [format!("{first}.py"), first.to_owned()] {
        if let Some(taint) = walk.fetched_taint(&path) {
            walk.push_code(taint, program, "it loads a module that comes from elsewhere");
        }
    }
    let path = module.trim_start_matches('.').replace('.', "/");
    run_module_file(walk, program, &["/__main__.py", ".py", "/__init__.py"].map(|end| format!("{path}{end}")));
}

/// Reads the first file that there is of those that a module may be in, beside the file that loads it.
fn run_module_file(walk: &mut CommandWalk<'_>, program: &str, candidates: &[String]) {
    let beside = walk.running_dir();
    for candidate in candidates {
        let path = beside.as_ref().map_or_else(|| candidate.clone(), |dir| dir.join(candidate).display().to_string());
        if let Some(path) = walk.code_path(&ShellArg::new(path))
            && walk.file_text(&path).is_some()
        {
            if walk.note_module(&path) {
                super::shells::run_file(walk, program, &path, &[], &TextFlow::default());
            }
            return;
        }
    }
}
