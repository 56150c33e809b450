//! Cells of notebooks: Python, with command lines and magics of IPython among its lines.
//!
//! IPython turns a cell into Python before it runs it, and so does this module. A command line becomes a text in backticks,
//! which Python does not have: the reader of code fills in what is known of the variables in it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::words::CodeWords::{
    BareMagics, LastingMagics, MeasuringMagics, ReadingMagics, SettingsMagics, ShellMagics, ShownCells, WritingMagics,
};
use crate::paths::UNKNOWN;
use crate::sql::sql_operations;
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, quote};

/// The most magics in one line.
const MAX_MAGICS: usize = 8;

/// Runs a cell whose first line is a cell magic, such as `%%bash`. Returns whether it is nothing else.
pub(super) fn run_cell_magic(walk: &mut CommandWalk<'_>, text: &str) -> bool {
    let is_blank = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let mut lines = text.split_inclusive('\n');
    let skipped: usize = lines.by_ref().take_while(is_blank).map(str::len).sum();
    let text = text.get(skipped..).unwrap_or_default();
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    let Some(line) = first.trim().strip_prefix('%') else { return false };
    let (name, args) = line.trim_start_matches('%').split_once(char::is_whitespace).unwrap_or((line, ""));
    let name = name.trim_start_matches('%');
    // In some notebooks, one `%` is enough for another language. In others, the lines below are Python.
    let is_cell = line.starts_with('%');
    if !is_cell && !(args.is_empty() && (ShellMagics.has(name) || walk.is_program(name))) {
        return false;
    }
    let options = ["--out", "--err", "--proc"];
    let words: Vec<&str> = args.split_whitespace().collect();
    let is_option = |index: usize, word: &str| {
        matches!(word, "--bg" | "--no-raise-error" | "--raise-error")
            || options.iter().any(|option| word.starts_with(option))
            || index.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| options.contains(word))
    };
    let args_of_program = words.iter().enumerate().filter(|(index, word)| !is_option(*index, word));
    let args_of_program: Vec<&str> = args_of_program.map(|(_, word)| *word).collect();
    match name {
        "writefile" | "file" => {
            let is_known = !args.contains(['{', '$']);
            let target = words.last().filter(|_| is_known).map(|word| ShellArg::new(word.trim_matches(['"', '\''])));
            let target = target.unwrap_or_else(|| ShellArg::unknown(TextTaint::NONE));
            walk.write_file("ipython", &target, "replace", TextFlow::known(body));
        }
        "sql" | "bigquery" | "sqlcmd" => sql_operations(name, body).into_iter().for_each(|found| walk.push(found)),
        "javascript" | "js" => walk.run_code("node", body),
        name if ShownCells.has(name) => {}
        name if MeasuringMagics.has(name) => walk.run_code("ipython", &format!("{}\n{body}", without_options(args))),
        name => {
            let program = match name {
                "script" => "",
                name if ShellMagics.has(name) => "bash",
                name => name,
            };
            if program.is_empty() || walk.is_program(program) {
                let line = format!("{program} {}", args_of_program.join(" "));
                let printed = walk.run_line(&line, &TextFlow::known(body));
                walk.push_printed(&printed);
            } else {
                walk.run_typed(&format!("{args}\n{body}"));
            }
        }
    }
    is_cell
}

/// A cell as the reader of code takes it: command lines in backticks.
pub(super) fn to_python(text: &str) -> Cow<'_, str> {
    let is_python = |line: &&str| !line.trim_start().starts_with(['!', '%']);
    let words = text.lines().filter(is_python).flat_map(|line| line.split(|letter: char| !is_name_letter(letter)));
    let names = words.filter(|word| !word.is_empty()).collect();
    let mut python = String::new();
    let mut has_magic = false;
    let mut lines = text.lines();
    while let Some(first) = lines.next() {
        let mut magic = read_magic(first.trim(), &names, 0);
        if magic.is_some() && first.ends_with('\\') {
            let mut line = first.trim_end_matches('\\').to_owned();
            for next in lines.by_ref() {
                line.push_str(next.trim().trim_end_matches('\\'));
                if !next.ends_with('\\') {
                    break;
                }
            }
            magic = read_magic(line.trim(), &names, 0);
        }
        has_magic |= magic.is_some();
        python.push_str(magic.as_deref().unwrap_or(first));
        python.push('\n');
    }
    if !has_magic {
        return Cow::Borrowed(text);
    }
    // What looks like a magic may be inside a long text.
    if text.contains("\"\"\"") || text.contains("'''") {
        python.push_str(text);
    }
    Cow::Owned(python)
}

fn is_name_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// A line as Python, if it is or has a magic: `!ls`, `%cd ..`, `files = !ls`, `rm -r x`.
fn read_magic(line: &str, names: &HashSet<&str>, depth: usize) -> Option<String> {
    if depth > MAX_MAGICS {
        return Some(format!("`{UNKNOWN}`"));
    }
    if let Some(command) = line.strip_prefix('!').filter(|command| !command.starts_with('=')) {
        return Some(in_backticks(command.trim_start_matches('!'), false, names));
    }
    if let Some(magic) = line.strip_prefix('%') {
        let magic = magic.trim_start_matches('%');
        let (name, rest) = magic.split_once(char::is_whitespace).unwrap_or((magic, ""));
        let is_name = name.starts_with(|letter: char| letter.is_alphabetic()) && name.chars().all(is_name_letter);
        return is_name.then(|| read_line_magic(name, rest.trim(), names, depth));
    }
    if let Some((name, rest)) = line.split_once(' ')
        && BareMagics.has(name)
        && is_argument(rest.trim_start())
    {
        return Some(read_line_magic(name, rest.trim(), names, depth));
    }
    let (target, value) = line.split_once('=')?;
    let count = |marks: &[char]| target.matches(marks).count();
    let is_target = count(&['(', '[', '{']) == count(&[')', ']', '}']) && count(&['"', '\'']) % 2 == 0;
    let value = value.trim_start();
    (is_target && value.starts_with(['!', '%']))
        .then(|| read_magic(value, names, depth + 1))?
        .map(|magic| format!("{target}= {magic}"))
}

/// Whether a text behind a name is an argument, rather than the rest of an expression.
fn is_argument(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let mut letters = word.chars();
    match letters.next() {
        Some('-') => letters.next().is_some_and(char::is_alphabetic),
        Some('*') => letters.next().is_none_or(|next| next == '.'),
        Some('~' | '/' | '.' | '"' | '\'' | '{' | '$') => true,
        Some(first) => first.is_alphanumeric() && !matches!(word, "in" | "is" | "and" | "or" | "if" | "not" | "for"),
        None => false,
    }
}

fn read_line_magic(name: &str, rest: &str, names: &HashSet<&str>, depth: usize) -> String {
    let first = rest.split_whitespace().next().unwrap_or_default();
    let line = match name {
        name if ShellMagics.has(name) => rest.to_owned(),
        name if SettingsMagics.has(name) => return String::new(),
        name if MeasuringMagics.has(name) => {
            let code = without_options(rest);
            return read_magic(code, names, depth + 1).unwrap_or_else(|| code.to_owned());
        }
        name if ReadingMagics.has(name) => format!("cat {rest}"),
        name if WritingMagics.has(name) => {
            rest.split_whitespace().filter(|word| !word.starts_with('-')).map(|word| format!(": > {word};")).collect()
        }
        "store" => {
            rest.split_once('>').map(|(_, file)| format!(": > {}", file.trim_start_matches('>'))).unwrap_or_default()
        }
        "run" => format!("python3 {rest}"),
        // What it stands for counts as if it ran.
        "alias" => rest.strip_prefix(first).unwrap_or_default().to_owned(),
        "env" | "set_env" if rest.contains('=') => {
            let (variable, value) = rest.split_once('=').unwrap_or((rest, ""));
            return in_backticks(&format!("export {}={}", variable.trim(), quote(value.trim())), true, names);
        }
        "env" | "set_env" if rest.contains(' ') => {
            let value = rest.strip_prefix(first).unwrap_or_default().trim();
            return in_backticks(&format!("export {first}={}", quote(value)), true, names);
        }
        "env" if !rest.is_empty() => format!("printenv {rest}"),
        // Aliases of IPython are programs.
        name => format!("{name} {rest}"),
    };
    in_backticks(&line, LastingMagics.has(name), names)
}

/// The code of a magic that measures it, without the options in front.
fn without_options(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('-') {
        let (option, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = behind.trim_start();
        // The number of rounds.
        if option.len() == 2 && rest.starts_with(|letter: char| letter.is_ascii_digit()) {
            rest = rest.split_once(' ').map_or("", |(_, behind)| behind.trim_start());
        }
    }
    rest
}

/// A command line in backticks, with the variables of Python in it marked.
fn in_backticks(line: &str, is_lasting: bool, names: &HashSet<&str>) -> String {
    let mut text = String::from(if is_lasting { "`" } else { "`(" });
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        let name_end = behind.find(|letter: char| !is_name_letter(letter));
        let filled = match letter {
            '{' => behind.split_once('}').filter(|(value, _)| is_value(value)),
            '$' => behind.split_at_checked(name_end.unwrap_or(behind.len())).filter(|(name, _)| names.contains(name)),
            _ => None,
        };
        if let Some((value, after)) = filled {
            text.push_str(&format!("${{{}}}", value.replace(['`', '\\'], "")));
            rest = after;
            continue;
        }
        text.extend(matches!(letter, '`' | '\\' | '#' | '$').then_some('\\'));
        text.push(letter);
        rest = behind;
    }
    text.push_str(if is_lasting { "`" } else { "\n)`" });
    text
}

/// Whether what is in braces is a value of Python, rather than a pattern of the shell or a block of awk.
fn is_value(text: &str) -> bool {
    let is_simple = text.chars().all(is_name_letter);
    let is_expression = text.contains(['(', '[', '.', ':', '+', '"', '\'']) && !text.contains([';', '$']);
    !text.is_empty() && !text.contains("..") && (is_simple || is_expression)
}
