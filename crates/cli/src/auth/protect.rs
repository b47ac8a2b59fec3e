//! `waywarden auth protect`: a log becomes the log of a bus whose messages are authenticated.

use std::path::PathBuf;

use super::input::Input;
use super::plan::PlanOptions;
use super::protector::LogProtector;
use waywarden_command_line::damage::Reading;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::logs::{LogFormat, LogWriter};

/// Protect the messages of a log: candump out, with tags.
///
/// Messages of the streams that the tables name go out protected, everything else as it is. SecOC
/// puts freshness and code into the message's own frame; vatiCAN and LeiA put a tag frame behind
/// the message, with the same time. Where freshness is synchronised announcements are put in, at
/// the start and whenever `announce` of the log's time is over.
#[derive(Debug, clap::Args)]
pub(crate) struct Protect {
    /// The log: candump, ASC or BLF, plain or gzip. - is standard input.
    log: PathBuf,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    plan: PlanOptions,
    /// Write the protected log here instead of to standard output, which is - too.
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    out: PathBuf,
}

impl Protect {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let plan = self.plan.plan()?;
        let mut input = Input::open(&self.log, self.reading)?;
        let mut writer = LogWriter::create(&self.out, LogFormat::Candump)?;
        let (mut protector, mut out) = (LogProtector::new(&plan), Vec::new());
        while let Some(record) = input.next()? {
            let taken = protector.take(&record, input.channels(), &mut out);
            taken.map_err(|why| input.fault(why))?;
            for record in out.drain(..) {
                let written = writer.write(&record, input.channels());
                written.map_err(Failure::writing)?;
            }
        }
        let (protected, streams) = protector.protected();
        if protected == 0 {
            let why = plan.nothing_found(input.channels());
            return Err(input.about(why));
        }
        writer.finish()?;
        let passed = protector.passed();
        eprintln!("{}", input.finish());
        eprintln!("{protected} protected in {streams} streams, {passed} passed as they are");
        Ok(Answer::Yes)
    }
}
