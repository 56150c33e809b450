//! The functions of programs, by the names that rows have for them.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{
    archives, builtins, cmd, editors, files, git, interpreters, makefile, network, power, recipes, runners, search,
    sed, shells, system, tasks, text, transfer, zsh,
};
use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, TextFlow};

/// A function for what no word of a row says.
type ProgramFunction = fn(&mut CommandWalk<'_>, &ProgramCall<'_>, &ParsedOptions<'_>) -> TextFlow;

macro_rules! named_runs {
    ($($module:ident: $($run:ident)+;)+) => { &[$($((stringify!($run), $module::$run),)+)+] };
}

/// The functions for what no word of a row says.
static PROGRAM_RUNS: &[(&str, ProgramFunction)] = named_runs! {
    archives: run_rsync run_tar run_archive run_unpack;
    builtins: run_trap run_set run_cd run_popd run_shift run_hash run_getopts run_export run_read;
    cmd: run_cmd;
    editors: run_editor run_patch;
    files: run_mkdir run_tee run_delete run_rmdir run_shred run_truncate run_allocate run_move run_rename run_copy;
    files: run_link run_chmod run_chown run_dd;
    git: run_hub run_git;
    interpreters: run_language;
    makefile: run_make;
    network: run_curl run_wget;
    power: run_power;
    recipes: run_recipes;
    runners: run_line_runner;
    search: run_ls run_find run_fd run_locate run_xargs run_parallel;
    sed: run_sed;
    shells: run_variable_export run_env run_source run_shell run_eval run_su run_ssh run_powershell;
    system: run_ps run_kill run_crontab run_history run_pintle run_mount run_sysctl;
    tasks: run_scripts;
    text: run_realpath run_dc run_echo run_printf run_pwd run_name_part run_mktemp run_which run_cat run_cut run_sort;
    text: run_grep run_query run_awk run_base64 run_convert run_openssl;
    transfer: run_netcat run_socat run_remote_copy run_senders run_lookup run_backup run_mail;
    zsh: run_alias run_print run_emulate run_later run_zmv run_zargs run_setopt run_functions run_load run_sysopen run_ztcp;
};

/// The functions by the names in rows: `remote-copy` is `run_remote_copy`.
static FUNCTIONS: LazyLock<HashMap<String, ProgramFunction>> = LazyLock::new(|| {
    let in_rows = |name: &str| name.trim_start_matches("run_").replace('_', "-");
    PROGRAM_RUNS.iter().map(|(name, run)| (in_rows(name), *run)).collect()
});

/// The function of a name in a row. A test reads every row.
pub(super) fn find_function(name: &str) -> Option<ProgramFunction> {
    FUNCTIONS.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_functions_name_each_other() {
        let rows = include_str!("rows/programs.txt");
        let words = "text prints quiet reads selects converts writes edits";
        let named: Vec<&str> = rows.split("| runs ").skip(1).filter_map(|row| row.split(['\n', ' ']).next()).collect();
        for name in &named {
            assert!(words.split(' ').any(|word| word == *name) || find_function(name).is_some(), "{name}");
        }
        for name in FUNCTIONS.keys() {
            assert!(named.contains(&name.as_str()), "{name}");
        }
    }
}
