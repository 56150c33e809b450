//! Tools that are rows of a table.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::model::ModelTool;
use crate::turn_context::{Tool, ToolContext, ToolError};

/// A tool in a table. The tools of a set may share a state.
pub(crate) struct ToolDef<S: 'static = ()> {
    pub(crate) name: &'static str,
    /// The description for the model.
    pub(crate) description: &'static str,
    /// The arguments that a call must have.
    pub(crate) required: &'static [&'static str],
    /// The JSON Schema of each argument.
    pub(crate) properties: fn() -> Value,
    pub(crate) access: ToolAccess,
    /// Runs the tool.
    pub(crate) call: ToolAction<S>,
}

/// The function of a tool, with the state of its set.
pub(crate) type ToolAction<S> = fn(&S, &Value, &ToolContext<'_>) -> Result<Value, String>;

/// How a tool may change files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolAccess {
    /// It claims to change nothing.
    ReadOnly,
    /// It makes no such claim, and reports the files that it changes.
    Reported,
    /// It starts programs, which may change any file.
    Programs,
}

/// The JSON Schema of arguments with these properties.
pub(super) fn object_schema(required: &[&str], properties: Value) -> Value {
    match required {
        [] => json!({"type": "object", "properties": properties}),
        _ => json!({"type": "object", "properties": properties, "required": required}),
    }
}

/// What a definition is made of: the name, the description, and the address of the function that makes the schemas.
type DefinitionKey = (String, &'static str, usize);

/// The definitions of the tools in tables, each made once: the sessions of a program offer the same tools.
static DEFINITIONS: Mutex<BTreeMap<DefinitionKey, Arc<ModelTool>>> = Mutex::new(BTreeMap::new());

#[derive(Debug)]
struct TableTool<S: 'static> {
    definition: Arc<ModelTool>,
    category: Option<&'static str>,
    access: ToolAccess,
    state: Arc<S>,
    call: ToolAction<S>,
}

impl<S: Debug + Send + Sync + 'static> ToolDef<S> {
    /// What the model sees.
    pub(crate) fn to_definition(&self) -> ModelTool {
        ModelTool {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            parameters: object_schema(self.required, (self.properties)()),
        }
    }

    /// The same under a name, for all sessions.
    pub(crate) fn shared_definition(&self, name: &str) -> Arc<ModelTool> {
        let key = (name.to_owned(), self.description, self.properties as usize);
        let make = || ModelTool { name: name.to_owned(), ..self.to_definition() };
        Arc::clone(DEFINITIONS.lock().entry(key).or_insert_with(|| Arc::new(make())))
    }

    /// The tool under this definition.
    pub(crate) fn build(
        &self,
        definition: Arc<ModelTool>,
        category: Option<&'static str>,
        state: &Arc<S>,
    ) -> Arc<dyn Tool> {
        let (access, state, call) = (self.access, Arc::clone(state), self.call);
        Arc::new(TableTool { definition, category, access, state, call })
    }
}

/// Builds the tools of a table, which share one state.
pub(crate) fn build_tools<S: Debug + Send + Sync + 'static>(
    category: &'static str,
    rows: &[ToolDef<S>],
    state: impl Into<Arc<S>>,
) -> Vec<Arc<dyn Tool>> {
    let state = state.into();
    rows.iter().map(|def| def.build(def.shared_definition(def.name), Some(category), &state)).collect()
}

impl<S: Debug + Send + Sync + 'static> Tool for TableTool<S> {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn category(&self) -> Option<&str> {
        self.category
    }

    fn is_read_only(&self) -> bool {
        self.access == ToolAccess::ReadOnly
    }

    fn can_write_unseen(&self) -> bool {
        self.access == ToolAccess::Programs
    }

    fn call(&self, arguments: &Value, context: &ToolContext<'_>) -> Result<Value, ToolError> {
        Ok((self.call)(&self.state, arguments, context)?)
    }
}
