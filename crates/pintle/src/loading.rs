//! What the builder takes and returns about files: where hooks are looked for, who trusts them, and what guards them.

pub use pintle_dialects::command_hooks::DockerAgentVersion;
pub use pintle_loader::{LayerDirs, PolicyFiles, ProjectTrust, TrustGrant, TrustOptions};
