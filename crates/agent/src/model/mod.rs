//! Language models behind one trait.
//!
//! The agent loop knows [`Model`] only. Behind it stand [`RemoteModel`], which speaks to providers over HTTP, and
//! [`ScriptModel`], which plays turns from a file for demos and tests. [`choose`] reads what a user typed, [`open`]
//! makes a model from that or from what a file declares.

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
/// Shared by a session and all the agents it delegates to, which may call it at once.
pub trait Model: Send + Sync + Debug {
    /// The model's name for people and for the tape, such as `gpt-4o`.
    fn name(&self) -> &str;

    /// Makes one call and waits for the whole reply.
    ///
    /// `on` is told of the reply's text while it arrives; the reply holds all of it again. Returns soon after
    /// `cancel` is raised. Retrying is the caller's affair: [`ModelErrorKind::Retryable`] says that it makes sense.
    ///
    /// # Errors
    /// When the model cannot be reached, refuses, or answers something that cannot be read.
    fn complete(
        &self,
        request: &ModelRequest,
        on: &mut dyn FnMut(ReplyDelta),
        cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError>;

    /// Tells it which calls of it a session has made that now goes on in another process, in their order. A model that
    /// knows nothing of earlier calls, as most do, need not look at them.
    fn resume_from(&self, calls: &mut dyn Iterator<Item = ModelRequest>) {
        let _ = calls;
    }
}

/// Whether models of a provider can be reached at all.
#[must_use]
pub fn knows_provider(name: &str) -> bool {
    remote::provider_names().any(|known| known == name)
}

/// Makes a model from a declaration.
///
/// Nothing is connected yet; a missing key is told at once, since every call would fail. The provider `script` takes
/// its file's text from `read`, which is given [`ModelSpec::name`].
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
