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

use std::cell::Ref;
use std::cell::RefCell;
use std::ptr;

/// "Unleak" previously leaked `RefCell` borrow (which is `Ref`).
#[inline]
pub(crate) unsafe fn unleak_borrow<T: ?Sized>(ref_cell: &RefCell<T>) {
    // Note this call contains a runtime assertion that the `RefCell` is borrowed.
    let r = ref_cell.borrow();
    unsafe {
        // Drop `b` twice to decrement the borrow counter.
        drop::<Ref<T>>(ptr::read(&r as *const Ref<T>));
        drop::<Ref<T>>(r);
    }
}
