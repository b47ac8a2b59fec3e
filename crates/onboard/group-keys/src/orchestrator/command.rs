//! Administrative commands to an orchestrator as values, for those that plan them.

use super::Orchestrator;
use crate::settings::GroupDirectory;
use crate::suite::GroupSuite;
use waywarden_key_roles::Address;

/// Administrative command to an orchestrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrchestratorCommand {
    /// Have the first key agreed on.
    Start {
        /// True if its frames lose arbitration to application traffic.
        gives_way: bool,
    },
    /// Have another one agreed on when all have acknowledged the last.
    Renew {
        /// True if its frames lose arbitration to application traffic.
        gives_way: bool,
    },
    /// Remove a member.
    Remove(Address),
    /// Take it back.
    Readmit(Address),
}

impl<S: GroupSuite, D: GroupDirectory> Orchestrator<'_, S, D> {
    /// Does what a command says.
    pub fn obey(&mut self, command: OrchestratorCommand) {
        match command {
            OrchestratorCommand::Start { gives_way } => self.renew(gives_way),
            OrchestratorCommand::Renew { gives_way } => self.renew_when_acknowledged(gives_way),
            OrchestratorCommand::Remove(ecu) => self.remove(ecu),
            OrchestratorCommand::Readmit(ecu) => self.readmit(ecu),
        }
    }
}
