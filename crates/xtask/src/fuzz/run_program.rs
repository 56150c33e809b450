//! Runs a program in a real shell, in an empty directory with few programs.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::grammar::MARKER;

/// The programs that a program finds.
const PROGRAMS: [&str; 6] = ["touch", "cat", "env", "sh", "bash", "zsh"];
/// Who runs the programs if root does this: a user without rights, since a program may write through any path that it happens to make.
const NOBODY: u32 = 65_534;
/// What a program may take.
const LIMIT: Duration = Duration::from_secs(3);

/// A real shell, and where its programs run.
pub(super) struct RealShell {
    program: PathBuf,
    root: PathBuf,
    bin: PathBuf,
    is_root: bool,
}

/// The file of a program of the machine.
pub(super) fn find_program(name: &str) -> Option<PathBuf> {
    ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"]
        .iter()
        .map(|dir| Path::new(dir).join(name))
        .find(|file| file.exists())
}

impl RealShell {
    /// A shell of the machine whose programs run below a directory.
    pub(super) fn new(name: &str, root: &Path) -> Result<Self, String> {
        let program = find_program(name).ok_or_else(|| format!("`{name}` is not on this machine"))?;
        let bin = root.join("bin");
        fs::create_dir_all(&bin).map_err(|error| error.to_string())?;
        for name in PROGRAMS {
            // `sh` is the shell that is tried.
            let found =
                if name == "sh" && program.ends_with("dash") { Some(program.clone()) } else { find_program(name) };
            if let Some(found) = found.filter(|_| !bin.join(name).exists()) {
                symlink(found, bin.join(name)).map_err(|error| error.to_string())?;
            }
        }
        fs::set_permissions(root, fs::Permissions::from_mode(0o711)).map_err(|error| error.to_string())?;
        let is_root = fs::metadata(root).map_err(|error| error.to_string())?.uid() == 0;
        Ok(Self { program, root: root.to_owned(), bin, is_root })
    }

    /// Checks that a program can make the marker at all: a shell in which nothing runs would miss nothing.
    pub(super) fn check(&self, name: &str) -> Result<(), String> {
        match self.makes_marker(&format!("touch {MARKER}"), name) {
            Ok(true) => Ok(()),
            Ok(false) => Err(format!("`{}` does not run `touch {MARKER}` here", self.program.display())),
            Err(error) => Err(format!("`{}` cannot be run: {error}", self.program.display())),
        }
    }

    /// The working directory of a program, which is its home directory, too.
    pub(super) fn directory(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Whether a program makes the marker. What it starts in the background is waited for.
    pub(super) fn makes_marker(&self, text: &str, name: &str) -> io::Result<bool> {
        let dir = self.directory(name);
        fs::create_dir(&dir)?;
        let mut command = Command::new(&self.program);
        if self.program.ends_with("zsh") {
            command.arg("-f");
        }
        command.args(["-c", text]).current_dir(&dir).env_clear();
        command.env("PATH", &self.bin).env("HOME", &dir).env("TERM", "dumb");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        if self.is_root {
            chown(&dir, Some(NOBODY), Some(NOBODY))?;
            command.uid(NOBODY).gid(NOBODY);
        }
        let mut child = command.spawn()?;
        // All that it starts has its standard error.
        let (sender, receiver) = mpsc::channel();
        if let Some(mut errors) = child.stderr.take() {
            std::thread::spawn(move || {
                let mut all = Vec::new();
                let _read = errors.read_to_end(&mut all);
                let _sent = sender.send(());
            });
        }
        if receiver.recv_timeout(LIMIT).is_err() {
            let group = format!("-{}", child.id());
            let _killed = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
            let _killed = child.kill();
        }
        let _ended = child.wait();
        let is_made = dir.join(MARKER).exists();
        // What still runs may make files: the directory of all programs is removed in the end.
        let _removed = fs::remove_dir_all(&dir);
        Ok(is_made)
    }
}
