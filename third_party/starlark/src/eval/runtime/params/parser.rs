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

use std::slice;

use starlark_syntax::internal_error;
use starlark_syntax::other_error;

use crate::values::UnpackValue;
use crate::values::Value;

/// Parse a series of parameters which were specified by
/// [`ParametersSpec`](crate::eval::ParametersSpec).
///
/// This is created with [`ParametersSpec::parser`](crate::eval::ParametersSpec::parser).
pub struct ParametersParser<'v, 'a> {
    // Invariant: `slots` and `names` are the same length.
    slots: slice::Iter<'a, Option<Value<'v>>>,
    names: slice::Iter<'a, String>,
}

impl<'v, 'a> ParametersParser<'v, 'a> {
    /// Create a parameter parser, which stored parameters into provided slots reference.
    pub(crate) fn new(slots: &'a [Option<Value<'v>>], names: &'a [String]) -> Self {
        // This assertion is important because we get unchecked in `get_next`.
        assert_eq!(slots.len(), names.len());
        ParametersParser {
            slots: slots.iter(),
            names: names.iter(),
        }
    }

    #[inline]
    fn get_next(&mut self) -> anyhow::Result<(Option<Value<'v>>, &'a str)> {
        let Some(v) = self.slots.next() else {
            return Err(
                internal_error!("Requesting more parameters than were specified").into_anyhow(),
            );
        };
        // SAFETY: struct fields invariant.
        let name = unsafe { self.names.next().unwrap_unchecked() };
        Ok((*v, name))
    }

    /// Obtain the next optional parameter (without a default value).
    pub fn next_opt<T: UnpackValue<'v>>(&mut self) -> crate::Result<Option<T>> {
        match self.get_next()? {
            (None, _) => Ok(None),
            (Some(v), name) => Ok(Some(T::unpack_named_param(v, name)?)),
        }
    }

    /// Obtain the next parameter. Fail if the parameter is optional and not provided.
    pub fn next<T: UnpackValue<'v>>(&mut self) -> crate::Result<T> {
        let (v, name) = self.get_next()?;
        let Some(v) = v else {
            return Err(other_error!(
                "Requested non-optional param {name} which was declared optional in signature"
            ));
        };
        T::unpack_named_param(v, name)
    }

    #[inline]
    pub(crate) fn is_eof(&self) -> bool {
        self.slots.len() == 0
    }
}
