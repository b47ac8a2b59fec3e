//! `waywarden pki`: a public key infrastructure for V2X as a folder of files.

mod backup;
pub mod check_list;
mod clock;
mod crl;
mod ctl;
mod enrol;
mod init;
mod issue;
mod keygen;
mod misbehaviour;
mod pseudonyms;
mod registration;
mod renew;
mod revoke;
mod serve;
pub(crate) mod show;
mod station;
pub mod trust;

#[cfg(test)]
mod tests;

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_pki_authorities::Note;

/// Make the certificates and keys of a V2X public key infrastructure.
#[derive(Debug, clap::Args)]
pub struct Pki {
    #[command(subcommand)]
    command: PkiCommand,
}

impl Pki {
    /// Does what was asked.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for what the operating system refuses.
    pub fn execute(&self) -> Result<Answer, Failure> {
        self.command.execute()
    }
}

#[derive(Debug, clap::Subcommand)]
enum PkiCommand {
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
    Misbehaviour(misbehaviour::Misbehaviour),
    CheckList(check_list::CheckList),
    #[command(subcommand)]
    Trust(trust::Trust),
}

impl PkiCommand {
    fn execute(&self) -> Result<Answer, Failure> {
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
            Self::Misbehaviour(misbehaviour) => misbehaviour.execute(),
            Self::CheckList(check) => check.execute(),
            Self::Trust(trust) => trust.execute(),
        }
    }
}

/// Prints what the library notes, but for its progress.
fn print(note: &Note) {
    match note {
        Note::Warning(text) => messages::warning(plain(text)),
        Note::Status(text) => messages::status(plain(text)),
        Note::Progress { .. } => {}
    }
}

/// Returns where commands report what they did. Tests run them in their own process, whose output
/// is that of the test.
#[cfg(not(test))]
fn stdout() -> Box<dyn std::io::Write + Send> {
    waywarden_command_line::answers::out()
}

#[cfg(test)]
fn stdout() -> std::io::Sink {
    std::io::sink()
}
