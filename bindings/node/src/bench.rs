//! Times calls in Rust, to compare with those of JavaScript in the same process.

use std::hint::black_box;
use std::time::Instant;

use napi::bindgen_prelude::Result;
use napi_derive::napi;

use crate::results::parse_json;
use crate::runtime::JsRuntime;

/// The seconds that a number of decisions takes in Rust.
#[napi]
pub fn time_decisions(runtime: &JsRuntime, name: String, args: String, count: u32) -> Result<f64> {
    let (runtime, args) = (runtime.inner(), parse_json(&args)?);
    let begin = Instant::now();
    for _ in 0..count {
        let call = pintle::ToolCall::new("call_1", name.as_str(), args.clone());
        drop(black_box(runtime.decide_tool_call(call)));
    }
    Ok(begin.elapsed().as_secs_f64())
}
