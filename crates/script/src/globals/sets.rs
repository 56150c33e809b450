//! `set`: lists without duplicates. Two members are the same if their JSON is.

use std::collections::HashSet;

use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::list_or_tuple::UnpackListOrTuple;
use starlark::values::none::NoneOr;

use crate::call_state::value_to_json;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("set", set);
}

type SetItems<'v> = UnpackListOrTuple<Value<'v>>;

#[starlark_module]
fn set(builder: &mut GlobalsBuilder) {
    fn new<'v>(#[starlark(default = NoneOr::None)] items: NoneOr<SetItems<'v>>) -> starlark::Result<Vec<Value<'v>>> {
        deduplicate("set.new", items.into_option().map(|items| items.items).unwrap_or_default())
    }

    fn contains<'v>(set: SetItems<'v>, item: Value<'v>) -> starlark::Result<bool> {
        let wanted = item_key("set.contains", item)?;
        for member in set.items {
            if item_key("set.contains", member)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn union<'v>(a: SetItems<'v>, b: SetItems<'v>) -> starlark::Result<Vec<Value<'v>>> {
        deduplicate("set.union", a.items.into_iter().chain(b.items).collect())
    }

    fn intersect<'v>(a: SetItems<'v>, b: SetItems<'v>) -> starlark::Result<Vec<Value<'v>>> {
        filter_common("set.intersect", a.items, b.items, true)
    }

    fn diff<'v>(a: SetItems<'v>, b: SetItems<'v>) -> starlark::Result<Vec<Value<'v>>> {
        filter_common("set.diff", a.items, b.items, false)
    }

    fn values<'v>(set: SetItems<'v>) -> starlark::Result<Vec<Value<'v>>> {
        Ok(set.items)
    }

    fn size<'v>(set: SetItems<'v>) -> starlark::Result<i32> {
        Ok(i32::try_from(set.items.len()).unwrap_or(i32::MAX))
    }
}

fn item_key(builtin: &str, item: Value<'_>) -> starlark::Result<String> {
    let mut value = value_to_json(builtin, item)?;
    value.sort_all_objects();
    Ok(value.to_string())
}

fn deduplicate<'v>(builtin: &str, items: Vec<Value<'v>>) -> starlark::Result<Vec<Value<'v>>> {
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for item in items {
        if seen.insert(item_key(builtin, item)?) {
            out.push(item);
        }
    }
    Ok(out)
}

fn filter_common<'v>(
    builtin: &str,
    a: Vec<Value<'v>>,
    b: Vec<Value<'v>>,
    common: bool,
) -> starlark::Result<Vec<Value<'v>>> {
    let other: HashSet<String> = b.into_iter().map(|item| item_key(builtin, item)).collect::<starlark::Result<_>>()?;
    let mut out = Vec::new();
    for item in deduplicate(builtin, a)? {
        if other.contains(&item_key(builtin, item)?) == common {
            out.push(item);
        }
    }
    Ok(out)
}
