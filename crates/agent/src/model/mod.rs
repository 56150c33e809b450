//! Language models behind one trait.
//!
//! The agent loop uses only [`Model`]. [`RemoteModel`] calls providers over HTTP, and [`ScriptModel`] plays turns from
//! a file for demos and tests. [`choose`] parses what a user typed, [`open`] creates a model from that or from a
//! declaration.

mod choice;
mod error;
mod interface;
mod message;
mod overflow;
mod remote;
mod script;

use std::sync::Arc;

use pintle_host::contract::ModelSpec;

pub use choice::{ModelNameError, choose};
pub use error::{ModelError, ModelErrorKind};
pub use interface::Model;
pub use message::{
    MessageRole, ModelMessage, ModelReply, ModelRequest, ModelTool, ModelToolCall, ModelUsage, ReplyDelta,
};
pub use remote::{ModelTimeouts, RemoteModel};
pub use script::ScriptModel;

pub(crate) use overflow::is_context_overflow;
pub(crate) use script::new_messages;

/// Whether a provider of this name exists.
#[must_use]
pub fn knows_provider(name: &str) -> bool {
    remote::provider_names().any(|known| known == name)
}

/// Creates a model from a declaration.
///
/// Nothing is connected yet, but a missing key is an error at once, since every call would fail. The provider `script`
/// gets its file's text from `read`, which is called with [`ModelSpec::name`].
///
/// # Errors
/// When the provider is unknown, its key is not set, or the script cannot be read.
pub fn open(spec: &ModelSpec, read: &dyn Fn(&str) -> Result<String, ModelError>) -> Result<Arc<dyn Model>, ModelError> {
    if spec.provider == choice::SCRIPT {
        let text = read(&spec.name)?;
        return Ok(Arc::new(ScriptModel::parse(&spec.name, &text)?));
    }
    Ok(Arc::new(RemoteModel::new(spec, &pintle_host::process::variable)?))
}
