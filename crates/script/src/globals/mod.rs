//! The built-ins of scripts: one file a namespace, and one table that lists them.

mod catalogue;
mod codes;
mod ctx;
mod decisions;
mod effects;
mod json;
mod network;
mod numbers;
mod regexes;
mod registering;
mod sets;
mod strings;
mod tools;

use std::sync::LazyLock;

use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension, Module};
use starlark::values::dict::AllocDict;
use starlark::values::list::AllocList;

pub(crate) use catalogue::members;
pub use catalogue::{Builtin, catalogue};
pub(crate) use registering::REGISTRATIONS;

use crate::compile::Role;

/// The globals of a kind of script. Built once: building them takes milliseconds.
pub(crate) fn of(role: Role) -> &'static Globals {
    static HOOK: LazyLock<Globals> =
        LazyLock::new(|| base().with(decisions::register).with(tools::register_calls).build());
    static TOOL: LazyLock<Globals> = LazyLock::new(|| base().with(tools::register).build());
    static VERIFY: LazyLock<Globals> = LazyLock::new(|| base().with(decisions::register).with(tools::register).build());
    static PLUGIN: LazyLock<Globals> =
        LazyLock::new(|| base().with(registering::register).with(tools::register_calls).build());
    match role {
        Role::Hook => &HOOK,
        Role::Plugin => &PLUGIN,
        Role::Tool => &TOOL,
        Role::Verify => &VERIFY,
    }
}

/// Puts together what hooks have, for a process that lives for one event: begun early, on a thread of its own, most of it
/// is there by the time that the first hook has been read. Nothing else needs to call it.
///
/// Nearly all of the time goes into the interpreter's descriptions of its own functions, so that those of the methods are
/// put together on a second thread. Where there is none to be had they come in their turn.
pub fn warm_up() {
    std::thread::scope(|scope| {
        let _ = std::thread::Builder::new().name(String::from("warm-up")).spawn_scoped(scope, methods);
        of(Role::Hook);
        pure();
    });
}

/// Puts together the methods of what payloads are made of.
fn methods() {
    Module::with_temp_heap(|module| {
        let heap = module.heap();
        for value in [heap.alloc(""), heap.alloc(AllocDict::EMPTY), heap.alloc(AllocList::EMPTY)] {
            value.dir_attr();
        }
    });
}

/// What `when` has: the language itself and nothing else.
pub(crate) fn pure() -> &'static Globals {
    static PURE: LazyLock<Globals> = LazyLock::new(Globals::standard);
    &PURE
}

fn base() -> GlobalsBuilder {
    GlobalsBuilder::extended_by(&[
        LibraryExtension::StructType,
        LibraryExtension::Print,
        LibraryExtension::Map,
        LibraryExtension::Filter,
    ])
    .with(effects::register)
    .with(ctx::register)
    .with(json::register)
    .with(network::register)
    .with(numbers::register)
    .with(regexes::register)
    .with(sets::register)
    .with(strings::register)
    .with(codes::register)
}
