//! Programs that find files, and programs that run another one for each of them.

use std::path::PathBuf;

use super::files;
use super::filter::SOME_NAME;
use super::find::{FindAction, FindExpression};
use super::table::facts_of;
use crate::OperationTag;
use crate::walk::{CommandWalk, ListedFiles, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, joined};
use crate::watch::WatchedFile;
use crate::word_lists::is_listed;

/// More values than a program may have arguments.
const MAX_VALUES: usize = 2000;
/// The most runs for values that are known.
const MAX_RUNS: usize = 16;
/// The most watched files that a search is assumed to find.
const MAX_WATCHED: usize = 64;

pub(super) fn run_ls(walk: &mut CommandWalk<'_>, _: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_recursive = parsed.has("R", "recursive");
    let roots = if parsed.operands.is_empty() {
        vec![ShellArg::new("*")]
    } else {
        parsed.operands.iter().map(|arg| (*arg).clone()).collect()
    };
    // The name of a file that is watched is listed as it is.
    let named: Vec<ShellArg> = roots.iter().filter(|root| walk.is_watched(&walk.place(root))).cloned().collect();
    let named = named.into_iter().map(|root| ListedFiles { root, is_filtered: false, is_recursive });
    let listed = roots.iter().cloned().map(|root| {
        // What a directory has in it.
        let is_pattern = root.is_pattern || root.text == "*" || !parsed.has("d", "directory");
        let text = if root.is_pattern || root.text == "*" || parsed.has("d", "directory") {
            root.text.clone()
        } else {
            format!("{}/*", root.text.trim_end_matches('/'))
        };
        ListedFiles { root: ShellArg { text, is_pattern, ..root }, is_filtered: false, is_recursive }
    });
    TextFlow::listing(listed.chain(named).collect())
}

pub(super) fn run_locate(_: &mut CommandWalk<'_>, _: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    TextFlow::listing(vec![ListedFiles { root: ShellArg::new("/"), is_filtered: true, is_recursive: true }])
}

/// Conditions of `find` that select files.
const FIND_FILTERS: &str = "-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -newer -size -atime -amin \
                            -ctime -cmin -empty -user -group -perm -lname -inum -samefile -newermt -nouser";

pub(super) fn run_find(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let is_start = |arg: &&ShellArg| !arg.text.starts_with('-') && !matches!(arg.text.as_str(), "(" | "!" | ")");
    let mut args = call.args;
    while let [option, rest @ ..] = args {
        args = match option.text.as_str() {
            "-H" | "-L" | "-P" | "-E" | "-X" | "--" => rest,
            "-D" => rest.get(1..).unwrap_or_default(),
            text if text.starts_with("-O") => rest,
            _ => break,
        };
    }
    let mut starts: Vec<ShellArg> = args.iter().take_while(is_start).cloned().collect();
    let rest = args.get(starts.len()..).unwrap_or_default();
    let list = rest.iter().skip_while(|arg| arg.text != "-files0-from").nth(1);
    if let Some(list) = list {
        let flow = if list.text == "-" { call.stdin.clone() } else { walk.read_file(call.name, list, false) };
        match flow.text {
            Some(text) => starts.extend(text.split(['\0', '\n']).filter(|start| !start.is_empty()).map(ShellArg::new)),
            None => starts.push(ShellArg::unknown(flow.taint)),
        }
    } else if starts.is_empty() {
        starts.push(ShellArg::new("."));
    }
    let mut is_filtered = false;
    let mut name_pattern: Option<ShellArg> = None;
    for (index, arg) in rest.iter().enumerate() {
        let is_negated =
            index > 0 && rest.get(index - 1).is_some_and(|before| matches!(before.text.as_str(), "!" | "-not"));
        if is_listed(FIND_FILTERS, &arg.text) && !is_negated {
            let value = rest.get(index + 1);
            // A condition that everything meets selects nothing.
            let is_open = arg.text.contains("name")
                && value.is_some_and(|value| matches!(value.text.as_str(), "*" | "*.*" | ".*" | "?*"));
            is_filtered |= !is_open;
            if matches!(arg.text.as_str(), "-name" | "-iname" | "-path" | "-wholename") {
                name_pattern = value.cloned();
            } else if let (Some(value), "-regex" | "-iregex") = (value, arg.text.as_str()) {
                let name =
                    value.text.rsplit('/').next().unwrap_or_default().replace(".*", "*").replace(['\\', '$'], "");
                name_pattern =
                    Some(value.with_text(name)).filter(|name| walk.place(name).tags.contains(&OperationTag::Secret));
            }
        }
    }
    let name_pattern = name_pattern.as_ref();
    // What one found file is called.
    let found = |start: &ShellArg| {
        let name = name_pattern.map_or(if is_filtered { SOME_NAME } else { "*" }, |pattern| pattern.text.as_str());
        let joined = if name.starts_with('/') || name.starts_with("./") {
            name.to_owned()
        } else {
            format!("{}/{name}", start.text.trim_end_matches('/'))
        };
        if start.text == "/" && name_pattern.is_none() && !is_filtered {
            ShellArg::new("/")
        } else {
            ShellArg { text: joined, is_pattern: true, ..start.clone() }
        }
    };
    let expression = FindExpression::parse(rest);
    let roots = |start: &ShellArg, is_run: bool| match is_run || is_filtered || name_pattern.is_some() {
        true => ListedFiles { root: found(start), is_filtered, is_recursive: true },
        false => ListedFiles { root: start.clone(), is_filtered, is_recursive: true },
    };
    run_search(walk, call, &starts, &expression, roots)
}

/// Does what a search does with the files that it finds: with those of the caller, or if there are none with all that it
/// may find below its starts.
fn run_search(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    starts: &[ShellArg],
    expression: &FindExpression,
    roots: impl Fn(&ShellArg, bool) -> ListedFiles,
) -> TextFlow {
    let program = call.name;
    let mut listed = Vec::new();
    let mut runs = false;
    for (index, action) in expression.actions.iter().enumerate() {
        let is_run = matches!(action, FindAction::Run(_));
        runs |= is_run;
        if let FindAction::Write(file) = action {
            walk.write_file(program, file, "replace", TextFlow::from_taint(TextTaint::NAMES));
        }
        let sweeps = !matches!(action, FindAction::Delete) && program != "fd" && program != "fdfind";
        for start in starts {
            let found: Vec<ListedFiles> =
                match walk.watched_below(start) {
                    Some(files) => {
                        let reached = files.iter().filter(|file| expression.reaches(index, &start.text, file));
                        let root = |file: &WatchedFile| ShellArg::new(file.path.to_string_lossy());
                        reached
                            .map(|file| ListedFiles { root: root(file), is_filtered: false, is_recursive: true })
                            .take(MAX_WATCHED)
                            .collect()
                    }
                    None => {
                        // The start may be a file itself.
                        let itself = WatchedFile {
                            path: walk.place(start).path.unwrap_or_default(),
                            within: PathBuf::new(),
                            is_dir: false,
                            is_empty: false,
                        };
                        let is_secret = walk.place(start).tags.contains(&OperationTag::Secret);
                        let itself = (is_secret && expression.reaches(index, &start.text, &itself))
                            .then(|| ListedFiles { root: start.clone(), is_filtered: true, is_recursive: false });
                        let swept = |(root, within): (ShellArg, PathBuf)| {
                            let path = walk.place(&root).path?;
                            let file = WatchedFile { path, within, is_dir: false, is_empty: false };
                            let is_reached = sweeps && expression.reaches(index, &start.text, &file);
                            is_reached.then_some(ListedFiles { root, is_filtered: true, is_recursive: false })
                        };
                        let swept = walk.secrets_in(start).into_iter().filter_map(swept);
                        itself.into_iter().chain([roots(start, is_run)]).chain(swept).collect()
                    }
                };
            match action {
                FindAction::Delete => found.iter().for_each(|found| files::delete_listed(walk, program, found)),
                FindAction::Run(command) => found.iter().for_each(|found| run_found(walk, call, command, found)),
                FindAction::Write(_) => {}
                FindAction::List => listed.extend(found),
            }
        }
    }
    if runs { TextFlow::from_taint(TextTaint::OUTPUT | TextTaint::FILE) } else { TextFlow::listing(listed) }
}

/// Options of `fd` that run a command.
const FD_RUNS: [&str; 4] = ["-x", "-X", "--exec", "--exec-batch"];

pub(super) fn run_fd(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    // What follows `-x` is another command line.
    let split = call.args.iter().position(|arg| FD_RUNS.contains(&arg.text.as_str())).unwrap_or(call.args.len());
    let (before, behind) = call.args.split_at(split);
    let command: Vec<ShellArg> = behind.iter().skip(1).take_while(|arg| arg.text != ";").cloned().collect();
    let parsed = &ParsedOptions::parse(before, facts_of(call.name).grammar());
    let pattern = parsed.operands.first().copied();
    let is_filtered = pattern.is_some_and(|pattern| !matches!(pattern.text.as_str(), "." | "" | ".*" | "*"))
        || parsed.has("e", "extension")
        || parsed.has("", "changed-within")
        || parsed.has("", "size");
    let mut starts: Vec<ShellArg> = parsed.operands.iter().skip(1).map(|start| (*start).clone()).collect();
    starts.extend(parsed.values("", "search-path").chain(parsed.values("", "base-directory")).cloned());
    if starts.is_empty() {
        starts.push(ShellArg::new("."));
    }
    let roots = |start: &ShellArg, _| match pattern.filter(|_| is_filtered) {
        Some(pattern) => {
            let text = format!("{}/{}", start.text.trim_end_matches('/'), pattern.text.trim_matches(['^', '$']));
            let root = ShellArg { text, is_pattern: true, ..start.clone() };
            ListedFiles { root, is_filtered, is_recursive: true }
        }
        None => ListedFiles { root: start.clone(), is_filtered, is_recursive: true },
    };
    let expression = FindExpression::of_fd(pattern.map(|pattern| pattern.text.as_str()), parsed, &command);
    run_search(walk, call, &starts, &expression, roots)
}
/// Runs the command of a search, which has its input. `find` puts nothing behind it.
fn run_found(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, command: &[ShellArg], files: &ListedFiles) {
    match call.name == "find" && !command.iter().any(|arg| arg.text.contains("{}")) {
        true => drop(walk.run_args(command, call.stdin)),
        false => run_for_each(walk, command, files, "{}"),
    }
}

/// Runs a command for each of the listed files, instead of `{}` or at its end.
fn run_for_each(walk: &mut CommandWalk<'_>, command: &[ShellArg], listed: &ListedFiles, mark: &str) {
    let mut listed = walk.without_selection(listed);
    if walk.notes_files() {
        // The pattern that stands for the files is not their names.
        listed.root = ShellArg::unknown(TextTaint::NONE);
    }
    let listed = &listed;
    let Some(program) = command.first() else { return };
    let name = crate::walk::program_name(&program.text);
    if matches!(name.as_str(), "rm" | "unlink" | "shred" | "trash") {
        files::delete_listed(walk, &name, listed);
        if command.len() <= 2
            || !command.iter().any(|arg| !arg.text.starts_with('-') && arg.text != mark && arg.text != program.text)
        {
            return;
        }
    }
    let has_mark = !mark.is_empty() && command.iter().any(|arg| arg.text.contains(mark));
    let mut args: Vec<ShellArg> = command
        .iter()
        .map(|arg| match arg.text == mark && !mark.is_empty() {
            true => listed.root.clone(),
            false if has_mark && arg.text.contains(mark) => {
                ShellArg { text: arg.text.replace(mark, &listed.root.text), is_pattern: true, ..arg.clone() }
            }
            false => arg.clone(),
        })
        .collect();
    if !has_mark {
        args.push(listed.root.clone());
    }
    // `sh -c '…' _ {}` gets the file as an argument.
    walk.run_args(&args, &TextFlow::default());
}

pub(super) fn run_xargs(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let (leading, command) = ParsedOptions::parse_leading(call.args, facts_of(call.name).grammar());
    let given = leading.values("I", "replace").chain(leading.values("J", "")).chain(leading.values("i", "")).next();
    let mark = match given {
        Some(mark) => mark.text.as_str(),
        None if leading.has("i", "replace") => "{}",
        None => "",
    };
    let mut input = call.stdin.clone();
    if let Some(file) = leading.values("a", "arg-file").next() {
        input = walk.read_file(call.name, file, false);
    }
    if command.is_empty() {
        return input;
    }
    if !input.listed.is_empty() {
        for listed in &input.listed {
            run_for_each(walk, command, listed, mark);
        }
        return TextFlow::from_taint(input.taint.without(TextTaint::NAMES) | TextTaint::OUTPUT | TextTaint::FILE);
    }
    let content = (!input.processes.is_empty()).then(|| Box::new(input.clone()));
    let unknown = ShellArg { content, ..ShellArg::unknown(input.taint) };
    let known = input.text.as_deref().filter(|text| !text.contains(crate::paths::UNKNOWN));
    if mark.is_empty() {
        let values: Vec<ShellArg> = match known {
            Some(text) => text
                .split(|letter: char| letter.is_whitespace() || letter == '\0')
                .filter(|word| !word.is_empty())
                .take(MAX_VALUES)
                .map(|word| ShellArg { taint: input.taint, ..ShellArg::new(word.trim_matches(['"', '\''])) })
                .collect(),
            None => vec![unknown],
        };
        let args: Vec<ShellArg> = command.iter().cloned().chain(values).collect();
        return walk.run_args(&args, &TextFlow::default());
    }
    // One run for each line.
    let lines = known.into_iter().flat_map(|text| text.split(['\n', '\0'])).filter(|line| !line.trim().is_empty());
    let mut values: Vec<ShellArg> = lines.take(MAX_RUNS).map(|line| ShellArg::new(line.trim())).collect();
    if known.is_none() || values.len() == MAX_RUNS {
        values.push(unknown);
    }
    let mut flow = TextFlow::known("");
    for value in values {
        let fill = |arg: &ShellArg| match arg.text.contains(mark) {
            true => ShellArg {
                text: arg.text.replace(mark, &value.text),
                taint: arg.taint | value.taint,
                content: value.content.clone(),
                ..arg.clone()
            },
            false => arg.clone(),
        };
        let args: Vec<ShellArg> = command.iter().map(fill).collect();
        flow.append(walk.run_args(&args, &TextFlow::default()));
    }
    flow
}

pub(super) fn run_parallel(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let (leading, rest) = ParsedOptions::parse_leading(call.args, facts_of(call.name).grammar());
    let split = rest.iter().position(|arg| arg.text.starts_with(":::")).unwrap_or(rest.len());
    let (command, sources) = rest.split_at(split);
    let line = joined(command);
    if leading.has("", "pipe") || leading.has("", "pipepart") {
        return walk.run_line(&line, call.stdin);
    }
    // The values come from the line, from files, or from the input.
    let mut inputs: Vec<TextFlow> = Vec::new();
    for file in leading.values("a", "arg-file") {
        inputs.push(walk.read_file(call.name, file, false));
    }
    let mut is_file = false;
    for source in sources {
        match source.text.as_str() {
            mark if mark.starts_with(":::") => is_file = mark.starts_with("::::"),
            _ if is_file => inputs.push(walk.read_file(call.name, source, false)),
            value => inputs.push(TextFlow { taint: source.taint, ..TextFlow::known(value) }),
        }
    }
    if inputs.is_empty() {
        inputs.push(call.stdin.clone());
    }
    let mut flow = TextFlow::known("");
    for input in inputs {
        for listed in &input.listed {
            run_for_each(walk, command, listed, "{}");
        }
        let text = input.text.as_deref().unwrap_or_default();
        for value in text.lines().filter(|value| !value.is_empty()).take(MAX_RUNS) {
            let text = match (line.is_empty(), line.contains("{}")) {
                (true, _) => value.to_owned(),
                (false, true) => line.replace("{}", value),
                (false, false) => format!("{line} {value}"),
            };
            flow.append(walk.run_line(&text, &TextFlow::default()));
            // The value is one word, and with `-q` so is each word of the command.
            let fill = |arg: &ShellArg| arg.with_text(arg.text.replace("{}", value));
            let last = (!line.contains("{}")).then(|| ShellArg::new(value));
            let args: Vec<ShellArg> = command.iter().map(fill).chain(last).collect();
            if !line.is_empty() {
                flow.append(walk.run_args(&args, &TextFlow::default()));
            }
        }
        let is_rest = input.text.is_none() && input.listed.is_empty() || text.lines().nth(MAX_RUNS).is_some();
        if is_rest && command.is_empty() && input != TextFlow::default() {
            walk.push_code(input.taint, call.name, "its input is the commands that it runs");
        } else if is_rest {
            let args: Vec<ShellArg> = command.iter().cloned().chain([ShellArg::unknown(input.taint)]).collect();
            flow.append(walk.run_args(&args, &TextFlow::default()));
        }
    }
    TextFlow { taint: flow.taint | TextTaint::OUTPUT, ..flow }
}
