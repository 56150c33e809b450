//! The tool vocabulary of one client, and the conversions it defines.

use std::fmt;

use pintle_contract::suggest_nearest;
use serde_json::Value;

use super::input_shape::InputShape;
use super::mcp::McpNames;
use super::pintle;

/// The names of one client's tools and arguments.
#[derive(Debug)]
pub struct ToolVocabulary {
    /// The client, such as `claude`.
    pub name: &'static str,
    /// Its tools. The first entry that matches a call is used, and the first entry with a canonical name defines its
    /// native form.
    pub tools: &'static [ToolMapping],
    /// How it names the tools of MCP servers.
    pub mcp: McpNames,
}

/// One tool of a client.
#[derive(Debug)]
pub struct ToolMapping {
    /// Its native names; Pintle writes the first one.
    pub native_names: &'static [&'static str],
    /// A field that a call must have to match this entry. Some tools do two things, depending on their input.
    pub required_field: Option<&'static str>,
    /// The canonical name.
    pub canonical: &'static str,
    /// The category of the tool: `shell`, `filesystem`, `network` or `agent`.
    pub category: &'static str,
    /// The arguments whose names differ: the native name and the canonical one.
    pub fields: &'static [(&'static str, &'static str)],
    /// The shape of its input.
    pub form: InputShape,
}

/// One canonical call. A native call is one or several of them.
#[derive(Debug, Clone, PartialEq)]
pub struct CanonicalCall {
    /// The canonical name.
    pub name: String,
    /// The canonical arguments. Fields that the table does not name are unchanged.
    pub args: Value,
    /// The category of the tool: `shell`, `filesystem`, `network`, `agent` or `mcp`, and `other` for a tool that the
    /// table does not have, so that a policy can deny it.
    pub category: Option<&'static str>,
}

/// A call in a client's vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeToolCall {
    /// The native name of the tool.
    pub name: String,
    /// The native input.
    pub input: Value,
}

/// Why changed arguments cannot be merged back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmappableArguments(pub String);

impl fmt::Display for UnmappableArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnmappableArguments {}

impl ToolVocabulary {
    /// The canonical calls of a native call, in the order in which they happen; never empty.
    ///
    /// A tool that the table does not have keeps its name and its arguments. Input of an unexpected shape is passed on
    /// under the canonical name, so that a guard still sees the call.
    #[must_use]
    pub fn to_canonical(&self, name: &str, input: &Value) -> Vec<CanonicalCall> {
        if let Some(tool) = self.find_tool(name, input) {
            return tool.form.to_calls(tool, input);
        }
        let server = self.mcp.to_canonical(name);
        let category = if server.is_some() { "mcp" } else { "other" };
        vec![CanonicalCall {
            name: server.unwrap_or_else(|| name.to_owned()),
            args: input.clone(),
            category: Some(category),
        }]
    }

    /// The native input with the changed arguments of `parts`. Fields that they do not have stay unchanged, and
    /// unchanged parts, as [`to_canonical`](Self::to_canonical) returned them, give exactly `input`.
    ///
    /// # Errors
    /// If a change cannot be expressed in the native input, such as another tool or one path of a patch.
    pub fn merge_back(&self, name: &str, input: &Value, parts: &[CanonicalCall]) -> Result<Value, UnmappableArguments> {
        let before = self.to_canonical(name, input);
        if before.len() != parts.len() {
            return Err(UnmappableArguments(format!("the number of canonical calls of `{name}` cannot change")));
        }
        if let Some((was, _)) = before.iter().zip(parts).find(|(was, now)| was.name != now.name) {
            return Err(UnmappableArguments(format!("a call of `{}` cannot become a call of another tool", was.name)));
        }
        if before.iter().zip(parts).all(|(was, now)| was.args == now.args) {
            return Ok(input.clone());
        }
        let merged = match (self.find_tool(name, input), parts) {
            (Some(tool), _) => tool.form.merge(tool, input, &before, parts)?,
            (None, [only]) => only.args.clone(),
            (None, _) => return Err(UnmappableArguments(format!("a call of `{name}` cannot be split"))),
        };
        // The resulting call must mean what was decided, whatever else its input contains.
        if self.reads_as(name, &merged, &before, parts) {
            return Ok(merged);
        }
        Err(UnmappableArguments(format!("the changed call of `{name}` does not map back to the requested change")))
    }

    fn reads_as(&self, name: &str, merged: &Value, before: &[CanonicalCall], parts: &[CanonicalCall]) -> bool {
        let again = self.to_canonical(name, merged);
        let is_patch = parts.len() > 1 && self.find_tool(name, merged).is_some_and(|tool| tool.form.is_patch());
        let same = |(now, wanted): (&CanonicalCall, &CanonicalCall)| {
            // The text of a file in a patch always ends with a newline.
            let args = if is_patch { now.args.get("path") == wanted.args.get("path") } else { now.args == wanted.args };
            now.name == wanted.name && args
        };
        let other_patch = is_patch && before.first().map(|part| &part.args) != parts.first().map(|part| &part.args);
        other_patch || (again.len() == parts.len() && again.iter().zip(parts).all(same))
    }

    /// A canonical call in the client's vocabulary, for hooks that expect its names. Alternate names of Pintle's own
    /// tools, such as `fs.read` or `read_file`, are accepted.
    #[must_use]
    pub fn to_native(&self, name: &str, args: &Value) -> NativeToolCall {
        let own = pintle::to_canonical(name, args);
        let (canonical, args) = own.as_ref().map_or((name, args), |(name, args)| (*name, args));
        if let Some(tool) = self.tools.iter().find(|tool| tool.canonical == canonical)
            && let Some(host) = tool.native_names.first()
        {
            return NativeToolCall { name: (*host).to_owned(), input: tool.form.to_native(tool, args) };
        }
        NativeToolCall { name: self.mcp.to_native(canonical).unwrap_or_else(|| name.to_owned()), input: args.clone() }
    }

    /// The names under which a native call may be indexed: canonical ones, alternate names of Pintle's own tools, and
    /// the name itself.
    #[must_use]
    pub fn canonical_names(&self, name: &str) -> Vec<String> {
        let of_tool = |tool: &'static ToolMapping| tool.native_names.contains(&name).then_some(tool.canonical);
        let canonical: Vec<&str> = self.tools.iter().filter_map(of_tool).collect();
        let second = pintle::alternate_names().filter(|(_, of)| canonical.contains(of)).map(|(second, _)| second);
        let all = canonical.iter().copied().chain(second).chain([name]).map(str::to_owned);
        let mut names: Vec<String> = all.chain(self.mcp.to_canonical(name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The client's tool name that is nearest to an unknown one.
    #[must_use]
    pub fn suggest(&self, name: &str) -> Option<&'static str> {
        let names = || self.tools.iter().flat_map(|tool| tool.native_names).copied();
        let known = names().any(|known| known == name);
        (!known).then(|| suggest_nearest(name, names())).flatten()
    }

    fn find_tool(&self, name: &str, input: &Value) -> Option<&'static ToolMapping> {
        let given = |field: &str| input.get(field).is_some_and(|value| !value.is_null());
        self.tools.iter().find(|tool| tool.native_names.contains(&name) && tool.required_field.is_none_or(given))
    }
}
