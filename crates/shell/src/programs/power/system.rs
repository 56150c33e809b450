//! The machine: what has a path without being a file, such as the registry, the rights on files, processes, policies and
//! secrets.

use super::params::{CmdletCall, pattern_path};
use super::shared::{is_nothing, push_secret, run_twin};
use crate::secret_name::is_secret_name;
use crate::syntax::power::power_variable;
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_items};
use crate::{Operation, OperationKind, OperationTag};

/// What a path is about other than a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemSpace {
    Environment,
    Registry,
    /// Variables, functions and aliases of the session, certificates.
    Session,
}

/// The space of a path such as `Env:PATH` or `HKLM:/Software`, and the rest of the path. Methods know files only.
fn space_of<'p>(call: &CmdletCall<'_>, path: &'p ShellArg) -> Option<(ItemSpace, &'p str)> {
    let (drive, rest) = path.text.split_once(':').filter(|_| !call.is_method)?;
    let drive = drive.rsplit(['/', '\\']).next().unwrap_or(drive);
    let rest = rest.trim_start_matches([':', '/', '\\']);
    let space = match drive.to_ascii_lowercase().as_str() {
        "env" | "environment" => ItemSpace::Environment,
        "hklm" | "hkcu" | "hkcr" | "hku" | "hkcc" | "registry" => ItemSpace::Registry,
        "variable" | "function" | "alias" | "cert" | "certificate" | "wsman" => ItemSpace::Session,
        _ => return None,
    };
    Some((space, rest))
}

/// Changes something other than a file; `false` for a file.
pub(super) fn change_space(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>, path: &ShellArg) -> bool {
    let Some((space, rest)) = space_of(call, path) else { return false };
    match space {
        ItemSpace::Environment => {
            let name = power_variable(&format!("env:{rest}"));
            let value = call.value("value", 1).cloned().unwrap_or_default();
            walk.set_variable(&name, vec![value]);
        }
        ItemSpace::Registry => {
            let lower = path.text.to_ascii_lowercase().replace('\\', "/");
            let starts = ["/run", "/runonce", "/winlogon", "/services/", "/policies/explorer/run"];
            let is_startup = starts.iter().any(|part| lower.contains(part));
            let operation = Operation::new(OperationKind::System, call.name()).action("registry").written(path.shown());
            walk.push(operation.tag_if(is_startup, OperationTag::Startup));
        }
        ItemSpace::Session => {}
    }
    true
}

/// What an item other than a file holds; `None` for a file.
pub(super) fn read_space(call: &CmdletCall<'_>, path: &ShellArg) -> Option<TextFlow> {
    let (space, name) = space_of(call, path)?;
    Some(TextFlow::from_taint(match space {
        ItemSpace::Environment if is_secret_name(name) => TextTaint::SECRET,
        ItemSpace::Environment if name.is_empty() || name.contains('*') => TextTaint::ENVIRONMENT,
        _ => TextTaint::OUTPUT,
    }))
}

pub(super) fn run_permission(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let words: Vec<String> = call.all_operands().map(|arg| arg.text.to_ascii_lowercase()).collect();
    let is_program = !call.is_method && call.alias != "set-acl";
    let changes = words.iter().any(|word| {
        matches!(word.as_str(), "/reset" | "/setowner" | "/inheritance:r" | "/f" | "/remove" | "/restore")
            || word.starts_with("/g")
            || word.starts_with("/d")
            || word.starts_with(['+', '-']) && word.len() == 2
    });
    if is_program && !changes {
        return TextFlow::from_taint(TextTaint::OUTPUT);
    }
    let everybody = ["everyone", "*s-1-1-0", "users:", "authenticated users"];
    let is_open = words.iter().any(|word| everybody.iter().any(|name| word.contains(name)));
    let is_recursive = words.iter().any(|word| word == "/t" || word == "/r" || word == "/s");
    let is_option = |arg: &&ShellArg| arg.text.starts_with(['+', '/', '-']) && arg.text.len() <= 14;
    let is_path = |arg: &ShellArg| !arg.text.contains([':', '(']) || arg.text.get(1..2) == Some(":");
    let operands = call.all_operands().filter(|arg| !is_option(arg)).map(pattern_path);
    // `takeown /f PATH` has its path behind an option.
    let paths = if is_program { operands.filter(is_path).take(1).collect() } else { call.paths() };
    for path in &paths {
        let operation = Operation::new(OperationKind::Permission, call.alias)
            .action(if call.alias == "attrib" { "attributes" } else { "owner" })
            .tag_if(is_recursive, OperationTag::Recursive)
            .tag_if(is_open, OperationTag::TooOpen);
        walk.push_path(operation, path);
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

pub(super) fn run_property(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    for path in call.paths() {
        if !change_space(walk, call, &path) {
            let action = if call.cmdlet() == "Set-Item" && call.alias.ends_with('i') { "replace" } else { "edit" };
            walk.write_file(call.name(), &path, action, TextFlow::from_taint(TextTaint::DECODED));
        }
    }
    TextFlow::known("")
}

pub(super) fn run_stop_process(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut names: Vec<ShellArg> = call.values("name").chain(call.values("processname")).cloned().collect();
    let mut ids: Vec<ShellArg> = call.values("id").cloned().collect();
    let given = call.values("inputobject").chain(call.all_operands()).cloned();
    let piped = if is_nothing(call.stdin) { Vec::new() } else { power_items(call.stdin) };
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
