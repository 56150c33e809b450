//! The docker-agent version that a file is written for.

/// The docker-agent version that a file is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DockerAgentVersion {
    /// The newest contract, which Pintle follows unless a file or a flag says otherwise.
    #[default]
    Newest,
    /// The version of June 2026: `compat: g1`.
    G1,
}

impl DockerAgentVersion {
    /// The values of `compat:` in files and flags.
    pub const WORDS: &'static [(&'static str, Self)] = &[("g1", Self::G1), ("g3", Self::Newest)];
}
