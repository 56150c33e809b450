//! Reads when host events last fired.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::HostDef;

/// The time when each host event last fired, in milliseconds since 1970.
pub(super) fn read_last_fired(host: &HostDef, state: &Path) -> BTreeMap<String, u64> {
    let text = fs::read_to_string(state.join("bridge").join(host.name).join("fired.json")).unwrap_or_default();
    let fields: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
    fields.into_iter().filter_map(|(event, at)| Some((event, at.as_u64()?))).collect()
}
