//! Calls of libraries that change databases, clouds and clusters.

use std::sync::LazyLock;

use super::functions::TEXT;
use super::reader::CodeCall;
use super::value::last_part;
use super::words::CodeWords;
use crate::operation_def::OperationDef;
use crate::sql::sql_operations;
use crate::walk::CommandWalk;
use crate::word_lists::WordLists;
use crate::{Operation, OperationKind};

/// Functions with their meaning, whatever they are called on.
static FUNCTIONS: LazyLock<WordLists<OperationDef>> = LazyLock::new(|| WordLists::read(TEXT, OperationDef::read));

/// Adds what the calls of libraries do.
pub(super) fn push_service_calls(walk: &mut CommandWalk<'_>, language: &str, text: &str, calls: &[CodeCall]) {
    if empties_model(text) {
        walk.push(Operation::new(OperationKind::Database, language).action("delete_all").written("delete_all"));
    }
    push_system_calls(walk, language, text);
    let mut before = "";
    for call in calls {
        let last = last_part(&call.name);
        if CodeWords::SqlFunctions.has(last) {
            for text in call.texts.iter().filter(|text| text.contains(char::is_whitespace)) {
                for operation in sql_operations(language, text) {
                    walk.push(operation);
                }
            }
        }
        if let Some(def) = FUNCTIONS.meanings(last).next() {
            walk.push(def.operation(language).written(call.name.trim_start_matches(").")));
        }
        if call.name.ends_with("containers.run") && call.names.iter().any(|name| name == "privileged") {
            walk.push(Operation::new(OperationKind::Container, language).action("more_rights").written("privileged"));
        }
        // `Model.objects.all().delete()`, `bucket.objects.all().delete()`.
        let is_empty = matches!(last, "delete" | "terminate") && last_part(before) == "all";
        if is_empty {
            let in_cloud = ["boto3", "aws-sdk", "google.cloud", "azure"].iter().any(|library| text.contains(library));
            let (kind, action) =
                if in_cloud { (OperationKind::Cloud, "delete") } else { (OperationKind::Database, "delete_all") };
            walk.push(Operation::new(kind, language).action(action).written(last));
        }
        before = &call.name;
    }
}

/// Functions of the system library, and processes that start themselves without an end.
fn push_system_calls(walk: &mut CommandWalk<'_>, language: &str, text: &str) {
    let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    if has(&["ctypes", "cffi", "Fiddle", "FFI", "dlopen", "syscall"]) && has(&["reboot", "kexec_load", "SYS_reboot"]) {
        walk.push(Operation::new(OperationKind::System, language).action("power").written("reboot"));
    }
    let is_endless = |pair: &[&str]| matches!(pair, ["while", "1" | "True" | "true"] | ["until", "0" | "false"]);
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    let loops = plain.windows(2).any(is_endless) || has(&["loop", "forever"]) || text.contains("for(;;)");
    if loops && plain.contains(&"fork") && !plain.iter().any(|word| matches!(*word, "wait" | "waitpid" | "sleep")) {
        walk.push(Operation::new(OperationKind::System, language).action("fork_bomb"));
    }
}

/// `Order.delete_all`, `Order.all.destroy_all`, `Order.deleteMany({})`; not behind a condition.
fn empties_model(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':' | '.');
    let plain: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    CodeWords::Emptying.all().iter().any(|method| plain.contains(method))
        || [".delete_all", ".destroy_all"].iter().flat_map(|method| text.match_indices(method)).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let receiver = before.rsplit(|letter| !is_part(letter)).next().unwrap_or_default();
            receiver.starts_with(|letter: char| letter.is_ascii_uppercase())
        })
}
