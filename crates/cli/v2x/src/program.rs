//! The commands for V2X messages as a program of their own. The tests of the commands run it.

use clap::{Parser, Subcommand};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::program::{GlobalOptions, Program};

use crate::{decrypt, encode, encrypt, inspect, misbehaviour, sign, verify};
#[cfg(unix)]
use crate::{serve, station};

/// The commands for V2X messages as a program of their own.
#[derive(Debug, Parser)]
#[command(name = "waywarden", max_term_width = 100)]
pub struct V2xArguments {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Verify(verify::VerifyCommand),
    Inspect(inspect::Inspect),
    Misbehaviour(misbehaviour::MisbehaviourCommand),
    Encode(encode::EncodeCommand),
    Sign(Box<sign::SignCommand>),
    Encrypt(encrypt::EncryptCommand),
    Decrypt(decrypt::DecryptCommand),
    #[cfg(unix)]
    Serve(serve::Serve),
    #[cfg(unix)]
    Station(Box<station::StationCommand>),
}

impl Program for V2xArguments {
    fn global_options(&self) -> &GlobalOptions {
        &self.global
    }

    fn holds_keys(&self) -> bool {
        !matches!(
            self.command,
            Command::Verify(_)
                | Command::Inspect(_)
                | Command::Misbehaviour(_)
                | Command::Encode(_)
        )
    }

    fn execute(&self) -> Result<Answer, Failure> {
        match &self.command {
            Command::Verify(verify) => verify.execute(),
            Command::Inspect(inspect) => inspect.execute(),
            Command::Misbehaviour(misbehaviour) => misbehaviour.execute(),
            Command::Encode(encode) => encode.execute(),
            Command::Sign(sign) => sign.execute(),
            Command::Encrypt(encrypt) => encrypt.execute(),
            Command::Decrypt(decrypt) => decrypt.execute(),
            #[cfg(unix)]
            Command::Serve(serve) => serve.execute(),
            #[cfg(unix)]
            Command::Station(station) => station.execute(),
        }
    }
}
