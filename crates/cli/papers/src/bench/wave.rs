//! The measurements of \[WAVE-SEC\], on this machine: ECDSA by payload (section 5.1), and a CAM
//! signed and verified by the library in this process and by the security service over its socket
//! (section 5.2). The times are medians of processor time, of all threads of the process: the
//! service has some of its own.

mod laboratory;
mod median;
mod packet;
mod parts;
mod service;
mod sweep;

use indicatif::ProgressBar;
use waywarden_papers::Amount;
use waywarden_papers::wave::{CAM_BYTES, Operation, Path, WaveCam, WaveQuantity};
use waywarden_v2x_neighbourhood::{InProcess, SecurityServices};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_work::Duration;

use self::laboratory::Bench;
use self::median::Median;
use self::service::Running;
use waywarden_command_line::exit::Failure;
use waywarden_command_v2x::station::service::ServiceSecurity;

/// One new station for so many messages.
const MESSAGES_PER_STATION: u32 = 10;
/// One run of each operation of the sweep for so many messages.
const MESSAGES_PER_RUN: u32 = 10;

/// Extent of the measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Number of CAMs of each length that each path signs and verifies.
    pub(crate) messages: u32,
    /// Ten a second by the clock, instead of as fast as it goes.
    pub(crate) is_real_time: bool,
}

/// Measured quantities.
pub(crate) type Measured = Vec<(WaveQuantity, Amount)>;

/// Measures everything. `bar` counts messages.
///
/// # Errors
/// If the operating system gives no randomness, folder, socket or thread.
pub(crate) fn measure(extent: Extent, bar: &ProgressBar) -> Result<Measured, Failure> {
    let runs = (extent.messages / MESSAGES_PER_RUN).max(1);
    let mut bench = Bench::new(extent.is_real_time)?;
    let mut measured = cams(&mut bench, extent.messages, bar)?;
    measured.extend(parts::measure(&mut bench, runs)?);
    measured.extend(packet::measure(&mut bench)?);
    measured.extend(sweep::measure(runs)?);
    Ok(measured)
}

/// A time as an amount.
fn time(time: std::time::Duration) -> Amount {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    Amount::Time(Duration::from_nanos(nanos))
}

/// One way from sender to receiver, with CAMs of one length.
struct Way {
    path: Path,
    bytes: u32,
    signer: Box<dyn SecurityServices>,
    /// Station whose messages are verified.
    other: InProcess,
    receiver: Box<dyn SecurityServices>,
    medians: [Median; 3],
}

impl Way {
    fn library(bench: &mut Bench, bytes: u32) -> Result<Self, Failure> {
        Ok(Self {
            path: Path::Library,
            bytes,
            signer: Box::new(bench.station()?),
            other: bench.station()?,
            receiver: Box::new(bench.station()?),
            medians: Default::default(),
        })
    }

    fn service(bench: &mut Bench, running: &Running, bytes: u32) -> Result<Self, Failure> {
        Ok(Self {
            path: Path::Service,
            bytes,
            signer: Box::new(ServiceSecurity::new(running.socket(), its_aid::CAM)),
            other: bench.station()?,
            receiver: Box::new(ServiceSecurity::new(running.socket(), its_aid::CAM)),
            medians: Default::default(),
        })
    }

    fn step(&mut self, bench: &mut Bench, is_with_new: bool) -> Result<(), Failure> {
        let [sign, known, new] = &mut self.medians;
        sign.add(bench.sign(&mut *self.signer, self.bytes)?.1);
        let (message, _) = bench.sign(&mut self.other, self.bytes)?;
        known.add(bench.verify(&mut *self.receiver, &message)?);
        if is_with_new {
            let mut station = bench.station()?;
            let (message, _) = bench.sign(&mut station, self.bytes)?;
            new.add(bench.verify(&mut *self.receiver, &message)?);
        }
        Ok(())
    }

    fn measured(&self) -> impl Iterator<Item = (WaveQuantity, Amount)> {
        let medians = Operation::ALL.iter().zip(&self.medians);
        medians.map(|(operation, median)| {
            let cam = WaveCam {
                operation: *operation,
                path: self.path,
                bytes: self.bytes,
            };
            (WaveQuantity::Cam(cam), time(median.get()))
        })
    }
}

/// All ways in turn, so that a disturbance hits them alike.
fn cams(bench: &mut Bench, messages: u32, bar: &ProgressBar) -> Result<Measured, Failure> {
    let running = Running::start(bench)?;
    let mut ways = Vec::new();
    for bytes in CAM_BYTES {
        ways.push(Way::library(bench, bytes)?);
        ways.push(Way::service(bench, &running, bytes)?);
    }
    for message in 0..messages {
        bench.advance();
        for way in &mut ways {
            way.step(bench, message % MESSAGES_PER_STATION == 0)?;
        }
        bar.inc(1);
    }
    Ok(ways.iter().flat_map(Way::measured).collect())
}
