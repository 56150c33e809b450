//! Changes to whole files and directories.

use std::io::{self, Write};
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions};
use pintle_host::jail::open_regular_file;

use super::Workspace;

impl Workspace {
    /// Writes a file, and creates it and its directories if needed.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<(), String> {
        self.check_change(path)?;
        self.run_at(path, |dir, path| {
            make_parent(dir, path)?;
            open_regular_file(dir, path, OpenOptions::new().create(true).write(true).truncate(true))?
                .write_all(text.as_bytes())
        })
        .map_err(|error| error.to_string())
    }

    pub(crate) fn append(&self, path: &str, text: &str) -> Result<(), String> {
        self.check_change(path)?;
        self.run_at(path, |dir, path| {
            make_parent(dir, path)?;
            open_regular_file(dir, path, OpenOptions::new().create(true).append(true))?.write_all(text.as_bytes())
        })
        .map_err(|error| error.to_string())
    }

    /// Removes a file or an empty directory.
    pub(crate) fn remove(&self, path: &str) -> Result<(), String> {
        self.check_change(path)?;
        self.run_at(path, |dir, path| {
            if dir.symlink_metadata(path)?.is_dir() { dir.remove_dir(path) } else { dir.remove_file(path) }
        })
        .map_err(|error| error.to_string())
    }

    pub(crate) fn make_dir(&self, path: &str) -> Result<(), String> {
        self.check_change(path)?;
        self.run_at(path, |dir, path| dir.create_dir_all(path)).map_err(|error| error.to_string())
    }

    pub(crate) fn copy(&self, from: &str, to: &str) -> Result<(), String> {
        self.check_change(to)?;
        let to = self.relative_path(to).map_err(|error| error.to_string())?;
        self.run_at(from, |dir, from| {
            let mut source = open_regular_file(dir, from, OpenOptions::new().read(true))?;
            make_parent(dir, &to)?;
            let mut copy = open_regular_file(dir, &to, OpenOptions::new().create(true).write(true).truncate(true))?;
            io::copy(&mut source, &mut copy)?;
            copy.set_permissions(source.metadata()?.permissions())
        })
        .map_err(|error| error.to_string())
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), String> {
        self.check_move(from)?;
        self.check_change(to)?;
        let to = self.relative_path(to).map_err(|error| error.to_string())?;
        self.run_at(from, |dir, from| {
            make_parent(dir, &to)?;
            dir.rename(from, dir, &to)
        })
        .map_err(|error| error.to_string())
    }
}

fn make_parent(dir: &Dir, path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => match dir.metadata(parent) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => dir.create_dir_all(parent),
            // A link that leads outside is reported as such.
            Err(error) => Err(error),
        },
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::workspace::tests::open_workspace;

    #[test]
    fn files_are_made_changed_listed_and_removed() {
        let (_folder, workspace) = open_workspace();
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
        let dir = |name: &str| (name.to_owned(), true);
        assert_eq!(names, [dir("a"), dir("copy"), dir("moved")]);
        assert!(workspace.remove("copy").unwrap_err().starts_with("cannot use `copy`"));
        workspace.remove("copy/d.txt").unwrap();
        workspace.remove("copy").unwrap();
        assert_eq!(
            workspace.read("copy").unwrap_err().to_string(),
            "`copy` does not exist; list its directory to see what does"
        );
        assert_eq!(workspace.read("a").unwrap_err().to_string(), "`a` is a directory, not a file");
        assert!(workspace.copy("moved/e.txt", "../e.txt").unwrap_err().contains("outside the workspace"));
    }

    #[test]
    fn pipes_sockets_and_devices_are_refused_at_once() {
        let (dir, workspace) = open_workspace();
        workspace.write("plain", "kept").unwrap();
        let at = |name: &str| dir.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::os::unix::fs::symlink("pipe", at("link")).unwrap();
        // The pipe's other end is held open, so that opening it would succeed.
        let held = std::fs::File::options().read(true).write(true).open(at("pipe")).unwrap();
        let refuses = |path: &str| {
            for error in [
                workspace.read(path).map(drop).map_err(|error| error.to_string()),
                workspace.write(path, "x"),
                workspace.append(path, "x"),
                workspace.copy(path, "copied"),
                workspace.copy("plain", path),
            ] {
                let error = error.unwrap_err();
                assert!(error.contains("only regular files"), "{path}: {error}");
            }
        };
        ["pipe", "socket", "link"].iter().copied().for_each(refuses);
        drop(held);
        ["pipe", "socket", "link"].iter().copied().for_each(refuses);
        assert_eq!(workspace.read("plain").unwrap(), "kept");
        assert!(!workspace.exists("copied").unwrap());
    }
}
