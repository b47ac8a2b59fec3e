//! `waywarden auth protect`: a log becomes the log of a bus whose messages are authenticated.

use std::path::PathBuf;
use std::sync::Arc;

use waywarden_can_auth_log::LogProtector;

use super::input::Input;
use super::plan_options::PlanOptions;
use super::remedies;
use crate::logs::damage::LogReadingOptions;
use crate::logs::source::LogSource;
use crate::logs::{LogWriter, TimeDigits, WrittenLogFormat};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;

const EXAMPLES: &str = "\
Examples:
  waywarden auth protect drive.log --config auth.toml -o protected.log
  waywarden auth protect drive.log --vehicle car.toml > protected.log
  candump -L can0 | waywarden auth protect - --config auth.toml
  waywarden auth protect --interface can0 --config auth.toml -o protected.log
  waywarden auth protect --interface can0 --config auth.toml | canplayer -t can1=can0
                                                      onto another bus, as it comes";

/// Protect the messages of a log: candump out, with tags.
///
/// Messages of the streams that the tables name go out protected, everything else as it is. SecOC
/// puts freshness and code into the message's own frame; vatiCAN and LeiA put a tag frame behind
/// the message, with the same time. Where freshness is synchronised announcements are put in, at
/// the start and whenever `announce` of the log's time is over.
///
/// With --interface the messages of a bus are protected until ^C or SIGTERM; each leaves at once.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ProtectCommand {
    #[command(flatten)]
    source: LogSource,
    #[command(flatten)]
    reading: LogReadingOptions,
    #[command(flatten)]
    plan: PlanOptions,
    /// Write the protected log here instead of to standard output, which is - too.
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    #[command(flatten)]
    digits: TimeDigits,
}

impl ProtectCommand {
    /// Protects the messages of a log.
    ///
    /// # Errors
    /// Bad input, and a file that cannot be written.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let plan = Arc::new(self.plan.plan_without_signals()?);
        let is_live = self.source.is_live();
        let mut input = Input::open(&self.source, self.reading)?;
        let mut writer =
            LogWriter::create(&self.out, WrittenLogFormat::Candump, Some(self.digits))?;
        let (mut protector, mut out) = (LogProtector::new(plan.clone()), Vec::new());
        while let Some(record) = input.next()? {
            if let Some(date_ns) = input.start_ns() {
                writer.set_start(date_ns);
            }
            let protected = protector.protect(&record, input.channels(), &mut out);
            protected.map_err(|error| input.fault(remedies::of_protect(&error)))?;
            for record in out.drain(..) {
                let written = writer.write(&record, input.channels());
                written.map_err(Failure::writing)?;
            }
            if is_live {
                writer.flush().map_err(Failure::writing)?;
            }
        }
        let (protected, streams) = (protector.protected(), protector.streams());
        if protected == 0 {
            let why = plan.nothing_found(input.channels());
            return Err(input.about(why));
        }
        writer.finish()?;
        let passed = protector.unprotected();
        messages::status(input.finish());
        messages::status(format_args!(
            "{protected} protected in {streams} streams, {passed} passed as they are"
        ));
        Ok(Answer::Yes)
    }
}
