//! The interfaces, as Wireshark lists them with their link types and options.

use std::io::{self, Write};

/// The page that Wireshark opens for help.
const HELP: &str = "file:///usr/share/doc/waywarden/wireshark.md";

/// Interface to capture from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum InterfaceName {
    /// The buses of a simulated vehicle.
    #[value(name = "waywarden-vehicle")]
    Vehicle,
    /// V2X stations, over UDP multicast or raw Ethernet.
    #[cfg(feature = "v2x")]
    #[value(name = "waywarden-station")]
    Station,
    /// A recording of the V2X security service.
    #[cfg(feature = "v2x")]
    #[value(name = "waywarden-recording")]
    Recording,
}

/// Option of an interface, as Wireshark's dialogue has it.
struct InterfaceOption {
    /// The option of this command.
    call: &'static str,
    /// The text beside the field.
    display: &'static str,
    tooltip: &'static str,
    /// Type of the field, its default and whether it is required.
    kind: &'static str,
}

const fn option(
    call: &'static str,
    display: &'static str,
    tooltip: &'static str,
    kind: &'static str,
) -> InterfaceOption {
    InterfaceOption {
        call,
        display,
        tooltip,
        kind,
    }
}

const REQUIRED_FILE: &str = "{type=fileselect}{mustexist=true}{required=true}";
const SPEED: InterfaceOption = option(
    "--speed",
    "Speed",
    "A multiple of real time from 0.001 to 1000000, or max",
    "{type=string}{default=1}",
);

const VEHICLE: &[InterfaceOption] = &[
    option(
        "--vehicle",
        "Vehicle file",
        "A vehicle in TOML",
        REQUIRED_FILE,
    ),
    option(
        "--bus",
        "Bus",
        "The name of one bus; empty: all of them",
        "{type=string}",
    ),
    SPEED,
    option(
        "--duration",
        "Duration",
        "Such as 10s or 500ms; empty: that of the file",
        "{type=string}",
    ),
    option(
        "--seed",
        "Seed",
        "Seed of all random choices; empty: that of the file",
        "{type=string}",
    ),
];

#[cfg(feature = "v2x")]
const STATION: &[InterfaceOption] = &[
    option(
        "--trust",
        "Trust",
        "A trust store or a folder with certificates, as of waywarden verify; empty: none",
        "{type=string}",
    ),
    option(
        "--link",
        "Link",
        "udp (multicast) or ethernet:INTERFACE",
        "{type=string}{default=udp}",
    ),
    option(
        "--group",
        "Multicast group",
        "Address and port of the link udp",
        "{type=string}{default=239.118.50.88:37008}",
    ),
    option(
        "--address",
        "Interface address",
        "Address of the interface of the link udp",
        "{type=string}{default=127.0.0.1}",
    ),
];

#[cfg(feature = "v2x")]
const RECORDING: &[InterfaceOption] = &[
    option(
        "--recording",
        "Recording",
        "JSON Lines of the V2X security service",
        REQUIRED_FILE,
    ),
    SPEED,
    option(
        "--follow",
        "Follow",
        "Read what is there without waiting, then go on as the service writes",
        "{type=boolflag}{default=false}",
    ),
];

impl InterfaceName {
    const ALL: &'static [Self] = &[
        Self::Vehicle,
        #[cfg(feature = "v2x")]
        Self::Station,
        #[cfg(feature = "v2x")]
        Self::Recording,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Vehicle => "waywarden-vehicle",
            #[cfg(feature = "v2x")]
            Self::Station => "waywarden-station",
            #[cfg(feature = "v2x")]
            Self::Recording => "waywarden-recording",
        }
    }

    const fn display(self) -> &'static str {
        match self {
            Self::Vehicle => "Waywarden: simulated vehicle (CAN)",
            #[cfg(feature = "v2x")]
            Self::Station => "Waywarden: V2X stations",
            #[cfg(feature = "v2x")]
            Self::Recording => "Waywarden: recording of the V2X security service",
        }
    }

    /// Returns number, name and display of the link type \[LINKTYPES\].
    const fn link_type(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Vehicle => (227, "CAN_SOCKETCAN", "SocketCAN"),
            #[cfg(feature = "v2x")]
            Self::Station | Self::Recording => (1, "EN10MB", "Ethernet"),
        }
    }

    const fn options(self) -> &'static [InterfaceOption] {
        match self {
            Self::Vehicle => VEHICLE,
            #[cfg(feature = "v2x")]
            Self::Station => STATION,
            #[cfg(feature = "v2x")]
            Self::Recording => RECORDING,
        }
    }

    pub(super) fn write_link_type(self, out: &mut impl Write) -> io::Result<()> {
        let (number, name, display) = self.link_type();
        writeln!(
            out,
            "dlt {{number={number}}}{{name={name}}}{{display={display}}}"
        )
    }

    pub(super) fn write_options(self, out: &mut impl Write) -> io::Result<()> {
        for (number, one) in self.options().iter().enumerate() {
            let InterfaceOption {
                call,
                display,
                tooltip,
                kind,
            } = one;
            writeln!(
                out,
                "arg {{number={number}}}{{call={call}}}{{display={display}}}{{tooltip={tooltip}}}\
                 {kind}"
            )?;
        }
        Ok(())
    }
}

/// Writes the list of the interfaces.
pub(super) fn list(out: &mut impl Write) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "extcap {{version={version}}}{{help={HELP}}}")?;
    for one in InterfaceName::ALL {
        let (name, display) = (one.name(), one.display());
        writeln!(out, "interface {{value={name}}}{{display={display}}}")?;
    }
    Ok(())
}
