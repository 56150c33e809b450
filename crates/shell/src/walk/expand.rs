//! Expands words as bash does, as far as that is known.

use std::path::Path;
use std::rc::Rc;

use super::braces::expand_braces;
use super::operator::apply_operator;
use super::{CommandWalk, ShellArg, TextFlow, TextTaint};
use crate::paths::UNKNOWN;
use crate::secret_name::is_secret_name;
use crate::syntax::{BashWord, ShellScript, VariableExpansion, WordPiece, parse_text};

/// The longest text of an argument.
const MAX_BYTES: usize = 64 * 1024;
/// The longest text that variables are put together to.
const MAX_JOINED: usize = 8 * 1024;

/// The arguments of a word that is being expanded.
#[derive(Default)]
pub(super) struct FieldBuilder {
    pub(super) done: Vec<ShellArg>,
    pub(super) current: ShellArg,
    /// Whether the current argument exists although it may be empty.
    has_current: bool,
}

impl FieldBuilder {
    pub(super) fn push(&mut self, text: &str, taint: TextTaint) {
        self.has_current = true;
        self.current.taint |= taint;
        let is_first = self.current.text.is_empty();
        if is_first && text.len() <= MAX_BYTES || self.current.text.len() + text.len() <= MAX_JOINED {
            self.current.text.push_str(text);
        } else {
            self.current.text.clear();
            self.current.text.push(UNKNOWN);
        }
    }

    fn push_pattern(&mut self, text: &str) {
        self.current.is_pattern |= text.contains(['*', '?', '[']);
        self.push(text, TextTaint::NONE);
    }

    /// Text that the shell divides into words.
    fn push_split(&mut self, text: &str, taint: TextTaint, separators: &[char]) {
        let mut is_first = true;
        for part in text.split(separators) {
            if !is_first {
                self.end();
            }
            is_first = false;
            if !part.is_empty() {
                self.push(part, taint);
                self.current.is_pattern |= part.contains(['*', '?', '[']);
            }
        }
    }

    fn end(&mut self) {
        if self.has_current {
            self.done.push(std::mem::take(&mut self.current));
            self.has_current = false;
        }
    }
}

/// The home directory of a user, which lies beside that of the user whose it is.
fn home_of(user: &str, own: Option<&Path>) -> String {
    let is_own = own.and_then(Path::file_name).is_some_and(|name| name == user);
    let beside = own.and_then(Path::parent).filter(|parent| parent.parent().is_some());
    match (own, user) {
        (Some(own), _) if is_own => own.display().to_string(),
        (_, "root") => String::from("/root"),
        _ => beside.unwrap_or(Path::new("/home")).join(user).display().to_string(),
    }
}

impl CommandWalk<'_> {
    /// The arguments that a word gives.
    pub(crate) fn expand_word(&mut self, word: &BashWord) -> Vec<ShellArg> {
        if let Some(text) = word.as_literal()
            && !text.contains(['*', '?', '[', '{', '~', '='])
        {
            return vec![ShellArg::new(text)];
        }
        let has_braces = |piece: &WordPiece| matches!(piece, WordPiece::Literal(text) if text.contains('{'));
        if word.pieces.iter().any(has_braces) {
            let (words, is_whole) = expand_braces(word);
            if !is_whole {
                self.push_unknown("", "its braces give more words than can be looked at");
            }
            if words.len() > 1 {
                return words.iter().flat_map(|word| self.expand_fields(word, true)).collect();
            }
        }
        self.expand_fields(word, true)
    }

    /// A word where the shell does not divide it: a value of a variable, a redirection, a here-document.
    pub(crate) fn expand_quoted(&mut self, word: &BashWord) -> ShellArg {
        let mut fields = self.expand_fields(word, false).into_iter();
        let Some(mut first) = fields.next() else { return ShellArg::default() };
        for more in fields {
            first.text.push(' ');
            first.text.push_str(&more.text);
            first.taint |= more.taint;
        }
        first
    }

    /// Text that bash expands once more: a list of words, the subscript of a name.
    pub(crate) fn expand_text(&mut self, text: &str) {
        let word = parse_text(text, self.grammar);
        self.called(|walk| {
            walk.expand_quoted(&word);
            TextFlow::default()
        });
    }

    /// Runs what stands in the subscripts of a name, where bash takes a name or a number.
    pub(crate) fn run_subscripts(&mut self, arg: &ShellArg) {
        if arg.text.contains('[') && (arg.text.contains("$(") || arg.text.contains('`')) {
            self.expand_text(&arg.text);
        }
    }

    fn expand_fields(&mut self, word: &BashWord, splits: bool) -> Vec<ShellArg> {
        let mut built = FieldBuilder::default();
        for (index, piece) in word.pieces.iter().enumerate() {
            match piece {
                WordPiece::Literal(text) => {
                    let named = if index == 0 { self.named_directory(text) } else { None };
                    let text = match named {
                        Some(path) => path.into(),
                        None if index == 0 => self.expand_tilde(text),
                        None => text.into(),
                    };
                    built.push_pattern(&text);
                }
                WordPiece::Quoted(text) => built.push(text, TextTaint::NONE),
                WordPiece::Arithmetic => built.push("0", TextTaint::NONE),
                WordPiece::Variable(expansion) => self.expand_variable(expansion, splits, &mut built),
                WordPiece::Substitution(script, quoted) => {
                    let flow = self.capture(script);
                    let taint = flow.taint;
                    if !flow.processes.is_empty() || !flow.listed.is_empty() {
                        built.current.content = Some(Box::new(flow.clone()));
                    }
                    match flow.text.as_deref().map(|text| text.trim_end_matches('\n')) {
                        Some(text) if splits && !*quoted => built.push_split(text, taint, &self.separators()),
                        Some(text) => built.push(text, taint),
                        None => built.push(UNKNOWN.encode_utf8(&mut [0; 4]), taint),
                    }
                }
                WordPiece::Selection(script) => {
                    self.capture(script);
                    built.current.is_pattern = true;
                }
                WordPiece::Value(script) => self.expand_value(script, word.pieces.len() == 1, &mut built),
                WordPiece::Process(script, is_output) => {
                    let flow = self.capture(script);
                    built.push("/dev/fd/63", TextTaint::NONE);
                    if *is_output {
                        self.consumer = Some(Rc::clone(script));
                    } else {
                        built.current.content = Some(Box::new(flow));
                    }
                }
            }
        }
        built.end();
        built.done
    }

    pub(super) fn capture(&mut self, script: &Rc<ShellScript>) -> TextFlow {
        self.in_subshell(|walk| walk.called(|walk| walk.run_script(script, &TextFlow::default())))
    }

    fn expand_tilde<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        let assigned = || text.split_once("=~").filter(|(name, _)| !name.contains(['/', ' '])).map(|(_, rest)| rest);
        let Some(written) = text.strip_prefix('~').or_else(assigned) else { return text.into() };
        let (user, rest) = written.split_at(written.find('/').unwrap_or(written.len()));
        let value = |name: &str| self.variable(name).and_then(|values| Some(values.first()?.text.clone()));
        let directory = match user {
            "" => value("HOME"),
            "+" => value("PWD"),
            "-" => value("OLDPWD"),
            _ if !user.starts_with(|letter: char| letter.is_ascii_alphanumeric()) => return text.into(),
            user => Some(home_of(user, self.site.home)),
        };
        // Without a home directory, and with an empty `HOME`, it may be any.
        let directory = directory.filter(|path| !path.is_empty()).unwrap_or_else(|| UNKNOWN.to_string());
        let before = text.strip_suffix(written).and_then(|before| before.strip_suffix('~')).unwrap_or_default();
        format!("{before}{directory}{rest}").into()
    }

    pub(super) fn separators(&self) -> Vec<char> {
        match self.state.variables.get("IFS").and_then(|values| values.first()) {
            Some(value) if value.is_known() && !value.text.is_empty() => value.text.chars().collect(),
            _ => vec![' ', '\t', '\n'],
        }
    }

    /// The value of a variable; `None` if the call does not set it and it is not known otherwise.
    pub(crate) fn variable(&self, name: &str) -> Option<Vec<ShellArg>> {
        let name = self.referred_name(name);
        if let Some(values) = self.state.variables.get(name) {
            return Some(values.clone());
        }
        let path = |path: Option<&Path>| path.map(|path| path.to_string_lossy().into_owned());
        let value = match name {
            "HOME" => path(self.site.home),
            "PWD" => path(self.cwd()),
            "OLDPWD" => None,
            "CLAUDE_PROJECT_DIR" | "GEMINI_PROJECT_DIR" | "QWEN_PROJECT_DIR" => path(Some(self.site.project)),
            "USER" | "LOGNAME" => self.site.home.and_then(|home| path(home.file_name().map(Path::new))),
            "IFS" => Some(String::from(" \t\n")),
            "PATH" => Some(String::from("/usr/local/bin:/usr/bin:/bin")),
            "TMPDIR" | "TMP" | "TEMP" => Some(String::from("/tmp")),
            "XDG_CONFIG_HOME" => self.site.home.and_then(|home| path(Some(&home.join(".config")))),
            "XDG_STATE_HOME" => self.site.home.and_then(|home| path(Some(&home.join(".local/state")))),
            "XDG_CACHE_HOME" => self.site.home.and_then(|home| path(Some(&home.join(".cache")))),
            "XDG_DATA_HOME" => self.site.home.and_then(|home| path(Some(&home.join(".local/share")))),
            "SHELL" | "BASH" => Some(String::from("/bin/bash")),
            "?" | "#" | "$" | "!" | "RANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID" | "BASHPID" | "PPID" => {
                Some(String::from("0"))
            }
            "0" => Some(String::from("bash")),
            _ => None,
        };
        value.map(|value| vec![ShellArg::new(value)])
    }

    fn expand_variable(&mut self, expansion: &VariableExpansion, splits: bool, built: &mut FieldBuilder) {
        let values = self.expand_expansion(expansion);
        let splits = splits && self.divides(expansion, &values);
        let is_list = matches!(expansion.name.as_str(), "@" | "*") || values.len() > 1;
        let separators = self.separators();
        for (index, value) in values.into_iter().enumerate() {
            if is_list && index > 0 {
                built.end();
            }
            built.current.is_pattern |= value.is_pattern && expansion.operator.is_empty();
            if value.content.is_some() && expansion.operator.is_empty() {
                built.current.content.clone_from(&value.content);
            }
            if splits && !expansion.quoted && value.is_known() {
                built.push_split(&value.text, value.taint, &separators);
            } else if !value.text.is_empty() || expansion.quoted {
                built.push(&value.text, value.taint);
            }
        }
    }

    pub(super) fn expand_expansion(&mut self, expansion: &VariableExpansion) -> Vec<ShellArg> {
        if self.is_special_to_zsh(expansion) {
            return self.expand_for_zsh(expansion);
        }
        let operand = self.expand_quoted(&expansion.operand);
        let mut values = self.variable(&expansion.name);
        // A pattern may be several elements.
        let is_ordered = |values: &[ShellArg]| {
            !self.state.unordered.contains_key(self.referred_name(&expansion.name))
                && !values.iter().any(|value| value.is_pattern || !value.is_known())
        };
        if let (Some(index), Some(all)) = (expansion.index, &values)
            && is_ordered(all)
        {
            values = Some(vec![all.get(index).cloned().unwrap_or_default()]);
        }
        if expansion.indirect {
            if values.as_ref().is_none_or(|values| values.iter().any(|value| !value.is_known())) {
                return vec![ShellArg::unknown(TextTaint::ENVIRONMENT)];
            }
            let name = values.as_ref().and_then(|values| values.first()).cloned();
            values = name.as_ref().and_then(|name| self.variable(&name.text));
            if let (None, Some(name)) = (&values, name) {
                let taint = if is_secret_name(&name.text) { TextTaint::SECRET } else { TextTaint::NONE };
                return vec![ShellArg::unknown(taint)];
            }
        }
        let has_default = matches!(expansion.operator.as_str(), ":-" | "-" | ":=" | "=");
        match values {
            Some(values) if has_default && values.iter().all(|value| value.text.is_empty()) => vec![operand],
            Some(values) => values
                .into_iter()
                .map(|value| match apply_operator(&value.text, &expansion.operator, &operand.text) {
                    Some(text) if value.is_known() && operand.is_known() => ShellArg { text, ..value },
                    _ if expansion.operator.is_empty() || has_default => value,
                    _ => ShellArg::unknown(value.taint | operand.taint),
                })
                .collect(),
            None if has_default => {
                if expansion.operator.contains('=') {
                    self.set_variable(&expansion.name, vec![operand.clone()]);
                }
                let taint = if is_secret_name(&expansion.name) { TextTaint::SECRET } else { TextTaint::NONE };
                vec![ShellArg { taint: operand.taint | taint, ..operand }]
            }
            // Set or not, this is all that the expansion can come to.
            None if matches!(expansion.operator.as_str(), ":+" | "+") => vec![operand],
            None if expansion.operator == "length" => vec![ShellArg::new("0")],
            None => {
                let taint = if is_secret_name(&expansion.name) { TextTaint::SECRET } else { TextTaint::NONE };
                vec![ShellArg::unknown(taint)]
            }
        }
    }
}
