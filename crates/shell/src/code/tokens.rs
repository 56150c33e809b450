//! The names, texts and marks of code.

/// Where the name of a variable begins that is filled into a text, and where it ends.
pub(super) const FILLED_BEGIN: char = '\u{1}';
pub(super) const FILLED_END: char = '\u{2}';

/// A token of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CodeToken {
    /// A name with the names in front of it: `os.path.join`.
    Name(String),
    Number(String),
    /// A text; what is filled in is between [`FILLED_BEGIN`] and [`FILLED_END`].
    Text(String),
    /// A command line in backticks.
    Command(String),
    Mark(char),
}

/// How a language writes comments and texts.
struct CodeSyntax {
    has_hash_comments: bool,
    has_slash_comments: bool,
    /// Whether a text in backticks is a command line.
    runs_backticks: bool,
    /// Whether a text in double quotes fills in variables with `$` or `@`.
    fills_dollar: bool,
    name_letters: &'static str,
}

fn syntax_of(language: &str) -> CodeSyntax {
    let is_script = matches!(
        language,
        "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" | "swift" | "scala" | "groovy" | "jshell"
    );
    let is_perl_like = matches!(language, "perl" | "ruby" | "php" | "irb" | "rake" | "julia" | "gnuplot");
    CodeSyntax {
        has_hash_comments: !is_script && !matches!(language, "elisp" | "guile"),
        has_slash_comments: is_script || language == "php",
        runs_backticks: is_perl_like || language == "ipython",
        fills_dollar: matches!(language, "perl" | "php"),
        name_letters: match language {
            "perl" | "php" => "_$@%",
            "elisp" => "_-/",
            "guile" => "_-/*",
            "elixir" | "iex" => "_!",
            "node" | "nodejs" | "deno" | "bun" => "_$",
            _ => "_",
        },
    }
}

/// Whether a `#` begins a comment, rather than being a letter of a pattern: `/^#/`, `s#a#b#`. Text that is read although
/// it is a comment does less harm than code that is not read.
fn can_comment(letters: &[char], index: usize) -> bool {
    let before = letters.get(..index).unwrap_or_default();
    let is_separated = before.last().is_none_or(|letter| letter.is_whitespace());
    let last = before.iter().rev().find(|letter| **letter == '\n' || !letter.is_whitespace());
    let is_line = letters.contains(&'\n');
    is_separated && is_line && last.is_none_or(|letter| letter.is_alphanumeric() || "\n;{}()[],:\"'".contains(*letter))
}

/// Reads the tokens of code.
pub(super) fn read_tokens(language: &str, text: &str) -> Vec<CodeToken> {
    let syntax = syntax_of(language);
    let letters: Vec<char> = text.chars().collect();
    let at = |index: usize| letters.get(index).copied();
    let line_end =
        |begin: usize| (begin..letters.len()).find(|index| at(*index) == Some('\n')).unwrap_or(letters.len());
    let mut tokens = Vec::new();
    let mut index = 0;
    while let Some(letter) = at(index) {
        match letter {
            '#' if syntax.has_hash_comments && at(index + 1) != Some('{') && can_comment(&letters, index) => {
                index = line_end(index);
            }
            '/' if syntax.has_slash_comments && at(index + 1) == Some('/') => index = line_end(index),
            '/' if syntax.has_slash_comments && at(index + 1) == Some('*') => {
                while index < letters.len() && !(at(index) == Some('*') && at(index + 1) == Some('/')) {
                    index += 1;
                }
                index += 2;
            }
            // `Bun.$`…`` is a command line, too.
            '`' if syntax.runs_backticks
                || matches!(tokens.last(), Some(CodeToken::Name(name)) if name.ends_with('$')) =>
            {
                let (text, next) = read_text(&letters, index, '`', true);
                tokens.push(CodeToken::Command(text));
                index = next;
            }
            // `<*.c>` lists files.
            '<' if language == "perl" && listed_files(&letters, index).is_some() => {
                let (text, next) = listed_files(&letters, index).unwrap_or_default();
                tokens.extend([CodeToken::Name(String::from("glob")), CodeToken::Mark('(')]);
                tokens.extend([CodeToken::Text(text), CodeToken::Mark(')')]);
                index = next;
            }
            '\'' | '"' | '`' => {
                let fills = letter == '`' || letter == '"' && (syntax.fills_dollar || language == "ruby");
                let prefix = match tokens.last() {
                    Some(CodeToken::Name(name)) => name.as_str(),
                    _ => "",
                };
                let is_format = matches!(prefix, "f" | "F" | "rf" | "fr");
                if is_format || matches!(prefix, "b" | "r" | "u" | "rb" | "br" | "B" | "R") {
                    tokens.pop();
                }
                let (text, next) = read_text(&letters, index, letter, fills);
                let text = if is_format { fill_braces(&text) } else { text };
                let rest: String = letters.iter().skip(next).take(9).filter(|letter| !letter.is_whitespace()).collect();
                let is_command = language == "scala" && rest.trim_start_matches('.').starts_with('!');
                // Texts next to each other are one text.
                match tokens.last_mut() {
                    _ if is_command => tokens.push(CodeToken::Command(text)),
                    Some(CodeToken::Text(before)) if language.contains("py") || language == "ruby" => {
                        before.push_str(&text)
                    }
                    _ => tokens.push(CodeToken::Text(text)),
                }
                index = next;
            }
            'q' | '%' if quote_operator(language, &letters, index, tokens.last()).is_some() => {
                let (kind, open) = quote_operator(language, &letters, index, tokens.last()).unwrap_or_default();
                let (text, next) = read_text(&letters, open, closing(at(open)), true);
                match kind {
                    'x' => tokens.push(CodeToken::Command(text)),
                    'w' => {
                        tokens.push(CodeToken::Mark('['));
                        for word in text.split_whitespace() {
                            tokens.extend([CodeToken::Text(word.to_owned()), CodeToken::Mark(',')]);
                        }
                        tokens.push(CodeToken::Mark(']'));
                    }
                    _ => tokens.push(CodeToken::Text(text)),
                }
                index = next;
            }
            letter
                if letter.is_alphabetic() || syntax.name_letters.contains(letter) && letter != '-' && letter != '/' =>
            {
                let mut name = String::new();
                while let Some(letter) = at(index) {
                    let is_name = letter.is_alphanumeric()
                        || syntax.name_letters.contains(letter)
                        || letter == '.' && at(index + 1).is_some_and(|next| next.is_alphabetic() || next == '_');
                    let joins = [(':', ':'), ('-', '>')]
                        .iter()
                        .any(|(first, second)| letter == *first && at(index + 1) == Some(*second))
                        && at(index + 2).is_some_and(char::is_alphabetic);
                    let is_optional = letter == '?' && at(index + 1) == Some('.');
                    if is_name {
                        name.push(letter);
                        index += 1;
                    } else if joins {
                        name.push_str(if letter == ':' { "::" } else { "->" });
                        index += 2;
                    } else if is_optional {
                        index += 1;
                    } else {
                        break;
                    }
                }
                tokens.push(CodeToken::Name(name));
            }
            letter if letter.is_ascii_digit() => {
                let mut number = String::new();
                while let Some(letter) = at(index).filter(|letter| letter.is_ascii_alphanumeric()) {
                    number.push(letter);
                    index += 1;
                }
                tokens.push(CodeToken::Number(number));
            }
            '\n' => {
                tokens.push(CodeToken::Mark(';'));
                index += 1;
            }
            letter if letter.is_whitespace() => index += 1,
            letter => {
                tokens.push(CodeToken::Mark(letter));
                index += 1;
            }
        }
    }
    tokens
}

/// The pattern in `<…>`, and the index behind it.
fn listed_files(letters: &[char], open: usize) -> Option<(String, usize)> {
    let rest = letters.get(open + 1..)?;
    let end = rest.iter().take(200).position(|letter| matches!(letter, '>' | '\n' | ';' | '='))?;
    let text: String = rest.get(..end)?.iter().collect();
    (rest.get(end) == Some(&'>') && text.contains(['*', '/', '~'])).then_some((text, open + end + 2))
}

/// `q(…)`, `qq`, `qx` and `qw` of Perl, and `%q(…)`, `%(…)` and their kin of Ruby: what they give, and where the text opens.
fn quote_operator(language: &str, letters: &[char], index: usize, before: Option<&CodeToken>) -> Option<(char, usize)> {
    let at = |index: usize| letters.get(index).copied();
    let is_method = matches!(before, Some(CodeToken::Name(name)) if name == "sub" || name.ends_with("->"));
    let kinds = match (language, at(index)?) {
        ("perl", 'q') if !is_method => "qxwr",
        // A remainder has a value in front of it.
        ("ruby", '%')
            if !matches!(before, Some(CodeToken::Number(_) | CodeToken::Text(_) | CodeToken::Mark(')' | ']'))) =>
        {
            "qQxwWiI"
        }
        _ => return None,
    };
    let (kind, mut open) = match at(index + 1).filter(|kind| kinds.contains(*kind)) {
        Some(kind) => (kind.to_ascii_lowercase(), index + 2),
        None => ('q', index + 1),
    };
    if language == "perl" && at(open) == Some(' ') {
        open += 1;
    }
    at(open).filter(|mark| "({[</|!~".contains(*mark)).map(|_| (kind, open))
}

fn closing(open: Option<char>) -> char {
    match open {
        Some('(') => ')',
        Some('{') => '}',
        Some('[') => ']',
        Some('<') => '>',
        other => other.unwrap_or('/'),
    }
}

/// A text from its opening quote to its end, and the index behind it.
fn read_text(letters: &[char], open: usize, close: char, fills: bool) -> (String, usize) {
    let at = |index: usize| letters.get(index).copied();
    let is_triple = at(open) == Some(close)
        && at(open + 1) == Some(close)
        && at(open + 2) == Some(close)
        && matches!(close, '"' | '\'');
    let mut index = open + if is_triple { 3 } else { 1 };
    let mut raw = String::new();
    while let Some(letter) = at(index) {
        if letter == '\\' {
            raw.push(letter);
            raw.extend(at(index + 1));
            index += 2;
            continue;
        }
        if letter == close && (!is_triple || at(index + 1) == Some(close) && at(index + 2) == Some(close)) {
            index += if is_triple { 3 } else { 1 };
            break;
        }
        let fills_here = fills
            && (letter == '$' && at(index + 1).is_some_and(|next| next == '{' || next.is_alphabetic())
                || letter == '#' && at(index + 1) == Some('{'));
        if fills_here {
            raw.push(FILLED_BEGIN);
            let sigil = letter;
            index += 1;
            if at(index) == Some('{') {
                index += 1;
                while let Some(letter) = at(index).filter(|letter| *letter != '}' && *letter != close) {
                    raw.push(letter);
                    index += 1;
                }
                index += 1;
            } else {
                raw.push(sigil);
                while let Some(letter) =
                    at(index).filter(|letter| letter.is_alphanumeric() || "_{}[]".contains(*letter))
                {
                    raw.push(letter);
                    index += 1;
                }
            }
            raw.push(FILLED_END);
            continue;
        }
        raw.push(letter);
        index += 1;
    }
    (crate::escape::unescape(&raw), index)
}

/// Marks what is filled into `{…}` of a format text.
fn fill_braces(text: &str) -> String {
    let mut filled = String::new();
    let mut depth = 0_usize;
    for letter in text.chars() {
        match letter {
            '{' => {
                depth += 1;
                filled.extend((depth == 1).then_some(FILLED_BEGIN));
            }
            '}' => {
                filled.extend((depth == 1).then_some(FILLED_END));
                depth = depth.saturating_sub(1);
            }
            letter => filled.push(letter),
        }
    }
    filled
}
