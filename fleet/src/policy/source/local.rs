//! A bundle in a file or a directory, such as one that is mounted.

use std::path::Path;

use super::{FetchedBundle, unavailable};
use crate::FleetError;
use crate::policy::content::{BUNDLE_FILE, MOST_BUNDLE_BYTES, MOST_SIGNATURE_BYTES};
use crate::policy::signature::signature_path;

/// Checks that an address is a path that means the same everywhere.
pub(super) fn check_address(address: &str) -> Result<(), String> {
    match Path::new(address).is_absolute() {
        true => Ok(()),
        false if address.contains("://") => Err(String::from("bundles are not fetched by this protocol")),
        false => Err(String::from("a path must be absolute")),
    }
}

pub(super) async fn fetch(address: &str) -> Result<FetchedBundle, FleetError> {
    let path = Path::new(address);
    let file = if pintle_files::is_dir(path) { path.join(BUNDLE_FILE) } else { path.to_owned() };
    let read = |path: &Path, most: usize| {
        let bytes = pintle_files::read_head(path, most as u64 + 1);
        let bytes = bytes.map_err(|error| unavailable(&path.display().to_string(), &error))?;
        match bytes.len() <= most {
            true => Ok(bytes),
            false => Err(unavailable(&path.display().to_string(), &"it is too large")),
        }
    };
    let signature = read(&signature_path(&file), MOST_SIGNATURE_BYTES)?;
    Ok(FetchedBundle { bytes: read(&file, MOST_BUNDLE_BYTES)?, signature })
}
