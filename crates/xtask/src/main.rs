//! Repository chores: `cargo xtask` lists them.
#![expect(clippy::print_stdout, reason = "chores print for their user")]

mod bars;
mod dist;
mod fuzz;
mod graph;
mod reference;
mod site;
mod tidy;
mod timings;

use std::process::ExitCode;

use xtask::{RepositoryChore, run_chore};

const CHORES: &[RepositoryChore] = &[
    RepositoryChore {
        name: "reference",
        arguments: "[--check]",
        about: "write the generated reference pages and JSON Schemas, or list those that are out of date",
        run: reference::run,
    },
    RepositoryChore {
        name: "graph",
        arguments: "",
        about: "draw the crates and what they depend on; `reference` draws the picture, too",
        run: graph::run,
    },
    RepositoryChore {
        name: "tidy",
        arguments: "",
        about: "check the map of the crates, forbidden patterns, file lengths, words and links",
        run: tidy::run,
    },
    RepositoryChore {
        name: "fuzz",
        arguments: "[--oracle] [COUNT] [SEED] [--shell NAME]",
        about: "work out what changed command lines would do; with --oracle, what programs of a grammar do in the shells",
        run: fuzz::run,
    },
    RepositoryChore {
        name: "bars",
        arguments: "[--only NAME...]",
        about: "measure what Pintle costs beside floors and peers, and write docs/reference/performance.md",
        run: bars::run,
    },
    RepositoryChore {
        name: "dist",
        arguments: "[--only NAME,..] [--target TRIPLE,..] [--built] [--check] [--twice]",
        about: "make the packages of a release; --check installs and tries them, --twice builds them a second time",
        run: dist::run,
    },
    RepositoryChore {
        name: "site",
        arguments: "",
        about: "build the documentation as a site in target/site/book, and check its links; needs mdBook",
        run: site::run,
    },
    RepositoryChore {
        name: "timings",
        arguments: "[PROFILE]",
        about: "build the program from an empty directory, and list the ten units that take longest",
        run: timings::run,
    },
];

fn main() -> ExitCode {
    run_chore("xtask", CHORES)
}
