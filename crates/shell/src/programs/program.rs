//! What a row of the table of programs says, and what several programs do alike.

use super::table::TableRow;
use super::{
    archives, builtins, editors, files, git, interpreters, makefile, network, power, recipes, runners, search, sed,
    shells, system, tasks, text, transfer, zsh,
};
use crate::walk::{CommandWalk, OptionLetters, ParsedOptions, ProgramCall, ShellArg, TextFlow};

/// A function for what no word of a row says.
type ProgramRun = fn(&mut CommandWalk<'_>, &ProgramCall<'_>, &ParsedOptions<'_>) -> TextFlow;

macro_rules! named_runs {
    ($($module:ident: $($run:ident)+;)+) => { &[$($((stringify!($run), $module::$run),)+)+] };
}

/// The functions, by the names that rows have for them.
pub(super) static PROGRAM_RUNS: &[(&str, ProgramRun)] = named_runs! {
    archives: run_rsync run_tar run_archive run_unpack;
    builtins: run_trap run_set run_cd run_popd run_shift run_hash run_getopts run_export run_read;
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

/// What a program does.
#[derive(Debug)]
pub(crate) struct ProgramDef {
    /// Options that take a value.
    pub(crate) valued: OptionLetters,
    pub(crate) usage: ProgramUse,
    /// The option by which it only says what it would do: its letter and its name.
    pub(crate) dry_run: (&'static str, &'static str),
}

/// What a program does with its operands; `rows/programs.txt` explains the words.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ProgramUse {
    Text,
    Prints,
    Quiet,
    Reads,
    Selects,
    Converts,
    Writes,
    Edits,
    Special(ProgramRun),
}

impl ProgramDef {
    pub(super) fn read(row: TableRow) -> Option<Self> {
        let usage = match row.value {
            "text" => ProgramUse::Text,
            "prints" => ProgramUse::Prints,
            "quiet" => ProgramUse::Quiet,
            "reads" => ProgramUse::Reads,
            "selects" => ProgramUse::Selects,
            "converts" => ProgramUse::Converts,
            "writes" => ProgramUse::Writes,
            "edits" => ProgramUse::Edits,
            name => {
                let name = format!("run_{}", name.replace('-', "_"));
                ProgramUse::Special(PROGRAM_RUNS.iter().find(|(run, _)| *run == name)?.1)
            }
        };
        let dry_run = row.field("dry-run").map_or(Some(("", "")), |option| option.split_once(' '))?;
        Some(Self { valued: row.grammar(), usage, dry_run })
    }
}

/// Reads the operands as files, or the input if there are none.
pub(crate) fn read_operands<'a>(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    operands: impl Iterator<Item = &'a ShellArg>,
    is_recursive: bool,
) -> TextFlow {
    let mut flow = TextFlow::known("");
    let mut count = 0_usize;
    for operand in operands {
        count += 1;
        let read =
            if operand.text == "-" { call.stdin.clone() } else { walk.read_file(call.name, operand, is_recursive) };
        flow.append(read);
    }
    if count == 0 { call.stdin.clone() } else { flow }
}
