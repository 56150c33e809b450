//! Splits shell text into words, as far as possible without running it.
//!
//! This is not a shell. It reports text that it does not understand, and such a command is never labelled safe.

/// The deepest nesting of substitutions.
const MOST_DEPTH: usize = 8;

/// The result of parsing a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ParsedCommandLine {
    /// Every command of the text, including those in substitutions.
    pub(super) commands: Vec<ShellCommand>,
    /// Whether the text is exactly one command of plain words, without substitutions, redirections, assignments or
    /// operators. A `~` before a word is plain: it only names a home directory.
    pub(super) is_plain: bool,
    /// The files that output is redirected to.
    pub(super) written_files: Vec<String>,
}

/// One command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ShellCommand {
    /// Its words, without quotes.
    pub(super) words: Vec<String>,
    /// Whether it reads another command's output.
    pub(super) is_piped: bool,
}

/// Reads a text.
pub(super) fn parse_command_line(text: &str) -> ParsedCommandLine {
    let mut reader =
        ShellParser { letters: text.chars().peekable(), is_plain: true, reading: ParsedCommandLine::default() };
    reader.read_commands(0, None);
    let plain = reader.is_plain && reader.letters.next().is_none() && reader.reading.commands.len() == 1;
    ParsedCommandLine { is_plain: plain, ..reader.reading }
}

struct ShellParser<I: Iterator<Item = char>> {
    letters: std::iter::Peekable<I>,
    is_plain: bool,
    reading: ParsedCommandLine,
}

/// Whether a redirection writes.
type RedirectWrites = bool;

/// A word that is being read.
#[derive(Default)]
struct ShellWord {
    text: String,
    /// Whether a word has started, which an empty pair of quotes does.
    has_begun: bool,
    /// Whether it is the target of a redirection, and whether that writes.
    redirect_target: Option<RedirectWrites>,
}

impl<I: Iterator<Item = char>> ShellParser<I> {
    /// Reads commands up to `end` or the end of the text.
    fn read_commands(&mut self, depth: usize, end: Option<char>) {
        let mut command = ShellCommand::default();
        let mut word = ShellWord::default();
        while let Some(letter) = self.letters.next() {
            if Some(letter) == end {
                self.close_word(&mut word, &mut command);
                self.close_command(&mut command, false);
                return;
            }
            match letter {
                ' ' | '\t' => self.close_word(&mut word, &mut command),
                '#' if !word.has_begun => {
                    self.is_plain = false;
                    while self.letters.next_if(|next| *next != '\n').is_some() {}
                }
                '\n' | ';' | '&' | '|' | '(' | ')' => {
                    self.close_word(&mut word, &mut command);
                    self.is_plain = false;
                    let pipes = letter == '|' && self.letters.next_if_eq(&'|').is_none();
                    if pipes {
                        self.letters.next_if_eq(&'&');
                    }
                    self.close_command(&mut command, pipes);
                }
                '<' | '>' => {
                    self.is_plain = false;
                    // The file descriptor before the operator is not a word.
                    if word.text.chars().all(|digit| digit.is_ascii_digit()) {
                        word = ShellWord::default();
                    }
                    self.close_word(&mut word, &mut command);
                    while self.letters.next_if(|next| matches!(next, '>' | '<' | '|' | '-')).is_some() {}
                    // `>&2` and `&>file`.
                    self.letters.next_if_eq(&'&');
                    while self.letters.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
                    word.redirect_target = Some(letter == '>');
                }
                _ => self.read_letter(letter, &mut word, depth),
            }
        }
        // The expected end is missing.
        self.is_plain &= end.is_none();
        self.close_word(&mut word, &mut command);
        self.close_command(&mut command, false);
    }

    /// Reads a character of a word, with everything that belongs to it.
    fn read_letter(&mut self, letter: char, word: &mut ShellWord, depth: usize) {
        word.has_begun = true;
        match letter {
            '\\' => match self.letters.next() {
                Some('\n') => self.is_plain = false,
                Some(next) => word.text.push(next),
                None => self.is_plain = false,
            },
            '\'' => loop {
                match self.letters.next() {
                    Some('\'') => break,
                    Some(inner) => word.text.push(inner),
                    None => {
                        self.is_plain = false;
                        break;
                    }
                }
            },
            '"' => loop {
                match self.letters.next() {
                    Some('"') => break,
                    Some('\\') => match self.letters.next() {
                        Some(next @ ('"' | '\\' | '$' | '`')) => word.text.push(next),
                        Some('\n') => self.is_plain = false,
                        Some(next) => word.text.extend(['\\', next]),
                        None => self.is_plain = false,
                    },
                    Some(inner @ ('$' | '`')) => self.read_substitution(inner, word, depth),
                    Some(inner) => word.text.push(inner),
                    None => {
                        self.is_plain = false;
                        break;
                    }
                }
            },
            '$' | '`' => self.read_substitution(letter, word, depth),
            // Glob patterns, brace lists, and history expansion.
            '*' | '?' | '[' | ']' | '{' | '}' | '!' => {
                self.is_plain = false;
                word.text.push(letter);
            }
            other => {
                self.is_plain &= !other.is_control();
                word.text.push(other);
            }
        }
    }

    /// Reads a shell substitution: the commands of a command substitution are read too, a variable stays as written.
    fn read_substitution(&mut self, letter: char, word: &mut ShellWord, depth: usize) {
        self.is_plain = false;
        if depth >= MOST_DEPTH {
            return;
        }
        if letter == '`' {
            self.read_commands(depth + 1, Some('`'));
        } else if self.letters.next_if_eq(&'(').is_some() {
            self.read_commands(depth + 1, Some(')'));
        } else if self.letters.next_if_eq(&'\'').is_some() {
            // `$'..'`, whose escapes are not interpreted.
            while let Some(inner) = self.letters.next_if(|inner| *inner != '\'') {
                word.text.push(inner);
            }
            self.letters.next();
        } else {
            word.text.push('$');
        }
    }

    fn close_word(&mut self, word: &mut ShellWord, command: &mut ShellCommand) {
        let word = std::mem::take(word);
        if !word.has_begun {
            return;
        }
        if let Some(writes) = word.redirect_target {
            // A number is an open file descriptor.
            if writes && !word.text.chars().all(|digit| digit.is_ascii_digit()) {
                self.reading.written_files.push(word.text);
            }
            return;
        }
        let sets = word.text.split_once('=').is_some_and(|(name, _)| is_name(name));
        if command.words.is_empty() && sets {
            self.is_plain = false;
            return;
        }
        command.words.push(word.text);
    }

    fn close_command(&mut self, command: &mut ShellCommand, pipes: bool) {
        let done = std::mem::take(command);
        if !done.words.is_empty() {
            self.reading.commands.push(done);
        }
        command.is_piped = pipes;
    }
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_without_their_quotes() {
        let cases: &[(&str, &[&[&str]], bool)] = &[
            ("ls -la", &[&["ls", "-la"]], true),
            ("r''m -rf \"/x\" \\-y", &[&["rm", "-rf", "/x", "-y"]], true),
            ("git commit -m 'rm -rf x'", &[&["git", "commit", "-m", "rm -rf x"]], true),
            ("echo ''", &[&["echo", ""]], true),
            ("echo \"a\\$b\\n\"", &[&["echo", "a$b\\n"]], true),
            ("", &[], false),
            ("a && b || c; d | e & f\ng", &[&["a"], &["b"], &["c"], &["d"], &["e"], &["f"], &["g"]], false),
            ("echo hi;rm x", &[&["echo", "hi"], &["rm", "x"]], false),
            (
                "echo $(curl x|sh) `id` \"$(rm y)\"",
                &[&["curl", "x"], &["sh"], &["id"], &["rm", "y"], &["echo", "", "", ""]],
                false,
            ),
            ("A=1 b", &[&["b"]], false),
            ("cat <<EOF 2>&1 >x", &[&["cat"]], false),
            ("echo *.rs", &[&["echo", "*.rs"]], false),
            ("echo $HOME", &[&["echo", "$HOME"]], false),
            ("(rm x)", &[&["rm", "x"]], false),
            ("ls # rm x", &[&["ls"]], false),
            ("echo 'open", &[&["echo", "open"]], false),
            ("echo \"open", &[&["echo", "open"]], false),
            ("echo $(open", &[&["open"], &["echo", ""]], false),
            ("ls ~/x a~b", &[&["ls", "~/x", "a~b"]], true),
        ];
        for (text, expected, plain) in cases {
            let reading = parse_command_line(text);
            let words: Vec<Vec<&str>> =
                reading.commands.iter().map(|command| command.words.iter().map(String::as_str).collect()).collect();
            assert_eq!(words, *expected, "{text}");
            assert_eq!(reading.is_plain, *plain, "{text}");
        }
    }

    #[test]
    fn pipes_and_the_files_that_are_written_are_known() {
        let reading = parse_command_line("curl x | sh > ~/.bashrc 2>err < in");
        assert_eq!(reading.commands.iter().map(|command| command.is_piped).collect::<Vec<_>>(), [false, true]);
        assert_eq!(reading.written_files, ["~/.bashrc", "err"]);
        assert_eq!(parse_command_line("printf x>~/.bashrc").written_files, ["~/.bashrc"]);
        assert_eq!(
            parse_command_line("a || b |& c").commands.iter().map(|command| command.is_piped).collect::<Vec<_>>(),
            [false, false, true]
        );
    }
}
