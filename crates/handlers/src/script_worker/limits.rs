//! The limits that a script worker applies to itself before it runs a script.

#[cfg(unix)]
use {
    crate::process::data_bytes,
    rustix::process::{Resource, Rlimit, setrlimit},
};

/// The address space of a worker. It contains the interpreter, its limits for one script, and a large stack for the
/// parser.
#[cfg(unix)]
const ADDRESS_SPACE_BYTES: u64 = 1 << 30;

/// The processor time of a worker in its whole life, in seconds: the last resort if its host died without ending it.
#[cfg(unix)]
const PROCESSOR_SECONDS: u64 = 3600;

/// Limits the calling process permanently: address space, processor time, no core files.
///
/// A worker calls it first. Limits that the system does not support are skipped: the isolation itself is the process.
pub fn limit_this_process() {
    #[cfg(unix)]
    for (resource, most) in [
        (Resource::As, ADDRESS_SPACE_BYTES),
        (Resource::Cpu, PROCESSOR_SECONDS),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
    ] {
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

/// Limits the memory that this process may allocate from now on: twice the script's limit, since values are copied on
/// their way. `None` removes the limit. Not on Windows.
#[cfg_attr(not(unix), expect(unused_variables, reason = "Windows has no such limit"))]
pub(crate) fn confine_memory(script_bytes: Option<u64>) {
    #[cfg(unix)]
    {
        let bound = script_bytes.and_then(|bytes| Some(data_bytes()?.saturating_add(bytes.saturating_mul(2))));
        let _ = setrlimit(Resource::Data, Rlimit { current: bound, maximum: None });
    }
}
