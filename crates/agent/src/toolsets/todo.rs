//! `todo`: a to-do list, for one member or for the whole team.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::set::Toolset;
use crate::tools::{ToolAccess, ToolDef, build_tools, text_argument};

/// The maximum number of entries of one list.
const MAX_TODOS: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct TodoList(Mutex<Vec<TodoItem>>);

#[derive(Debug, Clone)]
struct TodoItem {
    id: String,
    description: String,
    status: String,
}

/// The statuses of an open entry, in the order in which they are shown.
const OPEN: [&str; 2] = ["in-progress", "pending"];

static TOOLS: [ToolDef<TodoList>; 4] = [
    ToolDef {
        name: "create_todo",
        description: "Adds one item to the to-do list.",
        required: &["description"],
        properties: || json!({"description": {"type": "string", "description": "What has to be done."}}),
        access: ToolAccess::ReadOnly,
        call: |todos, arguments, _at| {
            let mut created = todos.create(&[text_argument(arguments, "description")])?;
            Ok(todos.to_result(json!({"created": created.pop()}), "all_todos"))
        },
    },
    ToolDef {
        name: "create_todos",
        description: "Adds several items to the to-do list.",
        required: &["descriptions"],
        properties: || {
            json!({
                "descriptions": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "What has to be done."},
            })
        },
        access: ToolAccess::ReadOnly,
        call: |todos, arguments, _at| {
            let list = arguments.get("descriptions").and_then(Value::as_array);
            let descriptions: Vec<&str> = list.into_iter().flatten().filter_map(Value::as_str).collect();
            let created = todos.create(&descriptions)?;
            Ok(todos.to_result(json!({"created": created}), "all_todos"))
        },
    },
    ToolDef {
        name: "update_todos",
        description: "Changes the status of to-do items.",
        required: &["updates"],
        properties: || {
            json!({
                "updates": {
                    "type": "array",
                    "minItems": 1,
                    "description": "The changes.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "string", "description": "Its ID."},
                            "status": {
                                "type": "string", "enum": ["pending", "in-progress", "completed"],
                                "description": "The new status.",
                            },
                        },
                        "required": ["id", "status"],
                    },
                },
            })
        },
        access: ToolAccess::ReadOnly,
        call: |todos, arguments, _at| {
            let updates = arguments.get("updates").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let (updated, not_found): (Vec<&Value>, Vec<&Value>) = updates
                .iter()
                .partition(|update| todos.update(text_argument(update, "id"), text_argument(update, "status")));
            let not_found: Vec<&str> = not_found.into_iter().map(|update| text_argument(update, "id")).collect();
            if updated.is_empty() && !not_found.is_empty() {
                return Err(json!({"not_found": not_found, "all_todos": todos.all()}).to_string());
            }
            let mut told = json!({"updated": updated});
            if let Some(fields) = told.as_object_mut().filter(|_| !not_found.is_empty()) {
                fields.insert(String::from("not_found"), json!(not_found));
            }
            Ok(todos.to_result(told, "all_todos"))
        },
    },
    ToolDef {
        name: "list_todos",
        description: "Lists the to-do items with their status.",
        required: &[],
        properties: || json!({}),
        access: ToolAccess::ReadOnly,
        call: |todos, _arguments, _at| Ok(todos.to_result(json!({}), "todos")),
    },
];

/// The tools for a list, which may be shared.
pub(super) fn open(todos: Arc<TodoList>) -> Toolset {
    Toolset {
        tools: build_tools("todo", &TOOLS, todos),
        instruction: String::from(
            "Keep a to-do list for work of several steps: write the steps down first, set each to `in-progress` when \
             you begin it and to `completed` when it is done, and leave none open at the end.",
        ),
        ..Toolset::default()
    }
}

impl TodoList {
    fn create(&self, descriptions: &[&str]) -> Result<Vec<Value>, String> {
        let mut todos = self.0.lock();
        if todos.len() + descriptions.len() > MAX_TODOS {
            return Err(format!("a list can have at most {MAX_TODOS} items; complete some of them"));
        }
        let first = todos.len();
        todos.extend(descriptions.iter().enumerate().map(|(index, description)| TodoItem {
            id: format!("todo_{}", first + index + 1),
            description: (*description).to_owned(),
            status: String::from("pending"),
        }));
        Ok(todos.iter().skip(first).map(TodoItem::to_value).collect())
    }

    /// Updates an entry. Returns whether it exists.
    fn update(&self, id: &str, status: &str) -> bool {
        let mut todos = self.0.lock();
        let found = todos.iter_mut().find(|todo| todo.id == id);
        found.map(|todo| status.clone_into(&mut todo.status)).is_some()
    }

    fn all(&self) -> Vec<Value> {
        self.0.lock().iter().map(TodoItem::to_value).collect()
    }

    /// A result with the whole list under a name, and a reminder of the open entries.
    fn to_result(&self, mut result: Value, name: &str) -> Value {
        if let Some(fields) = result.as_object_mut() {
            fields.insert(name.to_owned(), self.all().into());
            if let Some(reminder) = self.reminder() {
                fields.insert(String::from("reminder"), reminder.into());
            }
        }
        Value::String(result.to_string())
    }

    fn reminder(&self) -> Option<String> {
        let todos = self.0.lock();
        let open = OPEN.iter().flat_map(|status| todos.iter().filter(move |todo| todo.status == *status));
        let open: String = open.map(|todo| format!(" ({}) [{}] {}", todo.status, todo.id, todo.description)).collect();
        (!open.is_empty()).then(|| format!("The following todos are still incomplete and MUST be completed:{open}"))
    }
}

impl TodoItem {
    fn to_value(&self) -> Value {
        json!({"id": self.id, "description": self.description, "status": self.status})
    }
}
