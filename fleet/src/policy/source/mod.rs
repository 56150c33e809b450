//! Where bundles come from: one row and one file for each kind of source.

mod git;
mod https;
mod local;
mod oci;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::FleetError;
use crate::http::shown_reason;
use crate::protocol::hex_digest;

/// A bundle and its signature, as they come.
type FetchFuture<'a> = Pin<Box<dyn Future<Output = Result<FetchedBundle, FleetError>> + 'a>>;

/// What a source has.
pub(super) struct FetchedBundle {
    bytes: Vec<u8>,
    signature: Vec<u8>,
}

/// A kind of source.
struct SourceKind {
    /// What its addresses begin with.
    prefix: &'static str,
    /// Whether a digest behind an address is that of what the address names, and not of the bundle.
    has_own_digests: bool,
    /// Says what is wrong with an address.
    check: fn(&str) -> Result<(), String>,
    fetch: for<'a> fn(&'a str) -> FetchFuture<'a>,
}

/// The kinds of sources. The last one has all other addresses.
static KINDS: [SourceKind; 5] = [
    SourceKind {
        prefix: "oci://",
        has_own_digests: true,
        check: oci::check_address,
        fetch: |address| Box::pin(oci::fetch(address)),
    },
    SourceKind {
        prefix: "git+",
        has_own_digests: false,
        check: git::check_address,
        fetch: |address| Box::pin(git::fetch(address)),
    },
    SourceKind {
        prefix: "https://",
        has_own_digests: false,
        check: https::check_address,
        fetch: |address| Box::pin(https::fetch(address)),
    },
    SourceKind {
        prefix: "http://",
        has_own_digests: false,
        check: https::check_address,
        fetch: |address| Box::pin(https::fetch(address)),
    },
    SourceKind {
        prefix: "",
        has_own_digests: false,
        check: local::check_address,
        fetch: |address| Box::pin(local::fetch(address)),
    },
];

/// A source of bundles: an address, and the digest of the only bundle that is accepted from it, if it is pinned.
#[derive(Clone)]
pub struct BundleSource {
    text: String,
    address: String,
    pin: Option<String>,
    kind: &'static SourceKind,
}

impl BundleSource {
    /// Parses a source as the user writes it: an address, with `@sha256:DIGEST` if it is pinned.
    ///
    /// # Errors
    /// When it is not an address of a source.
    pub fn parse(text: &str) -> Result<Self, FleetError> {
        let invalid = |why: &str| {
            FleetError::invalid_input(format!("`{text}` is not a source of bundles: {why}"))
                .help("name a file or a directory, `https://…`, `git+https://…#BRANCH` or `oci://REGISTRY/NAME:TAG`")
        };
        let kind = KINDS.iter().find(|kind| text.starts_with(kind.prefix)).ok_or_else(|| invalid("no kind has it"))?;
        let (address, pin) = match text.rsplit_once("@sha256:") {
            Some((address, digest)) if !kind.has_own_digests => (address, Some(digest.to_owned())),
            _ => (text, None),
        };
        let is_digest =
            |digest: &String| digest.len() == 64 && digest.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
        if pin.as_ref().is_some_and(|digest| !is_digest(digest)) {
            return Err(invalid("a digest has 64 digits in lower case"));
        }
        (kind.check)(address).map_err(|why| invalid(&why))?;
        Ok(Self { text: text.to_owned(), address: address.to_owned(), pin, kind })
    }

    /// The bytes of the bundle, and its signature.
    ///
    /// # Errors
    /// When they cannot be fetched, or are not those that are pinned.
    pub async fn fetch(&self) -> Result<(Vec<u8>, String), FleetError> {
        let FetchedBundle { bytes, signature } = (self.kind.fetch)(&self.address).await?;
        let digest = hex_digest(&bytes);
        if let Some(pin) = self.pin.as_ref().filter(|pin| **pin != digest) {
            return Err(FleetError::failure(format!(
                "`{}` has a bundle with the digest {digest}, not {pin}",
                self.address
            ))
            .help("name the new digest with `pintle-fleet policy add` if this is the bundle that you want"));
        }
        let signature = String::from_utf8(signature)
            .map_err(|_| FleetError::failure(format!("the signature of `{}` is not text", self.address)))?;
        Ok((bytes, signature))
    }
}

impl fmt::Display for BundleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for BundleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BundleSource").field(&self.text).finish()
    }
}

/// Why a source has no bundle. A server may have written a part of it.
fn unavailable(address: &str, reason: &dyn fmt::Display) -> FleetError {
    let reason = shown_reason(&reason.to_string());
    FleetError::failure(format!("no bundle can be fetched from `{address}`: {reason}"))
        .help("what is in force stays; `pintle-fleet policy update` tries it again")
}
