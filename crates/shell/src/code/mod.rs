//! Programs in a command line, such as `python -c`: which functions they call, and on what.
//!
//! Nothing is executed, and no language is parsed: the reader looks at names, texts and brackets. It knows the functions
//! of [`functions`], follows texts through simple variables, and gives what it cannot follow as unknown.

mod functions;
mod names;
mod reader;
mod requests;
mod services;
mod statements;
mod tokens;
mod value;

use functions::{CodeEffect, effect_of};
use reader::{CodeCall, CodeReading, read_calls};
use requests::{push_read, push_request};
use tokens::read_tokens;

use crate::address::push_address;
use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, is_secret_name};
use crate::{Operation, OperationKind, OperationTag};

/// The longest code that is read.
const MAX_BYTES: usize = 32 * 1024;
/// Functions that run their argument, by their bare names.
const EVALUATORS: [&str; 4] = ["eval", "exec", "Function", "execScript"];
/// The most calls of functions.
const MAX_CALLS: usize = 600;

/// Adds what code would do. `language` is the name of its interpreter; `stdin` is the input of the code.
pub(crate) fn read_code(walk: &mut CommandWalk<'_>, language: &str, text: &str, stdin: &TextFlow) {
    if text.len() > MAX_BYTES {
        walk.push_unknown(language, "the code is too long to be read");
        return;
    }
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
        input: stdin.taint,
        has_condition,
        ..CodeFacts::default()
    };
    // What the whole code does decides what a single call means: a read and a request together send a file.
    for call in calls.iter().take(MAX_CALLS) {
        facts.note(call, language);
    }
    for call in calls.iter().take(MAX_CALLS) {
        push_call(walk, language, call, &mut facts);
    }
    if facts.sends && !facts.has_sent && facts.taint.has(TextTaint::FILE | TextTaint::SECRET | TextTaint::ENVIRONMENT) {
        walk.push(facts.taint.tag(Operation::new(OperationKind::Upload, language)));
    }
    if facts.prints && facts.environment_secret {
        walk.push(Operation::new(OperationKind::Secret, language).action("print_variable"));
    }
    let uses_gawk_network = language.ends_with("awk") && (text.contains("/inet/") || text.contains("/inet4/"));
    if facts.connects && facts.runs_shell || uses_gawk_network {
        walk.push(Operation::new(OperationKind::System, language).action("remote_shell"));
    }
}

/// Reads code one level deeper.
fn run_code(walk: &mut CommandWalk<'_>, language: &str, text: &str) {
    walk.called(|walk| {
        read_code(walk, language, text, &TextFlow::default());
        TextFlow::default()
    });
}

/// What the whole code does.
#[derive(Debug, Default)]
struct CodeFacts {
    taint: TextTaint,
    /// Where its input comes from.
    input: TextTaint,
    uses_network: bool,
    uses_decoder: bool,
    /// Whether it sends something, and whether an operation says so.
    sends: bool,
    has_sent: bool,
    /// Whether options say that what it reads from an address is sent there as well.
    posts: bool,
    prints: bool,
    environment_secret: bool,
    /// Whether it opens a connection, and runs a shell or connects programs to something.
    connects: bool,
    runs_shell: bool,
    has_condition: bool,
}

impl CodeFacts {
    fn note(&mut self, call: &CodeCall, language: &str) {
        match effect_of(language, &call.name) {
            Some(CodeEffect::Decode) => self.uses_decoder = true,
            Some(CodeEffect::Request | CodeEffect::Transmit) => self.uses_network = true,
            Some(CodeEffect::Socket) => {
                self.uses_network = true;
                self.connects = true;
            }
            Some(CodeEffect::Redirect) => self.runs_shell = true,
            Some(CodeEffect::Command) => {
                let runs_shell = |text: &String| {
                    let word = text.split_whitespace().next().unwrap_or_default();
                    matches!(word.rsplit('/').next(), Some("sh" | "bash" | "zsh" | "dash" | "cmd" | "cmd.exe"))
                        && !text.contains("-c ")
                };
                self.runs_shell |= match call.texts.first() {
                    // A command that is not known, with its mode.
                    Some(text) => runs_shell(text) || call.has_unknown && text.len() <= 2,
                    None => call.has_unknown,
                };
            }
            Some(CodeEffect::Environment) => {
                let named = call.texts.iter().any(|text| is_secret_name(text));
                self.environment_secret |= named || call.texts.is_empty();
                self.taint |= if named {
                    TextTaint::SECRET
                } else if call.texts.is_empty() {
                    TextTaint::ENVIRONMENT
                } else {
                    TextTaint::NONE
                };
            }
            Some(CodeEffect::Options) => self.posts |= requests::sends_by_option(call),
            Some(CodeEffect::Read) if !call.texts.is_empty() || call.has_unknown => self.taint |= TextTaint::FILE,
            Some(CodeEffect::Open) if !opens_for_writing(call) => self.taint |= TextTaint::FILE,
            Some(CodeEffect::Print) => self.prints = true,
            _ => {}
        }
    }

    /// Where code that is evaluated comes from.
    fn code_taint(&self) -> TextTaint {
        let network = if self.uses_network { TextTaint::NETWORK } else { TextTaint::NONE };
        let decoded = if self.uses_decoder { TextTaint::DECODED } else { TextTaint::NONE };
        let input = if self.input.has(TextTaint::NETWORK | TextTaint::DECODED) { self.input } else { TextTaint::NONE };
        network | decoded | input | if self.taint.has(TextTaint::FILE) { TextTaint::FILE } else { TextTaint::NONE }
    }
}

/// Whether a call of `open` writes: by its mode, or by a `>` in front of the name.
fn opens_for_writing(call: &CodeCall) -> bool {
    let is_mode = |text: &String| {
        !text.is_empty()
            && text.len() <= 3
            && text.contains(['w', 'a', 'x', '+'])
            && text.chars().all(|letter| "wax+btr".contains(letter))
    };
    call.texts.iter().skip(1).any(is_mode) || call.texts.iter().any(|text| text.starts_with('>'))
}

fn push_call(walk: &mut CommandWalk<'_>, language: &str, call: &CodeCall, facts: &mut CodeFacts) {
    // `.then(eval)`: a function that gets text as code.
    if let Some(name) = call.names.iter().find(|name| EVALUATORS.contains(&name.as_str()))
        && (facts.uses_network || facts.uses_decoder)
    {
        walk.push_code(facts.code_taint(), language, &format!("it gives text from elsewhere to `{name}`"));
    }
    let Some(effect) = effect_of(language, &call.name) else { return };
    let paths = || -> Vec<ShellArg> {
        let texts: Vec<ShellArg> =
            call.texts.iter().filter(|text| !text.is_empty()).flat_map(|text| path_args(text)).collect();
        if texts.is_empty() && call.has_unknown { vec![ShellArg::unknown(TextTaint::NONE)] } else { texts }
    };
    let last = call.name.rsplit(['.', ':', '>']).next().unwrap_or_default();
    if call.is_decoded
        && matches!(
            effect,
            CodeEffect::Delete | CodeEffect::DeleteTree | CodeEffect::Write | CodeEffect::Read | CodeEffect::Open
        )
        && paths().iter().all(|path| !path.is_known())
    {
        walk.push_code(TextTaint::DECODED, language, "it uses a file whose name is encoded");
        return;
    }
    match effect {
        CodeEffect::Delete | CodeEffect::DeleteTree => {
            let is_recursive = effect == CodeEffect::DeleteTree
                || call.texts.iter().any(|text| text == "recursive")
                || call.names.iter().any(|name| name == "recursive");
            for path in paths().into_iter().filter(|path| !is_option_word(&path.text)) {
                let operation = Operation::new(OperationKind::Delete, language)
                    .action(last)
                    .tag_if(is_recursive, OperationTag::Recursive)
                    .tag_if(facts.has_condition && path.is_pattern, OperationTag::Filtered);
                walk.push_path(operation, &path);
            }
        }
        CodeEffect::Write => {
            for path in paths().into_iter().take(1) {
                walk.write_file(
                    language,
                    &path,
                    "replace",
                    TextFlow::from_taint(TextTaint::DECODED | facts.code_taint()),
                );
            }
        }
        CodeEffect::Move | CodeEffect::Duplicate => {
            let all = paths();
            let is_address = all.first().is_some_and(|source| source.text.contains("://"));
            if let (true, [source, target, ..]) = (is_address, all.as_slice()) {
                push_address(walk, OperationKind::Download, language, &source.text, TextTaint::NONE);
                walk.write_file(language, target, "download", TextFlow::from_taint(TextTaint::NETWORK));
                return;
            }
            if let Some(source) = all.first() {
                let kind = if effect == CodeEffect::Move { OperationKind::Move } else { OperationKind::Read };
                walk.push_path(Operation::new(kind, language), source);
            }
            if let Some(target) = all.get(1) {
                walk.write_file(language, target, "replace", TextFlow::default());
            }
        }
        CodeEffect::Link => {
            if let [source, target, ..] = paths().as_slice() {
                walk.push_path(Operation::new(OperationKind::Write, language).action("link"), target);
                walk.note_link(source, target);
            }
        }
        CodeEffect::Permission => {
            let is_open = call
                .numbers
                .iter()
                .any(|mode| mode.ends_with("777") || mode.ends_with("666") || mode.ends_with("4755"));
            for path in paths().into_iter().take(1) {
                let operation = Operation::new(OperationKind::Permission, language)
                    .action(last)
                    .tag_if(is_open, OperationTag::TooOpen);
                walk.push_path(operation, &path);
            }
        }
        CodeEffect::Read => {
            for path in paths().into_iter().take(1) {
                push_read(walk, language, &path, facts);
            }
        }
        CodeEffect::Open => {
            let is_writing = opens_for_writing(call);
            for path in paths()
                .into_iter()
                .take(if call.texts.first().is_some_and(|text| is_perl_mode(text)) { 2 } else { 1 })
                .filter(|path| !is_perl_mode(&path.text))
            {
                if is_writing {
                    let path = ShellArg::new(path.text.trim_start_matches(['>', '+', ' ']));
                    walk.write_file(
                        language,
                        &path,
                        "replace",
                        TextFlow::from_taint(TextTaint::DECODED | facts.code_taint()),
                    );
                } else if let Some(command) = path.text.strip_prefix('|').or_else(|| path.text.strip_suffix('|')) {
                    walk.run_line(command, &TextFlow::default());
                } else {
                    push_read(walk, language, &ShellArg::new(path.text.trim_start_matches(['<', ' '])), facts);
                }
            }
        }
        CodeEffect::Command => push_command(walk, language, call, facts),
        CodeEffect::Code => {
            let is_known =
                !call.has_unknown && !call.texts.is_empty() && !call.texts.iter().any(|text| text.contains(UNKNOWN));
            if is_known && !facts.uses_decoder {
                for text in &call.texts {
                    if text.len() < MAX_BYTES / 2 {
                        run_code(walk, language, text);
                    }
                }
            } else {
                walk.push_code(facts.code_taint(), language, "it evaluates text that is not known");
            }
        }
        CodeEffect::Dynamic => walk.push_code(
            facts.code_taint() | TextTaint::DECODED,
            language,
            "it calls a function whose name is put together",
        ),
        CodeEffect::Request | CodeEffect::Transmit | CodeEffect::Socket => {
            push_request(walk, language, call, effect, facts)
        }
        CodeEffect::Kill => {
            let action = match call.numbers.first().map(String::as_str) {
                Some("-1") => "everything",
                Some("1") => "system_process",
                _ => "",
            };
            walk.push(Operation::new(OperationKind::Kill, language).action(action));
        }
        CodeEffect::Privilege => {
            walk.push(Operation::new(OperationKind::Privilege, language).action("other_user"));
        }
        CodeEffect::Decode
        | CodeEffect::Environment
        | CodeEffect::Print
        | CodeEffect::Redirect
        | CodeEffect::Options => {}
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
    let stdin = if call.is_piped { TextFlow::from_taint(facts.input | TextTaint::OUTPUT) } else { TextFlow::default() };
    let is_list = call.is_list || words.len() > 1 && words.first().is_some_and(|first| !first.contains(' '));
    if is_list {
        // `[sys.executable, "-m", "pip"]`: the interpreter itself.
        let itself = words.first().is_some_and(|first| *first == "-m").then(|| ShellArg::new(language));
        let rest = call.has_unknown.then(|| ShellArg::unknown(TextTaint::NONE));
        let words = words.iter().map(|word| ShellArg::new(word.as_str()));
        let args: Vec<ShellArg> = itself.into_iter().chain(words).chain(rest).collect();
        walk.run_args(&args, &stdin);
    } else if let Some(line) = words.first() {
        walk.run_line(line, &stdin);
    }
}
