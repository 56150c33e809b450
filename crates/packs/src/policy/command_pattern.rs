//! Patterns of commands: `npm publish`, `terraform apply`, `git push --force`.

use pintle_shell::{CallCommand, program_name};

use super::RuleFit;
use crate::glob::{has_same_colons, matches_part, parts_overlap};

/// A pattern of a command: the program, then words that its arguments have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunPattern {
    program: String,
    /// The words that are not options, in their order.
    words: Vec<String>,
    /// The options, wherever they are.
    options: Vec<String>,
    /// All of these as written.
    written: Vec<String>,
}

/// The end of a pattern that lets any words follow where they would not.
const ANY_WORDS: &str = "**";

impl RunPattern {
    /// Reads a pattern. Quotes keep blanks in a word.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let written = split_words(text).ok_or("it has a quote that is not closed; close it")?;
        let Some((program, rest)) = written.split_first() else {
            return Err(String::from("it is empty; write a command, such as `npm publish`"));
        };
        let is_syntax = |word: &&String| word.contains(['|', ';', '&', '<', '>', '`', '\n']);
        if let Some(word) = written.iter().find(is_syntax) {
            return Err(format!(
                "`{word}` is shell syntax; write one command, and each further one as a rule of its own"
            ));
        }
        if program.contains('=') {
            return Err(format!("`{program}` sets a variable; write the command without it"));
        }
        let is_option = |word: &&String| word.starts_with('-') && word.len() > 1;
        Ok(Self {
            program: program.clone(),
            words: rest.iter().filter(|word| !is_option(word) && *word != ANY_WORDS).cloned().collect(),
            options: rest.iter().filter(is_option).cloned().collect(),
            written,
        })
    }

    /// How a command fits. Options may stand anywhere, and more words may follow.
    pub(super) fn fit(&self, command: &CallCommand) -> RuleFit {
        let Some((program, args)) = command.words.split_first() else { return RuleFit::No };
        let mut fit = self.fit_program(program, command.unknown);
        if fit != RuleFit::No {
            fit = fit.min(self.fit_words(args, command.unknown)).min(self.fit_options(args, command.unknown));
        }
        // Of a file, only what is certain counts.
        match fit {
            RuleFit::Certain if command.possible => RuleFit::Possible,
            RuleFit::Possible if command.file.is_some() => RuleFit::No,
            fit => fit,
        }
    }

    fn fit_program(&self, program: &str, has_unknown: bool) -> RuleFit {
        let name = program_name(program);
        let is_meant = match self.program.contains('/') {
            true => matches_part(self.program.as_bytes(), program.as_bytes()),
            // Some file systems do not tell cases apart.
            false => matches_part(self.program.to_lowercase().as_bytes(), name.to_lowercase().as_bytes()),
        };
        match is_meant {
            true => RuleFit::Certain,
            false if has_unknown && is_unknown(&name) => RuleFit::Possible,
            false => RuleFit::No,
        }
    }

    fn fit_words(&self, args: &[String], has_unknown: bool) -> RuleFit {
        let mut rest = args.iter();
        let (mut is_possible, mut after_option) = (false, false);
        for wanted in &self.words {
            loop {
                let Some(arg) = rest.next() else {
                    return if is_possible { RuleFit::Possible } else { RuleFit::No };
                };
                if matches_part(wanted.as_bytes(), arg.as_bytes()) {
                    after_option = false;
                    break;
                }
                let is_option = arg.starts_with('-');
                // What is not known may be any words, also more than one. A pattern stands for the names of files.
                is_possible |= has_unknown && is_unknown(arg) || parts_overlap(wanted, arg);
                if !is_option && !after_option {
                    return if is_possible { RuleFit::Possible } else { RuleFit::No };
                }
                // The next word may be the value of this option.
                after_option = is_option && !arg.contains('=');
            }
        }
        RuleFit::Certain
    }

    fn fit_options(&self, args: &[String], has_unknown: bool) -> RuleFit {
        let has = |option: &String| args.iter().any(|arg| has_option(arg, option));
        match self.options.iter().all(has) {
            true => RuleFit::Certain,
            false if has_unknown && args.iter().any(|arg| is_unknown(arg)) => RuleFit::Possible,
            false => RuleFit::No,
        }
    }

    /// Whether it is this command and nothing more: word for word, `*` for any text of a word, and `**` at the end for any
    /// words.
    pub(super) fn covers(&self, command: &CallCommand) -> bool {
        if command.unknown || command.possible {
            return false;
        }
        let (wanted, is_open) = match self.written.split_last() {
            Some((last, before)) if last == ANY_WORDS => (before, true),
            _ => (self.written.as_slice(), false),
        };
        let is_long_enough = match is_open {
            true => command.words.len() >= wanted.len(),
            false => command.words.len() == wanted.len(),
        };
        let mut pairs = wanted.iter().zip(&command.words);
        is_long_enough
            && pairs
                .all(|(wanted, word)| matches_part(wanted.as_bytes(), word.as_bytes()) && has_same_colons(wanted, word))
    }

    /// Whether it would cover every command.
    pub(super) fn is_open(&self) -> bool {
        self.program.chars().all(|letter| "*?".contains(letter))
    }
}

/// Whether a word of a command that has some has a part that cannot be known.
fn is_unknown(word: &str) -> bool {
    word.contains(['…', '$', '`'])
}

/// Whether a word is an option: `--force`, `--force=…`, or `-rf` for `-r` and for `-fr`.
fn has_option(arg: &str, option: &str) -> bool {
    let letters = |word: &str| word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).map(str::to_owned);
    if matches_part(option.as_bytes(), arg.as_bytes()) || arg.split_once('=').is_some_and(|(name, _)| name == option) {
        return true;
    }
    match (letters(option), letters(arg)) {
        (Some(wanted), Some(given)) => wanted.chars().all(|letter| given.contains(letter)) && !given.contains('='),
        _ => false,
    }
}

/// The words of a pattern; `None` if a quote is open.
fn split_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(pattern: &str, line: &str) -> RuleFit {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let unknown = line.contains(['$', '…']);
        RunPattern::parse(pattern).unwrap().fit(&CallCommand { words, unknown, ..CallCommand::default() })
    }

    #[test]
    fn a_pattern_fits_a_command_with_its_words_in_order() {
        use RuleFit::{Certain, No, Possible};
        for (pattern, line, expected) in [
            ("npm publish", "npm publish", Certain),
            ("npm publish", "npm publish --tag next", Certain),
            ("npm publish", "/usr/bin/npm --silent publish", Certain),
            ("npm publish", "npm --registry x publish", Certain),
            ("npm publish", "NPM publish", Certain),
            ("npm publish", "npm run publish", No),
            ("npm publish", "npm", No),
            ("npm publish", "npm $X", Possible),
            ("npm publish", "$X publish", Possible),
            ("npm publish", "$D/npm publish", Certain),
            ("npm publish", "$X install", No),
            ("npm publish", "npm install $X", No),
            ("git push", "git -C $DIR push", Certain),
            ("git push", "git commit -m push", No),
            ("git push --force", "git push origin main --force", Certain),
            ("git push --force", "git push origin main", No),
            ("git push --force", "git push $X", Possible),
            ("rm -rf", "rm -fr x", Certain),
            ("rm -rf", "rm -r x", No),
            ("npm *", "npm", No),
            ("npm *", "npm ci", Certain),
            ("terraform apply", "terraform -chdir=x apply", Certain),
            ("'my tool' x", "my tool x", No),
            ("*", "ls", Certain),
        ] {
            assert_eq!(fit(pattern, line), expected, "{pattern}: {line}");
        }
    }

    #[test]
    fn what_covers_a_command_covers_nothing_more() {
        let covers = |pattern: &str, line: &str| {
            let words = line.split(' ').map(str::to_owned).collect();
            RunPattern::parse(pattern).unwrap().covers(&CallCommand { words, ..CallCommand::default() })
        };
        for (pattern, line) in [
            ("npm publish", "npm publish"),
            ("git push --force origin feature/*", "git push --force origin feature/x"),
            ("make **", "make deploy -j 4"),
            ("docker pull registry:5000/*", "docker pull registry:5000/x"),
        ] {
            assert!(covers(pattern, line), "{pattern}: {line}");
        }
        for (pattern, line) in [
            ("npm publish", "npm publish --tag x"),
            ("rm -rf build", "rm -rf build /"),
            ("git push --force origin feature/*", "git push --force origin main"),
            ("git push --force origin feature/*", "git push --force origin feature/x:main"),
            ("docker pull *", "docker pull x:y"),
            ("rm *", "/tmp/rm x"),
            ("rm x*", "rm *"),
        ] {
            assert!(!covers(pattern, line), "{pattern}: {line}");
        }
    }

    #[test]
    fn what_is_not_one_command_is_an_error() {
        for text in ["", "  ", "a && b", "a | b", "X=1 a", "echo 'x", "a > b"] {
            assert!(RunPattern::parse(text).unwrap_err().contains("; "), "{text}");
        }
    }
}
