//! Keeping secrets off the tape.

use pintle_contract::Redactor;
use serde_json::{Map, Value};

/// The fields of a record without the secrets in them; `None` when there are none.
///
/// Texts are looked through as they are, text that is JSON among them. The fields are not taken apart unless something in
/// them looks like a secret.
pub(crate) fn redact_fields(secrets: &dyn Redactor, text: &[u8]) -> Option<Vec<u8>> {
    if !secrets.may_contain_secret(std::str::from_utf8(text).ok()?) {
        return None;
    }
    let fields: Map<String, Value> = serde_json::from_slice(text).ok()?;
    serde_json::to_vec(&secrets.redact_fields(&fields)?).ok()
}
