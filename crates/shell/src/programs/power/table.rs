//! The table of cmdlets, which `cmdlets.txt` has.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::params::{CmdletDef, CmdletFunction};
use super::{items, network, pipeline, properties, run, system, values};
use crate::word_lists::{OperationDef, TextSection, WordLists, read_sections};

static TEXT: &str = include_str!("cmdlets.txt");

static ROWS: LazyLock<Vec<CmdletDef>> =
    LazyLock::new(|| read_sections(TEXT).iter().filter_map(read_cmdlets).flatten().collect());

/// Cmdlets by their names and aliases in lower case.
pub(super) static CMDLETS: LazyLock<HashMap<String, &CmdletDef>> = LazyLock::new(|| {
    ROWS.iter().flat_map(|def| def.names.iter().map(move |name| (name.to_ascii_lowercase(), def))).collect()
});

/// Cmdlets that change the machine.
pub(super) static SYSTEM_CMDLETS: LazyLock<WordLists<OperationDef>> =
    LazyLock::new(|| WordLists::read(TEXT, OperationDef::read));

/// Verbs of cmdlets that only look.
pub(super) static READING_VERBS: LazyLock<WordLists<()>> =
    LazyLock::new(|| WordLists::read(TEXT, |head| (head == "reading_verbs").then_some(())));

/// The rows of a section; `None` if it names no function.
fn read_cmdlets(section: &TextSection) -> Option<Vec<CmdletDef>> {
    let (_, run) = FUNCTIONS.iter().find(|(name, _)| *name == section.head)?;
    let params = section.lines.iter().filter_map(|line| line.strip_prefix("- "));
    let params: Vec<&str> = params.flat_map(str::split_whitespace).collect();
    let mut rows: Vec<CmdletDef> = Vec::new();
    for line in section.lines.iter().filter(|line| !line.starts_with("- ")) {
        match rows.last_mut() {
            Some(row) if line.starts_with(' ') => row.names.extend(line.split_whitespace()),
            _ => rows.push(CmdletDef { names: line.split(' ').collect(), params: params.clone(), run: *run }),
        }
    }
    Some(rows)
}

/// Functions by the names that the text has for them.
macro_rules! functions {
    ($($module:ident: $($function:ident)*;)*) => {
        &[$($((stringify!($function), $module::$function),)*)*]
    };
}

static FUNCTIONS: &[(&str, CmdletFunction)] = functions! {
    items: run_clear run_copy run_enter run_get run_list run_make_directory run_move run_new run_pack run_read run_remove
        run_rename run_search run_tee run_unpack run_write;
    network: run_bits run_mail run_request;
    pipeline: run_each run_filter run_nowhere run_pass run_print run_text run_unknown;
    properties: run_get_property run_permission run_property;
    run: run_add_type run_expression run_get_wmi run_invoke_command run_job run_new_object run_open run_remove_wmi
        run_start run_wmi;
    system: run_policy run_secure_string run_stop_process;
    values: run_alias run_get_variable run_join_path run_location run_set_variable run_split_path run_temporary;
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_text_is_read() {
        for section in read_sections(TEXT) {
            let is_operation = OperationDef::read(section.head).is_some();
            let rows = read_cmdlets(&section).unwrap_or_default();
            assert!(is_operation || section.head == "reading_verbs" || !rows.is_empty(), "{}", section.head);
        }
        for (name, _) in FUNCTIONS {
            assert!(read_sections(TEXT).iter().any(|section| section.head == *name), "{name} is not used");
        }
    }
}
