//! Redacts secrets in records.

use std::collections::BTreeMap;

use pintle_contract::Redactor;
use serde_json::{Map, Value};

/// The fields of a record with secrets redacted; `None` if there are none.
///
/// Strings are searched as they are, including strings that contain JSON. The fields are only parsed if something in
/// them looks like a secret.
pub(crate) fn redact_fields(secrets: &dyn Redactor, text: &[u8]) -> Option<Vec<u8>> {
    if !secrets.may_contain_secret(std::str::from_utf8(text).ok()?) {
        return None;
    }
    let fields: Map<String, Value> = serde_json::from_slice(text).ok()?;
    serde_json::to_vec(&secrets.redact_fields(&fields)?).ok()
}

/// Whether fields contain no secret.
pub(crate) fn is_clean(secrets: &dyn Redactor, fields: &BTreeMap<&str, &Value>) -> bool {
    serde_json::to_vec(fields).is_ok_and(|text| redact_fields(secrets, &text).is_none())
}
