//! The files of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The folders with the crates, and those that have a workspace of their own: the packages for other languages, the program
/// for many machines and chores.
pub const SOURCE_FOLDERS: [&str; 4] = ["bindings/", "crates/", "fleet/", "lab/"];

/// Whether a file is below the `src` of a crate or of the chores.
#[must_use]
pub fn is_in_src(file: &str) -> bool {
    SOURCE_FOLDERS.iter().any(|dir| file.starts_with(dir)) && file.contains("/src/")
}

/// What the manifest of a published crate says of it.
const METADATA: [&str; 4] = ["description", "license", "keywords", "categories"];

/// The repository that this program was built from.
#[derive(Debug)]
pub struct SourceWorkspace {
    /// Its root directory.
    pub root: PathBuf,
    /// Every text file, by its path from the root with `/`.
    pub files: BTreeMap<String, String>,
}

/// A crate of the workspace.
#[derive(Debug)]
pub struct WorkspaceCrate {
    /// Its directory under `crates/`.
    pub folder: String,
    /// The directories of the workspace's crates that it depends on, tests aside.
    pub internal_dependencies: Vec<String>,
    /// The names of all crates that it depends on, tests included.
    pub all_dependencies: Vec<String>,
    /// What its users need to know and its manifest does not say; empty for a crate that is not published.
    pub missing_metadata: Vec<&'static str>,
}

impl SourceWorkspace {
    /// Reads every file of the repository.
    pub fn open() -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().map_err(|error| format!("cannot find the repository: {error}"))?;
        let mut files = BTreeMap::new();
        read_folder(&root, "", &mut files).map_err(|error| format!("cannot read the repository: {error}"))?;
        Ok(Self { root, files })
    }

    pub fn text(&self, name: &str) -> Result<&str, String> {
        self.files.get(name).map(String::as_str).ok_or_else(|| format!("`{name}` is missing"))
    }

    /// The Rust files of the crates and of the chores, with their tests.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let rust = |name: &str| SOURCE_FOLDERS.iter().any(|dir| name.starts_with(dir)) && name.ends_with(".rs");
        self.files.iter().filter(move |(name, _)| rust(name)).map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The crates, by directory.
    pub fn packages(&self) -> Result<Vec<WorkspaceCrate>, String> {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| String::from("cargo"));
        let text = capture_output(
            Command::new(cargo).args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(&self.root),
        )?;
        let metadata: Value = serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
        let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let dir = |manifest: &str| {
            let parent = Path::new(manifest).parent().and_then(Path::file_name);
            parent.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let packages = list(&metadata, "packages");
        let folders: BTreeMap<String, String> =
            packages.iter().map(|package| (text(package, "name"), dir(&text(package, "manifest_path")))).collect();
        let mut found: Vec<WorkspaceCrate> = packages
            .iter()
            .map(|package| {
                let dependencies = list(package, "dependencies");
                let normal =
                    dependencies.iter().filter(|dependency| dependency.get("kind").is_some_and(Value::is_null));
                let mut internal: Vec<String> =
                    normal.filter_map(|dependency| folders.get(&text(dependency, "name")).cloned()).collect();
                internal.sort();
                let is_published = package.get("publish").is_none_or(Value::is_null);
                let is_missing = |field: &&str| match package.get(field) {
                    Some(Value::String(text)) => text.trim().is_empty(),
                    Some(Value::Array(entries)) => entries.is_empty(),
                    _ => true,
                };
                WorkspaceCrate {
                    folder: dir(&text(package, "manifest_path")),
                    internal_dependencies: internal,
                    all_dependencies: dependencies.iter().map(|dependency| text(dependency, "name")).collect(),
                    missing_metadata: METADATA.into_iter().filter(|_| is_published).filter(is_missing).collect(),
                }
            })
            .collect();
        found.sort_by(|one, other| one.folder.cmp(&other.folder));
        Ok(found)
    }
}

/// Directories that tools write, wherever they are.
const GENERATED_NAMES: [&str; 3] = ["target", "__pycache__", "node_modules"];
/// Directories that tools write.
const GENERATED_FOLDERS: [&str; 2] = [".git", "bindings/node/dist"];

/// Reads the text files of a directory tree, except those that tools write.
fn read_folder(dir: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            let is_generated = GENERATED_NAMES.iter().any(|generated| entry.file_name() == *generated);
            if !is_generated && !GENERATED_FOLDERS.contains(&name.as_str()) {
                read_folder(&entry.path(), &format!("{name}/"), files)?;
            }
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            files.insert(name, text);
        }
    }
    Ok(())
}

/// Runs a tool that prints for the user.
///
/// # Errors
/// When it cannot be run, or fails.
pub fn run_tool(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| {
        format!("cannot run `{name}`: {error}; CONTRIBUTING.md and docs/contributing say what is needed")
    })?;
    if status.success() { Ok(()) } else { Err(format!("`{name}` failed: {status}")) }
}

/// Runs a program and returns what it printed.
pub fn capture_output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot run `{name}`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{name}` printed text that is not UTF-8"))
}

/// The most memory that a process has had so far, in KiB; 0 where the system does not say. The process is an ID, or `self`.
#[must_use]
pub fn read_peak_kb(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
