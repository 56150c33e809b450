//! Reads MCP servers.

use pintle_contract::{ByteSpan, McpSpec, McpTransport, ToolsetKind};

use super::super::report_unknown;
use super::SharedDefinitions;
use crate::document::{FieldReader, FileReport, KeyDef, MapEntry, key, read_keys};

/// Keys that docker-agent has and Pintle does not implement.
pub(super) const NOT_YET: &[KeyDef<()>] = &[
    key!("config": unsupported("it only applies to servers of Docker's catalogue")),
    key!("version": unsupported("install the program yourself; Pintle does not install it")),
    key!("allow_private_ips": unsupported("it only applies to sign-in, which Pintle does not support")),
];
/// Such keys of remote servers.
const REMOTE_NOT_YET: &[KeyDef<()>] = &[key!("oauth": unsupported("put a token in `headers`"))];
/// The prefix of servers in Docker's catalogue.
const CATALOGUE: &str = "docker:";

/// Reads a toolset that declares a server, or names one of `mcps`.
pub(super) fn read(fields: &mut FieldReader<'_>, definitions: &SharedDefinitions<'_>) -> Option<ToolsetKind> {
    let named = fields.text("ref").filter(|name| !name.starts_with(CATALOGUE));
    let Some(named) = named else { return read_server(fields).map(ToolsetKind::Mcp) };
    let span = fields.span_of("ref");
    let Some(entry) = definitions.servers.iter().find(|entry| entry.key == named) else {
        let known = definitions.servers.iter().map(|entry| entry.key.as_str());
        report_unknown(
            definitions.report,
            "the server",
            &named,
            span,
            known,
            "declare it under `mcps` at the top of the file",
        );
        return None;
    };
    let server = read_definition(definitions.report, entry)?;
    let name = fields.text("name").unwrap_or(server.name);
    Some(ToolsetKind::Mcp(McpSpec { name, ..server }))
}

/// Reads one server of `mcps`.
pub(super) fn read_definition(report: &FileReport, entry: &MapEntry) -> Option<McpSpec> {
    let mut fields = FieldReader::of_entry(report, "the server", entry);
    let server = read_server(&mut fields);
    let _ = (fields.texts("tools"), fields.text("instruction"));
    read_keys(&mut fields, NOT_YET);
    read_keys(&mut fields, super::NOT_YET);
    fields.finish_strictly();
    server
}

fn read_server(fields: &mut FieldReader<'_>) -> Option<McpSpec> {
    let report = fields.report();
    let name = fields.text("name").unwrap_or_default();
    let command = fields.text("command");
    let arguments = fields.texts("args");
    let environment = fields.pairs("env");
    let directory = fields.text("working_dir");
    let catalogue = fields.text("ref");
    let has_remote = fields.node("remote").is_some_and(|node| !node.is_null());
    let remote = read_remote(fields);
    if catalogue.is_some() {
        let span = fields.span_of("ref");
        let message = format!(
            "servers of Docker's catalogue are not supported yet, so the agent does not get the tools of `{}`",
            catalogue.unwrap_or_default()
        );
        let help =
            Some(String::from("start the server with `command` and `args`, or connect to it with `remote: {url: ..}`"));
        report.warning("not_supported", message, span, help);
        return None;
    }
    let transport = match (command, remote) {
        (Some(command), None) if !has_remote => McpTransport::Stdio { command, arguments, environment, directory },
        (None, Some(remote)) => remote,
        (None, None) if has_remote => return None,
        (Some(_), _) => {
            return report_invalid(fields, "a server takes a `command` or a `remote`, not both", "keep one of the two");
        }
        (None, None) => {
            let help = "start a server with `command: PROGRAM`, or connect to one with `remote: {url: ..}`";
            return report_invalid(fields, "a server needs a `command` or a `remote`", help);
        }
    };
    Some(McpSpec { name, transport })
}

fn report_invalid<T>(fields: &FieldReader<'_>, message: &str, help: &str) -> Option<T> {
    let ByteSpan { start, .. } = fields.span();
    let line = fields.report().file().text.get(start..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
    fields.report().value_error("bad_server", message, ByteSpan { start, end: start + line }, help);
    None
}

fn read_remote(fields: &mut FieldReader<'_>) -> Option<McpTransport> {
    let mut own = fields.fields("remote")?;
    let report = own.report();
    let url = own.text("url");
    let transports = [("streamable", true), ("streamable-http", true), ("http", true), ("sse", false)];
    let is_streamable = own.choice("transport_type", &transports).unwrap_or(true);
    let headers = own.pairs("headers");
    read_keys(&mut own, REMOTE_NOT_YET);
    let place = own.node("url").or(own.node("transport_type")).map_or(own.span(), |node| node.span);
    let transport_place = own.node("transport_type").map_or(place, |node| node.span);
    own.finish_strictly();
    if !is_streamable {
        let help = "write `transport_type: streamable`, which most servers also support";
        let message = "the transport `sse` is not supported yet, so the agent does not get the tools of this server";
        report.warning("not_supported", message, transport_place, help);
        return None;
    }
    let Some(url) = url else {
        report.value_error("missing_key", "a remote server needs a `url`", place, None);
        return None;
    };
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let message = format!("the server address `{url}` does not start with `http://` or `https://`");
        report.value_error("bad_value", message, place, "for example `url: https://HOST/mcp`");
        return None;
    }
    Some(McpTransport::Http { url, headers })
}
