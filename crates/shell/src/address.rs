//! Addresses: their hosts, and what is known of them.

use crate::walk::{CommandWalk, TextTaint};
use crate::{Operation, OperationKind, OperationTag};

/// Hosts that are this machine.
const LOCAL_HOSTS: [&str; 6] = ["localhost", "127.0.0.1", "0.0.0.0", "[::1]", "::1", "host.docker.internal"];

/// Addresses that give a machine's own credentials.
const METADATA_HOSTS: [&str; 6] = [
    "169.254.169.254",
    "metadata.google.internal",
    "metadata.goog",
    "100.100.100.200",
    "169.254.170.2",
    "[fd00:ec2::254]",
];

/// Other spellings of 169.254.169.254.
const METADATA_SPELLINGS: [&str; 6] =
    ["2852039166", "0xa9fea9fe", "0xA9FEA9FE", "0251.0376.0251.0376", "0xa9.0xfe.0xa9.0xfe", "169.254.43518"];

/// The host of an address.
pub(crate) fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = rest.get(..end).unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.starts_with('[') {
        return host.find(']').and_then(|end| host.get(..=end)).unwrap_or(host);
    }
    host.split(':').next().unwrap_or(host)
}

/// Whether a host is this machine.
pub(crate) fn is_local_host(host: &str) -> bool {
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    LOCAL_HOSTS.contains(&host) || host.starts_with("127.") || host.ends_with(".localhost") || host.ends_with(".local")
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
    let is_metadata = METADATA_HOSTS.contains(&host) || METADATA_SPELLINGS.contains(&host);
    let operation = Operation::new(kind, program)
        .written(address.replace(crate::paths::UNKNOWN, "…"))
        .tag_if(is_local_host(host), OperationTag::Local)
        .tag_if(is_metadata, OperationTag::Metadata);
    walk.push(taint.tag(operation));
}
