//! Message matrices of every format: what is read, what is left out and why, and damaged files.

mod arxml;
mod arxml_nested;
mod cantools_oracle;
mod encodings;
mod hostile;
mod j1939;
mod kcd;
mod sym;
mod to_dbc;

use waywarden_can_matrix::{MatrixError, MessageMatrix, ReadOptions};

/// A system description with SecOC, CAN FD and SAE J1939.
const ARXML: &str = include_str!("../../../../../examples/system.arxml");

/// A network definition.
const KCD: &str = r#"<NetworkDefinition xmlns="http://kayak.2codeornot2code.org/1.0">
  <Document name="Car"/>
  <Node id="1" name="Brakes"/>
  <Node id="2" name="Engine"/>
  <Node id="3" name="Radio"/>
  <Bus name="Drive" baudrate="250000">
    <Message id="0x100" name="Speed" length="8" interval="20">
      <Notes>in &lt;km/h&gt;</Notes>
      <Producer><NodeRef id="1"/></Producer>
      <Signal name="Wheel" offset="8" length="16" endianess="big">
        <Consumer><NodeRef id="2"/></Consumer>
        <Value type="signed" slope="0.01" intercept="-40"/>
      </Signal>
    </Message>
    <Message id="0x18FEF100" name="Cruise" length="auto" format="extended">
      <Multiplex name="Mode" offset="0" length="4">
        <MuxGroup count="0"><Signal name="Set" offset="20" length="5"/></MuxGroup>
      </Multiplex>
    </Message>
    <Message id="0x800" name="TooHigh" length="1"/>
    <Message id="256" name="Again" length="1"/>
  </Bus>
  <Bus name="Comfort">
    <Message id="7" name="Camera" length="32"/>
  </Bus>
</NetworkDefinition>
"#;

/// A symbol file.
const SYM: &str = "FormatVersion=6.0 // Do not edit this line!\r
Title=\"Car\"\r
\r
{ENUMS}\r
Enum=Gear(0=\"P\", // parked\r
  1=\"R)\")\r
\r
{SIGNALS}\r
Sig=\"Wheel speed\" signed 16 -m /u:\"m/s // not a comment\" /f:0.01 /o:-40\r
Sig=Gear Gear 4 // a gear\r
\r
{SEND}\r
[Speed]\r
ID=100h // of wheels\r
Len=8\r
CycleTime=20 -p\r
MinInterval=5\r
Sig=\"Wheel speed\" 8\r
Sig=Gear 24\r
\r
{RECEIVE}\r
[Camera]\r
ID=18FEF100h\r
Type=FDExtended\r
Len=32\r
Var=Light bit 3,1 -m\r
\r
{SENDRECEIVE}\r
[\"Dia gnosis\"]\r
ID=7E0h-7E2h\r
Mux=First 0,8 01h\r
Var=A unsigned 8,8\r
[\"Dia gnosis\"]\r
Mux=Second 0,8 02h\r
Var=B unsigned 16,8\r
";

fn read(text: &str) -> MessageMatrix {
    matrix(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn matrix(bytes: &[u8]) -> Result<MessageMatrix, MatrixError> {
    waywarden_can_matrix::read(bytes, ReadOptions::default())
}
