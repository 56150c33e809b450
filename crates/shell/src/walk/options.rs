//! Options of a program, as `getopt` and `getopt_long` read them.

use super::ShellArg;

/// The options of a program. One that is not named is a flag.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OptionLetters {
    /// Letters that take a value, from the rest of the word or the next one. With a `?` behind it, a letter takes only the
    /// rest of the word.
    pub(crate) letters: &'static str,
    /// Long options that take a value, with blanks between: `name` from behind its `=` or the next word, `name?` only from behind its `=`.
    /// `name!` is a flag. A row with a `!` names all options, so that an abbreviation can be told from another option.
    pub(crate) names: &'static str,
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueNeed {
    Never,
    /// Only one in the same word.
    Same,
    /// One in the same word or the next one.
    Next,
}

impl OptionLetters {
    fn letter(self, letter: char) -> ValueNeed {
        match self.letters.split_once(letter) {
            Some((_, rest)) if letter != '?' => {
                if rest.starts_with('?') {
                    ValueNeed::Same
                } else {
                    ValueNeed::Next
                }
            }
            _ => ValueNeed::Never,
        }
    }

    pub(crate) fn takes_value(self, letter: char) -> bool {
        self.letter(letter) == ValueNeed::Next
    }

    /// Whether the row names every option.
    pub(crate) fn is_complete(self) -> bool {
        self.names.contains('!')
    }

    pub(crate) fn has_name(self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    fn entries(self) -> impl Iterator<Item = (&'static str, ValueNeed)> {
        self.names.split_ascii_whitespace().map(split_entry)
    }

    fn entry(self, name: &str) -> Option<ValueNeed> {
        self.entries().find(|(whole, _)| *whole == name).map(|(_, need)| need)
    }

    /// The option that a long name stands for, whether it takes a value, and whether it is switched off: an exact name, or
    /// the only one that begins so.
    fn long(self, written: &str) -> (&str, ValueNeed, bool) {
        if let Some(need) = self.entry(written) {
            return (written, need, false);
        }
        let negated = written.strip_prefix("no-").filter(|name| !name.is_empty() && self.is_complete());
        if let Some(name) = negated.filter(|name| self.entry(name).is_some()) {
            return (name, ValueNeed::Never, true);
        }
        let mut candidates = self
            .entries()
            .filter(|(whole, _)| whole.starts_with(written))
            .map(|(whole, need)| (whole, need, false))
            .chain(negated.into_iter().flat_map(|name| {
                self.entries()
                    .filter(move |(whole, _)| whole.starts_with(name))
                    .map(|(whole, _)| (whole, ValueNeed::Never, true))
            }));
        match (candidates.next(), candidates.next()) {
            (Some(found), None) if !written.is_empty() => found,
            _ => (written, ValueNeed::Never, false),
        }
    }
}

fn split_entry(entry: &'static str) -> (&'static str, ValueNeed) {
    if let Some(name) = entry.strip_suffix('!') {
        (name, ValueNeed::Never)
    } else if let Some(name) = entry.strip_suffix('?') {
        (name, ValueNeed::Same)
    } else {
        (entry, ValueNeed::Next)
    }
}

/// An option as it is given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GivenOption<'a> {
    /// Its letter, or its whole name as far as that is known.
    pub(crate) name: &'a str,
    /// The word that has it.
    pub(crate) arg: &'a ShellArg,
    /// Its value, and the word that has that.
    pub(crate) value: Option<(&'a str, &'a ShellArg)>,
    /// Whether it is behind two dashes.
    pub(crate) is_long: bool,
    /// Whether it is `--no-NAME`.
    pub(crate) is_negated: bool,
}

/// An option or an operand.
pub(crate) enum ReadArg<'a> {
    Option(GivenOption<'a>),
    Operand(&'a ShellArg),
}

/// Reads arguments one after the other.
pub(crate) struct OptionReader<'a> {
    args: &'a [ShellArg],
    /// The next argument.
    index: usize,
    /// The word whose letters are read, and those that are left.
    cluster: Option<(&'a ShellArg, &'a str)>,
    has_ended: bool,
    grammar: OptionLetters,
}

impl<'a> OptionReader<'a> {
    pub(crate) fn new(args: &'a [ShellArg], grammar: OptionLetters) -> Self {
        Self { args, index: 0, cluster: None, has_ended: false, grammar }
    }

    /// The arguments that are not read.
    fn rest(&self) -> &'a [ShellArg] {
        self.args.get(self.index..).unwrap_or_default()
    }

    fn next_word(&mut self) -> Option<(&'a str, &'a ShellArg)> {
        let arg = self.args.get(self.index)?;
        self.index += 1;
        Some((&arg.text, arg))
    }

    fn read_letter(&mut self, arg: &'a ShellArg, letters: &'a str) -> Option<ReadArg<'a>> {
        let letter = letters.chars().next()?;
        let (name, rest) = letters.split_at_checked(letter.len_utf8())?;
        let value = match self.grammar.letter(letter) {
            ValueNeed::Never => {
                self.cluster = Some((arg, rest)).filter(|_| !rest.is_empty());
                None
            }
            ValueNeed::Next if rest.is_empty() => self.next_word(),
            ValueNeed::Same | ValueNeed::Next => Some((rest, arg)).filter(|_| !rest.is_empty()),
        };
        Some(ReadArg::Option(GivenOption { name, arg, value, is_long: false, is_negated: false }))
    }

    fn read_long(&mut self, arg: &'a ShellArg, long: &'a str) -> ReadArg<'a> {
        let (given, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some((value, arg))));
        let (name, need, is_negated) = self.grammar.long(given);
        // Where a row does not name every option, a name that begins like another one is one of its own.
        let is_sure = name == given || self.grammar.is_complete();
        let (name, value) = match value {
            None if need == ValueNeed::Next && is_sure => (name, self.next_word()),
            None if !is_sure => (given, None),
            value => (name, value),
        };
        ReadArg::Option(GivenOption { name, arg, value, is_long: true, is_negated })
    }
}

impl<'a> Iterator for OptionReader<'a> {
    type Item = ReadArg<'a>;

    fn next(&mut self) -> Option<ReadArg<'a>> {
        if let Some((arg, letters)) = self.cluster.take() {
            return self.read_letter(arg, letters);
        }
        let (text, arg) = self.next_word()?;
        if self.has_ended {
            return Some(ReadArg::Operand(arg));
        }
        if text == "--" {
            self.has_ended = true;
            return self.next();
        }
        if let Some(long) = text.strip_prefix("--") {
            return Some(self.read_long(arg, long));
        }
        match text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            // Some programs have long options behind one dash.
            Some(name) if name.len() > 1 && self.grammar.entry(name) == Some(ValueNeed::Next) => {
                let value = self.next_word();
                Some(ReadArg::Option(GivenOption { name, arg, value, is_long: true, is_negated: false }))
            }
            Some(letters) => self.read_letter(arg, letters),
            None => Some(ReadArg::Operand(arg)),
        }
    }
}

/// The arguments of a program, sorted into options and operands.
#[derive(Debug, Default)]
pub(crate) struct ParsedOptions<'a> {
    /// Each option's letter or name, with its value. One that a later `--no-NAME` switches off is not among them.
    pub(crate) options: Vec<(&'a str, Option<ShellArg>)>,
    pub(crate) operands: Vec<&'a ShellArg>,
}

impl<'a> ParsedOptions<'a> {
    pub(crate) fn parse(args: &'a [ShellArg], valued: OptionLetters) -> Self {
        let mut parsed = Self::default();
        for read in OptionReader::new(args, valued) {
            match read {
                ReadArg::Option(option) => parsed.push_option(option),
                ReadArg::Operand(operand) => parsed.operands.push(operand),
            }
        }
        parsed
    }

    /// Also the arguments from the first operand on, for programs that run another one.
    pub(crate) fn parse_leading(args: &'a [ShellArg], valued: OptionLetters) -> (Self, &'a [ShellArg]) {
        let mut parsed = Self::default();
        let mut reader = OptionReader::new(args, valued);
        loop {
            let rest = reader.rest();
            match reader.next() {
                Some(ReadArg::Option(option)) => parsed.push_option(option),
                Some(ReadArg::Operand(_)) if reader.has_ended => return (parsed, rest.get(1..).unwrap_or_default()),
                Some(ReadArg::Operand(_)) => return (parsed, rest),
                None => return (parsed, &[]),
            }
        }
    }

    fn push_option(&mut self, option: GivenOption<'a>) {
        if option.is_negated {
            self.options.retain(|(name, _)| *name != option.name);
            return;
        }
        let value = option.value.map(|(text, arg)| {
            if text.len() == arg.text.len() { arg.clone() } else { ShellArg { text: text.to_owned(), ..arg.clone() } }
        });
        self.options.push((option.name, value));
    }

    /// Whether an option was given: by its letter, its name, or the beginning of its name.
    pub(crate) fn has(&self, letter: &str, name: &str) -> bool {
        self.options.iter().any(|(given, _)| is_option(given, letter, name))
    }

    /// The values of an option.
    pub(crate) fn values(&self, letter: &str, name: &str) -> impl Iterator<Item = &ShellArg> {
        self.options
            .iter()
            .filter(move |(given, _)| is_option(given, letter, name))
            .filter_map(|(_, value)| value.as_ref())
    }
}

fn is_option(written: &str, letter: &str, name: &str) -> bool {
    if written.len() == 1 {
        written == letter
    } else {
        !name.is_empty() && (written == name || written.len() >= 3 && name.starts_with(written))
    }
}
