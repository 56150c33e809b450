//! Globs: `*`, `?`, `[..]`, `{a,b}` and the backslash. `*` matches every character, including `/` and `.`.

use regex::{Regex, RegexBuilder};

use crate::harn::fault::HarnFault;

/// The maximum number of names that a glob with braces but no wildcards may expand to, to be looked up rather than
/// matched.
const MAX_NAMES: usize = 64;

#[derive(Debug, Clone)]
pub(in crate::harn) enum NameGlob {
    /// Every string.
    All,
    /// One of these strings.
    Names(Vec<String>),
    /// A string with this prefix.
    Prefix(String),
    /// A string with this suffix.
    Suffix(String),
    /// Any other glob.
    Shape(Regex),
}

impl NameGlob {
    pub(in crate::harn) fn compile(text: &str) -> Result<Self, HarnFault> {
        if text.is_empty() || text == "*" {
            return Ok(Self::All);
        }
        let plain = |part: &str| !part.contains(['*', '?', '[', ']', '{', '}', '\\']);
        if plain(text) {
            return Ok(Self::Names(vec![text.to_owned()]));
        }
        match (text.strip_suffix('*'), text.strip_prefix('*')) {
            (Some(start), _) if plain(start) => return Ok(Self::Prefix(start.to_owned())),
            (_, Some(end)) if plain(end) => return Ok(Self::Suffix(end.to_owned())),
            _ => {}
        }
        let shape = GlobShape::read(text)?;
        match shape.names {
            Some(names) => Ok(Self::Names(names)),
            None => Ok(Self::Shape(shape.into_regex(text)?)),
        }
    }

    /// Whether a string matches.
    pub(in crate::harn) fn accepts(&self, text: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|name| name == text),
            Self::Prefix(start) => text.starts_with(start.as_str()),
            Self::Suffix(end) => text.ends_with(end.as_str()),
            Self::Shape(regex) => regex.is_match(text),
        }
    }
}

/// The strings that a glob stands for; `None` if it has wildcards.
type LiteralNames = Option<Vec<String>>;

/// A glob as a regular expression, and the strings it stands for if it has no wildcards.
struct GlobShape {
    expression: String,
    names: LiteralNames,
}

impl GlobShape {
    fn read(text: &str) -> Result<Self, HarnFault> {
        let mut shape = Self { expression: String::from("^(?s:"), names: Some(vec![String::new()]) };
        let mut rest = text.chars();
        // For each open brace, the prefix that its alternatives share, and the finished alternatives.
        let mut braces: Vec<(LiteralNames, LiteralNames)> = Vec::new();
        while let Some(letter) = rest.next() {
            match letter {
                '*' => shape.push_wildcard(".*"),
                '?' => shape.push_wildcard("."),
                '[' => {
                    let class = read_class(&mut rest).ok_or_else(|| unclosed_bracket(text, '['))?;
                    shape.push_wildcard(&class);
                }
                '{' => {
                    shape.expression.push_str("(?:");
                    braces.push((shape.names.clone(), Some(Vec::new())));
                }
                ',' if !braces.is_empty() => {
                    shape.expression.push('|');
                    if let Some((before, done)) = braces.last_mut() {
                        *done = combine_names(done.take(), shape.names.take());
                        shape.names.clone_from(before);
                    }
                }
                '}' if !braces.is_empty() => {
                    shape.expression.push(')');
                    if let Some((_, done)) = braces.pop() {
                        shape.names = combine_names(done, shape.names.take());
                    }
                }
                '\\' => match rest.next() {
                    Some(escaped) => shape.push_letter(escaped),
                    None => {
                        let message = format!("the glob `{text}` ends in a backslash");
                        return Err(HarnFault::of_pattern(message, "write `\\\\` for a backslash"));
                    }
                },
                _ => shape.push_letter(letter),
            }
        }
        if !braces.is_empty() {
            return Err(unclosed_bracket(text, '{'));
        }
        shape.expression.push_str(")$");
        Ok(shape)
    }

    fn push_letter(&mut self, letter: char) {
        self.expression.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4])));
        for name in self.names.iter_mut().flatten() {
            name.push(letter);
        }
    }

    fn push_wildcard(&mut self, expression: &str) {
        self.expression.push_str(expression);
        self.names = None;
    }

    fn into_regex(self, text: &str) -> Result<Regex, HarnFault> {
        let built = RegexBuilder::new(&self.expression).size_limit(super::expression::MAX_REGEX_BYTES).build();
        built.map_err(|error| {
            let message = format!("the glob `{text}` is invalid: {}", super::expression::last_error_line(&error));
            HarnFault { help: None, ..HarnFault::of_pattern(message, "") }
        })
    }
}

/// The combined names, unless one side has wildcards or there are too many.
fn combine_names(one: LiteralNames, other: LiteralNames) -> LiteralNames {
    let mut names = one?;
    names.extend(other?);
    (names.len() <= MAX_NAMES).then_some(names)
}

/// The rest of a `[..]` as a regular expression class; `None` if it is not closed or empty.
fn read_class(rest: &mut std::str::Chars<'_>) -> Option<String> {
    let mut class = String::from("[");
    let mut letters = 0_usize;
    loop {
        match rest.next()? {
            ']' if letters > 0 => break,
            '!' | '^' if class == "[" => {
                class.push('^');
                continue;
            }
            '\\' => push_in_class(&mut class, rest.next()?),
            '-' if letters > 0 && !rest.as_str().starts_with(']') => class.push('-'),
            letter => push_in_class(&mut class, letter),
        }
        letters += 1;
    }
    class.push(']');
    Some(class)
}

/// Adds a literal character.
fn push_in_class(class: &mut String, letter: char) {
    if matches!(letter, '[' | ']' | '\\' | '^' | '-' | '&' | '~') {
        class.push('\\');
    }
    class.push(letter);
}

fn unclosed_bracket(text: &str, opening: char) -> HarnFault {
    let closing = if opening == '[' { ']' } else { '}' };
    let message = format!("the glob `{text}` has a `{opening}` without a `{closing}`");
    HarnFault::of_pattern(message, format!("close it, or write `\\{opening}` for the character itself"))
}
