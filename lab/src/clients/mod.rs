//! `cargo lab clients`: tests Pintle inside real coding agents.
//!
//! Each client is installed with npm, gets Pintle installed as a user would do it, and is run headless against a model
//! server on this machine that plays a script. The proofs check what it did and what its model received.

mod call;
mod client;
mod client_table;
mod download;
mod drift;
mod hook_page;
mod leftovers;
mod outcome;
mod pack_calls;
mod pack_proof;
pub(crate) mod picture;
mod proof;
mod run_command;
mod sandbox;
mod tally;

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{ChoreReport, SourceWorkspace};

use crate::seeds::{self, LifecycleDocument};
use client::TestClient;
use client_table::CLIENTS;
use outcome::ProofResult;
use proof::{ClientProof, HookFixture};
use sandbox::ClientSandbox;
use tally::ProofTally;

/// The selection on the command line.
struct ClientSelection {
    clients: Vec<&'static TestClient>,
    latest: bool,
    /// Only the proofs of the default packs and of the hooks in the documentation.
    packs_only: bool,
    /// Only what the packages know and our tables do not.
    drift_only: bool,
    cache: PathBuf,
    /// The document about hooks that are scripts.
    document: Option<LifecycleDocument>,
}

/// Runs the proofs and prints the result of each.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let wanted = parse_selection(workspace, arguments)?;
    if wanted.drift_only {
        return find_drift(&wanted);
    }
    let pintle = build_pintle(workspace)?;
    let mut tally = ProofTally::default();
    for client in wanted.clients {
        println!("{} ..", client.name);
        let installed = download::install(client, wanted.latest, &wanted.cache)?;
        if !wanted.packs_only {
            check_hooks(&ClientSandbox::new(client, &installed, &pintle, wanted.document.as_ref())?, &mut tally)?;
        }
        pack_proof::check_packs(&ClientSandbox::empty(client, &installed, &pintle)?, &mut tally)?;
        for page in hook_page::PAGES {
            page.check(&ClientSandbox::empty(client, &installed, &pintle)?, &workspace.root, &mut tally)?;
        }
    }
    let ProofTally { passed: held, failed, skipped: left_out } = tally;
    let last = format!("{failed} of {} proofs failed, {left_out} were not run", held + failed);
    Ok(ChoreReport { lines: vec![last], passed: failed == 0 })
}

/// Lists what the packages of the clients know and our tables do not.
fn find_drift(wanted: &ClientSelection) -> Result<ChoreReport, String> {
    let mut lines = Vec::new();
    for client in &wanted.clients {
        let installed = download::install(client, wanted.latest, &wanted.cache)?;
        let found = drift::find(client.name, client.package, &installed.modules)?;
        lines.extend(found.iter().map(|line| format!("{} {}: {line}", client.name, installed.version)));
    }
    let passed = lines.is_empty();
    lines.push(format!("{} words of {} clients are in no table", lines.len(), wanted.clients.len()));
    Ok(ChoreReport { lines, passed })
}

/// Runs the proofs of what hooks can do, and `pintle doctor`.
fn check_hooks(fixture: &ClientSandbox, tally: &mut ProofTally) -> Result<(), String> {
    for proof in proof::PROOFS {
        if proof.hooks == HookFixture::DocumentHooks && !fixture.has_document() {
            let name = format!("{:<8} {:<9} {:<48}", fixture.client.name, fixture.version(), proof.name);
            println!("NOT RUN {name} it needs documents; pass their directory with `--documents DIR`");
            tally.skipped += 1;
        } else if fixture.client.tool(proof.tool).is_some() {
            check_proof(fixture, proof, tally)?;
        }
    }
    check_doctor(fixture, tally);
    Ok(())
}

/// Runs a proof.
fn check_proof(fixture: &ClientSandbox, proof: &ClientProof, tally: &mut ProofTally) -> Result<(), String> {
    let (found, transcript) = match proof.run(fixture) {
        Ok(seen) => (ProofResult::from_evidence(proof, &seen), seen.transcript()),
        Err(reason) => (ProofResult::ClientFailed, reason),
    };
    tally.record_result(fixture, proof.name, fixture.client.expected_result(proof.kind), found, &transcript)
}

/// Runs `pintle doctor` for the client.
fn check_doctor(fixture: &ClientSandbox, tally: &mut ProofTally) {
    let client = fixture.client;
    let (good, text) = match (fixture.run_doctor(), client.expected_problem) {
        (Ok((healthy, text)), None) => (healthy, text),
        (Ok((healthy, text)), Some(complaint)) => (!healthy && text.contains(complaint), text),
        (Err(reason), _) => (false, reason),
    };
    let found =
        client.expected_problem.map_or_else(|| String::from("healthy"), |complaint| format!("finds: {complaint}"));
    tally.record(fixture, "pintle doctor", good, &found);
    if !good {
        println!("{text}");
    }
}

fn parse_selection(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ClientSelection, String> {
    let cache = workspace.root.join("target/clients");
    let mut wanted = ClientSelection {
        clients: Vec::new(),
        latest: false,
        packs_only: false,
        drift_only: false,
        cache,
        document: None,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--latest" => wanted.latest = true,
            "--packs" => wanted.packs_only = true,
            "--drift" => wanted.drift_only = true,
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
pub(crate) fn build_pintle(workspace: &SourceWorkspace) -> Result<PathBuf, String> {
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
