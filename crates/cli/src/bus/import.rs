//! `waywarden bus import`: a DBC message matrix becomes a vehicle file to go on from.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use waywarden_can::timing::BitRate;
use waywarden_vehicle::dbc::{self, Options, observed_periods};
use waywarden_vehicle::file::VehicleFile;
use waywarden_work::Duration;

use crate::exit::{Answer, Failure};
use crate::files::{self, Output};
use crate::quantity;

/// Make a vehicle file of a DBC message matrix.
///
/// Cycle times come from the DBC where it has them (GenMsgCycleTime), else from a log of the same
/// bus (--log), else from --assume; messages without any stand in the result as comments.
#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// The DBC file.
    dbc: PathBuf,
    /// Write the vehicle file here instead of to standard output.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A log of the bus, for the periods the DBC does not state.
    #[arg(long, value_name = "LOG")]
    log: Option<PathBuf>,
    /// The period of messages that have none in either, such as 100ms.
    #[arg(long, value_name = "TIME")]
    assume: Option<String>,
    /// The bus's name.
    #[arg(long, default_value = "main")]
    bus: String,
    /// Nominal bit rate.
    #[arg(long, value_name = "RATE", default_value = "500k")]
    bitrate: BitRate,
    /// Data bit rate, used if any message is CAN FD.
    #[arg(long, value_name = "RATE", default_value = "2M")]
    data_bitrate: BitRate,
}

impl Import {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let path = self.dbc.display();
        let bytes = fs::read(&self.dbc).map_err(|error| Failure::file(&path, &error))?;
        let matrix = dbc::import(&dbc::decode(&bytes))
            .map_err(|error| Failure::new(format_args!("{path}: {error}")))?;
        let options = Options {
            vehicle: self
                .dbc
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            bus: self.bus.clone(),
            bit_rate: self.bitrate,
            data_bit_rate: self.data_bitrate,
            observed: self.observed()?,
            assumed: self.assume.as_deref().map(quantity::duration).transpose()?,
        };
        let text = matrix.to_vehicle_toml(&options);
        let Some(out) = &self.out else {
            std::io::stdout().lock().write_all(text.as_bytes())?;
            return Ok(Answer::Yes);
        };
        let mut output = Output::create(out)?;
        output.write_all(text.as_bytes())?;
        output.finish()?;
        let streams = VehicleFile::parse(&out.display().to_string(), &text)
            .map_or(0, |file| file.streams.len());
        println!(
            "{}: {} messages of {path}, {streams} of them as streams",
            out.display(),
            matrix.messages.len()
        );
        Ok(Answer::Yes)
    }

    fn observed(&self) -> Result<std::collections::HashMap<waywarden_can::Id, Duration>, Failure> {
        let Some(log) = &self.log else {
            return Ok(Default::default());
        };
        let frames = files::log_frames(log)?;
        Ok(observed_periods(frames.into_iter().map(
            |(_, at, frame)| (frame.id(), Duration::from_nanos(at)),
        )))
    }
}
