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

//! A type [`StarlarkAnyComplex`] which can wrap any Rust value into a [`Value`].

use std::any;
use std::fmt;
use std::fmt::Debug;
use std::fmt::Display;

use allocative::Allocative;
use starlark_derive::NoSerialize;
use starlark_derive::starlark_value;

use crate as starlark;
use crate::any::ProvidesStaticType;
use crate::values::AllocValue;
use crate::values::Freeze;
use crate::values::Heap;
use crate::values::StarlarkValue;
use crate::values::Trace;
use crate::values::Value;
use crate::values::ValueLike;
use crate::values::layout::avalue::AValueSimpleBound;

/// Allocate arbitrary value on the starlark heap without implementing full [`StarlarkValue`].
///
/// This is useful for data not directly visible to starlark code.
///
/// This type is for "complex" values (with tracing during GC). For no GC version check
/// [`StarlarkAny`](crate::values::types::any::StarlarkAny).
#[derive(Trace, Freeze, Allocative, ProvidesStaticType, NoSerialize)]
pub struct StarlarkAnyComplex<T> {
    /// The value.
    pub value: T,
}

impl<'v, T> StarlarkAnyComplex<T>
where
    Self: StarlarkValue<'v>,
{
    /// Construct a new `StarlarkAnyComplex` value, which can be allocated on the heap.
    pub fn new(value: T) -> StarlarkAnyComplex<T> {
        StarlarkAnyComplex { value }
    }

    /// Obtain the value from a `Value`, if it is a `StarlarkAnyComplex<T>`.
    pub fn get(value: Value<'v>) -> Option<&'v T> {
        value.downcast_ref::<Self>().map(|x| &x.value)
    }

    /// Obtain the value from a `Value`, if it is a `StarlarkAnyComplex<T>`.
    pub fn get_err(value: Value<'v>) -> crate::Result<&'v T> {
        value.downcast_ref_err::<Self>().map(|x| &x.value)
    }
}

// Proper `Debug` is hard to require from users because of `Freeze` and `ProvidesStaticType`.
impl<T> Debug for StarlarkAnyComplex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(any::type_name::<T>())
            .finish_non_exhaustive()
    }
}

impl<T> Display for StarlarkAnyComplex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(self, f)
    }
}

#[starlark_value(type = "any_complex")]
impl<'v, T> StarlarkValue<'v> for StarlarkAnyComplex<T>
where
    T: Allocative + ProvidesStaticType<'v> + 'v,
    T::StaticType: Sized,
{
    type Canonical = Self;
}

impl<'v, T> AllocValue<'v> for StarlarkAnyComplex<T>
where
    Self: StarlarkValue<'v> + Freeze,
    T: Trace<'v> + ProvidesStaticType<'v>,
    <Self as Freeze>::Frozen: AValueSimpleBound<'static>,
    <Self as ProvidesStaticType<'v>>::StaticType: Send,
{
    fn alloc_value(self, heap: Heap<'v>) -> Value<'v> {
        heap.alloc_complex(self)
    }
}
