//! Servers of the Model Context Protocol: good ones, slow ones, dying ones and liars.

mod http;
mod stdio;
