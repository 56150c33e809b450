//! `http`: requests through the network gate.

use pintle_contract::EffectRequest;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::none::NoneOr;

use crate::call_state::{request_value, script_error};
use crate::payload::to_display;

/// The maximum timeout of a request.
const MAX_TIMEOUT_SECONDS: f64 = 600.0;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("http", http);
}

#[starlark_module]
fn http(builder: &mut GlobalsBuilder) {
    fn get<'v>(
        url: &str,
        #[starlark(default = NoneOr::None)] headers: NoneOr<Value<'v>>,
        #[starlark(default = NoneOr::None)] timeout_seconds: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let call = HttpResponseValue { builtin: "http.get", method: "GET", url, body: None, headers, timeout_seconds };
        call.send(eval)
    }

    fn post<'v>(
        url: &str,
        #[starlark(default = "")] body: &str,
        #[starlark(default = NoneOr::None)] headers: NoneOr<Value<'v>>,
        #[starlark(default = NoneOr::None)] timeout_seconds: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let call =
            HttpResponseValue { builtin: "http.post", method: "POST", url, body: Some(body), headers, timeout_seconds };
        call.send(eval)
    }
}

struct HttpResponseValue<'a, 'v> {
    builtin: &'static str,
    method: &'static str,
    url: &'a str,
    body: Option<&'a str>,
    headers: NoneOr<Value<'v>>,
    timeout_seconds: NoneOr<Value<'v>>,
}

impl<'v> HttpResponseValue<'_, 'v> {
    fn send(self, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let builtin = self.builtin;
        let headers = match self.headers {
            NoneOr::None => Vec::new(),
            NoneOr::Other(headers) => DictRef::from_value(headers)
                .ok_or_else(|| script_error(format_args!("{builtin}: headers must be a dict")))?
                .iter()
                .map(|(name, value)| (to_display(name), to_display(value)))
                .collect(),
        };
        let request = EffectRequest::Http {
            method: self.method.to_owned(),
            url: self.url.to_owned(),
            headers,
            body: self.body.map(str::to_owned),
            timeout_ms: to_timeout_ms(builtin, self.timeout_seconds)?,
        };
        Ok(request_value(eval, builtin, request)?.unwrap_or_else(Value::new_none))
    }
}

fn to_timeout_ms(builtin: &str, seconds: NoneOr<Value<'_>>) -> starlark::Result<u64> {
    let NoneOr::Other(seconds) = seconds else {
        return Ok(30_000);
    };
    let number: f64 = match seconds.get_type() {
        "int" | "float" => seconds.to_str().parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    };
    if number.is_nan() || number <= 0.0 {
        return Err(script_error(format_args!("{builtin}: timeout_seconds must be a positive number")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 600,000")]
    let timeout_ms = (number.min(MAX_TIMEOUT_SECONDS) * 1_000.0) as u64;
    Ok(timeout_ms.max(1))
}
