//! The proofs of the default packs: `pintle init`, then calls with every tool of the client.

use std::time::Instant;

use pintle_testkit::model_server::{ModelServer, ServerAnswer};

use super::call::{ProofCall, run_calls};
use super::client::FORMER;
use super::pack_calls::{EXAMPLE, FIRST_CALL, PACK_CALLS, SECRET};
use super::sandbox::ClientSandbox;
use super::tally::ProofTally;

/// How long it may take from an empty home directory to the first call that is denied.
const SECONDS_TO_FIRST_DENIAL: u64 = 60;

/// How many calls a run makes at most: Gemini CLI asks its model about loops after 30 turns.
const CALLS_PER_RUN: usize = 20;

/// What the server on this machine answers for every host; it writes a file.
const SETUP: &str = "echo kumquat > \"${1:-installed.txt}\"\n";

/// Files of the sandbox.
const FILES: &[(&str, &str)] = &[
    ("HOME/kept.txt", "kept\n"),
    ("HOME/Pictures/cat.txt", "kept\n"),
    ("HOME/.bashrc", "alias ll='ls -l'\n"),
    ("HOME/.profile", "umask 022\n"),
    ("HOME/.gitconfig", "[user]\nname = Somebody\nemail = somebody@example.com\n"),
    ("PROJECT/page.txt", FORMER),
    ("PROJECT/build/out.txt", "built\n"),
    ("PROJECT/dist/out.txt", "built\n"),
    ("PROJECT/.git/page.txt", FORMER),
];

/// A repository with two branches that a forced push would move.
const GIT: &[&str] = &[
    "checkout -q -B main",
    "add page.txt",
    "commit -q -m one",
    "init -q --bare REMOTE",
    "remote add origin REMOTE",
    "push -q origin main main:topic",
    "commit -q --amend -m two",
];

/// Runs the proofs of the default packs.
pub(super) fn check_packs(fixture: &ClientSandbox, tally: &mut ProofTally) -> Result<(), String> {
    let server =
        ModelServer::start_with(|_| ServerAnswer::Text(SETUP)).map_err(|error| format!("no server: {error}"))?;
    prepare(fixture, &server)?;
    let started = Instant::now();
    let made = fixture.run_pintle(&["init", "--yes"]);
    let problem = fixture.client.expected_problem;
    let (is_good, found) = match (made, problem) {
        (Ok(()), problem) => (problem.is_none(), String::from("guarded")),
        (Err(text), Some(problem)) if text.contains(problem) => (true, format!("says: {problem}")),
        (Err(text), _) => (false, text),
    };
    tally.record(fixture, "pintle init --yes", is_good, &found);
    check_calls(fixture, &[("init", &FIRST_CALL)], tally)?;
    let seconds = started.elapsed().as_secs();
    let name = format!("`init --yes` and a denied call in at most {SECONDS_TO_FIRST_DENIAL} s");
    tally.record(fixture, &name, seconds <= SECONDS_TO_FIRST_DENIAL, &format!("{seconds} s"));
    let calls: Vec<(&str, &ProofCall)> = PACK_CALLS
        .iter()
        .flat_map(|(pack, calls)| calls.iter().map(move |call| (*pack, call)))
        .filter(|(_, call)| fixture.client.tool(call.tool).is_some())
        .collect();
    check_calls(fixture, &calls, tally)
}

fn prepare(fixture: &ClientSandbox, server: &ModelServer) -> Result<(), String> {
    fixture.write_files(FILES)?;
    fixture.write_files(&[
        ("PROJECT/.env", &format!("TOKEN={SECRET}\n")),
        ("PROJECT/.env.example", &format!("TOKEN={EXAMPLE}\n")),
        // No request leaves this machine.
        ("HOME/.curlrc", &format!("proxy = \"{}\"\nnoproxy = \"\"\n", server.url(""))),
    ])?;
    GIT.iter().try_for_each(|arguments| fixture.run_git(arguments))
}

/// Makes the calls, and records what became of each. A client that gives up at a denial makes each denied call in a run
/// of its own.
pub(super) fn check_calls(
    fixture: &ClientSandbox,
    calls: &[(&str, &ProofCall)],
    tally: &mut ProofTally,
) -> Result<(), String> {
    let client = fixture.client;
    let (alone, together): (Vec<_>, Vec<_>) =
        calls.iter().partition(|(_, call)| call.is_denied() && client.give_up_message.is_some());
    for group in together.chunks(CALLS_PER_RUN).chain(alone.chunks(1)) {
        let run = run_calls(fixture, &group.iter().map(|(_, call)| *call).collect::<Vec<_>>())?;
        for (index, (pack, call)) in group.iter().enumerate() {
            let name = call.name(pack, client);
            let found = call.result(index, call.rule, &run, client);
            tally.record_result(fixture, &name, call.expected_result(client), found, &run.transcript())?;
        }
    }
    Ok(())
}
