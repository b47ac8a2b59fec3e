//! `waywarden pki`: a public key infrastructure for V2X as a folder of files.

mod backup;
pub(crate) mod credential;
mod crl;
mod ctl;
pub(crate) mod curve;
pub(crate) mod directory;
mod enrol;
pub(crate) mod index;
mod init;
mod issue;
pub(crate) mod issuer;
pub(crate) mod key_file;
mod keygen;
pub(crate) mod passphrase;
pub(crate) mod permission;
mod profile;
mod pseudonyms;
pub(crate) mod public;
mod recorded;
pub(crate) mod region;
mod registration;
mod renew;
mod requests;
mod revoke;
mod revoked_seeds;
mod root_crl;
mod root_list;
mod serve;
mod show;
mod specification;
mod station;
mod token;
pub(crate) mod transaction;
pub(crate) mod trust;
#[cfg(unix)]
pub(crate) mod used;
pub(crate) mod validity;
#[cfg(unix)]
pub(crate) mod week;

use crate::exit::{Answer, Failure};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum PkiCommand {
    Init(init::Init),
    Issue(Box<issue::Issue>),
    Enrol(Box<enrol::Enrol>),
    Show(show::Show),
    Renew(renew::Renew),
    Keygen(keygen::Keygen),
    Register(registration::Register),
    Serve(serve::Serve),
    Pseudonyms(pseudonyms::Pseudonyms),
    Backup(backup::Backup),
    Restore(backup::Restore),
    Revoke(revoke::Revoke),
    Crl(crl::CrlCommand),
    Ctl(ctl::CtlCommand),
    #[command(subcommand)]
    Trust(trust::Trust),
}

impl PkiCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            Self::Init(init) => init.execute(),
            Self::Issue(issue) => issue.execute(),
            Self::Enrol(enrol) => enrol.execute(),
            Self::Show(show) => show.execute(),
            Self::Renew(renew) => renew.execute(),
            Self::Keygen(keygen) => keygen.execute(),
            Self::Register(register) => register.execute(),
            Self::Serve(serve) => serve.execute(),
            Self::Pseudonyms(pseudonyms) => pseudonyms.execute(),
            Self::Backup(backup) => backup.execute(),
            Self::Restore(restore) => restore.execute(),
            Self::Revoke(revoke) => revoke.execute(),
            Self::Crl(crl) => crl.execute(),
            Self::Ctl(ctl) => ctl.execute(),
            Self::Trust(trust) => trust.execute(),
        }
    }
}
