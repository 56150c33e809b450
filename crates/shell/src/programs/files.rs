//! Programs that change files.

use crate::walk::{CommandWalk, ListedFiles, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind, OperationTag, PathPlace};

/// Deletes what a command lists for `xargs` and its kin.
pub(super) fn delete_listed(walk: &mut CommandWalk<'_>, program: &str, listed: &ListedFiles) {
    let operation = Operation::new(OperationKind::Delete, program)
        .tag_if(listed.is_recursive, OperationTag::Recursive)
        .tag_if(listed.is_filtered, OperationTag::Filtered);
    walk.push_path(operation, &listed.root);
}

pub(super) fn run_delete(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if call.name == "gio" && call.first_operand() != Some("trash") && call.first_operand() != Some("remove") {
        return TextFlow::default();
    }
    let is_recursive = parsed.has("r", "recursive")
        || parsed.has("R", "recursive")
        || call.has_arg(&["/s", "/S"])
        || matches!(call.name, "trash" | "trash-put" | "rmtrash" | "remove_directory" | "rimraf" | "del-cli");
    for operand in parsed
        .operands
        .iter()
        .skip(usize::from(call.name == "gio"))
        .filter(|operand| !operand.text.starts_with("/s") || operand.text.len() > 2)
    {
        let operation = Operation::new(OperationKind::Delete, call.name).tag_if(is_recursive, OperationTag::Recursive);
        walk.push_path(operation, operand);
    }
    TextFlow::known("")
}

pub(super) fn run_rmdir(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_recursive = call.has_arg(&["/s", "/S"]);
    for operand in parsed.operands.iter().filter(|operand| !matches!(operand.text.as_str(), "/s" | "/S" | "/q" | "/Q"))
    {
        let operation = Operation::new(OperationKind::Delete, call.name).action("empty_directory");
        let operation = if is_recursive { operation.action("").tag(OperationTag::Recursive) } else { operation };
        walk.push_path(operation, operand);
    }
    TextFlow::known("")
}

pub(super) fn run_shred(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for operand in &parsed.operands {
        walk.push_path(Operation::new(OperationKind::Delete, call.name).action("shred"), operand);
    }
    TextFlow::known("")
}

pub(super) fn run_truncate(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for operand in &parsed.operands {
        walk.write_file(call.name, operand, "truncate", TextFlow::known(""));
    }
    TextFlow::known("")
}

/// The target of a program that moves or copies, and its sources.
fn target_and_sources<'a>(parsed: &'a ParsedOptions<'a>) -> (Option<&'a ShellArg>, &'a [&'a ShellArg]) {
    if let Some(target) = parsed.values("t", "target-directory").next() {
        return (Some(target), &parsed.operands);
    }
    match parsed.operands.split_last() {
        Some((target, sources)) if !sources.is_empty() => (Some(target), sources),
        _ => (None, &parsed.operands),
    }
}

/// Whether a path is one of another machine: `HOST:PATH`, but not that of a drive such as `C:`.
pub(super) fn is_host_path(text: &str) -> bool {
    let is_drive = |host: &str| host.len() == 1 && host.starts_with(|letter: char| letter.is_ascii_uppercase());
    text.split_once(':').is_some_and(|(host, _)| !(host.is_empty() || host.contains('/') || is_drive(host)))
}

/// The path of a source after a copy into a directory.
pub(super) fn join_below(target: &ShellArg, arg: &ShellArg) -> ShellArg {
    // `HOST:PATH` is a path of another machine.
    let of_host = arg.text.split_once(':').filter(|_| is_host_path(&arg.text));
    let path = of_host.map_or(arg.text.as_str(), |(_, path)| path);
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    ShellArg {
        text: format!("{}/{name}", target.text.trim_end_matches('/')),
        is_pattern: target.is_pattern || arg.is_pattern,
        ..target.clone()
    }
}

/// Writes the target of a copy: the path itself, and the file of the same name below it.
pub(super) fn write_target(
    walk: &mut CommandWalk<'_>,
    program: &str,
    target: &ShellArg,
    arg: &ShellArg,
    flow: &TextFlow,
) {
    // These are directories, so that a file of the same name comes into them.
    if matches!(walk.place(target).place, PathPlace::Home | PathPlace::Root) && !target.is_pattern {
        return walk.write_file(program, &join_below(target, arg), "replace", flow.clone());
    }
    walk.write_file(program, target, "replace", flow.clone());
    write_inside(walk, program, target, arg, flow);
}

/// Writes the file of the same name below the target of a copy, if that needs care.
pub(super) fn write_inside(
    walk: &mut CommandWalk<'_>,
    program: &str,
    target: &ShellArg,
    arg: &ShellArg,
    flow: &TextFlow,
) {
    let inside = join_below(target, arg);
    let placed = walk.place(&inside);
    let is_plain = |tag: &OperationTag| matches!(tag, OperationTag::Pattern | OperationTag::GitDirectory);
    if !placed.tags.iter().all(is_plain) || walk.is_watched(&placed) {
        walk.write_file(program, &inside, "replace", flow.clone());
    } else {
        walk.note_written(&inside, flow.clone());
    }
}

/// Whether each file of a directory gets another name there, as in `for f in *; do mv "$f" "$f.old"; done`.
fn is_renamed(arg: &ShellArg, target: &ShellArg) -> bool {
    let name = arg.text.strip_suffix('*').and_then(|directory| target.text.strip_prefix(directory));
    name.is_some_and(|name| name.contains('*') && !name.contains('/'))
        && (target.text != arg.text || !target.is_pattern)
}

pub(super) fn run_move(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let (target, sources) = target_and_sources(parsed);
    for source in sources {
        let flow = walk.code_of(source).unwrap_or_default();
        let action = if target.is_some_and(|target| is_renamed(source, target)) { "rename" } else { "" };
        let placed = walk.push_path(Operation::new(OperationKind::Move, call.name).action(action), source);
        let mut flow = flow;
        if placed.tags.contains(&OperationTag::Secret) {
            flow.taint |= TextTaint::SECRET | TextTaint::FILE;
        }
        if let Some(target) = target {
            for copy in [target, &join_below(target, source)] {
                walk.note_program(source, copy);
            }
            write_target(walk, call.name, target, source, &flow);
        }
    }
    TextFlow::known("")
}

/// `rename EXPRESSION FILE…`, `rename FROM TO FILE…`: each may get another name. It stays in its directory if the
/// expression is a plain substitution.
pub(super) fn run_rename(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let Some((expression, files)) = parsed.operands.split_first() else { return TextFlow::known("") };
    let mut parts = expression.text.split(['/', '|', ',', '#', '@']);
    let is_verb = matches!(parts.next(), Some("s" | "y" | "tr"));
    let flags = parts.next_back().unwrap_or_default();
    let is_word = |arg: &&ShellArg| arg.text.chars().all(|letter| letter.is_alphanumeric() || "._- ".contains(letter));
    if files.len() > 1 && parsed.operands.iter().take(2).all(is_word) {
        for file in files.iter().skip(1) {
            walk.push_path(Operation::new(OperationKind::Move, call.name).action("rename"), file);
        }
        return TextFlow::known("");
    }
    let is_plain = is_verb && parts.count() == 2 && flags.chars().all(|letter| "gisxcdr".contains(letter));
    for file in if is_plain { files } else { &parsed.operands } {
        walk.push_path(
            Operation::new(OperationKind::Move, call.name).action(if is_plain { "rename" } else { "" }),
            file,
        );
    }
    TextFlow::known("")
}

pub(super) fn run_copy(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if call.name.ends_with("install") && parsed.has("d", "directory") {
        return run_mkdir(walk, call, parsed);
    }
    let is_recursive = parsed.has("r", "recursive") || parsed.has("R", "recursive") || parsed.has("a", "archive");
    let (target, sources) = target_and_sources(parsed);
    for source in sources {
        let mut flow = walk.read_file(call.name, source, is_recursive);
        if is_recursive {
            flow.taint |= walk.sweep(call, &[source]);
        }
        if let Some(target) = target {
            if parsed.has("s", "symbolic-link") {
                walk.note_link(source, target);
            }
            for copy in [target, &join_below(target, source)] {
                walk.note_program(source, copy);
            }
            if let Some(mode) = parsed.values("m", "mode").next().filter(|mode| is_too_open(&mode.text)) {
                let operation = Operation::new(OperationKind::Permission, call.name).action(&mode.text);
                walk.push_path(operation.tag(OperationTag::TooOpen), target);
            }
            write_target(walk, call.name, target, source, &flow);
        }
    }
    TextFlow::known("")
}

pub(super) fn run_link(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let (target, sources) = target_and_sources(parsed);
    for source in sources {
        let link = match target {
            Some(target) => target.clone(),
            None => join_below(&ShellArg::new("."), source),
        };
        walk.push_path(Operation::new(OperationKind::Write, call.name).action("link"), &link);
        let placed = walk.place(source);
        if placed.tags.contains(&OperationTag::Secret) {
            walk.read_file(call.name, source, false);
        }
        if let Some(before) = walk.code_of(source) {
            walk.note_written(&link, before);
        }
        // In a directory, the link has the name of its target.
        let inside = join_below(&link, source);
        walk.push_watched(Operation::new(OperationKind::Write, call.name).action("link"), &inside);
        let is_symbolic = parsed.has("s", "symbolic");
        for link in [&link, &inside] {
            let target = if is_symbolic { link_target(link, source) } else { (*source).clone() };
            walk.note_link(&target, link);
            walk.note_program(source, link);
        }
    }
    TextFlow::known("")
}

/// What a symbolic link names: it is relative to the directory of the link.
fn link_target(link: &ShellArg, arg: &ShellArg) -> ShellArg {
    match link.text.rsplit_once('/') {
        Some((directory, _)) if !arg.text.starts_with(['/', '~']) && arg.is_known() => {
            arg.with_text(format!("{directory}/{}", arg.text))
        }
        _ => arg.clone(),
    }
}

/// Whether a mode gives everybody the right to write, or sets the user at start.
fn is_too_open(mode: &str) -> bool {
    if let Ok(number) = u32::from_str_radix(mode, 8) {
        return number & 0o002 != 0 || number & 0o6000 != 0;
    }
    mode.split(',').any(|clause| {
        let (who, what) = clause.split_once(['+', '=']).unwrap_or(("-", ""));
        let opens_others = (who.contains('o') || who.contains('a')) && what.contains('w');
        opens_others || what.contains('s')
    })
}

/// Whether a mode only takes rights from others, or leaves the owner alone with the file.
fn is_private(mode: &str, is_recursive: bool) -> bool {
    if let Ok(number) = u32::from_str_radix(mode, 8) {
        // Without the right to enter its directories, a tree is of no use.
        let needed = if is_recursive { 0o500 } else { 0o400 };
        return number & 0o7077 == 0 && number & needed == needed;
    }
    mode.split(',').all(|clause| match clause.split_once(['+', '=', '-']) {
        Some(("u", rights)) => {
            !clause.contains('-') && !rights.is_empty() && rights.chars().all(|right| "rwxX".contains(right))
        }
        Some((who, rights)) => {
            (clause.contains('-') || rights.is_empty())
                && !who.is_empty()
                && who.chars().all(|letter| "go".contains(letter))
        }
        None => false,
    })
}

pub(super) fn run_chmod(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_recursive = parsed.has("R", "recursive");
    // A mode such as `-x` looks like an option.
    let removed = call.args.iter().find(|arg| {
        arg.text.len() > 1
            && arg.text.starts_with('-')
            && arg.text.chars().skip(1).all(|letter| "rwxXst".contains(letter))
    });
    let (mode, paths) = match (removed, parsed.operands.split_first()) {
        _ if parsed.has("", "reference") => ("reference", parsed.operands.as_slice()),
        (Some(mode), _) => (mode.text.as_str(), parsed.operands.as_slice()),
        (None, Some((mode, paths))) => (mode.text.as_str(), paths),
        (None, None) => return TextFlow::known(""),
    };
    let action = if is_private(mode, is_recursive) { "private" } else { mode };
    for path in paths {
        let operation = Operation::new(OperationKind::Permission, call.name)
            .action(action)
            .tag_if(is_recursive, OperationTag::Recursive)
            .tag_if(is_too_open(mode), OperationTag::TooOpen);
        walk.push_path(operation, path);
    }
    TextFlow::known("")
}

pub(super) fn run_chown(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_recursive = parsed.has("R", "recursive") || call.has_arg(&["/T", "/t", "/r", "/R"]);
    let is_windows = matches!(call.name, "icacls" | "takeown");
    // The mode of `chattr` may look like options, and what begins it is not the name of a file.
    let is_mode = |operand: &&&ShellArg| call.name == "chattr" && operand.text.starts_with(['+', '=']);
    let has_owner = !is_windows && !matches!(call.name, "setfacl" | "chattr") && !parsed.has("", "reference");
    for path in parsed.operands.iter().skip(usize::from(has_owner)).skip_while(is_mode) {
        let operation = Operation::new(OperationKind::Permission, call.name)
            .action(if call.name == "chattr" || call.name == "chflags" { "attributes" } else { "owner" })
            .tag_if(is_recursive, OperationTag::Recursive);
        walk.push_path(operation, path);
    }
    TextFlow::known("")
}

pub(super) fn run_dd(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let operand =
        |name: &str| call.args.iter().find_map(|arg| Some(arg.with_text(arg.text.strip_prefix(name)?.to_owned())));
    let flow = match operand("if=") {
        Some(file) => walk.read_file(call.name, &file, false),
        None => call.stdin.clone(),
    };
    match operand("of=") {
        Some(file) => {
            if !file.is_known() {
                walk.push_unknown(call.name, "which file or device it writes is not known");
            }
            walk.write_file(call.name, &file, "replace", flow);
            TextFlow::known("")
        }
        None => flow,
    }
}

pub(super) fn run_tee(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let action = if parsed.has("a", "append") { "append" } else { "replace" };
    for file in &parsed.operands {
        let is_substituted = file.text == "/dev/fd/63";
        if is_substituted {
            walk.write_substituted(call.stdin);
        } else if !file.text.starts_with("/dev/fd/") && !file.text.starts_with("/dev/std") && file.text != "/dev/null" {
            walk.write_file(call.name, file, action, call.stdin.clone());
        }
    }
    call.stdin.clone()
}

/// `fallocate`: holes and ranges of zeros take the content away.
pub(super) fn run_allocate(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let removes = call.has_arg(&["-p", "-z", "-c", "--punch-hole", "--zero-range", "--collapse-range"]);
    for file in &parsed.operands {
        let action = if removes { "truncate" } else { "append" };
        walk.write_file(call.name, file, action, TextFlow::default());
    }
    TextFlow::known("")
}

/// `mkdir`: what it makes exists behind it.
pub(super) fn run_mkdir(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for directory in &parsed.operands {
        walk.push_made_directory(call.name, directory);
        if call.name != "mkfifo" {
            walk.note_made(directory);
        }
    }
    TextFlow::known("")
}
