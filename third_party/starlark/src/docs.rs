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

//! There is no documentation of values. This is what the output of `#[starlark_module]` names.

#![doc(hidden)]

use crate::values::StarlarkValue;

/// Holds nothing.
pub struct DocType;

impl DocType {
    /// Called for `#[starlark(as_type = ...)]`.
    pub fn from_starlark_value<T: StarlarkValue<'static>>() -> DocType {
        DocType
    }
}
