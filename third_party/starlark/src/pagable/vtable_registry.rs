/*
 * Copyright 2019 The Starlark in Rust Authors.
 * Copyright (c) Facebook, Inc. and its affiliates.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

//! VTable registry for Starlark value deserialization.
//!
//! This module provides a mechanism for registering and looking up vtables
//! by their deserialization type identifiers. During deserialization, we need
//! to know which vtable to use for a given type, and this registry provides
//! that mapping.

use std::collections::HashMap;
use std::fmt;
use std::fmt::Display;
use std::fmt::Formatter;
use std::sync::LazyLock;

use crate::pagable::error::PagableError;
use crate::values::layout::vtable::AValueVTable;

/// Deserialization type identifier for vtable lookup.
///
/// This is a newtype wrapper around `&'static str` that holds the result of
/// `std::any::type_name`. It uniquely identifies a concrete Rust type for
/// deserialization purposes, unlike `StarlarkValue::TYPE` which can be shared
/// (e.g., "function" for EnumType and NativeFunction).
///
/// In the serialized form a `DeserTypeId` is encoded not as its (long) type-name
/// string but as a compact `u32` index into the vtable registry. The index is
/// assigned by sorting all registered type names, so it depends only on the set
/// of registered types and is therefore stable across runs of the same binary.
/// See [`VtableRegistry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeserTypeId(pub &'static str);

impl pagable::PagableSerialize for DeserTypeId {
    fn pagable_serialize(
        &self,
        serializer: &mut dyn pagable::PagableSerializer,
    ) -> pagable::Result<()> {
        let index = VTABLE_REGISTRY
            .type_to_id
            .get(self)
            .copied()
            .ok_or_else(|| {
                anyhow::anyhow!("Type `{}` was not registered for serialization", self.0)
            })?;
        index.pagable_serialize(serializer)
    }
}

impl<'de> pagable::PagableDeserialize<'de> for DeserTypeId {
    fn pagable_deserialize<D: pagable::PagableDeserializer<'de> + ?Sized>(
        deserializer: &mut D,
    ) -> pagable::Result<Self> {
        let index = u32::pagable_deserialize(deserializer)?;
        VTABLE_REGISTRY
            .id_to_type
            .get(index as usize)
            .copied()
            .ok_or_else(|| {
                anyhow::anyhow!(
                    "Type index `{index}` is out of range ({} types registered for deserialization)",
                    VTABLE_REGISTRY.id_to_type.len()
                )
            })
    }
}

impl DeserTypeId {
    /// Create a `DeserTypeId` for a type.
    #[inline]
    pub const fn of<T: ?Sized>() -> Self {
        DeserTypeId(std::any::type_name::<T>())
    }

    /// Get the underlying type name string.
    #[inline]
    pub const fn as_str(&self) -> &'static str {
        self.0
    }
}

impl Display for DeserTypeId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self.0, f)
    }
}

/// Registry entry for vtable lookup during deserialization.
/// Collected at compile time via the `inventory` crate.
pub struct VTableRegistryEntry {
    /// Deserialization type identifier (from `std::any::type_name`).
    /// Used as the key for vtable lookup during deserialization.
    pub deser_type_id: DeserTypeId,
    /// The vtable for this type.
    pub vtable: &'static AValueVTable,
}

inventory::collect!(VTableRegistryEntry);

/// Bidirectional registry of all `inventory`-collected vtable entries, built
/// once on first use.
///
/// Each type gets a dense index, assigned by sorting type names so it depends
/// only on the *set* of registered types (not inventory order) and is stable
/// across runs of the same binary. This is what lets the serialized form refer
/// to a type by index instead of by its full name.
struct VtableRegistry {
    /// Type id → vtable. Backs [`lookup_vtable`].
    by_type: HashMap<DeserTypeId, &'static AValueVTable>,
    /// Index → type id. Backs deserialization (`u32` index → `DeserTypeId`).
    id_to_type: Vec<DeserTypeId>,
    /// Type id → index. Backs serialization (`DeserTypeId` → `u32` index).
    type_to_id: HashMap<DeserTypeId, u32>,
}

/// Lookup tables for vtable resolution, built lazily from inventory.
static VTABLE_REGISTRY: LazyLock<VtableRegistry> = LazyLock::new(|| {
    // Deduplicate by type id first so a type submitted more than once still
    // gets a single index (matching the previous `HashMap`-based registry).
    let by_type: HashMap<DeserTypeId, &'static AValueVTable> =
        inventory::iter::<VTableRegistryEntry>()
            .map(|e| (e.deser_type_id, e.vtable))
            .collect();

    // Sort by type name so each type's index depends only on the set of
    // registered types, making it stable across runs of the same binary.
    let mut id_to_type: Vec<DeserTypeId> = by_type.keys().copied().collect();
    id_to_type.sort_unstable_by_key(|id| id.0);

    let type_to_id = id_to_type
        .iter()
        .enumerate()
        .map(|(index, id)| (*id, index as u32))
        .collect();

    VtableRegistry {
        by_type,
        id_to_type,
        type_to_id,
    }
});

/// Look up a vtable by its deserialization type id.
/// Returns an error if the type is not registered.
#[allow(dead_code)]
pub fn lookup_vtable(deser_type_id: DeserTypeId) -> crate::Result<&'static AValueVTable> {
    VTABLE_REGISTRY
        .by_type
        .get(&deser_type_id)
        .copied()
        .ok_or_else(|| {
            PagableError::TypeNotRegistered {
                type_id: deser_type_id,
            }
            .into()
        })
}
