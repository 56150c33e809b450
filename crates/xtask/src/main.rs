//! Repository chores: `cargo xtask` lists them.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "chores print for their user")]

mod chore;
mod clients;
mod fuzz;
mod git_options;
mod graph;
mod reference;
mod scorecard;
mod seeds;
mod tidy;
mod timings;
mod workspace;

use std::process::ExitCode;

use chore::ChoreReport;
use workspace::SourceWorkspace;

/// A chore: its name, its arguments, what it does, and the function that does it.
struct XtaskChore {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&SourceWorkspace, &[String]) -> Result<ChoreReport, String>,
}

const CHORES: &[XtaskChore] = &[
    XtaskChore {
        name: "reference",
        arguments: "[--check]",
        about: "write the generated reference pages and JSON Schemas, or list those that are out of date",
        run: reference::run,
    },
    XtaskChore {
        name: "graph",
        arguments: "",
        about: "draw the crates and what they depend on; `reference` draws the picture, too",
        run: graph::run,
    },
    XtaskChore {
        name: "tidy",
        arguments: "",
        about: "check the map of the crates, forbidden patterns, file lengths, words and links",
        run: tidy::run,
    },
    XtaskChore {
        name: "seeds",
        arguments: "DIR",
        about: "run the examples of the documents in a directory, unchanged, and check their promises",
        run: seeds::run,
    },
    XtaskChore {
        name: "scorecard",
        arguments: "[--show] [--alone] [--write] [--file PATH]",
        about: "score the packs on the labelled corpus, beside other guards, which it says how to install; or --alone",
        run: scorecard::run,
    },
    XtaskChore {
        name: "fuzz",
        arguments: "[--oracle] [COUNT] [SEED] [--shell NAME]",
        about: "work out what changed command lines would do; with --oracle, what programs of a grammar do in the shells",
        run: fuzz::run,
    },
    XtaskChore {
        name: "git-options",
        arguments: "[--check]",
        about: "write the table of git's options as the installed git names them, or compare it",
        run: git_options::run,
    },
    XtaskChore {
        name: "timings",
        arguments: "[PROFILE]",
        about: "build the program from an empty directory, and list the ten units that take longest",
        run: timings::run,
    },
    XtaskChore {
        name: "clients",
        arguments: "[--documents DIR] [--latest] [--packs] [CLIENT..]",
        about: "install the supported agents, and prove in each that hooks are enforced; needs npm",
        run: clients::run,
    },
];

fn main() -> ExitCode {
    if let Some(ended) = pintle_host::serve_worker() {
        return ended;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        for chore in CHORES {
            println!("cargo xtask {:<22} {}", format!("{} {}", chore.name, chore.arguments), chore.about);
        }
        return ExitCode::SUCCESS;
    };
    let Some(chore) = CHORES.iter().find(|chore| chore.name == name) else {
        eprintln!("error: unknown chore `{name}`; run `cargo xtask` for the list");
        return ExitCode::from(3);
    };
    match SourceWorkspace::open().and_then(|workspace| (chore.run)(&workspace, rest)) {
        Ok(report) => {
            for line in &report.lines {
                println!("{line}");
            }
            if report.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(3)
        }
    }
}
