//! `sed`: its options, and the language of its scripts.

use super::program::read_operands;
use super::shells::given_script;
use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, OptionLetters, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};

const VALUED: OptionLetters = OptionLetters { letters: "efl", names: &["expression", "file", "line-length"] };

/// What a command of a script does beside editing.
#[derive(Debug, PartialEq)]
enum SedEffect {
    /// `e COMMAND`; without a command it runs the lines that it edits.
    Run(String),
    /// `s/…/TEXT/e` runs what comes out of the substitution.
    RunSubstituted(String),
    Read(String),
    Write(String),
}

pub(super) fn run_sed(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let args: Vec<ShellArg> = call.args.iter().map(without_suffix).collect();
    let parsed = ParsedOptions::parse(&args, VALUED);
    let is_in_place = parsed.has("i", "in-place") || parsed.has("I", "");
    let mut operands = parsed.operands.as_slice();
    // The `sed` of BSD takes the suffix of `-i` from the next word.
    if let [suffix, rest @ ..] = operands
        && is_in_place
        && (suffix.text.is_empty() || suffix.text.starts_with('.'))
    {
        operands = rest;
    }
    let mut scripts: Vec<ShellArg> = parsed.values("e", "expression").cloned().collect();
    for file in parsed.values("f", "file") {
        // A file of the project runs as with `sh FILE`.
        let Some(flow) = given_script(walk, call, file) else { continue };
        if flow.is_unknown() {
            walk.push_code(flow.taint, call.name, "it runs a script that is not known");
        }
        scripts.extend(flow.text.map(ShellArg::new));
    }
    if !parsed.has("e", "expression")
        && !parsed.has("f", "file")
        && let [script, files @ ..] = operands
    {
        scripts.push((*script).clone());
        operands = files;
    }
    if !parsed.has("", "sandbox") {
        let script = scripts.iter().map(|script| script.text.as_str()).collect::<Vec<_>>().join("\n");
        push_script(walk, call, &script);
    }
    if is_in_place {
        for file in operands {
            walk.write_file(call.name, file, "edit", TextFlow::from_taint(TextTaint::DECODED));
        }
        return TextFlow::known("");
    }
    let mut flow = read_operands(walk, call, operands.iter().copied(), false);
    if flow.text.take().is_some() {
        flow.taint |= TextTaint::DECODED;
    }
    flow
}

/// An argument without the suffix that `-i` may have in the same word.
fn without_suffix(arg: &ShellArg) -> ShellArg {
    let letters = arg.text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    match letters.find(['i', 'I']).filter(|at| !letters.get(..*at).unwrap_or_default().contains(['e', 'f', 'l'])) {
        Some(at) => ShellArg { text: arg.text.get(..at + 2).unwrap_or_default().to_owned(), ..arg.clone() },
        None => arg.clone(),
    }
}

fn push_script(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, script: &str) {
    // Old versions end a pattern at a delimiter within brackets.
    let readings = [SedReader::read(script, true), SedReader::read(script, false)];
    if readings.iter().all(Option::is_none) {
        walk.push_unknown(call.name, "its script cannot be read");
    }
    let [first, second] = readings.map(Option::unwrap_or_default);
    let more = second.into_iter().filter(|effect| !first.contains(effect)).collect::<Vec<_>>();
    for effect in first.into_iter().chain(more) {
        match effect {
            SedEffect::Run(line) => {
                walk.run_line(&line, &TextFlow::default());
                if line.is_empty() {
                    walk.push_code(TextTaint::DECODED, call.name, "sed runs its input");
                }
            }
            SedEffect::RunSubstituted(line) => {
                walk.run_line(&line, &TextFlow::default());
                walk.push_code(TextTaint::DECODED, call.name, "sed runs what it substitutes");
            }
            SedEffect::Read(file) => drop(walk.read_file(call.name, &ShellArg::new(file), false)),
            SedEffect::Write(file) if matches!(file.as_str(), "/dev/stdout" | "/dev/stderr") => {}
            SedEffect::Write(file) => {
                let flow = TextFlow::from_taint(TextTaint::DECODED);
                walk.write_file(call.name, &ShellArg::new(file), "replace", flow);
            }
        }
    }
}

/// Reads a script from its beginning. Each step gives `None` where sed would refuse the script.
struct SedReader<'t> {
    rest: &'t str,
    /// Whether a delimiter within brackets is a part of the pattern.
    heeds_brackets: bool,
    depth: usize,
    effects: Vec<SedEffect>,
}

impl<'t> SedReader<'t> {
    fn read(script: &'t str, heeds_brackets: bool) -> Option<Vec<SedEffect>> {
        let mut reader = Self { rest: script, heeds_brackets, depth: 0, effects: Vec::new() };
        loop {
            reader.take_while(|letter| letter.is_whitespace() || letter == ';');
            if reader.rest.is_empty() {
                return (reader.depth == 0).then_some(reader.effects);
            }
            reader.skip_addresses()?;
            reader.take_while(|letter| letter.is_whitespace() || letter == '!');
            reader.read_command()?;
        }
    }

    fn bump(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = self.rest.get(letter.len_utf8()..).unwrap_or_default();
        Some(letter)
    }

    fn take(&mut self, token: char) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) {
        self.take_while(|letter| matches!(letter, ' ' | '\t' | '\r'));
    }

    /// A number, which may have parts that the shell puts in.
    fn skip_number(&mut self) -> bool {
        !self.take_while(|letter| letter.is_ascii_digit() || letter == UNKNOWN).is_empty()
    }

    fn skip_addresses(&mut self) -> Option<()> {
        if self.skip_address()? {
            self.skip_blanks();
            if self.take(',') {
                self.skip_blanks();
                let is_count = self.take('+') || self.take('~');
                (if is_count { self.skip_number() } else { self.skip_address()? }).then_some(())?;
            }
        }
        Some(())
    }

    /// Skips an address if there is one.
    fn skip_address(&mut self) -> Option<bool> {
        let is_pattern = self.rest.starts_with('/') || self.take('\\');
        if is_pattern {
            let delimiter = self.bump()?;
            self.read_until(delimiter, self.heeds_brackets)?;
            self.take_while(|letter| matches!(letter, 'I' | 'M'));
            return Some(true);
        }
        let is_number = self.skip_number();
        if is_number && self.take('~') {
            self.skip_number();
        }
        Some(is_number || self.take('$'))
    }

    /// The text before a delimiter, which is skipped.
    fn read_until(&mut self, delimiter: char, heeds_brackets: bool) -> Option<&'t str> {
        let start = self.rest;
        loop {
            let before = self.rest;
            match self.bump()? {
                letter if letter == delimiter => return start.get(..start.len() - before.len()),
                '\\' => drop(self.bump()?),
                '[' if heeds_brackets => self.skip_brackets(),
                _ => {}
            }
        }
    }

    /// Skips a bracket expression behind its `[`, if it ends.
    fn skip_brackets(&mut self) {
        let before = self.rest;
        self.take('^');
        self.take(']');
        while let Some(letter) = self.bump() {
            let class = self.rest.chars().next().filter(|class| letter == '[' && matches!(class, ':' | '.' | '='));
            match class.and_then(|class| self.rest.get(1..)?.split_once(&format!("{class}]"))) {
                Some((_, rest)) => self.rest = rest,
                None if letter == ']' => return,
                None => {}
            }
        }
        self.rest = before;
    }

    fn read_command(&mut self) -> Option<()> {
        match self.bump()? {
            '{' => self.depth += 1,
            '}' => {
                self.depth = self.depth.checked_sub(1)?;
                self.end_command()?;
            }
            '#' => drop(self.take_line()),
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.skip_blanks();
                self.take_while(|letter| !letter.is_whitespace() && !matches!(letter, ';' | '}'));
            }
            'a' | 'i' | 'c' => drop(self.read_text()),
            'e' => {
                let line = self.read_text();
                self.effects.push(SedEffect::Run(line));
            }
            'r' | 'R' => {
                let file = self.read_file_name()?;
                self.effects.push(SedEffect::Read(file));
            }
            'w' | 'W' => {
                let file = self.read_file_name()?;
                self.effects.push(SedEffect::Write(file));
            }
            'y' => {
                let delimiter = self.bump()?;
                self.read_until(delimiter, false)?;
                self.read_until(delimiter, false)?;
                self.end_command()?;
            }
            's' => self.read_substitution()?,
            'l' | 'L' | 'q' | 'Q' => {
                self.skip_blanks();
                self.skip_number();
                self.end_command()?;
            }
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => self.end_command()?,
            _ => return None,
        }
        Some(())
    }

    fn end_command(&mut self) -> Option<()> {
        self.skip_blanks();
        (self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#'])).then_some(())
    }

    fn read_substitution(&mut self) -> Option<()> {
        let delimiter = self.bump()?;
        self.read_until(delimiter, self.heeds_brackets)?;
        let text = self.read_until(delimiter, false)?;
        loop {
            self.skip_blanks();
            let flags = self.take_while(|letter| letter.is_ascii_digit() || "gpiImMe".contains(letter));
            if flags.contains('e') {
                self.effects.push(SedEffect::RunSubstituted(text.to_owned()));
            }
            if self.take('w') {
                let file = self.read_file_name()?;
                self.effects.push(SedEffect::Write(file));
                return Some(());
            }
            if flags.is_empty() {
                return self.end_command();
            }
        }
    }

    fn take_line(&mut self) -> &'t str {
        self.take_while(|letter| letter != '\n')
    }

    /// The name of a file is the rest of its line.
    fn read_file_name(&mut self) -> Option<String> {
        self.skip_blanks();
        Some(self.take_line().to_owned()).filter(|name| !name.is_empty())
    }

    /// A text goes on behind a line that ends with a backslash.
    fn read_text(&mut self) -> String {
        self.skip_blanks();
        let mut text = String::new();
        while let Some(letter) = self.bump() {
            match letter {
                '\n' => break,
                '\\' => text.extend(self.bump()),
                letter => text.push(letter),
            }
        }
        text
    }
}
