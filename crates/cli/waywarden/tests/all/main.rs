//! The command: what it prints, its exit codes, and what it leaves behind.

mod arguments;
mod auth;
mod bench;
mod bench_board;
mod boards;
mod browser;
mod bus;
mod bus_bound;
mod bus_load;
mod check;
mod commands;
mod compare;
mod damaged_logs;
mod demo;
#[cfg(unix)]
mod extcap;
mod file_kinds;
mod fit;
mod fmu;
mod init;
mod junit;
mod keep;
mod key_store;
mod keys;
mod keys_words;
mod log_formats;
#[cfg(unix)]
mod man;
mod matrices;
mod papers;
mod papers_options;
mod papers_shown;
mod papers_traffic;
mod picture;
mod pki_read_only;
mod pki_token;
mod places;
mod replay;
mod run;
mod run_many;
mod schemas;
#[cfg(unix)]
mod secrets;
mod start_up;
mod support;
mod tables;
mod truth_oracle;
