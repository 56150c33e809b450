//! Chores that need documents, packages or programs from outside the repository: `cargo lab` lists them.

mod clients;
mod conformance;
mod git_options;
mod parity;
mod scorecard;
mod seeds;
mod site;
mod view;

use std::process::ExitCode;

use xtask::{RepositoryChore, run_chore};

const CHORES: &[RepositoryChore] = &[
    RepositoryChore {
        name: "seeds",
        arguments: "DIR",
        about: "run the examples of the documents in a directory, unchanged, and check their promises",
        run: seeds::run,
    },
    RepositoryChore {
        name: "scorecard",
        arguments: "[--show] [--alone] [--write] [--file PATH]",
        about: "score the packs on the labelled corpus, beside other guards, which it says how to install; or --alone",
        run: scorecard::run,
    },
    RepositoryChore {
        name: "git-options",
        arguments: "[--check]",
        about: "write the table of git's options as the installed git names them, or compare it",
        run: git_options::run,
    },
    RepositoryChore {
        name: "clients",
        arguments: "[--documents DIR] [--latest] [--packs] [CLIENT..]",
        about: "install the supported agents, and prove in each that hooks are enforced; needs npm",
        run: clients::run,
    },
    RepositoryChore {
        name: "conformance",
        arguments: "",
        about: "run the public conformance kit of AGENT-HOOKS on the agent loop, and print the score; needs Python and its registry",
        run: conformance::run,
    },
    RepositoryChore {
        name: "parity",
        arguments: "[SEED]",
        about: "play 2,000 cases through the crate, the program and the packages for Python and Node.js, and compare them",
        run: parity::run,
    },
    RepositoryChore {
        name: "picture",
        arguments: "",
        about: "draw what a user of an agent sees when a call is refused; needs npm and `script`",
        run: clients::picture::draw,
    },
    RepositoryChore {
        name: "site",
        arguments: "",
        about: "build the documentation's site, measure its pages and draw some; needs mdBook and Chromium",
        run: site::run,
    },
    RepositoryChore {
        name: "view",
        arguments: "",
        about: "look at the page of `pintle view` in a browser, and check it with axe; needs npm and Chromium",
        run: view::run,
    },
];

fn main() -> ExitCode {
    if let Some(ended) = pintle_host::serve_worker() {
        return ended;
    }
    // The kit drives this program as a host.
    if std::env::args().nth(1).as_deref() == Some("ctk") {
        return match conformance::serve_kit() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        };
    }
    run_chore("lab", CHORES)
}
