//! The command pki: what it prints, its exit codes, and what it leaves behind.

mod misbehaviour;
mod pki;
mod pki_check_list;
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
mod pki_refused;
mod pki_serve;
mod pki_serve_hostile;
mod pki_serve_killed;
mod pki_trust;
mod pki_written;
mod station;
mod support;
mod unlinkable;
