//! The tape.

use napi::bindgen_prelude::{Buffer, Error, Result};
use napi_derive::napi;

use crate::results::invalid;

/// The record of a session.
#[napi(js_name = "Tape")]
pub struct JsTape(pub(crate) pintle::Tape);

fn tape_error(error: &pintle::TapeError) -> Error {
    invalid(error.to_string())
}

#[napi]
impl JsTape {
    #[napi(factory)]
    pub fn create(path: String, session: String) -> Result<Self> {
        pintle::Tape::create(path, &session).map(Self).map_err(|error| tape_error(&error))
    }

    #[napi(factory)]
    pub fn in_memory(session: String) -> Self {
        Self(pintle::Tape::in_memory(&session))
    }

    #[napi]
    pub fn to_bytes(&self) -> Buffer {
        self.0.to_bytes().into()
    }

    #[napi]
    pub fn close(&self) -> Option<String> {
        self.0.close()
    }

    #[napi(getter)]
    pub fn error(&self) -> Option<&str> {
        self.0.error()
    }

    #[napi]
    pub fn replay(content: &[u8]) -> Result<()> {
        pintle::Tape::replay(content).map_err(|error| tape_error(&error))
    }

    #[napi]
    pub fn verify(content: &[u8]) -> Result<()> {
        pintle::Tape::verify(content).map_err(|error| tape_error(&error))
    }
}
