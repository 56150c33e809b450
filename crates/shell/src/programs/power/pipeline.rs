//! Cmdlets that print, choose and convert.

use super::params::CmdletCall;
use super::shared::run_command;
use crate::syntax::power::BLOCK;
use crate::walk::{CommandWalk, ListedFiles, ShellArg, TextFlow, TextTaint, power_flow};

pub(super) fn run_output(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    TextFlow::from_taint(TextTaint::OUTPUT | call.printed.as_ref().map_or(TextTaint::NONE, |printed| printed.taint))
}

pub(super) fn run_processes(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let named: Vec<ShellArg> = call.names().cloned().collect();
    let flow = power_flow(&if named.is_empty() { vec![ShellArg::new("*")] } else { named });
    TextFlow { taint: flow.taint | TextTaint::OUTPUT, ..flow }
}

/// The name of a command, which may be called; a pattern stands for one that cannot be known.
pub(super) fn run_command_name(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    match call.names().next() {
        Some(name) if name.text.contains(['*', '?', '[']) => TextFlow::from_taint(TextTaint::DECODED),
        Some(name) => power_flow(std::slice::from_ref(name)),
        None => TextFlow::from_taint(TextTaint::OUTPUT),
    }
}

pub(super) fn run_import(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    for path in call.names() {
        if let Some(flow) = walk.written_before(&super::params::literal_path(path)) {
            super::shared::run_text(walk, call.name(), &flow);
        }
    }
    TextFlow::known("")
}

pub(super) fn run_print(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let named = ["inputobject", "object", "message", "messagedata"].iter().flat_map(|name| call.values(name));
    let values: Vec<ShellArg> = named.chain(call.all_operands()).cloned().collect();
    if values.is_empty() { call.stdin.clone() } else { power_flow(&values) }
}

pub(super) fn run_each(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    if let Some(printed) = &call.printed {
        return printed.clone();
    }
    // `ForEach-Object Name` and `ForEach-Object -MemberName Delete`: a member of each input.
    let Some(member) = call.value("membername", 0) else { return call.stdin.clone() };
    let args: Vec<ShellArg> =
        call.values("argumentlist").cloned().chain(call.all_operands().skip(1).cloned()).collect();
    let mut flow = super::members::run_member(walk, &ShellArg::new(format!("{}(", member.text)), &args, call.stdin);
    flow.taint |= call.stdin.taint;
    flow
}

pub(super) fn run_filter(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut flow = call.stdin.clone();
    if flow.taint.has(TextTaint::ENVIRONMENT) {
        let words: Vec<&str> = call.words().map(|arg| arg.text.as_str()).collect();
        return super::items::choose(walk, Some(&ShellArg::new(words.join(" "))), &flow);
    }
    let names = names_in(call);
    let chosen = |files: &ListedFiles| {
        let below = |name: &&str| ListedFiles { root: files.join_name(name), is_filtered: false, ..files.clone() };
        let mut all: Vec<ListedFiles> = names.iter().map(below).collect();
        all.push(ListedFiles { is_filtered: true, ..files.clone() });
        all
    };
    flow.listed = flow.listed.iter().flat_map(chosen).collect();
    if flow.text.as_deref() == Some("*") {
        flow.text = None;
    }
    flow
}

/// The names of files that a condition compares with, such as `.env*`: texts in quotes, and values of its operators.
fn names_in<'c>(call: &'c CmdletCall<'_>) -> Vec<&'c str> {
    let words = call.words().map(|arg| arg.text.as_str());
    let texts = words.flat_map(|text| match text.starts_with(BLOCK) {
        true => text.split(['\'', '"']).skip(1).step_by(2).collect::<Vec<_>>(),
        false => vec![text],
    });
    texts.filter(|text| text.contains('.') && text.len() < 64 && !text.contains(['/', '\\', ' '])).take(8).collect()
}

pub(super) fn run_pass(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut flow = match call.values("inputobject").next() {
        Some(value) => power_flow(std::slice::from_ref(value)),
        None if super::shared::is_nothing(call.stdin) && !call.operands.is_empty() => {
            power_flow(&call.all_operands().cloned().collect::<Vec<_>>())
        }
        None => call.stdin.clone(),
    };
    if let Some(printed) = &call.printed {
        flow.taint |= printed.taint;
    }
    flow
}

/// Runs a block or a command for each of some values.
pub(super) fn run_value(walk: &mut CommandWalk<'_>, value: &ShellArg, args: &[ShellArg]) -> TextFlow {
    if value.text.starts_with(BLOCK) || value.is_known() {
        return run_command(walk, value, args, &TextFlow::default());
    }
    super::shared::run_text(walk, "Invoke", &TextFlow { text: None, ..power_flow(std::slice::from_ref(value)) })
}
