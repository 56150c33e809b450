//! How much memory this process has taken.

/// The bytes of its data: what it may write to and shares with nobody. `None` where the system does not tell.
pub(crate) fn data_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let data = status.lines().find_map(|line| line.strip_prefix("VmData:"))?;
    let kilobytes: u64 = data.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
