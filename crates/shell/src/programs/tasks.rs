//! Programs that run the named tasks of a file, such as `make` and `npm run`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::Value;

use super::shells;
use crate::code;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, quote};

/// The most tasks that run.
const MAX_TASKS: usize = 64;
/// How far up a file of tasks is looked for.
const MAX_PARENTS: usize = 6;

/// A file of tasks.
#[derive(Default)]
pub(super) struct TaskFile {
    pub(super) variables: HashMap<String, String>,
    pub(super) tasks: Vec<TaskRecipe>,
    /// Variables that programs get.
    pub(super) exported: Vec<String>,
    /// The program that runs the lines; a shell if empty.
    pub(super) shell: String,
    /// Whether the lines of a task run in one shell.
    pub(super) is_one_shell: bool,
}

/// A named task: what runs before it, and its lines.
#[derive(Clone, Default)]
pub(super) struct TaskRecipe {
    pub(super) names: Vec<String>,
    /// The tasks that run before.
    pub(super) needs: Vec<String>,
    /// The names of its arguments, with their default values.
    pub(super) parameters: Vec<(String, String)>,
    /// Each with its number, as written.
    pub(super) lines: Vec<(usize, String)>,
    /// The file that it is in, if it is one of the disk.
    pub(super) path: Option<Rc<Path>>,
}

/// How the lines of a kind of file are filled in: the variables, and what is bound for one task.
pub(super) type LineFiller = fn(&mut CommandWalk<'_>, &TaskFile, &HashMap<String, String>, &str) -> String;

impl TaskFile {
    pub(super) fn find(&self, name: &str) -> Option<&TaskRecipe> {
        self.tasks.iter().find(|task| task.names.iter().any(|known| known == name))
    }

    /// Runs a task behind those that it needs, each once.
    pub(super) fn run(
        &self,
        walk: &mut CommandWalk<'_>,
        name: &str,
        args: &[String],
        fill: LineFiller,
        done: &mut Vec<String>,
    ) {
        if done.len() >= MAX_TASKS || done.iter().any(|known| known == name) {
            return;
        }
        done.push(name.to_owned());
        let tasks: Vec<(&TaskRecipe, String)> = find_rules(&self.tasks, name);
        for (task, stem) in &tasks {
            let mut bound: HashMap<String, String> = automatic_variables(name, stem, &task.needs);
            let given = args.iter().cloned().map(Some).chain(std::iter::repeat(None));
            bound.extend(
                task.parameters
                    .iter()
                    .zip(given)
                    .map(|((name, default), arg)| (name.clone(), arg.unwrap_or_else(|| default.clone()))),
            );
            bound.insert(String::from("CLI_ARGS"), args.join(" "));
            for need in &task.needs {
                self.run(walk, &need.replace('%', stem), &[], fill, done);
            }
            let run = |walk: &mut CommandWalk<'_>| self.run_lines(walk, task, &bound, fill);
            match &task.path {
                Some(path) => {
                    walk.in_file(path, "", |walk, _| {
                        run(walk);
                        TextFlow::default()
                    });
                }
                None => run(walk),
            }
        }
    }

    fn run_lines(
        &self,
        walk: &mut CommandWalk<'_>,
        task: &TaskRecipe,
        bound: &HashMap<String, String>,
        fill: LineFiller,
    ) {
        let whole = |(number, first): &(usize, String)| {
            let rest = task.lines.iter().skip(1).map(|(_, line)| line.as_str());
            (*number, std::iter::once(first.as_str()).chain(rest).collect::<Vec<_>>().join("\n"))
        };
        let is_script = task.lines.first().is_some_and(|(_, line)| line.trim_start().starts_with("#!"));
        let lines = match task.lines.first() {
            Some(first) if self.is_one_shell || is_script => vec![whole(first)],
            _ => task.lines.clone(),
        };
        for (number, line) in lines {
            walk.note_line(number);
            let text = fill(walk, self, bound, &line);
            let program =
                if is_script { shells::interpreter_of(text.trim_start(), Path::new("")) } else { self.shell.as_str() };
            if program.is_empty() || shells::is_shell(program) {
                let plain = |line: &str| line.trim_start().trim_start_matches(['@', '-', '+', ' ']).to_owned();
                let text = text.split('\n').map(plain).collect::<Vec<_>>().join("\n");
                walk.in_new_shell(|walk| {
                    for name in &self.exported {
                        let value = self.variables.get(name).cloned().unwrap_or_default();
                        let value = fill(walk, self, bound, &value);
                        walk.set_variable(name, vec![ShellArg::new(value)]);
                    }
                    walk.run_line(&text, &TextFlow::default())
                });
            } else {
                code::read_code(walk, program, &text, &TextFlow::default());
            }
        }
    }
}

/// The rules of a target, each with what `%` stands for in it.
fn find_rules<'t>(tasks: &'t [TaskRecipe], name: &str) -> Vec<(&'t TaskRecipe, String)> {
    let exact: Vec<(&TaskRecipe, String)> = tasks
        .iter()
        .filter(|task| task.names.iter().any(|known| known == name))
        .map(|task| (task, String::new()))
        .collect();
    let by_pattern =
        || tasks.iter().find_map(|task| Some((task, task.names.iter().find_map(|pattern| stem_of(pattern, name))?)));
    match exact.iter().any(|(task, _)| !task.lines.is_empty()) {
        true => exact,
        false => exact.into_iter().chain(by_pattern()).collect(),
    }
}

/// What `%` stands for if a name has the form of a pattern.
pub(super) fn stem_of(pattern: &str, name: &str) -> Option<String> {
    let (before, after) = pattern.split_once('%')?;
    Some(name.strip_prefix(before)?.strip_suffix(after)?.to_owned())
}

/// `$@`, `$<`, `$^`, `$*` of a recipe.
fn automatic_variables(name: &str, stem: &str, needs: &[String]) -> HashMap<String, String> {
    let needs: Vec<String> = needs.iter().map(|need| need.replace('%', stem)).collect();
    let dir = name.rsplit_once('/').map_or(".", |(dir, _)| dir);
    let rows = [
        ("@", name.to_owned()),
        ("*", stem.to_owned()),
        ("<", needs.first().cloned().unwrap_or_default()),
        ("^", needs.join(" ")),
        ("+", needs.join(" ")),
        ("?", needs.join(" ")),
        ("@D", dir.to_owned()),
        ("@F", name.rsplit('/').next().unwrap_or(name).to_owned()),
    ];
    rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The text of the first of these files in the working directory; also in those above it.
pub(super) fn find_file(walk: &mut CommandWalk<'_>, names: &[&str], above: bool) -> Option<(Rc<Path>, Rc<str>)> {
    walk.site.files?;
    let cwd: PathBuf = walk.cwd()?.to_owned();
    let dirs = cwd.ancestors().take(if above { MAX_PARENTS } else { 1 });
    for path in dirs.flat_map(|dir| names.iter().map(move |name| dir.join(name))) {
        let path = walk.code_path(&ShellArg::new(path.to_string_lossy()));
        if let Some((path, text)) = path.and_then(|path| Some((Rc::clone(&path), walk.file_text(&path)?))) {
            return Some((path, text));
        }
    }
    None
}

/// A file that an option names: as the line wrote it, with its input for `-`, or as it is on the disk.
pub(super) fn named_file(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    name: &ShellArg,
) -> Vec<(Option<Rc<Path>>, Rc<str>)> {
    let is_input = matches!(name.text.as_str(), "-" | "/dev/stdin");
    let flow = if is_input { Some(call.stdin.clone()) } else { walk.code_of(name) };
    let Some(flow) = flow else { return Vec::new() };
    if is_input && flow.text.is_none() && flow.taint != TextTaint::NONE {
        walk.push_code(flow.taint, call.name, "it runs the rules in its input");
    }
    let written = flow.text.map(|text| (None, Rc::from(text)));
    let on_disk = flow.files.into_iter().filter_map(|path| Some((Some(Rc::clone(&path)), walk.file_text(&path)?)));
    written.into_iter().chain(on_disk).collect()
}

/// What managers of packages run of the scripts of a project: the words of the call, and the scripts.
const LIFE_SCRIPTS: &[(&str, &[&str])] = &[
    ("install i ci add", &["preinstall", "install", "postinstall", "prepare"]),
    ("publish pack", &["prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"]),
    ("version", &["preversion", "version", "postversion"]),
    ("t tst", &["pretest", "test", "posttest"]),
    ("restart", &["prestop", "stop", "poststop", "prestart", "start", "poststart"]),
];

/// `npm run X`, `yarn X`, `deno task X`, and the like.
pub(super) fn run_scripts(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    // Which of several packages is meant is not known.
    let is_elsewhere = ["workspace", "filter", "workspaces", "recursive"].iter().any(|name| parsed.has("", name));
    let mut operands = parsed.operands.iter().map(|operand| operand.text.as_str());
    let all = matches!(call.name, "run-s" | "run-p" | "npm-run-all" | "npm-run-all2");
    let mut wanted: Vec<&str> = match operands.next().filter(|_| !is_elsewhere) {
        Some(first) if all => std::iter::once(first).chain(operands.by_ref()).collect(),
        Some("run" | "run-script" | "rum" | "urn" | "task") => operands.next().into_iter().collect(),
        Some("workspace" | "workspaces" | "dlx" | "exec" | "x") => return TextFlow::from_taint(TextTaint::OUTPUT),
        Some(word) => vec![word],
        None if call.name == "yarn" && !is_elsewhere => vec!["install"],
        None => return TextFlow::from_taint(TextTaint::OUTPUT),
    };
    if let Some((_, scripts)) = LIFE_SCRIPTS
        .iter()
        .find(|(words, _)| wanted.first().is_some_and(|wanted| words.split(' ').any(|word| word == *wanted)))
    {
        wanted = scripts.to_vec();
    }
    let rest: String = operands.map(|operand| format!(" {}", quote(operand))).collect();
    let named = ["prefix", "dir", "cwd", "working-dir"].into_iter().flat_map(|name| parsed.values("C", name));
    let short = parsed.values("d", "").filter(|_| call.name == "composer");
    if let Some(dir) = named.chain(short).next() {
        // What a package manager fetches is written there.
        walk.push_made_directory(call.name, dir);
        walk.enter_directory(dir);
    }
    let names: &[&str] = match call.name {
        "deno" => &["deno.json", "deno.jsonc"],
        "composer" => &["composer.json"],
        _ => &["package.json"],
    };
    let Some((path, text)) = find_file(walk, names, true) else { return TextFlow::from_taint(TextTaint::OUTPUT) };
    let Ok(package) = serde_json::from_str::<Value>(&text) else { return TextFlow::from_taint(TextTaint::OUTPUT) };
    let Some(Value::Object(scripts)) = package.get(if call.name == "deno" { "tasks" } else { "scripts" }) else {
        return TextFlow::from_taint(TextTaint::OUTPUT);
    };
    if let Some(dir) = path.parent() {
        walk.enter_directory(&ShellArg::new(dir.to_string_lossy()));
    }
    for name in wanted {
        for stage in [format!("pre{name}"), name.to_owned(), format!("post{name}")] {
            let lines: Vec<&str> = match scripts.get(&stage) {
                Some(Value::String(line)) => vec![line],
                Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
                _ => continue,
            };
            let rest = if stage == name { rest.as_str() } else { "" };
            walk.in_file(&path, "", |walk, text| {
                let begin = text.find(&format!("\"{stage}\"")).unwrap_or_default();
                walk.note_line(text.get(..begin).map_or(1, |before| before.matches('\n').count() + 1));
                for line in lines {
                    walk.in_new_shell(|walk| walk.run_line(&format!("{line}{rest}"), &TextFlow::default()));
                }
                TextFlow::default()
            });
        }
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}
