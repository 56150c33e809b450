//! A settings file whose every comment, blank and foreign entry stays where it is.

use serde_json::Value;

use super::entry::{self, Placed};
use super::tree::{Step, Tree};
use super::{Form, Handler, line};

/// What a file may begin with that is no text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The steps to a handler in a group.
const IN_GROUP: usize = 5;

/// A settings file.
pub(super) struct Settings<'a> {
    text: String,
    marked: bool,
    form: &'a Form,
    handler: &'a Handler,
    host: &'a str,
}

/// A handler of ours: its event, its place in the event's list, its place in a group, and the handler.
struct Found {
    event: String,
    element: usize,
    inner: Option<usize>,
    handler: Value,
}

impl Found {
    fn steps(&self) -> Vec<Step<'_>> {
        let list = [Step::Key("hooks"), Step::Key(&self.event), Step::At(self.element)];
        let inner = self.inner.iter().flat_map(|index| [Step::Key("hooks"), Step::At(*index)]);
        list.into_iter().chain(inner).collect()
    }
}

impl<'a> Settings<'a> {
    /// Reads a file. An empty one is a file without settings.
    pub(super) fn parse(text: &str, form: &'a Form, handler: &'a Handler, host: &'a str) -> Result<Self, String> {
        let plain = text.strip_prefix(BYTE_ORDER_MARK);
        let settings = Self { text: plain.unwrap_or(text).to_owned(), marked: plain.is_some(), form, handler, host };
        settings.found()?;
        Ok(settings)
    }

    /// The file's text.
    pub(super) fn text(&self) -> String {
        let mark = if self.marked { BYTE_ORDER_MARK.to_string() } else { String::new() };
        format!("{mark}{}", self.text)
    }

    /// Our handlers, in the order of the file.
    pub(super) fn placed(&self) -> Result<Vec<Placed>, String> {
        Ok(self.found()?.into_iter().map(|found| (found.event, found.handler)).collect())
    }

    /// Makes these handlers the only ones of ours. What is so already stays untouched.
    pub(super) fn put(&mut self, wanted: &[Placed]) -> Result<(), String> {
        if Tree::parse(&self.text)?.at(&[]).is_none() {
            self.text.push_str("{}\n");
        }
        self.remove(|found, before| {
            let wanted = wanted.iter().any(|(event, _)| *event == found.event);
            !wanted || before.iter().any(|other: &Found| other.event == found.event)
        })?;
        for found in self.found()? {
            let wanted =
                wanted.iter().find(|(event, _)| *event == found.event).and_then(|(_, handler)| handler.as_object());
            for (name, value) in
                wanted.into_iter().flatten().filter(|(name, value)| found.handler.get(name) != Some(value))
            {
                self.set(&found.steps(), name, value)?;
            }
        }
        let bare = Tree::parse(&self.text)?.fields(&[]).is_some_and(|fields| fields.is_empty());
        for (name, value) in self.handler.head.iter().filter(|_| bare) {
            self.set(&[], name, &Value::from(*value))?;
        }
        if !self.has(&[Step::Key("hooks")])? {
            self.set(&[], "hooks", &Value::Object(serde_json::Map::new()))?;
        }
        let present = self.placed()?;
        for (event, handler) in wanted.iter().filter(|(event, _)| !present.iter().any(|(name, _)| name == event)) {
            let element = entry::element(self.form, handler);
            let list = [Step::Key("hooks"), Step::Key(event)];
            if self.has(&list)? {
                self.more(&list, None, &element, || format!("`hooks.{event}` is no list"))?;
            } else {
                self.set(&[Step::Key("hooks")], event, &Value::Array(vec![element]))?;
            }
        }
        Ok(())
    }

    /// Takes our handlers out, with what held nothing else.
    pub(super) fn take(&mut self) -> Result<(), String> {
        self.remove(|_, _| true)
    }

    /// Whether nothing is left but what a new file would begin with.
    pub(super) fn is_bare(&self) -> bool {
        let Ok(tree) = Tree::parse(&self.text) else { return false };
        let known = |name: &str| self.handler.head.iter().any(|(head, _)| *head == name);
        !tree.has_comments_in(&[])
            && !tree.has_comments_outside()
            && tree.fields(&[]).is_some_and(|fields| fields.iter().all(|field| known(field.name.as_str())))
    }

    /// Our handlers with their places.
    fn found(&self) -> Result<Vec<Found>, String> {
        let tree = Tree::parse(&self.text)?;
        let Some(root) = tree.at(&[]) else { return Ok(Vec::new()) };
        root.as_object().ok_or("what it holds is no object of settings")?;
        once(&tree, &[])?;
        let Some(hooks) = tree.at(&[Step::Key("hooks")]) else { return Ok(Vec::new()) };
        let events = hooks.as_object().ok_or("`hooks` is no object")?;
        once(&tree, &[Step::Key("hooks")])?;
        let mut found = Vec::new();
        for field in &events.properties {
            let event = field.name.as_str();
            // What is no list is the host's to complain of, until something of ours is to go there.
            let list: Value = field.value.clone().into();
            for (element, value) in list.as_array().into_iter().flatten().enumerate() {
                let mut add = |inner: Option<usize>, handler: &Value| {
                    if self.is_ours(handler) {
                        found.push(Found { event: event.to_owned(), element, inner, handler: handler.clone() });
                    }
                };
                match self.form {
                    Form::Groups(_) => {
                        let handlers = value.get("hooks").and_then(Value::as_array).into_iter().flatten();
                        handlers.enumerate().for_each(|(index, handler)| add(Some(index), handler));
                    }
                    Form::Flat(_) | Form::Programs => add(None, value),
                }
            }
        }
        Ok(found)
    }

    fn is_ours(&self, handler: &Value) -> bool {
        let command = handler.get(self.handler.command).and_then(Value::as_str);
        command.is_some_and(|command| line::ours(command, self.host).is_some())
    }

    /// Removes the handlers that are meant, each with what holds nothing afterwards: its group, its event, `hooks`.
    fn remove(&mut self, meant: impl Fn(&Found, &[Found]) -> bool) -> Result<(), String> {
        loop {
            let all = self.found()?;
            let first =
                all.iter().enumerate().find(|(index, found)| meant(found, all.get(..*index).unwrap_or_default()));
            let Some((_, found)) = first else { return Ok(()) };
            let steps = found.steps();
            let mut way: &[Step<'_>] = &steps;
            self.text = loop {
                let tree = Tree::parse(&self.text)?;
                let Some((last, above)) = way.split_last() else { break self.text.clone() };
                let index = match last {
                    Step::At(index) => Some(*index),
                    Step::Key(key) => tree
                        .fields(above)
                        .and_then(|fields| fields.iter().position(|field| field.name.as_str() == *key)),
                };
                let without = index.and_then(|index| tree.without(above, index)).ok_or("it cannot be edited")?;
                // What holds nothing any more goes too: a group with its only handler, an event, `hooks`. The settings
                // themselves stay, and so does whatever holds a comment.
                let container =
                    if way.len() == IN_GROUP { above.split_last().map_or(above, |(_, group)| group) } else { above };
                let after = Tree::parse(&without)?;
                if above.is_empty() || !after.at(above).is_some_and(is_empty) || after.has_comments_in(container) {
                    break without;
                }
                way = container;
            };
        }
    }

    fn has(&self, steps: &[Step<'_>]) -> Result<bool, String> {
        Ok(Tree::parse(&self.text)?.at(steps).is_some())
    }

    /// Gives an object a field.
    fn set(&mut self, object: &[Step<'_>], name: &str, value: &Value) -> Result<(), String> {
        let steps: Vec<Step<'_>> = object.iter().copied().chain([Step::Key(name)]).collect();
        if let Some(text) = Tree::parse(&self.text)?.with(&steps, value) {
            self.text = text;
            return Ok(());
        }
        self.more(object, Some(name), value, || format!("there is no room for `{name}`"))
    }

    fn more(
        &mut self,
        container: &[Step<'_>],
        name: Option<&str>,
        value: &Value,
        fault: impl FnOnce() -> String,
    ) -> Result<(), String> {
        let tree = Tree::parse(&self.text)?;
        let fits = tree.at(container).is_some_and(|node| match name {
            Some(_) => node.as_object().is_some(),
            None => node.as_array().is_some(),
        });
        self.text =
            Some(fits).filter(|fits| *fits).and_then(|_| tree.with_more(container, name, value)).ok_or_else(fault)?;
        Ok(())
    }
}

fn is_empty(node: &jsonc_parser::ast::Value<'_>) -> bool {
    match node {
        jsonc_parser::ast::Value::Object(object) => object.properties.is_empty(),
        jsonc_parser::ast::Value::Array(array) => array.elements.is_empty(),
        _ => false,
    }
}

/// Refuses an object that has a field twice: which of the two counts is anybody's guess.
fn once(tree: &Tree<'_>, steps: &[Step<'_>]) -> Result<(), String> {
    let fields = tree.fields(steps).unwrap_or_default();
    let names = || fields.iter().map(|field| field.name.as_str());
    match names().find(|name| names().filter(|other| other == name).count() > 1) {
        Some(name) => Err(format!("`{name}` stands there twice; join the two first")),
        None => Ok(()),
    }
}
