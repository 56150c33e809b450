//! Cmdlets for processes, policies and secrets of the machine.

use super::params::CmdletCall;
use super::shared::{push_secret, run_twin};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_items};
use crate::{Operation, OperationKind};

pub(super) fn run_stop_process(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut names: Vec<ShellArg> = call.values("name").chain(call.values("processname")).cloned().collect();
    let mut ids: Vec<ShellArg> = call.values("id").cloned().collect();
    let given = call.values("inputobject").chain(call.all_operands()).cloned();
    let piped = if super::shared::is_nothing(call.stdin) { Vec::new() } else { power_items(call.stdin) };
    for item in given.chain(piped) {
        let is_number = !item.text.is_empty() && item.text.chars().all(|letter| letter.is_ascii_digit());
        if is_number || !item.is_known() { ids.push(item) } else { names.push(item) }
    }
    if !names.is_empty() {
        run_twin(walk, &["pkill"], names, &TextFlow::default());
    }
    if !ids.is_empty() {
        run_twin(walk, &["kill"], ids, &TextFlow::default());
    }
    TextFlow::known("")
}

pub(super) fn run_policy(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let scope = call.text("scope", 1);
    // For this process only nothing is changed on the machine.
    if !scope.starts_with("process") {
        walk.push(Operation::new(OperationKind::System, call.name()).action("policy").written(scope));
    }
    TextFlow::known("")
}

pub(super) fn run_secure_string(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    if call.has("asplaintext") || call.alias != "get-secret" {
        return push_secret(walk, call.name(), "decrypt");
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}
