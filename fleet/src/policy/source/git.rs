//! A bundle in a git repository, fetched by the `git` of the machine with the user's credentials. Nothing of the repository
//! runs: it is fetched into an empty one without templates, and only the two files are read from it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pintle_contract::to_hex;

use super::{FetchedBundle, unavailable};
use crate::FleetError;
use crate::policy::content::{BUNDLE_FILE, MOST_BUNDLE_BYTES, MOST_SIGNATURE_BYTES};

/// What git may do: no prompt would be seen, and other transports run programs.
const VARIABLES: [(&str, &str); 3] =
    [("GIT_TERMINAL_PROMPT", "0"), ("GIT_ALLOW_PROTOCOL", "https:ssh:file"), ("GIT_NO_LAZY_FETCH", "1")];

/// Settings that count more than those of the user: no hook runs, a server that stops answering is left after a minute, and
/// objects are checked.
const SETTINGS: [&str; 5] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
    "fetch.fsckObjects=true",
];

/// A directory that is removed again.
struct FetchDir(PathBuf);

impl FetchDir {
    fn create() -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let path = std::env::temp_dir().join(format!("pintle-fleet-{}", to_hex(&random)));
        pintle_files::private_dir_builder().create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for FetchDir {
    fn drop(&mut self) {
        // The system empties its directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The address of the repository, and the branch, tag or commit behind `#`.
fn split(address: &str) -> (&str, &str) {
    let address = address.strip_prefix("git+").unwrap_or(address);
    address.split_once('#').unwrap_or((address, "HEAD"))
}

/// Checks the address of a repository.
pub(super) fn check_address(address: &str) -> Result<(), String> {
    let (url, reference) = split(address);
    let is_ref_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    let known = ["https://", "ssh://", "file:///"];
    if !known.iter().any(|scheme| url.starts_with(scheme)) {
        return Err(format!("a repository begins with `git+` and one of {}", known.join(", ")));
    }
    // `user@` names the account of a server of git; a password does not belong there.
    let authority = url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':')) {
        return Err(String::from("it has a password, which everyone on the machine could read"));
    }
    let is_plain = !reference.is_empty() && reference.bytes().all(is_ref_byte);
    match is_plain && !reference.starts_with('-') && !reference.contains("..") {
        true => Ok(()),
        false => Err(format!("`{reference}` is not the name of a branch, a tag or a commit")),
    }
}

pub(super) async fn fetch(address: &str) -> Result<FetchedBundle, FleetError> {
    let (url, reference) = split(address);
    let failed = |why: String| unavailable(address, &why);
    let dir = FetchDir::create().map_err(|error| failed(error.to_string()))?;
    let git = |arguments: &[&str]| run_git(&dir.0, arguments).map_err(failed);
    git(&["init", "--quiet", "--bare", "--template=", "."])?;
    git(&["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--depth=1", "--", url, reference])?;
    let read = |name: &str, most: usize| {
        let object = format!("FETCH_HEAD:{name}");
        let size = git(&["cat-file", "-s", &object])?;
        let size: Option<usize> = String::from_utf8_lossy(&size).trim().parse().ok();
        match size.is_some_and(|size| size <= most) {
            true => git(&["cat-file", "blob", &object]),
            false => Err(failed(format!("`{name}` is too large"))),
        }
    };
    let signature = read(&format!("{BUNDLE_FILE}.minisig"), MOST_SIGNATURE_BYTES)?;
    Ok(FetchedBundle { bytes: read(BUNDLE_FILE, MOST_BUNDLE_BYTES)?, signature })
}

fn run_git(dir: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    command.current_dir(dir).envs(VARIABLES).env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").stdin(Stdio::null());
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting])).args(arguments);
    let output = command.output().map_err(|error| format!("`git` cannot be run: {error}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => {
            let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
            Err(format!("git {}: {said}", arguments.first().copied().unwrap_or_default()))
        }
    }
}
