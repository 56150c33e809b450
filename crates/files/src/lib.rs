//! Opening files and nothing else: a pipe or a device would keep us waiting for ever.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Opens a plain file to read it.
///
/// # Errors
/// When it cannot be opened, or is something else: then at once, whatever it is.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let not_plain = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file");
    // Opening a pipe waits for its other end, unless this is said.
    let opened = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path);
    let file = match opened {
        Err(fault) if fault.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => return Err(not_plain()),
        opened => opened?,
    };
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_plain()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("plain"), "x").unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        assert!(open(&at("plain")).is_ok());
        for path in [at("pipe"), at("socket"), folder.path().to_owned(), "/dev/zero".into()] {
            assert_eq!(open(&path).unwrap_err().to_string(), "it is not a plain file", "{}", path.display());
        }
    }
}
