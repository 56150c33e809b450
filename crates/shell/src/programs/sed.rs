//! `sed`: its options, and the language of its scripts.

use super::program::read_operands;
use super::shells::given_script;
use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};

/// The most effects of a script.
const MAX_EFFECTS: usize = 256;

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

pub(super) fn run_sed(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
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

fn push_script(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, script: &str) {
    // Old versions end a pattern at a delimiter within brackets.
    let mut readings = vec![SedReader::read(script, true), SedReader::read(script, false)];
    readings.dedup();
    if readings.iter().all(Option::is_none) {
        walk.push_unknown(call.name, "its script cannot be read");
    }
    for effect in readings.into_iter().flatten().flatten() {
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
            if reader.rest.is_empty() || reader.effects.len() > MAX_EFFECTS {
                return (reader.depth == 0 && reader.rest.is_empty()).then_some(reader.effects);
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
    fn read_until(&mut self, delimiter: char, mut heeds_brackets: bool) -> Option<&'t str> {
        let start = self.rest;
        loop {
            let before = self.rest;
            // What the shell puts in may have the delimiter.
            let Some(letter) = self.bump() else { return start.contains(UNKNOWN).then_some(start) };
            match letter {
                letter if letter == delimiter => return start.get(..start.len() - before.len()),
                '\\' => drop(self.bump()?),
                '[' if heeds_brackets => heeds_brackets = self.skip_brackets(),
                _ => {}
            }
        }
    }

    /// Skips a bracket expression behind its `[`, if it ends, and says whether it does.
    fn skip_brackets(&mut self) -> bool {
        let before = self.rest;
        self.take('^');
        self.take(']');
        while let Some(letter) = self.bump() {
            let class = self.rest.strip_prefix(':').filter(|_| letter == '[');
            match class.and_then(|name| name.trim_start_matches(char::is_alphabetic).strip_prefix(":]")) {
                Some(rest) => self.rest = rest,
                None if letter == ']' => return true,
                None => {}
            }
        }
        self.rest = before;
        false
    }

    fn read_command(&mut self) -> Option<()> {
        match self.bump()? {
            '{' => self.depth += 1,
            '}' => {
                self.depth = self.depth.checked_sub(1)?;
                self.end_command()?;
            }
            '#' => drop(self.take_while(|letter| letter != '\n')),
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.skip_blanks();
                self.take_while(|letter| !letter.is_whitespace() && !matches!(letter, ';' | '}'));
            }
            'a' | 'i' | 'c' => drop(self.read_text()),
            'e' => {
                let line = self.read_text();
                self.effects.push(SedEffect::Run(line));
            }
            'r' | 'R' => self.read_file_name(SedEffect::Read)?,
            'w' | 'W' => self.read_file_name(SedEffect::Write)?,
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
                return self.read_file_name(SedEffect::Write);
            }
            if flags.is_empty() {
                return self.end_command();
            }
        }
    }

    /// The name of a file is the rest of its line.
    fn read_file_name(&mut self, effect: fn(String) -> SedEffect) -> Option<()> {
        self.skip_blanks();
        let name = self.take_while(|letter| letter != '\n');
        self.effects.push(effect(name.to_owned()));
        (!name.is_empty()).then_some(())
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
