//! Installs clients from npm, cached in a directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pintle_clients::CLIENTS;
use serde_json::Value;

use super::client::TestClient;
use super::run_command::run;

/// An installed client.
#[derive(Debug)]
pub(super) struct InstalledClient {
    /// The directory with its program.
    pub(super) program_dir: PathBuf,
    /// The directory with its package and those that it needs.
    pub(super) modules: PathBuf,
    /// Its version.
    pub(super) version: String,
}

/// Installs a client unless it is installed already.
pub(super) fn install(client: &TestClient, latest: bool, cache: &Path) -> Result<InstalledClient, String> {
    let version = if latest { latest_version(client)? } else { tried_version(client)? };
    let dir = cache.join(format!("{}@{version}", client.name));
    let programs = dir.join("node_modules/.bin");
    if !programs.join(client.program).exists() {
        fs::create_dir_all(&dir).map_err(|error| format!("cannot create `{}`: {error}", dir.display()))?;
        let package = format!("{}@{version}", client.package);
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&dir).arg(&package).args(client.runtime);
        run_checked(&mut npm, &format!("npm install {package}"))?;
        if let Some(script) = client.setup {
            let script = dir.join("node_modules").join(client.package).join(script);
            run_checked(Command::new("node").arg(script), &format!("the setup of {package}"))?;
        }
    }
    Ok(InstalledClient { program_dir: programs, modules: dir.join("node_modules"), version })
}

/// The version that its support table was made with.
fn tried_version(client: &TestClient) -> Result<String, String> {
    let def = CLIENTS.iter().find(|def| def.name == client.name);
    def.map(|def| def.tried_version.to_owned()).ok_or_else(|| format!("no client is called `{}`", client.name))
}

fn latest_version(client: &TestClient) -> Result<String, String> {
    let mut npm = Command::new("npm");
    let said = run_checked(npm.args(["view", client.package, "version", "--json"]), "npm view")?;
    let version: Value = serde_json::from_str(&said).map_err(|error| format!("npm view: {error}"))?;
    version.as_str().map(str::to_owned).ok_or_else(|| format!("npm does not know the version of {}", client.package))
}

fn run_checked(command: &mut Command, item: &str) -> Result<String, String> {
    let ran = run(command)?;
    match ran.status {
        Some(0) => Ok(ran.stdout),
        _ => Err(format!("{item} failed: {}", ran.stderr.trim())),
    }
}
