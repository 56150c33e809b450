//! `cargo xtask clients`: Pintle inside the agents that people run.
//!
//! Each client is installed with npm, gets Pintle the way a person would, and is run headless against a model on this
//! machine that plays a script. What it did, and what its model was told, is what counts.

mod client;
mod fetched;
mod left;
mod outcome;
mod proof;
mod ran;
mod stage;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Report;
use crate::seeds::{self, Lifecycle};
use crate::workspace::Workspace;
use client::{CLIENTS, Client};
use outcome::Outcome;
use proof::{Hooks, Proof};
use stage::Stage;

/// What the command line asks for.
struct Wanted {
    clients: Vec<&'static Client>,
    latest: bool,
    cache: PathBuf,
    /// What the document about hooks that are scripts shows.
    document: Option<Lifecycle>,
}

/// What came of the proofs so far.
#[derive(Default)]
struct Tally {
    held: usize,
    failed: usize,
    left_out: usize,
}

/// Runs the proofs and tells what came of each.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<Report, String> {
    let wanted = wanted(workspace, arguments)?;
    let pintle = built(workspace)?;
    let mut tally = Tally::default();
    for client in wanted.clients {
        println!("{} ..", client.name);
        let installed = fetched::install(client, wanted.latest, &wanted.cache)?;
        let stage = Stage::new(client, &installed, &pintle, wanted.document.as_ref())?;
        for proof in proof::PROOFS {
            if proof.hooks == Hooks::Documents && wanted.document.is_none() {
                let name = format!("{:<8} {:<9} {:<48}", client.name, installed.version, proof.name);
                println!("NOT RUN {name} `--documents DIR` names the documents that it wants");
                tally.left_out += 1;
            } else {
                tally.count(shown(&stage, proof, &installed.version)?);
            }
        }
        tally.count(healthy(&stage, client));
    }
    let Tally { held, failed, left_out } = tally;
    let last = format!("{failed} of {} proofs failed, {left_out} were not run", held + failed);
    Ok(Report { lines: vec![last], passed: failed == 0 })
}

impl Tally {
    fn count(&mut self, good: bool) {
        *(if good { &mut self.held } else { &mut self.failed }) += 1;
    }
}

/// Runs a proof, and tells whether it came to what it has to.
fn shown(stage: &Stage, proof: &Proof, version: &str) -> Result<bool, String> {
    let client = stage.client;
    let expected = client.expected(proof);
    let (outcome, transcript) = match proof.run(stage) {
        Ok(seen) => (Outcome::of(proof, &seen), seen.transcript()),
        Err(why) => (Outcome::Broken, why),
    };
    let good = outcome == expected;
    let verdict = if good { "ok     " } else { "FAIL   " };
    let why = client.reason(proof).map(|why| format!(" ({why})")).unwrap_or_default();
    let mut line = format!("{verdict} {:<8} {version:<9} {:<48} {outcome}{why}", client.name, proof.name);
    if !good {
        let kept = stage.keep(proof.name, &transcript)?;
        line.push_str(&format!("; expected: {expected}; see {}", kept.display()));
    }
    println!("{line}");
    Ok(good)
}

/// Asks `pintle doctor` of the same client.
fn healthy(stage: &Stage, client: &Client) -> bool {
    let (good, text) = match (stage.doctor(), client.complaint) {
        (Ok((healthy, text)), None) => (healthy, text),
        (Ok((healthy, text)), Some(complaint)) => (!healthy && text.contains(complaint), text),
        (Err(why), _) => (false, why),
    };
    let found = client.complaint.map_or_else(|| String::from("healthy"), |complaint| format!("finds: {complaint}"));
    let verdict = if good { "ok     " } else { "FAIL   " };
    println!("{verdict} {:<8} {:<9} {:<48} {found}", client.name, "", "pintle doctor");
    if !good {
        println!("{text}");
    }
    good
}

fn wanted(workspace: &Workspace, arguments: &[String]) -> Result<Wanted, String> {
    let cache = workspace.root.join("target/clients");
    let mut wanted = Wanted { clients: Vec::new(), latest: false, cache, document: None };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--latest" => wanted.latest = true,
            "--cache" => wanted.cache = arguments.next().ok_or("`--cache` needs a folder")?.into(),
            "--documents" => {
                let folder = arguments.next().ok_or("`--documents` needs the folder of the documents")?;
                wanted.document = Some(seeds::lifecycle(Path::new(folder))?);
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

/// Builds the program beside this one.
fn built(workspace: &Workspace) -> Result<PathBuf, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| String::from("cargo"));
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--package", "pintle-cli"]).current_dir(&workspace.root);
    match build.status() {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(String::from("`pintle` does not build")),
        Err(fault) => return Err(format!("cannot run cargo: {fault}")),
    }
    let own = std::env::current_exe().map_err(|fault| format!("cannot tell where this program is: {fault}"))?;
    Ok(own.with_file_name("pintle"))
}
