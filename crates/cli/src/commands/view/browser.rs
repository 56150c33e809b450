//! Opens the user's browser.

use std::process::{Command, Stdio};

/// The programs that open a link with the user's browser, and their arguments before it.
const OPENERS: &[&[&str]] = if cfg!(target_os = "macos") {
    &[&["/usr/bin/open"]]
} else if cfg!(windows) {
    &[&["rundll32.exe", "url.dll,FileProtocolHandler"]]
} else {
    &[&["xdg-open"], &["wslview"]]
};

/// Opens a link, if one of the programs for that is installed. It is not waited for: the link is on the terminal, too.
pub(super) fn open(link: &str) {
    for opener in OPENERS {
        let Some((program, arguments)) = opener.split_first() else { continue };
        let mut command = Command::new(program);
        command.args(arguments).arg(link);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Ok(mut child) = command.spawn() {
            // It ends when the browser has the link.
            std::thread::spawn(move || child.wait());
            return;
        }
    }
}
