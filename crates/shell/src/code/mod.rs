//! Programs in a command line, such as `python -c`: which functions they call, and on what.
//!
//! Nothing is executed, and no language is parsed: the reader looks at names, texts and brackets. It knows the functions
//! of [`functions`], follows texts through simple variables, and gives what it cannot follow as unknown.

mod functions;
mod reader;
mod services;
mod tokens;

use functions::{CodeEffect, effect_of};
use reader::{CodeCall, read_calls};
use tokens::read_tokens;

use crate::paths::UNKNOWN;
use crate::programs::push_address;
use crate::walk::{CommandWalk, ShellArg, Taint, TextFlow, is_secret_name};
use crate::{Operation, OperationKind, OperationTag};

/// The longest code that is read.
const MAX_BYTES: usize = 64 * 1024;
/// The most calls of functions.
const MAX_CALLS: usize = 2000;

/// Adds what code would do. `language` is the name of its interpreter; `stdin` is the input of the code.
pub(crate) fn read_code(walk: &mut CommandWalk<'_>, language: &str, text: &str, stdin: &TextFlow) {
    if text.len() > MAX_BYTES {
        walk.push_unknown(language, "the code is too long to be read");
        return;
    }
    let calls = read_calls(&read_tokens(language, text), language);
    if calls.len() > MAX_CALLS {
        walk.push_unknown(language, "the code calls more functions than can be looked at");
    }
    services::push_service_calls(walk, language, text, calls.get(..MAX_CALLS).unwrap_or(&calls));
    let mut facts = CodeFacts { taint: stdin.taint.without(Taint::NETWORK), ..CodeFacts::default() };
    // What the whole code does decides what a single call means: a read and a request together send a file.
    for call in calls.iter().take(MAX_CALLS) {
        facts.note(call, language);
    }
    for call in calls.iter().take(MAX_CALLS) {
        push_call(walk, language, call, &mut facts);
    }
    if facts.sends && !facts.has_sent && facts.taint.has(Taint::FILE | Taint::SECRET | Taint::ENVIRONMENT) {
        walk.push(facts.taint.tag(Operation::new(OperationKind::Upload, language)));
    }
    if facts.prints && facts.environment_secret {
        walk.push(Operation::new(OperationKind::Secret, language).action("print_variable"));
    }
}

/// What the whole code does.
#[derive(Debug, Default)]
struct CodeFacts {
    taint: Taint,
    uses_network: bool,
    uses_decoder: bool,
    /// Whether it sends something, and whether an operation says so.
    sends: bool,
    has_sent: bool,
    prints: bool,
    environment_secret: bool,
}

impl CodeFacts {
    fn note(&mut self, call: &CodeCall, language: &str) {
        match effect_of(language, &call.name) {
            Some(CodeEffect::Decode) => self.uses_decoder = true,
            Some(CodeEffect::Request | CodeEffect::Transmit) => self.uses_network = true,
            Some(CodeEffect::Environment) => {
                let named = call.texts.iter().any(|text| is_secret_name(text));
                self.environment_secret |= named || call.texts.is_empty();
                self.taint |= if named {
                    Taint::SECRET
                } else if call.texts.is_empty() {
                    Taint::ENVIRONMENT
                } else {
                    Taint::NONE
                };
            }
            Some(CodeEffect::Read) if !call.texts.is_empty() || call.has_unknown => self.taint |= Taint::FILE,
            Some(CodeEffect::Open) if !opens_for_writing(call) => self.taint |= Taint::FILE,
            Some(CodeEffect::Print) => self.prints = true,
            _ => {}
        }
    }

    /// Where code that is evaluated comes from.
    fn code_taint(&self) -> Taint {
        let network = if self.uses_network { Taint::NETWORK } else { Taint::NONE };
        let decoded = if self.uses_decoder { Taint::DECODED } else { Taint::NONE };
        network | decoded | if self.taint.has(Taint::FILE) { Taint::FILE } else { Taint::NONE }
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
    let Some(effect) = effect_of(language, &call.name) else { return };
    let paths = || -> Vec<ShellArg> {
        let texts: Vec<ShellArg> =
            call.texts.iter().filter(|text| !text.is_empty()).map(|text| ShellArg::new(expand_home(text))).collect();
        if texts.is_empty() && call.has_unknown { vec![ShellArg::unknown(Taint::NONE)] } else { texts }
    };
    let last = call.name.rsplit(['.', ':', '>']).next().unwrap_or_default();
    match effect {
        CodeEffect::Delete | CodeEffect::DeleteTree => {
            let is_recursive = effect == CodeEffect::DeleteTree
                || call.texts.iter().any(|text| text == "recursive")
                || call.names.iter().any(|name| name == "recursive");
            for path in paths().into_iter().filter(|path| !is_option_word(&path.text)) {
                let operation = Operation::new(OperationKind::Delete, language)
                    .action(last)
                    .tag_if(is_recursive, OperationTag::Recursive);
                walk.push_path(operation, &path);
            }
        }
        CodeEffect::Write => {
            for path in paths().into_iter().take(1) {
                walk.write_file(language, &path, "replace", TextFlow::of(Taint::DECODED));
            }
        }
        CodeEffect::Move | CodeEffect::Duplicate => {
            let all = paths();
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
                    walk.write_file(language, &path, "replace", TextFlow::of(Taint::DECODED));
                } else if let Some(command) = path.text.strip_prefix('|').or_else(|| path.text.strip_suffix('|')) {
                    walk.run_line(command, &TextFlow::default());
                } else {
                    push_read(walk, language, &ShellArg::new(path.text.trim_start_matches(['<', ' '])), facts);
                }
            }
        }
        CodeEffect::Command => push_command(walk, language, call),
        CodeEffect::Code => {
            let is_known =
                !call.has_unknown && !call.texts.is_empty() && !call.texts.iter().any(|text| text.contains(UNKNOWN));
            if is_known && !facts.uses_decoder {
                for text in &call.texts {
                    if text.len() < MAX_BYTES / 2 {
                        walk.run_code(language, text);
                    }
                }
            } else {
                walk.push_code(facts.code_taint(), language, "it evaluates text that is not known");
            }
        }
        CodeEffect::Dynamic => walk.push_code(
            facts.code_taint() | Taint::DECODED,
            language,
            "it calls a function whose name is put together",
        ),
        CodeEffect::Request | CodeEffect::Transmit => push_request(walk, language, call, effect, facts),
        CodeEffect::Kill => {
            walk.push(Operation::new(OperationKind::Kill, language));
        }
        CodeEffect::Privilege => {
            walk.push(Operation::new(OperationKind::Privilege, language).action("other_user"));
        }
        CodeEffect::Decode | CodeEffect::Environment | CodeEffect::Print => {}
    }
}

fn is_perl_mode(text: &str) -> bool {
    matches!(text, "<" | ">" | ">>" | "+<" | "-|" | "|-" | "<:raw" | "<:encoding(UTF-8)" | ">:utf8")
}

fn is_option_word(text: &str) -> bool {
    matches!(text, "recursive" | "force" | "true" | "false" | "utf8" | "utf-8")
}

/// `~` at the front, as `expanduser` does it.
fn expand_home(text: &str) -> String {
    text.strip_prefix("file://").unwrap_or(text).to_owned()
}

fn push_read(walk: &mut CommandWalk<'_>, language: &str, path: &ShellArg, facts: &mut CodeFacts) {
    if path.text.starts_with("http://") || path.text.starts_with("https://") {
        facts.uses_network = true;
        push_address(walk, OperationKind::Download, language, &path.text, Taint::NONE);
        return;
    }
    if path.text.starts_with("php://") {
        return;
    }
    facts.taint |= walk.read_file(language, path, false).taint;
}

/// A command line in a text, or a list of words.
fn push_command(walk: &mut CommandWalk<'_>, language: &str, call: &CodeCall) {
    let words: Vec<&String> = call
        .texts
        .iter()
        .filter(|text| !matches!(text.as_str(), "utf8" | "utf-8" | "inherit" | "pipe" | "ignore"))
        .collect();
    if words.is_empty() {
        if call.has_unknown {
            walk.push_code(Taint::NONE, language, "it runs a command that is not known");
        }
        return;
    }
    let is_list = call.is_list || words.len() > 1 && words.first().is_some_and(|first| !first.contains(' '));
    if is_list {
        let args: Vec<ShellArg> = words.iter().map(|word| ShellArg::new(word.as_str())).collect();
        walk.run_args(&args, &TextFlow::default());
        return;
    }
    for line in words.into_iter().take(1) {
        walk.run_line(line, &TextFlow::default());
    }
}

fn push_request(
    walk: &mut CommandWalk<'_>,
    language: &str,
    call: &CodeCall,
    effect: CodeEffect,
    facts: &mut CodeFacts,
) {
    let address = call
        .texts
        .iter()
        .find(|text| text.contains("://"))
        .or_else(|| call.texts.iter().find(|text| text.contains('.') && !text.contains([' ', '\n'])));
    let sends_by_option =
        call.texts.iter().any(|text| matches!(text.to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH"))
            || call.names.iter().any(|name| matches!(name.as_str(), "data" | "body" | "files" | "json"));
    let is_sending =
        effect == CodeEffect::Transmit || sends_by_option || address.is_some_and(|address| address.contains(UNKNOWN));
    let has_data = facts.taint.has(Taint::FILE | Taint::SECRET | Taint::ENVIRONMENT);
    let shown = address.cloned().unwrap_or_default();
    if is_sending && has_data {
        facts.sends = true;
        facts.has_sent = true;
        push_address(walk, OperationKind::Upload, language, &shown, facts.taint);
    } else if is_sending {
        push_address(walk, OperationKind::Upload, language, &shown, Taint::NONE);
    } else {
        facts.uses_network = true;
        push_address(walk, OperationKind::Download, language, &shown, Taint::NONE);
    }
}
