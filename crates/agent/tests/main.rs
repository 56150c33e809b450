//! The agent loop, as its hosts see it.

mod batch;
mod delegation;
mod events_fire;
mod framework;
mod judge;
mod lifecycle;
mod long_session;
mod model_script;
mod model_servers;
mod persona;
mod plugins;
mod registered;
mod replay;
mod resume;
mod scripts;
mod session;
mod support;
mod team;
mod tools;
mod toolsets;
