//! The tool vocabulary of one client, and the conversions it defines.

use std::{fmt, iter};

use pintle_contract::{ToolKind, suggest_nearest};
use serde_json::Value;

use crate::input_shape::{InputShape, ListElement};

/// The names of one agent's tools and arguments.
#[derive(Debug)]
pub struct ToolVocabulary {
    /// The agent, such as `claude`.
    pub name: &'static str,
    /// Its tools. The first entry that matches a call is used, and the first entry with a canonical name defines its
    /// native form.
    pub tools: &'static [ToolMapping],
    /// How it names the tools of MCP servers.
    pub mcp: McpNames,
}

/// One tool of an agent.
#[derive(Debug)]
pub struct ToolMapping {
    /// Its native names; Pintle writes the first one.
    pub native_names: &'static [&'static str],
    /// A field that a call must have to match this entry. Some tools do two things, depending on their input.
    pub required_field: Option<&'static str>,
    /// The canonical name.
    pub canonical: &'static str,
    /// The arguments whose names differ: the native name and the canonical one.
    pub fields: &'static [(&'static str, &'static str)],
    /// The shape of its input.
    pub form: InputShape,
}

impl ToolMapping {
    /// A tool whose input is its arguments, under their canonical names.
    #[must_use]
    pub const fn new(native_names: &'static [&'static str], canonical: &'static str) -> Self {
        Self { native_names, required_field: None, canonical, fields: &[], form: InputShape::Plain }
    }

    /// The canonical tools that a call of it may come to.
    pub(crate) fn canonical_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        iter::once(self.canonical).chain(self.form.further_tools().iter().copied())
    }

    /// The entry applies only to calls with this field.
    #[must_use]
    pub const fn requires(mut self, field: &'static str) -> Self {
        self.required_field = Some(field);
        self
    }

    /// Adds the arguments whose names differ: the native name and the canonical one.
    #[must_use]
    pub const fn fields(mut self, fields: &'static [(&'static str, &'static str)]) -> Self {
        self.fields = fields;
        self
    }

    /// Sets the shape of the input.
    #[must_use]
    pub const fn shape(mut self, shape: InputShape) -> Self {
        self.form = shape;
        self
    }

    /// The input contains a list of texts, each of which is this argument of a call; `shared` are those of every call.
    pub(crate) const fn each_text(
        self,
        key: &'static str,
        argument: &'static str,
        shared: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.shape(InputShape::List { key, element: ListElement::Text(argument), shared })
    }

    /// The input contains a list of calls, whose objects may be this argument alone; `shared` are those of every call.
    pub(crate) const fn each_object(
        self,
        key: &'static str,
        argument: &'static str,
        shared: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.shape(InputShape::List { key, element: ListElement::Object(argument), shared })
    }
}

/// One canonical call. A native call is one or several of them.
#[derive(Debug, Clone, PartialEq)]
pub struct CanonicalCall {
    /// The canonical name.
    pub name: String,
    /// The canonical arguments. Fields that the table does not name are unchanged.
    pub args: Value,
    /// What the tool is for; `other` for a tool that the table does not have, so that a policy can deny it.
    pub kind: ToolKind,
}

/// What each canonical tool is for.
const KINDS: &[(&str, ToolKind)] = &[
    ("shell", ToolKind::Shell),
    ("read", ToolKind::Read),
    ("write", ToolKind::Write),
    ("create_directory", ToolKind::Write),
    ("edit", ToolKind::Edit),
    ("patch", ToolKind::Edit),
    ("delete", ToolKind::Delete),
    ("move", ToolKind::Move),
    ("list", ToolKind::List),
    ("glob", ToolKind::Search),
    ("grep", ToolKind::Search),
    ("fetch", ToolKind::Fetch),
    ("search", ToolKind::WebSearch),
    ("agent", ToolKind::Delegate),
    ("todo", ToolKind::Todo),
    ("ask_user", ToolKind::AskUser),
];

impl CanonicalCall {
    /// A call of a canonical tool, whose kind follows from its name.
    #[must_use]
    pub fn new(name: impl Into<String>, args: Value) -> Self {
        let name = name.into();
        let known = KINDS.iter().find(|(canonical, _)| *canonical == name).map(|(_, kind)| *kind);
        let kind = known.unwrap_or(if name.starts_with("mcp__") { ToolKind::Mcp } else { ToolKind::Other });
        Self { name, args, kind }
    }
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
        let canonical = self.mcp.to_canonical(name).unwrap_or_else(|| name.to_owned());
        vec![CanonicalCall::new(canonical, input.clone())]
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

    /// A canonical call in this vocabulary. A tool that it does not have keeps its canonical name and arguments.
    #[must_use]
    pub fn to_native(&self, name: &str, args: &Value) -> NativeToolCall {
        if let Some(tool) = self.tools.iter().find(|tool| tool.canonical == name)
            && let Some(native) = tool.native_names.first()
        {
            return NativeToolCall { name: (*native).to_owned(), input: tool.form.to_native(tool, args) };
        }
        NativeToolCall { name: self.mcp.to_native(name).unwrap_or_else(|| name.to_owned()), input: args.clone() }
    }

    /// The names that a canonical tool has in this vocabulary; empty if it has none.
    pub fn native_names(&self, canonical: &str) -> impl Iterator<Item = &'static str> {
        self.tools.iter().filter(move |tool| tool.canonical == canonical).flat_map(|tool| tool.native_names).copied()
    }

    /// Whether the vocabulary has a tool of this native name.
    #[must_use]
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.native_names.contains(&name))
    }

    /// The canonical tools that a call of a native name may come to.
    pub fn canonical_names(&self, name: &str) -> impl Iterator<Item = &'static str> {
        self.tools.iter().filter(move |tool| tool.native_names.contains(&name)).flat_map(ToolMapping::canonical_names)
    }

    /// The client's tool name that is nearest to an unknown one.
    #[must_use]
    pub fn suggest(&self, name: &str) -> Option<&'static str> {
        let names = || self.tools.iter().flat_map(|tool| tool.native_names).copied();
        let known = names().any(|known| known == name);
        (!known).then(|| suggest_nearest(name, names())).flatten()
    }

    pub(crate) fn find_tool(&self, name: &str, input: &Value) -> Option<&'static ToolMapping> {
        let given = |field: &str| input.get(field).is_some_and(|value| !value.is_null());
        self.tools.iter().find(|tool| tool.native_names.contains(&name) && tool.required_field.is_none_or(given))
    }
}

/// How a client joins the names of an MCP server and its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpNames {
    /// `mcp__server__tool`, as in Pintle.
    Doubled,
    /// `mcp_server_tool`; the server's name ends at the first `_`.
    Single,
    /// `server-tool`; the tool's name starts after the last `-`.
    Dash,
    /// `MCP:tool`, without the server.
    Colon,
    /// `server__tool`.
    Bare,
    /// `server___tool`.
    Tripled,
    /// `server_tool`, which cannot be told from the client's own tools; the client's plugin, which knows the servers,
    /// writes them as Pintle does.
    Joined,
}

/// The placeholder for a server that the client does not name.
const UNKNOWN: &str = "unknown";

impl McpNames {
    /// The canonical name of an MCP server's tool; `None` for other tools.
    pub(super) fn to_canonical(self, name: &str) -> Option<String> {
        let (server, tool) = match self {
            Self::Doubled | Self::Joined => name.strip_prefix("mcp__")?.split_once("__")?,
            Self::Single => match name.strip_prefix("mcp__") {
                Some(rest) => rest.split_once("__")?,
                None => name.strip_prefix("mcp_")?.split_once('_')?,
            },
            Self::Dash => name.rsplit_once('-')?,
            Self::Colon => (UNKNOWN, name.strip_prefix("MCP:")?),
            Self::Tripled => name.split_once("___")?,
            Self::Bare => name.strip_prefix("mcp__").unwrap_or(name).split_once("__")?,
        };
        (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
    }

    /// The native name for a canonical one; `None` for other tools.
    pub(super) fn to_native(self, canonical: &str) -> Option<String> {
        let (server, tool) = canonical.strip_prefix("mcp__")?.split_once("__")?;
        Some(match self {
            Self::Doubled => canonical.to_owned(),
            Self::Single => format!("mcp_{server}_{tool}"),
            Self::Dash => format!("{server}-{tool}"),
            Self::Colon => format!("MCP:{tool}"),
            Self::Bare => format!("{server}__{tool}"),
            Self::Tripled => format!("{server}___{tool}"),
            Self::Joined => format!("{server}_{tool}"),
        })
    }
}
