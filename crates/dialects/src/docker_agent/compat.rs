//! Which version of docker-agent a file is written for.

/// Which version of docker-agent a file is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DockerAgentVersion {
    /// The newest contract, which Pintle keeps unless a file or a flag says otherwise.
    #[default]
    Newest,
    /// The version of June 2026 that the one-stop example belongs to: `compat: g1`.
    G1,
}

impl DockerAgentVersion {
    /// The words that `compat:` takes, for files and flags.
    pub const WORDS: &'static [(&'static str, Self)] = &[("g1", Self::G1), ("g3", Self::Newest)];
}
