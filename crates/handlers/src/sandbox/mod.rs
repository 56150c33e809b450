//! Sandbox limits for programs, on systems that support them.
//!
//! On Linux this uses Landlock: rules that a thread applies to itself permanently, that its children inherit, and that
//! cannot be removed. A thread is created for the call, restricts itself and starts the program; this process is not
//! affected.
//!
//! - `read_only`: every file can be read and executed, and nothing can be written, created, moved or removed except
//!   `/dev/null`. The program's pipes are already open and stay usable.
//! - `no_network`: no TCP connection, neither outgoing nor incoming. Landlock does not cover other protocols: a program
//!   may still send over UDP, and connect to a local service through a socket file that it can name. Abstract sockets
//!   are blocked if the kernel supports it (Linux 6.12).
//!
//! A sandboxed program cannot gain privileges: `sudo` and other set-user-ID programs fail inside.

#[cfg(all(target_os = "linux", feature = "commands"))]
mod landlock;
#[cfg(not(all(target_os = "linux", feature = "commands")))]
mod unsupported;

#[cfg(all(target_os = "linux", feature = "commands"))]
use landlock::restrict;
#[cfg(not(all(target_os = "linux", feature = "commands")))]
use unsupported::restrict;

use std::io;
use std::thread;

use pintle_contract::SandboxSpec;

/// Checks whether this system supports the limits.
///
/// # Errors
/// The reason why not, and the next step.
pub(crate) fn check(limits: SandboxSpec) -> Result<(), String> {
    run_sandboxed(limits, || ()).map_err(|error| error.to_string())
}

/// Does the work under the limits. Programs that it starts are limited permanently.
///
/// # Errors
/// When the limits cannot be applied completely; the work is not done then.
pub(crate) fn run_sandboxed<T: Send>(limits: SandboxSpec, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    if limits == SandboxSpec::default() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let restricted = thread::Builder::new().name(String::from("sandbox")).spawn_scoped(scope, || {
            restrict(limits)?;
            Ok(work())
        })?;
        restricted.join().unwrap_or_else(|_| Err(io::Error::other("the sandbox was not set up")))
    })
}
