//! What agents registered at run time.

use std::collections::BTreeSet;

use parking_lot::Mutex;

/// The tools, hooks and agents registered in a session.
#[derive(Debug, Default)]
pub(crate) struct MetaRegistry {
    pub(crate) tools: Mutex<BTreeSet<String>>,
    pub(crate) hooks: Mutex<BTreeSet<String>>,
    pub(crate) agents: Mutex<BTreeSet<String>>,
}
