//! Messages of a stack in place of beacons, as options of several commands, and their figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waywarden_traffic_lab::radio::RadioSettings;
use waywarden_traffic_stations::{
    CertificateSource, CongestionControl, NoCertificate, StackFigures, StackSettings,
    VehicleIdentity, VehicleStations,
};
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_neighbourhood::{CertificateForm, Laboratory};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use waywarden_command_line::exit::Failure;

/// Messages of vehicles, their certificates, and congestion control.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct StackOptions {
    /// Messages of vehicles: beacons of one length and period, or CAM or BSM by their rules,
    /// encoded and signed, with certificates that may be lost on the air.
    #[arg(long, value_enum, default_value_t)]
    awareness: Awareness,
    /// Congestion control: ETSI's reactive or adaptive one, adaptive with a faster fall, or that of
    /// SAE J2945/1 for BSM [default: off].
    #[arg(long, value_enum, value_name = "ALGORITHM")]
    congestion_control: Option<Control>,
    /// Form of the vehicles' certificates with cam and bsm [default: explicit].
    #[arg(long, value_enum)]
    certificates: Option<Form>,
    /// Sign and verify each message with ECDSA, at each receiver: slow, for small traces. Without
    /// it, signatures are symbols that only the owner of a key makes.
    #[arg(long)]
    real_signatures: bool,
}

/// Messages of vehicles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Awareness {
    /// Beacons of --bytes, --rate times a second.
    #[default]
    Beacons,
    /// Cooperative awareness messages over GeoNetworking [EN 302 637-2].
    Cam,
    /// Basic safety messages over WSMP [J2945/1].
    Bsm,
}

/// Congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Control {
    /// None.
    Off,
    /// Least times by states of the channel [TS 102 687 annex A].
    Reactive,
    /// A share of time for each vehicle, LIMERIC [TS 102 687 5.4].
    Adaptive,
    /// The same with a faster fall.
    DualAlpha,
    /// Rate and power of basic safety messages [J2945/1 6.3.8].
    J2945,
}

/// Form of the key in a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// As itself, with the issuer's signature.
    Explicit,
    /// As a reconstruction value (ECQV).
    Implicit,
}

/// The stack of a run, ready to begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackPlan {
    settings: StackSettings,
    form: CertificateForm,
    names: (&'static str, &'static str),
}

impl StackOptions {
    /// Returns the stack that the options ask for, if it is not beacons. Options of beacons that
    /// were given are `beacon_options`.
    pub(super) fn plan(
        &self,
        radio: RadioSettings,
        beacon_options: &[&str],
    ) -> Result<Option<StackPlan>, Failure> {
        let (service, name) = match self.awareness {
            Awareness::Cam => (MessageService::CamOverGeoNetworking, "cam"),
            Awareness::Bsm => (MessageService::BsmOverWsmp, "bsm"),
            Awareness::Beacons => {
                let given = [
                    self.congestion_control.map(|_| "--congestion-control"),
                    self.certificates.map(|_| "--certificates"),
                    self.real_signatures.then_some("--real-signatures"),
                ];
                return match given.into_iter().flatten().next() {
                    Some(option) => Err(Failure::new(format_args!(
                        "{option} needs messages of a stack; give --awareness cam or bsm, too"
                    ))),
                    None => Ok(None),
                };
            }
        };
        if let Some(option) = beacon_options.first() {
            return Err(Failure::new(format_args!(
                "{option} is for beacons, and --awareness {name} has its own lengths and times; \
                 leave one of them out"
            )));
        }
        let (control, control_name) = match self.congestion_control.unwrap_or(Control::Off) {
            Control::J2945 if self.awareness != Awareness::Bsm => {
                return Err(Failure::new(
                    "--congestion-control j2945 controls basic safety messages; give --awareness \
                     bsm, or reactive, adaptive or dual-alpha",
                ));
            }
            Control::Off => (CongestionControl::Etsi(Algorithm::Off), "off"),
            Control::Reactive => (CongestionControl::Etsi(Algorithm::Reactive), "reactive"),
            Control::Adaptive => (CongestionControl::Etsi(Algorithm::Adaptive), "adaptive"),
            Control::DualAlpha => (CongestionControl::Etsi(Algorithm::DualAlpha), "dual-alpha"),
            Control::J2945 => (CongestionControl::Sae, "j2945"),
        };
        Ok(Some(StackPlan {
            settings: StackSettings {
                service,
                control,
                change: ChangeRules::default(),
                has_real_signatures: self.real_signatures,
                radio,
                seed: 0,
            },
            form: match self.certificates {
                Some(Form::Implicit) => CertificateForm::Implicit,
                Some(Form::Explicit) | None => CertificateForm::Explicit,
            },
            names: (name, control_name),
        }))
    }
}

impl StackPlan {
    /// Returns the stations of all vehicles of a run.
    pub(super) fn stations(
        &self,
        seed: u64,
    ) -> Result<VehicleStations<impl CertificateSource>, Failure> {
        let mut stations = [0; 32];
        stations[..8].copy_from_slice(&seed.to_be_bytes());
        let laboratory = Laboratory::new(seed, 1, stations).map_err(Failure::new)?;
        let source = Certificates {
            laboratory,
            form: self.form,
        };
        let settings = StackSettings {
            seed,
            ..self.settings
        };
        Ok(VehicleStations::new(settings, source))
    }

    /// Returns all that a run depends on.
    pub(super) fn options(&self) -> serde_json::Value {
        let (awareness, control) = self.names;
        serde_json::json!({
            "awareness": awareness,
            "congestion_control": control,
            "certificates": format!("{:?}", self.form).to_lowercase(),
            "real_signatures": self.settings.has_real_signatures,
        })
    }

    /// Returns the figures of a run as they are printed.
    pub(super) fn report(&self, figures: &StackFigures) -> StackReport {
        let (awareness, control) = self.names;
        let ms = |ns: u64| ns as f64 / 1e6;
        let bytes = figures.bytes.max(1) as f64;
        StackReport {
            awareness: awareness.to_owned(),
            congestion_control: control.to_owned(),
            bytes_mean: figures.mean_bytes(),
            with_certificate: figures.certificate_share(),
            bytes_of_certificates: figures.certificate_bytes as f64 / bytes,
            certificate_requests: figures.requests,
            certificate_requests_unanswerable: figures.requests_unanswerable,
            unknown_signer: figures.unknown_share(),
            refused: figures.refused,
            certificates_lacked: figures.lacked,
            certificates_came: figures.came,
            lacked_ms_mean: figures.mean_lacked_ms(),
            lacked_ms_most: ms(figures.lacked_ns.1),
            interval_ms_mean: figures.mean_interval_ms(),
            interval_ms_most: ms(figures.intervals.2),
            busy_ratio_mean: figures.mean_busy(),
            busy_ratio_most: figures.busy.2,
            power_share_mean: figures.mean_power_share(),
            pseudonym_changes: figures.changes,
        }
    }
}

/// Certificates of one authority of a laboratory.
struct Certificates {
    laboratory: Laboratory,
    form: CertificateForm,
}

impl CertificateSource for Certificates {
    fn next(&mut self, now: Time64) -> Result<VehicleIdentity, NoCertificate> {
        let issued = self.laboratory.issue(0, self.form, &[], None, now);
        let issued = issued.map_err(|error| NoCertificate(error.to_string()))?;
        Ok(VehicleIdentity {
            certificate: issued.credential.certificate().clone(),
            key: Some((issued.credential.key(), issued.store)),
        })
    }

    fn trust(&self, verifier: &mut Verifier) -> Result<(), NoCertificate> {
        let taught = self.laboratory.teach(verifier, 1);
        taught.map_err(|refusal| NoCertificate(refusal.to_string()))
    }
}

/// Figures of a run with a stack. Shares are of 1; each is `None` where there was nothing.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
pub(super) struct StackReport {
    /// Messages of vehicles: `cam` or `bsm`.
    awareness: String,
    congestion_control: String,
    /// Mean length of a frame, with MAC header and check sequence.
    bytes_mean: Option<f64>,
    /// Share of messages that carried the certificate of their signer.
    with_certificate: Option<f64>,
    /// Share of the bytes of all frames that were certificates.
    bytes_of_certificates: f64,
    /// Requests for certificates of others.
    certificate_requests: u64,
    /// Those for certificates that no vehicle has.
    certificate_requests_unanswerable: u64,
    /// Share of received messages whose signer the receiver did not know: it could not verify them.
    unknown_signer: Option<f64>,
    /// Received messages that were refused for another reason.
    refused: u64,
    /// Certificates that a receiver lacked for some time.
    certificates_lacked: u64,
    /// Those that came.
    certificates_came: u64,
    /// Time until they came.
    lacked_ms_mean: Option<f64>,
    lacked_ms_most: f64,
    /// Time from a message of a vehicle to its next.
    interval_ms_mean: Option<f64>,
    interval_ms_most: f64,
    /// Share of time in which the channel was busy, measured by each vehicle for 100 ms.
    busy_ratio_mean: Option<f64>,
    busy_ratio_most: f64,
    /// Power of messages as a share of the radio's.
    power_share_mean: Option<f64>,
    pseudonym_changes: u64,
}

impl StackReport {
    /// Returns the figures for people, with their names.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let share = |share: Option<f64>| share.map_or_else(none, percent);
        let ms = |ms: f64| format!("{ms:.0} ms");
        let time = |time: Option<f64>| time.map_or_else(none, ms);
        let bytes = self.bytes_mean.map(|bytes| format!("{bytes:.1}"));
        vec![
            ("frame in bytes, mean", bytes.unwrap_or_else(none)),
            (
                "interval of a vehicle's messages, mean",
                time(self.interval_ms_mean),
            ),
            (
                "interval of a vehicle's messages, longest",
                ms(self.interval_ms_most),
            ),
            ("channel busy ratio, mean", share(self.busy_ratio_mean)),
            (
                "channel busy ratio, greatest",
                percent(self.busy_ratio_most),
            ),
            ("power, mean share of --power", share(self.power_share_mean)),
            ("messages with certificate", share(self.with_certificate)),
            (
                "certificates, share of all bytes",
                percent(self.bytes_of_certificates),
            ),
            (
                "requests for certificates",
                self.certificate_requests.to_string(),
            ),
            (
                "requests for certificates that no vehicle has",
                self.certificate_requests_unanswerable.to_string(),
            ),
            ("received of unknown signers", share(self.unknown_signer)),
            (
                "certificates lacked for some time",
                self.certificates_lacked.to_string(),
            ),
            (
                "certificates lacked, that came",
                self.certificates_came.to_string(),
            ),
            ("certificates lacked, mean time", time(self.lacked_ms_mean)),
            ("certificates lacked, longest time", ms(self.lacked_ms_most)),
            ("changes of pseudonym", self.pseudonym_changes.to_string()),
        ]
    }
}

fn none() -> String {
    "none".to_owned()
}
