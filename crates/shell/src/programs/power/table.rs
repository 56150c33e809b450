//! The table of cmdlets, which `cmdlets.txt` has.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::params::{CmdletCall, CmdletDef, CmdletUse};
use super::shared::without_marks;
use super::{items, network, pipeline, run, system, type_methods, values};
use crate::OperationKind;
use crate::operation_def::{OperationDef, is_named};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_flow};
use crate::word_lists::{TextSection, WordLists, read_sections};

static TEXT: &str = concat!(include_str!("cmdlets.txt"), include_str!("types.txt"));

static ROWS: LazyLock<Vec<CmdletDef>> = LazyLock::new(|| {
    let mut params = Vec::new();
    read_sections(TEXT).iter().filter_map(|section| read_cmdlets(section, &mut params)).flatten().collect()
});

/// Cmdlets by their names and aliases in lower case.
pub(super) static CMDLETS: LazyLock<HashMap<String, &CmdletDef>> = LazyLock::new(|| {
    ROWS.iter().flat_map(|def| def.names.iter().map(move |name| (name.to_ascii_lowercase(), def))).collect()
});

/// Cmdlets that change the machine.
static SYSTEM_CMDLETS: LazyLock<WordLists<OperationDef>> = LazyLock::new(|| WordLists::read(TEXT, OperationDef::read));

/// Verbs of cmdlets that only look.
pub(super) static READING_VERBS: LazyLock<WordLists<()>> =
    LazyLock::new(|| WordLists::read(TEXT, |head| (head == "reading_verbs").then_some(())));

/// Runs a method that has a row.
pub(super) fn run_method_row(
    walk: &mut CommandWalk<'_>,
    name: &str,
    args: &[ShellArg],
    stdin: &TextFlow,
) -> Option<TextFlow> {
    let Some(def) = CMDLETS.get(name) else {
        return system_operation(name).map(|def| run_system(walk, def, name, args));
    };
    // There are none without arguments where the first one is a value.
    let needs_value = def.params.first().is_some_and(|param| param.ends_with('*'));
    let is_stream = name.starts_with("io.stream") && args.first().is_some_and(is_elsewhere);
    match args {
        [] if needs_value => None,
        // A reader or a writer of something other than a file.
        _ if is_stream => Some(TextFlow { text: None, ..power_flow(args) }),
        _ => Some(CmdletCall::of_method(def, name, args, stdin).run(walk)),
    }
}

fn is_elsewhere(arg: &ShellArg) -> bool {
    !arg.is_known() || arg.taint.has(TextTaint::NETWORK | TextTaint::DECODED)
}

/// What a name does to the machine, by its table.
pub(super) fn system_operation(name: &str) -> Option<&'static OperationDef> {
    let is_meant = |(_, names): &&(OperationDef, Vec<&str>)| names.iter().any(|known| is_named(known, name));
    SYSTEM_CMDLETS.lists().iter().find(is_meant).map(|(def, _)| def)
}

pub(super) fn run_system(walk: &mut CommandWalk<'_>, def: &OperationDef, name: &str, args: &[ShellArg]) -> TextFlow {
    let written: Vec<String> = without_marks(args).iter().map(ShellArg::shown).take(4).collect();
    let operation = def.operation(name.trim_end_matches('(')).written(written.join(" "));
    let taint = if operation.kind == OperationKind::Secret { TextTaint::SECRET } else { TextTaint::OUTPUT };
    walk.push(operation);
    TextFlow::from_taint(taint)
}

/// The rows of a section; `None` if it says of no cmdlets what they do.
fn read_cmdlets(section: &TextSection, params: &mut Vec<&'static str>) -> Option<Vec<CmdletDef>> {
    let used = match section.head.strip_prefix("prints") {
        Some(text) => CmdletUse::Prints(text.trim_start()),
        None => FUNCTIONS.iter().find(|(name, _)| *name == section.head)?.1,
    };
    if !section.lines.contains(&"- as above") {
        let lines = section.lines.iter().filter_map(|line| line.strip_prefix("- "));
        *params = lines.flat_map(str::split_whitespace).collect();
    }
    let mut rows: Vec<CmdletDef> = Vec::new();
    for line in section.lines.iter().filter(|line| !line.starts_with("- ")) {
        match rows.last_mut() {
            Some(row) if line.starts_with(' ') => row.names.extend(line.split_whitespace()),
            _ => rows.push(CmdletDef { names: line.split(' ').collect(), params: params.clone(), used }),
        }
    }
    Some(rows)
}

/// Functions by the names that the text has for them.
macro_rules! functions {
    ($($module:ident: $($function:ident)*;)*) => {
        &[$($((stringify!($function), CmdletUse::Function($module::$function)),)*)*]
    };
}

static FUNCTIONS: &[(&str, CmdletUse)] = functions! {
    items: run_clear run_copy run_enter run_get run_list run_make_directory run_move run_new run_pack run_read run_remove
        run_rename run_search run_tee run_unpack run_write;
    network: run_bits run_mail run_request run_resolve;
    pipeline: run_command_name run_each run_filter run_import run_output run_pass run_print run_processes;
    run: run_add_type run_expression run_get_wmi run_invoke_command run_job run_new_object run_open run_remove_wmi
        run_start run_wmi;
    system: run_permission run_policy run_property run_secure_string run_stop_process;
    type_methods: run_block run_convert run_decode run_folder run_get_environment run_given run_load run_set_environment;
    values: run_alias run_get_variable run_join_path run_location run_set_variable run_split_path;
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_text_is_read() {
        for section in read_sections(TEXT) {
            let is_operation = OperationDef::read(section.head).is_some();
            let rows = read_cmdlets(&section, &mut Vec::new()).unwrap_or_default();
            assert!(is_operation || section.head == "reading_verbs" || !rows.is_empty(), "{}", section.head);
        }
        for (name, _) in FUNCTIONS {
            assert!(read_sections(TEXT).iter().any(|section| section.head == *name), "{name} is not used");
        }
    }
}
