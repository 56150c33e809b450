//! Reads command lines in the shell that they are for: bash, zsh, or both if it is not known.

use super::control::COPROCESS;
use super::{CommandWalk, MAX_CALLS, MAX_COMMANDS, ShellArg, TextFlow, TextTaint, program_name};
use crate::paths::UNKNOWN;
use crate::secret_name::is_secret_name;
use crate::syntax::{
    BashWord, GrammarKind, SimpleCommand, VariableExpansion, WordPiece, is_zsh_table, parse_script, parse_text,
};

/// Functions that zsh calls by their names.
const HOOKS: &str = " chpwd zshexit precmd preexec periodic zshaddhistory command_not_found_handler \
                      command_not_found_handle ";

impl CommandWalk<'_> {
    /// Walks a command line as bash reads it, and also as zsh reads it if that differs.
    pub(crate) fn run_line(&mut self, text: &str, stdin: &TextFlow) -> TextFlow {
        self.run_readings(|walk, is_second| {
            let grammar = if is_second { GrammarKind::Zsh } else { GrammarKind::Bash };
            walk.run_line_in(grammar, text, stdin)
        })
    }

    /// Walks a command line that the shell itself reads, as behind `eval`.
    pub(crate) fn run_own_line(&mut self, text: &str, stdin: &TextFlow) -> TextFlow {
        self.run_line_in(self.grammar, text, stdin)
    }

    /// Walks a command line that a program reads.
    pub(crate) fn run_line_of(&mut self, program: &str, text: &str, stdin: &TextFlow) -> TextFlow {
        match program {
            "eval" | "source" | "." => self.run_own_line(text, stdin),
            "zsh" => self.run_line_in(GrammarKind::Zsh, text, stdin),
            "sh" | "bash" | "dash" | "ash" | "ksh" | "mksh" => self.run_line_in(GrammarKind::Bash, text, stdin),
            _ => self.run_line(text, stdin),
        }
    }

    pub(crate) fn run_line_in(&mut self, grammar: GrammarKind, text: &str, stdin: &TextFlow) -> TextFlow {
        let script = parse_script(text, grammar);
        self.is_ambiguous |= script.is_other_in_zsh && grammar == GrammarKind::Bash;
        let outer = std::mem::replace(&mut self.grammar, grammar);
        let flow = self.called(|walk| walk.run_script(&script, stdin));
        self.grammar = outer;
        flow
    }

    /// Runs something, and once more in the other way to read it if the first run finds that there is one.
    pub(super) fn run_readings(&mut self, mut run: impl FnMut(&mut Self, bool) -> TextFlow) -> TextFlow {
        let outer = std::mem::take(&mut self.is_ambiguous);
        let (first, count) = (self.operations.len(), self.command_count);
        let flow = self.with_own_forks(|walk| {
            let before = walk.state.clone();
            let flow = run(walk, false);
            if !walk.is_ambiguous {
                return flow;
            }
            let (second, most) = (walk.operations.len(), walk.command_count);
            let mut ends = walk.take_states();
            walk.state = before;
            if walk.call_depth == 0 {
                walk.command_count = count;
            }
            let flow = flow.either(run(walk, true));
            walk.command_count = walk.command_count.max(most);
            ends.extend(walk.take_states());
            walk.set_states(ends);
            let added = walk.operations.split_off(second.min(walk.operations.len()));
            for operation in added {
                if !walk.operations.iter().skip(first).any(|known| *known == operation) {
                    walk.operations.push(operation);
                }
            }
            flow
        });
        self.is_ambiguous = outer;
        flow
    }

    pub(crate) fn is_zsh(&self) -> bool {
        self.grammar == GrammarKind::Zsh
    }

    /// Whether zsh reads the line, where it reads something otherwise.
    pub(crate) fn is_otherwise_in_zsh(&mut self) -> bool {
        self.is_ambiguous = true;
        self.is_zsh()
    }

    /// Whether zsh may divide a variable of a command into words, which depends on its options.
    pub(super) fn may_split(&self, command: &SimpleCommand) -> bool {
        let is_bare = |piece: &WordPiece| matches!(piece, WordPiece::Variable(expansion) if !expansion.quoted);
        self.is_zsh() && !self.splits_words && command.words.iter().any(|word| word.pieces.iter().any(is_bare))
    }

    /// Whether the values of an expansion are divided into words.
    pub(super) fn divides(&mut self, expansion: &VariableExpansion, values: &[ShellArg]) -> bool {
        if expansion.quoted {
            return false;
        }
        let is_word = |value: &ShellArg| !value.is_pattern && !value.text.contains([' ', '\t', '\n', '*', '?', '[']);
        if !values.iter().all(is_word) || self.state.variables.contains_key("IFS") {
            self.is_ambiguous = true;
        }
        let asks = |flag: &str| flag.contains(['=', 'z', 's', 'f', 'w', '0']);
        !self.is_zsh() || self.splits_words || asks(&expansion.flags)
    }

    /// The files of a redirection: in zsh, its target may be several words.
    pub(super) fn expand_targets(&mut self, target: &BashWord) -> Vec<ShellArg> {
        if self.is_zsh() { self.expand_word(target) } else { vec![self.expand_quoted(target)] }
    }

    /// Whether `echo` reads escapes.
    pub(crate) fn echoes_escapes(&mut self, options: &[ShellArg], flow: &TextFlow) -> bool {
        let has = |letter: char| options.iter().any(|option| option.text.contains(letter));
        self.is_ambiguous |= flow.text.as_deref().is_some_and(|text| text.contains('\\'));
        has('e') || self.is_zsh() && !has('E')
    }

    /// `~NAME` of a directory that has a name in zsh, such as that in a variable.
    pub(super) fn named_directory(&mut self, text: &str) -> Option<String> {
        let rest = text.strip_prefix('~').filter(|rest| !rest.is_empty() && !rest.starts_with('/'))?;
        let (name, _) = rest.split_once('/').unwrap_or((rest, ""));
        let tables = &self.state.variables;
        let values = tables.get(&format!("~{name}")).or_else(|| tables.get(name))?;
        let path = values.first().filter(|value| value.text.starts_with('/') || !value.is_known())?;
        let path = format!("{}{}", path.text, rest.get(name.len()..).unwrap_or_default());
        self.is_ambiguous = true;
        self.is_zsh().then_some(path)
    }

    /// A function that zsh calls by itself.
    pub(super) fn run_hook_function(&mut self, name: &str) {
        if name.starts_with("TRAP") || HOOKS.split_whitespace().any(|hook| hook == name) {
            // Its arguments are not known.
            self.set_trap(&format!("{name} {UNKNOWN} {UNKNOWN} {UNKNOWN}"));
        }
    }

    /// Sets an element of one of zsh's own tables, or all of them.
    pub(super) fn set_table(&mut self, name: &str, key: Option<&BashWord>, values: &[ShellArg]) {
        if !is_zsh_table(name) {
            return;
        }
        self.is_ambiguous = true;
        if !self.is_zsh() {
            return;
        }
        if name == "path" {
            let joined = values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(":");
            self.set_variable("PATH", vec![ShellArg::new(joined)]);
        }
        if name == "argv" {
            self.set_arguments(values.to_vec());
        }
        if name.ends_with("_functions") && key.is_none() {
            for value in values {
                self.set_trap(&value.text);
            }
        }
        let rows: Vec<(ShellArg, ShellArg)> = match key {
            // The values are those before and the new one.
            Some(key) => vec![(self.expand_quoted(key), values.last().cloned().unwrap_or_default())],
            None => {
                values.chunks_exact(2).filter_map(|pair| Some((pair.first()?.clone(), pair.last()?.clone()))).collect()
            }
        };
        for (key, value) in rows {
            match name.trim_start_matches("dis_") {
                "aliases" | "commands" => self.set_alias(&key.text, &value.text),
                "functions" => {
                    drop(self.run_own_line(&format!("{}() {{ {}\n}}", key.text, value.text), &TextFlow::default()))
                }
                "galiases" | "saliases" => self.set_wide_alias(&value.text),
                "mapfile" => self.write_file("", &key, "replace", TextFlow::known(value.text)),
                "nameddirs" => self.set_variable(&format!("~{}", key.text), vec![value]),
                "options" => self.set_zsh_option(&key.text),
                _ => {}
            }
        }
    }

    /// `alias -g` and `alias -s`: any later word may be replaced.
    pub(crate) fn set_wide_alias(&mut self, text: &str) {
        self.run_own_line(text.trim_start_matches([';', '&', '|', ' ', '\n']), &TextFlow::default());
        self.push_unknown("alias", "it gives words of later commands another meaning");
    }

    /// A descriptor that is a connection.
    pub(crate) fn connect(&mut self, descriptor: &str, host: &str) {
        self.state.connections.insert(descriptor.to_owned(), host.to_owned());
    }

    /// An option of zsh that changes how it reads later lines.
    pub(crate) fn set_zsh_option(&mut self, option: &str) {
        let plain = option.to_ascii_lowercase().replace('_', "");
        let plain = plain.strip_prefix("no").unwrap_or(&plain);
        let changes = [
            "rcquotes",
            "cshjunkiequotes",
            "cshjunkieloops",
            "ignorebraces",
            "ignoreclosebraces",
            "kshglob",
            "shglob",
            "shortrepeat",
            "posixaliases",
            "braceccl",
            "globsubst",
            "magicequalsubst",
            "cshnullcmd",
            "shnullcmd",
            "ksharrays",
            "globassign",
        ];
        if changes.contains(&plain) {
            self.push_unknown("setopt", format!("the option {plain} changes how the shell reads the line"));
        }
    }

    /// Whether an expansion has something that only zsh has.
    pub(super) fn is_special_to_zsh(&self, expansion: &VariableExpansion) -> bool {
        self.is_zsh()
            && (!expansion.flags.is_empty()
                || expansion.inner.is_some()
                || expansion.subscript.is_some()
                || expansion.operator == ":" && expansion.operand.as_literal().is_some_and(is_modifiers))
    }

    pub(super) fn expand_for_zsh(&mut self, expansion: &VariableExpansion) -> Vec<ShellArg> {
        let flags = expansion_flags(&expansion.flags);
        let key = expansion.subscript.as_ref().map(|key| self.expand_quoted(key));
        if let Some(key) = &key {
            let _number = self.evaluate(&key.text);
        }
        let mut values = match (&expansion.inner, expansion.name.as_str(), &key) {
            (Some(inner), ..) => self.expand_word(inner),
            (None, "", _) => Vec::new(),
            (None, "commands", Some(key)) => vec![ShellArg::new(format!("/usr/bin/{}", key.text))],
            (None, "mapfile", Some(file)) => {
                let flow = self.read_file("", file, false);
                let text = flow.text.unwrap_or_else(|| UNKNOWN.to_string());
                vec![ShellArg { taint: flow.taint, ..ShellArg::new(text) }]
            }
            // One of them, and it is not known which.
            (None, name, None) if !self.is_ordered(name) => vec![ShellArg::unknown(TextTaint::NONE)],
            (None, name, _) => self.variable(name).unwrap_or_else(|| {
                let taint = if is_secret_name(name) { TextTaint::SECRET } else { TextTaint::NONE };
                vec![ShellArg::unknown(taint)]
            }),
        };
        if let Some(key) = key.filter(|_| !matches!(expansion.name.as_str(), "commands" | "mapfile")) {
            let is_any = self.state.unordered.contains_key(&expansion.name);
            values = if is_any { values } else { element(values, &key.text) };
        }
        let modifiers = expansion.operand.as_literal().filter(|text| expansion.operator == ":" && is_modifiers(text));
        if let Some(modifiers) = modifiers {
            values = values.iter().map(|value| modified(value, modifiers)).collect();
        } else if !expansion.operator.is_empty() {
            let (operator, operand) = (expansion.operator.clone(), expansion.operand.clone());
            let before = self.insert_variable(COPROCESS, values);
            values = self.expand_expansion(&VariableExpansion { operator, operand, ..VariableExpansion::default() });
            self.restore_variable(COPROCESS, before);
        }
        if flags.iter().any(|(letter, _)| *letter == 'P') {
            let unknown = || vec![ShellArg::unknown(TextTaint::ENVIRONMENT)];
            values = values.iter().flat_map(|name| self.variable(&name.text).unwrap_or_else(unknown)).collect();
        }
        values.into_iter().map(|value| self.apply_flags(value, &flags)).collect()
    }

    /// The flags in `${( )NAME}`, on one value.
    fn apply_flags(&mut self, value: ShellArg, flags: &[(char, String)]) -> ShellArg {
        let mut value = value;
        for (letter, argument) in flags {
            match letter {
                // `%` expands substitutions as well, with an option.
                'e' | '%' => value = self.expand_again(&value),
                'Q' => value.text.retain(|letter| !matches!(letter, '\'' | '"' | '\\')),
                'L' => value.text = value.text.to_lowercase(),
                'U' => value.text = value.text.to_uppercase(),
                'z' if value.text.contains('\n') => value = ShellArg::unknown(value.taint),
                // What becomes several words is divided later, and order changes nothing.
                '@' | 'A' | 'k' | 'v' | 'o' | 'O' | 'i' | 'n' | 'u' | '=' | '^' | 'z' | 'P' | 'f' | '0' | 'X' | 'w' => {
                }
                '~' => value.is_pattern |= value.text.contains(['*', '?', '[']),
                '+' => value = ShellArg::new("1"),
                'l' | 'r' => {
                    self.run_subscript(argument, &mut Vec::new(), 0);
                    value = ShellArg::unknown(value.taint);
                }
                's' if !argument.is_empty() => value.text = value.text.replace(argument, " "),
                _ => value = ShellArg::unknown(value.taint),
            }
        }
        value
    }

    /// A text that is expanded once more, as by `${(e)NAME}`.
    pub(crate) fn expand_again(&mut self, value: &ShellArg) -> ShellArg {
        if !value.is_known() {
            self.push_code(value.taint, "", "an expansion runs what is in a text that is not known");
            return value.clone();
        }
        // The text may expand itself.
        self.command_count += 1;
        if self.call_depth >= MAX_CALLS || self.command_count > MAX_COMMANDS {
            self.push_unknown("", "expansions are nested too deeply");
            return ShellArg::unknown(value.taint);
        }
        self.call_depth += 1;
        let expanded = self.expand_quoted(&parse_text(&value.text, self.grammar));
        self.call_depth -= 1;
        ShellArg { taint: expanded.taint | value.taint, ..expanded }
    }
}

/// An element: arrays count from one, or from the end.
fn element(values: Vec<ShellArg>, key: &str) -> Vec<ShellArg> {
    if matches!(key, "@" | "*") {
        return values;
    }
    let number = key.parse::<i32>().ok().filter(|_| values.len() > 1 && values.iter().all(ShellArg::is_known));
    let index = number.and_then(|number| match usize::try_from(number) {
        Ok(number) => number.checked_sub(1),
        Err(_) => values.len().checked_sub(number.unsigned_abs() as usize),
    });
    let taint = values.iter().fold(TextTaint::NONE, |taint, value| taint | value.taint);
    vec![index.and_then(|index| values.get(index)).cloned().unwrap_or_else(|| ShellArg::unknown(taint))]
}

fn is_modifiers(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '&')
}

/// The flags of an expansion, each with its argument.
fn expansion_flags(flags: &str) -> Vec<(char, String)> {
    let mut found = Vec::new();
    let mut rest = flags.chars();
    while let Some(letter) = rest.next() {
        if matches!(letter, '(' | ')' | 'p') {
            continue;
        }
        let mut argument = String::new();
        if "sjlrIgZ_".contains(letter) {
            let open = rest.next().unwrap_or_default();
            let close = match open {
                '(' => ')',
                '{' => '}',
                '[' => ']',
                '<' => '>',
                open => open,
            };
            argument = rest.by_ref().take_while(|letter| *letter != close).collect();
        }
        found.push((letter, argument));
    }
    found
}

/// `:h`, `:t` and the other modifiers of a value.
fn modified(value: &ShellArg, modifiers: &str) -> ShellArg {
    let mut text = value.text.clone();
    for modifier in modifiers.split(':') {
        let mut rest = modifier.chars();
        let letter = rest.next();
        text = match letter.filter(|_| value.is_known()) {
            Some('h') => text
                .trim_end_matches('/')
                .rsplit_once('/')
                .map_or(".", |(dir, _)| if dir.is_empty() { "/" } else { dir })
                .to_owned(),
            Some('t') => text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned(),
            Some('r') => text.rsplit_once('.').map_or(text.as_str(), |(stem, _)| stem).to_owned(),
            Some('e') => text.rsplit_once('.').map_or("", |(_, end)| end).to_owned(),
            Some('l') => text.to_lowercase(),
            Some('u') => text.to_uppercase(),
            Some('Q') => text.replace(['\'', '"', '\\'], ""),
            Some('c') => format!("/usr/bin/{}", program_name(&text)),
            Some('a' | 'A' | 'P' | 'q' | 'x') => text,
            _ => return ShellArg::unknown(value.taint),
        };
        text.extend(rest);
    }
    ShellArg { text, ..value.clone() }
}
