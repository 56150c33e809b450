//! Programs that pack, unpack and mirror files.

use super::files::{is_host_path, join_below, write_target};
use super::program::read_operands;
use super::table::facts_of;
use crate::address::push_address;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind, OperationTag};

pub(super) fn run_rsync(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_remote = |text: &str| {
        text.contains("://")
            || text.split_once(':').is_some_and(|(host, _)| {
                // `:sftp,host=…:` is a remote that is made up in the call.
                call.name == "rclone" && !host.contains('/') || is_host_path(text)
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
            if is_local_target {
                let inside = join_below(target, source);
                // `HOST:DIRECTORY/` is what is in the directory.
                let is_content = source.text.ends_with('/') || source.text.contains('*') || call.name == "rclone";
                walk.note_unpacked(if is_content { target } else { &inside }, TextTaint::NETWORK);
            }
            continue;
        }
        let mut flow = walk.read_file(call.name, source, true);
        flow.taint |= walk.sweep(call, &[source]);
        let placed = walk.place(source);
        if !is_local_target {
            let host = target.text.split(':').next().unwrap_or_default();
            // A remote that is made up in the call is no place to which a project is usually copied.
            let action = if host.is_empty() { "" } else { "copy" };
            let is_local = !host.is_empty() && crate::address::is_local_host(host);
            let mut operation = (flow.taint | TextTaint::FILE)
                .tag(Operation::new(OperationKind::Upload, call.name).action(action).written(target.shown()));
            operation.place = Some(placed.place);
            walk.push(operation.tag_if(is_local, OperationTag::Local));
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
            let taint = if is_remote(&source.text) { TextTaint::NETWORK } else { TextTaint::NONE };
            write_target(walk, call.name, target, source, &TextFlow::from_taint(taint));
        }
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

/// The arguments with an option for each letter of the old form, `tar czf a.tgz b`; `None` for the usual one.
fn unbundled(call: &ProgramCall<'_>) -> Option<Vec<ShellArg>> {
    let (letters, rest) = call.args.split_first()?;
    if letters.text.is_empty() || !letters.text.bytes().all(|letter| letter.is_ascii_alphabetic()) {
        return None;
    }
    let grammar = facts_of(call.name).grammar();
    let mut rest = rest.iter().cloned().peekable();
    let mut args = Vec::new();
    for letter in letters.text.chars() {
        args.push(ShellArg::new(format!("-{letter}")));
        args.extend(rest.next_if(|_| grammar.takes_value(letter)));
    }
    args.extend(rest);
    Some(args)
}

pub(super) fn run_tar(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if let Some(args) = unbundled(call) {
        return super::run_program(walk, &ProgramCall { args: &args, ..*call });
    }
    let has = |letter: &str, name: &str| parsed.has(letter, name);
    let archive = parsed.values("f", "file").next();
    // GNU tar reaches an archive of another machine by itself.
    let is_remote = archive.is_some_and(|archive| is_host_path(&archive.text)) && !has("", "force-local");
    let notes = ["index-file", "volno-file"].map(|name| parsed.values("", name));
    for file in parsed.values("g", "listed-incremental").chain(notes.into_iter().flatten()) {
        walk.write_file(call.name, file, "replace", TextFlow::from_taint(TextTaint::NAMES));
    }
    let adds = has("r", "append") || has("u", "update") || has("A", "catenate") || has("", "concatenate");
    let extracts = has("x", "extract") || has("x", "get");
    let source = match archive {
        Some(archive) if is_remote && extracts => {
            push_address(walk, OperationKind::Download, call.name, &archive.shown(), TextTaint::NONE);
            TextFlow::from_taint(TextTaint::NETWORK)
        }
        Some(archive) if archive.text != "-" => walk.written_before(archive).unwrap_or_default(),
        _ => call.stdin.clone(),
    };
    let cwd = walk.state.cwd.clone();
    for directory in parsed.values("C", "directory").chain(parsed.values("", "one-top-level")) {
        walk.enter_directory(directory);
    }
    let mut flow = TextFlow::default();
    if has("c", "create") || adds {
        for operand in parsed.operands.iter().copied().chain(parsed.values("", "add-file")) {
            flow.append(walk.read_file(call.name, operand, true));
            flow.taint |= walk.sweep(call, &[operand]);
        }
        for list in parsed.values("T", "files-from") {
            flow.append(walk.read_file(call.name, list, false));
        }
        flow.taint |= TextTaint::FILE;
        if has("", "remove-files") {
            for operand in &parsed.operands {
                walk.push_path(Operation::new(OperationKind::Delete, call.name).tag(OperationTag::Recursive), operand);
            }
        }
        walk.state.cwd.clone_from(&cwd);
        match archive.filter(|archive| archive.text != "-") {
            Some(archive) if is_remote => {
                push_address(walk, OperationKind::Upload, call.name, &archive.shown(), flow.taint);
            }
            Some(archive) => walk.write_file(call.name, archive, "replace", TextFlow::from_taint(flow.taint)),
            None => return TextFlow::from_taint(flow.taint),
        }
    } else if extracts {
        if has("O", "to-stdout") {
            walk.state.cwd = cwd;
            return TextFlow::from_taint(source.taint | TextTaint::FILE);
        }
        if source.taint.has(TextTaint::NETWORK) {
            walk.note_unpacked(&ShellArg::new("."), TextTaint::NETWORK);
        }
        let here = ShellArg::new(".");
        let targets = if parsed.operands.is_empty() { vec![&here] } else { parsed.operands.clone() };
        for target in targets {
            walk.write_file(call.name, target, "unpack", TextFlow::from_taint(source.taint));
        }
    } else if let Some(archive) = archive.filter(|_| has("", "delete")) {
        walk.write_file(call.name, archive, "edit", TextFlow::from_taint(TextTaint::FILE));
    }
    walk.state.cwd = cwd;
    TextFlow::from_taint(TextTaint::NAMES)
}

pub(super) fn run_archive(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if let Some(directory) = extraction_directory(call, parsed) {
        let source = parsed.operands.get(1).and_then(|archive| walk.written_before(archive));
        unpack_into(walk, call, &directory, &source.unwrap_or_else(|| call.stdin.clone()));
        return TextFlow::from_taint(TextTaint::NAMES);
    }
    let is_recursive = true;
    let is_filter = matches!(call.name, "gzip" | "bzip2" | "xz" | "zstd" | "pigz" | "lz4");
    let decodes = is_filter && parsed.has("d", "decompress");
    let skipped = match call.name {
        "7z" | "7za" | "7zz" | "rar" | "ar" => 2,
        "zip" => 1,
        _ => 0,
    };
    let files: Vec<&ShellArg> = parsed.operands.iter().skip(skipped).copied().collect();
    let has_files = !files.is_empty();
    let moves = match call.name {
        "zip" => parsed.has("m", "move"),
        "7z" | "7za" | "7zz" => call.has_arg(&["-sdel"]),
        "rar" => call.has_arg(&["-df", "-dw", "m", "mf"]),
        _ => false,
    };
    for file in files.iter().filter(|_| moves) {
        walk.push_path(Operation::new(OperationKind::Delete, call.name).tag(OperationTag::Recursive), file);
    }
    let swept = if is_filter || call.name == "zip" && !parsed.has("r", "recurse-paths") {
        TextTaint::NONE
    } else {
        walk.sweep(call, &files)
    };
    let mut flow = read_operands(walk, call, files.into_iter(), is_recursive);
    flow.taint |= swept;
    flow.text = None;
    if decodes {
        flow.taint |= TextTaint::DECODED;
    }
    if skipped > 0
        && has_files
        && let Some(archive) = parsed.operands.get(skipped - 1).filter(|archive| archive.text != "-")
    {
        walk.write_file(call.name, archive, "replace", TextFlow::from_taint(flow.taint));
    }
    let is_asked = parsed.has("t", "test") || parsed.has("l", "list") || parsed.has("c", "stdout");
    if is_filter && !is_asked {
        for file in &parsed.operands {
            let made = if decodes { without_ending(file) } else { file.with_text(packed_name(call.name, &file.text)) };
            walk.write_file(call.name, &made, "replace", TextFlow::from_taint(flow.taint));
        }
    }
    flow
}

/// The directory into which an archive is unpacked; `None` if the call does something else.
fn extraction_directory(call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> Option<ShellArg> {
    let extracts = match call.name {
        "cpio" => parsed.has("i", "extract") && !parsed.has("t", "list"),
        "pax" => parsed.has("r", "") && !parsed.has("w", ""),
        "ar" => call.first_operand().is_some_and(|letters| letters.trim_start_matches('-').starts_with('x')),
        "7z" | "7za" | "7zz" | "rar" => matches!(call.first_operand(), Some("x" | "e")),
        _ => false,
    };
    let named = match call.name {
        "cpio" => parsed.values("D", "directory").next(),
        "7z" | "7za" | "7zz" => parsed.values("o", "").next(),
        "rar" => parsed.operands.get(2).copied(),
        _ => None,
    };
    extracts.then(|| named.cloned().unwrap_or_else(|| ShellArg::new(".")))
}

/// Writes what an archive has below a directory.
fn unpack_into(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, directory: &ShellArg, flow: &TextFlow) {
    if flow.taint.has(TextTaint::NETWORK) {
        walk.note_unpacked(directory, flow.taint);
    }
    walk.write_file(call.name, directory, "unpack", TextFlow::from_taint(flow.taint));
}

/// The name of the file that a program makes of another one.
fn packed_name(program: &str, file: &str) -> String {
    let ending = match program {
        "bzip2" => "bz2",
        "xz" => "xz",
        "zstd" => "zst",
        "lz4" => "lz4",
        _ => "gz",
    };
    format!("{file}.{ending}")
}

/// The file that is unpacked from another one: its name without the ending.
fn without_ending(file: &ShellArg) -> ShellArg {
    match file.text.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && !ending.contains('/') => file.with_text(stem.to_owned()),
        _ => file.clone(),
    }
}

pub(super) fn run_unpack(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let option = if call.name == "unar" { "o" } else { "d" };
    let target = parsed.values(option, "output-directory").next().cloned().unwrap_or_else(|| ShellArg::new("."));
    let mut flow = match parsed.operands.first() {
        Some(archive) => walk.written_before(archive).unwrap_or_else(|| TextFlow::from_taint(TextTaint::FILE)),
        None => call.stdin.clone(),
    };
    flow.text = None;
    let prints = parsed.has("p", "") || parsed.has("c", "stdout") || call.name != "unzip" && parsed.operands.is_empty();
    if prints {
        flow.taint |= TextTaint::DECODED;
        return flow;
    }
    if parsed.has("l", "list") || parsed.has("t", "test") {
        return TextFlow::from_taint(TextTaint::NAMES);
    }
    if matches!(call.name, "gunzip" | "bunzip2" | "unxz") {
        for packed in &parsed.operands {
            walk.write_file(call.name, &without_ending(packed), "unpack", flow.clone());
        }
    } else {
        unpack_into(walk, call, &target, &flow);
        for inner in parsed.operands.iter().skip(1) {
            // A pattern of names: the directory in front of it.
            let plain = inner.text.split(['*', '?', '[']).next().unwrap_or_default().trim_end_matches('/');
            let inner = ShellArg { text: plain.to_owned(), is_pattern: false, ..(*inner).clone() };
            walk.write_file(call.name, &inner, "unpack", TextFlow::default());
        }
    }
    TextFlow::from_taint(TextTaint::NAMES)
}
