//! Cmdlets that run something: text, programs, jobs, code, and commands on other machines.

use super::params::{CmdletCall, literal_path, pattern_path};
use super::pipeline::run_value;
use super::shared::{is_nothing, push_fetched_file, run_command, run_native, run_text, without_marks, words_of};
use crate::syntax::power::{BLOCK, ENTRY};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_flow, power_items};
use crate::{Operation, OperationKind};

/// Programs whose output is PowerShell that is meant to be run.
const PRINTS_SETUP: &str =
    "fnm zoxide starship mise conda oh-my-posh pyenv rbenv direnv opam minikube kubectl gh docker rustup pnpm npm";

pub(super) fn run_expression(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let values: Vec<ShellArg> = match call.has("command") {
        true => call.values("command").cloned().collect(),
        false => call.all_operands().cloned().collect(),
    };
    let mut flow = if values.is_empty() { call.stdin.clone() } else { power_flow(&values) };
    if is_nothing(&flow) {
        return TextFlow::known("");
    }
    if flow.text.as_ref().is_none_or(|text| text.contains(crate::paths::UNKNOWN))
        && flow.taint == TextTaint::OUTPUT
        && walk.printed_settings(PRINTS_SETUP)
    {
        return TextFlow::known("");
    }
    if flow.text.is_some() {
        flow.taint = flow.taint.without(TextTaint::OUTPUT);
    }
    run_text(walk, call.name(), &flow)
}

/// Runs a script by its path.
pub(super) fn run_script_file(walk: &mut CommandWalk<'_>, name: &ShellArg, args: &[ShellArg]) -> TextFlow {
    let path = literal_path(name);
    if let Some(flow) = walk.written_before(&path) {
        if flow.taint.has(TextTaint::NETWORK | TextTaint::DECODED) {
            walk.push_code(flow.taint, &path.shown(), "it runs a file whose content comes from elsewhere");
        } else if let Some(text) = &flow.text {
            walk.run_power_block(text, &TextFlow::default());
        }
        return TextFlow::from_taint(TextTaint::OUTPUT);
    }
    run_native(walk, &path, args, &TextFlow::default())
}

pub(super) fn run_start(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    // One text holds several words.
    let words: Vec<ShellArg> = call.passed_args().flat_map(unquoted_words).collect();
    let shown: Vec<String> = words.iter().map(ShellArg::shown).collect();
    if call.text("verb", 9).starts_with("runas") || call.has("credential") {
        let operation = Operation::new(OperationKind::Privilege, call.name()).action("other_user");
        walk.push(operation.written(shown.join(" ")));
    }
    for name in ["redirectstandardoutput", "redirectstandarderror", "rso", "rse"] {
        for file in call.values(name).cloned().collect::<Vec<_>>() {
            walk.write_file(call.name(), &literal_path(&file), "replace", TextFlow::from_taint(TextTaint::OUTPUT));
        }
    }
    let program = call.value("filepath", 0).cloned().or_else(|| power_items(call.stdin).into_iter().next());
    let Some(program) = program.filter(|program| !program.text.contains("://")) else { return TextFlow::default() };
    let cwd = walk.state.cwd.clone();
    if let Some(directory) = call.values("workingdirectory").next() {
        walk.enter_directory(&literal_path(directory));
    }
    let is_shell =
        matches!(crate::walk::program_name(&program.text).as_str(), "pwsh" | "powershell" | "cmd" | "bash" | "sh");
    let line = if is_shell { shell_words(call) } else { words };
    // A program that was fetched before is looked up with slashes.
    let flow = run_command(walk, &literal_path(&program), &line, &TextFlow::default());
    walk.state.cwd = cwd;
    if call.is_method || call.has("nonewwindow") { flow } else { TextFlow::default() }
}

/// The words of a text, without the quotes around them.
fn unquoted_words(arg: &ShellArg) -> impl Iterator<Item = ShellArg> {
    words_of(arg).map(|word| ShellArg { text: word.text.trim_matches('"').to_owned(), ..word })
}

/// The arguments of a shell: a command line stays one word.
fn shell_words(call: &CmdletCall<'_>) -> Vec<ShellArg> {
    let args: Vec<ShellArg> = call.passed_args().cloned().collect();
    match args.as_slice() {
        [only] if only.text.contains(' ') && only.text.starts_with(['-', '/']) => unquoted_words(only).collect(),
        _ => args,
    }
}

pub(super) fn run_open(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    call.paths().iter().for_each(|path| push_fetched_file(walk, call.name(), path));
    TextFlow::default()
}

pub(super) fn run_invoke_command(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let is_remote =
        ["computername", "cn", "session", "hostname", "vmname", "containerid"].iter().any(|name| call.has(name));
    let before = walk.operations.len();
    let flow = run_job(walk, call);
    if is_remote {
        // What ran before is in the list already; it ran elsewhere.
        let host = call.value("computername", 9).map(ShellArg::shown).unwrap_or_default();
        walk.push(Operation::new(OperationKind::Privilege, call.name()).action("remote_session").written(host));
        walk.forget_places(before);
    }
    flow
}

/// A block or a script that runs by itself. The blocks among the arguments ran already.
pub(super) fn run_job(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    for file in call.values("filepath").cloned().collect::<Vec<_>>() {
        run_script_file(walk, &file, &[]);
    }
    let named = call.values("scriptblock").chain(call.values("command"));
    for value in named.chain(call.operands.first().into_iter().flatten()).cloned().collect::<Vec<_>>() {
        if !value.text.starts_with(BLOCK) {
            run_value(walk, &value, &[]);
        }
    }
    call.printed.clone().unwrap_or_else(|| TextFlow::from_taint(TextTaint::OUTPUT))
}

pub(super) fn run_wmi(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let method = call.text("methodname", 9) + &call.text("name", if call.has("class") { 0 } else { 1 });
    let class = call.text("class", 9) + &call.text("classname", 0) + &call.text("path", 9);
    let is_start = call.is_method || method.contains("create") && (class.contains("process") || class.is_empty());
    if is_start {
        let values =
            call.values("argumentlist").chain(call.values("arguments")).chain(call.operands.iter().skip(2).flatten());
        let entry_text = |value: &ShellArg| Some(value.text.strip_prefix(ENTRY)?.split_once(':')?.1.to_owned());
        let plain = |value: &ShellArg| match entry_text(value) {
            Some(text) => ShellArg { text, ..value.clone() },
            None => value.clone(),
        };
        let lines: Vec<ShellArg> = values.take(1).map(plain).collect();
        walk.push_code(TextTaint::NONE, call.name(), "it starts a program through the management service");
        return run_text(walk, call.name(), &power_flow(&lines));
    }
    walk.push(
        Operation::new(OperationKind::System, call.name()).action("settings").written(format!("{class} {method}")),
    );
    TextFlow::from_taint(TextTaint::OUTPUT)
}

pub(super) fn run_get_wmi(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let class =
        call.values("class").chain(call.values("classname")).chain(call.values("query")).chain(call.all_operands());
    TextFlow { taint: TextTaint::OUTPUT, ..power_flow(&class.take(1).cloned().collect::<Vec<_>>()) }
}

pub(super) fn run_remove_wmi(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let text = call.stdin.text.clone().unwrap_or_default() + &call.text("inputobject", 0) + &call.text("query", 9);
    let action = if text.to_ascii_lowercase().contains("shadowcopy") { "backup" } else { "settings" };
    walk.push(Operation::new(OperationKind::System, call.name()).action(action).written(text));
    TextFlow::known("")
}

pub(super) fn run_add_type(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let is_code =
        call.has("typedefinition") || call.has("memberdefinition") || !call.has("assemblyname") && !call.has("path");
    if is_code {
        walk.push_code(call.taint(), call.name(), "it compiles code that may do anything");
    }
    for path in call.values("path").map(pattern_path).collect::<Vec<_>>() {
        if let Some(flow) = walk.written_before(&path) {
            walk.push_code(flow.taint, call.name(), "it loads a file whose content comes from elsewhere");
        }
    }
    TextFlow::known("")
}

pub(super) fn run_new_object(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let name = call.text("comobject", 9) + &call.text("typename", 0);
    let args: Vec<ShellArg> = call.passed_args().cloned().collect();
    super::type_methods::new_object(walk, &name, &without_marks(&args))
}
