//! Programs in a command line, such as `python -c`: which functions they call, and on what.
//!
//! Nothing is executed, and no language is parsed: the reader looks at names, texts and brackets. It knows the functions
//! of [`functions`], follows texts through simple variables, and gives what it cannot follow as unknown.

mod cell;
mod facts;
mod functions;
mod names;
mod reader;
mod requests;
mod services;
mod statements;
mod tokens;
mod value;
mod words;

use facts::{CodeFacts, opens_for_writing};
use functions::CodeEffect::{
    Cell, Code, Command, Decode, Delete, DeleteTree, Duplicate, Dynamic, Environment, Kill, Link, Move, Open, Options,
    Permission, Print, Privilege, Read, Redirect, Request, Socket, SystemCall, Transmit, Unpack, Write,
};
use functions::effect_of;
use reader::{CodeCall, CodeReading, read_calls};
use requests::{push_read, push_request};
use tokens::read_tokens;
use value::last_part;

use crate::address::push_address;
use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, program_name};
use crate::{Operation, OperationKind, OperationTag};

/// The longest code that is read.
const MAX_BYTES: usize = 32 * 1024;
/// What decides which modules are loaded, and from where.
const LOADS: [&str; 8] =
    ["sys.path", "addsitedir", "importlib", "runpy", "__import__", "NODE_PATH", "$LOAD_PATH", "$:"];
/// Words of loops.
const LOOPS: [&str; 5] = ["while", "for ", "loop", "until", "count()"];
/// Functions that run their argument, by their bare names.
const EVALUATORS: [&str; 4] = ["eval", "exec", "Function", "execScript"];
/// How many calls before an evaluation may give its text.
const NEAR: usize = 4;
/// The most calls of functions.
const MAX_CALLS: usize = 600;

/// Adds what code would do. `language` is the name of its interpreter; `stdin` is the input of the code.
pub(crate) fn read_code(walk: &mut CommandWalk<'_>, language: &str, text: &str, stdin: &TextFlow) {
    // awk reads files; it writes some by `>`, or by a command line.
    if !language.ends_with("awk") || text.contains('>') || text.contains("system") {
        walk.note_text(text);
    }
    // Of a file, the beginning is read.
    let is_file = walk.is_in_code_file();
    let end = if is_file { text.floor_char_boundary(MAX_BYTES) } else { text.len() };
    let text = text.get(..end).unwrap_or_default();
    if text.len() > MAX_BYTES {
        walk.push_unknown(language, "the code is too long to be read");
        return;
    }
    if language == "ipython" && cell::run_cell_magic(walk, text) {
        return;
    }
    let cell = (language == "ipython").then(|| cell::to_python(text));
    let text = cell.as_deref().unwrap_or(text);
    let CodeReading { calls, has_condition, is_cut } = read_calls(&read_tokens(language, text), language);
    if is_cut {
        walk.push_unknown(language, "the code is nested too deeply to be read");
    }
    if calls.len() > MAX_CALLS {
        walk.push_unknown(language, "the code calls more functions than can be looked at");
    }
    services::push_service_calls(walk, language, text, calls.get(..MAX_CALLS).unwrap_or(&calls));
    let mut facts = CodeFacts {
        taint: stdin.taint.without(TextTaint::NETWORK),
        input: stdin.clone(),
        has_condition,
        ..CodeFacts::default()
    };
    // What the whole code does decides what a single call means: a read and a request together send a file.
    for call in calls.iter().take(MAX_CALLS) {
        facts.note(call, language);
    }
    for (index, call) in calls.iter().take(MAX_CALLS).enumerate() {
        if is_file {
            let before = calls.get(index.saturating_sub(NEAR)..index).unwrap_or_default();
            push_certain_code(walk, language, call, before);
        }
        push_call(walk, language, call, &mut facts);
    }
    if facts.sends && !facts.has_sent && facts.taint.has(TextTaint::FILE | TextTaint::SECRET | TextTaint::ENVIRONMENT) {
        walk.push(facts.taint.tag(Operation::new(OperationKind::Upload, language)));
    }
    if facts.prints && facts.environment_secret {
        walk.push(Operation::new(OperationKind::Secret, language).action("print_variable"));
    }
    // What the code itself fetched may be among the modules that it loads.
    if walk.has_fetched() && LOADS.iter().any(|word| text.contains(word)) {
        walk.push_code(TextTaint::NETWORK, language, "it loads modules where it puts files from elsewhere");
    }
    let forks = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').any(|word| word == "fork");
    if forks && LOOPS.iter().any(|word| text.contains(word)) {
        walk.push(Operation::new(OperationKind::System, language).action("fork_bomb"));
    }
    let uses_gawk_network = language.ends_with("awk") && (text.contains("/inet/") || text.contains("/inet4/"));
    if facts.connects && facts.runs_shell || uses_gawk_network {
        let remote_shell = Operation::new(OperationKind::System, language).action("remote_shell");
        let is_certain =
            facts.redirects && ["/sh\"", "/sh'", "/bash\"", "/bash'"].iter().any(|shell| text.contains(shell));
        if is_certain { walk.as_line(|walk| walk.push(remote_shell)) } else { walk.push(remote_shell) }
    }
}

/// Adds code of a file that is run as it comes out of a decoder or from the network.
fn push_certain_code(walk: &mut CommandWalk<'_>, language: &str, call: &CodeCall, before: &[CodeCall]) {
    let effect = effect_of(language, &call.name);
    let fetches = |call: &CodeCall| effect_of(language, &call.name) == Some(Request);
    let is_evaluator = |name: &str| EVALUATORS.contains(&last_part(name));
    let taint = match effect {
        Some(Code) if is_evaluator(&call.name) && call.is_decoded => TextTaint::DECODED,
        Some(Command) if call.is_decoded && call.texts.is_empty() => TextTaint::DECODED,
        Some(Code) if is_evaluator(&call.name) && before.iter().any(fetches) => TextTaint::NETWORK,
        _ => return,
    };
    if call.has_unknown {
        walk.as_line(|walk| walk.push_code(taint, language, "it evaluates text that is not known"));
    }
}

impl CommandWalk<'_> {
    /// Reads code one level deeper.
    pub(crate) fn run_code(&mut self, language: &str, text: &str) {
        self.called(|walk| {
            read_code(walk, language, text, &TextFlow::default());
            TextFlow::default()
        });
    }
}

fn push_call(walk: &mut CommandWalk<'_>, language: &str, call: &CodeCall, facts: &mut CodeFacts) {
    // `.then(eval)`: a function that gets text as code.
    if let Some(name) = call.names.iter().find(|name| EVALUATORS.contains(&name.as_str()))
        && (facts.uses_network || facts.uses_decoder)
    {
        walk.push_code(facts.code_taint(), language, &format!("it gives text from elsewhere to `{name}`"));
    }
    // A client that was made before: `.post(ADDRESS, …)`.
    let last = call.name.rsplit(['.', ':', '>']).next().unwrap_or_default();
    let posts =
        || matches!(last, "post" | "put" | "patch" | "post_form") && call.texts.iter().any(|text| text.contains("://"));
    let Some(effect) = effect_of(language, &call.name).or_else(|| posts().then_some(Transmit)) else {
        return;
    };
    let is_file = walk.is_in_code_file();
    let paths = || -> Vec<ShellArg> {
        let texts: Vec<ShellArg> =
            call.texts.iter().filter(|text| !text.is_empty()).flat_map(|text| path_args(text)).collect();
        // `DIR or "."`.
        if is_file && call.has_unknown && texts.iter().all(|path| matches!(path.text.as_str(), "." | "/")) {
            return Vec::new();
        }
        if texts.is_empty() && call.has_unknown { vec![ShellArg::unknown(TextTaint::NONE)] } else { texts }
    };
    let uses_file = matches!(effect, Delete | DeleteTree | Write | Read | Open);
    if call.is_decoded && uses_file && paths().iter().all(|path| !path.is_known()) {
        walk.push_code(TextTaint::DECODED, language, "it uses a file whose name is encoded");
        return;
    }
    match effect {
        Delete | DeleteTree => {
            let is_recursive = effect == DeleteTree
                || call.texts.iter().any(|text| text == "recursive")
                || call.names.iter().any(|name| name == "recursive");
            for path in paths().into_iter().filter(|path| !is_option_word(&path.text)) {
                let operation = Operation::new(OperationKind::Delete, language)
                    .action(last)
                    .tag_if(is_recursive || path.text.contains("**"), OperationTag::Recursive)
                    .tag_if(facts.has_condition && path.is_pattern, OperationTag::Filtered);
                walk.push_path(operation, &path);
            }
        }
        Write => {
            for path in paths().into_iter().take(1) {
                walk.write_file(language, &path, "replace", facts.written_flow());
            }
        }
        Move | Duplicate => {
            let all = paths();
            let is_address = all.first().is_some_and(|source| source.text.contains("://"));
            if let (true, [source, target, ..]) = (is_address, all.as_slice()) {
                push_address(walk, OperationKind::Download, language, &source.text, TextTaint::NONE);
                walk.write_file(language, target, "download", TextFlow::from_taint(TextTaint::NETWORK));
                return;
            }
            if let Some(source) = all.first() {
                let kind = if effect == Move { OperationKind::Move } else { OperationKind::Read };
                walk.push_path(Operation::new(kind, language), source);
            }
            if let Some(target) = all.get(1) {
                walk.write_file(language, target, "replace", TextFlow::default());
            }
        }
        Link => {
            if let [source, target, ..] = paths().as_slice() {
                walk.push_path(Operation::new(OperationKind::Write, language).action("link"), target);
                walk.note_link(source, target);
            }
        }
        Permission => {
            let is_open = call.numbers.iter().any(|mode| ["777", "666", "4755"].iter().any(|end| mode.ends_with(end)));
            for path in paths().into_iter().take(1) {
                let operation = Operation::new(OperationKind::Permission, language)
                    .action(last)
                    .tag_if(is_open, OperationTag::TooOpen);
                walk.push_path(operation, &path);
            }
        }
        Read => {
            if last == "dotenv_values" && call.texts.is_empty() {
                push_read(walk, language, &ShellArg::new(".env"), facts);
            }
            for path in paths().into_iter().take(1) {
                push_read(walk, language, &path, facts);
            }
        }
        Open => {
            let is_writing = opens_for_writing(call);
            let count = if call.texts.first().is_some_and(|text| is_perl_mode(text)) { 2 } else { 1 };
            for path in paths().into_iter().take(count).filter(|path| !is_perl_mode(&path.text)) {
                if is_writing {
                    let path = ShellArg::new(path.text.trim_start_matches(['>', '+', ' ']));
                    walk.write_file(language, &path, "replace", facts.written_flow());
                } else if let Some(command) = path.text.strip_prefix('|').or_else(|| path.text.strip_suffix('|')) {
                    walk.as_line(|walk| walk.run_line(command, &TextFlow::default()));
                } else {
                    push_read(walk, language, &ShellArg::new(path.text.trim_start_matches(['<', ' '])), facts);
                }
            }
        }
        Command => push_command(walk, language, call, facts),
        Code => {
            let is_address = |text: &String| text.starts_with("http://") || text.starts_with("https://");
            if call.texts.iter().any(is_address) {
                walk.push_code(TextTaint::NETWORK, language, "it evaluates text of an address");
                return;
            }
            let is_known =
                !call.has_unknown && !call.texts.is_empty() && !call.texts.iter().any(|text| text.contains(UNKNOWN));
            if is_known && !facts.uses_decoder {
                let texts = call.texts.iter().filter(|text| text.len() < MAX_BYTES / 2);
                texts.for_each(|text| walk.run_code(language, text));
            } else {
                walk.push_code(facts.code_taint(), language, "it evaluates text that is not known");
            }
        }
        Cell => {
            let cell = match (last, call.texts.as_slice()) {
                ("run_cell_magic", [name, rest @ ..]) => format!("%%{name} {}", rest.join("\n")),
                ("run_line_magic" | "magic", words) => format!("%{}", words.join(" ")),
                (_, words) => words.join("\n"),
            };
            walk.run_code("ipython", &cell);
        }
        Unpack => {
            let taint = facts.code_taint();
            if taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
                walk.push_code(taint, language, "it makes objects or code of text that comes from elsewhere");
            }
        }
        SystemCall => walk.push_unknown(language, "it calls the system by a number"),
        Dynamic => {
            let taint = facts.code_taint() | TextTaint::DECODED;
            walk.push_code(taint, language, "it calls a function whose name is put together");
        }
        Request | Transmit | Socket => push_request(walk, language, call, effect, facts),
        Kill => {
            let action = match call.numbers.first().map(String::as_str) {
                Some("-1") => "everything",
                Some("1") => "system_process",
                _ => "",
            };
            walk.push(Operation::new(OperationKind::Kill, language).action(action));
        }
        Privilege => walk.push(Operation::new(OperationKind::Privilege, language).action("other_user")),
        Decode | Environment | Print | Redirect | Options => {}
    }
}

fn is_perl_mode(text: &str) -> bool {
    matches!(text, "<" | ">" | ">>" | "+<" | "-|" | "|-" | "<:raw" | "<:encoding(UTF-8)" | ">:utf8")
}

fn is_option_word(text: &str) -> bool {
    matches!(text, "recursive" | "force" | "true" | "false" | "utf8" | "utf-8")
}

/// The paths of a text: a pattern may have braces.
fn path_args(text: &str) -> Vec<ShellArg> {
    if text.contains('{') && text.contains('*') {
        crate::walk::brace_alternatives(text).iter().map(|text| path_arg(text)).collect()
    } else {
        vec![path_arg(text)]
    }
}

/// A path in code; a `*` comes from a function that lists files.
fn path_arg(text: &str) -> ShellArg {
    let text = text.strip_prefix("file://").unwrap_or(text);
    ShellArg { is_pattern: text.contains(['*', '?']), ..ShellArg::new(text) }
}

/// Whether a function replaces the process by a program, or starts one, with all of its arguments: `os.execvp`.
fn is_exec(function: &str) -> bool {
    let name = function.rsplit('.').next().unwrap_or_default();
    ["execv", "execl", "spawnv", "spawnl", "fork_exec", "posix_spawn"].iter().any(|start| name.starts_with(start))
}

/// A command line in a text, or a list of words.
fn push_command(walk: &mut CommandWalk<'_>, language: &str, call: &CodeCall, facts: &CodeFacts) {
    let words: Vec<&String> = call
        .texts
        .iter()
        .filter(|text| !matches!(text.as_str(), "utf8" | "utf-8" | "inherit" | "pipe" | "ignore"))
        .collect();
    if words.is_empty() || call.is_decoded {
        if call.has_unknown || call.is_decoded {
            let taint = if call.is_decoded { TextTaint::DECODED } else { TextTaint::NONE };
            walk.push_code(facts.code_taint() | taint, language, "it runs a command that is not known");
        }
        return;
    }
    // What the code prints is the input of a command behind a `|`.
    let printed = || TextFlow::from_taint(facts.input.taint | TextTaint::OUTPUT);
    let stdin = if call.is_piped { printed() } else { facts.input.clone() };
    let is_list = call.is_list || words.len() > 1 && words.first().is_some_and(|first| !first.contains(' '));
    let printed = if is_list {
        // `[sys.executable, "-m", "pip"]`: the interpreter itself.
        let itself = words.first().is_some_and(|first| *first == "-m").then(|| ShellArg::new(language));
        let rest = call.has_unknown.then(|| ShellArg::unknown(TextTaint::NONE));
        // `execvp` has the program twice: as the file, and as the first argument.
        let is_twice = is_exec(&call.name)
            && words
                .get(1)
                .is_some_and(|name| words.first().is_some_and(|file| program_name(file) == program_name(name)));
        let words = words.iter().skip(usize::from(is_twice)).map(|word| ShellArg::new(word.as_str()));
        let args: Vec<ShellArg> = itself.into_iter().chain(words).chain(rest).collect();
        walk.as_line(|walk| walk.run_args(&args, &stdin))
    } else {
        words.first().map_or_else(TextFlow::default, |line| walk.as_line(|walk| walk.run_line(line, &stdin)))
    };
    // A notebook shows it.
    if language == "ipython" {
        walk.push_printed(&printed);
    }
}
