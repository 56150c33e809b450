//! Detects addresses that are not on the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The kind of a non-public address, or `None` for one on the public internet.
///
/// Based on IANA's special-purpose registries (RFC 6890 and its updates). An address that embeds another one is
/// classified by the embedded one.
pub(super) fn private_range(address: IpAddr) -> Option<&'static str> {
    match address.to_canonical() {
        IpAddr::V4(address) => private_v4(address),
        IpAddr::V6(address) => private_v6(address),
    }
}

fn private_v4(address: Ipv4Addr) -> Option<&'static str> {
    Some(match address.octets() {
        [0, ..] => "unspecified",
        [127, ..] => "loopback",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "private",
        [100, 64..=127, ..] => "carrier-grade NAT",
        [169, 254, ..] => "link-local",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "documentation",
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] | [240..=255, ..] => "reserved",
        [224..=239, ..] => "multicast",
        _ => return None,
    })
}

fn private_v6(address: Ipv6Addr) -> Option<&'static str> {
    let inside = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    Some(match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => "unspecified",
        [0, 0, 0, 0, 0, 0, 0, 1] => "loopback",
        // Translated to IPv4 (RFC 6052).
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => return private_v4(inside(high, low)),
        // A tunnel to an IPv4 address (RFC 3056).
        [0x2002, high, low, ..] => return private_v4(inside(high, low)).or(Some("tunnelled")),
        [0x2001, 0, ..] => "tunnelled",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "documentation",
        [0x2001, 0..=0x1ff, ..] => "reserved",
        [0xfe80..=0xfebf, ..] => "link-local",
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => "private",
        [0xff00..=0xffff, ..] => "multicast",
        // All assigned addresses so far start with the bits 001.
        [0x2000..=0x3fff, ..] => return None,
        _ => "reserved",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_is_known() {
        let cases = [
            ("0.0.0.0", Some("unspecified")),
            ("0.1.2.3", Some("unspecified")),
            ("10.255.255.255", Some("private")),
            ("100.63.255.255", None),
            ("100.64.0.1", Some("carrier-grade NAT")),
            ("100.128.0.0", None),
            ("127.8.8.8", Some("loopback")),
            ("169.254.169.254", Some("link-local")),
            ("172.15.0.1", None),
            ("172.16.0.1", Some("private")),
            ("172.31.255.255", Some("private")),
            ("172.32.0.1", None),
            ("192.0.0.8", Some("reserved")),
            ("192.0.2.1", Some("documentation")),
            ("192.168.1.1", Some("private")),
            ("198.19.0.1", Some("reserved")),
            ("198.51.100.7", Some("documentation")),
            ("203.0.113.9", Some("documentation")),
            ("224.0.0.1", Some("multicast")),
            ("255.255.255.255", Some("reserved")),
            ("8.8.8.8", None),
            ("::", Some("unspecified")),
            ("::1", Some("loopback")),
            ("::ffff:127.0.0.1", Some("loopback")),
            ("::ffff:8.8.8.8", None),
            ("::7f00:1", Some("reserved")),
            ("64:ff9b::a00:1", Some("private")),
            ("64:ff9b::808:808", None),
            ("64:ff9b:1::1", Some("reserved")),
            ("100::1", Some("reserved")),
            ("2001::1", Some("tunnelled")),
            ("2001:db8::1", Some("documentation")),
            ("2002:a00:1::", Some("private")),
            ("2002:808:808::", Some("tunnelled")),
            ("2606:4700::1111", None),
            ("3fff::1", Some("documentation")),
            ("fd12::1", Some("private")),
            ("fe80::1", Some("link-local")),
            ("fec0::1", Some("private")),
            ("ff02::1", Some("multicast")),
        ];
        for (text, expected) in cases {
            assert_eq!(private_range(text.parse().unwrap()), expected, "{text}");
        }
    }
}
