//! The shapes of values: what a payload's schema says of its parts, and the literals of a script.

use serde_json::{Map, Value};

use super::payload_flow::HookPart;

/// The most literals of one value; with more, nothing is known of it.
const MAX_WORDS: usize = 500;

/// What is known of a value. A value may be anything that one of the parts says; without any part, it is empty, such as
/// `None` or `{}`.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueShape<'a> {
    /// The parts of a payload that it may be.
    pub(super) nodes: Vec<SchemaNode>,
    /// The literals that it may be.
    pub(super) words: Vec<WordLiteral<'a>>,
    /// The words of the closed vocabulary that it is one of, if it is not a part of a payload.
    pub(super) known_words: Vec<&'a str>,
    /// What its items are, if it may be a list that the script wrote.
    pub(super) items: Option<Box<ValueShape<'a>>>,
    /// Whether it may be the arguments of a tool.
    pub(super) is_arguments: bool,
    /// Whether it may be anything else.
    pub(super) is_open: bool,
}

/// A schema without references and alternatives, and the schema that its references are in.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaNode {
    root: &'static Value,
    node: &'static Value,
}

/// What a schema allows.
enum SchemaKind {
    Record(&'static Map<String, Value>),
    List(Option<&'static Value>),
    Words(Vec<&'static str>),
    Text,
    Number,
    Anything,
}

/// A literal, and where it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordLiteral<'a> {
    pub(super) text: &'a str,
    pub(super) part: HookPart,
    pub(super) span: (usize, usize),
}

/// What reading a field gives.
pub(super) enum FieldRead<'a> {
    Found(ValueShape<'a>),
    /// No record that the value may be has the field; these are the fields that it has.
    Missing(Vec<&'static str>),
    /// The value has no fields at all: it is a text, a list or a number.
    NoRecord(&'static str),
    /// Nothing is known.
    Unknown,
}

impl<'a> ValueShape<'a> {
    /// A value of which nothing is known.
    pub(super) fn open() -> Self {
        Self { is_open: true, ..Self::default() }
    }

    /// The value that a schema describes.
    pub(super) fn of_schema(root: &'static Value) -> Self {
        Self::of_node(root, root)
    }

    /// A list of the values that a definition of a schema describes.
    pub(super) fn list_of_definition(root: &'static Value, name: &str) -> Self {
        let item =
            root.get("$defs").and_then(|defs| defs.get(name)).map_or_else(Self::open, |node| Self::of_node(root, node));
        Self::list(item)
    }

    pub(super) fn list(item: Self) -> Self {
        Self { items: Some(Box::new(item)), ..Self::default() }
    }

    pub(super) fn word(word: WordLiteral<'a>) -> Self {
        Self { words: vec![word], ..Self::default() }
    }

    fn of_node(root: &'static Value, node: &'static Value) -> Self {
        let mut shape = Self::default();
        shape.add_node(root, node, 0);
        shape
    }

    fn add_node(&mut self, root: &'static Value, node: &'static Value, depth: usize) {
        let inner = node.get("$ref").and_then(Value::as_str).and_then(|path| root.pointer(path.strip_prefix('#')?));
        let alternatives = node.get("anyOf").and_then(Value::as_array);
        match (inner, alternatives) {
            _ if depth > 8 => self.is_open = true,
            (Some(inner), _) => self.add_node(root, inner, depth + 1),
            (None, Some(alternatives)) => alternatives.iter().for_each(|node| self.add_node(root, node, depth + 1)),
            (None, None) if node.get("type").and_then(Value::as_str) == Some("null") => {}
            (None, None) => {
                let node = SchemaNode { root, node };
                self.is_open |= matches!(node.kind(), SchemaKind::Anything);
                self.nodes.push(node);
            }
        }
    }

    /// What is either of two values.
    pub(super) fn or(mut self, other: Self) -> Self {
        // A value that is added to itself again and again stays as small as its text.
        for node in other.nodes {
            if !self.nodes.iter().any(|known| std::ptr::eq(known.node, node.node)) {
                self.nodes.push(node);
            }
        }
        for word in other.words {
            if self.words.len() >= MAX_WORDS {
                self.is_open = true;
                break;
            }
            if !self.words.contains(&word) {
                self.words.push(word);
            }
        }
        for word in other.known_words {
            if !self.known_words.contains(&word) {
                self.known_words.push(word);
            }
        }
        self.items = match (self.items, other.items) {
            (Some(one), Some(other)) => Some(Box::new(one.or(*other))),
            (one, other) => one.or(other),
        };
        self.is_arguments |= other.is_arguments;
        self.is_open |= other.is_open;
        self
    }

    /// The items of a list.
    pub(super) fn item(&self) -> Self {
        let mut item = self.items.as_deref().cloned().unwrap_or_default();
        item.is_open |= self.is_open || !self.words.is_empty();
        for node in &self.nodes {
            match node.kind() {
                SchemaKind::List(Some(items)) => item.add_node(node.root, items, 0),
                // The keys of a record, the letters of a text.
                _ => item.is_open = true,
            }
        }
        item
    }

    /// Whether it may be a value that says something.
    pub(super) fn may_be_more_than_empty(&self) -> bool {
        self.is_open || !self.nodes.is_empty() || self.words.iter().any(|word| !word.text.is_empty())
    }

    /// Whether it may be a list.
    pub(super) fn is_list(&self) -> bool {
        self.items.is_some() || self.nodes.iter().any(|node| matches!(node.kind(), SchemaKind::List(_)))
    }

    /// What a field of it is.
    pub(super) fn read_field(&self, name: &str) -> FieldRead<'a> {
        if self.is_open || self.nodes.is_empty() {
            let is_text = !self.known_words.is_empty() && !self.is_open;
            return if is_text { FieldRead::NoRecord("text") } else { FieldRead::Unknown };
        }
        let (mut found, mut is_found, mut fields, mut other) = (Self::default(), false, Vec::new(), None);
        for node in &self.nodes {
            match node.kind() {
                SchemaKind::Record(properties) => match properties.get(name) {
                    Some(node_of_field) => {
                        found.add_node(node.root, node_of_field, 0);
                        is_found = true;
                    }
                    None => fields.extend(properties.keys().map(String::as_str)),
                },
                SchemaKind::List(_) => other = Some("a list"),
                SchemaKind::Words(_) | SchemaKind::Text => other = Some("text"),
                SchemaKind::Number => other = Some("a number"),
                SchemaKind::Anything => return FieldRead::Unknown,
            }
        }
        match other {
            _ if is_found => FieldRead::Found(found),
            None => FieldRead::Missing(fields),
            Some(what) if fields.is_empty() => FieldRead::NoRecord(what),
            Some(_) => FieldRead::Unknown,
        }
    }

    /// The words that it may be, if there are no others.
    pub(super) fn closed_words(&self) -> Option<Vec<&'a str>> {
        if self.is_open || self.items.is_some() || (self.nodes.is_empty() && self.known_words.is_empty()) {
            return None;
        }
        let mut words: Vec<&str> =
            self.words.iter().map(|word| word.text).chain(self.known_words.iter().copied()).collect();
        for node in &self.nodes {
            match node.kind() {
                SchemaKind::Words(of_node) => words.extend(of_node),
                _ => return None,
            }
        }
        Some(words)
    }

    /// The words that the description of a text lists, if it is one field of a payload. Hosts may send others.
    pub(super) fn usual_words(&self) -> Option<Vec<&'static str>> {
        let [node] = self.nodes.as_slice() else { return None };
        if self.is_open || !matches!(node.kind(), SchemaKind::Text) {
            return None;
        }
        let description = node.node.get("description")?.as_str()?;
        let words: Vec<&str> = description.split('`').skip(1).step_by(2).collect();
        (words.len() > 1).then_some(words)
    }
}

impl SchemaNode {
    fn kind(self) -> SchemaKind {
        let words = |of: &'static Value| of.get("const").and_then(Value::as_str);
        if let Some(choices) = self.node.get("oneOf").and_then(Value::as_array) {
            let all: Option<Vec<&str>> = choices.iter().map(words).collect();
            return all.map_or(SchemaKind::Anything, SchemaKind::Words);
        }
        if let Some(choices) = self.node.get("enum").and_then(Value::as_array) {
            return SchemaKind::Words(choices.iter().filter_map(Value::as_str).collect());
        }
        let types: Vec<&str> = match self.node.get("type") {
            Some(Value::String(only)) => vec![only],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => return SchemaKind::Anything,
        };
        let mut types = types.into_iter().filter(|name| *name != "null");
        match (types.next(), types.next()) {
            (Some("object"), None) => match self.node.get("properties").and_then(Value::as_object) {
                Some(fields) if self.node.get("additionalProperties").is_none() => SchemaKind::Record(fields),
                _ => SchemaKind::Anything,
            },
            (Some("array"), None) => SchemaKind::List(self.node.get("items")),
            (Some("string"), None) => SchemaKind::Text,
            (Some("integer" | "number"), None) => SchemaKind::Number,
            _ => SchemaKind::Anything,
        }
    }
}
