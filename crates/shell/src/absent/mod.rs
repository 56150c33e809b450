//! What stands for the parts that this build does without: it reads nothing, and says so.

#[cfg(not(feature = "code"))]
pub(crate) mod code;
#[cfg(not(feature = "powershell"))]
pub(crate) mod power;
#[cfg(not(feature = "sql"))]
pub(crate) mod sql;

use crate::Operation;
use crate::walk::NOT_BUILT_IN;

/// The operation of a text whose reader is not built in. It has no program, so that a caller that watches files looks at
/// the text as a whole.
fn unread(language: &str) -> Operation {
    Operation::unknown("", format!("the reader of {language} {NOT_BUILT_IN}"))
}
