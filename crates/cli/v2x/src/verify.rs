//! `waywarden verify`: messages and certificates, and why each that is refused is.

mod output;
mod progress;
mod scheduled;
mod summary;

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::thread;

use indicatif::ProgressBar;
use waywarden_v2x_receiver::{Pipeline, PipelineSettings, Receiver, ReceiverSettings, Reception};
use waywarden_v2x_receiver::{Stopped, Verdict};
use waywarden_v2x_security::Capacity;
use waywarden_v2x_security::profile::AcceptedNonceForm;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use self::output::{Answer as Written, Format, Output, ROWS_MAX};
use self::progress::ExpansionBar;
use self::scheduled::Scheduling;
pub(crate) use self::summary::passed_over;
use self::summary::{Summary, Tally};
use waywarden_command_line::answers;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::quantity::bytes;
use waywarden_command_line::terminal::plain;
use waywarden_pki_folder::trust;
use waywarden_v2x_input::certificates::{SignerKeys, Trust};
use waywarden_v2x_input::time::{self, At, parse_at};
use waywarden_v2x_input::unread::{StopReason, UnreadFile};
use waywarden_v2x_input::{lists, records};

/// Memory for the tables of keys of each thread, unless the user says how much they may have.
const TABLES: usize = 1 << 20;
/// More threads than a machine has cores for.
const JOBS_MAX: i64 = 1_024;
/// Size of the output buffer, in bytes.
const WRITTEN: usize = 64 << 10;

/// Verify V2X messages and certificates (IEEE 1609.2, ETSI TS 103 097), and say why each is
/// refused.
///
/// A file has one message or certificate in its bytes, or is a text, or a capture (pcap, pcapng);
/// each may be compressed with gzip, and is unpacked to at most 1 GiB. A text has a message a line
/// in hexadecimal digits or base64, or wrapped over lines; or is a dump (xxd, hexdump -C,
/// Wireshark), JSON with messages in strings, an array of C, armour like PEM, or a log. A line that
/// cannot be read is an error (exit code 2), and the lines after it are read.
/// In all of them WAVE short messages and GeoNetworking packets are opened, with the message family
/// of C-V2X before them, and UDP datagrams over IPv4 and IPv6. In captures, frames of
/// other traffic are skipped and counted; a broken packet is reported, and later ones are read.
///
/// Regions that name countries (UN M49), the European Union (65535) or states of the United States
/// are checked offline; a place within 1,000 m of a border is inside. Regions of other countries
/// and counties have no borders: a message that needs them is refused as not known. Country
/// boundaries: © OpenStreetMap contributors, Open Database License (ODbL) 1.0.
///
/// Exit code 0 if all are accepted, 1 if one is not, 2 if a file cannot be read, or not to its end,
/// or has nothing to verify; what was read of it is printed.
#[derive(Debug, clap::Args)]
pub struct VerifyCommand {
    /// Files with messages and certificates; `-` is standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A trust store (see `waywarden pki trust`), or a folder with certificates: those that issued
    /// themselves are trusted, authorities are found in it.
    #[arg(long, value_name = "DIR")]
    trust: Option<PathBuf>,
    /// Keys of signers whose issuers are not known (JSON), on P-256, P-384, brainpoolP256r1 or
    /// brainpoolP384r1: signatures are checked against them, and no message is accepted for that.
    #[arg(long, value_name = "FILE")]
    signer_keys: Option<PathBuf>,
    /// Refuse --signer-keys if an entry cannot be used. Without the option such entries are
    /// skipped, with a note of their number and of the reasons.
    #[arg(long, requires = "signer_keys")]
    strict: bool,
    /// The time at which messages are judged: a time (2026-03-01T12:00:00Z, or a number of
    /// microseconds since 2004, TAI), `now`, `capture` (when each was captured) or `generation`
    /// (when each says that it was made). What does not say so is judged now, which is noted.
    #[arg(long, value_name = "TIME", default_value = "now", value_parser = parse_at)]
    at: At,
    /// The form in which a message must give the r of its signature.
    ///
    /// Without the option any form is taken.
    ///
    /// With `point` an outsider can still do this to a message without its key, and get a copy
    /// that is accepted once in its place: name the signer by certificate or by digest, add or
    /// remove known certificates above it, compress a point or give both its coordinates, and turn
    /// (R, s) into (-R, n - s). With `any` also: give R as an x-coordinate. Of all such copies the
    /// first one is accepted, and the others are replays. docs/protocols/1609dot2.md lists them.
    #[arg(long, value_enum, value_name = "FORM")]
    nonce_form: Option<Form>,
    /// Drop what ETSI TS 103 097 demands of messages beyond IEEE 1609.2.
    ///
    /// Then a CAM may have a place, an expiry time, an encryption key or a chain of certificates, a
    /// DENM may name its signer by digest, and other messages may go without a place: those pass
    /// the region of their signer. Everything else is checked all the same.
    #[arg(long)]
    lenient: bool,
    /// Take an implicit certificate that a message brings and that --trust does not have as the
    /// issuer of another. It has no signature of its own at which a forgery would end, so a forged
    /// chain costs a verification more. Without the option such a message is refused.
    #[arg(long)]
    unknown_implicit_issuers: bool,
    /// A signed revocation list (IEEE 1609.2) in a file, applied before anything is verified. Its
    /// signer must be permitted to revoke for its CRACA and series. May be given more than once, in
    /// any order: lists only add, and a note reports lists that are missing between.
    ///
    /// A list by linkage values is expanded on all cores for each period of which a certificate
    /// with a valid signature comes: at most 4,194,304 values of all lists for a period, 42 MB, and
    /// 2^27 hashes for a list. The tables of three periods are kept. A certificate for which that
    /// is too much is refused (spduCertificateChainOverdueCRL).
    #[arg(long, value_name = "FILE")]
    crl: Vec<PathBuf>,
    /// Do not compare payloads with the certificate of their signer.
    ///
    /// Without the option the place of a CAM, DENM or BSM must be in the region of its certificate
    /// if the header has no generation location, the SSP of a CAM or DENM must permit its content,
    /// and a payload must be of the header's application. A message that fails is not accepted,
    /// though its verdict is still that of IEEE 1609.2: success.
    #[arg(long)]
    no_payload_check: bool,
    /// Memory for tables of keys that are met again, such as 64KiB, 1MiB or a number of bytes; 0
    /// for none. All threads share it evenly; without the option each has 1 MiB. Tables change how
    /// long verifying takes and no verdict. A sender's takes about 5 KiB.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    table_memory: Option<usize>,
    /// A UDP port of captures that has messages, such as 1234. May be given more than once. Then a
    /// datagram to or from such a port that does not read as a message is reported, and all others
    /// are skipped. Without the option messages are found on any port, and what does not read as
    /// one is skipped and counted.
    #[arg(long = "udp-port", value_name = "PORT")]
    udp_ports: Vec<u16>,
    /// Number of threads that verify, beside the one that reads; with 1 that one verifies. Without
    /// the option there are as many as cores. Their number changes how long verifying takes and
    /// nothing else.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=JOBS_MAX))]
    jobs: Option<u16>,
    /// The form of the answer. CSV, JSON and JSON Lines are written while the files are read, so
    /// that inputs may have any length.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    scheduling: Scheduling,
}

/// Form of a signature's r.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Any that can be verified.
    Any,
    /// A point: compressed, or with both coordinates.
    Point,
    /// The x-coordinate alone.
    XOnly,
}

/// Returns the schemas of what programs read.
pub(crate) fn schemas() -> Vec<DocumentSchema> {
    [output::SCHEMAS, scheduled::SCHEMAS].concat()
}

impl VerifyCommand {
    /// Runs the command.
    pub fn execute(&self) -> Result<Answer, Failure> {
        if let Some(policy) = self.scheduling.policy {
            return scheduled::execute(self, policy);
        }
        let mut summary = Summary::default();
        let out = BufWriter::with_capacity(WRITTEN, answers::out());
        let mut output = Output::new(self.format, out);
        let bar = self.bar();
        // A failure of the output is reported instead of what could not be read.
        let answer = self.run(&mut summary, &mut output, &bar)?;
        bar.finish_and_clear();
        if let Err(failure) = &answer
            && summary.errors.is_empty()
        {
            let lines = failure.lines().iter();
            summary
                .errors
                .extend(lines.map(|line| UnreadFile::all(line)));
        }
        let more = summary.warnings.more("notes");
        for warning in summary.warnings.items().iter().chain(&more) {
            messages::note(plain(warning));
        }
        output.finish(&summary)?;
        answer
    }

    /// Shows how far the reading is. A table is written at the end, all else meanwhile.
    fn bar(&self) -> ProgressBar {
        progress::bar(&self.files, self.format != Format::Table)
    }

    /// Verifies everything; the outer failure is that of the output, which ends it at once.
    fn run(
        &self,
        summary: &mut Summary,
        output: &mut Output<impl Write + Send>,
        bar: &ProgressBar,
    ) -> Result<Result<Answer, Failure>, Failure> {
        let receiver = match self.receiver(summary, bar) {
            Ok(receiver) => receiver,
            Err(failure) => return Ok(Err(failure)),
        };
        let settings = PipelineSettings {
            threads: self.threads(),
            reception: Reception::default(),
        };
        let mut tally = Tally::default();
        let form = |verdicts: Vec<Option<Verdict>>| {
            let counted = Tally::of(&verdicts);
            let verdicts = verdicts.into_iter().flatten().collect();
            Ok((Written::new(self.format, verdicts)?, counted))
        };
        let pipeline = Pipeline::new(&receiver, settings, form, |(answer, counted)| {
            tally.add(&counted);
            bar.set_message(format!("{} inputs", tally.inputs));
            output.write(answer)
        });
        let stopped = |stopped: Stopped| StopReason::Failed(Failure::new(stopped));
        pipeline.run(|feed| {
            for path in &self.files {
                // The records before the place where a file ends count, and the other files are
                // read.
                let watch = |input| progress::watch(bar, input);
                match records::watched(path, watch, |record| feed.take(record).map_err(stopped)) {
                    Ok(file) => summary.take(file),
                    Err(StopReason::Unread(unread)) => summary.errors.extend([unread]),
                    Err(StopReason::Failed(failure)) => return Err(failure),
                }
            }
            Ok(())
        })?;
        summary.tally = tally;
        summary.warnings.extend(self.undated(summary.tally.undated));
        summary.warnings.extend(receiver.notes());
        Ok(answer(summary))
    }

    fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }

    /// Says of what was judged at this moment that it was.
    fn undated(&self, count: usize) -> Option<String> {
        let what = match self.at {
            At::Capture => "captured",
            At::Generation => "made",
            At::Now | At::Time(_) => return None,
        };
        let are = match count {
            0 => return None,
            1 => "1 message does not say when it was".to_owned(),
            more => format!("{more} messages do not say when they were"),
        };
        Some(format!(
            "--at: {are} {what}, and judged at this moment instead; give a time"
        ))
    }

    /// Reads who is trusted.
    fn receiver(&self, summary: &mut Summary, bar: &ProgressBar) -> Result<Receiver, Failure> {
        let settings = self.receiver_settings();
        let mut verifier = settings.verifier();
        let trust = match self.trust.as_deref() {
            None => Trust::default(),
            Some(folder) if trust::folder::is_store(folder) => {
                let (trust, notes) = trust::load(folder, &mut verifier, self.list_time())?;
                summary.warnings.extend(notes);
                trust
            }
            Some(folder) => Trust::load(folder, &mut verifier)?,
        };
        let keys = self.signer_keys.as_deref();
        let keys = keys.map(|path| SignerKeys::load(path, self.strict));
        let mut keys = keys.transpose()?.unwrap_or_default();
        summary.warnings.extend(keys.skipped.take());
        summary.warnings.extend(trust.warnings(ROWS_MAX));
        let applied = lists::apply_all(&self.crl, "--crl", &mut verifier, self.list_time())?;
        summary.warnings.extend(applied);
        let receiver = Receiver::new(&settings, verifier, trust, keys);
        Ok(receiver.with_observer(ExpansionBar(bar.clone())))
    }

    fn receiver_settings(&self) -> ReceiverSettings {
        let threads = self.threads();
        ReceiverSettings {
            capacity: Capacity {
                table_bytes: self.table_memory.unwrap_or(threads * TABLES),
                ..Capacity::DEFAULT
            },
            nonce_form: self.nonce_form.map(|form| match form {
                Form::Any => AcceptedNonceForm::Any,
                Form::Point => AcceptedNonceForm::Point,
                Form::XOnly => AcceptedNonceForm::XOnly,
            }),
            is_lenient: self.lenient,
            unknown_implicit_issuers: self.unknown_implicit_issuers,
            checks_payloads: !self.no_payload_check,
            at: self.at,
            udp_ports: self.udp_ports.clone(),
            threads,
        }
    }

    /// Returns the time for lists: those of a PKI are, unlike messages, judged as they are now.
    fn list_time(&self) -> Time64 {
        match self.at {
            At::Time(time) => time,
            At::Now | At::Capture | At::Generation => time::now(),
        }
    }
}

/// Returns whether all inputs were accepted, or the files that could not be read.
fn answer(summary: &Summary) -> Result<Answer, Failure> {
    let tally = &summary.tally;
    if tally.inputs == 0 && summary.errors.is_empty() {
        return Err(Failure::new(format_args!(
            "the files have no message and no certificate{}",
            passed_over(tally.passed_over)
        )));
    }
    let listed = summary.errors.items().iter().map(ToString::to_string);
    let failures = listed.chain(summary.errors.more("files that cannot be read"));
    Failure::if_any(failures.map(Failure::new).collect())?;
    Ok(match tally.accepted == tally.inputs {
        true => Answer::Yes,
        false => Answer::No,
    })
}
