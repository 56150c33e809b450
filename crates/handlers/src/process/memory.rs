//! Measures this process's memory.

/// The bytes of its private writable data. `None` if the system does not report it.
pub(crate) fn data_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let data = status.lines().find_map(|line| line.strip_prefix("VmData:"))?;
    let kilobytes: u64 = data.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
