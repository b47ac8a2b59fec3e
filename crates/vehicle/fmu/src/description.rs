//! The XML files of a unit: what it has, after FMI 3.0 and FMI-LS-BUS 1.0.

use std::fmt::Write as _;

use crate::terminals::Terminals;
use crate::unit::Settings;
use crate::variables::{BusVariable, Kind, TerminalVariable, Variable};

/// Place of the layered standard's manifest in a unit.
pub const MANIFEST_PATH: &str = "extra/org.fmi-standard.fmi-ls-bus/fmi-ls-manifest.xml";
/// Place of the terminals in a unit.
pub const TERMINALS_PATH: &str = "terminalsAndIcons/terminalsAndIcons.xml";
/// Place of the description in a unit.
pub const DESCRIPTION_PATH: &str = "modelDescription.xml";

/// Place of the description of the unit's sources in a unit.
pub const BUILD_PATH: &str = "sources/buildDescription.xml";
/// Place of the unit's source in a unit.
pub const SOURCE_PATH: &str = "sources/unit.c";

/// The manifest: this is a bus simulation.
pub const MANIFEST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiLayeredStandardManifest
    xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest"
    fmi-ls:fmi-ls-name="org.fmi-standard.fmi-ls-bus"
    fmi-ls:fmi-ls-version="1.0.0"
    fmi-ls:fmi-ls-description="Layered Standard for the simulation of bus communication on a Physical Signal Abstraction or Network Abstraction based level."
    isBusSimulationFMU="true"/>
"#;

/// Description of a unit.
#[derive(Clone, Debug)]
pub struct Description<'a> {
    /// Name of the vehicle.
    pub name: &'a str,
    /// Description of the vehicle, in a sentence; may be empty.
    pub about: &'a str,
    /// Version of the vehicle, its digest.
    pub token: &'a str,
    /// Name and version of the program that writes the unit.
    pub tool: &'a str,
    /// Values that parameters start with.
    pub settings: &'a Settings,
    /// Simulated duration, in seconds, as the vehicle file has it.
    pub duration: f64,
    /// Buses and terminals.
    pub terminals: &'a Terminals,
}

/// Returns the name of the unit's library: the vehicle's with letters, digits and `_` only.
#[must_use]
pub fn model_identifier(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric();
    let plain = |letter| if is_plain(letter) { letter } else { '_' };
    let identifier: String = name.chars().map(plain).collect();
    match identifier.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => identifier,
        _ => format!("bus_{identifier}"),
    }
}

/// Returns the unit's source in C99: it passes each function on to `library`, a path in the folder
/// of resources, with `/` between names.
#[must_use]
pub fn source(library: &str) -> String {
    include_str!("../sources/unit.c").replace("@LIBRARY@", library)
}

/// Returns `buildDescription.xml` [FMI 3.0 §2.4.10]: one source in C99, for the kind of computer
/// (`x86_64-linux`) that the library is for.
#[must_use]
pub fn build(identifier: &str, platform: &str) -> String {
    let (identifier, platform) = (escaped(identifier), escaped(platform));
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="{identifier}" platform="{platform}"
      description="Passes each function on to the library in the resources">
    <SourceFileSet language="C99">
      <SourceFile name="unit.c"/>
    </SourceFileSet>
  </BuildConfiguration>
</fmiBuildDescription>
"#
    )
}

impl Description<'_> {
    /// Writes `modelDescription.xml`.
    #[must_use]
    pub fn model(&self) -> String {
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let (name, about) = (escaped(self.name), escaped(self.about));
        let (token, tool) = (escaped(self.token), escaped(self.tool));
        let identifier = model_identifier(self.name);
        // Writing into a string does not fail.
        let _ = write!(
            text,
            r#"<fmiModelDescription fmiVersion="3.0" modelName="{name}" description="{about}"
    instantiationToken="{token}" generationTool="{tool}" variableNamingConvention="flat">
  <CoSimulation modelIdentifier="{identifier}" canHandleVariableCommunicationStepSize="true"
      hasEventMode="true" mightReturnEarlyFromDoStep="true" canGetAndSetFMUState="false"
      canSerializeFMUState="false" providesIntermediateUpdate="false"/>
  <LogCategories>
    <Category name="logStatusError" description="Why a function answers fmi3Error"/>
    <Category name="logStatusWarning" description="Operations of nodes that are refused"/>
  </LogCategories>
  <DefaultExperiment startTime="0" stopTime="{}"/>
  <ModelVariables>
"#,
            self.duration
        );
        for variable in Variable::all(self.terminals) {
            self.variable(&mut text, variable);
        }
        text.push_str("  </ModelVariables>\n  <ModelStructure>\n");
        for variable in Variable::all(self.terminals).filter(|variable| is_output(*variable)) {
            let reference = variable.reference();
            let _ = writeln!(text, "    <Output valueReference=\"{reference}\"/>");
        }
        for variable in Variable::all(self.terminals).filter(|variable| is_unknown(*variable)) {
            let reference = variable.reference();
            let _ = writeln!(text, "    <InitialUnknown valueReference=\"{reference}\"/>");
        }
        text.push_str("  </ModelStructure>\n</fmiModelDescription>\n");
        text
    }

    fn variable(&self, text: &mut String, variable: Variable) {
        let reference = variable.reference();
        let name = escaped(&variable.name(self.terminals));
        let tag = tag(variable.kind());
        let mut open = |attributes: &str, about: &str| {
            let _ = write!(
                text,
                "    <{tag} name=\"{name}\" valueReference=\"{reference}\" {attributes}\n        \
                 description=\"{about}\""
            );
        };
        match variable {
            Variable::Time => open(
                r#"causality="independent" variability="continuous""#,
                "Time in seconds",
            ),
            Variable::Seed => {
                let seed = self.settings.seed;
                let attributes = format!("{PARAMETER} start=\"{seed}\"");
                open(&attributes, "Seed of all random choices");
            }
            Variable::OfBus(bus, of_bus) => {
                let rates = self.settings.rates.get(bus).copied().unwrap_or_default();
                let attributes = match of_bus {
                    BusVariable::BitRate => format!("{PARAMETER} start=\"{}\"", rates.0),
                    BusVariable::DataBitRate => format!("{PARAMETER} start=\"{}\"", rates.1),
                    _ => OUTPUT.to_owned(),
                };
                open(&attributes, of_bus.description());
            }
            Variable::OfTerminal(at, of_terminal) => {
                let clock = |variable| Variable::OfTerminal(at, variable).reference();
                let attributes = match of_terminal {
                    TerminalVariable::RxData => {
                        let clock = clock(TerminalVariable::RxClock);
                        format!(
                            r#"causality="input" variability="discrete" {MIME} clocks="{clock}""#
                        )
                    }
                    TerminalVariable::TxData => {
                        let clock = clock(TerminalVariable::TxClock);
                        format!("{OUTPUT} {MIME} clocks=\"{clock}\"")
                    }
                    TerminalVariable::RxClock => {
                        r#"causality="input" intervalVariability="triggered""#.to_owned()
                    }
                    TerminalVariable::TxClock => {
                        r#"causality="input" intervalVariability="countdown""#.to_owned()
                    }
                    TerminalVariable::BusNotifications => {
                        r#"causality="output" variability="constant" start="true""#.to_owned()
                    }
                    _ => OUTPUT.to_owned(),
                };
                open(&attributes, of_terminal.description());
            }
        }
        text.push_str(match variable {
            // An empty one: FMI wants a value to start with.
            Variable::OfTerminal(_, TerminalVariable::RxData) => {
                ">\n      <Start value=\"\"/>\n    </Binary>\n"
            }
            _ => "/>\n",
        });
    }

    /// Writes `terminalsAndIcons.xml`.
    #[must_use]
    pub fn terminals(&self) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons \
             fmiVersion=\"3.0\">\n  <Terminals>\n",
        );
        for (at, terminal) in self.terminals.terminals.iter().enumerate() {
            let member = |variable: TerminalVariable| {
                let name = Variable::OfTerminal(at, variable).name(self.terminals);
                format!(
                    "<TerminalMemberVariable variableKind=\"signal\" variableName=\"{}\" \
                     memberName=\"{}\"/>",
                    escaped(&name),
                    variable.name()
                )
            };
            let (name, bus) = (escaped(&terminal.name()), escaped(&terminal.bus_name));
            let _ = write!(
                text,
                r#"    <Terminal name="{name}" terminalKind="org.fmi-ls-bus.network-terminal"
        matchingRule="org.fmi-ls-bus.transceiver" description="A node on bus {bus}">
      {}
      {}
      {}
      {}
      <Terminal name="Configuration" matchingRule="bus"
          terminalKind="org.fmi-ls-bus.network-terminal.configuration">
        {}
      </Terminal>
    </Terminal>
"#,
                member(TerminalVariable::RxClock),
                member(TerminalVariable::RxData),
                member(TerminalVariable::TxClock),
                member(TerminalVariable::TxData),
                member(TerminalVariable::BusNotifications),
            );
        }
        text.push_str("  </Terminals>\n</fmiTerminalsAndIcons>\n");
        text
    }
}

const PARAMETER: &str = r#"causality="parameter" variability="fixed""#;
const OUTPUT: &str = r#"causality="output" variability="discrete""#;
const MIME: &str =
    r#"mimeType="application/org.fmi-standard.fmi-ls-bus.can; version=&quot;1.0.0&quot;""#;

const fn tag(kind: Kind) -> &'static str {
    match kind {
        Kind::Float64 => "Float64",
        Kind::UInt8 => "UInt8",
        Kind::UInt16 => "UInt16",
        Kind::UInt32 => "UInt32",
        Kind::UInt64 => "UInt64",
        Kind::Boolean => "Boolean",
        Kind::Binary => "Binary",
        Kind::Clock => "Clock",
    }
}

const fn is_output(variable: Variable) -> bool {
    match variable {
        Variable::Time | Variable::Seed => false,
        Variable::OfBus(_, variable) => {
            !matches!(variable, BusVariable::BitRate | BusVariable::DataBitRate)
        }
        Variable::OfTerminal(_, variable) => !matches!(
            variable,
            TerminalVariable::RxData | TerminalVariable::RxClock | TerminalVariable::TxClock
        ),
    }
}

/// Returns true for outputs that the unit computes when it is initialised: those without a clock.
fn is_unknown(variable: Variable) -> bool {
    let is_other = matches!(
        variable,
        Variable::OfTerminal(
            _,
            TerminalVariable::TxData | TerminalVariable::BusNotifications
        )
    );
    is_output(variable) && !is_other
}

/// Escapes text for an attribute.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' | '\r' => escaped.push(' '),
            // XML has no other control characters, not even escaped.
            letter if letter.is_control() => escaped.push('\u{FFFD}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_identifiers_are_plain() {
        assert_eq!(
            escaped("a<b>&\"c\"\n\u{1}"),
            "a&lt;b&gt;&amp;&quot;c&quot; \u{FFFD}"
        );
        assert_eq!(model_identifier("compact-car"), "compact_car");
        assert_eq!(model_identifier("1"), "bus_1");
        assert_eq!(model_identifier(""), "bus_");
    }
}
