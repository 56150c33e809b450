//! The rules of `make`.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use super::tasks::{TaskFile, TaskRecipe, find_file, named_file, stem_of};
use super::wrappers::assignment_of;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};

/// The deepest nesting of variables.
const MAX_DEPTH: usize = 24;
/// The longest text that variables come to.
const MAX_TEXT: usize = 16 * 1024;
/// The most texts that are expanded for one text.
const MAX_EXPANSIONS: usize = 2048;
/// The deepest nesting of files that include each other.
const MAX_INCLUDES: usize = 4;

/// `make`: the recipes of its targets and of what these need.
pub(super) fn run_make(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for dir in parsed.values("C", "directory") {
        walk.enter_directory(dir);
    }
    let mut file = TaskFile::default();
    let (set, goals): (Vec<&ShellArg>, Vec<&ShellArg>) =
        parsed.operands.iter().partition(|operand| operand.text.contains('='));
    let given: Vec<(String, String)> = set
        .iter()
        .filter_map(|operand| operand.text.split_once('='))
        .map(|(name, value)| (name.trim_end_matches([':', '?', '+']).to_owned(), value.to_owned()))
        .collect();
    // Rules run programs by these variables.
    for (name, value) in set.iter().filter_map(|operand| assignment_of(operand)) {
        walk.set_variable(&name, vec![value]);
    }
    let value = |wanted: &str| given.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value);
    walk.run_line(&format!("{} {}", value("SHELL"), value(".SHELLFLAGS")), &TextFlow::default());
    file.exported.extend(given.iter().map(|(name, _)| name.clone()));
    let mut reader = MakeReader { file, given: given.into_iter().collect(), include_depth: 0 };
    // They are expanded for the environment of each recipe.
    for assignment in set.iter().filter(|assignment| assignment.text.contains(['$', '!'])) {
        let (name, value) = assignment.text.split_once('=').unwrap_or_default();
        let operator = if name.ends_with([':', '!']) { "=" } else { ":=" };
        reader.read(walk, None, &format!("{name}{operator}{value}"));
    }
    let evaluated: Vec<ShellArg> = parsed.values("E", "eval").cloned().collect();
    for text in evaluated {
        if text.text.contains("$(eval") && text.text.contains("$(shell") {
            walk.push_code(TextTaint::DECODED, call.name, "it evaluates the output of a command");
        }
        if !text.is_known() {
            walk.push_code(text.taint, call.name, "it evaluates a text that is not known");
        }
        reader.read(walk, None, &text.text);
    }
    let named: Vec<ShellArg> = parsed.values("f", "file").chain(parsed.values("", "makefile")).cloned().collect();
    let found: Vec<(Option<Rc<Path>>, Rc<str>)> = if named.is_empty() {
        let usual = find_file(walk, &["GNUmakefile", "makefile", "Makefile"], false);
        usual.into_iter().map(|(path, text)| (Some(path), text)).collect()
    } else {
        named.iter().flat_map(|name| named_file(walk, call, name)).collect()
    };
    for (path, text) in found {
        reader.read(walk, path.as_ref(), &text);
    }
    if ["n", "q", "t", "v", "h"].iter().any(|letter| parsed.has(letter, "")) || parsed.has("", "dry-run") {
        return TextFlow::from_taint(TextTaint::OUTPUT);
    }
    let MakeReader { mut file, given, .. } = reader;
    file.variables.extend(given);
    let is_goal =
        |task: &&TaskRecipe| task.names.first().is_some_and(|name| !name.starts_with('.') && !name.contains('%'));
    let first = || file.tasks.iter().find(is_goal).and_then(|task| task.names.first());
    let default = file.variables.get(".DEFAULT_GOAL").or_else(first).cloned();
    let goals: Vec<String> = if goals.is_empty() {
        default.into_iter().collect()
    } else {
        goals.iter().map(|goal| goal.text.clone()).collect()
    };
    let mut done = Vec::new();
    for goal in goals {
        file.run(walk, &goal, &[], fill_recipe, &mut done);
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

fn fill_recipe(walk: &mut CommandWalk<'_>, file: &TaskFile, bound: &HashMap<String, String>, text: &str) -> String {
    MakeText { walk, file, bound, count: &Cell::new(0) }.expand(text, 0)
}

struct MakeReader {
    file: TaskFile,
    /// Variables of the command line, which a file does not change.
    given: HashMap<String, String>,
    include_depth: usize,
}

impl MakeReader {
    /// Reads the text of a Makefile, and runs what `make` runs as it reads it.
    fn read(&mut self, walk: &mut CommandWalk<'_>, path: Option<&Rc<Path>>, text: &str) {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        // The rules whose recipe follows.
        let mut open = 0_usize;
        while let Some((number, first)) = lines.next() {
            let mut line = first.to_owned();
            while line.ends_with('\\') {
                let Some((_, more)) = lines.next() else { break };
                line.push('\n');
                line.push_str(more);
            }
            let prefix = self.file.variables.get(".RECIPEPREFIX").and_then(|value| value.chars().next());
            if let Some(recipe) = line.strip_prefix(prefix.unwrap_or('\t')).filter(|_| open > 0) {
                let from = self.file.tasks.len() - open;
                for task in self.file.tasks.iter_mut().skip(from) {
                    task.lines.push((number, recipe.to_owned()));
                }
                continue;
            }
            let line = line.replace("\\\n", " ");
            let line = line.split_once(" #").map_or(line.as_str(), |(line, _)| line).trim();
            let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            match word {
                "" => {}
                _ if line.starts_with('#') => {}
                "define" => {
                    let name = rest.split([' ', '=', ':']).next().unwrap_or_default().to_owned();
                    let body = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "endef");
                    let body: Vec<&str> = body.collect();
                    self.file.variables.insert(name, body.join("\n"));
                }
                "include" | "-include" | "sinclude" => {
                    for name in self.expand_now(walk, path, rest).split_whitespace() {
                        self.include(walk, name);
                    }
                }
                "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif" | "endef" | "vpath" | "undefine"
                | "unexport" => {
                    self.expand_now(walk, path, rest);
                }
                _ => {
                    let is_exported = word == "export";
                    let plain = if matches!(word, "export" | "override" | "private") { rest.trim() } else { line };
                    if is_exported && !plain.contains('=') {
                        self.file.exported.extend(plain.split_whitespace().map(str::to_owned));
                    } else if !self.assign(walk, path, plain, is_exported) {
                        open = self.add_rule(walk, path, number, plain).unwrap_or(open);
                    }
                }
            }
        }
    }

    fn include(&mut self, walk: &mut CommandWalk<'_>, name: &str) {
        let Some(path) = walk.code_path(&ShellArg::new(name)) else { return };
        if self.include_depth >= MAX_INCLUDES {
            walk.push_unknown("make", "its files include each other too deeply");
        } else if let Some(text) = walk.file_text(&path) {
            self.include_depth += 1;
            self.read(walk, Some(&path), &text);
            self.include_depth -= 1;
        }
    }

    /// The value of a text where it is read.
    fn expand_now(&self, walk: &mut CommandWalk<'_>, path: Option<&Rc<Path>>, text: &str) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let mut expanded = String::new();
        let mut expand = |walk: &mut CommandWalk<'_>| {
            expanded = MakeText { walk, file: &self.file, bound: &self.given, count: &Cell::new(0) }.expand(text, 0);
        };
        match path {
            Some(path) => drop(walk.in_file(path, "", |walk, _| {
                expand(walk);
                TextFlow::default()
            })),
            None => expand(walk),
        }
        expanded
    }

    /// `NAME = value`. Returns whether the line is one.
    fn assign(&mut self, walk: &mut CommandWalk<'_>, path: Option<&Rc<Path>>, line: &str, is_exported: bool) -> bool {
        let Some((name, value)) = line.split_once('=') else { return false };
        let operator = name.get(name.trim_end_matches([':', '?', '+', '!']).len()..).unwrap_or_default();
        let name = name.trim_end_matches([':', '?', '+', '!']).trim();
        if name.is_empty() || name.contains([' ', '\t', ':', '#']) {
            return false;
        }
        let name = self.expand_now(walk, path, name);
        let value = value.trim();
        let value = match operator {
            "!" => self.expand_now(walk, path, &format!("$(shell {value})")),
            ":" | "::" => self.expand_now(walk, path, value),
            _ => value.to_owned(),
        };
        let known = self.file.variables.get(&name).cloned();
        let value = match (operator, known) {
            ("?", Some(known)) => known,
            ("+", Some(known)) => format!("{known} {value}"),
            _ => value,
        };
        if name == "SHELL" {
            let mut words = value.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
            self.file.shell = words.rfind(|word| !word.starts_with('-')).unwrap_or_default().to_owned();
        }
        if is_exported {
            self.file.exported.push(name.clone());
        }
        self.file.variables.insert(name, value);
        true
    }

    /// `TARGETS: NEEDS ; RECIPE`. Returns how many rules the line adds, whose recipe may follow.
    fn add_rule(
        &mut self,
        walk: &mut CommandWalk<'_>,
        path: Option<&Rc<Path>>,
        number: usize,
        line: &str,
    ) -> Option<usize> {
        let (head, recipe) = line.split_once(';').map_or((line, None), |(head, recipe)| (head, Some(recipe)));
        let head = self.expand_now(walk, path, head);
        let (targets, needs) = head.split_once(':')?;
        let needs = needs.trim_start_matches(':');
        if let Some((name, value)) = needs.split_once('=') {
            // A variable of a target.
            let name = name.trim_end_matches([':', '?', '+', ' ']).trim();
            self.file.variables.entry(name.to_owned()).or_insert_with(|| value.trim().to_owned());
            return None;
        }
        // `TARGETS: PATTERN: NEEDS`.
        let needs = needs.rsplit_once(':').map_or(needs, |(_, needs)| needs);
        self.file.is_one_shell |= targets.trim() == ".ONESHELL";
        let task = TaskRecipe {
            names: targets.split_whitespace().map(str::to_owned).collect(),
            needs: needs.split_whitespace().filter(|need| *need != "|").map(str::to_owned).collect(),
            lines: recipe.map(|recipe| (number, recipe.to_owned())).into_iter().collect(),
            path: path.cloned(),
            ..TaskRecipe::default()
        };
        self.file.tasks.push(task);
        Some(1)
    }
}

/// Expands the variables and functions of `make` in a text for the shell.
struct MakeText<'a, 's> {
    walk: &'a mut CommandWalk<'s>,
    file: &'a TaskFile,
    bound: &'a HashMap<String, String>,
    /// How many texts were expanded.
    count: &'a Cell<usize>,
}

impl<'s> MakeText<'_, 's> {
    fn expand(&mut self, text: &str, depth: usize) -> String {
        let mut expanded = String::new();
        self.count.set(self.count.get() + 1);
        if depth > MAX_DEPTH || self.count.get() > MAX_EXPANSIONS {
            self.walk.push_unknown("make", "its variables are nested too deeply");
            return expanded;
        }
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            expanded.push_str(before);
            let Some(letter) = behind.chars().next() else { break };
            let after = behind.get(letter.len_utf8()..).unwrap_or_default();
            rest = after;
            match letter {
                '$' => expanded.push('$'),
                '(' | '{' => {
                    let (inner, behind) = split_reference(after, letter);
                    expanded.push_str(&self.refer(inner, depth + 1));
                    rest = behind;
                }
                letter => expanded.push_str(&self.refer(&letter.to_string(), depth + 1)),
            }
            if expanded.len() > MAX_TEXT {
                self.walk.push_unknown("make", "its variables come to more than can be looked at");
                return expanded;
            }
        }
        expanded.push_str(rest);
        expanded
    }

    /// With other values of the names that a function gives.
    fn bind<'b>(&'b mut self, bound: &'b HashMap<String, String>) -> MakeText<'b, 's> {
        MakeText { walk: self.walk, file: self.file, bound, count: self.count }
    }

    /// What `$(inner)` stands for: a function or a variable.
    fn refer(&mut self, inner: &str, depth: usize) -> String {
        let inner = if inner.contains('$') && !inner.starts_with("foreach ") {
            self.expand(inner, depth)
        } else {
            inner.to_owned()
        };
        if let Some((function, rest)) = inner
            .split_once([' ', '\t'])
            .filter(|(word, _)| word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'))
        {
            return self.call(function, rest.trim_start(), depth);
        }
        let (name, pattern) =
            inner.split_once(':').map_or((inner.as_str(), None), |(name, rest)| (name, rest.split_once('=')));
        let value = self.variable(name, depth);
        match pattern {
            Some((from, to)) if !from.contains('%') => replace_words(&value, &format!("%{from}"), &format!("%{to}")),
            Some((from, to)) => replace_words(&value, from, to),
            None => value,
        }
    }

    fn variable(&mut self, name: &str, depth: usize) -> String {
        let known = self.bound.get(name).or_else(|| self.file.variables.get(name)).cloned();
        match (known, name) {
            (Some(value), _) => self.expand(&value, depth + 1),
            (None, "CURDIR") => self.walk.cwd().map_or_else(|| String::from("."), |cwd| cwd.display().to_string()),
            (None, "MAKE") => String::from("make"),
            (None, "RM") => String::from("rm -f"),
            (None, "MAKEFILE_LIST") => String::from("Makefile"),
            // One of the environment, or none.
            (None, name) if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
                format!("${{{name}}}")
            }
            _ => String::new(),
        }
    }

    fn call(&mut self, function: &str, rest: &str, depth: usize) -> String {
        let mut args = rest.splitn(3, ',').map(str::trim);
        let (first, second, third) =
            (args.next().unwrap_or_default(), args.next().unwrap_or_default(), args.next().unwrap_or_default());
        let each = |words: &str, change: &dyn Fn(&str) -> String| {
            words.split_whitespace().map(change).collect::<Vec<_>>().join(" ")
        };
        match function {
            "shell" => {
                self.walk.in_new_shell(|walk| walk.run_line(rest, &TextFlow::default()));
                format!("$({rest})")
            }
            "info" | "warning" | "error" | "eval" => String::new(),
            "subst" => third.replace(first, second),
            "patsubst" => replace_words(third, first, second),
            "addprefix" => each(second, &|word| format!("{first}{word}")),
            "addsuffix" => each(second, &|word| format!("{word}{first}")),
            "dir" => each(rest, &|word| {
                word.rsplit_once('/').map_or_else(|| String::from("./"), |(dir, _)| format!("{dir}/"))
            }),
            "notdir" => each(rest, &|word| word.rsplit('/').next().unwrap_or(word).to_owned()),
            "foreach" => {
                let (name, words) = (self.expand(first, depth + 1), self.expand(second, depth + 1));
                let texts = words.split_whitespace().map(|word| {
                    let bound: HashMap<String, String> =
                        self.bound.clone().into_iter().chain([(name.clone(), word.to_owned())]).collect();
                    self.bind(&bound).expand(third, depth + 1)
                });
                texts.collect::<Vec<_>>().join(" ")
            }
            "call" => {
                let mut bound = self.bound.clone();
                bound
                    .extend(rest.split(',').enumerate().map(|(index, arg)| (index.to_string(), arg.trim().to_owned())));
                let body = self.file.variables.get(first).cloned().unwrap_or_default();
                self.bind(&bound).expand(&body, depth + 1)
            }
            "if" => format!("{second} {third}"),
            "filter" | "filter-out" | "sort" | "strip" | "wildcard" | "abspath" | "realpath" | "firstword"
            | "lastword" | "or" | "and" | "basename" | "value" => {
                rest.rsplit(',').next().unwrap_or_default().trim().to_owned()
            }
            _ => String::from("${_}"),
        }
    }
}

/// Splits a text behind an opening bracket at the closing one.
fn split_reference(text: &str, open: char) -> (&str, &str) {
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 0_usize;
    for (index, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close && depth == 0 {
            return (text.get(..index).unwrap_or_default(), text.get(index + 1..).unwrap_or_default());
        } else if letter == close {
            depth -= 1;
        }
    }
    (text, "")
}

fn replace_words(words: &str, from: &str, to: &str) -> String {
    let change = |word: &str| stem_of(from, word).map_or_else(|| word.to_owned(), |stem| to.replace('%', &stem));
    words.split_whitespace().map(change).collect::<Vec<_>>().join(" ")
}
