//! Language models behind one trait.
//!
//! The agent loop uses only [`Model`]. [`RemoteModel`] calls providers over HTTP, and [`ScriptModel`] plays turns from
//! a file for demos and tests. [`choose`] parses what a user typed, [`open`] creates a model from that or from a
//! declaration.

mod choice;
mod error;
mod message;
mod remote;
mod script;

use std::fmt::Debug;
use std::sync::Arc;

use pintle::{CancelToken, ModelSpec};

pub use choice::choose;
pub use error::{ModelError, ModelErrorKind};
pub use message::{
    MessageRole, ModelMessage, ModelReply, ModelRequest, ModelTool, ModelToolCall, ModelUsage, ReplyDelta,
};
pub use remote::{ModelTimeouts, RemoteModel};
pub use script::ScriptModel;

/// A language model.
///
/// A session and all its agents share it, and may call it concurrently.
pub trait Model: Send + Sync + Debug {
    /// The model's name for the user and the tape, such as `gpt-4o`.
    fn name(&self) -> &str;

    /// Makes one call and waits for the whole reply.
    ///
    /// `on` receives the reply's text while it arrives; the reply contains all of it. Returns soon after `cancel` is
    /// set. Retrying is up to the caller: [`ModelErrorKind::Retryable`] says whether it can help.
    ///
    /// # Errors
    /// When the model cannot be reached, rejects the request, or sends a reply that cannot be parsed.
    fn complete(
        &self,
        request: &ModelRequest,
        on: &mut dyn FnMut(ReplyDelta),
        cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError>;

    /// Passes the calls that a resumed session has already made, in order. Models without a memory of earlier calls, as
    /// most are, ignore them.
    fn resume_from(&self, calls: &mut dyn Iterator<Item = ModelRequest>) {
        let _ = calls;
    }
}

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
pub fn open(spec: &ModelSpec, read: &dyn Fn(&str) -> Result<String, String>) -> Result<Arc<dyn Model>, ModelError> {
    if spec.provider == choice::SCRIPT {
        let text = read(&spec.name).map_err(ModelError::fatal)?;
        return Ok(Arc::new(ScriptModel::parse(&spec.name, &text)?));
    }
    Ok(Arc::new(RemoteModel::new(spec, &pintle::process::variable)?))
}
