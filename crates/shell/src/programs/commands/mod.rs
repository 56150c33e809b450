//! Rows for programs whose meaning is in their subcommands.

mod agents;
mod ci;
mod cloud;
mod containers;
mod credentials;
mod databases;
mod git;
mod hosting;
mod kubernetes;
mod machine;
mod packages;
mod remote_code;
mod terraform;

pub(super) use agents::AGENTS;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::subcommand::{SubcommandDef, subcommand};

/// Every table of subcommands.
static SUBCOMMANDS: &[&[SubcommandDef]] = &[
    agents::ROWS,
    ci::ROWS,
    cloud::ROWS,
    containers::ROWS,
    credentials::ROWS,
    databases::ROWS,
    git::ROWS,
    hosting::ROWS,
    kubernetes::ROWS,
    machine::ROWS,
    packages::ROWS,
    remote_code::ROWS,
    terraform::ROWS,
];

/// The rows of each program.
pub(super) static SUBCOMMAND_INDEX: LazyLock<HashMap<&str, Vec<&SubcommandDef>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<&SubcommandDef>> = HashMap::new();
    for def in SUBCOMMANDS.iter().flat_map(|table| table.iter()) {
        for name in def.programs {
            index.entry(name).or_default().push(def);
        }
    }
    index
});
