//! Options that go together, and those that do not.

use super::position::PositionSource;
use super::{AttackName, LinkName, MessageName, RoleName, StationCommand};
use waywarden_command_line::exit::Failure;

impl StationCommand {
    /// Checks the options before anything is opened.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let is_memory = self.link == Some(LinkName::Memory);
        if is_memory && self.stations == 1 && self.attack.is_empty() {
            return Err(Failure::new(
                "--link memory: one station hears nothing; give --stations 2 or more",
            ));
        }
        if self
            .listeners
            .is_some_and(|listeners| listeners > self.stations)
        {
            return Err(Failure::new(format_args!(
                "--listeners: there are {} stations",
                self.stations
            )));
        }
        match self.identity.is_given() {
            true => self.check_own()?,
            false if self.state.is_some() => {
                return Err(Failure::new(
                    "--state: it is about certificates of your own: give --pki and --as",
                ));
            }
            false => {}
        }
        if self.service.is_some() && self.stations > 1 {
            return Err(Failure::new(
                "--service: its certificate is of one station: leave out --stations",
            ));
        }
        self.check_position()?;
        let is_bsm = self.message != MessageName::Cam;
        if is_bsm && self.attack.contains(&AttackName::Displaced) {
            return Err(Failure::new(
                "--attack displaced: it warns over GeoNetworking; give --message cam",
            ));
        }
        Ok(())
    }

    /// Checks the options that go together with a source of positions.
    fn check_position(&self) -> Result<(), Failure> {
        let is_alone = matches!(
            self.position,
            PositionSource::Gpsd(..) | PositionSource::Fixed(_)
        );
        if is_alone && (self.stations > 1 || !self.attack.is_empty() || self.virtual_time) {
            return Err(Failure::new(
                "--position: one station in real time has it; leave out --stations, --attack and \
                 --virtual-time",
            ));
        }
        let is_track = matches!(self.position, PositionSource::Tracks(_));
        if self.origin.is_some() && !is_track {
            return Err(Failure::new("--origin: it is for --position track:FILE"));
        }
        if (self.strict || self.columns.is_some()) && !is_track {
            return Err(Failure::new(
                "--strict and --columns: they are for --position track:FILE",
            ));
        }
        if self.virtual_time && self.duration.is_none() && !is_track {
            return Err(Failure::new(
                "--virtual-time: it takes --duration, or --position track:FILE",
            ));
        }
        Ok(())
    }

    /// Checks the options that go together with the station's own certificates.
    fn check_own(&self) -> Result<(), Failure> {
        let several = self.stations > 1 || !self.attack.is_empty();
        let why = match () {
            () if several => "one station has it: leave out --stations and --attack",
            () if self.virtual_time => "it is valid in real time: leave out --virtual-time",
            () if self.role == RoleName::FullSender => "--role full-sender is for the laboratory",
            () if self.replay.is_some() => "a station that hears a recording sends nothing",
            () if self.write_trust.is_some() => "--write-trust writes what the laboratory has",
            () => return Ok(()),
        };
        Err(Failure::new(format_args!("--pki or --certificate: {why}")))
    }
}
