//! The limits that a script worker applies to itself before it runs a script.

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::process::data_bytes;

/// The address space of a worker. It contains the interpreter, its limits for one script, and a large stack for the
/// parser.
const ADDRESS_SPACE_BYTES: u64 = 1 << 30;

/// The processor time of a worker in its whole life, in seconds: the last resort if its host died without ending it.
const PROCESSOR_SECONDS: u64 = 3600;

/// Limits the calling process permanently: address space, processor time, no core files.
///
/// A worker calls it first. Limits that the system does not support are skipped: the isolation itself is the process.
pub fn limit_this_process() {
    let limits = [
        (Resource::As, ADDRESS_SPACE_BYTES),
        (Resource::Cpu, PROCESSOR_SECONDS),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
    ];
    for (resource, most) in limits {
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

/// Limits the memory that this process may allocate from now on: twice the script's limit, since values are copied on
/// their way. `None` removes the limit.
pub(crate) fn confine_memory(script_bytes: Option<u64>) {
    let bound = script_bytes.and_then(|bytes| Some(data_bytes()?.saturating_add(bytes.saturating_mul(2))));
    let _ = setrlimit(Resource::Data, Rlimit { current: bound, maximum: None });
}
