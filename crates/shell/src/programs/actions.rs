//! The actions that operations may have.

use super::subcommand::SUBCOMMANDS;
use crate::OperationKind;

/// The actions that no table of subcommands has, by their kinds, with blanks between.
static OTHERS: &[(OperationKind, &str)] = &[
    (OperationKind::Container, "more_rights mount_host"),
    (
        OperationKind::Database,
        "delete delete_all drop drop_definition grant program read_file settings statement stop truncate update_all write_file",
    ),
    (OperationKind::Delete, "empty_directory shred"),
    (OperationKind::Git, "commit_secret overwrite_ref program_setting remote_address"),
    (OperationKind::Guard, "kill pintle_command pintle_variable"),
    (OperationKind::Kill, "everything system_process"),
    (OperationKind::Move, "rename"),
    (OperationKind::Privilege, "other_user remote_session"),
    (OperationKind::Secret, "print_variable"),
    (
        OperationKind::System,
        "backup disk fork_bomb hook_variable kernel logs mount policy power preload registry remote_shell schedule settings \
         tunnel",
    ),
    (OperationKind::Upload, "copy image lookup mail serve"),
    (
        OperationKind::Write,
        "append download edit image link make mount open replace restore truncate unknown_program unknown_tool unpack",
    ),
];

/// The kinds of operations with their actions, each once. Those of permissions are modes, and those of
/// code that deletes the names of its functions; they are not among them.
#[must_use]
pub fn known_actions() -> Vec<(OperationKind, &'static str)> {
    let others = OTHERS.iter().flat_map(|(kind, actions)| actions.split(' ').map(|action| (*kind, action)));
    let mut all: Vec<(OperationKind, &str)> = SUBCOMMANDS.actions().chain(others).collect();
    all.retain(|(_, action)| !action.is_empty());
    all.sort_unstable();
    all.dedup();
    all
}
