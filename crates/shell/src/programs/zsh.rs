//! Builtins and functions that come with zsh.

use crate::escape::unescape;
use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, OptionLetters, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind};

fn joined(args: &[ShellArg], between: &str) -> TextFlow {
    let text = args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(between);
    let taint = args.iter().fold(TextTaint::NONE, |taint, arg| taint | arg.taint);
    TextFlow { taint, text: Some(text), ..TextFlow::default() }
}

/// `print`: a text for the output, or a line that the shell runs later (`-z`, `-s`).
pub(super) fn run_print(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let valued = OptionLetters { letters: "CfuvxX", names: "" };
    let (parsed, rest) = ParsedOptions::parse_leading(call.args, valued);
    let has = |letter: &str| parsed.has(letter, "");
    let is_lines = has("l") || has("N") || has("c") || has("f");
    let mut flow = joined(rest, if is_lines { "\n" } else { " " });
    if has("z") || has("s") || has("S") {
        return walk.run_own_line(&flow.text.unwrap_or_default(), call.stdin);
    }
    if !has("r") && !has("R") {
        flow.text = flow.text.map(|text| unescape(&text));
    }
    if has("P") {
        // An option makes prompts expand substitutions.
        let text = ShellArg { text: flow.text.unwrap_or_default(), taint: flow.taint, ..ShellArg::default() };
        let text = if text.is_known() { walk.expand_again(&text) } else { text };
        flow = TextFlow { text: Some(text.text), taint: text.taint, ..TextFlow::default() };
    }
    flow.text = flow.text.map(|text| text + "\n");
    match parsed.values("v", "").next() {
        Some(name) => {
            walk.set_variable(
                &name.text,
                vec![ShellArg { taint: flow.taint, ..ShellArg::new(flow.text.unwrap_or_default()) }],
            );
            TextFlow::known("")
        }
        None => flow,
    }
}

/// `emulate MODE -c LINE`: a mode may read the line as bash does.
pub(super) fn run_emulate(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for option in parsed.values("o", "") {
        walk.set_zsh_option(&option.text);
    }
    if parsed.operands.iter().any(|mode| mode.text == "csh") {
        walk.push_unknown(call.name, "the mode csh changes how the shell reads the line");
    }
    let Some(line) = parsed.values("c", "").next() else { return TextFlow::known("") };
    let flow = walk.run_own_line(&line.text.clone(), call.stdin);
    if parsed.operands.iter().any(|mode| mode.text == "zsh") {
        return flow;
    }
    flow.either(walk.run_line_of("sh", &line.text.clone(), call.stdin))
}

/// `sched +0 LINE`, `zpty NAME LINE`, `zstyle -e PATTERN STYLE LINE`, `add-zsh-hook HOOK FUNCTION`.
pub(super) fn run_later(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let (parsed, rest) = ParsedOptions::parse_leading(call.args, OptionLetters::default());
    let has = |letter: &str| parsed.has(letter, "");
    let skipped = match call.name {
        "zstyle" if !has("e") => return TextFlow::known(""),
        "zpty" if has("d") || has("r") || has("t") => return TextFlow::default(),
        "zstyle" => 2,
        _ => 1,
    };
    let line = joined(rest.get(skipped..).unwrap_or_default(), " ");
    walk.set_trap(&line.text.unwrap_or_default());
    TextFlow::default()
}

/// `zmv PATTERN TEXT` and its siblings: the text is expanded for each file.
pub(super) fn run_zmv(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let program: Vec<ShellArg> = match parsed.values("p", "").chain(parsed.values("P", "")).next() {
        Some(program) => program.text.split_whitespace().map(ShellArg::new).collect(),
        None if parsed.has("C", "") || call.name == "zcp" => vec![ShellArg::new("cp")],
        None if parsed.has("L", "") || call.name == "zln" => vec![ShellArg::new("ln")],
        None => vec![ShellArg::new("mv")],
    };
    let [pattern, target] = parsed.operands.as_slice() else { return TextFlow::known("") };
    walk.in_subshell(|walk| {
        walk.set_arguments(vec![ShellArg::new("*"); 9]);
        let target = if target.is_known() { walk.expand_again(target) } else { (*target).clone() };
        let files = ShellArg { text: pattern.text.replace(['(', ')'], ""), is_pattern: true, ..(*pattern).clone() };
        let options = parsed.values("o", "").flat_map(|options| options.text.split_whitespace().map(ShellArg::new));
        let command: Vec<ShellArg> = program.iter().cloned().chain(options).chain([files, target]).collect();
        walk.run_args(&command, call.stdin)
    })
}

/// `zargs OPTIONS -- ARGUMENTS -- PROGRAM`.
pub(super) fn run_zargs(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    let mut parts = call.args.split(|arg| arg.text == "--");
    let (_options, args) = (parts.next(), parts.next().unwrap_or_default());
    let command: Vec<ShellArg> = parts.flatten().chain(args).cloned().collect();
    walk.run_args(&command, call.stdin)
}

/// `alias`: also those of zsh that stand for any word (`-g`) or for the end of a name (`-s`).
pub(super) fn run_alias(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_wide = parsed.has("g", "") || parsed.has("s", "");
    for arg in call.args {
        match arg.text.split_once('=') {
            Some((_, text)) if is_wide => walk.set_wide_alias(text),
            Some((name, text)) => walk.set_alias(name, text),
            None => {}
        }
    }
    TextFlow::known("")
}

/// `setopt`, `unsetopt`.
pub(super) fn run_setopt(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
    for arg in call.args {
        walk.set_zsh_option(&arg.text);
    }
    TextFlow::known("")
}

/// `functions -M NAME 0 1 FUNCTION`, `functions -c FUNCTION NAME`: another name for a function.
pub(super) fn run_functions(walk: &mut CommandWalk<'_>, _: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for function in parsed.operands.iter().filter(|_| parsed.has("M", "") || parsed.has("c", "")) {
        walk.set_trap(&function.text);
    }
    TextFlow::known("")
}

/// `zmodload`, `autoload`: code in a file.
pub(super) fn run_load(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for file in parsed.operands.iter().filter(|file| !file.text.starts_with("zsh/")) {
        let places = walk.variable("fpath").unwrap_or_default();
        let paths = places.iter().map(|place| ShellArg::new(format!("{}/{}", place.text, file.text)));
        let written = std::iter::once((*file).clone()).chain(paths).find_map(|path| walk.written_before(&path));
        match written {
            Some(TextFlow { text: Some(text), .. }) if call.name == "autoload" => {
                drop(walk.run_own_line(&text, call.stdin))
            }
            Some(flow) => walk.push_code(flow.taint, call.name, "it loads code that the line wrote"),
            None if file.text.contains(['/', UNKNOWN]) && call.name == "zmodload" => {
                walk.push_code(TextTaint::DECODED, call.name, "it loads code of a file");
            }
            None => {}
        }
    }
    TextFlow::known("")
}

/// `sysopen -w -u NUMBER FILE`.
pub(super) fn run_sysopen(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    for file in &parsed.operands {
        if parsed.has("w", "") || parsed.has("a", "") {
            walk.write_file(call.name, file, "append", TextFlow::from_taint(TextTaint::OUTPUT));
        } else {
            walk.read_file(call.name, file, false);
        }
    }
    TextFlow::known("")
}

/// `ztcp HOST PORT`: `$REPLY` is the number of the connection.
pub(super) fn run_ztcp(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    if let Some(host) = parsed.operands.first().filter(|_| !parsed.has("c", "") && !parsed.has("l", "")) {
        walk.push(Operation::new(OperationKind::Download, call.name).written(host.shown()));
        walk.set_variable("REPLY", vec![ShellArg::new(format!("/dev/tcp/{}/0", host.text))]);
        if let Some(number) = parsed.values("d", "").next() {
            walk.connect(&number.text, &host.text);
        }
    }
    TextFlow::known("")
}
