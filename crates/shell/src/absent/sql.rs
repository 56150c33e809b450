//! SQL, without the feature `sql`: what statements do is not known.

use super::unread;
use crate::Operation;

pub(crate) fn sql_operations(_: &str, _: &str) -> Vec<Operation> {
    vec![unread("SQL")]
}
