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

use std::fmt::Debug;
use std::sync::Arc;

use allocative::Allocative;
use dupe::Dupe;
use pagable::Pagable;
use pagable::PagableBoxDeserialize;
use pagable::PagableDeserialize;
use pagable::PagableDeserializer;
use pagable::PagableSerialize;

use crate::values::Value;
use crate::values::typing::type_compiled::alloc::TypeMatcherAlloc;
use crate::values::typing::type_compiled::compiled::TypeCompiled;
use crate::values::typing::type_compiled::factory::TypeCompiledFactory;
use crate::values::typing::type_compiled::matcher::TypeMatcher;
use crate::values::typing::type_compiled::matcher::TypeMatcherBox;
use crate::values::typing::type_compiled::matcher::TypeMatcherBoxAlloc;

#[derive(Allocative, Debug, Pagable)]
struct TypeMatcherFactoryImpl<M: TypeMatcher> {
    matcher: M,
}

pub(crate) trait TypeMatcherFactoryDyn: Allocative + Debug + Send + Sync + 'static {
    fn matcher_box(&self) -> TypeMatcherBox;
    fn type_compiled<'v>(&self, factory: TypeCompiledFactory<'_, 'v>) -> TypeCompiled<Value<'v>>;
}

impl<M: TypeMatcher> TypeMatcherFactoryDyn for TypeMatcherFactoryImpl<M> {
    fn matcher_box(&self) -> TypeMatcherBox {
        TypeMatcherBoxAlloc.alloc(self.matcher.clone())
    }

    fn type_compiled<'v>(&self, factory: TypeCompiledFactory<'_, 'v>) -> TypeCompiled<Value<'v>> {
        factory.alloc(self.matcher.clone())
    }
}

/// Boxed `TypeMatcher`.
#[derive(Dupe, Clone, Allocative, Debug, Pagable)]
pub struct TypeMatcherFactory {
    pub(crate) factory: Arc<dyn TypeMatcherFactoryDyn>,
}

impl TypeMatcherFactory {
    /// Create a new `TypeMatcherFactory` from a `TypeMatcher`.
    pub fn new(matcher: impl TypeMatcher) -> TypeMatcherFactory {
        TypeMatcherFactory {
            factory: Arc::new(TypeMatcherFactoryImpl { matcher }),
        }
    }
}

// Pagable via `TypeMatcherBox` to reuse the existing `dyn TypeMatcherDyn`
// typetag registry — avoids standing up a parallel registry for every
// concrete `M`. The concrete `M` is lost on round-trip (factory becomes
// `TypeMatcherFactoryImpl<TypeMatcherBox>`), but `TypeMatcherBox: TypeMatcher`
// keeps behavior intact.
impl PagableSerialize for dyn TypeMatcherFactoryDyn {
    fn pagable_serialize(
        &self,
        serializer: &mut dyn pagable::PagableSerializer,
    ) -> pagable::Result<()> {
        let matcher_box = self.matcher_box();
        matcher_box.pagable_serialize(serializer)
    }
}

impl<'de> PagableBoxDeserialize<'de> for dyn TypeMatcherFactoryDyn {
    fn deserialize_box<D: PagableDeserializer<'de> + ?Sized>(
        deserializer: &mut D,
    ) -> pagable::Result<Box<Self>> {
        let matcher_box = TypeMatcherBox::pagable_deserialize(deserializer)?;
        let factory = TypeMatcherFactoryImpl {
            matcher: matcher_box,
        };
        Ok(Box::new(factory))
    }
}
