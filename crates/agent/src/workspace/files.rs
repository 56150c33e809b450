//! Whole files and folders.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::UNIX_EPOCH;

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;
use rustix::io::Errno;
use serde_json::{Value, json};

use super::{MAX_FILE_BYTES, Workspace, protect};

/// What is known of a file without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) name: String,
    pub(crate) size_bytes: u64,
    pub(crate) is_dir: bool,
    pub(crate) modified_us: u64,
}

impl Stat {
    pub(crate) fn to_value(&self) -> Value {
        json!({
            "name": self.name,
            "size": self.size_bytes,
            "is_dir": self.is_dir,
            "mod_time_ms": self.modified_us / 1_000,
        })
    }
}

impl Workspace {
    /// A file's text.
    pub(crate) fn read(&self, path: &str) -> Result<String, String> {
        let bytes = self.read_bytes(path)?;
        String::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8 text"))
    }

    pub(crate) fn read_bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        let (bytes, is_large) = self.at(path, |dir, path| {
            let file = open_plain(dir, path, OpenOptions::new().read(true))?;
            let mut bytes = Vec::new();
            // A file may grow while it is read.
            file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
            let is_large = bytes.len() as u64 > MAX_FILE_BYTES;
            Ok((bytes, is_large))
        })?;
        if is_large {
            return Err(format!("`{path}` is larger than {} MiB; use grep to look into it", MAX_FILE_BYTES >> 20));
        }
        Ok(bytes)
    }

    /// Replaces a file's text, making the file and its folders when they are not there.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<(), String> {
        self.may_change(path)?;
        self.at(path, |dir, path| {
            make_parent(dir, path)?;
            open_plain(dir, path, OpenOptions::new().create(true).write(true).truncate(true))?
                .write_all(text.as_bytes())
        })
    }

    pub(crate) fn append(&self, path: &str, text: &str) -> Result<(), String> {
        self.may_change(path)?;
        self.at(path, |dir, path| {
            make_parent(dir, path)?;
            open_plain(dir, path, OpenOptions::new().create(true).append(true))?.write_all(text.as_bytes())
        })
    }

    pub(crate) fn exists(&self, path: &str) -> Result<bool, String> {
        self.at(path, |dir, path| dir.try_exists(path))
    }

    /// Removes a file, or a folder that is empty. A folder with something in it stays.
    pub(crate) fn remove(&self, path: &str) -> Result<(), String> {
        self.may_change(path)?;
        self.at(
            path,
            |dir, path| {
                if dir.symlink_metadata(path)?.is_dir() { dir.remove_dir(path) } else { dir.remove_file(path) }
            },
        )
    }

    pub(crate) fn make_folder(&self, path: &str) -> Result<(), String> {
        self.may_change(path)?;
        self.at(path, |dir, path| dir.create_dir_all(path))
    }

    pub(crate) fn copy(&self, from: &str, to: &str) -> Result<(), String> {
        self.may_change(to)?;
        let to = self.relative(to)?;
        self.at(from, |dir, from| {
            let mut source = open_plain(dir, from, OpenOptions::new().read(true))?;
            make_parent(dir, &to)?;
            let mut copy = open_plain(dir, &to, OpenOptions::new().create(true).write(true).truncate(true))?;
            io::copy(&mut source, &mut copy)?;
            copy.set_permissions(source.metadata()?.permissions())
        })
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), String> {
        self.may_move(from)?;
        self.may_change(to)?;
        let to = self.relative(to)?;
        self.at(from, |dir, from| {
            make_parent(dir, &to)?;
            dir.rename(from, dir, &to)
        })
    }

    pub(crate) fn stat(&self, path: &str) -> Result<Stat, String> {
        self.at(path, |dir, inside| {
            let found = dir.metadata(inside)?;
            let name = inside.file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
            Ok(stat_of(name, &found))
        })
    }

    /// What is in a folder, by name. The tapes of sessions are no part of the work and are left out.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<Stat>, String> {
        let mut found = self.at(path, |dir, path| {
            let mut found = Vec::new();
            for entry in dir.read_dir(path)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name == protect::RECORDS {
                    continue;
                }
                found.push(stat_of(name, &entry.metadata()?));
            }
            Ok(found)
        })?;
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }
}

/// Opens a file and nothing else: a pipe or a device would keep a tool waiting for ever, whatever its time limit.
fn open_plain(dir: &Dir, path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Opening a pipe waits for its other end, unless this is said.
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let not_plain = || io::Error::other("it is a pipe, a socket or a device, and tools use plain files alone");
    let file = match dir.open_with(path, options) {
        Err(fault) if fault.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => return Err(not_plain()),
        opened => opened?,
    };
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if found.is_file() { Ok(file) } else { Err(not_plain()) }
}

fn make_parent(dir: &Dir, path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => match dir.metadata(parent) {
            Ok(_) => Ok(()),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => dir.create_dir_all(parent),
            // A link that leads outside is told as such.
            Err(fault) => Err(fault),
        },
        _ => Ok(()),
    }
}

fn stat_of(name: String, found: &cap_std::fs::Metadata) -> Stat {
    let modified = found.modified().ok().and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
    Stat {
        name,
        size_bytes: found.len(),
        is_dir: found.is_dir(),
        modified_us: modified.and_then(|since| u64::try_from(since.as_micros()).ok()).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use crate::workspace::tests::workspace;

    #[test]
    fn files_are_made_changed_listed_and_removed() {
        let (_folder, workspace) = workspace();
        workspace.write("a/b/c.txt", "one").unwrap();
        workspace.append("a/b/c.txt", " two").unwrap();
        workspace.copy("a/b/c.txt", "copy/d.txt").unwrap();
        workspace.rename("a/b/c.txt", "moved/e.txt").unwrap();
        assert_eq!(workspace.read("copy/d.txt").unwrap(), "one two");
        assert_eq!(workspace.read("moved/e.txt").unwrap(), "one two");
        assert!(!workspace.exists("a/b/c.txt").unwrap());
        let stat = workspace.stat("moved/e.txt").unwrap();
        assert_eq!((stat.name.as_str(), stat.size_bytes, stat.is_dir), ("e.txt", 7, false));
        let names: Vec<_> = workspace.list(".").unwrap().into_iter().map(|stat| (stat.name, stat.is_dir)).collect();
        let folder = |name: &str| (name.to_owned(), true);
        assert_eq!(names, [folder("a"), folder("copy"), folder("moved")]);
        assert!(workspace.remove("copy").unwrap_err().starts_with("cannot use `copy`"));
        workspace.remove("copy/d.txt").unwrap();
        workspace.remove("copy").unwrap();
        assert_eq!(workspace.read("copy").unwrap_err(), "`copy` does not exist; list its folder to see what does");
        assert_eq!(workspace.read("a").unwrap_err(), "`a` is a folder, not a file");
        assert!(workspace.copy("moved/e.txt", "../e.txt").unwrap_err().contains("outside the workspace"));
    }

    #[test]
    fn pipes_sockets_and_devices_are_refused_at_once() {
        let (folder, workspace) = workspace();
        workspace.write("plain", "kept").unwrap();
        let at = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::os::unix::fs::symlink("pipe", at("link")).unwrap();
        // Somebody holds the pipe's other end open, so that opening it would succeed.
        let held = std::fs::File::options().read(true).write(true).open(at("pipe")).unwrap();
        let refuses = |path: &str| {
            for fault in [
                workspace.read(path).map(drop),
                workspace.write(path, "x"),
                workspace.append(path, "x"),
                workspace.copy(path, "copied"),
                workspace.copy("plain", path),
            ] {
                let fault = fault.unwrap_err();
                assert!(fault.contains("plain files alone"), "{path}: {fault}");
            }
        };
        ["pipe", "socket", "link"].iter().copied().for_each(refuses);
        drop(held);
        ["pipe", "socket", "link"].iter().copied().for_each(refuses);
        assert_eq!(workspace.read("plain").unwrap(), "kept");
        assert!(!workspace.exists("copied").unwrap());
    }
}
