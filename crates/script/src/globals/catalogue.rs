//! The table of all built-ins, the source of the reference page and of the name checks.

use crate::language::ScriptKind;

/// One built-in of scripts.
#[derive(Debug)]
pub struct ScriptBuiltinDef {
    /// The name, with its namespace.
    pub name: &'static str,
    /// The signature.
    pub signature: &'static str,
    /// The kinds of scripts that have it.
    pub roles: &'static [ScriptKind],
    /// What it does, in one sentence.
    pub doc: &'static str,
}

const ALL: &[ScriptKind] = &[ScriptKind::Hook, ScriptKind::Tool, ScriptKind::Verify, ScriptKind::Plugin];
const JUDGES: &[ScriptKind] = &[ScriptKind::Hook, ScriptKind::Verify];
const HOOKS: &[ScriptKind] = &[ScriptKind::Hook];
const PLUGINS: &[ScriptKind] = &[ScriptKind::Plugin];
const TOOLS: &[ScriptKind] = &[ScriptKind::Tool, ScriptKind::Verify];

/// All built-ins except those of the language, in the order of the reference.
#[must_use]
pub fn catalogue() -> &'static [ScriptBuiltinDef] {
    CATALOGUE
}

/// The members of a namespace that a kind of script has; empty if it is not a namespace.
pub(crate) fn namespace_members(namespace: &str, script_kind: ScriptKind) -> Vec<&'static str> {
    let of_role = CATALOGUE.iter().filter(|builtin| builtin.roles.contains(&script_kind));
    let mut members: Vec<_> = of_role
        .filter_map(|builtin| builtin.name.strip_prefix(namespace)?.strip_prefix('.'))
        .map(|rest| rest.split('.').next().unwrap_or(rest))
        .collect();
    members.dedup();
    members
}

const fn builtin_def(
    name: &'static str,
    signature: &'static str,
    roles: &'static [ScriptKind],
    doc: &'static str,
) -> ScriptBuiltinDef {
    ScriptBuiltinDef { name, signature, roles, doc }
}

static CATALOGUE: &[ScriptBuiltinDef] = &[
    builtin_def("allow", "allow()", JUDGES, "Gives no opinion; the event continues. In a verify script it accepts."),
    builtin_def(
        "block",
        "block(reason)",
        JUDGES,
        "Denies; the agent is shown the reason. A verify script refuses with it.",
    ),
    builtin_def("ask", "ask(reason)", HOOKS, "Asks the user; denies if the user cannot be prompted."),
    builtin_def("modify", "modify(payload)", HOOKS, "Rewrites the payload; fields that are not given stay unchanged."),
    builtin_def(
        "delegate",
        "delegate(request)",
        HOOKS,
        "Delegates the task to another agent and uses its answer, at `agent.stop` and `delegation.post`.",
    ),
    builtin_def("register_tool_hook", "register_tool_hook(table)", PLUGINS, "Registers hooks around a tool's calls."),
    builtin_def(
        "register_persona_hook",
        "register_persona_hook(persona_pattern, event, handler, options={})",
        PLUGINS,
        "Registers a hook on the events of a persona.",
    ),
    builtin_def(
        "register_step_hook",
        "register_step_hook(persona_pattern, step_name, event, handler, options={})",
        PLUGINS,
        "Registers a hook on one step of a persona.",
    ),
    builtin_def(
        "register_session_hook",
        "register_session_hook(event, pattern=\"*\", handler, options={})",
        PLUGINS,
        "Registers a hook on session events; the pattern is optional.",
    ),
    builtin_def(
        "clear_tool_hooks",
        "clear_tool_hooks()",
        PLUGINS,
        "Removes the tool hooks that this plugin registered.",
    ),
    builtin_def(
        "clear_persona_hooks",
        "clear_persona_hooks()",
        PLUGINS,
        "Removes the persona and step hooks that this plugin registered.",
    ),
    builtin_def(
        "clear_session_hooks",
        "clear_session_hooks()",
        PLUGINS,
        "Removes the session hooks that this plugin registered.",
    ),
    builtin_def(
        "emit",
        "emit(event, payload=None)",
        ALL,
        "Fires a `custom.*` event; returns the payload after its hooks.",
    ),
    builtin_def("print", "print(*args)", ALL, "Writes its arguments as a log line."),
    builtin_def(
        "assert",
        "assert(condition, msg=\"assertion failed\")",
        ALL,
        "Raises an error unless the condition is true.",
    ),
    builtin_def("random", "random(min, max)", ALL, "Returns a random integer between `min` and `max`, both included."),
    builtin_def("sleep", "sleep(ms)", ALL, "Waits; the call's timeout still applies."),
    builtin_def("env", "env(key)", TOOLS, "Returns an environment variable; empty if it is not set."),
    builtin_def("metrics.incr", "metrics.incr(name, delta=1)", ALL, "Adds to a counter and returns its new value."),
    builtin_def("metrics.set", "metrics.set(name, value)", ALL, "Sets a gauge."),
    builtin_def("metrics.get", "metrics.get(name)", ALL, "Returns a counter or gauge; 0 if it is not set."),
    builtin_def("metrics.reset", "metrics.reset(name=None)", ALL, "Deletes one metric, or all of them."),
    builtin_def("metrics.snapshot", "metrics.snapshot()", ALL, "Returns all metrics as a dict."),
    builtin_def("log", "log(msg)", ALL, "Writes a log line, which the `turn.end` payload contains."),
    builtin_def("log.info", "log.info(msg)", ALL, "The same as `log(msg)`."),
    builtin_def("log.warn", "log.warn(msg)", ALL, "Writes a warning line."),
    builtin_def("cache.get", "cache.get(key, default=None)", ALL, "Returns a value that hooks and tools share."),
    builtin_def("cache.set", "cache.set(key, value)", ALL, "Stores a value and returns it."),
    builtin_def("cache.has", "cache.has(key)", ALL, "Returns whether a value is stored."),
    builtin_def("cache.delete", "cache.delete(key)", ALL, "Deletes a value; returns whether it existed."),
    builtin_def("cache.clear", "cache.clear()", ALL, "Deletes all values."),
    builtin_def(
        "transcript.messages",
        "transcript.messages(last=50)",
        ALL,
        "Returns the newest messages of the conversation as dicts with `role`, `content` and the tool call fields.",
    ),
    builtin_def(
        "transcript.inject_reminder",
        "transcript.inject_reminder(reminder)",
        ALL,
        "Reminds the model from its next request on: a string, or a dict with `body`, `tags`, \
         `dedupe_key`, `ttl_turns`, `preserve_on_compact`, `propagate`, `role_hint`.",
    ),
    builtin_def(
        "notify_file_edited",
        "notify_file_edited(path, metadata={})",
        ALL,
        "Fires `file.edited` for the path: at the next turn boundary, or in another agent at once.",
    ),
    builtin_def(
        "unsettled_state",
        "unsettled_state()",
        ALL,
        "Returns unfinished work as a dict of lists: `tool_calls`, `background_tasks`, `messages`, \
         `approvals`, `suspended_personas`.",
    ),
    builtin_def("ctx.get", "ctx.get(key, default=None)", ALL, "Returns a scratch value of the running turn."),
    builtin_def("ctx.set", "ctx.set(key, value)", ALL, "Stores a scratch value of the running turn and returns it."),
    builtin_def("ctx.has", "ctx.has(key)", ALL, "Returns whether a scratch value is stored."),
    builtin_def("ctx.delete", "ctx.delete(key)", ALL, "Deletes a scratch value."),
    builtin_def("ctx.snapshot", "ctx.snapshot()", ALL, "Returns all scratch values as a dict."),
    builtin_def(
        "ctx.agent.done_flag",
        "ctx.agent.done_flag()",
        ALL,
        "Returns whether the agent has declared its work done.",
    ),
    builtin_def(
        "ctx.agent.set_done_flag",
        "ctx.agent.set_done_flag(summary=\"\", claims=None)",
        ALL,
        "Declares the agent's work done.",
    ),
    builtin_def(
        "ctx.agent.run_verification_chain",
        "ctx.agent.run_verification_chain()",
        ALL,
        "Runs the turn's verification; returns a dict `ok`, `reason`.",
    ),
    builtin_def(
        "http.get",
        "http.get(url, headers={}, timeout_seconds=30)",
        ALL,
        "Fetches from an allowed host; returns a dict `status`, `ok`, `url`, `body`, `headers`.",
    ),
    builtin_def(
        "http.post",
        "http.post(url, body=\"\", headers={}, timeout_seconds=30)",
        ALL,
        "Posts to an allowed host; returns what `http.get` returns.",
    ),
    builtin_def("json.encode", "json.encode(val)", ALL, "Writes JSON with sorted keys; `<`, `>` and `&` are escaped."),
    builtin_def(
        "json.decode",
        "json.decode(s, default=None)",
        ALL,
        "Reads JSON; a dict or list passes through; raises without a default.",
    ),
    builtin_def(
        "re.match",
        "re.match(pattern, text)",
        ALL,
        "Matches at the start; the result is false if nothing matched; \
         `[\"groups\"]`, `[\"named_groups\"]`, `[\"start\"]`.",
    ),
    builtin_def("re.search", "re.search(pattern, text)", ALL, "Matches anywhere; returns what `re.match` returns."),
    builtin_def("re.findall", "re.findall(pattern, text)", ALL, "Returns all whole matches."),
    builtin_def("re.find_all", "re.find_all(pattern, text)", ALL, "The same as `re.findall`."),
    builtin_def(
        "re.replace",
        "re.replace(pattern, repl, text)",
        ALL,
        "Replaces all matches; `$1` and `${name}` are expanded.",
    ),
    builtin_def("string.upper", "string.upper(s)", ALL, "Returns the string in upper case."),
    builtin_def("string.lower", "string.lower(s)", ALL, "Returns the string in lower case."),
    builtin_def("string.trim", "string.trim(s)", ALL, "Removes white space at both ends."),
    builtin_def("string.split", "string.split(s, sep)", ALL, "Splits at a separator."),
    builtin_def("string.join", "string.join(parts, sep)", ALL, "Joins a list with a separator."),
    builtin_def("string.truncate", "string.truncate(s, n, ellipsis=\"\")", ALL, "Cuts to `n` characters."),
    builtin_def("string.pad_left", "string.pad_left(s, n, char=\" \")", ALL, "Pads on the left to `n` characters."),
    builtin_def("string.pad_right", "string.pad_right(s, n, char=\" \")", ALL, "Pads on the right to `n` characters."),
    builtin_def(
        "string.contains_any",
        "string.contains_any(s, needles)",
        ALL,
        "Returns the first needle that the string contains, or None.",
    ),
    builtin_def(
        "template.render",
        "template.render(tmpl, vars)",
        ALL,
        "Replaces `{{ a.b.0 }}` with the value at that path.",
    ),
    builtin_def("validate.email", "validate.email(s)", ALL, "Returns whether the string looks like an email address."),
    builtin_def("validate.url", "validate.url(s)", ALL, "Returns whether the string is a URL with a host."),
    builtin_def("validate.json", "validate.json(s)", ALL, "Returns whether the string is JSON."),
    builtin_def("set.new", "set.new(items=[])", ALL, "Returns a list without duplicates."),
    builtin_def("set.contains", "set.contains(set, item)", ALL, "Returns whether an item is in the set."),
    builtin_def("set.union", "set.union(a, b)", ALL, "Returns the items of either set."),
    builtin_def("set.intersect", "set.intersect(a, b)", ALL, "Returns the items of both sets."),
    builtin_def("set.diff", "set.diff(a, b)", ALL, "Returns the items of the first set that are not in the second."),
    builtin_def("set.values", "set.values(set)", ALL, "Returns the items as a list."),
    builtin_def("set.size", "set.size(set)", ALL, "Returns the number of items."),
    builtin_def("math.abs", "math.abs(x)", ALL, "Returns the absolute value."),
    builtin_def("math.min", "math.min(a, b)", ALL, "Returns the smaller of two values."),
    builtin_def("math.max", "math.max(a, b)", ALL, "Returns the larger of two values."),
    builtin_def("math.floor", "math.floor(x)", ALL, "Returns the largest integer that is not greater."),
    builtin_def("math.ceil", "math.ceil(x)", ALL, "Returns the smallest integer that is not less."),
    builtin_def("hash.sha256", "hash.sha256(text)", ALL, "Returns the SHA-256 digest in hex."),
    builtin_def("crypto.hmac_sha256", "crypto.hmac_sha256(key, msg)", ALL, "Returns the HMAC-SHA-256 in hex."),
    builtin_def("base64.encode", "base64.encode(s)", ALL, "Encodes as standard base64."),
    builtin_def("base64.decode", "base64.decode(s)", ALL, "Decodes standard base64 to a string."),
    builtin_def("url.parse", "url.parse(s)", ALL, "Returns a dict of the URL's parts."),
    builtin_def(
        "url.encode",
        "url.encode(params)",
        ALL,
        "Encodes a dict as a sorted query string, or escapes a string.",
    ),
    builtin_def("time.now", "time.now()", ALL, "Returns the time as RFC 3339 in UTC."),
    builtin_def("time.unix_ms", "time.unix_ms()", ALL, "Returns the milliseconds since the Unix epoch."),
    builtin_def("uuid.v4", "uuid.v4()", ALL, "Returns a random UUID."),
    builtin_def("events.emit", "events.emit(event, payload=None)", ALL, "The same as `emit`."),
    builtin_def(
        "meta.call_tool",
        "meta.call_tool(name, arguments={})",
        ALL,
        "Calls a tool through its whole lifecycle; returns a dict `content`, `is_error`, `result`.",
    ),
    builtin_def(
        "meta.list_tools",
        "meta.list_tools(pattern=\"*\")",
        ALL,
        "Returns the tools whose name matches a glob.",
    ),
    builtin_def(
        "meta.register_tool",
        "meta.register_tool(name, description, parameters={}, script=\"\", replace=False)",
        TOOLS,
        "Registers a tool, if the hooks allow it.",
    ),
    builtin_def(
        "meta.register_hook",
        "meta.register_hook(name, event, script, when=\"\", priority=100)",
        TOOLS,
        "Registers a hook, if the hooks allow it.",
    ),
    builtin_def(
        "meta.register_agent",
        "meta.register_agent(name, model=\"\", system_prompt=\"\", tools=[], hooks=[])",
        TOOLS,
        "Registers an agent, if the hooks allow it.",
    ),
    builtin_def(
        "exec.run",
        "exec.run(cmd, args=[], timeout_ms=30000, dir=None)",
        TOOLS,
        "Runs a program; returns a dict `ok`, `stdout`, `stderr`, `exit_code`, `duration_ms`, `cmd`, `args`.",
    ),
    builtin_def(
        "shell.parse",
        "shell.parse(text, cwd=\"/home/user/project\", home=\"/home/user\")",
        ALL,
        "Returns what a bash command line would do, as a list of [operations](events.md#piece-operation); also in `when`. \
         Nothing is executed, and no link is resolved. What cannot be known has the kind `unknown`.",
    ),
    builtin_def("fs.read", "fs.read(path)", ALL, "Reads a text file of the workspace."),
    builtin_def("fs.write", "fs.write(path, content)", TOOLS, "Writes a text file."),
    builtin_def("fs.append", "fs.append(path, content)", TOOLS, "Appends to a text file."),
    builtin_def("fs.exists", "fs.exists(path)", ALL, "Returns whether a path exists."),
    builtin_def("fs.remove", "fs.remove(path)", TOOLS, "Removes a file or an empty directory."),
    builtin_def("fs.mkdir", "fs.mkdir(path)", TOOLS, "Creates a directory and its parents."),
    builtin_def("fs.list", "fs.list(path=\".\")", ALL, "Returns the names in a directory."),
    builtin_def("fs.stat", "fs.stat(path)", ALL, "Returns a dict `name`, `size`, `is_dir`, `mod_time_ms`."),
    builtin_def(
        "fs.glob",
        "fs.glob(pattern)",
        ALL,
        "Returns the paths that match; `**` crosses directories, and a pattern without `/` matches in every directory.",
    ),
    builtin_def("fs.copy", "fs.copy(src, dst)", TOOLS, "Copies a file."),
    builtin_def("fs.move", "fs.move(src, dst)", TOOLS, "Moves a file."),
    builtin_def("fs.find", "fs.find(path, text)", ALL, "Returns the lines that contain a string."),
    builtin_def("fs.replace", "fs.replace(path, old, new)", TOOLS, "Replaces a string that occurs exactly once."),
    builtin_def("fs.read_lines", "fs.read_lines(path, start=None, end=None)", ALL, "Returns numbered lines of a file."),
    builtin_def("os.cwd", "os.cwd()", TOOLS, "Returns the working directory."),
    builtin_def("os.hostname", "os.hostname()", TOOLS, "Returns the host name."),
    builtin_def("os.platform", "os.platform()", TOOLS, "Returns the operating system."),
    builtin_def("os.args", "os.args()", TOOLS, "Returns the program's arguments."),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::source::ASSERT_ALIAS;

    #[test]
    fn the_table_lists_what_scripts_have() {
        let standard: BTreeSet<String> =
            super::super::for_when().names().map(|name| name.as_str().to_owned()).collect();
        for role in [ScriptKind::Hook, ScriptKind::Tool, ScriptKind::Verify, ScriptKind::Plugin] {
            let have: BTreeSet<String> = super::super::for_kind(role)
                .names()
                .map(|name| name.as_str().replace(ASSERT_ALIAS, "assert"))
                // The namespace `hash` shadows the language's function `hash`, and `when` has `shell`, too.
                .filter(|name| name == "hash" || name == "shell" || !standard.contains(name))
                .filter(|name| !["struct", "map", "filter"].contains(&name.as_str()))
                .collect();
            let of_role = catalogue().iter().filter(|builtin| builtin.roles.contains(&role));
            let listed: BTreeSet<String> =
                of_role.map(|builtin| builtin.name.split('.').next().unwrap().to_owned()).collect();
            assert_eq!(have, listed, "{role:?}");
            for (name, value) in super::super::for_kind(role).iter() {
                let members: BTreeSet<&str> = namespace_members(name, role).into_iter().collect();
                if !members.is_empty() {
                    let real = value.to_value().dir_attr();
                    assert_eq!(real.iter().map(String::as_str).collect::<BTreeSet<_>>(), members, "{name}");
                }
            }
        }
    }
}
