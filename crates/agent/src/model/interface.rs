//! The trait of all models.

use std::fmt::Debug;

use pintle_host::CancelToken;

use super::error::ModelError;
use super::message::{ModelReply, ModelRequest, ReplyDelta};

/// A language model.
///
/// A session and all its agents share it, and may call it concurrently.
pub trait Model: Send + Sync + Debug {
    /// The model's name for the user and the tape, such as `gpt-4o`.
    fn name(&self) -> &str;

    /// Makes one call and waits for the whole reply.
    ///
    /// `on` receives the reply's text while it arrives; the reply contains all of it. Returns soon after `cancel` is
    /// set. Retrying is up to the caller: [`ModelErrorKind::Retryable`](super::ModelErrorKind::Retryable) says whether it can help.
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
