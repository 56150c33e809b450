//! The recipes of `just`, and the tasks of a `Taskfile.yml`.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use super::tasks::{LineFiller, TaskFile, TaskRecipe, find_file, named_file};
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};

/// A part of a text that cannot be known, for the shell.
const UNKNOWN_TEXT: &str = "${_}";
/// The deepest nesting of variables.
const MAX_DEPTH: usize = 8;

/// `just` and `task`.
pub(super) fn run_recipes(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_just = call.name == "just";
    let names: &[&str] = if is_just {
        &["justfile", "Justfile", ".justfile"]
    } else {
        &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"]
    };
    let named = parsed.values("f", "justfile").chain(parsed.values("t", "taskfile")).next().cloned();
    if let Some(dir) = parsed.values("d", "working-directory").chain(parsed.values("", "dir")).next() {
        walk.enter_directory(dir);
    }
    let found = match named {
        Some(name) => named_file(walk, call, &name),
        None => find_file(walk, names, true).into_iter().map(|(path, text)| (Some(path), text)).collect(),
    };
    for (path, text) in found {
        let file =
            if is_just { read_justfile(walk, path.as_ref(), &text) } else { read_taskfile(path.as_ref(), &text) };
        let fill: LineFiller = fill_recipe;
        if let Some(dir) = path.as_deref().and_then(Path::parent) {
            walk.enter_directory(&ShellArg::new(dir.to_string_lossy()));
        }
        let mut words: Vec<String> = Vec::new();
        let mut behind: Vec<String> = Vec::new();
        for (index, operand) in parsed.operands.iter().enumerate() {
            let is_behind = !is_just && index > 0 && call.args.iter().any(|arg| arg.text == "--");
            if is_behind { behind.push(operand.text.clone()) } else { words.push(operand.text.clone()) }
        }
        let first = || file.tasks.first().and_then(|task| task.names.first()).cloned();
        let default = if is_just { first() } else { Some(String::from("default")) };
        let mut done = Vec::new();
        let mut words = words.into_iter().filter(|word| !word.contains('=')).peekable();
        if words.peek().is_none() {
            file.run(walk, &default.unwrap_or_default(), &behind, fill, &mut done);
        }
        while let Some(name) = words.next() {
            let count = file.find(&name).map_or(0, |task| task.parameters.len());
            let args: Vec<String> = words.by_ref().take(count).chain(behind.iter().cloned()).collect();
            file.run(walk, &name, &args, fill, &mut done);
        }
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

/// Fills in `{{NAME}}` and `{{.NAME}}`.
fn fill_recipe(walk: &mut CommandWalk<'_>, file: &TaskFile, bound: &HashMap<String, String>, text: &str) -> String {
    let mut filled = text.to_owned();
    for _ in 0..MAX_DEPTH {
        let Some((before, rest)) = filled.split_once("{{") else { break };
        let Some((inner, after)) = rest.split_once("}}") else { break };
        let name = inner.trim().trim_start_matches('.');
        let value = bound.get(name).or_else(|| file.variables.get(name)).cloned();
        let value = value.unwrap_or_else(|| evaluate(walk, inner.trim(), &HashMap::new()));
        filled = format!("{before}{value}{after}");
    }
    filled.replace("{{", UNKNOWN_TEXT)
}

/// The value of an expression of `just`: texts, variables and commands that are joined.
fn evaluate(walk: &mut CommandWalk<'_>, text: &str, variables: &HashMap<String, String>) -> String {
    let mut value = String::new();
    for (index, part) in text.split(" + ").flat_map(|part| part.split(" / ").enumerate()) {
        if index > 0 {
            value.push('/');
        }
        let part = part.trim();
        let quoted = |quote: char| part.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(text) = quoted('\'').or_else(|| quoted('"')) {
            value.push_str(text);
        } else if let Some(command) = quoted('`') {
            walk.in_new_shell(|walk| walk.run_line(command, &TextFlow::default()));
            value.push_str(&format!("$({command})"));
        } else if part == "justfile_directory()" || part == "invocation_directory()" {
            value.push_str("${PWD}");
        } else if let Some(name) = part.strip_prefix("env_var('").or_else(|| part.strip_prefix("env('")) {
            value.push_str(&format!("${{{}}}", name.split('\'').next().unwrap_or("_")));
        } else {
            value.push_str(variables.get(part).map_or(UNKNOWN_TEXT, String::as_str));
        }
    }
    value
}

fn read_justfile(walk: &mut CommandWalk<'_>, path: Option<&Rc<Path>>, text: &str) -> TaskFile {
    let mut file = TaskFile::default();
    read_just_text(walk, path, text, &mut file, 0);
    file
}

fn read_just_text(walk: &mut CommandWalk<'_>, path: Option<&Rc<Path>>, text: &str, file: &mut TaskFile, depth: usize) {
    for (index, line) in text.lines().enumerate() {
        if line.starts_with([' ', '\t']) {
            if let Some(task) = file.tasks.last_mut().filter(|_| !line.trim().is_empty()) {
                task.lines.push((index + 1, line.trim_start().to_owned()));
            }
            continue;
        }
        let line = line.trim_end();
        if let Some((name, value)) = line.split_once(":=") {
            let name = name.trim().trim_start_matches("export ").trim_start_matches("alias ").trim();
            let value = value.trim();
            if line.starts_with("alias ") {
                if let Some(task) = file.tasks.iter_mut().find(|task| task.names.iter().any(|known| known == value)) {
                    task.names.push(name.to_owned());
                }
            } else if let Some(shell) = name.strip_prefix("set shell").map(|_| value) {
                file.shell =
                    shell.trim_start_matches(['[', '"', '\'']).split(['"', '\'']).next().unwrap_or_default().to_owned();
            } else {
                let mut value_now = String::new();
                let mut run = |walk: &mut CommandWalk<'_>| value_now = evaluate(walk, value, &file.variables);
                match path {
                    Some(path) => drop(walk.in_file(path, "", |walk, _| {
                        run(walk);
                        TextFlow::default()
                    })),
                    None => run(walk),
                }
                if line.starts_with("export ") {
                    file.exported.push(name.to_owned());
                }
                file.variables.insert(name.to_owned(), value_now);
            }
        } else if let Some(name) = line.strip_prefix("import ").filter(|_| depth < MAX_DEPTH) {
            let name = ShellArg::new(name.trim().trim_matches(['\'', '"']));
            if let Some((path, text)) =
                walk.code_path(&name).and_then(|path| Some((Rc::clone(&path), walk.file_text(&path)?)))
            {
                read_just_text(walk, Some(&path), &text, file, depth + 1);
            }
        } else if let Some((head, needs)) = line.split_once(':').filter(|(head, _)| !head.starts_with(['#', '['])) {
            let mut words = head.trim_start_matches('@').split_whitespace();
            let names = words.next().map(str::to_owned).into_iter().collect();
            let parameter = |word: &str| {
                let (name, default) = word.split_once('=').unwrap_or((word, ""));
                let default = evaluate(walk, default, &file.variables);
                (name.trim_start_matches(['+', '*', '$']).to_owned(), default)
            };
            let parameters = words.map(parameter).collect();
            let needs =
                needs.split(['(', ')', ' ', '&']).filter(|need| !need.is_empty() && !need.starts_with(['"', '\'']));
            let needs = needs.map(str::to_owned).collect();
            file.tasks.push(TaskRecipe { names, needs, parameters, path: path.cloned(), ..TaskRecipe::default() });
        }
    }
}

fn read_taskfile(path: Option<&Rc<Path>>, text: &str) -> TaskFile {
    let mut file = TaskFile::default();
    let mut section = "";
    let mut key = String::new();
    // The indentation of the names of tasks, and of a text of several lines.
    let (mut task_indent, mut block_indent) = (None, None);
    for (index, line) in text.lines().enumerate() {
        let plain = line.trim();
        let indent = line.len() - line.trim_start().len();
        if plain.is_empty() || plain.starts_with('#') {
            continue;
        }
        if indent == 0 {
            section = plain.split(':').next().unwrap_or_default();
            (task_indent, block_indent) = (None, None);
            continue;
        }
        let unquoted = |text: &str| text.trim().trim_matches(['\'', '"']).to_owned();
        if section != "tasks" {
            if let Some((name, value)) = plain.split_once(':').filter(|_| matches!(section, "vars" | "env")) {
                file.variables.insert(name.to_owned(), unquoted(value));
            }
            continue;
        }
        if *task_indent.get_or_insert(indent) == indent {
            let (name, inline) = plain.split_once(':').unwrap_or((plain, ""));
            let items = inline.trim().trim_start_matches('[').trim_end_matches(']');
            let lines =
                items.split("', '").flat_map(|item| item.split("\", \"")).map(unquoted).filter(|item| !item.is_empty());
            let lines = lines.map(|item| (index + 1, item)).collect();
            file.tasks.push(TaskRecipe {
                names: vec![unquoted(name)],
                lines,
                path: path.cloned(),
                ..TaskRecipe::default()
            });
            (key, block_indent) = (String::new(), None);
            continue;
        }
        let Some(task) = file.tasks.last_mut() else { continue };
        if block_indent.is_some_and(|block| indent > block) {
            if let Some((_, text)) = task.lines.last_mut() {
                text.push('\n');
                text.push_str(plain);
            }
            continue;
        }
        block_indent = None;
        let (is_item, rest) = plain.strip_prefix("- ").map_or((false, plain), |rest| (true, rest.trim()));
        let word = rest.split_once(':').map(|(word, value)| (word.trim(), value.trim()));
        let value = match word {
            Some((word @ ("cmd" | "sh" | "defer"), value)) => {
                let _ = word;
                value
            }
            Some(("task", value)) => {
                task.needs.push(unquoted(value));
                continue;
            }
            Some((
                word @ ("cmds" | "deps" | "vars" | "env" | "sources" | "generates" | "status" | "preconditions"),
                value,
            )) if !is_item => {
                key = word.to_owned();
                if word == "deps" {
                    let names = value.trim_matches(['[', ']']).split(',').map(unquoted).filter(|name| !name.is_empty());
                    task.needs.extend(names);
                }
                continue;
            }
            Some((name, value)) if !is_item => {
                if matches!(key.as_str(), "vars" | "env") {
                    file.variables.insert(name.to_owned(), unquoted(value));
                }
                continue;
            }
            _ => rest,
        };
        if matches!(value, "|" | ">" | "|-" | ">-") {
            block_indent = Some(indent);
            task.lines.push((index + 1, String::new()));
        } else if is_item && key == "deps" {
            task.needs.push(unquoted(value));
        } else if is_item && matches!(key.as_str(), "cmds" | "status" | "preconditions")
            || word.is_some_and(|(word, _)| word == "sh")
        {
            let quote = value.chars().next().filter(|first| matches!(first, '\'' | '"') && value.ends_with(*first));
            let text = quote.and_then(|quote| value.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(value);
            task.lines.push((index + 1, text.to_owned()));
        }
    }
    file
}
