//! Edits a settings file and keeps every comment, blank and foreign entry in place.

use serde_json::{Value, json};

use super::entry::{self, PlacedHandler};
use super::json_tree::{JsonPathStep, JsonTree};
use super::{EntryFormat, HandlerFormat, InstallScope, line};
use crate::HostDef;

/// The optional first character of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The number of path steps from the events to a handler in a group.
const IN_GROUP: usize = 4;

/// How a host's settings file of a scope contains its entries.
#[derive(Clone, Copy)]
pub(super) struct SettingsShape<'a> {
    host: &'a str,
    form: &'a EntryFormat,
    handler: &'a HandlerFormat,
    /// Other settings that belong to the entries: paths and values.
    switches: &'a [(&'a [&'a str], bool)],
}

impl<'a> SettingsShape<'a> {
    pub(super) fn new(
        host: &'static HostDef,
        scope: InstallScope,
        form: &'a EntryFormat,
        handler: &'a HandlerFormat,
    ) -> Self {
        let switches = if scope == InstallScope::Managed { host.install.managed_switches } else { &[] };
        Self { host: host.name, form, handler, switches }
    }

    /// The path of the object whose fields are the events.
    fn root(&self) -> Vec<JsonPathStep<'static>> {
        self.handler.root.map(JsonPathStep::Key).into_iter().collect()
    }
}

/// A settings file.
pub(super) struct SettingsFile<'a> {
    text: String,
    has_byte_order_mark: bool,
    format: SettingsShape<'a>,
}

/// An installed handler: its event, its index in the event's list, its index in a group, and its JSON.
struct OwnHandler {
    event: String,
    element_index: usize,
    inner_index: Option<usize>,
    handler: Value,
    /// Whether its group has fields of its own, such as a matcher.
    is_in_special_group: bool,
}

impl OwnHandler {
    /// Whether neither the handler nor its group has fields that the other handler does not have.
    fn has_only_fields_of(&self, other: &Value) -> bool {
        let mut fields = self.handler.as_object().into_iter().flatten();
        !self.is_in_special_group && fields.all(|(name, _)| other.get(name).is_some())
    }

    fn path_steps<'s>(&'s self, root: &[JsonPathStep<'s>]) -> Vec<JsonPathStep<'s>> {
        let list = [JsonPathStep::Key(&self.event), JsonPathStep::Index(self.element_index)];
        let inner = self.inner_index.iter().flat_map(|index| [JsonPathStep::Key("hooks"), JsonPathStep::Index(*index)]);
        root.iter().copied().chain(list).chain(inner).collect()
    }
}

impl<'a> SettingsFile<'a> {
    /// Reads a file. An empty file has no settings.
    pub(super) fn parse(text: &str, format: SettingsShape<'a>) -> Result<Self, String> {
        let plain = text.strip_prefix(BYTE_ORDER_MARK);
        let settings = Self { text: plain.unwrap_or(text).to_owned(), has_byte_order_mark: plain.is_some(), format };
        settings.find_own_handlers()?;
        Ok(settings)
    }

    /// The file's text.
    pub(super) fn text(&self) -> String {
        let mark = if self.has_byte_order_mark { BYTE_ORDER_MARK.to_string() } else { String::new() };
        format!("{mark}{}", self.text)
    }

    /// The installed handlers, in the order of the file.
    pub(super) fn own_handlers(&self) -> Result<Vec<PlacedHandler>, String> {
        Ok(self.find_own_handlers()?.into_iter().map(|found| (found.event, found.handler)).collect())
    }

    /// Makes these handlers the only installed ones. Unchanged handlers stay untouched; one with fields that Pintle does
    /// not write, which may keep it from being called, is replaced.
    pub(super) fn set_handlers(&mut self, wanted: &[PlacedHandler]) -> Result<(), String> {
        if JsonTree::parse(&self.text)?.node_at(&[]).is_none() {
            self.text.push_str("{}\n");
        }
        let root = self.format.root();
        self.remove_matching(|found, before| {
            let wanted = wanted.iter().find(|(event, _)| *event == found.event);
            let is_plain = wanted.is_some_and(|(_, handler)| found.has_only_fields_of(handler));
            !is_plain || before.iter().any(|other: &OwnHandler| other.event == found.event)
        })?;
        for found in self.find_own_handlers()? {
            let wanted =
                wanted.iter().find(|(event, _)| *event == found.event).and_then(|(_, handler)| handler.as_object());
            for (name, value) in
                wanted.into_iter().flatten().filter(|(name, value)| found.handler.get(name) != Some(value))
            {
                self.set_field(&found.path_steps(&root), name, value)?;
            }
        }
        let bare = JsonTree::parse(&self.text)?.fields_at(&[]).is_some_and(|fields| fields.is_empty());
        for (name, value) in self.format.handler.file_head.iter().filter(|_| bare) {
            self.set_field(&[], name, &Value::from(*value))?;
        }
        for (path, value) in self.format.switches {
            self.set_switch(path, *value)?;
        }
        if let Some(name) = self.format.handler.root
            && !self.contains_path(&root)?
        {
            self.set_field(&[], name, &Value::Object(serde_json::Map::new()))?;
        }
        let present = self.own_handlers()?;
        for (event, handler) in wanted.iter().filter(|(event, _)| !present.iter().any(|(name, _)| name == event)) {
            let element = entry::to_list_element(self.format.form, handler);
            let list: Vec<_> = root.iter().copied().chain([JsonPathStep::Key(event)]).collect();
            if self.contains_path(&list)? {
                let name = self.format.handler.root.map_or_else(|| event.clone(), |root| format!("{root}.{event}"));
                self.insert_value(&list, None, &element, || format!("`{name}` is not a list"))?;
            } else {
                self.set_field(&root, event, &Value::Array(vec![element]))?;
            }
        }
        Ok(())
    }

    /// Removes the installed handlers, with containers that become empty.
    pub(super) fn remove_handlers(&mut self) -> Result<(), String> {
        self.remove_matching(|_, _| true)
    }

    /// Whether only the content of a new file is left.
    pub(super) fn is_empty(&self) -> bool {
        let Ok(tree) = JsonTree::parse(&self.text) else { return false };
        let known = |name: &str, value: &Value| {
            let of_switch = |(path, wanted): &(&[&str], bool)| {
                path.split_first()
                    .is_some_and(|(first, below)| *first == name && *value == nested_value(below, *wanted))
            };
            self.format.handler.file_head.iter().any(|(head, _)| *head == name)
                || self.format.switches.iter().any(of_switch)
        };
        !tree.has_comments_in(&[])
            && !tree.has_comments_outside()
            && tree.fields_at(&[]).is_some_and(|fields| {
                fields.iter().all(|field| known(field.name.as_str(), &field.value.clone().into()))
            })
    }

    /// The installed handlers with their positions.
    fn find_own_handlers(&self) -> Result<Vec<OwnHandler>, String> {
        let tree = JsonTree::parse(&self.text)?;
        let Some(root) = tree.node_at(&[]) else { return Ok(Vec::new()) };
        root.as_object().ok_or("it does not contain a JSON object")?;
        require_unique_fields(&tree, &[])?;
        let root = self.format.root();
        let Some(hooks) = tree.node_at(&root) else { return Ok(Vec::new()) };
        let events = hooks.as_object().ok_or("`hooks` is not an object")?;
        require_unique_fields(&tree, &root)?;
        let mut found = Vec::new();
        for field in &events.properties {
            let event = field.name.as_str();
            // An event that is not a list is an error only if a handler must be added to it.
            let list: Value = field.value.clone().into();
            for (element, value) in list.as_array().into_iter().flatten().enumerate() {
                let mut fields = value.as_object().into_iter().flatten();
                let is_special = fields.any(|(name, _)| name != "hooks");
                let mut add = |inner: Option<usize>, handler: &Value| {
                    if self.is_own_handler(handler) {
                        found.push(OwnHandler {
                            event: event.to_owned(),
                            element_index: element,
                            inner_index: inner,
                            handler: handler.clone(),
                            is_in_special_group: inner.is_some() && is_special,
                        });
                    }
                };
                match self.format.form {
                    EntryFormat::Groups(_) => {
                        let handlers = value.get("hooks").and_then(Value::as_array).into_iter().flatten();
                        handlers.enumerate().for_each(|(index, handler)| add(Some(index), handler));
                    }
                    EntryFormat::Flat(_) | EntryFormat::Programs | EntryFormat::Module { .. } => add(None, value),
                }
            }
        }
        Ok(found)
    }

    fn is_own_handler(&self, handler: &Value) -> bool {
        let command = handler.get(self.format.handler.command).and_then(Value::as_str);
        command.is_some_and(|command| line::parse_own_command(command, self.format.host).is_some())
    }

    /// Removes the selected handlers, each with the containers that become empty: its group, its event, `hooks`.
    fn remove_matching(&mut self, meant: impl Fn(&OwnHandler, &[OwnHandler]) -> bool) -> Result<(), String> {
        loop {
            let all = self.find_own_handlers()?;
            let first =
                all.iter().enumerate().find(|(index, found)| meant(found, all.get(..*index).unwrap_or_default()));
            let Some((_, found)) = first else { return Ok(()) };
            let root = self.format.root();
            let steps = found.path_steps(&root);
            let mut way: &[JsonPathStep<'_>] = &steps;
            self.text = loop {
                let tree = JsonTree::parse(&self.text)?;
                let Some((last, above)) = way.split_last() else { break self.text.clone() };
                let index = match last {
                    JsonPathStep::Index(index) => Some(*index),
                    JsonPathStep::Key(key) => tree
                        .fields_at(above)
                        .and_then(|fields| fields.iter().position(|field| field.name.as_str() == *key)),
                };
                let without = index.and_then(|index| tree.remove(above, index)).ok_or("it cannot be edited")?;
                // Empty containers are removed too: a group, an event, `hooks`. The settings object stays, and so does
                // every container with a comment.
                let container = if way.len() == root.len() + IN_GROUP {
                    above.split_last().map_or(above, |(_, group)| group)
                } else {
                    above
                };
                let after = JsonTree::parse(&without)?;
                if above.is_empty()
                    || !after.node_at(above).is_some_and(is_empty_node)
                    || after.has_comments_in(container)
                {
                    break without;
                }
                way = container;
            };
        }
    }

    /// Sets a field of nested objects, and creates those that are missing.
    fn set_switch(&mut self, path: &[&str], value: bool) -> Result<(), String> {
        let steps: Vec<JsonPathStep<'_>> = path.iter().copied().map(JsonPathStep::Key).collect();
        let mut present = steps.len().saturating_sub(1);
        while present > 0 && !self.contains_path(steps.get(..present).unwrap_or_default())? {
            present -= 1;
        }
        let (object, rest) = path.split_at(present);
        let object: Vec<JsonPathStep<'_>> = object.iter().copied().map(JsonPathStep::Key).collect();
        match rest.split_first() {
            Some((name, below)) => self.set_field(&object, name, &nested_value(below, value)),
            None => Ok(()),
        }
    }

    fn contains_path(&self, steps: &[JsonPathStep<'_>]) -> Result<bool, String> {
        Ok(JsonTree::parse(&self.text)?.node_at(steps).is_some())
    }

    /// Sets a field of an object.
    fn set_field(&mut self, object: &[JsonPathStep<'_>], name: &str, value: &Value) -> Result<(), String> {
        let steps: Vec<JsonPathStep<'_>> = object.iter().copied().chain([JsonPathStep::Key(name)]).collect();
        if let Some(text) = JsonTree::parse(&self.text)?.replace(&steps, value) {
            self.text = text;
            return Ok(());
        }
        self.insert_value(object, Some(name), value, || format!("cannot insert `{name}`"))
    }

    fn insert_value(
        &mut self,
        container: &[JsonPathStep<'_>],
        name: Option<&str>,
        value: &Value,
        error: impl FnOnce() -> String,
    ) -> Result<(), String> {
        let tree = JsonTree::parse(&self.text)?;
        let fits = tree.node_at(container).is_some_and(|node| match name {
            Some(_) => node.as_object().is_some(),
            None => node.as_array().is_some(),
        });
        self.text =
            Some(fits).filter(|fits| *fits).and_then(|_| tree.insert(container, name, value)).ok_or_else(error)?;
        Ok(())
    }
}

/// A value below these names.
fn nested_value(names: &[&str], value: bool) -> Value {
    names.iter().rfold(Value::Bool(value), |inner, name| json!({ *name: inner }))
}

fn is_empty_node(node: &jsonc_parser::ast::Value<'_>) -> bool {
    match node {
        jsonc_parser::ast::Value::Object(object) => object.properties.is_empty(),
        jsonc_parser::ast::Value::Array(array) => array.elements.is_empty(),
        _ => false,
    }
}

/// Rejects an object with a duplicate field: which of the two applies is undefined.
fn require_unique_fields(tree: &JsonTree<'_>, steps: &[JsonPathStep<'_>]) -> Result<(), String> {
    let fields = tree.fields_at(steps).unwrap_or_default();
    let names = || fields.iter().map(|field| field.name.as_str());
    match names().find(|name| names().filter(|other| other == name).count() > 1) {
        Some(name) => Err(format!("`{name}` occurs twice; merge the two first")),
        None => Ok(()),
    }
}
