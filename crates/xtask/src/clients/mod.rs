//! `cargo xtask clients`: tests Pintle inside real coding agents.
//!
//! Each client is installed with npm, gets Pintle installed as a user would do it, and is run headless against a model
//! server on this machine that plays a script. The proofs check what it did and what its model received.

mod client;
mod download;
mod leftovers;
mod outcome;
mod proof;
mod run_command;
mod sandbox;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ChoreReport;
use crate::seeds::{self, LifecycleDocument};
use crate::workspace::SourceWorkspace;
use client::{CLIENTS, TestClient};
use outcome::ProofResult;
use proof::{ClientProof, HookFixture};
use sandbox::ClientSandbox;

/// The selection on the command line.
struct ClientSelection {
    clients: Vec<&'static TestClient>,
    latest: bool,
    cache: PathBuf,
    /// The document about hooks that are scripts.
    document: Option<LifecycleDocument>,
}

/// The results of the proofs so far.
#[derive(Default)]
struct ProofTally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// Runs the proofs and prints the result of each.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let wanted = parse_selection(workspace, arguments)?;
    let pintle = build_pintle(workspace)?;
    let mut tally = ProofTally::default();
    for client in wanted.clients {
        println!("{} ..", client.name);
        let installed = download::install(client, wanted.latest, &wanted.cache)?;
        let fixture = ClientSandbox::new(client, &installed, &pintle, wanted.document.as_ref())?;
        for proof in proof::PROOFS {
            if proof.hooks == HookFixture::DocumentHooks && wanted.document.is_none() {
                let name = format!("{:<8} {:<9} {:<48}", client.name, installed.version, proof.name);
                println!("NOT RUN {name} it needs documents; pass their directory with `--documents DIR`");
                tally.skipped += 1;
            } else {
                tally.record(check_proof(&fixture, proof, &installed.version)?);
            }
        }
        tally.record(check_doctor(&fixture, client));
    }
    let ProofTally { passed: held, failed, skipped: left_out } = tally;
    let last = format!("{failed} of {} proofs failed, {left_out} were not run", held + failed);
    Ok(ChoreReport { lines: vec![last], passed: failed == 0 })
}

impl ProofTally {
    fn record(&mut self, good: bool) {
        *(if good { &mut self.passed } else { &mut self.failed }) += 1;
    }
}

/// Runs a proof, and returns whether its result is the expected one.
fn check_proof(fixture: &ClientSandbox, proof: &ClientProof, version: &str) -> Result<bool, String> {
    let client = fixture.client;
    let expected = client.expected_result(proof);
    let (outcome, transcript) = match proof.run(fixture) {
        Ok(seen) => (ProofResult::from_evidence(proof, &seen), seen.transcript()),
        Err(reason) => (ProofResult::ClientFailed, reason),
    };
    let good = outcome == expected;
    let verdict = if good { "ok     " } else { "FAIL   " };
    let reason = client.reason(proof).map(|reason| format!(" ({reason})")).unwrap_or_default();
    let mut line = format!("{verdict} {:<8} {version:<9} {:<48} {outcome}{reason}", client.name, proof.name);
    if !good {
        let kept = fixture.save_transcript(proof.name, &transcript)?;
        line.push_str(&format!("; expected: {expected}; see {}", kept.display()));
    }
    println!("{line}");
    Ok(good)
}

/// Runs `pintle doctor` for the client.
fn check_doctor(fixture: &ClientSandbox, client: &TestClient) -> bool {
    let (good, text) = match (fixture.run_doctor(), client.expected_problem) {
        (Ok((healthy, text)), None) => (healthy, text),
        (Ok((healthy, text)), Some(complaint)) => (!healthy && text.contains(complaint), text),
        (Err(reason), _) => (false, reason),
    };
    let found =
        client.expected_problem.map_or_else(|| String::from("healthy"), |complaint| format!("finds: {complaint}"));
    let verdict = if good { "ok     " } else { "FAIL   " };
    println!("{verdict} {:<8} {:<9} {:<48} {found}", client.name, "", "pintle doctor");
    if !good {
        println!("{text}");
    }
    good
}

fn parse_selection(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ClientSelection, String> {
    let cache = workspace.root.join("target/clients");
    let mut wanted = ClientSelection { clients: Vec::new(), latest: false, cache, document: None };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--latest" => wanted.latest = true,
            "--cache" => wanted.cache = arguments.next().ok_or("`--cache` requires a directory")?.into(),
            "--documents" => {
                let dir = arguments.next().ok_or("`--documents` requires the directory of the documents")?;
                wanted.document = Some(seeds::lifecycle(Path::new(dir))?);
            }
            name => {
                let client = CLIENTS.iter().find(|client| client.name == name);
                let known = || CLIENTS.iter().map(|client| client.name).collect::<Vec<_>>().join(", ");
                wanted
                    .clients
                    .push(client.ok_or_else(|| format!("unknown client `{name}`, expected one of {}", known()))?);
            }
        }
    }
    if wanted.clients.is_empty() {
        wanted.clients = CLIENTS.iter().collect();
    }
    Ok(wanted)
}

/// Builds `pintle`, in the same directory as this program.
fn build_pintle(workspace: &SourceWorkspace) -> Result<PathBuf, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| String::from("cargo"));
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--package", "pintle-cli"]).current_dir(&workspace.root);
    match build.status() {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(String::from("`pintle` does not build")),
        Err(error) => return Err(format!("cannot run cargo: {error}")),
    }
    let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    Ok(own.with_file_name("pintle"))
}
