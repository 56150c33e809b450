//! What the whole of a code does: it decides what a single call means.

use super::functions::{CodeEffect, effect_of};
use super::reader::CodeCall;
use crate::secret_name::is_secret_name;
use crate::walk::{TextFlow, TextTaint};

/// What the whole code does.
#[derive(Debug, Default)]
pub(super) struct CodeFacts {
    pub(super) taint: TextTaint,
    /// Its input, which the commands have that it runs.
    pub(super) input: TextFlow,
    pub(super) uses_network: bool,
    pub(super) uses_decoder: bool,
    /// Whether it sends something, and whether an operation says so.
    pub(super) sends: bool,
    pub(super) has_sent: bool,
    /// Whether options say that what it reads from an address is sent there as well.
    pub(super) posts: bool,
    /// Whether it runs commands, whose output it may send.
    pub(super) has_output: bool,
    pub(super) prints: bool,
    pub(super) environment_secret: bool,
    /// Whether it opens a connection, and runs a shell or connects programs to something.
    pub(super) connects: bool,
    pub(super) runs_shell: bool,
    pub(super) has_condition: bool,
    /// Whether it connects programs to something.
    pub(super) redirects: bool,
}

impl CodeFacts {
    pub(super) fn note(&mut self, call: &CodeCall, language: &str) {
        match effect_of(language, &call.name) {
            Some(CodeEffect::Decode) => self.uses_decoder = true,
            Some(CodeEffect::Request | CodeEffect::Transmit) => self.uses_network = true,
            Some(CodeEffect::Socket) => {
                self.uses_network = true;
                self.connects = true;
            }
            Some(CodeEffect::Redirect) => (self.runs_shell, self.redirects) = (true, true),
            Some(CodeEffect::Command) => {
                self.has_output = true;
                self.redirects |= call.name == "pty.spawn";
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
            Some(CodeEffect::Environment) if !call.is_tested => {
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
            Some(CodeEffect::Options) => self.posts |= sends_by_option(call),
            Some(CodeEffect::Read) if !call.texts.is_empty() || call.has_unknown => self.taint |= TextTaint::FILE,
            Some(CodeEffect::Open) if !opens_for_writing(call) => self.taint |= TextTaint::FILE,
            Some(CodeEffect::Print) => self.prints = true,
            _ => {}
        }
    }

    /// What it writes to a file.
    pub(super) fn written_flow(&self) -> TextFlow {
        TextFlow::from_taint(TextTaint::DECODED | self.code_taint())
    }

    /// Where code that is evaluated comes from.
    pub(super) fn code_taint(&self) -> TextTaint {
        let network = if self.uses_network { TextTaint::NETWORK } else { TextTaint::NONE };
        let decoded = if self.uses_decoder { TextTaint::DECODED } else { TextTaint::NONE };
        let input = if self.input.taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
            self.input.taint
        } else {
            TextTaint::NONE
        };
        network | decoded | input | if self.taint.has(TextTaint::FILE) { TextTaint::FILE } else { TextTaint::NONE }
    }
}

/// Whether a call of `open` writes: by its mode, or by a `>` in front of the name.
pub(super) fn opens_for_writing(call: &CodeCall) -> bool {
    let is_mode = |text: &String| {
        !text.is_empty()
            && text.len() <= 3
            && text.contains(['w', 'a', 'x', '+'])
            && text.chars().all(|letter| "wax+btr".contains(letter))
    };
    let is_flag = |name: &String| ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| name.ends_with(flag));
    call.texts.iter().skip(1).any(is_mode)
        || call.names.iter().any(is_flag)
        || call.texts.iter().any(|text| text.starts_with('>'))
}

/// Whether the options of a request say that it sends something.
pub(super) fn sends_by_option(call: &CodeCall) -> bool {
    // `Request(ADDRESS, DATA)`: something behind the address that is no option.
    let last = call.name.rsplit('.').next().unwrap_or_default();
    let is_option = |name: &String| matches!(name.as_str(), "headers" | "timeout" | "method" | "context" | "url");
    let has_body = matches!(last, "Request" | "urlopen")
        && call.texts.iter().any(|text| text.contains("://"))
        && call.names.iter().any(|name| !is_option(name));
    has_body
        || call.texts.iter().any(|text| matches!(text.to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH"))
        || call.names.iter().any(|name| matches!(name.as_str(), "data" | "body" | "files" | "json"))
}
