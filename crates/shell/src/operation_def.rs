//! Operations by the heads of sections, for the readers of code and of PowerShell.

use crate::word_lists::read_name;
use crate::{Operation, OperationKind, OperationTag};

/// What the head of a section says that is done: a kind, an action, and tags with a `+`.
pub(crate) struct OperationDef {
    kind: OperationKind,
    action: &'static str,
    tags: Vec<OperationTag>,
}

impl OperationDef {
    pub(crate) fn read(head: &'static str) -> Option<Self> {
        let mut words = head.split(' ');
        let (kind, action) = (read_name(words.next()?)?, words.next()?);
        let tags = words.map(|word| read_name(word.strip_prefix('+')?)).collect::<Option<_>>()?;
        Some(Self { kind, action, tags })
    }

    pub(crate) fn operation(&self, program: &str) -> Operation {
        let operation = Operation::new(self.kind, program).action(self.action);
        self.tags.iter().fold(operation, |operation, tag| operation.tag(*tag))
    }
}

/// Whether a name is a known one; `*` at the end of that stands for anything.
pub(crate) fn is_named(known: &str, name: &str) -> bool {
    match known.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => known == name,
    }
}
