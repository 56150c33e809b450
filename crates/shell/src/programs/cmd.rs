//! `cmd`: its command lines as lines of PowerShell, which has aliases with the names of its commands.

use std::collections::BTreeMap;

use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, TextFlow, TextTaint};
use crate::word_lists::is_listed;

/// Commands of its own; other names are programs.
const COMMANDS: &str = "del erase rd rmdir copy move ren rename type md mkdir cd chdir pushd popd dir echo cls";
/// Words in front of a command.
const LEADING: &str = "call else do";
/// The longest value of a variable that is read as part of the text.
const MAX_VALUE_BYTES: usize = 4 << 10;
/// The deepest nesting of loops over what a command prints.
const MAX_LOOPS: usize = 3;
const COMPARISONS: &str = "== equ neq lss leq gtr geq";

/// Its switches end with `/c` or `/k`, behind which is the line.
pub(super) fn run_cmd(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let mut words = call.args.iter().map(|arg| arg.text.as_str());
    let mut line: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        // With two slashes, the shells of MSYS leave it alone.
        let switch = word.strip_prefix("//").or_else(|| word.strip_prefix(['/', '-']));
        match switch.and_then(|switch| switch.split_at_checked(1)) {
            Some((letter, glued)) if word.starts_with('/') && "cCkKrR".contains(letter) => line.push(glued),
            Some(_) => continue,
            None => line.push(word),
        }
        line.extend(words.by_ref());
    }
    match (line.as_slice(), &call.stdin.text) {
        ([], Some(text)) => walk.run_powershell_line(&translate(text), &TextFlow::default()),
        ([], None) if call.stdin.is_unknown() => {
            walk.push_code(call.stdin.taint, call.name, "it runs text that is not known");
            TextFlow::from_taint(TextTaint::OUTPUT)
        }
        ([], None) => TextFlow::default(),
        (line, _) => walk.run_powershell_line(&translate(&line.join(" ")), call.stdin),
    }
}

/// Lines of `cmd` as lines of PowerShell.
pub(super) fn translate(text: &str) -> String {
    CmdReader::default().read(text)
}

fn is_among(word: &str, names: &str) -> bool {
    is_listed(names, &word.to_ascii_lowercase())
}

/// Reads lines of `cmd` and writes them as PowerShell.
#[derive(Default)]
struct CmdReader {
    written: String,
    /// The words of the command, and the word that is not over.
    words: Vec<String>,
    word: String,
    /// How many blocks are open, and in how many loops a command prints the values.
    depth: usize,
    loop_depth: usize,
    /// The variables that the text sets, each with its value; `None` if they have several.
    values: BTreeMap<String, Option<String>>,
    /// Whether a block ended, behind which a command needs a mark in front.
    is_behind_block: bool,
}

impl CmdReader {
    fn read(&mut self, text: &str) -> String {
        self.scan(text);
        self.end_command("");
        std::mem::take(&mut self.written)
    }

    fn scan(&mut self, text: &str) {
        let mut letters = text.chars();
        let mut is_quoted = false;
        while let Some(letter) = letters.next() {
            match letter {
                '"' => {
                    is_quoted = !is_quoted;
                    self.word.push('"');
                }
                '\n' | '\r' => {
                    is_quoted = false;
                    self.end_command("; ");
                }
                '%' | '!' => {
                    let (value, rest) = read_variable(letter, letters.as_str());
                    self.push_value(&value);
                    letters = rest.chars();
                }
                '$' | '`' => self.word.extend(['`', letter]),
                _ if is_quoted => self.word.push(letter),
                '^' => {
                    let next = letters.next().filter(|next| !next.is_whitespace());
                    self.word.extend(next.filter(|next| !next.is_alphanumeric()).map(|_| '`').into_iter().chain(next));
                }
                ' ' | '\t' => self.end_word(),
                ',' | ';' if self.words.first().is_some_and(|word| is_among(word, COMMANDS)) => self.end_word(),
                '&' if self.word.ends_with('>') => self.word.push(letter),
                '&' | '|' => {
                    let rest = letters.as_str();
                    let is_double = rest.starts_with(letter);
                    letters = rest.strip_prefix(letter).unwrap_or(rest).chars();
                    self.end_command(if letter == '|' && !is_double { " | " } else { "; " });
                }
                '(' if self.is_in_for() => {
                    let (set, rest) = letters.as_str().split_once(')').unwrap_or((letters.as_str(), ""));
                    self.set_loop_variable(set);
                    letters = rest.chars();
                }
                '(' if self.is_at_start() => {
                    self.end_command("");
                    self.begin();
                    self.written.push_str("& { ");
                    self.depth += 1;
                }
                ')' if self.depth > 0 => {
                    self.end_command("");
                    self.written.push_str(" }");
                    self.depth -= 1;
                    self.is_behind_block = true;
                }
                '@' if self.is_at_start() => {}
                '{' | '}' | '@' | '#' | '\'' | '(' | ')' | ',' | ';' => self.word.extend(['`', letter]),
                letter => self.word.push(letter),
            }
        }
    }

    /// Adds the value of a variable. In the name of a command, a value that the text sets is read as part of the text.
    fn push_value(&mut self, value: &str) {
        let is_name = self.words.iter().all(|word| is_among(word, LEADING));
        let name = value.strip_prefix("${env:").and_then(|name| name.strip_suffix('}'));
        match name.filter(|_| is_name).and_then(|name| self.values.get(&name.to_ascii_lowercase())) {
            None => self.word.push_str(value),
            Some(None) => self.word.push_str("${env:1~}"),
            Some(Some(text)) => {
                let text = text.clone();
                let mut pieces = text.split(' ');
                self.word.push_str(pieces.next().unwrap_or_default());
                for piece in pieces {
                    self.end_word();
                    self.word.push_str(piece);
                }
            }
        }
    }

    /// Remembers a value that the words of a command set.
    fn remember_value(&mut self) {
        let Some(at) = self.words.iter().position(|word| is_among(word, "set")) else { return };
        let Some((name, value)) = setting_in(self.words.get(at + 1..).unwrap_or_default()) else { return };
        let value = Some(value).filter(|value| value.len() <= MAX_VALUE_BYTES);
        let known = self.values.entry(name.to_ascii_lowercase()).or_insert_with(|| value.clone());
        if *known != value {
            *known = None;
        }
    }

    /// Whether a command may begin here.
    fn is_at_start(&self) -> bool {
        let leads = |word: &String| is_among(word, LEADING);
        let is_first = |word: &String| leads(word) || is_among(word, "if");
        self.word.is_empty() && (self.words.first().is_none_or(is_first) || self.words.last().is_some_and(leads))
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.words.push(std::mem::take(&mut self.word));
        }
    }

    /// Puts a mark between a block and what is behind it.
    fn begin(&mut self) {
        if std::mem::take(&mut self.is_behind_block) {
            self.written.push_str("; ");
        }
    }

    fn end_command(&mut self, mark: &str) {
        self.end_word();
        self.remember_value();
        let command = translate_command(&std::mem::take(&mut self.words));
        if !command.is_empty() {
            self.begin();
            self.written.push_str(&command);
        }
        // A pipe begins behind something.
        let follows = !self.written.trim_end().is_empty() && !self.written.trim_end().ends_with(['{', ';', '|']);
        if follows && !mark.is_empty() {
            self.is_behind_block = false;
            self.written.push_str(mark);
        }
    }

    /// `for %i in`.
    fn is_in_for(&self) -> bool {
        let is_word = |word: Option<&String>, name: &str| word.is_some_and(|word| is_among(word, name));
        is_word(self.words.first(), "for") && is_word(self.words.last(), "in") && self.word.is_empty()
    }

    /// The values of a loop, all at once; a command in quotes prints them, and with `/f` a file holds them.
    fn set_loop_variable(&mut self, set: &str) {
        let words = std::mem::take(&mut self.words);
        let name = words.iter().find(|word| word.starts_with("${")).map_or("${i}", String::as_str);
        let below = words.iter().skip_while(|word| !word.eq_ignore_ascii_case("/r")).nth(1).filter(|dir| *dir != name);
        let root = below.map(|dir| format!("{}\\", dir.trim_matches('"'))).unwrap_or_default();
        let line = match set.trim().strip_prefix(['\'', '`']) {
            Some(line) => Some(line.trim_end_matches(['\'', '`']).to_owned()),
            None if words.iter().any(|word| is_among(word, "/f")) => Some(format!("type {set}")),
            None => None,
        };
        let mut inner =
            Self { loop_depth: self.loop_depth + 1, values: std::mem::take(&mut self.values), ..Self::default() };
        let value = match line {
            _ if self.loop_depth > MAX_LOOPS => String::from("${env:1~}"),
            Some(line) => format!("$({})", inner.read(&line)),
            None => {
                // Its words end like those of a command.
                inner.words.push(String::from("dir"));
                inner.scan(set);
                inner.end_word();
                let quoted = inner.words.iter().skip(1).map(|word| format!("\"{root}{}\"", word.replace('"', "")));
                quoted.collect::<Vec<_>>().join(",")
            }
        };
        self.values = inner.values;
        self.begin();
        self.written.push_str(&format!("{name} = {value}; "));
    }
}

/// A variable behind its mark, and the rest of the text.
fn read_variable(mark: char, text: &str) -> (String, &str) {
    let is_letter = |letter: char| letter.is_alphanumeric() || "_()".contains(letter);
    if let Some((name, rest)) = text.split_once(mark) {
        let plain = name.split_once(':').map_or(name, |(plain, _)| plain);
        if plain.eq_ignore_ascii_case("cd") {
            return (String::from("${pwd}"), rest);
        }
        if !plain.is_empty() && plain.chars().all(is_letter) {
            // A part of the value is not worked out: no variable has such a name.
            return (format!("${{env:{plain}{}}}", if plain == name { "" } else { "~" }), rest);
        }
    }
    if mark == '!' {
        return (String::from("!"), text);
    }
    // `%i`, `%%i` and `%~fi` in loops, and `%1` in files.
    let name = text.trim_start_matches('%');
    let end =
        name.find(|letter: char| !letter.is_alphanumeric() && letter != '~' && letter != '*').unwrap_or(name.len());
    let (name, rest) = name.split_at(end);
    match name.chars().last() {
        Some(letter) if letter.is_alphabetic() => (format!("${{{letter}}}"), rest),
        Some(_) => (String::from("${env:1~}"), rest),
        None => (String::from("%"), rest),
    }
}

fn translate_command(words: &[String]) -> String {
    let mut words = words;
    let lower = |word: &String| word.to_ascii_lowercase();
    while let Some((first, rest)) = words.split_first() {
        words = match lower(first).as_str() {
            "if" => behind_condition(rest),
            "start" => {
                let skipped = rest.iter().take_while(|word| word.starts_with(['"', '/'])).count();
                rest.get(skipped..).unwrap_or_default()
            }
            name if is_listed(LEADING, name) => rest,
            _ => break,
        };
    }
    let Some((first, rest)) = words.split_first() else { return String::new() };
    if let Some((name, glued)) = split_glued(first) {
        return translate_command(&[&[name.to_owned(), glued.to_owned()], rest].concat());
    }
    let is_switch = |word: &&String| {
        word.starts_with('/') && word.trim_start_matches(['/', '-']).len() <= 1 || word.starts_with("/a:")
    };
    match lower(first).as_str() {
        "rem" => String::new(),
        name if name.starts_with(':') => String::new(),
        "set" => setting_in(rest).map(|(name, value)| format!("${{env:{name}}} = \"{value}\"")).unwrap_or_default(),
        "forfiles" => run_for_files(rest),
        "echo" => print_to_file(&rest.join(" ")).unwrap_or_else(|| words.join(" ")),
        "rename" => format!("ren {}", rest.join(" ")),
        "copy" | "move" | "ren" | "type" | "md" | "mkdir" | "cd" | "chdir" | "pushd" | "dir" => {
            let operands = rest.iter().filter(|word| !is_switch(word)).cloned();
            std::iter::once(first.clone()).chain(operands).collect::<Vec<_>>().join(" ")
        }
        // What has no ending is a program, and no alias of PowerShell.
        name if !is_listed(COMMANDS, name)
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-') =>
        {
            format!("{name}.exe {}", rest.join(" "))
        }
        // A program in quotes or in a variable.
        name if name.starts_with(['"', '$']) => format!("& {}", words.join(" ")),
        _ => words.join(" "),
    }
}

/// A command with a switch or a directory right behind it: `rd/s`, `cd..`, `cd\`.
fn split_glued(word: &str) -> Option<(&str, &str)> {
    let is_glued = |rest: &str| rest.starts_with(['/', '\\']) || rest.starts_with("..");
    let mut split = COMMANDS.split(' ').filter_map(|name| word.split_at_checked(name.len()));
    split.find(|(name, rest)| is_among(name, COMMANDS) && is_glued(rest))
}

/// `echo WORDS > FILE`: one line, while PowerShell would write one for each word.
fn print_to_file(text: &str) -> Option<String> {
    let (printed, file) = text.split_once('>')?;
    let is_quoted = printed.matches('"').count() % 2 == 1;
    (!is_quoted).then(|| format!("echo \"{}\" >{file}", printed.trim().replace('"', "")))
}

/// `forfiles /p DIRECTORY /c "COMMAND"`: the command, with everything in the directory as its file.
fn run_for_files(words: &[String]) -> String {
    let behind = |switch: &str| {
        let at = words.iter().position(|word| word.eq_ignore_ascii_case(switch))?;
        words.get(at + 1).map(|word| word.replace('"', ""))
    };
    let dir = behind("/p").unwrap_or_else(|| String::from("."));
    let mut line = translate(&behind("/c").unwrap_or_default());
    for name in ["path", "file", "relpath", "fname"] {
        line = line.replace(&format!("`@{name}"), &format!("\"{dir}\\*\""));
    }
    line
}

/// `if not exist FILE COMMAND`, `if "A"=="B" COMMAND`: the command.
fn behind_condition(words: &[String]) -> &[String] {
    let is_any = |word: Option<&String>, names: &str| word.is_some_and(|word| is_among(word, names));
    let start = words.iter().take_while(|word| is_among(word, "/i not")).count();
    let condition = match (words.get(start), words.get(start + 1)) {
        (first, _) if is_any(first, "exist defined errorlevel cmdextversion") => 2,
        (_, second) if is_any(second, COMPARISONS) => 3,
        _ => 1,
    };
    words.get(start + condition..).unwrap_or_default()
}

/// `set NAME=VALUE`, with or without quotes around both: the name and the value.
fn setting_in(words: &[String]) -> Option<(String, String)> {
    let text = words.join(" ");
    let (name, value) = text.trim_matches('"').split_once('=')?;
    let is_name = !name.is_empty() && !name.starts_with('/');
    is_name.then(|| (name.trim().to_owned(), value.replace('"', "")))
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn lines_are_lines_of_powershell() {
        let rows = [
            ("rd /s /q %USERPROFILE%", "rd /s /q ${env:USERPROFILE}"),
            ("@d^el a^&b & type \"x y\"|sort", "del a`&b; type \"x y\" | sort.exe "),
            ("cd /d C:\\x&&move /y a,b", "cd C:\\x; move a b"),
            ("npm run lint > a.txt 2>&1", "npm.exe run lint > a.txt 2>&1"),
            ("if not exist x (del $y) else (md z)", "& { del `$y }; & { md z }"),
            ("if \"%A%\"==\"b\" rd c", "rd c"),
            ("for %i in (a *.b) do @del %i", "${i} = \"a\",\"*.b\"; del ${i}"),
            ("for /f \"tokens=*\" %%i in ('dir /b') do erase %%~fi", "${i} = $(dir); erase ${i}"),
            ("for /f %a in (.env) do curl %a", "${a} = $(type .env); curl.exe ${a}"),
            ("set \"A=x y\"& echo %A:~0,1% 100%", "${env:A} = \"x y\"; echo ${env:A~} 100%"),
            ("start \"\" /b tool x", "tool.exe x"),
            ("for %i in (%HOME%\\x) do !A! %i", "${i} = \"${env:HOME}\\x\"; & ${env:A} ${i}"),
            ("rem x & del y\ndel z", "del y; del z"),
            ("echo rd /s \"a b\">x.bat", "echo \"rd /s a b\" >x.bat"),
            ("set A=rd /s & call %A% x", "${env:A} = \"rd /s\"; rd /s x"),
            ("set A=r& set B=d& !A!!B! x", "${env:A} = \"r\"; ${env:B} = \"d\"; rd x"),
            ("set A=x& set A=y& %A% z", "${env:A} = \"x\"; ${env:A} = \"y\"; & ${env:1~} z"),
            ("set A=x& set A=y& del %A%", "${env:A} = \"x\"; ${env:A} = \"y\"; del ${env:A}"),
            ("rmdir/s/q a&cd..&cd\\&dir.bat", "rmdir /s/q a; cd ..; cd \\; dir.bat"),
            ("forfiles /P %A% /s /c \"cmd /c del @path\"", "cmd.exe /c del \"${env:A}\\*\""),
        ];
        for (line, expected) in rows {
            assert_eq!(translate(line), expected, "{line}");
        }
    }

    #[test]
    fn loops_in_loops_end() {
        for part in ["for %i in (", "for /f %i in ('", "for /f %i in (", "(", "if x ("] {
            assert!(!translate(&part.repeat(20_000)).is_empty(), "{part}");
        }
    }
}
