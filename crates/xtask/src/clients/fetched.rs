//! Clients from npm, kept in a folder for the next time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::client::Client;
use super::ran::run;

/// A client that is there.
#[derive(Debug)]
pub(super) struct Fetched {
    /// The folder with its program.
    pub(super) programs: PathBuf,
    /// Its version.
    pub(super) version: String,
}

/// Installs a client unless it is there already.
pub(super) fn install(client: &Client, latest: bool, cache: &Path) -> Result<Fetched, String> {
    let version = if latest { newest(client)? } else { client.version.to_owned() };
    let folder = cache.join(format!("{}@{version}", client.name));
    let programs = folder.join("node_modules/.bin");
    if !programs.join(client.program).exists() {
        fs::create_dir_all(&folder).map_err(|fault| format!("cannot create `{}`: {fault}", folder.display()))?;
        let package = format!("{}@{version}", client.package);
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).arg(&package);
        succeed(&mut npm, &format!("npm install {package}"))?;
        if let Some(script) = client.setup {
            let script = folder.join("node_modules").join(client.package).join(script);
            succeed(Command::new("node").arg(script), &format!("the setup of {package}"))?;
        }
    }
    Ok(Fetched { programs, version })
}

fn newest(client: &Client) -> Result<String, String> {
    let mut npm = Command::new("npm");
    let said = succeed(npm.args(["view", client.package, "version", "--json"]), "npm view")?;
    let version: Value = serde_json::from_str(&said).map_err(|fault| format!("npm view: {fault}"))?;
    version.as_str().map(str::to_owned).ok_or_else(|| format!("npm does not know the version of {}", client.package))
}

fn succeed(command: &mut Command, what: &str) -> Result<String, String> {
    let ran = run(command)?;
    match ran.status {
        Some(0) => Ok(ran.stdout),
        _ => Err(format!("{what} failed: {}", ran.stderr.trim())),
    }
}
