//! Taking up what an earlier process left behind.

use std::sync::Arc;

use pintle_contract::{CallId, Caller, Origin, Request};

use crate::seam::local;
use crate::{Runtime, Scope};

impl Runtime {
    /// Does again what a script did to the metrics, the cache, the log or the scratch values in another process, as a tape
    /// tells it. Nothing is recorded. Requests for anything else are passed over.
    pub fn recall(&self, scope: &Scope, by: &str, request: Request) {
        let origin = Arc::new(Origin::default());
        let caller = Caller { name: by, call: CallId(0) };
        // What they reply was said to the script then.
        let _ = local::answer(&self.seam(&origin, scope), caller, request);
    }
}
