//! The list of hosts that scripts and hooks may connect to.

use std::net::IpAddr;

use url::Host;

use super::private_address::private_range;

/// An allowlist. An empty one allows nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct HostAllowList(Vec<HostPattern>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostPattern {
    /// `*`.
    Any,
    /// `example.com`: the host and its subdomains.
    Domain(String),
    /// `*.example.com`: the subdomains of the host.
    Subdomains(String),
    /// An IP address.
    Address(IpAddr),
}

impl HostAllowList {
    /// Parses a list. An invalid entry allows nothing.
    pub(super) fn new(entries: &[String]) -> Self {
        Self(entries.iter().filter_map(|entry| parse_entry(entry)).collect())
    }

    /// Checks the host of a requested URL. The error is the reason for the denial.
    pub(super) fn check(&self, host: &Host<&str>) -> Result<(), String> {
        let address = match host {
            Host::Domain(name) => {
                let name = name.trim_end_matches('.');
                return if self.allows_name(name) {
                    Ok(())
                } else {
                    Err(format!("host \"{name}\" is not in the allowlist"))
                };
            }
            Host::Ipv4(address) => IpAddr::from(*address),
            Host::Ipv6(address) => IpAddr::from(*address).to_canonical(),
        };
        if self.allows_address(address) || (self.0.contains(&HostPattern::Any) && private_range(address).is_none()) {
            return Ok(());
        }
        Err(format!("IP literal \"{address}\" is not in the allowlist"))
    }

    /// Checks an address that a listed name resolved to. The error is the reason for the denial.
    ///
    /// An address of a private network must be listed itself: listing its name does not make it public. Only
    /// `localhost`, which always means the loopback addresses, allows them.
    pub(super) fn check_resolved(&self, name: &str, address: IpAddr) -> Result<(), String> {
        let Some(kind) = private_range(address) else { return Ok(()) };
        let name = name.trim_end_matches('.');
        let local = || {
            name.eq_ignore_ascii_case("localhost") && self.0.contains(&HostPattern::Domain(String::from("localhost")))
        };
        if self.allows_address(address) || (address.to_canonical().is_loopback() && local()) {
            return Ok(());
        }
        Err(format!("host \"{name}\" resolves to the {kind} address {address}, which is not in the allowlist"))
    }

    fn allows_name(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let below = |domain: &str| name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1);
        self.0.iter().any(|entry| match entry {
            HostPattern::Any => true,
            HostPattern::Domain(domain) => name == *domain || below(domain),
            HostPattern::Subdomains(domain) => below(domain),
            HostPattern::Address(_) => false,
        })
    }

    fn allows_address(&self, address: IpAddr) -> bool {
        self.0.contains(&HostPattern::Address(address.to_canonical()))
    }
}

fn parse_entry(entry: &str) -> Option<HostPattern> {
    let entry = entry.trim();
    if entry == "*" {
        return Some(HostPattern::Any);
    }
    let (below, host) = match entry.strip_prefix("*.") {
        Some(rest) => (true, rest),
        None => (false, entry),
    };
    // An IPv6 address contains colons itself.
    let bare = host.parse::<std::net::Ipv6Addr>().map(IpAddr::from).ok();
    let parsed = match bare {
        Some(address) => Host::Ipv6(match address {
            IpAddr::V6(address) => address,
            IpAddr::V4(_) => return None,
        }),
        None => Host::parse(strip_port(host).trim_end_matches('.')).ok()?,
    };
    match parsed {
        Host::Domain(name) if below => Some(HostPattern::Subdomains(name)),
        Host::Domain(name) => Some(HostPattern::Domain(name)),
        _ if below => None,
        Host::Ipv4(address) => Some(HostPattern::Address(address.into())),
        Host::Ipv6(address) => Some(HostPattern::Address(IpAddr::from(address).to_canonical())),
    }
}

fn strip_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn check_url(entries: &[&str], url: &str) -> Result<(), String> {
        let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
        HostAllowList::new(&entries).check(&Url::parse(url).unwrap().host().unwrap())
    }

    #[test]
    fn hosts_are_allowed_by_the_rules() {
        let cases: &[(&[&str], &str, bool)] = &[
            (&[], "http://example.com", false),
            (&["example.com"], "http://example.com", true),
            (&["example.com"], "https://a.b.example.com:8443/x", true),
            (&["example.com"], "http://notexample.com", false),
            (&["example.com"], "http://example.com.evil.test", false),
            (&["example.com"], "http://example.com@evil.test", false),
            (&["Example.COM."], "http://EXAMPLE.com.", true),
            (&["example.com:80"], "http://example.com:81", true),
            (&["*.example.com"], "http://example.com", false),
            (&["*.example.com"], "http://a.example.com", true),
            (&["*.example.com"], "http://.example.com", false),
            (&["*"], "http://anything.test", true),
            (&["*"], "http://8.8.8.8", true),
            (&["*"], "http://127.0.0.1", false),
            (&["*"], "http://[::1]", false),
            (&["*"], "http://[::ffff:169.254.169.254]", false),
            (&["example.com"], "http://8.8.8.8", false),
            (&["8.8.8.8"], "http://8.8.8.8", true),
            (&["127.0.0.1"], "http://127.0.0.1:9", true),
            // Other notations of an address are the same address.
            (&["127.0.0.1"], "http://0x7f.1", true),
            (&["*"], "http://2130706433", false),
            (&["127.0.0.1"], "http://[::ffff:127.0.0.1]", true),
            (&["::1"], "http://[::1]", true),
            (&["[::1]:80"], "http://[::1]", true),
            (&["*.127.0.0.1", "not a host", ""], "http://127.0.0.1", false),
            (&["bücher.test"], "http://xn--bcher-kva.test", true),
        ];
        for (entries, url, allowed) in cases {
            assert_eq!(check_url(entries, url).is_ok(), *allowed, "{entries:?} {url}");
        }
        assert_eq!(check_url(&[], "http://A.test."), Err("host \"a.test\" is not in the allowlist".into()));
        assert_eq!(check_url(&[], "http://10.0.0.1"), Err("IP literal \"10.0.0.1\" is not in the allowlist".into()));
    }

    #[test]
    fn a_private_address_must_be_listed_itself() {
        let resolved = |entries: &[&str], name: &str, address: &str| {
            let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
            HostAllowList::new(&entries).check_resolved(name, address.parse().unwrap())
        };
        assert_eq!(resolved(&["a.test"], "a.test", "8.8.8.8"), Ok(()));
        assert_eq!(resolved(&["a.test", "10.0.0.1"], "a.test", "10.0.0.1"), Ok(()));
        assert_eq!(resolved(&["localhost"], "localhost", "127.0.0.1"), Ok(()));
        assert_eq!(resolved(&["localhost"], "LOCALHOST.", "::1"), Ok(()));
        assert!(resolved(&["localhost"], "a.localhost", "127.0.0.1").is_err());
        assert!(resolved(&["localhost"], "localhost", "10.0.0.1").is_err());
        assert!(resolved(&["*"], "localhost", "127.0.0.1").is_err());
        assert_eq!(
            resolved(&["a.test", "*"], "a.test", "169.254.169.254"),
            Err("host \"a.test\" resolves to the link-local address 169.254.169.254, which is not in the allowlist"
                .into())
        );
    }
}
