//! What a program is kept from, where the system can keep it.
//!
//! On Linux this is Landlock: rules that a thread puts on itself for good, that its children inherit, and that nobody
//! can take off. A thread is made for the call, restricts itself and starts the program; this process stays as it is.
//!
//! - `read_only`: every file may be read and run, and nothing written, made, moved or removed but `/dev/null`. The pipes
//!   the program was given are open already and stay usable.
//! - `no_network`: no TCP connection, neither out nor in. Landlock knows no other protocols: a program may still send
//!   over UDP, and speak to a local service through a socket file that it can name. Abstract sockets are closed to it
//!   where the kernel can do that (Linux 6.12).
//!
//! A sandboxed program cannot gain rights: `sudo` and other set-user programs fail inside.

#[cfg(target_os = "linux")]
mod landlock;
#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
use landlock::restrict;
#[cfg(not(target_os = "linux"))]
use unsupported::restrict;

use std::io;
use std::thread;

use pintle_contract::SandboxSpec;

/// Whether this system can keep programs from what is asked.
///
/// # Errors
/// Why it cannot, and what to do.
pub(crate) fn check(limits: SandboxSpec) -> Result<(), String> {
    run_sandboxed(limits, || ()).map_err(|fault| fault.to_string())
}

/// Does the work under the limits. What it starts is under them for good.
///
/// # Errors
/// When the limits cannot be put on whole; the work is not done then.
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
