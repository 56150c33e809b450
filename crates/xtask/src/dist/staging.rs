//! What the packages share: facts about the release, texts from templates, and the tools that are started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{SourceWorkspace, capture_output};

/// The repository if the release job does not say it.
const UNKNOWN_REPOSITORY: &str = "OWNER/pintle";

/// The licences, which every package has.
pub(super) const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// What every package says of the release.
#[derive(Debug)]
pub(crate) struct ReleaseFacts {
    pub(super) version: String,
    /// The time of every file: that of the last commit, in seconds since 1970.
    pub(super) time: String,
    /// `OWNER/NAME` of the repository, which GitHub's jobs say.
    pub(crate) repository: String,
}

impl ReleaseFacts {
    pub(crate) fn read(workspace: &SourceWorkspace) -> Result<Self, String> {
        let manifest = workspace.text("Cargo.toml")?;
        let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
        let version = version.ok_or("`Cargo.toml` has no line `version = \"…\"`")?.to_owned();
        let mut git = Command::new("git");
        git.args(["log", "-1", "--format=%ct"]).current_dir(&workspace.root);
        let time = capture_output(&mut git)?.trim().to_owned();
        let repository = std::env::var("GITHUB_REPOSITORY").unwrap_or_else(|_| String::from(UNKNOWN_REPOSITORY));
        Ok(Self { version, time, repository })
    }
}

/// Replaces each `@NAME@` of a template.
pub(crate) fn fill_template(template: &str, facts: &ReleaseFacts, values: &[(&str, &str)]) -> Result<String, String> {
    let owner = facts.repository.split('/').next().unwrap_or_default();
    let general = [("VERSION", facts.version.as_str()), ("REPOSITORY", &facts.repository), ("OWNER", owner)];
    let filled = general
        .iter()
        .chain(values)
        .fold(template.to_owned(), |text, (name, value)| text.replace(&format!("@{name}@"), value));
    match find_placeholder(&filled) {
        None => Ok(filled),
        Some(name) => Err(format!("a template has `@{name}@`, which has no value")),
    }
}

/// A name between two `@` that was not replaced.
fn find_placeholder(text: &str) -> Option<&str> {
    let is_name = |part: &&str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    text.split('@').skip(1).find(is_name)
}

/// The files of a directory whose names end like that, in order.
pub(super) fn list_files(dir: &Path, suffix: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(dir).map_err(|error| format!("cannot read `{}`: {error}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|path| path.is_file() && path.to_string_lossy().ends_with(suffix));
    files.sort();
    Ok(files)
}

/// Copies the files of a directory whose names end like that into another.
pub(super) fn copy_files(from: &Path, suffix: &str, to: &Path) -> Result<(), String> {
    list_files(from, suffix)?
        .iter()
        .try_for_each(|file| copy_file(file, &to.join(file.file_name().unwrap_or_default()), false))
}

/// Copies a file, creates its directory, and sets its mode to that of a program or of a text.
pub(super) fn copy_file(from: &Path, to: &Path, is_program: bool) -> Result<(), String> {
    let bytes = fs::read(from).map_err(|error| format!("cannot read `{}`: {error}", from.display()))?;
    write_file(to, &bytes, is_program)
}

/// Writes a file as [`copy_file`] does.
pub(super) fn write_file(to: &Path, bytes: &[u8], is_program: bool) -> Result<(), String> {
    let at = |error| format!("cannot write `{}`: {error}", to.display());
    fs::create_dir_all(to.parent().unwrap_or(to)).map_err(at)?;
    fs::write(to, bytes).map_err(at)?;
    set_mode(to, if is_program { 0o755 } else { 0o644 }).map_err(at)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_completely() {
        let facts = ReleaseFacts {
            version: String::from("1.2.3"),
            time: String::from("0"),
            repository: String::from("someone/pintle"),
        };
        let fill = |text| fill_template(text, &facts, &[("ARCH", "amd64")]);
        assert_eq!(
            fill("@VERSION@ @ARCH@ <@OWNER@@host> @pintle/x @REPOSITORY@").unwrap(),
            "1.2.3 amd64 <someone@host> @pintle/x someone/pintle"
        );
        assert!(fill("a @MISSING_1@ b").unwrap_err().contains("@MISSING_1@"));
    }
}
