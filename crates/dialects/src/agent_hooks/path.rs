//! Paths into the target, such as `$target.headers[0].value`.

use serde_json::Value;

use super::verdict::{HostError, HostFault};

/// A step of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PathStep<'p> {
    Member(&'p str),
    Index(usize),
}

/// The steps of a path, below its root.
pub(super) fn parse(path: &str) -> Result<Vec<PathStep<'_>>, HostFault> {
    let invalid = || HostFault::new(HostError::TransformInvalid, "the path is not one of `$target`, `.name` and `[0]`");
    // The second root is an older name.
    let root = ["$target", "$policy_target"].iter().find_map(|root| path.strip_prefix(root));
    let mut rest = root
        .ok_or_else(|| HostFault::new(HostError::TransformTargetForbidden, "the path does not begin with `$target`"))?;
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let step = if let Some(after) = rest.strip_prefix('.') {
            let (name, left) = after.split_at(after.find(['.', '[']).unwrap_or(after.len()));
            rest = left;
            PathStep::Member(name)
        } else {
            let (inside, left) = rest.strip_prefix('[').and_then(|after| after.split_once(']')).ok_or_else(invalid)?;
            rest = left;
            match inside.strip_prefix('"').and_then(|quoted| quoted.strip_suffix('"')) {
                Some(name) => PathStep::Member(name),
                None if inside.bytes().all(|byte| byte.is_ascii_digit()) => {
                    PathStep::Index(inside.parse().map_err(|_| invalid())?)
                }
                None => return Err(invalid()),
            }
        };
        match &step {
            PathStep::Member(name) if !is_name(name) => return Err(invalid()),
            _ => steps.push(step),
        }
    }
    Ok(steps)
}

/// The target with another value at a path, which must exist.
pub(super) fn replace(target: &Value, path: &str, value: &Value) -> Result<Value, HostFault> {
    let mut changed = target.clone();
    let mut place = &mut changed;
    for step in parse(path)? {
        let inner = match (place, step) {
            (Value::Object(fields), PathStep::Member(name)) => fields.get_mut(name),
            (Value::Array(items), PathStep::Index(index)) => items.get_mut(index),
            _ => None,
        };
        place = inner.ok_or_else(|| HostFault::new(HostError::TransformInvalid, "the target has no such part"))?;
    }
    place.clone_from(value);
    Ok(changed)
}
