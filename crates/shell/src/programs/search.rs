//! Programs that find files, and programs that run another one for each of them.

use super::files;
use crate::walk::ProgramCall;
use crate::walk::{CommandWalk, ListedFiles, ParsedOptions, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind, OperationTag};

/// More values than a program may have arguments.
const MAX_VALUES: usize = 2000;

pub(super) fn run_ls(_: &mut CommandWalk<'_>, _: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_recursive = parsed.has("R", "recursive");
    let roots = if parsed.operands.is_empty() {
        vec![ShellArg::new("*")]
    } else {
        parsed.operands.iter().map(|arg| (*arg).clone()).collect()
    };
    let listed = roots.into_iter().map(|root| {
        // What a directory has in it.
        let is_pattern = root.is_pattern || root.text == "*" || !parsed.has("d", "directory");
        let text = if root.is_pattern || root.text == "*" || parsed.has("d", "directory") {
            root.text.clone()
        } else {
            format!("{}/*", root.text.trim_end_matches('/'))
        };
        ListedFiles { root: ShellArg { text, is_pattern, ..root }, is_filtered: false, is_recursive }
    });
    TextFlow::listing(listed.collect())
}

pub(super) fn run_locate(_: &mut CommandWalk<'_>, _: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    TextFlow::listing(vec![ListedFiles { root: ShellArg::new("/"), is_filtered: true, is_recursive: true }])
}

/// Conditions of `find` that select files.
const FIND_FILTERS: [&str; 24] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-newer",
    "-size",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-empty",
    "-user",
    "-group",
    "-perm",
    "-lname",
    "-inum",
    "-samefile",
    "-newermt",
    "-nouser",
];

pub(super) fn run_find(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let is_start = |arg: &&ShellArg| !arg.text.starts_with('-') && !matches!(arg.text.as_str(), "(" | "!" | ")");
    let skipped =
        call.args.iter().take_while(|arg| matches!(arg.text.as_str(), "-H" | "-L" | "-P" | "-E" | "-X")).count();
    let args = call.args.get(skipped..).unwrap_or_default();
    let mut starts: Vec<ShellArg> = args.iter().take_while(is_start).cloned().collect();
    let rest = args.get(starts.len()..).unwrap_or_default();
    if starts.is_empty() {
        starts.push(ShellArg::new("."));
    }
    let mut is_filtered = false;
    let mut name_pattern: Option<&ShellArg> = None;
    for (index, arg) in rest.iter().enumerate() {
        let is_negated =
            index > 0 && rest.get(index - 1).is_some_and(|before| matches!(before.text.as_str(), "!" | "-not"));
        if FIND_FILTERS.contains(&arg.text.as_str()) && !is_negated {
            let value = rest.get(index + 1);
            // A condition that everything meets selects nothing.
            let is_open = arg.text.contains("name")
                && value.is_some_and(|value| matches!(value.text.as_str(), "*" | "*.*" | ".*" | "?*"));
            is_filtered |= !is_open;
            if matches!(arg.text.as_str(), "-name" | "-iname" | "-path" | "-wholename") {
                name_pattern = value;
            }
        }
    }
    // What one found file is called.
    let found = |start: &ShellArg| {
        let name = name_pattern.map_or("*", |pattern| pattern.text.as_str());
        let joined = if name.starts_with('/') || name.starts_with("./") {
            name.to_owned()
        } else {
            format!("{}/{name}", start.text.trim_end_matches('/'))
        };
        if start.text == "/" && name_pattern.is_none() {
            ShellArg::new("/")
        } else {
            ShellArg { text: joined, is_pattern: true, ..start.clone() }
        }
    };
    let mut runs = false;
    for (index, arg) in rest.iter().enumerate() {
        match arg.text.as_str() {
            "-delete" => {
                for start in &starts {
                    let target = if name_pattern.is_some() { found(start) } else { start.clone() };
                    let operation = Operation::new(OperationKind::Delete, call.name)
                        .tag(OperationTag::Recursive)
                        .tag_if(is_filtered, OperationTag::Filtered);
                    walk.push_path(operation, &target);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                runs = true;
                let command: Vec<ShellArg> = rest
                    .get(index + 1..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|arg| !matches!(arg.text.as_str(), ";" | "+"))
                    .cloned()
                    .collect();
                for start in &starts {
                    run_for_each(
                        walk,
                        &command,
                        &ListedFiles { root: found(start), is_filtered, is_recursive: true },
                        "{}",
                    );
                }
            }
            "-fprint" | "-fprintf" | "-fls" | "-fprint0" => {
                if let Some(file) = rest.get(index + 1) {
                    walk.write_file(call.name, file, "replace", TextFlow::from_taint(TextTaint::NAMES));
                }
            }
            _ => {}
        }
    }
    if runs {
        return TextFlow::from_taint(TextTaint::OUTPUT | TextTaint::FILE);
    }
    let listed = starts.iter().map(|start| ListedFiles {
        root: if name_pattern.is_some() { found(start) } else { start.clone() },
        is_filtered,
        is_recursive: true,
    });
    TextFlow::listing(listed.collect())
}

pub(super) fn run_fd(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_filtered =
        parsed.operands.first().is_some_and(|pattern| !matches!(pattern.text.as_str(), "." | "" | ".*" | "*"))
            || parsed.has("e", "extension")
            || parsed.has("", "changed-within")
            || parsed.has("", "size");
    let root = parsed
        .operands
        .get(1)
        .copied()
        .or_else(|| parsed.values("", "base-directory").next())
        .cloned()
        .unwrap_or_else(|| ShellArg::new("."));
    let root = match parsed.operands.first().filter(|_| is_filtered) {
        Some(pattern) => ShellArg {
            text: format!("{}/{}", root.text.trim_end_matches('/'), pattern.text.trim_matches(['^', '$'])),
            is_pattern: true,
            ..root
        },
        None => root,
    };
    let listed = ListedFiles { root, is_filtered, is_recursive: true };
    let command: Vec<ShellArg> = call
        .args
        .iter()
        .skip_while(|arg| !matches!(arg.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))
        .skip(1)
        .take_while(|arg| arg.text != ";")
        .cloned()
        .collect();
    if command.is_empty() {
        return TextFlow::listing(vec![listed]);
    }
    run_for_each(walk, &command, &listed, "{}");
    TextFlow::from_taint(TextTaint::OUTPUT)
}

/// Runs a command for each of the listed files, instead of `{}` or at its end.
fn run_for_each(walk: &mut CommandWalk<'_>, command: &[ShellArg], listed: &ListedFiles, mark: &str) {
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

pub(super) fn run_xargs(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let valued = crate::walk::OptionLetters {
        letters: "IinLPsdEa",
        names: &["replace", "max-args", "max-procs", "delimiter", "arg-file"],
    };
    let (leading, command) = ParsedOptions::parse_leading(call.args, valued);
    let mark =
        leading.values("I", "replace").next().or_else(|| leading.values("i", "").next()).map(|arg| arg.text.clone());
    let mut input = call.stdin.clone();
    if let Some(file) = parsed.values("a", "arg-file").next() {
        input = walk.read_file(call.name, file, false);
    }
    if command.is_empty() {
        return input;
    }
    let mark = mark.as_deref().unwrap_or_default();
    if !input.listed.is_empty() {
        for listed in &input.listed {
            run_for_each(walk, command, listed, mark);
        }
        return TextFlow::from_taint(input.taint.without(TextTaint::NAMES) | TextTaint::OUTPUT | TextTaint::FILE);
    }
    match input.text.as_deref().filter(|text| !text.contains(crate::paths::UNKNOWN)) {
        Some(text) => {
            let values: Vec<ShellArg> = text
                .split(|letter: char| letter.is_whitespace() || letter == '\0')
                .filter(|word| !word.is_empty())
                .take(MAX_VALUES)
                .map(|word| ShellArg { taint: input.taint, ..ShellArg::new(word.trim_matches(['"', '\''])) })
                .collect();
            let args: Vec<ShellArg> = if mark.is_empty() {
                command.iter().cloned().chain(values).collect()
            } else {
                let whole = text.trim();
                command.iter().map(|arg| ShellArg { text: arg.text.replace(mark, whole), ..arg.clone() }).collect()
            };
            walk.run_args(&args, &TextFlow::default())
        }
        None => {
            let content = (!input.processes.is_empty()).then(|| Box::new(input.clone()));
            let value = ShellArg { content, ..ShellArg::unknown(input.taint) };
            let args: Vec<ShellArg> = if mark.is_empty() {
                command.iter().cloned().chain([value]).collect()
            } else {
                command
                    .iter()
                    .map(|arg| ShellArg {
                        text: arg.text.replace(mark, &value.text),
                        taint: if arg.text.contains(mark) { arg.taint | input.taint } else { arg.taint },
                        content: if arg.text.contains(mark) { value.content.clone() } else { arg.content.clone() },
                        ..arg.clone()
                    })
                    .collect()
            };
            walk.run_args(&args, &TextFlow::default())
        }
    }
}

pub(super) fn run_parallel(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let valued = crate::walk::OptionLetters {
        letters: "jIaSN",
        names: &[
            "jobs",
            "arg-file",
            "colsep",
            "delay",
            "timeout",
            "joblog",
            "sshlogin",
            "results",
            "halt",
            "retries",
            "load",
            "memfree",
            "tagstring",
            "workdir",
            "env",
            "max-args",
            "max-procs",
            "tmpdir",
            "basefile",
            "return",
        ],
    };
    let (_, rest) = ParsedOptions::parse_leading(call.args, valued);
    let split = rest.iter().position(|arg| arg.text.starts_with(":::")).unwrap_or(rest.len());
    let (command, values) = rest.split_at(split);
    let values: Vec<ShellArg> = values.iter().filter(|arg| !arg.text.starts_with(":::")).cloned().collect();
    let line: Vec<String> = command.iter().map(|arg| arg.text.clone()).collect();
    let line = line.join(" ");
    let known: Vec<String> = if values.is_empty() {
        call.stdin.text.as_deref().map(|text| text.lines().map(str::to_owned).collect()).unwrap_or_default()
    } else {
        values.iter().map(|arg| arg.text.clone()).collect()
    };
    if known.is_empty() {
        for listed in &call.stdin.listed {
            run_for_each(walk, command, listed, "{}");
        }
        if command.is_empty() && call.stdin.taint != TextTaint::NONE {
            walk.push_code(call.stdin.taint, call.name, "its input is the commands that it runs");
        } else if call.stdin.listed.is_empty() {
            let args: Vec<ShellArg> = command.iter().cloned().chain([ShellArg::unknown(call.stdin.taint)]).collect();
            return walk.run_args(&args, &TextFlow::default());
        }
        return TextFlow::from_taint(TextTaint::OUTPUT);
    }
    let mut flow = TextFlow::default();
    for value in known.iter().take(16) {
        let text = match (line.is_empty(), line.contains("{}")) {
            (true, _) => value.clone(),
            (false, true) => line.replace("{}", value),
            (false, false) => format!("{line} {value}"),
        };
        flow.append(walk.run_line(&text, &TextFlow::default()));
    }
    flow
}
