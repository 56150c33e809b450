//! Systems without a supported sandbox.

use std::io;

use pintle_contract::SandboxSpec;

pub(super) fn restrict(_limits: SandboxSpec) -> io::Result<()> {
    Err(io::Error::other("this system has no sandbox; leave out `sandbox`, or run on Linux 5.13 or newer"))
}
