//! Changes of files as the system notices them, so that many files need not be looked at one by one.
//!
//! The file itself is watched and not its directory, so that a change by any of its names is noticed. The system queues the
//! notice before it completes the change: whatever asks after that sees it. These changes have no notice:
//!
//! - a write to a file that is mapped into memory, until the mapping ends;
//! - what another machine does on a shared file system. Only local ones are relied on
//!   ([`ChangeNotices::sees_all_changes`]);
//! - a file system that is mounted over the file. The table of mounts is watched for that;
//! - another directory in place of the file's own, which the caller looks at.

use std::fs::File;
use std::path::Path;

/// The notices about some files.
#[derive(Debug)]
pub(crate) struct ChangeNotices {
    queue: File,
    mounts: File,
}

impl ChangeNotices {
    /// Notices about no file yet; `None` if the system has none for this process.
    pub(crate) fn new() -> Option<Self> {
        Some(Self { queue: system::open_queue()?, mounts: File::open("/proc/self/mounts").ok()? })
    }

    /// Whether every change of a file in this directory is noticed.
    pub(crate) fn sees_all_changes(directory: &Path) -> bool {
        system::is_local(directory)
    }

    /// Lets changes of a file be noticed from now on. Returns `false` if the system does not.
    pub(crate) fn add(&mut self, file: &Path) -> bool {
        system::add_file(&self.queue, file)
    }

    /// Whether nothing was noticed so far.
    pub(crate) fn are_none(&self) -> bool {
        system::is_quiet(&self.queue, &self.mounts)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;
    use std::path::Path;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    use rustix::fs::statfs;

    /// Everything that the state of a file shows, and the end of a write that had no notice.
    const CHANGES: WatchFlags = WatchFlags::MODIFY
        .union(WatchFlags::ATTRIB)
        .union(WatchFlags::CLOSE_WRITE)
        .union(WatchFlags::MOVE_SELF)
        .union(WatchFlags::DELETE_SELF)
        .union(WatchFlags::DONT_FOLLOW);

    /// The numbers of local file systems: ext, XFS, Btrfs, tmpfs, F2FS, ZFS, bcachefs and overlayfs.
    const LOCAL: [u64; 8] =
        [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e, 0x794c_7630];

    pub(super) fn open_queue() -> Option<File> {
        init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok().map(File::from)
    }

    pub(super) fn is_local(directory: &Path) -> bool {
        statfs(directory).is_ok_and(|found| u64::try_from(found.f_type).is_ok_and(|kind| LOCAL.contains(&kind)))
    }

    pub(super) fn add_file(queue: &File, file: &Path) -> bool {
        add_watch(queue, file, CHANGES).is_ok()
    }

    pub(super) fn is_quiet(queue: &File, mounts: &File) -> bool {
        let mut waiting = [PollFd::new(queue, PollFlags::IN), PollFd::new(mounts, PollFlags::PRI)];
        poll(&mut waiting, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(0)
    }
}

/// Elsewhere nothing is noticed, so every file is looked at.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::File;
    use std::path::Path;

    pub(super) fn open_queue() -> Option<File> {
        None
    }

    pub(super) fn is_local(_: &Path) -> bool {
        false
    }

    pub(super) fn add_file(_: &File, _: &Path) -> bool {
        false
    }

    pub(super) fn is_quiet(_: &File, _: &File) -> bool {
        false
    }
}
