//! Addresses: their hosts, and what is known of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::paths::UNKNOWN;
use crate::walk::{CommandWalk, TextTaint};
use crate::{Operation, OperationKind, OperationTag};

/// Names of this machine.
const LOCAL_NAMES: [&str; 2] = ["localhost", "host.docker.internal"];

/// Names and addresses of servers that give a machine its own credentials.
const METADATA_NAMES: [&str; 2] = ["metadata.google.internal", "metadata.goog"];
const METADATA_ADDRESSES: [IpAddr; 4] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// The host of an address.
pub(crate) fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = rest.get(..end).unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.starts_with('[') {
        // `[::1].evil.example` is a name.
        let (address, rest) = host.find(']').and_then(|end| host.split_at_checked(end + 1)).unwrap_or((host, ""));
        return if rest.is_empty() || rest.starts_with(':') { address } else { host };
    }
    host.split(':').next().unwrap_or(host)
}

/// The number of a host, in any spelling that the system takes: `2852039166`, `0xa9.0376.43518`, `[::ffff:a9fe:a9fe]`.
fn number_of(host: &str) -> Option<IpAddr> {
    let plain = host.trim_start_matches('[').trim_end_matches(']');
    if host.starts_with('[') && !host.ends_with(']') {
        return None;
    }
    if plain.contains(':') {
        let address: Ipv6Addr = plain.split('%').next()?.parse().ok()?;
        return Some(address.to_ipv4_mapped().map_or(IpAddr::V6(address), IpAddr::V4));
    }
    let number = |part: &str| match part.strip_prefix("0x").or_else(|| part.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u32::from_str_radix(part, 8).ok(),
        None => part.parse().ok(),
    };
    let mut parts: Vec<u32> = plain.trim_end_matches('.').split('.').map(number).collect::<Option<_>>()?;
    // The last part stands for all the bytes that are left.
    let last = parts.pop()?;
    let left = 4_usize.checked_sub(parts.len()).filter(|left| *left > 0)?;
    let is_whole = parts.iter().all(|part| *part < 256) && (left == 4 || last >> (8 * left) == 0);
    let address = parts.iter().enumerate().fold(last, |address, (index, part)| address | part << (24 - 8 * index));
    is_whole.then(|| IpAddr::V4(Ipv4Addr::from(address)))
}

/// Whether a host is this machine.
pub(crate) fn is_local_host(host: &str) -> bool {
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    LOCAL_NAMES.contains(&host)
        || host.ends_with(".localhost")
        || host.ends_with(".local")
        || number_of(host).is_some_and(|address| address.is_loopback() || address.is_unspecified())
}

/// An operation on an address.
pub(crate) fn push_address(
    walk: &mut CommandWalk<'_>,
    kind: OperationKind,
    program: &str,
    address: &str,
    taint: TextTaint,
) {
    let host = host_of(address);
    // `169.254.170.2$PATH_OF_CREDENTIALS`.
    let known = host.split(UNKNOWN).next().unwrap_or(host).trim_end_matches('.');
    let is_metadata = METADATA_NAMES.contains(&known)
        || number_of(known).is_some_and(|address| METADATA_ADDRESSES.contains(&address));
    let operation = Operation::new(kind, program)
        .written(address.replace(UNKNOWN, "…"))
        .tag_if(is_local_host(host), OperationTag::Local)
        .tag_if(is_metadata, OperationTag::Metadata);
    walk.push(taint.tag(operation));
}
