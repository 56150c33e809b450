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

//! Convert a value implementing [`StarlarkValue`] into a type usable in type expression.

use std::fmt;
use std::fmt::Debug;
use std::fmt::Display;
use std::fmt::Formatter;
use std::marker::PhantomData;

use allocative::Allocative;
use starlark_derive::NoSerialize;
use starlark_derive::starlark_value;

use crate as starlark;
use crate::any::ProvidesStaticType;
use crate::typing::Ty;
use crate::values::AllocFrozenValue;
use crate::values::AllocStaticSimple;
use crate::values::AllocValue;
use crate::values::FrozenHeap;
use crate::values::FrozenValue;
use crate::values::Heap;
use crate::values::StarlarkValue;
use crate::values::Value;
use crate::values::type_repr::StarlarkTypeRepr;
use crate::values::typing::TypeType;
use crate::values::typing::ty::AbstractType;

#[derive(Debug, NoSerialize, Allocative, ProvidesStaticType)]
struct StarlarkValueAsTypeStarlarkValue(fn() -> Ty);

#[starlark_value(type = "type")]
impl<'v> StarlarkValue<'v> for StarlarkValueAsTypeStarlarkValue {
    type Canonical = AbstractType;

    fn eval_type(&self) -> Option<Ty> {
        Some((self.0)())
    }

    fn at(&self, _index: Value<'v>, _heap: Heap<'v>) -> crate::Result<Value<'v>> {
        let base_ty = (self.0)();
        Err(crate::Error::new_other(anyhow::anyhow!(
            "Type `{}` does not support type parameters",
            base_ty,
        )))
    }
}

impl Display for StarlarkValueAsTypeStarlarkValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&(self.0)(), f)
    }
}

/// Utility to declare a value usable in type expression.
///
/// # Example
///
/// ```
/// use allocative::Allocative;
/// use starlark::any::ProvidesStaticType;
/// use starlark::environment::GlobalsBuilder;
/// use starlark::values::NoSerialize;
/// use starlark::values::StarlarkValue;
/// use starlark::values::starlark_value;
/// use starlark::values::starlark_value_as_type::StarlarkValueAsType;
/// use starlark_derive::starlark_module;
///
/// #[derive(
///     Debug,
///     derive_more::Display,
///     Allocative,
///     ProvidesStaticType,
///     NoSerialize,
/// )]
/// struct StarlarkTemperature;
///
/// #[starlark_value(type = "temperature")]
/// impl<'v> StarlarkValue<'v> for StarlarkTemperature {}
///
/// // Use with #[starlark_module]:
/// // #[starlark_module]
/// // #[starlark_types(StarlarkTemperature as Temperature)]
/// // fn my_type_globals(globals: &mut GlobalsBuilder) {}
///
/// // Or standalone:
/// // starlark::declare_starlark_value_as_type!(TEMPERATURE, StarlarkTemperature);
/// ```
pub struct StarlarkValueAsType<T: StarlarkTypeRepr>(
    &'static AllocStaticSimple<StarlarkValueAsTypeStarlarkValue>,
    PhantomData<fn(&T)>,
);

// Manual Clone/Copy implementations
impl<T: StarlarkTypeRepr> Clone for StarlarkValueAsType<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: StarlarkTypeRepr> Copy for StarlarkValueAsType<T> {}

impl<T: StarlarkTypeRepr> Debug for StarlarkValueAsType<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StarlarkValueAsType")
            .field(&T::starlark_type_repr())
            .finish()
    }
}

impl<T: StarlarkTypeRepr> Display for StarlarkValueAsType<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&T::starlark_type_repr(), f)
    }
}

impl<T: StarlarkTypeRepr> StarlarkValueAsType<T> {
    /// Constructor.
    ///
    /// Use [`new_no_docs`](Self::new_no_docs) if `T` is not a `StarlarkValue`.
    pub const fn new() -> Self
    where
        T: StarlarkValue<'static>,
    {
        StarlarkValueAsType(
            &const { AllocStaticSimple::alloc(StarlarkValueAsTypeStarlarkValue(T::starlark_type_repr)) },
            PhantomData,
        )
    }

    /// Constructor.
    pub const fn new_no_docs() -> Self {
        StarlarkValueAsType(
            &const { AllocStaticSimple::alloc(StarlarkValueAsTypeStarlarkValue(T::starlark_type_repr)) },
            PhantomData,
        )
    }

    /// Get the FrozenValue for this type.
    pub fn to_frozen_value(&self) -> FrozenValue {
        self.0.to_frozen_value()
    }
}

impl<T: StarlarkTypeRepr> StarlarkTypeRepr for StarlarkValueAsType<T> {
    type Canonical = <TypeType as StarlarkTypeRepr>::Canonical;

    fn starlark_type_repr() -> Ty {
        <Self::Canonical as StarlarkTypeRepr>::starlark_type_repr()
    }
}

impl<'v, T: StarlarkTypeRepr> AllocValue<'v> for StarlarkValueAsType<T> {
    fn alloc_value(self, _heap: Heap<'v>) -> Value<'v> {
        self.0.to_frozen_value().to_value()
    }
}

impl<T: StarlarkTypeRepr> AllocFrozenValue for StarlarkValueAsType<T> {
    fn alloc_frozen_value(self, _heap: &FrozenHeap) -> FrozenValue {
        self.0.to_frozen_value()
    }
}

/// Declare a static `StarlarkValueAsType<T>`.
///
/// # Usage
///
/// Standalone (outside `#[starlark_module]`):
/// ```ignore
/// declare_starlark_value_as_type!(pub MY_INT, StarlarkInt);
/// declare_starlark_value_as_type!(pub MY_PROVIDER, AbstractProvider, no_docs);
/// ```
///
/// The `#[starlark_module]` proc macro can also generate calls to this macro
/// via the `#[starlark_types]` attribute.
#[macro_export]
macro_rules! declare_starlark_value_as_type {
    ($vis:vis $name:ident, $T:ty) => {
        $crate::declare_starlark_value_as_type!(@declare $vis $name, $T, new);
    };
    ($vis:vis $name:ident, $T:ty, no_docs) => {
        $crate::declare_starlark_value_as_type!(@declare $vis $name, $T, new_no_docs);
    };
    ($vis:vis $name:ident, $T:ty, skip_type_registration) => {
        $crate::declare_starlark_value_as_type!(@declare $vis $name, $T, new);
    };
    ($vis:vis $name:ident, $T:ty, skip_type_registration_no_docs) => {
        $crate::declare_starlark_value_as_type!(@declare $vis $name, $T, new_no_docs);
    };
    (@declare $vis:vis $name:ident, $T:ty, $constructor:ident) => {
        $vis static $name: $crate::__derive_refs::StarlarkValueAsType<$T> =
            $crate::__derive_refs::StarlarkValueAsType::$constructor();
    };
}
