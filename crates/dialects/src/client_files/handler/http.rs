//! Reads an HTTP handler.

use pintle_contract::HttpSpec;

use super::fields::HandlerFields;
use crate::client_files::document::FileOptions;

/// Reads the handler; `None` if it has no URL or the file itself forbids it, which is reported.
pub(super) fn read(fields: &mut HandlerFields<'_>, options: &FileOptions) -> Option<HttpSpec> {
    let headers = fields.pairs("headers");
    let mut allowed_environment = fields.texts("allowedEnvVars").unwrap_or_default();
    if let Some(allowed) = &options.variables {
        allowed_environment.retain(|name| allowed.contains(name));
    }
    let Some(url) = fields.text("url").filter(|url| !url.trim().is_empty()) else {
        let message = format!("an http hook on `{}` needs a `url`", fields.def().name);
        let help = "write `\"url\": \"https://..\"`";
        fields.fields.report().value_error("missing_field", message, fields.first_line(), help);
        return None;
    };
    if let Some(allowed) = &options.addresses
        && !allowed.iter().any(|pattern| matches_url(pattern, &url))
    {
        let message = String::from("the address is not in this file's `allowedHttpHookUrls`, so the hook never runs");
        fields.source().report.warning("switched_off", message, fields.first_line(), None);
        return None;
    }
    Some(HttpSpec { url, headers, allowed_environment })
}

/// Whether a URL matches a pattern in which `*` matches anything.
fn matches_url(pattern: &str, url: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = url.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        last = Some(piece);
        match rest.find(piece) {
            Some(index) => rest = rest.get(index + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    match last {
        None => rest.is_empty(),
        Some(last) => url.ends_with(last),
    }
}
