//! Options of a program, as `getopt` reads them.

use super::ShellArg;

/// The options of a program that take a value.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OptionLetters {
    /// Letters whose value follows, in the same word or the next one.
    pub(crate) letters: &'static str,
    /// Long options whose value is the next word, if it is not behind a `=`.
    pub(crate) names: &'static [&'static str],
}

/// The arguments of a program, sorted into options and operands.
#[derive(Debug, Default)]
pub(crate) struct ParsedOptions<'a> {
    /// Each option's letter or name, with its value.
    pub(crate) options: Vec<(&'a str, Option<ShellArg>)>,
    pub(crate) operands: Vec<&'a ShellArg>,
}

impl<'a> ParsedOptions<'a> {
    pub(crate) fn parse(args: &'a [ShellArg], valued: OptionLetters) -> Self {
        Self::parse_until(args, valued, false).0
    }

    /// Also the arguments from the first operand on, for programs that run another one.
    pub(crate) fn parse_leading(args: &'a [ShellArg], valued: OptionLetters) -> (Self, &'a [ShellArg]) {
        Self::parse_until(args, valued, true)
    }

    fn parse_until(args: &'a [ShellArg], valued: OptionLetters, is_leading: bool) -> (Self, &'a [ShellArg]) {
        let mut parsed = Self::default();
        let mut index = 0;
        while let Some(arg) = args.get(index) {
            index += 1;
            let text = arg.text.as_str();
            if text == "--" {
                let rest = args.get(index..).unwrap_or_default();
                if !is_leading {
                    parsed.operands.extend(rest);
                }
                return (parsed, rest);
            }
            if let Some(long) = text.strip_prefix("--") {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => {
                        (whole_name(name, valued.names), Some(ShellArg { text: value.to_owned(), ..arg.clone() }))
                    }
                    None if valued.names.contains(&long) => {
                        index += 1;
                        (long, args.get(index - 1).cloned())
                    }
                    None => (long, None),
                };
                parsed.options.push((name, value));
            } else if text.len() > 1 && text.starts_with('-') {
                let whole = text.get(1..).unwrap_or_default();
                // Some programs have long options behind one dash.
                if valued.names.contains(&whole) {
                    parsed.options.push((whole, args.get(index).cloned()));
                    index += 1;
                    continue;
                }
                for (at, letter) in whole.char_indices() {
                    let end = at + letter.len_utf8();
                    let name = whole.get(at..end).unwrap_or_default();
                    if !valued.letters.contains(letter) {
                        parsed.options.push((name, None));
                        continue;
                    }
                    let glued = whole.get(end..).unwrap_or_default();
                    let value = if glued.is_empty() {
                        index += 1;
                        args.get(index - 1).cloned()
                    } else {
                        Some(ShellArg { text: glued.to_owned(), ..arg.clone() })
                    };
                    parsed.options.push((name, value));
                    break;
                }
            } else if is_leading {
                return (parsed, args.get(index - 1..).unwrap_or_default());
            } else {
                parsed.operands.push(arg);
            }
        }
        (parsed, &[])
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

fn is_option(given: &str, letter: &str, name: &str) -> bool {
    if given.len() == 1 {
        given == letter
    } else {
        !name.is_empty() && (given == name || given.len() >= 3 && name.starts_with(given))
    }
}

/// The name that an abbreviation stands for, as `getopt_long` reads it.
fn whole_name<'n>(name: &'n str, names: &'static [&'static str]) -> &'n str {
    let mut candidates = names.iter().filter(|whole| whole.starts_with(name));
    match (candidates.next(), candidates.next()) {
        (Some(whole), None) => whole,
        _ => name,
    }
}
