//! A built-in that sends requests, in a build without the feature `http`.

use super::BuiltinResult;

/// Refuses the declaration.
pub(super) fn make(_arguments: &[String], _doubts: &mut Vec<String>) -> BuiltinResult {
    Err(String::from("it needs the feature `http` of `pintle`, which is not built into this program"))
}
