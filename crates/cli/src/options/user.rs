//! Hooks that apply to every agent: those of the organisation, and the user's own settings and hooks.

use std::path::PathBuf;

use clap::Args;
use pintle_host::contract::HookDeclaration;
use pintle_host::dialects::command_hooks::{DockerAgentVersion, UnknownFlagError, hook_from_flag};
use pintle_host::loader;
use pintle_host::loader::{LayerDirs, MissingDir};
use pintle_host::{Layer, RuntimeBuilder};

use super::HookFlags;
use crate::error::CliError;

/// The source name of hooks from flags.
const FLAGS: &str = "command line";

#[derive(Debug, Clone, Args)]
pub(crate) struct UserOptions {
    /// Directory of your own `config.yaml` and `hooks.d/`, whose hooks apply to every agent [default:
    /// `PINTLE_CONFIG_DIR`, otherwise `~/.config/pintle`].
    #[arg(long, value_name = "DIR")]
    config_dir: Option<PathBuf>,
    /// Read docker-agent files as this version of docker-agent does: `g1` (June 2026) or `g3` [default: the version in
    /// the file, otherwise the newest].
    #[arg(long, value_name = "VERSION", value_parser = parse_compat)]
    compat: Option<DockerAgentVersion>,
    #[command(flatten)]
    flags: HookFlags,
}

impl UserOptions {
    /// Returns the directories of the configuration layers for a working directory, as `pintle hook` finds them.
    /// Without one (an empty path), they are the organisation's and the user's own.
    pub(crate) fn layers(&self, cwd: PathBuf) -> Result<LayerDirs, MissingDir> {
        LayerDirs::find(cwd, self.config_dir.as_deref(), None)
    }

    /// Adds the hooks of the command line to the builder.
    pub(crate) fn add_flags(&self, mut builder: RuntimeBuilder) -> Result<RuntimeBuilder, CliError> {
        if let Some(compat) = self.compat {
            builder = builder.compat(compat);
        }
        let declared =
            self.flags.0.iter().map(|(event, command)| hook_from_flag(event, command, self.compat.unwrap_or_default()));
        let declared: Result<Vec<Option<HookDeclaration>>, UnknownFlagError> = declared.collect();
        let declared: Vec<HookDeclaration> = declared.map_err(CliError::invalid_input)?.into_iter().flatten().collect();
        Ok(if declared.is_empty() { builder } else { builder.inline_hooks(Layer::User, FLAGS, declared) })
    }

    /// Returns the user's own configuration directory. A named one must exist, because it may contain guards.
    pub(crate) fn config_dir(&self) -> Result<Option<PathBuf>, CliError> {
        Ok(loader::find_config_dir(self.config_dir.as_deref())?)
    }
}

fn parse_compat(word: &str) -> Result<DockerAgentVersion, String> {
    let known = DockerAgentVersion::WORDS.iter().find(|(known, _)| *known == word);
    known.map(|(_, compat)| *compat).ok_or_else(|| String::from("expected `g1` or `g3`"))
}
