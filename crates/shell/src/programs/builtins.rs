//! Builtins of shells: what they keep for the commands behind them.

use crate::secret_name::is_secret_name;
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind, OperationTag};

/// The most values of an array that are kept.
const MAX_PARTS: usize = 256;

/// `hash -p FILE NAME`, and in zsh `hash NAME=FILE` and `hash -d NAME=DIRECTORY`: what a name stands for.
pub(super) fn run_hash(walk: &mut CommandWalk<'_>, _: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for (path, name) in parsed.values("p", "").zip(&parsed.operands) {
        walk.set_alias(&name.text, &path.text);
    }
    for (name, value) in parsed.operands.iter().filter_map(|arg| super::wrappers::assignment_of(arg)) {
        if parsed.has("d", "") {
            walk.set_variable(&format!("~{name}"), vec![value]);
        } else {
            walk.set_alias(&name, &value.text);
        }
    }
    TextFlow::known("")
}

/// `cd`, `pushd`.
pub(super) fn run_cd(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_push = call.name == "pushd";
    walk.note_directory(parsed.operands.first().copied().unwrap_or(&ShellArg::new("~")));
    let directory = match parsed.operands.first() {
        Some(directory) if directory.text == "-" => walk.previous_cwd(),
        // `CDPATH` names other directories in which it is looked for.
        Some(directory) if !directory.text.starts_with(['/', '.']) && walk.variable("CDPATH").is_some() => None,
        // `cd OLD NEW`: zsh changes a part of the path.
        Some(_) if parsed.operands.len() > 1 && walk.is_otherwise_in_zsh() => None,
        // `pushd +1` turns the stack.
        Some(directory) if is_push && directory.text.starts_with('+') => None,
        Some(directory) => walk.find_directory(directory),
        None if call.has_arg(&["-"]) => walk.previous_cwd(),
        None if is_push => None,
        None => walk.site.home.map(std::rc::Rc::from),
    };
    if is_push {
        walk.push_directory();
    }
    let source = parsed.operands.first().and_then(|directory| walk.directory_source(directory));
    walk.change_directory(directory, source);
    TextFlow::known("")
}

/// `popd`.
pub(super) fn run_popd(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let directory = walk.pop_directory().filter(|_| call.args.is_empty());
    walk.change_directory(directory, None);
    TextFlow::known("")
}

/// `trap 'rm -rf "$tmp"' EXIT`: its text runs in the end, or at any time.
pub(super) fn run_trap(walk: &mut CommandWalk<'_>, _: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if let [line, _signal, ..] = parsed.operands.as_slice() {
        walk.set_trap(&line.text);
    }
    TextFlow::known("")
}

/// `shift`.
pub(super) fn run_shift(walk: &mut CommandWalk<'_>, _: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let count = parsed.operands.first().map_or(Some(1), |count| count.text.parse::<usize>().ok());
    let args = walk.variable("@");
    let rest = count.zip(args).map(|(count, args)| args.get(count..).unwrap_or_default().to_vec());
    match rest {
        Some(rest) => walk.set_arguments(rest),
        None => walk.forget_arguments(),
    }
    TextFlow::known("")
}

/// `getopts LETTERS NAME`.
pub(super) fn run_getopts(walk: &mut CommandWalk<'_>, _: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for name in parsed.operands.get(1).map(|name| name.text.as_str()).into_iter().chain(["OPTARG"]) {
        walk.set_variable(name, vec![ShellArg::unknown(TextTaint::NONE)]);
    }
    TextFlow::known("")
}

pub(super) fn run_export(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let mut is_listing = true;
    let prints = call.args.iter().any(|arg| arg.text.starts_with("-p"));
    if prints && call.args.iter().any(|arg| is_secret_name(&arg.text)) {
        return TextFlow::from_taint(TextTaint::SECRET);
    }
    let has_letter = |letter: char| {
        call.args
            .iter()
            .any(|arg| arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains(letter))
    };
    if matches!(call.name, "declare" | "typeset" | "local") && has_letter('n') {
        for arg in call.args.iter().filter(|arg| !arg.text.starts_with('-')) {
            let (name, other) = arg.text.split_once('=').unwrap_or((&arg.text, &arg.text));
            walk.set_reference(name, other);
        }
        return TextFlow::known("");
    }
    let is_local = call.name == "local" || matches!(call.name, "declare" | "typeset") && !has_letter('g');
    for arg in call.args {
        if let Some((name, value)) = super::wrappers::assignment_of(arg) {
            is_listing = false;
            if is_local {
                walk.note_local(&name);
            }
            walk.set_variable(&name, vec![value]);
        } else if !arg.text.starts_with('-') {
            is_listing = false;
            if is_local {
                walk.note_local(&arg.text);
            }
        }
    }
    if is_listing { TextFlow::from_taint(TextTaint::ENVIRONMENT) } else { TextFlow::known("") }
}

/// An input as `read` takes it: a backslash quotes the letter behind it, and continues a line.
fn without_escapes(input: &TextFlow, is_raw: bool) -> TextFlow {
    let mut input = input.clone();
    if let Some(text) = input.text.as_mut().filter(|text| !is_raw && text.contains('\\')) {
        let written = std::mem::take(text).replace("\\\n", "");
        let mut letters = written.chars();
        while let Some(letter) = letters.next() {
            text.extend(if letter == '\\' { letters.next() } else { Some(letter) });
        }
    }
    input
}

/// `read NAME`: a line of the input.
pub(super) fn run_read(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    // `read -u 3`
    let descriptor = parsed.values("u", "").next().map(|number| ShellArg::new(format!("/dev/fd/{}", number.text)));
    let given = descriptor.map(|descriptor| walk.written_before(&descriptor).unwrap_or_default());
    let input = &without_escapes(given.as_ref().unwrap_or(call.stdin), call.name != "read" || parsed.has("r", ""));
    let default = if call.name == "read" { "REPLY" } else { "MAPFILE" };
    let names: Vec<&str> = match parsed.operands.as_slice() {
        [] => vec![default],
        names => names.iter().map(|name| name.text.as_str()).collect(),
    };
    let array = match call.name {
        "read" => parsed.values("a", "").next().map(|array| array.text.as_str()),
        _ => names.first().copied(),
    };
    let separators = if call.name == "read" { walk.separators("") } else { vec!['\n'] };
    if let (Some(array), Some(text)) = (array, &input.text) {
        let parts = text.split(separators.as_slice()).filter(|part| !part.is_empty()).take(MAX_PARTS);
        let values = parts.map(|part| ShellArg { taint: input.taint, ..ShellArg::new(part) }).collect();
        walk.set_variable(array, values);
        return TextFlow::known("");
    }
    let names = array.map_or(names, |array| vec![array]);
    let is_single_line = input.text.as_ref().is_some_and(|text| !text.trim_end_matches('\n').contains('\n'));
    for (index, name) in names.iter().enumerate() {
        let value = match (&input.text, input.listed.first()) {
            (Some(text), _) if is_single_line => {
                let mut words = text.trim_end_matches('\n').splitn(names.len(), separators.as_slice());
                ShellArg { taint: input.taint, ..ShellArg::new(words.nth(index).unwrap_or_default()) }
            }
            (Some(text), _) if names.len() == 1 && call.name == "read" => {
                let lines = text.lines().take(MAX_PARTS).chain([text.as_str()]);
                walk.set_any(name, lines.map(|line| ShellArg { taint: input.taint, ..ShellArg::new(line) }).collect());
                continue;
            }
            // One of the listed files.
            (None, Some(listed)) if names.len() == 1 && !walk.notes_files() => {
                let is_secret = walk.place(&listed.root).tags.contains(&OperationTag::Secret);
                let joined = if listed.is_recursive && !is_secret {
                    format!(
                        "{}/{}",
                        listed.root.text.trim_end_matches('/'),
                        if listed.is_filtered { "?.?" } else { "*" }
                    )
                } else {
                    listed.root.text.clone()
                };
                ShellArg { taint: input.taint, is_pattern: true, ..ShellArg::new(joined) }
            }
            _ if walk.notes_files() => ShellArg::unknown(TextTaint::NONE),
            _ => ShellArg::unknown(input.taint),
        };
        walk.set_variable(name, vec![value]);
    }
    TextFlow::known("")
}

/// `set +o history`, `unset HISTFILE`, `unset PINTLE_…`.
pub(super) fn run_set(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let hides_history = call.name == "set" && call.has_arg(&["+o"]) && call.has_arg(&["history"])
        || call.name == "unset" && call.has_arg(&["HISTFILE", "PROMPT_COMMAND"]);
    if hides_history {
        walk.push(Operation::new(OperationKind::System, call.name).action("logs"));
    }
    if call.args.is_empty() {
        return TextFlow::from_taint(TextTaint::ENVIRONMENT);
    }
    if call.name == "set" {
        if let Some(mark) = call.args.iter().position(|arg| matches!(arg.text.as_str(), "--" | "-")) {
            walk.set_arguments(call.args.get(mark + 1..).unwrap_or_default().to_vec());
        } else if call.args.first().is_some_and(|first| !first.text.starts_with(['-', '+'])) {
            walk.set_arguments(call.args.to_vec());
        }
        let names = call.args.iter().map(|arg| arg.text.as_str());
        for (option, name) in names.clone().zip(names.skip(1).chain([""])) {
            let is_letter = option.contains('e') && !option.starts_with("--");
            if option.starts_with('-') && (is_letter || option.ends_with('o') && name == "errexit") {
                walk.stop_on_error(true);
            } else if option.starts_with('+') && (is_letter || option.ends_with('o') && name == "errexit") {
                walk.stop_on_error(false);
            }
        }
        return TextFlow::known("");
    }
    for name in &parsed.operands {
        if name.text.starts_with("PINTLE_") {
            walk.push(Operation::new(OperationKind::Guard, call.name).action("pintle_variable"));
        }
        if !parsed.has("f", "") {
            walk.set_variable(&name.text, vec![ShellArg::default()]);
        }
        if !parsed.has("v", "") {
            walk.forget_command(&name.text);
        }
    }
    TextFlow::known("")
}
