//! Programs that change files.

use super::{ProgramCall, read_operands};
use crate::walk::{CommandWalk, ListedFiles, ParsedOptions, ShellArg, Taint, TextFlow};
use crate::{Operation, OperationKind, OperationTag};

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
        || call.name.contains("trash");
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

/// Where a source comes to lie if the target is a directory.
fn below(target: &ShellArg, source: &ShellArg) -> ShellArg {
    let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    ShellArg {
        text: format!("{}/{name}", target.text.trim_end_matches('/')),
        is_pattern: target.is_pattern || source.is_pattern,
        ..target.clone()
    }
}

/// Writes the target of a copy: the path itself, and the file of the same name below it.
fn write_target(walk: &mut CommandWalk<'_>, program: &str, target: &ShellArg, source: &ShellArg, flow: &TextFlow) {
    walk.write_file(program, target, "replace", flow.clone());
    let inside = below(target, source);
    let placed = walk.place(&inside);
    if placed.tags.iter().any(|tag| *tag != OperationTag::Pattern && *tag != OperationTag::GitDirectory) {
        walk.write_file(program, &inside, "replace", flow.clone());
    } else {
        walk.note_written(&inside, flow.clone());
    }
}

pub(super) fn run_move(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let (target, sources) = target_and_sources(parsed);
    for source in sources {
        let flow = walk.written_before(source).unwrap_or_default();
        let placed = walk.push_path(Operation::new(OperationKind::Move, call.name), source);
        let mut flow = flow;
        if placed.tags.contains(&OperationTag::Secret) {
            flow.taint |= Taint::SECRET | Taint::FILE;
        }
        if let Some(target) = target {
            write_target(walk, call.name, target, source, &flow);
        }
    }
    TextFlow::known("")
}

pub(super) fn run_copy(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if call.name.ends_with("install") && parsed.has("d", "directory") {
        return TextFlow::known("");
    }
    let is_recursive = parsed.has("r", "recursive") || parsed.has("R", "recursive") || parsed.has("a", "archive");
    let (target, sources) = target_and_sources(parsed);
    for source in sources {
        let flow = walk.read_file(call.name, source, is_recursive);
        if let Some(target) = target {
            if parsed.has("s", "symbolic-link") {
                walk.note_link(source, target);
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
            None => below(&ShellArg::new("."), source),
        };
        walk.push_path(Operation::new(OperationKind::Write, call.name).action("link"), &link);
        let placed = walk.place(source);
        if placed.tags.contains(&OperationTag::Secret) {
            walk.read_file(call.name, source, false);
        }
        if let Some(before) = walk.written_before(source) {
            walk.note_written(&link, before);
        }
        walk.note_link(source, &link);
        walk.note_link(source, &below(&link, source));
    }
    TextFlow::known("")
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

pub(super) fn run_chmod(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_recursive = parsed.has("R", "recursive");
    // A mode such as `-x` looks like an option.
    let removed = call.args.iter().find(|arg| {
        arg.text.len() > 1
            && arg.text.starts_with('-')
            && arg.text.chars().skip(1).all(|letter| "rwxXst".contains(letter))
    });
    let (mode, paths) = match (removed, parsed.operands.split_first()) {
        (Some(mode), _) => (mode.text.as_str(), parsed.operands.as_slice()),
        (None, Some((mode, paths))) => (mode.text.as_str(), paths),
        (None, None) => return TextFlow::known(""),
    };
    for path in paths {
        let operation = Operation::new(OperationKind::Permission, call.name)
            .action(mode)
            .tag_if(is_recursive, OperationTag::Recursive)
            .tag_if(is_too_open(mode), OperationTag::TooOpen);
        walk.push_path(operation, path);
    }
    TextFlow::known("")
}

pub(super) fn run_chown(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_recursive = parsed.has("R", "recursive") || call.has_arg(&["/T", "/t", "/r", "/R"]);
    let is_windows = matches!(call.name, "icacls" | "takeown");
    let skipped = usize::from(!is_windows && !matches!(call.name, "setfacl") && !parsed.has("", "reference"));
    for path in parsed.operands.iter().skip(skipped) {
        let operation = Operation::new(OperationKind::Permission, call.name)
            .action(if call.name == "chattr" || call.name == "chflags" { "attributes" } else { "owner" })
            .tag_if(is_recursive, OperationTag::Recursive);
        walk.push_path(operation, path);
    }
    TextFlow::known("")
}

pub(super) fn run_dd(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let operand = |name: &str| {
        call.args.iter().find_map(|arg| Some(ShellArg { text: arg.text.strip_prefix(name)?.to_owned(), ..arg.clone() }))
    };
    let flow = match operand("if=") {
        Some(file) => walk.read_file(call.name, &file, false),
        None => call.stdin.clone(),
    };
    match operand("of=") {
        Some(file) => {
            walk.write_file(call.name, &file, "replace", flow);
            TextFlow::known("")
        }
        None => flow,
    }
}

pub(super) fn run_tee(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let action = if parsed.has("a", "append") { "append" } else { "replace" };
    for file in &parsed.operands {
        if !file.text.starts_with("/dev/fd/") && !file.text.starts_with("/dev/std") && file.text != "/dev/null" {
            walk.write_file(call.name, file, action, call.stdin.clone());
        }
    }
    call.stdin.clone()
}

pub(super) fn run_sed(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let scripts: Vec<&ShellArg> = parsed.values("e", "expression").collect();
    let has_script = !scripts.is_empty() || parsed.has("f", "file");
    let operands = parsed.operands.as_slice();
    let (script, files) = match operands.split_first() {
        Some((script, files)) if !has_script => (Some(*script), files),
        _ => (None, operands),
    };
    for script in scripts.into_iter().chain(script) {
        check_sed_script(walk, call, &script.text);
    }
    // `-i`, `-i.bak`, `-Ei`, `--in-place=.bak`.
    let in_place = call.args.iter().any(|arg| {
        let text = arg.text.as_str();
        text.starts_with("--in-p")
            || text.starts_with('-')
                && !text.starts_with("--")
                && text.chars().skip(1).take_while(|letter| *letter != 'e').any(|letter| letter == 'i')
    });
    if in_place {
        for file in files {
            walk.write_file(call.name, file, "edit", TextFlow::of(Taint::DECODED));
        }
        return TextFlow::known("");
    }
    let mut flow = read_operands(walk, call, files.iter().copied(), false);
    if flow.text.is_some() {
        flow.taint |= Taint::DECODED;
    }
    flow.text = None;
    flow
}

/// The commands of a script that run programs or write files: `e`, `w`, and the flags of `s`.
fn check_sed_script(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, script: &str) {
    for line in script.split(['\n', ';']) {
        let line = line.trim().trim_start_matches(|letter: char| letter.is_ascii_digit() || "$,! ".contains(letter));
        if let Some(command) = line.strip_prefix('e').filter(|rest| rest.starts_with(' ') || rest.is_empty()) {
            walk.run_line(command.trim(), &TextFlow::default());
            if command.trim().is_empty() {
                walk.push_code(Taint::DECODED, call.name, "sed runs its input");
            }
        } else if let Some(rest) = line.strip_prefix('s') {
            let Some(separator) = rest.chars().next().filter(|letter| !letter.is_alphanumeric()) else { continue };
            let parts: Vec<&str> = rest.split(separator).collect();
            let flags = parts.get(3).copied().unwrap_or_default();
            let is_flags = flags
                .split_whitespace()
                .next()
                .is_some_and(|flags| flags.chars().all(|letter| letter.is_ascii_alphanumeric()));
            if is_flags && flags.split_whitespace().next().is_some_and(|flags| flags.contains('e')) {
                walk.run_line(parts.get(2).copied().unwrap_or_default(), &TextFlow::default());
                walk.push_code(Taint::DECODED, call.name, "sed runs what it substitutes");
            }
            if let Some((_, file)) = flags.split_once("w ") {
                walk.write_file(call.name, &ShellArg::new(file.trim()), "replace", TextFlow::of(Taint::DECODED));
            }
        } else if let Some(file) = line.strip_prefix("w ").or_else(|| line.strip_prefix("W ")) {
            walk.write_file(call.name, &ShellArg::new(file.trim()), "replace", TextFlow::of(Taint::DECODED));
        } else if let Some(file) = line.strip_prefix("r ") {
            walk.read_file(call.name, &ShellArg::new(file.trim()), false);
        }
    }
}

pub(super) fn run_rsync(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_remote = |text: &str| {
        text.contains("://")
            || text.split_once(':').is_some_and(|(host, _)| {
                !host.is_empty() && !host.contains('/') && (host.len() > 1 || call.name == "rclone")
            })
    };
    let operands: &[&ShellArg] = match (call.name, parsed.operands.split_first()) {
        // The first operand of rclone is its subcommand.
        ("rclone", Some((_, rest))) => rest,
        _ => &parsed.operands,
    };
    for shell in parsed.values("e", "rsh") {
        let is_plain = shell.text.split_whitespace().next().is_some_and(|program| program.ends_with("ssh"));
        if !is_plain || shell.text.contains("ProxyCommand") {
            walk.run_line(&shell.text, &TextFlow::default());
        }
    }
    let Some((target, sources)) = operands.split_last() else { return TextFlow::known("") };
    let is_local_target = !is_remote(&target.text);
    for source in sources {
        if is_remote(&source.text) {
            walk.push(Operation::new(OperationKind::Download, call.name).written(source.shown()));
            continue;
        }
        let flow = walk.read_file(call.name, source, true);
        let placed = walk.place(source);
        if !is_local_target {
            let host = target.text.split(':').next().unwrap_or_default();
            let mut operation = (flow.taint | Taint::FILE)
                .tag(Operation::new(OperationKind::Upload, call.name).action("copy").written(target.shown()));
            operation.place = Some(placed.place);
            walk.push(operation.tag_if(super::network::is_local_host(host), OperationTag::Local));
        }
        if call.has_arg(&["--remove-source-files"]) {
            walk.push_path(Operation::new(OperationKind::Delete, call.name).tag(OperationTag::Recursive), source);
        }
    }
    if is_local_target {
        let deletes = call.args.iter().any(|arg| arg.text.starts_with("--del"))
            || call.first_operand() == Some("sync") && call.name == "rclone";
        if deletes {
            walk.push_path(Operation::new(OperationKind::Delete, call.name).tag(OperationTag::Recursive), target);
        }
        for source in sources {
            write_target(walk, call.name, target, source, &TextFlow::default());
        }
    }
    TextFlow::of(Taint::OUTPUT)
}

pub(super) fn run_tar(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for program in parsed.values("I", "use-compress-program").chain(parsed.values("", "to-command")) {
        let is_plain = program.text.split_whitespace().next().is_some_and(|name| {
            matches!(
                super::super::walk::program_name(name).as_str(),
                "gzip" | "pigz" | "zstd" | "xz" | "bzip2" | "lz4" | "pzstd" | "zstdmt"
            )
        });
        if !is_plain {
            walk.run_line(&program.text, call.stdin);
            walk.push_code(Taint::NONE, call.name, "tar runs another program");
        }
    }
    for action in parsed.values("", "checkpoint-action") {
        if let Some(command) = action.text.strip_prefix("exec=") {
            walk.run_line(command, call.stdin);
            walk.push_code(Taint::NONE, call.name, "tar runs another program");
        }
    }
    // The old form: `tar czf a.tgz b`.
    let bundled = call
        .args
        .first()
        .filter(|arg| !arg.text.starts_with('-') && arg.text.chars().all(|letter| letter.is_ascii_alphabetic()));
    let letters = bundled.map(|arg| arg.text.as_str()).unwrap_or_default();
    let has = |letter: &str, name: &str| parsed.has(letter, name) || letters.contains(letter);
    let mut operands: Vec<ShellArg> =
        parsed.operands.iter().skip(usize::from(bundled.is_some())).map(|arg| (*arg).clone()).collect();
    let archive = match parsed.values("f", "file").next() {
        Some(archive) => Some(archive.clone()),
        None if letters.contains('f') && !operands.is_empty() => Some(operands.remove(0)),
        None => None,
    };
    let cwd = walk.cwd.clone();
    if let Some(directory) = parsed.values("C", "directory").next() {
        walk.enter_directory(directory);
    }
    let mut flow = TextFlow::default();
    if has("c", "create") || has("r", "append") || has("u", "update") {
        for operand in &operands {
            flow.append(walk.read_file(call.name, operand, true));
        }
        for list in parsed.values("T", "files-from") {
            flow.append(walk.read_file(call.name, list, false));
        }
        flow.taint |= Taint::FILE;
        if call.has_arg(&["--remove-files"]) {
            for operand in &operands {
                walk.push_path(Operation::new(OperationKind::Delete, call.name).tag(OperationTag::Recursive), operand);
            }
        }
        walk.cwd.clone_from(&cwd);
        flow.text = None;
        match archive.filter(|archive| archive.text != "-") {
            Some(archive) => walk.write_file(call.name, &archive, "replace", TextFlow::of(flow.taint)),
            None => return TextFlow::of(flow.taint),
        }
    } else if has("x", "extract") || has("x", "get") {
        let source = match &archive {
            Some(archive) if archive.text != "-" => walk.written_before(archive).unwrap_or_default(),
            _ => call.stdin.clone(),
        };
        if parsed.has("O", "to-stdout") {
            walk.cwd = cwd;
            return TextFlow::of(source.taint | Taint::FILE);
        }
        let targets = if operands.is_empty() { vec![ShellArg::new("./archive")] } else { operands };
        for target in targets {
            walk.write_file(call.name, &target, "unpack", TextFlow::of(source.taint));
        }
    }
    walk.cwd = cwd;
    TextFlow::of(Taint::NAMES)
}

pub(super) fn run_archive(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_recursive = true;
    if call.name == "zip"
        && let Some(command) = parsed
            .values("", "unzip-command")
            .next()
            .or_else(|| call.args.iter().skip_while(|arg| arg.text != "-TT").nth(1))
    {
        walk.run_line(&command.text, call.stdin);
        walk.push_code(Taint::NONE, call.name, "zip runs another program");
    }
    let is_filter = matches!(call.name, "gzip" | "bzip2" | "xz" | "zstd" | "pigz" | "lz4");
    let decodes = is_filter && parsed.has("d", "decompress");
    let skipped = match call.name {
        "7z" | "7za" | "7zz" | "rar" | "ar" => 2,
        "zip" => 1,
        _ => 0,
    };
    let files: Vec<&ShellArg> = parsed.operands.iter().skip(skipped).copied().collect();
    let has_files = !files.is_empty();
    let mut flow = read_operands(walk, call, files.into_iter(), is_recursive);
    flow.text = None;
    if decodes {
        flow.taint |= Taint::DECODED;
    }
    if skipped > 0
        && has_files
        && let Some(archive) = parsed.operands.get(skipped - 1).filter(|archive| archive.text != "-")
    {
        walk.write_file(call.name, archive, "replace", TextFlow::of(flow.taint));
    }
    if is_filter
        && has_files
        && !parsed.has("c", "stdout")
        && let Some(file) = parsed.operands.first()
    {
        let packed = ShellArg { text: format!("{}.gz", file.text), ..(*file).clone() };
        walk.note_written(&packed, TextFlow::of(flow.taint));
    }
    flow
}

pub(super) fn run_unpack(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let target = parsed.values("d", "").next().cloned().unwrap_or_else(|| ShellArg::new("./archive"));
    let mut flow = match parsed.operands.first() {
        Some(archive) => walk.written_before(archive).unwrap_or_else(|| TextFlow::of(Taint::FILE)),
        None => call.stdin.clone(),
    };
    flow.text = None;
    let prints = parsed.has("p", "") || parsed.has("c", "stdout") || call.name != "unzip" && parsed.operands.is_empty();
    if prints {
        flow.taint |= Taint::DECODED;
        return flow;
    }
    if !parsed.has("l", "list") && !parsed.has("t", "test") {
        walk.write_file(call.name, &target, "unpack", flow);
        for inner in parsed.operands.iter().skip(1) {
            walk.write_file(call.name, inner, "unpack", TextFlow::default());
        }
    }
    TextFlow::of(Taint::NAMES)
}

pub(super) fn run_editor(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_vi = matches!(call.name, "vi" | "vim" | "nvim" | "ex" | "vimx" | "rvim");
    if is_vi {
        let given = call.args.iter().filter_map(|arg| arg.text.strip_prefix('+')).map(str::to_owned);
        let commands: Vec<String> =
            parsed.values("c", "").map(|arg| arg.text.clone()).chain(given).chain(call.stdin.text.clone()).collect();
        for command in commands.iter().flat_map(|text| text.split(['|', '\n'])) {
            let command = command.trim().trim_start_matches([':', '%', '\'', '"']);
            if let Some(shell) =
                command.strip_prefix('!').or_else(|| command.strip_prefix("r !")).or_else(|| command.strip_prefix("r!"))
            {
                walk.run_line(shell, &TextFlow::default());
            } else if let Some(code) = ["py3 ", "py ", "python3 ", "lua ", "call ", "perl ", "ruby "]
                .iter()
                .find_map(|prefix| command.strip_prefix(prefix))
            {
                crate::code::read_code(walk, "python", code, &TextFlow::default());
            }
            if let Some(file) = command
                .strip_prefix("w ")
                .or_else(|| command.strip_prefix("w! "))
                .or_else(|| command.strip_prefix("saveas "))
            {
                walk.write_file(call.name, &ShellArg::new(file.trim()), "replace", TextFlow::of(Taint::DECODED));
            }
            if let Some(file) = command.strip_prefix("r ").or_else(|| command.strip_prefix("e ")) {
                walk.read_file(call.name, &ShellArg::new(file.trim()), false);
            }
        }
    }
    if matches!(call.name, "ed" | "red")
        && let Some(text) = &call.stdin.text
    {
        for line in text.lines() {
            if let Some(shell) = line.trim().strip_prefix('!') {
                walk.run_line(shell, &TextFlow::default());
            }
        }
    }
    if call.name.starts_with("emacs") && call.has_arg(&["--eval", "-f", "--batch", "-l"]) {
        let text: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
        crate::code::read_code(walk, "elisp", &text.join(" "), &TextFlow::default());
    }
    for file in parsed.operands.iter().filter(|file| !file.text.starts_with('+')) {
        walk.write_file(call.name, file, "edit", TextFlow::of(Taint::DECODED));
        if walk.place(file).tags.contains(&OperationTag::Secret) {
            walk.read_file(call.name, file, false);
        }
    }
    TextFlow::of(Taint::OUTPUT)
}

pub(super) fn run_patch(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let cwd = walk.cwd.clone();
    if let Some(directory) = parsed.values("d", "directory").next() {
        walk.enter_directory(directory);
    }
    let given = parsed.values("i", "input").next().or_else(|| parsed.operands.get(1).copied());
    let flow = match given {
        Some(file) => walk.read_file(call.name, file, false),
        None => call.stdin.clone(),
    };
    let strips = parsed.values("p", "strip").next().and_then(|count| count.text.parse::<usize>().ok());
    patch_files(walk, call.name, &flow, strips);
    for file in parsed.operands.iter().take(1) {
        walk.write_file(call.name, file, "edit", TextFlow::of(Taint::DECODED));
    }
    walk.cwd = cwd;
    TextFlow::known("")
}

/// Writes the files that a patch names.
pub(super) fn patch_files(walk: &mut CommandWalk<'_>, program: &str, patch: &TextFlow, strips: Option<usize>) {
    let Some(text) = &patch.text else { return };
    for line in text.lines() {
        let named = [
            "+++ ",
            "--- ",
            "rename to ",
            "rename from ",
            "*** Update File: ",
            "*** Add File: ",
            "*** Delete File: ",
            "*** Move to: ",
        ]
        .iter()
        .find_map(|prefix| line.strip_prefix(prefix));
        let Some(name) =
            named.map(|name| name.split('\t').next().unwrap_or(name).trim()).filter(|name| *name != "/dev/null")
        else {
            continue;
        };
        let is_prefixed = name.starts_with("a/") || name.starts_with("b/");
        let count = strips.unwrap_or(usize::from(is_prefixed));
        let path = name.splitn(count + 1, '/').last().unwrap_or(name);
        walk.write_file(program, &ShellArg::new(path), "edit", TextFlow::of(Taint::DECODED));
    }
}
