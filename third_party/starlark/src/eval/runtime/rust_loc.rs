/*
 * Copyright 2018 The Starlark in Rust Authors.
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

/// Initialize to `&'static FrameSpan` with rust file and line number.
macro_rules! rust_loc {
    () => {{
        use std::sync::LazyLock;

        use crate::codemap::CodeMap;
        use crate::codemap::NativeCodeMap;
        use crate::eval::runtime::frame_span::FrameSpan;
        use crate::eval::runtime::frozen_file_span::FrozenFileSpan;

        static NATIVE_CODEMAP: NativeCodeMap = NativeCodeMap::new(file!(), line!(), column!());
        crate::static_starlark_any!(CODEMAP: CodeMap = NativeCodeMap::to_codemap(&NATIVE_CODEMAP));
        static FRAME_SPAN: LazyLock<FrameSpan> = LazyLock::new(|| {
            FrameSpan::new(FrozenFileSpan::new_unchecked(
                CODEMAP.unpack_any(),
                NativeCodeMap::FULL_SPAN,
            ))
        });
        &*FRAME_SPAN
    }};
}

pub(crate) use rust_loc;
