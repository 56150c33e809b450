//! Where a resident listens, and who is at the other end of its socket.
//!
//! A resident belongs to one environment: hooks are loaded by its variables and their programs inherit them, so another
//! caller's must never be there. Its socket is named after a digest of the variables, in a directory of the user's.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, Permissions, TryLockError};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

/// The name of the directory in the state directory.
const FOLDER: &str = "serve";

/// What shells set for each program. Programs that a hook starts get none of these.
const VOLATILE: [&str; 4] = ["PWD", "OLDPWD", "SHLVL", "_"];

/// Whether a variable says nothing about the environment, only about where and how deep the shell is.
#[must_use]
pub fn is_volatile(variable: &OsStr) -> bool {
    VOLATILE.iter().any(|name| variable == *name)
}

/// The digest of an environment in hexadecimal digits, whatever the order of its variables.
#[must_use]
pub fn environment_digest(variables: impl Iterator<Item = (OsString, OsString)>) -> String {
    let mut variables: Vec<_> = variables.filter(|(name, _)| !is_volatile(name)).collect();
    variables.sort();
    let mut hash = Sha256::new();
    for (name, value) in &variables {
        for part in [name, value] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The directory with the sockets of a user's residents, opened: it cannot be exchanged behind the check.
#[derive(Debug)]
pub struct ServeDir {
    path: PathBuf,
    dir: File,
}

impl ServeDir {
    /// Opens the directory in a state directory.
    ///
    /// # Errors
    /// When it does not exist, is a link, or is not the user's alone.
    pub fn open(state_dir: &Path) -> io::Result<Self> {
        let path = state_dir.join(FOLDER);
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let dir = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(&path)?;
        let found = dir.metadata()?;
        if found.uid() != rustix::process::geteuid().as_raw() || found.mode() & 0o077 != 0 {
            let reason = format!("`{}` is not your own, or others may use it", path.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        Ok(Self { path, dir })
    }

    /// Creates the directory if it does not exist, and opens it.
    ///
    /// # Errors
    /// As [`ServeDir::open`], and when it cannot be created.
    pub fn create(state_dir: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(state_dir.join(FOLDER))?;
        Self::open(state_dir)
    }

    /// The path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in the directory, by the open directory. It is short, as the addresses of sockets must be.
    fn join_name(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.dir.as_raw_fd())).join(name)
    }

    /// Connects to the resident of an environment.
    ///
    /// # Errors
    /// When none listens, or the socket is not private.
    pub fn connect(&self, environment: &str) -> io::Result<UnixStream> {
        UnixStream::connect(self.join_name(&socket_name(environment)))
    }

    /// Listens for callers with an environment, in place of a resident that has ended.
    ///
    /// # Errors
    /// When another resident of the environment runs, as [`AddrInUse`](io::ErrorKind::AddrInUse), or the socket cannot be
    /// made.
    pub fn listen(&self, environment: &str) -> io::Result<(UnixListener, SocketLock)> {
        let lock = self.lock(environment)?.ok_or(io::ErrorKind::AddrInUse)?;
        // Callers find a socket only once it is listened to, so it is made under another name.
        let path = self.join_name(&format!("{environment}.new"));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Nothing but this user may enter the directory, so the socket is private from the first moment on.
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        let socket = fs::symlink_metadata(&path)?;
        fs::rename(&path, self.join_name(&socket_name(environment)))?;
        let files = [socket_name(environment), lock_name(environment)].map(|name| self.path.join(name));
        Ok((listener, SocketLock { files, socket: (socket.dev(), socket.ino()), _lock: lock }))
    }

    /// Locks the file of an environment's resident; `None` if a resident has it.
    fn lock(&self, environment: &str) -> io::Result<Option<File>> {
        let mut options = File::options();
        let lock = options
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.join_name(&lock_name(environment)))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The environments that have a resident. What one that was killed left behind is removed.
    #[must_use]
    pub fn environments(&self) -> Vec<String> {
        let entries = fs::read_dir(self.join_name("")).into_iter().flatten().flatten();
        let name = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(SOCKET)?.to_owned());
        let mut found: Vec<_> = entries.filter_map(name).collect();
        found.retain(|environment| match self.lock(environment) {
            Ok(Some(_lock)) => {
                for left in [socket_name(environment), lock_name(environment)] {
                    let _ = fs::remove_file(self.join_name(&left));
                }
                false
            }
            Ok(None) | Err(_) => true,
        });
        found.sort();
        found
    }
}

/// The endings of the files of a resident.
const SOCKET: &str = ".sock";
const LOCK: &str = ".lock";

fn socket_name(environment: &str) -> String {
    format!("{environment}{SOCKET}")
}

fn lock_name(environment: &str) -> String {
    format!("{environment}{LOCK}")
}

/// The right to be the resident of an environment, until it is dropped.
#[derive(Debug)]
pub struct SocketLock {
    /// The socket, and the file that is locked.
    files: [PathBuf; 2],
    socket: (u64, u64),
    _lock: File,
}

impl SocketLock {
    /// Whether callers still find this socket.
    #[must_use]
    pub fn is_found(&self) -> bool {
        let [socket, _] = &self.files;
        fs::symlink_metadata(socket).is_ok_and(|found| (found.dev(), found.ino()) == self.socket)
    }
}

impl Drop for SocketLock {
    fn drop(&mut self) {
        if self.is_found() {
            for file in &self.files {
                let _ = fs::remove_file(file);
            }
        }
    }
}

/// The process at the other end of a socket, as it was when the socket was connected.
#[derive(Debug, Clone, Copy)]
pub struct SocketPeer {
    /// Its process.
    pub process: rustix::process::Pid,
    /// The number of its account.
    pub account: u32,
}

impl SocketPeer {
    /// Asks the kernel who is at the other end.
    ///
    /// # Errors
    /// When the kernel does not say.
    pub fn from_stream(stream: &UnixStream) -> io::Result<Self> {
        let found = rustix::net::sockopt::socket_peercred(stream)?;
        Ok(Self { process: found.pid, account: found.uid.as_raw() })
    }

    /// Whether what it does is what this very program file would do here: it belongs to this user, runs the file, sees the
    /// same files, and neither a debugger nor a filter of system calls holds it that does not hold this process.
    #[must_use]
    pub fn runs(&self, program: &Metadata) -> bool {
        let of_peer = |name: &str| format!("/proc/{}/{name}", self.process.as_raw_nonzero());
        let identity = |path: &str| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        let is_same = |name: &str| {
            let peer = identity(&of_peer(name));
            peer.is_some() && peer == identity(&format!("/proc/self/{name}"))
        };
        self.account == rustix::process::geteuid().as_raw()
            && identity(&of_peer("exe")) == Some((program.dev(), program.ino()))
            && ["ns/mnt", "ns/user", "root"].into_iter().all(is_same)
            && match (fs::read_to_string(of_peer("status")), fs::read_to_string("/proc/self/status")) {
                (Ok(peer), Ok(own)) => held_by(&peer) == held_by(&own),
                _ => false,
            }
    }
}

/// The lines of a process's status that say who can change what it does.
fn held_by(status: &str) -> Vec<&str> {
    let names = ["TracerPid:", "Seccomp:", "Seccomp_filters:", "CapEff:"];
    status.lines().filter(|line| names.iter().any(|name| line.starts_with(name))).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> std::vec::IntoIter<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn environments_differ_by_every_variable_but_those_of_the_shell() {
        let digest = |pairs: &[(&str, &str)]| environment_digest(variables(pairs));
        let first = digest(&[("A", "1"), ("B", "2")]);
        assert_eq!(first.len(), 32);
        assert_eq!(digest(&[("B", "2"), ("PWD", "/x"), ("A", "1"), ("SHLVL", "3"), ("_", "x")]), first);
        for other in [
            &[("A", "1")][..],
            &[("A", "1"), ("B", "")],
            &[("A", "1B"), ("", "2")],
            &[("A", "1"), ("B", "2"), ("LD_PRELOAD", "x")],
        ] {
            assert_ne!(digest(other), first);
        }
    }

    #[test]
    fn only_a_private_directory_is_used() {
        let state = tempfile::tempdir().unwrap();
        assert!(ServeDir::open(state.path()).is_err());
        ServeDir::create(state.path()).unwrap();
        let dir = state.path().join(FOLDER);
        assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
        for mode in [0o710, 0o701, 0o770, 0o777] {
            fs::set_permissions(&dir, fs::Permissions::from_mode(mode)).unwrap();
            assert!(ServeDir::open(state.path()).is_err() && ServeDir::create(state.path()).is_err(), "{mode:o}");
        }
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
        fs::rename(&dir, state.path().join("other")).unwrap();
        symlink("other", &dir).unwrap();
        assert!(ServeDir::open(state.path()).is_err(), "a link");
    }

    #[test]
    fn one_resident_an_environment_and_the_next_takes_its_place() {
        let state = tempfile::tempdir().unwrap();
        let long = state.path().join("long".repeat(40));
        let dir = ServeDir::create(&long).unwrap();
        let (listener, lock) = dir.listen("e1").unwrap();
        assert_eq!(dir.listen("e1").unwrap_err().kind(), io::ErrorKind::AddrInUse);
        assert_eq!(dir.environments(), ["e1"]);
        let path = dir.path().join("e1.sock");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let near = dir.connect("e1").unwrap();
        let far = listener.accept().unwrap().0;
        let own = fs::metadata(std::env::current_exe().unwrap()).unwrap();
        for end in [&near, &far] {
            let peer = SocketPeer::from_stream(end).unwrap();
            assert_eq!(peer.process, rustix::process::getpid());
            assert!(peer.runs(&own) && !peer.runs(&fs::metadata("/bin/sh").unwrap()));
        }
        assert!(lock.is_found());
        fs::rename(&path, dir.path().join("moved")).unwrap();
        assert!(!lock.is_found());
        drop((listener, lock));
        let (listener, lock) = dir.listen("e1").unwrap();
        drop(listener);
        // A resident that is killed leaves its files, but not its lock.
        let left = path.with_extension("left");
        fs::hard_link(&path, &left).unwrap();
        drop(lock);
        assert!(!path.exists() && !path.with_extension("lock").exists());
        fs::rename(&left, &path).unwrap();
        assert!(dir.environments().is_empty() && !path.exists());
    }
}
