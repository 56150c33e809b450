//! What is read out of command lines and calls.

mod commands;
mod fixture;
mod git;
mod limits;
mod operations;
mod options;
mod powershell;
mod properties;
mod secrets;
mod watched;
mod zsh;
