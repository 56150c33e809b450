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

use std::ops::Sub;
use std::time::Duration;

use allocative::Allocative;

#[derive(Debug, Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Allocative)]
pub(crate) struct ProfilerInstant(std::time::Instant);

impl ProfilerInstant {
    #[inline]
    pub(crate) fn now() -> Self {
        ProfilerInstant(std::time::Instant::now())
    }

    #[inline]
    pub(crate) fn duration_since(&self, earlier: ProfilerInstant) -> Duration {
        self.0.duration_since(earlier.0)
    }

    #[inline]
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

impl Sub for ProfilerInstant {
    type Output = Duration;

    #[inline]
    fn sub(self, rhs: Self) -> Self::Output {
        self.duration_since(rhs)
    }
}
