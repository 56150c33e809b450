//! Expands words as bash does, as far as that is known.

use std::path::Path;
use std::rc::Rc;

use super::arithmetic::ElementChoice;
use super::braces::expand_braces;
use super::operator::{apply_operator, cut_list, cut_text, split_range};
use super::{CommandWalk, ShellArg, TextFlow, TextTaint};
use crate::paths::UNKNOWN;
use crate::secret_name::is_secret_name;
use crate::syntax::{BashWord, ShellScript, VariableExpansion, WordPiece};

/// The longest text of an argument.
const MAX_BYTES: usize = 64 * 1024;
/// The longest text that variables are put together to.
const MAX_JOINED: usize = 8 * 1024;

/// The most unknown parts of an argument that are shown as they stand in the line.
const MAX_SOURCES: usize = 8;

/// The arguments of a word that is being expanded.
#[derive(Default)]
pub(super) struct FieldBuilder {
    pub(super) done: Vec<ShellArg>,
    pub(super) current: ShellArg,
    /// Whether the current argument exists although it may be empty.
    has_current: bool,
    /// What is pushed may be nothing as well.
    is_optional: bool,
}

/// Adds a text to that of an argument, if it does not become too long. Returns what is to be known of it then.
fn append_text(text: &mut String, added: &str) -> TextTaint {
    if text.is_empty() && added.len() <= MAX_BYTES || text.len() + added.len() <= MAX_JOINED {
        text.push_str(added);
        return TextTaint::NONE;
    }
    // What is around it stays: it says what the rest is for, and where it ends.
    if !text.ends_with(UNKNOWN) {
        text.push(UNKNOWN);
    }
    TextTaint::DECODED
}

impl FieldBuilder {
    /// Whether nothing has been pushed, or nothing but empty texts.
    fn is_begin(&self) -> bool {
        self.done.is_empty() && self.current.text.is_empty()
    }

    pub(super) fn push(&mut self, text: &str, taint: TextTaint) {
        let otherwise = if self.is_optional { "" } else { text };
        self.push_either(text, otherwise, taint);
    }

    /// One text or another.
    fn push_either(&mut self, text: &str, otherwise: &str, taint: TextTaint) {
        self.has_current = true;
        if text != otherwise && self.current.otherwise.is_none() {
            self.current.otherwise = Some(self.current.text.clone());
        }
        if let Some(other) = &mut self.current.otherwise {
            let _same = append_text(other, otherwise);
        }
        self.current.taint |= taint | append_text(&mut self.current.text, text);
    }

    /// Adds what stands for the unknown parts of the text.
    fn push_sources(&mut self, sources: impl IntoIterator<Item = String>) {
        let room = MAX_SOURCES.saturating_sub(self.current.sources.len());
        self.current.sources.extend(sources.into_iter().take(room));
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

    /// Words, of which the first one belongs to the current argument.
    fn push_words(&mut self, words: Vec<ShellArg>) {
        for (index, word) in words.into_iter().enumerate() {
            if index > 0 {
                self.end();
            }
            self.push(&word.text, word.taint);
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
    pub(crate) fn expand_word(&mut self, bash_word: &BashWord) -> Vec<ShellArg> {
        if let Some(text) = bash_word.as_literal()
            && !text.contains(['*', '?', '[', '{', '~', '='])
        {
            return vec![ShellArg::new(text)];
        }
        let has_braces = |piece: &WordPiece| matches!(piece, WordPiece::Literal(text) if text.contains('{'));
        if bash_word.pieces.iter().any(has_braces) {
            let (words, is_whole) = expand_braces(bash_word);
            if !is_whole {
                self.push_unknown("", "its braces give more words than can be looked at");
            }
            self.note_braces(bash_word);
            return words.iter().flat_map(|bash_word| self.expand_fields(bash_word, true)).collect();
        }
        self.expand_fields(bash_word, true)
    }

    /// A word where the shell does not divide it: a value of a variable, a redirection, a here-document.
    pub(crate) fn expand_quoted(&mut self, bash_word: &BashWord) -> ShellArg {
        let mut fields = self.expand_fields(bash_word, false).into_iter();
        let Some(mut first) = fields.next() else { return ShellArg::default() };
        for more in fields {
            first.text.push(' ');
            first.text.push_str(&more.text);
            first.taint |= more.taint;
            first.otherwise = None;
            first.sources.extend(more.sources.into_iter().take(MAX_SOURCES));
            first.sources.truncate(MAX_SOURCES);
        }
        first
    }

    fn expand_fields(&mut self, bash_word: &BashWord, splits: bool) -> Vec<ShellArg> {
        let mut built = FieldBuilder::default();
        for (index, piece) in bash_word.pieces.iter().enumerate() {
            match piece {
                WordPiece::Literal(text) => {
                    let named = if index == 0 { self.named_directory(text) } else { None };
                    let text = match named {
                        Some(path) => path.into(),
                        None if index == 0 => self.expand_tilde(text),
                        // `""=PROGRAM`
                        None if text.starts_with('=') && built.is_begin() && self.is_otherwise_in_zsh() => {
                            format!("/usr/bin/{}", text.trim_start_matches('=')).into()
                        }
                        None => text.into(),
                    };
                    built.push_pattern(&text);
                }
                WordPiece::Quoted(text) => {
                    if text.len() > MAX_BYTES {
                        self.push_unknown("", "a word is longer than can be looked at");
                    }
                    built.push(text, TextTaint::NONE);
                }
                WordPiece::Arithmetic(expression) => match self.evaluate_word(expression) {
                    Some(value) => built.push(&value.to_string(), TextTaint::NONE),
                    None => built.push(UNKNOWN.encode_utf8(&mut [0; 4]), TextTaint::NONE),
                },
                WordPiece::Variable(expansion) => self.expand_variable(expansion, splits, &mut built),
                WordPiece::Substitution(script, quoted) => {
                    let flow = self.capture(script);
                    let taint = flow.taint;
                    if !flow.processes.is_empty() || !flow.listed.is_empty() {
                        built.current.content = Some(Box::new(flow.clone()));
                    }
                    match flow.text.as_deref().map(|text| text.trim_end_matches('\n')) {
                        Some(text) if splits && !*quoted => built.push_split(text, taint, &self.separators("")),
                        Some(text) => built.push(text, taint),
                        None => {
                            built.push(UNKNOWN.encode_utf8(&mut [0; 4]), taint);
                            built.push_sources([String::from("$(…)")]);
                        }
                    }
                }
                WordPiece::Selection(script) => {
                    self.capture(script);
                    built.current.is_pattern = true;
                }
                #[cfg(feature = "powershell")]
                WordPiece::Value(script) => self.expand_value(script, bash_word.pieces.len() == 1, &mut built),
                WordPiece::Process(script, is_output) => {
                    let flow = self.capture(script);
                    built.push("/dev/fd/63", TextTaint::NONE);
                    if *is_output {
                        self.consumer = Some(Rc::clone(script));
                    } else {
                        built.current.content = Some(Box::new(TextFlow { is_given: true, ..flow }));
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

    /// What divides words. The flags of an expansion in zsh that divide it do not heed `IFS`.
    pub(crate) fn separators(&self, flags: &str) -> Vec<char> {
        match self.state.variables.get("IFS").and_then(|values| values.first()) {
            Some(value) if !flags.contains(['z', 's', 'f', '0', 'w']) && value.is_known() && !value.text.is_empty() => {
                value.text.chars().collect()
            }
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
            name if self.is_project_variable(name) => path(Some(self.site.project)),
            _ => None,
        };
        value.map(|value| vec![ShellArg::new(value)])
    }

    fn expand_variable(&mut self, expansion: &VariableExpansion, splits: bool, built: &mut FieldBuilder) {
        let values = self.expand_expansion(expansion);
        let splits = splits && self.divides(expansion, &values);
        let is_list = matches!(expansion.name.as_str(), "@" | "*") || values.len() > 1;
        let separators = self.separators(&expansion.flags);
        for (index, value) in values.into_iter().enumerate() {
            if is_list && index > 0 {
                built.end();
            }
            built.current.is_pattern |= value.is_pattern && expansion.operator.is_empty();
            if value.text.len() == UNKNOWN.len_utf8() && !value.is_known() {
                let is_quoted = expansion.quoted && self.notes_files();
                let quote = if is_quoted { "\"" } else { "" };
                built.push_sources([format!("{quote}${}{quote}", expansion.name)]);
            } else {
                built.push_sources(value.sources.iter().cloned());
            }
            if value.content.is_some() && expansion.operator.is_empty() {
                built.current.content.clone_from(&value.content);
            }
            match value.otherwise.as_deref() {
                Some(otherwise) if !otherwise.is_empty() => built.push_either(&value.text, otherwise, value.taint),
                otherwise => {
                    built.is_optional = otherwise.is_some();
                    if splits && !value.words.is_empty() {
                        built.push_words(value.words);
                    } else if splits && value.is_known() {
                        built.push_split(&value.text, value.taint, &separators);
                    } else if !value.text.is_empty() || expansion.quoted {
                        built.push(&value.text, value.taint);
                    }
                    built.is_optional = false;
                }
            }
        }
    }

    /// The elements of a variable that an expansion names; `None` if it is not known.
    fn chosen_elements(&mut self, expansion: &VariableExpansion) -> Option<Vec<ShellArg>> {
        let chosen = match &expansion.subscript {
            Some(subscript) => self.choose_element(subscript),
            None if self.is_zsh() || matches!(expansion.name.as_str(), "@" | "*") => ElementChoice::All,
            None => ElementChoice::One(0),
        };
        let values = self.variable(&expansion.name)?;
        let taint = values.iter().fold(TextTaint::NONE, |taint, value| taint | value.taint);
        if expansion.subscript.is_none() && !self.is_ordered(&expansion.name) {
            return Some(vec![ShellArg::unknown(taint)]);
        }
        // zsh takes all elements where bash takes the first one.
        self.is_ambiguous |= values.len() > 1 && expansion.subscript.is_none();
        Some(match chosen {
            ElementChoice::All => values,
            // A pattern may be several elements.
            ElementChoice::One(_) if values.iter().any(|value| value.is_pattern || !value.is_known()) => values,
            ElementChoice::One(index) if self.is_ordered(&expansion.name) => {
                vec![values.get(index).cloned().unwrap_or_default()]
            }
            ElementChoice::One(_) | ElementChoice::Unknown => vec![ShellArg::unknown(taint)],
        })
    }

    pub(super) fn expand_expansion(&mut self, expansion: &VariableExpansion) -> Vec<ShellArg> {
        if self.is_special_to_zsh(expansion) {
            return self.expand_for_zsh(expansion);
        }
        let operator = expansion.operator.as_str();
        let operand = match expansion.quoted {
            true => self.expand_quoted(&expansion.operand),
            false => self.expand_operand(&expansion.operand),
        };
        let mut values = self.chosen_elements(expansion);
        let mut name = expansion.name.clone();
        if expansion.indirect {
            let Some([referred]) = values.as_deref().filter(|values| values.iter().all(ShellArg::is_known)) else {
                return vec![ShellArg::unknown(TextTaint::ENVIRONMENT)];
            };
            name.clone_from(&referred.text);
            self.run_reference(&name);
            values = self.variable(&name);
        }
        let unknown = |taint: TextTaint| vec![ShellArg::unknown(taint)];
        let secret = || if is_secret_name(&name) { TextTaint::SECRET } else { TextTaint::NONE };
        let is_empty = values.as_ref().is_some_and(|values| values.iter().all(|value| value.text.is_empty()));
        match (operator, values) {
            (":-" | ":=", Some(_)) if is_empty => self.assigned_default(&name, operator, operand),
            (":-" | "-" | ":=" | "=", None) => {
                // The variable may be set where the line runs.
                let otherwise = self.notes_files().then(|| UNKNOWN.to_string());
                let otherwise = operand.otherwise.clone().or(otherwise);
                let sources = if otherwise.is_some() { vec![format!("${name}")] } else { operand.sources };
                let operand = ShellArg { taint: operand.taint | secret(), otherwise, sources, ..operand };
                self.assigned_default(&name, operator, operand)
            }
            // Whether it is empty or not set at all is not known.
            ("-" | "=", Some(_)) if is_empty => vec![ShellArg { otherwise: Some(String::new()), ..operand }],
            (":-" | "-" | ":=" | "=", Some(values)) if self.is_assumed(&name) => {
                let otherwise = Some(operand.text);
                values.into_iter().map(|value| ShellArg { otherwise: otherwise.clone(), ..value }).collect()
            }
            (":+", Some(_)) if is_empty => vec![ShellArg::default()],
            (":+" | "+", Some(values)) if !is_empty && values.iter().all(ShellArg::is_known) => vec![operand],
            (":+" | "+", _) => vec![ShellArg { otherwise: Some(String::new()), ..operand }],
            ("length", None) => vec![ShellArg::new("0")],
            ("length", Some(values)) if expansion.subscript.as_ref().is_some_and(BashWord::is_all) => {
                vec![ShellArg::new(values.len().to_string())]
            }
            (":", mut values) => {
                // The first of the arguments is the name of the shell.
                if let (Some(values), "@" | "*") = (&mut values, name.as_str()) {
                    values.insert(0, ShellArg::new("bash"));
                }
                let is_all = is_list(expansion) || self.is_zsh() && values.iter().flatten().nth(1).is_some();
                self.cut(values, &operand, is_all).unwrap_or_else(|taint| unknown(taint | secret()))
            }
            ("@", Some(values)) if operand.text == "P" => {
                let taint = values.iter().fold(TextTaint::NONE, |taint, value| taint | value.taint);
                for value in &values {
                    self.expand_prompt(value);
                }
                unknown(taint)
            }
            ("@", None) if operand.text == "P" => {
                self.expand_prompt(&ShellArg::unknown(TextTaint::NONE));
                unknown(TextTaint::NONE)
            }
            (_, Some(values)) => values
                .into_iter()
                .map(|value| match apply_operator(&value.text, operator, &operand.text) {
                    Some(text) if value.is_known() && operand.is_known() && !operator.is_empty() => {
                        ShellArg { text, otherwise: None, ..value }
                    }
                    _ if matches!(operator, "" | ":-" | "-" | ":=" | "=" | ":?" | "?") => value,
                    _ => ShellArg::unknown(value.taint | operand.taint),
                })
                .collect(),
            (_, None) => unknown(secret()),
        }
    }

    /// The words of an unquoted expansion. Quotes keep their blanks together.
    fn expand_operand(&mut self, operand: &BashWord) -> ShellArg {
        let keeps = |piece: &WordPiece| matches!(piece, WordPiece::Quoted(text) if text.contains([' ', '\t', '\n']));
        if !operand.pieces.iter().any(keeps) {
            return self.expand_quoted(operand);
        }
        let mut built = FieldBuilder::default();
        for piece in &operand.pieces {
            match piece {
                WordPiece::Literal(text) => built.push_split(text, TextTaint::NONE, &[' ', '\t', '\n']),
                piece => built.push_words(self.expand_word(&BashWord { pieces: vec![piece.clone()] })),
            }
        }
        built.end();
        let text = built.done.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let taint = built.done.iter().fold(TextTaint::NONE, |taint, word| taint | word.taint);
        ShellArg { words: built.done, taint, ..ShellArg::new(text) }
    }

    /// The text of a variable that is not set; `=` sets it.
    fn assigned_default(&mut self, name: &str, operator: &str, operand: ShellArg) -> Vec<ShellArg> {
        if operator.contains('=') {
            self.set_variable(name, vec![ShellArg { words: Vec::new(), ..operand.clone() }]);
        }
        vec![operand]
    }

    /// `@P`: a text that is not known may run anything.
    fn expand_prompt(&mut self, text: &ShellArg) {
        if text.is_known() {
            self.run_prompt(text);
        } else {
            self.push_unknown("", "it expands a text that is not known");
        }
    }

    /// `:OFFSET:LENGTH`, of a text or of a list; both are expressions. What is not known has a taint.
    fn cut(
        &mut self,
        values: Option<Vec<ShellArg>>,
        operand: &ShellArg,
        is_list: bool,
    ) -> Result<Vec<ShellArg>, TextTaint> {
        let (offset, length) = split_range(&operand.text);
        let offset = self.evaluate(offset);
        let length = length.map(|length| self.evaluate(length));
        let taint = values.iter().flatten().fold(TextTaint::NONE, |taint, value| taint | value.taint);
        let cut = match (values, offset) {
            (Some(values), Some(offset)) if length.is_none_or(|length| length.is_some()) => {
                let length = length.flatten();
                match is_list {
                    true => cut_list(values, offset, length),
                    false => values.first().and_then(|value| {
                        let text = cut_text(&value.text, offset, length).filter(|_| value.is_known())?;
                        Some(vec![ShellArg { text, otherwise: None, ..value.clone() }])
                    }),
                }
            }
            _ => None,
        };
        cut.ok_or(taint)
    }
}

/// Whether an expansion is of all elements.
fn is_list(expansion: &VariableExpansion) -> bool {
    matches!(expansion.name.as_str(), "@" | "*") || expansion.subscript.as_ref().is_some_and(BashWord::is_all)
}
