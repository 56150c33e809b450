//! Passes a report through a host's response: as the reason of a denial, which every host has somewhere.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Value};

use crate::HostDecision;

/// The text before a report.
const PREFIX: &str = "pintle self-test: ";

/// The denial with a report.
pub(crate) fn report_decision(report: &impl Serialize) -> HostDecision {
    let text = serde_json::to_string(report).unwrap_or_default();
    HostDecision::deny(format!("{PREFIX}{text}"))
}

/// The report in a response, wherever the host's format has the reason.
pub(crate) fn read_report<T: DeserializeOwned>(stdout: &str, stderr: &str) -> Option<T> {
    let value: Value = serde_json::from_str(stdout).unwrap_or_default();
    let mut texts = Vec::new();
    collect_texts(&value, &mut texts);
    texts.into_iter().chain([stderr, stdout]).find_map(|text| {
        let (_, report) = text.split_once(PREFIX)?;
        Deserializer::from_str(report).into_iter().next()?.ok()
    })
}

fn collect_texts<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| collect_texts(field, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fit_to_host::fit_to_host;
    use crate::{HOSTS, ResponseContext};

    #[test]
    fn a_report_passes_through_every_host_that_can_deny() {
        let report = json!({"hooks": ["it's \"quoted\"\nand `broken`", "$HOME"], "é": [1, null]});
        for host in HOSTS {
            for def in host.host_events().filter(|def| def.is_guard) {
                let context = ResponseContext { event_def: def, payload: &json!({}) };
                let response = (def.write_response)(&context, &fit_to_host(report_decision(&report), def.support));
                let read: Option<Value> = read_report(&response.stdout, &response.stderr);
                assert_eq!(read.as_ref(), Some(&report), "{} {}: {response:?}", host.name, def.name);
            }
        }
    }

    #[test]
    fn a_response_without_a_report_has_none() {
        for text in ["", "denied", "pintle self-test: this call must be denied", "{\"reason\": \"no\"}"] {
            assert_eq!(read_report::<Value>(text, text), None, "{text}");
        }
    }
}
