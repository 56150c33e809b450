//! The table of all built-ins, from which the reference page and the checks of names come.

use crate::compile::Role;

/// One built-in of scripts.
#[derive(Debug)]
pub struct Builtin {
    /// The name, with its namespace.
    pub name: &'static str,
    /// How it is called.
    pub signature: &'static str,
    /// Which kinds of scripts have it.
    pub roles: &'static [Role],
    /// What it does, one sentence.
    pub doc: &'static str,
}

const ALL: &[Role] = &[Role::Hook, Role::Tool, Role::Verify, Role::Plugin];
const HOOKS: &[Role] = &[Role::Hook, Role::Verify];
const PLUGINS: &[Role] = &[Role::Plugin];
const TOOLS: &[Role] = &[Role::Tool, Role::Verify];

/// All built-ins besides those of the language, in the order of the reference.
#[must_use]
pub fn catalogue() -> &'static [Builtin] {
    CATALOGUE
}

/// What stands behind the dot of a namespace, for those a kind of script has; empty when it is no namespace.
pub(crate) fn members(namespace: &str, role: Role) -> Vec<&'static str> {
    let of_role = CATALOGUE.iter().filter(|builtin| builtin.roles.contains(&role));
    let mut members: Vec<_> = of_role
        .filter_map(|builtin| builtin.name.strip_prefix(namespace)?.strip_prefix('.'))
        .map(|rest| rest.split('.').next().unwrap_or(rest))
        .collect();
    members.dedup();
    members
}

const fn row(name: &'static str, signature: &'static str, roles: &'static [Role], doc: &'static str) -> Builtin {
    Builtin { name, signature, roles, doc }
}

static CATALOGUE: &[Builtin] = &[
    row("allow", "allow()", HOOKS, "Passes the event on; no opinion."),
    row("block", "block(reason)", HOOKS, "Denies; the reason is surfaced to the agent."),
    row("ask", "ask(reason)", HOOKS, "Lets a person decide; nobody to ask means deny."),
    row("modify", "modify(payload)", HOOKS, "Goes on with a changed payload; fields that are not named stay."),
    row("delegate", "delegate(request)", HOOKS, "Hands the work to another agent and uses its answer."),
    row("register_tool_hook", "register_tool_hook(table)", PLUGINS, "Registers hooks around a tool's calls."),
    row(
        "register_persona_hook",
        "register_persona_hook(persona_pattern, event, handler, options={})",
        PLUGINS,
        "Registers a hook on what a persona does.",
    ),
    row(
        "register_step_hook",
        "register_step_hook(persona_pattern, step_name, event, handler, options={})",
        PLUGINS,
        "Registers a hook on one step of a persona.",
    ),
    row(
        "register_session_hook",
        "register_session_hook(event, pattern=\"*\", handler, options={})",
        PLUGINS,
        "Registers a hook on the session; the pattern may be left out.",
    ),
    row("clear_tool_hooks", "clear_tool_hooks()", PLUGINS, "Takes back the tool hooks that this plugin registered."),
    row(
        "clear_persona_hooks",
        "clear_persona_hooks()",
        PLUGINS,
        "Takes back the persona and step hooks that this plugin registered.",
    ),
    row(
        "clear_session_hooks",
        "clear_session_hooks()",
        PLUGINS,
        "Takes back the session hooks that this plugin registered.",
    ),
    row("emit", "emit(event, payload=None)", ALL, "Fires a `custom.*` event; returns the payload after its hooks."),
    row("print", "print(*args)", ALL, "Writes its arguments as a log line."),
    row("assert", "assert(condition, msg=\"assertion failed\")", ALL, "Raises unless the condition holds."),
    row("random", "random(min, max)", ALL, "A random integer of the closed range."),
    row("sleep", "sleep(ms)", ALL, "Waits; the call's time limit still holds."),
    row("env", "env(key)", TOOLS, "An environment variable, empty when unset."),
    row("metrics.incr", "metrics.incr(name, delta=1)", ALL, "Adds to a counter and returns its new value."),
    row("metrics.set", "metrics.set(name, value)", ALL, "Sets a gauge."),
    row("metrics.get", "metrics.get(name)", ALL, "Returns a counter or gauge; 0 when nobody set it."),
    row("metrics.reset", "metrics.reset(name=None)", ALL, "Forgets one metric, or all of them."),
    row("metrics.snapshot", "metrics.snapshot()", ALL, "Returns all metrics as a dict."),
    row("log", "log(msg)", ALL, "Writes a line that flows into the `turn.end` payload."),
    row("log.info", "log.info(msg)", ALL, "The same as `log(msg)`."),
    row("log.warn", "log.warn(msg)", ALL, "Writes a warning line."),
    row("cache.get", "cache.get(key, default=None)", ALL, "Returns a value that hooks and tools share."),
    row("cache.set", "cache.set(key, value)", ALL, "Stores a value and returns it."),
    row("cache.has", "cache.has(key)", ALL, "Tells whether a value is stored."),
    row("cache.delete", "cache.delete(key)", ALL, "Forgets a value; returns whether there was one."),
    row("cache.clear", "cache.clear()", ALL, "Forgets all values."),
    row(
        "transcript.messages",
        "transcript.messages(last=50)",
        ALL,
        "Returns the newest messages of the conversation as dicts with `role`, `content`, and what belongs to tool calls.",
    ),
    row(
        "transcript.inject_reminder",
        "transcript.inject_reminder(reminder)",
        ALL,
        "Reminds the model from its next request on: a text, or a dict with `body`, `tags`, `dedupe_key`, `ttl_turns`, `preserve_on_compact`, `propagate`, `role_hint`.",
    ),
    row(
        "notify_file_edited",
        "notify_file_edited(path, metadata={})",
        ALL,
        "Tells the hooks of `file.edited`, at the next boundary of a turn, that a file was changed.",
    ),
    row(
        "unsettled_state",
        "unsettled_state()",
        ALL,
        "Returns what has begun and not ended: a dict of lists, `tool_calls`, `background_tasks`, `messages`, `approvals`, `suspended_personas`.",
    ),
    row("ctx.get", "ctx.get(key, default=None)", ALL, "Returns a scratch value of the running turn."),
    row("ctx.set", "ctx.set(key, value)", ALL, "Stores a scratch value of the running turn and returns it."),
    row("ctx.has", "ctx.has(key)", ALL, "Tells whether a scratch value is stored."),
    row("ctx.delete", "ctx.delete(key)", ALL, "Forgets a scratch value."),
    row("ctx.snapshot", "ctx.snapshot()", ALL, "Returns all scratch values as a dict."),
    row("ctx.agent.done_flag", "ctx.agent.done_flag()", ALL, "Tells whether the agent has declared its work done."),
    row(
        "ctx.agent.set_done_flag",
        "ctx.agent.set_done_flag(summary=\"\", claims=None)",
        ALL,
        "Declares the agent's work done.",
    ),
    row(
        "ctx.agent.run_verification_chain",
        "ctx.agent.run_verification_chain()",
        ALL,
        "Returns a dict `ok`, `reason` of the turn's verification.",
    ),
    row(
        "http.get",
        "http.get(url, headers={}, timeout_seconds=30)",
        ALL,
        "Fetches from an allowed host; returns a dict `status`, `ok`, `url`, `body`, `headers`.",
    ),
    row(
        "http.post",
        "http.post(url, body=\"\", headers={}, timeout_seconds=30)",
        ALL,
        "Posts to an allowed host; returns what `http.get` returns.",
    ),
    row("json.encode", "json.encode(val)", ALL, "Writes JSON with sorted keys; `<`, `>` and `&` are escaped."),
    row(
        "json.decode",
        "json.decode(s, default=None)",
        ALL,
        "Reads JSON; a dict or list passes through; raises without a default.",
    ),
    row(
        "re.match",
        "re.match(pattern, text)",
        ALL,
        "Matches at the start; false when nothing matched; `[\"groups\"]`, `[\"named_groups\"]`, `[\"start\"]`.",
    ),
    row("re.search", "re.search(pattern, text)", ALL, "Matches anywhere; returns what `re.match` returns."),
    row("re.findall", "re.findall(pattern, text)", ALL, "Returns all whole matches."),
    row("re.find_all", "re.find_all(pattern, text)", ALL, "The same as `re.findall`."),
    row("re.replace", "re.replace(pattern, repl, text)", ALL, "Replaces all matches; `$1` and `${name}` expand."),
    row("string.upper", "string.upper(s)", ALL, "Returns the text in upper case."),
    row("string.lower", "string.lower(s)", ALL, "Returns the text in lower case."),
    row("string.trim", "string.trim(s)", ALL, "Removes white space at both ends."),
    row("string.split", "string.split(s, sep)", ALL, "Splits at a separator."),
    row("string.join", "string.join(parts, sep)", ALL, "Joins a list with a separator."),
    row("string.truncate", "string.truncate(s, n, ellipsis=\"\")", ALL, "Cuts to `n` characters."),
    row("string.pad_left", "string.pad_left(s, n, char=\" \")", ALL, "Fills up at the left to `n` characters."),
    row("string.pad_right", "string.pad_right(s, n, char=\" \")", ALL, "Fills up at the right to `n` characters."),
    row(
        "string.contains_any",
        "string.contains_any(s, needles)",
        ALL,
        "Returns the first needle the text contains, or None.",
    ),
    row("template.render", "template.render(tmpl, vars)", ALL, "Replaces `{{ a.b.0 }}` by the value at that path."),
    row("validate.email", "validate.email(s)", ALL, "Tells whether the text looks like a mail address."),
    row("validate.url", "validate.url(s)", ALL, "Tells whether the text is a URL with a host."),
    row("validate.json", "validate.json(s)", ALL, "Tells whether the text is JSON."),
    row("set.new", "set.new(items=[])", ALL, "Makes a list without repetitions."),
    row("set.contains", "set.contains(set, item)", ALL, "Tells whether an item is in the set."),
    row("set.union", "set.union(a, b)", ALL, "Items of either set."),
    row("set.intersect", "set.intersect(a, b)", ALL, "Items of both sets."),
    row("set.diff", "set.diff(a, b)", ALL, "Items of the first set that are not in the second."),
    row("set.values", "set.values(set)", ALL, "The items as a list."),
    row("set.size", "set.size(set)", ALL, "How many items there are."),
    row("math.abs", "math.abs(x)", ALL, "The absolute value."),
    row("math.min", "math.min(a, b)", ALL, "The lesser of two values."),
    row("math.max", "math.max(a, b)", ALL, "The greater of two values."),
    row("math.floor", "math.floor(x)", ALL, "The next integer below."),
    row("math.ceil", "math.ceil(x)", ALL, "The next integer above."),
    row("hash.sha256", "hash.sha256(text)", ALL, "The SHA-256 digest in hex."),
    row("crypto.hmac_sha256", "crypto.hmac_sha256(key, msg)", ALL, "The HMAC-SHA-256 in hex."),
    row("base64.encode", "base64.encode(s)", ALL, "Standard base64."),
    row("base64.decode", "base64.decode(s)", ALL, "Text from standard base64."),
    row("url.parse", "url.parse(s)", ALL, "Returns a dict of the URL's parts."),
    row("url.encode", "url.encode(params)", ALL, "A dict as a sorted query string, or a string escaped."),
    row("time.now", "time.now()", ALL, "The time as RFC 3339 in UTC."),
    row("time.unix_ms", "time.unix_ms()", ALL, "Milliseconds since the Unix epoch."),
    row("uuid.v4", "uuid.v4()", ALL, "A random UUID."),
    row("events.emit", "events.emit(event, payload=None)", ALL, "The same as `emit`."),
    row(
        "meta.call_tool",
        "meta.call_tool(name, arguments={})",
        ALL,
        "Calls a tool through its whole lifecycle; returns a dict `content`, `is_error`, `result`.",
    ),
    row("meta.list_tools", "meta.list_tools(pattern=\"*\")", ALL, "The tools whose name matches a glob."),
    row(
        "meta.register_tool",
        "meta.register_tool(name, description, parameters={}, script=\"\", replace=False)",
        TOOLS,
        "Registers a tool, if the hooks agree.",
    ),
    row(
        "meta.register_hook",
        "meta.register_hook(name, event, script, when=\"\", priority=100)",
        TOOLS,
        "Registers a hook, if the hooks agree.",
    ),
    row(
        "meta.register_agent",
        "meta.register_agent(name, model=\"\", system_prompt=\"\", tools=[], hooks=[])",
        TOOLS,
        "Registers an agent, if the hooks agree.",
    ),
    row(
        "exec.run",
        "exec.run(cmd, args=[], timeout_ms=30000, dir=None)",
        TOOLS,
        "Runs a program; returns a dict `ok`, `stdout`, `stderr`, `exit_code`, `duration_ms`, `cmd`, `args`.",
    ),
    row("fs.read", "fs.read(path)", ALL, "Reads a text file of the workspace."),
    row("fs.write", "fs.write(path, content)", TOOLS, "Writes a text file."),
    row("fs.append", "fs.append(path, content)", TOOLS, "Appends to a text file."),
    row("fs.exists", "fs.exists(path)", ALL, "Tells whether a path exists."),
    row("fs.remove", "fs.remove(path)", TOOLS, "Removes a file or an empty directory."),
    row("fs.mkdir", "fs.mkdir(path)", TOOLS, "Makes a directory and those above it."),
    row("fs.list", "fs.list(path=\".\")", ALL, "The names in a directory."),
    row("fs.stat", "fs.stat(path)", ALL, "Returns a dict `name`, `size`, `is_dir`, `mod_time_ms`."),
    row(
        "fs.glob",
        "fs.glob(pattern)",
        ALL,
        "The paths that match; `**` crosses directories, and a pattern without `/` looks in every one.",
    ),
    row("fs.copy", "fs.copy(src, dst)", TOOLS, "Copies a file."),
    row("fs.move", "fs.move(src, dst)", TOOLS, "Moves a file."),
    row("fs.find", "fs.find(path, text)", ALL, "The lines that contain a text."),
    row("fs.replace", "fs.replace(path, old, new)", TOOLS, "Replaces the one place where a text stands."),
    row("fs.read_lines", "fs.read_lines(path, start=None, end=None)", ALL, "Numbered lines of a file."),
    row("os.cwd", "os.cwd()", TOOLS, "The working directory."),
    row("os.hostname", "os.hostname()", TOOLS, "The host's name."),
    row("os.platform", "os.platform()", TOOLS, "The operating system."),
    row("os.args", "os.args()", TOOLS, "The program's arguments."),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::source::ASSERT_ALIAS;

    #[test]
    fn the_table_lists_what_scripts_have() {
        let standard: BTreeSet<String> = super::super::pure().names().map(|name| name.as_str().to_owned()).collect();
        for role in [Role::Hook, Role::Tool, Role::Verify, Role::Plugin] {
            let have: BTreeSet<String> = super::super::of(role)
                .names()
                .map(|name| name.as_str().replace(ASSERT_ALIAS, "assert"))
                // The namespace `hash` stands before the language's function `hash`.
                .filter(|name| name == "hash" || !standard.contains(name))
                .filter(|name| !["struct", "map", "filter"].contains(&name.as_str()))
                .collect();
            let of_role = catalogue().iter().filter(|builtin| builtin.roles.contains(&role));
            let listed: BTreeSet<String> =
                of_role.map(|builtin| builtin.name.split('.').next().unwrap().to_owned()).collect();
            assert_eq!(have, listed, "{role:?}");
            for (name, value) in super::super::of(role).iter() {
                let members: BTreeSet<&str> = members(name, role).into_iter().collect();
                if !members.is_empty() {
                    let real = value.to_value().dir_attr();
                    assert_eq!(real.iter().map(String::as_str).collect::<BTreeSet<_>>(), members, "{name}");
                }
            }
        }
    }
}
