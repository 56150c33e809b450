//! A chore, and the program that runs the one that its user names.

use std::process::ExitCode;

use crate::workspace::SourceWorkspace;

/// A chore: its name, its arguments, what it does, and the function that does it.
#[derive(Debug)]
pub struct RepositoryChore {
    pub name: &'static str,
    pub arguments: &'static str,
    pub about: &'static str,
    pub run: fn(&SourceWorkspace, &[String]) -> Result<ChoreReport, String>,
}

/// The report of a chore: lines to print, and whether it passed.
#[derive(Debug)]
pub struct ChoreReport {
    pub lines: Vec<String>,
    pub passed: bool,
}

/// Runs the chore that the first argument names, or lists those of `cargo PROGRAM`.
#[must_use]
pub fn run_chore(program: &str, chores: &[RepositoryChore]) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        for chore in chores {
            println!("cargo {program} {:<22} {}", format!("{} {}", chore.name, chore.arguments), chore.about);
        }
        return ExitCode::SUCCESS;
    };
    let Some(chore) = chores.iter().find(|chore| chore.name == name) else {
        eprintln!("error: unknown chore `{name}`; run `cargo {program}` for the list");
        return ExitCode::from(3);
    };
    if rest.iter().any(|argument| argument == "--help") {
        println!("cargo {program} {name} {}\n\n{}", chore.arguments, chore.about);
        return ExitCode::SUCCESS;
    }
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
