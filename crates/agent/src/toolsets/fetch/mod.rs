//! `fetch`: gets pages by HTTP, as docker-agent does.
//!
//! Every request goes through the same network gateway and rules as those of scripts. A member may reach every host of
//! the public internet; if its declaration lists hosts, only these. `robots.txt` is not requested.

mod html;

use pintle::{HttpGateway, NetworkSpec};
use serde_json::{Value, json};

use super::set::Toolset;
use crate::tools::{ToolAccess, ToolDef, build_tools, number_argument, text_argument};
use crate::turn_context::ToolContext;

/// The default time limit for one page.
const TIMEOUT_MS: u64 = 30_000;

/// The maximum number of pages in one call.
const MAX_URLS: usize = 20;

#[derive(Debug)]
struct FetchState {
    gateway: HttpGateway,
    timeout_ms: u64,
}

/// A result format: its name, the `Accept` header, and the conversion of HTML.
struct FetchFormat {
    name: &'static str,
    accept: &'static str,
    convert_html: fn(&str) -> String,
}

static FORMS: [FetchFormat; 3] = [
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

static TOOLS: [ToolDef<FetchState>; 1] = [ToolDef {
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
                "type": "string", "enum": FORMS.each_ref().map(|form| form.name),
                "description": "The format to convert HTML to.",
            },
            "timeout": {
                "type": "integer", "minimum": 1, "maximum": 300,
                "description": "The time limit for one page in seconds. Default 30.",
            },
        })
    },
    access: ToolAccess::Reported,
    call,
}];

pub(super) fn open(timeout_ms: Option<u64>, network: &NetworkSpec) -> Toolset {
    let mut network = network.clone();
    if network.allowed_domains.is_empty() {
        network.allowed_domains.push(String::from("*"));
    }
    let fetch = FetchState { gateway: HttpGateway::new(&network), timeout_ms: timeout_ms.unwrap_or(TIMEOUT_MS) };
    Toolset { tools: build_tools("fetch", &TOOLS, fetch), ..Toolset::default() }
}

fn call(fetch: &FetchState, arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let wanted = text_argument(arguments, "format");
    let form = FORMS.iter().find(|form| form.name == wanted).ok_or("`format` must be `text`, `markdown` or `html`")?;
    let timeout_ms = number_argument(arguments, "timeout").map_or(fetch.timeout_ms, |seconds| seconds as u64 * 1_000);
    let urls = arguments.get("urls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let page = |url: &str| {
        let headers = [(String::from("Accept"), form.accept.to_owned())];
        let answer = fetch.gateway.request_until("GET", url, &headers, None, timeout_ms, at.cancel())?;
        Ok::<_, String>(FetchedPage::from_response(&answer, form))
    };
    if let [url] = urls {
        let url = url.as_str().unwrap_or_default();
        let page = page(url).map_err(|reason| format!("Error fetching {url}: {reason}"))?;
        let (status, length) = (page.status, page.body.len());
        return Ok(Value::String(format!(
            "Successfully fetched {url} (Status: {status}, Length: {length} bytes):\n\n{}",
            page.body
        )));
    }
    let mut results = Vec::new();
    for url in urls.iter().filter_map(Value::as_str) {
        results.push(match page(url) {
            Ok(page) => json!({
                "url": url,
                "statusCode": page.status,
                "contentType": page.kind,
                "contentLength": page.body.len(),
                "body": page.body,
            }),
            Err(reason) => json!({"url": url, "error": reason}),
        });
    }
    Ok(Value::String(Value::Array(results).to_string()))
}

/// The response for one URL.
struct FetchedPage {
    status: u64,
    kind: String,
    body: String,
}

impl FetchedPage {
    fn from_response(answer: &Value, form: &FetchFormat) -> Self {
        let header = answer.get("headers").map(|headers| text_argument(headers, "Content-Type")).unwrap_or_default();
        let body = text_argument(answer, "body");
        let is_html = header.to_ascii_lowercase().contains("text/html");
        Self {
            status: answer.get("status").and_then(Value::as_u64).unwrap_or_default(),
            kind: header.to_owned(),
            body: if is_html { (form.convert_html)(body) } else { body.to_owned() },
        }
    }
}
