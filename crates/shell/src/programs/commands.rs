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

use super::subcommand::{SubcommandDef, subcommand};

/// Every table of subcommands.
pub(crate) static SUBCOMMANDS: &[&[SubcommandDef]] = &[
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
