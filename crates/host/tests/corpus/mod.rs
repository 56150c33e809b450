//! Hooks as users write them, fired through the real runtime. One case file contains one set of hooks.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod case;
mod fixture;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use case::{CaseFile, CorpusCase, read_exceptions};

fn corpus_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

fn read_case_files() -> Vec<CaseFile> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(corpus_dir().join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| CaseFile::read(path)).collect()
}

#[test]
fn every_case_holds_but_for_the_known_exceptions() {
    let exceptions = read_exceptions(&corpus_dir().join("exceptions.yaml"));
    let files = read_case_files();
    let cases: Vec<_> = files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case))).collect();
    // Side by side: the longest test of its program would run alone after the others.
    let outcomes: Vec<_> = thread::scope(|scope| {
        let run = |part: &[(&CaseFile, &CorpusCase)]| -> Vec<_> {
            part.iter().map(|(file, case)| fixture::run_case(file, case)).collect()
        };
        let parts: Vec<_> = cases.chunks(cases.len().div_ceil(2)).map(|part| scope.spawn(move || run(part))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let (mut faults, mut unused) = (Vec::new(), exceptions.clone());
    for ((file, case), outcome) in cases.iter().zip(outcomes) {
        let name = format!("{}: {}", file.name, case.name);
        unused.retain(|(known, _)| *known != name);
        let known = exceptions.iter().find(|(known, _)| *known == name);
        match (outcome, known) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Ok(()), Some((_, reason))) => {
                faults.push(format!("{name}\n  holds, and is a known exception: {reason}"));
            }
            (Err(error), None) => faults.push(format!("{name}\n{error}")),
        }
    }
    let cases = cases.len();
    faults.extend(unused.iter().map(|(name, _)| format!("{name}\n  is a known exception and no case")));
    assert!(faults.is_empty(), "{} of {cases} cases:\n{}", faults.len(), faults.join("\n"));
    assert!(cases > 60, "only {cases} cases were found");
}

#[test]
fn a_case_that_expects_something_else_fails() {
    let path = corpus_dir().join("cases/governed_agent.yaml");
    let file = CaseFile::read(&path);
    let case = file.cases.iter().find(|case| case.expect.get("reason").is_some()).unwrap();
    assert_eq!(fixture::run_case(&file, case), Ok(()));
    for (field, value) in [("decision", "allow"), ("reason", "another"), ("metrics", "none"), ("payload", "other")] {
        let mut wrong = case.clone();
        wrong.expect.insert(field.to_owned(), value.into());
        assert!(fixture::run_case(&file, &wrong).is_err(), "{field} is not compared");
    }
}
