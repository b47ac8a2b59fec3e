//! The commands that a build lacks: they are listed, and say how to get them.

use std::ffi::OsString;

use waywarden_command_line::exit::{Answer, Failure};

/// A command that this build lacks: it takes any arguments and says how to get the command.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Lacking {
    /// The arguments that it would have.
    #[arg(hide = true, num_args = 0.., trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

impl Lacking {
    /// Refuses the command `name`, of the feature `feature`.
    ///
    /// # Errors
    /// Always: the command is not there.
    pub(crate) fn refuse(name: &str, feature: &str) -> Result<Answer, Failure> {
        Err(Failure::new(format_args!(
            "`waywarden {name}` is not in this build, which lacks the feature {feature}\n  \
             every feature:  cargo build --release --package waywarden-cli\n  \
             this one alone: cargo build --release --package waywarden-cli \
             --no-default-features --features {feature}"
        )))
    }
}
