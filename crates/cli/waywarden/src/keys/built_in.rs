//! The vehicle that `waywarden keys` writes itself: its options, and what it consists of.

use clap::ValueEnum;
use waywarden_boards::Board;
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_vehicle_file::{DATA_BIT_RATE_MAX, NOMINAL_BIT_RATE_MAX, PACING_MAX};
use waywarden_vehicle_lab::exchange::ExchangeScenario;
use waywarden_work::Duration;

use waywarden_command_can::quantity;
use waywarden_command_line::exit::Failure;

/// Time limit of a run: the slowest board with 127 ECUs is done by then.
const UNTIL: &str = "5min";

/// The data bit rate of its CAN FD bus.
const DATA_BIT_RATE: u32 = 2_000_000;

/// The built-in vehicle. What a vehicle file says is not said again here.
#[derive(Debug, clap::Args)]
pub(super) struct BuiltIn {
    /// Key agreement or distribution of a group; or ECUs under a security module.
    #[arg(long, value_enum, default_value_t, conflicts_with = "vehicle")]
    scheme: Scheme,
    /// The cryptography; a group has the first two [default: fourq; p256 with lasan].
    #[arg(long, value_enum, conflicts_with = "vehicle")]
    suite: Option<Suite>,
    /// Origin of the messages: as published, they have known weaknesses.
    #[arg(long, value_enum, default_value_t, conflicts_with = "vehicle")]
    profile: Profile,
    /// The handling of the last one of a level with an odd number of entries [default: skipped].
    #[arg(long, value_enum, conflicts_with = "vehicle")]
    odd_levels: Option<OddLevels>,
    /// With lasan, how keys are known [default: certificates; keys with compact].
    #[arg(long, value_enum, conflicts_with = "vehicle")]
    credentials: Option<Credentials>,
    /// With lasan, the least time from one frame of an ECU to its next, such as 0.5ms.
    #[arg(
        long,
        value_name = "TIME",
        conflicts_with = "vehicle",
        allow_hyphen_values = true,
        value_parser = pacing
    )]
    pacing: Option<String>,
    /// Number of ECUs besides the orchestrator, up to 127; 85 in a tree with the orchestrator, 126
    /// besides a security module.
    #[arg(
        long,
        conflicts_with = "vehicle",
        default_value_t = 4,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(2..=127)
    )]
    ecus: u32,
    /// The board of all ECUs: a built-in one, or a board file; see docs/boards.md.
    #[arg(long, conflicts_with = "vehicle", default_value = "tc297", value_parser = board)]
    board: String,
    /// The kind of frames, and of bus.
    #[arg(long, value_enum, default_value_t, conflicts_with = "vehicle")]
    transport: Transport,
    /// Nominal bit rate.
    #[arg(
        long,
        conflicts_with = "vehicle",
        value_name = "RATE",
        default_value = "500k"
    )]
    bitrate: BitRate,
    /// Data bit rate of a CAN FD bus [default: 2M].
    #[arg(long, conflicts_with = "vehicle", value_name = "RATE")]
    data_bitrate: Option<BitRate>,
    /// Print the built-in vehicle as a vehicle file, and do not run it.
    #[arg(long, conflicts_with = "vehicle")]
    pub(super) print_vehicle: bool,
}

/// Declares words of a vehicle file as an option's values.
macro_rules! words {
    ($(#[$meta:meta])* enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Returns the word, as vehicle files have it.
            fn word(self) -> String {
                let value = self.to_possible_value();
                value.map_or(String::new(), |value| value.get_name().to_owned())
            }
        }
    };
}

impl Scheme {
    /// Returns the maximum number of ECUs, and the node that comes besides them.
    const fn ecus_max(self) -> (u32, &'static str) {
        match self {
            Scheme::TreeWithOrchestrator => (85, " besides the orchestrator"),
            Scheme::TreeWithoutOrchestrator | Scheme::SymmetricDistribution => {
                (127, " besides the orchestrator")
            }
            Scheme::Lasan => (126, " besides the security module"),
        }
    }
}

words! {
    /// A scheme.
    #[derive(Default)]
    enum Scheme {
        /// A full tree, with the orchestrator in each pair of the lowest level.
        #[default]
        #[value(alias = "tree")]
        TreeWithOrchestrator,
        /// A tree in which the orchestrator is one more ECU.
        TreeWithoutOrchestrator,
        /// The orchestrator exchanges a key with each ECU and hands out the group's.
        SymmetricDistribution,
        /// ECUs authenticate to a security module, which grants the keys of streams.
        Lasan,
    }
}

words! {
    /// A suite.
    enum Suite {
        /// FourQ and SchnorrQ.
        #[value(name = "fourq")]
        FourQ,
        /// ECDH and ECDSA on P-256.
        #[value(name = "p256")]
        P256,
        /// ML-KEM-768 and ML-DSA-44.
        #[value(name = "ml-kem-768+ml-dsa-44")]
        MlKem768MlDsa44,
        /// ML-KEM-768 and ML-DSA-65.
        #[value(name = "ml-kem-768+ml-dsa-65")]
        MlKem768MlDsa65,
        /// ML-KEM-512 and FN-DSA-512, the smallest that is post-quantum.
        #[value(name = "ml-kem-512+fn-dsa-512")]
        MlKem512FnDsa512,
        /// ML-KEM-768 and FN-DSA-1024.
        #[value(name = "ml-kem-768+fn-dsa-1024")]
        MlKem768FnDsa1024,
        /// X25519 with ML-KEM-768, and ML-DSA-65.
        #[value(name = "x25519-ml-kem-768+ml-dsa-65")]
        HybridMlDsa65,
    }
}

words! {
    /// A profile.
    #[derive(Default)]
    enum Profile {
        /// Everything bound to everything.
        #[default]
        Hardened,
        /// The paper's messages.
        AsPublished,
        /// With lasan: an ECU proves itself without a signature. With post-quantum suites that is
        /// less computing, and fewer bytes except with ml-kem-512+fn-dsa-512.
        Compact,
    }
}

words! {
    /// Handling of the last one of an odd level.
    enum OddLevels {
        /// It joins the next level as it is.
        Skipped,
        /// It becomes a logical ECU of its own by one more order.
        Promoted,
    }
}

words! {
    /// Form in which keys are known.
    enum Credentials {
        /// Each node sends a certificate.
        Certificates,
        /// Each node sends the key, whose digest is enrolled.
        Digests,
        /// No node sends a key: all keys are enrolled.
        Keys,
    }
}

words! {
    /// Frame format that carries the messages.
    #[derive(Default)]
    enum Transport {
        /// CAN FD, 64 bytes a frame.
        #[default]
        Fd,
        /// Classic CAN, 8 bytes a frame.
        Classic,
    }
}

impl BuiltIn {
    /// Returns what the vehicle consists of, if the options fit.
    pub(super) fn recipe<'a>(
        &'a self,
        seed: u64,
        until: Option<&'a str>,
    ) -> Result<ExchangeScenario<'a>, Failure> {
        self.check()?;
        let highest = NOMINAL_BIT_RATE_MAX;
        quantity::within("--bitrate", self.bitrate, highest)?;
        let data_bit_rate = match (self.transport, self.data_bitrate) {
            (Transport::Classic, Some(rate)) => {
                return Err(Failure::new(format_args!(
                    "--data-bitrate {rate}: classic frames have one bit rate; leave it out, or \
                     take --transport fd"
                )));
            }
            (Transport::Classic, None) => None,
            // The nominal bit rate is not above it: that was seen.
            (Transport::Fd, None) => Some(DATA_BIT_RATE),
            (Transport::Fd, Some(rate)) => {
                quantity::within("--data-bitrate", rate, DATA_BIT_RATE_MAX)?;
                quantity::checked(BitTiming::fd(self.bitrate, rate))?;
                Some(rate.bits_per_second())
            }
        };
        let lasan = self.scheme == Scheme::Lasan;
        let suite = self
            .suite
            .unwrap_or(if lasan { Suite::P256 } else { Suite::FourQ });
        let mut words: Vec<(&str, String)> = vec![
            ("scheme", self.scheme.word()),
            ("suite", suite.word()),
            ("profile", self.profile.word()),
            ("transport", self.transport.word()),
        ];
        let odd = self.odd_levels.map(OddLevels::word);
        words.extend(odd.map(|word| ("odd_levels", word)));
        let credentials = self.credentials.map(Credentials::word);
        words.extend(credentials.map(|word| ("credentials", word)));
        words.extend(self.pacing.clone().map(|time| ("pacing", time)));
        Ok(ExchangeScenario {
            lasan,
            ecus: self.ecus,
            board: &self.board,
            bit_rate: self.bitrate.bits_per_second(),
            data_bit_rate,
            keys: words,
            seed,
            duration: until.unwrap_or(UNTIL),
        })
    }

    /// Sees whether the scheme has what is asked for.
    fn check(&self) -> Result<(), Failure> {
        let (most, besides) = self.scheme.ecus_max();
        if self.ecus > most {
            return Err(Failure::new(format_args!(
                "--ecus {}: --scheme {} has room for {most} ECUs{besides}",
                self.ecus,
                self.scheme.word()
            )));
        }
        if self.scheme == Scheme::Lasan {
            return match self.odd_levels {
                Some(odd) => Err(Failure::new(format_args!(
                    "--odd-levels {}: a security module forms no tree; leave it out",
                    odd.word()
                ))),
                None => Ok(()),
            };
        }
        let suite = self
            .suite
            .filter(|suite| !matches!(suite, Suite::FourQ | Suite::P256));
        let compact = (self.profile == Profile::Compact).then_some(Profile::Compact);
        let others = [
            ("--suite", suite.map(Suite::word), "fourq and p256"),
            (
                "--profile",
                compact.map(Profile::word),
                "hardened and as-published",
            ),
            (
                "--credentials",
                self.credentials.map(Credentials::word),
                "certificates of its own",
            ),
            ("--pacing", self.pacing.clone(), "no pace"),
        ];
        let mut wrong = others
            .into_iter()
            .filter_map(|(key, word, has)| Some((key, word?, has)));
        match wrong.next() {
            Some((option, word, has)) => Err(Failure::new(format_args!(
                "{option} {word}: a group has {has}; leave it out, or take --scheme lasan"
            ))),
            None => Ok(()),
        }
    }
}

/// Reads a pacing as vehicle files have it, so that errors name the option.
fn pacing(text: &str) -> Result<String, String> {
    match text.parse::<Duration>() {
        Ok(pace) if pace > Duration::ZERO && pace <= PACING_MAX => Ok(text.to_owned()),
        Ok(_) => Err(format!(
            "out of range: above 0 and up to {PACING_MAX}; leave it out for as fast as the bus \
             takes them"
        )),
        Err(_) => Err("not a duration such as 0.5ms or 200us".to_owned()),
    }
}

/// Reads the name of a built-in board, in any case, or the path of a board file.
fn board(text: &str) -> Result<String, String> {
    if text.contains('/') || text.ends_with(".toml") {
        return Ok(text.to_owned());
    }
    let known = || Board::builtin_names();
    let same = known().find(|name| name.eq_ignore_ascii_case(text));
    same.map(str::to_owned).ok_or_else(|| {
        let known: Vec<&str> = known().collect();
        format!(
            "no such board; there are {}, and files that end in .toml",
            known.join(", ")
        )
    })
}
