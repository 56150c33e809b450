//! Gets pages by HTTP: both families' `fetch`.
//!
//! Every request goes through the same network gateway and rules as those of scripts. `robots.txt` is not requested.

mod html;

use pintle_host::HttpGateway;
use serde_json::{Value, json};

use super::parts::call_each_part;
use crate::tools::{ToolAccess, ToolDef, number_argument, text_argument};
use crate::turn_context::ToolContext;

/// The default time limit for one page.
const TIMEOUT_MS: u64 = 30_000;

/// The maximum number of pages in one call.
const MAX_URLS: usize = 20;

pub(super) const FETCH: ToolDef = ToolDef {
    name: "fetch",
    description: "Gets a page by HTTP. Only the hosts in the project's `network.allowed_domains` can be reached.",
    required: &["url"],
    properties: || {
        json!({
            "url": {"type": "string", "description": "The URL, http or https."},
            "timeout_ms": {
                "type": "integer", "minimum": 1, "maximum": 120_000,
                "description": "The time limit in milliseconds. Default 30000.",
            },
        })
    },
    access: ToolAccess::Reported,
    call: |_, arguments, at| {
        let timeout_ms = number_argument(arguments, "timeout_ms").map_or(TIMEOUT_MS, |ms| ms as u64);
        fetch(at.turn.agent.shared.runtime.http_gateway(), arguments, "*/*", timeout_ms, at)
    },
};

/// The gateway and the declared time limit of a toolset.
#[derive(Debug)]
pub(crate) struct FetchState {
    pub(crate) gateway: HttpGateway,
    pub(crate) timeout_ms: Option<u64>,
}

/// A result format: its name, the `Accept` header, and the conversion of HTML.
struct FetchFormat {
    name: &'static str,
    accept: &'static str,
    convert_html: fn(&str) -> String,
}

static FORMATS: [FetchFormat; 3] = [
    FetchFormat {
        name: "text",
        accept: "text/plain, text/markdown;q=0.9, text/html;q=0.8, */*;q=0.1",
        convert_html: html::to_text,
    },
    FetchFormat {
        name: "markdown",
        accept: "text/markdown, text/plain;q=0.9, text/html;q=0.7, */*;q=0.1",
        convert_html: html::to_markdown,
    },
    FetchFormat { name: "html", accept: "text/html, text/plain;q=0.8, */*;q=0.1", convert_html: str::to_owned },
];

pub(crate) const FETCH_URLS: ToolDef<FetchState> = ToolDef {
    name: "fetch",
    description: "Gets pages by HTTP or HTTPS and returns their text. Hosts of private networks cannot be reached.",
    required: &["urls", "format"],
    properties: || {
        json!({
            "urls": {
                "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MAX_URLS,
                "description": "The URLs.",
            },
            "format": {
                "type": "string", "enum": FORMATS.each_ref().map(|format| format.name),
                "description": "The format to convert HTML to.",
            },
            "timeout": {
                "type": "integer", "minimum": 1, "maximum": 300,
                "description": "The time limit for one page in seconds. Default 30.",
            },
        })
    },
    access: ToolAccess::Reported,
    call: fetch_urls,
};

fn fetch_urls(set: &FetchState, arguments: &Value, context: &ToolContext<'_>) -> Result<Value, String> {
    let wanted = text_argument(arguments, "format");
    let format = FORMATS.iter().find(|format| format.name == wanted);
    let format = format.ok_or("`format` must be `text`, `markdown` or `html`")?;
    let seconds = number_argument(arguments, "timeout").map(|seconds| seconds as u64 * 1_000);
    let timeout_ms = seconds.or(set.timeout_ms).unwrap_or(TIMEOUT_MS);
    let pages = call_each_part(arguments, context, |part| {
        let url = text_argument(part, "url").to_owned();
        let page = fetch(&set.gateway, part, format.accept, timeout_ms, context);
        let page = page.map(|answer| describe_page(&url, &answer, format));
        (page.as_ref().map_or(0, |page| text_argument(page, "body").len()), (url, page))
    })?;
    if let [(url, page)] = pages.as_slice() {
        let page = page.as_ref().map_err(|reason| format!("Error fetching {url}: {reason}"))?;
        let [status, length] = ["statusCode", "contentLength"].map(|name| page.get(name).unwrap_or(&Value::Null));
        return Ok(Value::String(format!(
            "Successfully fetched {url} (Status: {status}, Length: {length} bytes):\n\n{}",
            text_argument(page, "body")
        )));
    }
    let results =
        pages.into_iter().map(|(url, page)| page.unwrap_or_else(|reason| json!({"url": url, "error": reason})));
    Ok(Value::String(results.collect::<Value>().to_string()))
}

/// Gets the page that a call names.
fn fetch(
    gateway: &HttpGateway,
    call: &Value,
    accept: &str,
    timeout_ms: u64,
    context: &ToolContext<'_>,
) -> Result<Value, String> {
    let headers = [(String::from("Accept"), accept.to_owned())];
    gateway
        .request_until("GET", text_argument(call, "url"), &headers, None, timeout_ms, context.cancel())
        .map_err(|error| error.to_string())
}

/// The page of a URL in a format.
fn describe_page(url: &str, answer: &Value, format: &FetchFormat) -> Value {
    let kind = answer.get("headers").map(|headers| text_argument(headers, "Content-Type")).unwrap_or_default();
    let is_html = kind.to_ascii_lowercase().contains("text/html");
    let body = text_argument(answer, "body");
    let body = if is_html { (format.convert_html)(body) } else { body.to_owned() };
    let (status, length) = (answer.get("status"), body.len());
    json!({"url": url, "statusCode": status, "contentType": kind, "contentLength": length, "body": body})
}
