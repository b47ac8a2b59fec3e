//! The command: what it prints, its exit codes, and what it leaves behind.

mod arguments;
mod auth;
mod bench;
mod bench_board;
mod boards;
mod bus;
mod bus_bound;
mod captures;
mod check;
mod commands;
mod compare;
mod damaged_logs;
mod demo;
mod init;
mod keep;
mod key_store;
mod keys;
mod keys_words;
#[path = "../../../v2x-security/tests/all/linked_lists/lists.rs"]
#[allow(dead_code, reason = "one list needs a part of it")]
mod linked_lists;
#[cfg(unix)]
mod man;
mod neighbourhood;
mod papers;
mod picture;
mod pki;
mod pki_crl;
mod pki_crl_linked;
mod pki_ctl;
mod pki_database;
mod pki_details;
mod pki_foreign;
mod pki_full_disk;
mod pki_hostile;
mod pki_killed;
mod pki_pseudonyms;
mod pki_read_only;
mod pki_refused;
mod pki_serve;
mod pki_serve_hostile;
mod pki_serve_killed;
mod pki_token;
mod pki_trust;
mod pki_written;
mod places;
mod replay;
mod run;
mod schemas;
#[cfg(unix)]
mod secrets;
#[cfg(unix)]
mod serve;
mod sign;
mod start_up;
#[cfg(unix)]
mod station;
mod support;
mod tables;
mod traffic;
mod traffic_sweep;
#[path = "../../../v2x-security/tests/all/trust_world.rs"]
#[allow(dead_code, reason = "tests of the command need a part of it")]
mod trust_world;
mod truth_oracle;
mod unlinkable;
mod verify;
mod verify_chains;
mod verify_crl;
mod verify_files;
mod verify_jobs;
mod verify_long;
mod verify_policy;
mod verify_regions;
mod verify_rules;
#[path = "../../../v2x-security/tests/all/world.rs"]
#[allow(dead_code, reason = "chains need a part of it")]
mod world;
