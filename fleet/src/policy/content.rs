//! The content of a bundle, and its bytes.
//!
//! A bundle is a tar archive that is not compressed: policies are small, and so nothing in it can grow when it is unpacked.
//! First is `bundle.json`, the manifest, then the files below `files/` in the order of their names. Owners, times and
//! everything else that does not come from the content are always the same. So one content has one form in bytes, and an
//! archive is only read if it is exactly that form: no link, device, other entry or other byte can be in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tar::{Archive, Builder, EntryType, Header};

use crate::FleetError;
use crate::protocol::hex_digest;

/// The usual name of a bundle, by which a source that is a directory, a repository or an artifact has it.
pub const BUNDLE_FILE: &str = "policy.bundle";
/// The largest bundle.
pub(crate) const MOST_BUNDLE_BYTES: usize = 32 << 20;
/// The largest signature.
pub(crate) const MOST_SIGNATURE_BYTES: usize = 4 << 10;
/// The most files of a bundle.
const MOST_FILES: usize = 4_096;
/// The longest name of a bundle.
const MOST_NAME_BYTES: usize = 64;
/// The version of the format.
const FORMAT: u32 = 1;

const MANIFEST: &str = "bundle.json";
const FILES: &str = "files/";

/// The content of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleContent {
    /// Its name, which all versions have.
    pub name: String,
    /// Its version, which grows.
    pub version: u64,
    /// The range of versions of Pintle that it is for; `None` for all.
    pub requires: Option<String>,
    /// The files by their paths below the directory, with `/`.
    pub files: BTreeMap<String, BundledFile>,
}

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it can be run as a program.
    pub is_executable: bool,
}

/// The manifest as it is written.
#[derive(Serialize, Deserialize)]
struct BundleManifest {
    format: u32,
    name: String,
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requires: Option<String>,
    files: BTreeMap<String, ManifestEntry>,
}

#[derive(Serialize, Deserialize)]
struct ManifestEntry {
    sha256: String,
    executable: bool,
}

impl BundleContent {
    /// Reads the files of a directory. Returns with them the hidden ones, which are left out.
    ///
    /// # Errors
    /// When a file cannot be read or cannot be in a bundle, such as a link.
    pub fn read_dir(
        dir: &Path,
        name: &str,
        version: u64,
        requires: Option<String>,
    ) -> Result<(Self, Vec<String>), FleetError> {
        let (files, hidden) = read_files(dir)?;
        let content = Self { name: name.to_owned(), version, requires, files };
        content.check().map_err(FleetError::invalid_input)?;
        Ok((content, hidden))
    }

    /// The bytes of the bundle.
    ///
    /// # Errors
    /// When the content cannot be a bundle.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FleetError> {
        let invalid =
            |error: &dyn std::fmt::Display| FleetError::invalid_input(format!("cannot make a bundle: {error}"));
        let entry =
            |file: &BundledFile| ManifestEntry { sha256: hex_digest(&file.bytes), executable: file.is_executable };
        let manifest = BundleManifest {
            format: FORMAT,
            name: self.name.clone(),
            version: self.version,
            requires: self.requires.clone(),
            files: self.files.iter().map(|(path, file)| (path.clone(), entry(file))).collect(),
        };
        let mut manifest = serde_json::to_vec_pretty(&manifest).map_err(|error| invalid(&error))?;
        manifest.push(b'\n');
        let mut archive = Builder::new(Vec::new());
        let mut append = |path: &str, bytes: &[u8], is_executable: bool| {
            let mut header = Header::new_ustar();
            header.set_path(path)?;
            header.set_entry_type(EntryType::Regular);
            header.set_size(bytes.len() as u64);
            header.set_mode(file_mode(is_executable));
            header.set_uid(0);
            header.set_gid(0);
            header.set_mtime(0);
            header.set_cksum();
            archive.append(&header, bytes)
        };
        append(MANIFEST, &manifest, false).map_err(|error| invalid(&error))?;
        for (path, file) in &self.files {
            append(&format!("{FILES}{path}"), &file.bytes, file.is_executable)
                .map_err(|error| invalid(&format!("`{path}`: {error}")))?;
        }
        let bytes = archive.into_inner().map_err(|error| invalid(&error))?;
        match bytes.len() <= MOST_BUNDLE_BYTES {
            true => Ok(bytes),
            false => Err(invalid(&format!("it has more than {} MiB", MOST_BUNDLE_BYTES >> 20))),
        }
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// When the bytes are not a bundle as [`BundleContent::to_bytes`] writes it.
    pub fn parse(bytes: &[u8]) -> Result<Self, FleetError> {
        let damaged = |what: &dyn std::fmt::Display| FleetError::failure(format!("it is not a bundle: {what}"));
        let mut files = BTreeMap::new();
        let mut manifest = None;
        for entry in Archive::new(bytes).entries().map_err(|error| damaged(&error))? {
            let mut entry = entry.map_err(|error| damaged(&error))?;
            let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let shown = path.escape_debug().to_string();
            if entry.header().entry_type() != EntryType::Regular {
                return Err(damaged(&format!("`{shown}` is not a regular file")));
            }
            let is_executable = entry.header().mode().is_ok_and(|mode| mode == file_mode(true));
            let mut bytes = Vec::new();
            // An entry has no more bytes than the archive.
            entry.read_to_end(&mut bytes).map_err(|error| damaged(&format!("`{shown}`: {error}")))?;
            match path.strip_prefix(FILES) {
                None if path == MANIFEST && manifest.is_none() => {
                    let read: BundleManifest =
                        serde_json::from_slice(&bytes).map_err(|error| damaged(&format!("`{MANIFEST}`: {error}")))?;
                    if read.format != FORMAT {
                        let what = format!("the bundle has format {}, and this program reads {FORMAT}", read.format);
                        return Err(FleetError::failure(what).help("update `pintle-fleet`"));
                    }
                    manifest = Some(read);
                }
                Some(path) if files.len() < MOST_FILES => {
                    if files.insert(path.to_owned(), BundledFile { bytes, is_executable }).is_some() {
                        return Err(damaged(&format!("`{shown}` is there twice")));
                    }
                }
                _ => return Err(damaged(&format!("`{shown}` does not belong in it"))),
            }
        }
        let manifest = manifest.ok_or_else(|| damaged(&format!("it has no `{MANIFEST}`")))?;
        let BundleManifest { name, version, requires, .. } = manifest;
        let content = Self { name, version, requires, files };
        content.check().map_err(|what| damaged(&what))?;
        match content.to_bytes()? == bytes {
            true => Ok(content),
            false => Err(damaged(&"its bytes are not those that `pintle-fleet bundle make` writes for its files")),
        }
    }

    /// Checks what names are. The rest of a bundle follows from its form in bytes.
    fn check(&self) -> Result<(), String> {
        let is_name_byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
        let starts_well = self.name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if !starts_well || self.name.len() > MOST_NAME_BYTES || !self.name.bytes().all(is_name_byte) {
            return Err(format!(
                "`{}` is not a name of a bundle: use a-z, 0-9, `-`, `_` and `.`",
                self.name.escape_debug()
            ));
        }
        if self.files.is_empty() || self.files.len() > MOST_FILES {
            return Err(format!("a bundle has 1 to {MOST_FILES} files, this one has {}", self.files.len()));
        }
        if let Some(requires) = &self.requires {
            semver::VersionReq::parse(requires)
                .map_err(|error| format!("`{}` is not a range of versions: {error}", requires.escape_debug()))?;
        }
        let mut lower = BTreeSet::new();
        for path in self.files.keys() {
            let is_plain = |part: &str| {
                !part.is_empty()
                    && !part.starts_with('.')
                    && !part.contains(['\\', ':'])
                    && !part.contains(char::is_control)
            };
            if !path.split('/').all(is_plain) {
                return Err(format!("`{}` is not a path in a bundle", path.escape_debug()));
            }
            if !lower.insert(path.to_lowercase()) {
                return Err(format!("`{path}` has the name of another file, but for upper and lower case"));
            }
        }
        Ok(())
    }

    /// Writes the files into a new directory, so that they survive a power failure.
    pub(crate) fn write_to(&self, dir: &Path) -> io::Result<()> {
        pintle_files::create_shared_dirs(dir)?;
        let mut dirs = BTreeSet::from([dir.to_owned()]);
        for (path, file) in &self.files {
            let path = dir.join(path);
            if let Some(parent) = path.parent() {
                pintle_files::create_shared_dirs(parent)?;
                dirs.extend(parent.ancestors().take_while(|above| above.starts_with(dir)).map(Path::to_owned));
            }
            let mut written = File::options().write(true).create_new(true).open(&path)?;
            written.write_all(&file.bytes)?;
            pintle_files::set_file_mode(&written, file_mode(file.is_executable))?;
            written.sync_all()?;
        }
        dirs.iter().try_for_each(|dir| File::open(dir)?.sync_all())
    }

    /// What differs between the files and those of a directory; `None` if nothing does.
    pub(crate) fn find_difference(&self, dir: &Path) -> Option<String> {
        let (found, hidden) = match read_files(dir) {
            Ok(read) => read,
            Err(error) => return Some(error.message),
        };
        let added = found.keys().find(|path| !self.files.contains_key(*path)).or(hidden.first());
        let changed = self.files.iter().find(|(path, file)| found.get(*path) != Some(file)).map(|(path, _)| path);
        changed.or(added).map(|path| format!("`{}` is not as it was signed", dir.join(path).display()))
    }
}

fn file_mode(is_executable: bool) -> u32 {
    if is_executable { 0o755 } else { 0o644 }
}

/// The files below a directory by their paths, and the hidden ones without their content.
fn read_files(dir: &Path) -> Result<(BTreeMap<String, BundledFile>, Vec<String>), FleetError> {
    let (mut files, mut hidden, mut size) = (BTreeMap::new(), Vec::new(), 0);
    let mut pending = vec![(dir.to_owned(), String::new())];
    while let Some((dir, below)) = pending.pop() {
        let unreadable =
            |error: io::Error| FleetError::invalid_input(format!("cannot read `{}`: {error}", dir.display()));
        for entry in fs::read_dir(&dir).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            let invalid =
                |why: &str| FleetError::invalid_input(format!("`{}` cannot be in a bundle: {why}", path.display()));
            let name = entry.file_name().into_string().map_err(|_| invalid("its name is not UTF-8"))?;
            let found = fs::symlink_metadata(&path).map_err(|error| invalid(&error.to_string()))?;
            let below = format!("{below}{name}");
            if name.starts_with('.') {
                hidden.push(below);
            } else if found.is_dir() {
                pending.push((path, below + "/"));
            } else if !found.is_file() {
                return Err(invalid("it is neither a file nor a directory").help("put a copy of the file there"));
            } else {
                let most = MOST_BUNDLE_BYTES.saturating_sub(size);
                let bytes =
                    pintle_files::read_head(&path, most as u64 + 1).map_err(|error| invalid(&error.to_string()))?;
                if bytes.len() > most || files.len() >= MOST_FILES {
                    return Err(invalid("a bundle would be too large with it"));
                }
                size += bytes.len();
                files.insert(below, BundledFile { bytes, is_executable: pintle_files::is_executable(&found) });
            }
        }
    }
    hidden.sort();
    Ok((files, hidden))
}
