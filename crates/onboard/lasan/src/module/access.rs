//! Access to stream keys: checks requests against the list of permissions, and ends keys when a
//! window ends or an ECU leaves.

use waywarden_work::{Duration, Instant};

use super::super::access::{AddressSet, StreamId};
use super::super::event::{DenialReason, ModuleEvent};
use super::super::grant::Request;
use super::super::identifier::{LasanHeader, LasanKind};
use super::super::name::NetworkTime;
use super::super::session::{Opened, SEALED_MAX};
use super::super::settings::PartyDirectory;
use super::super::suites::LasanSuite;
use super::{Later, SecurityModule};
use waywarden_key_roles::Address;
use waywarden_key_suites::Secret;

/// Maximum distance of a request's time from the security module's, in ms (`as-published`).
const REQUEST_AGE_MAX: u64 = 1_000;

/// State of the stream key of one permission in the list.
pub(super) struct Line {
    pub(super) generation: u32,
    pub(super) key: Option<Secret>,
    pub(super) since: Instant,
    pub(super) expires: Instant,
    /// Latest possible expiry: the end of the window or of the sender's session.
    pub(super) latest: Instant,
    /// ECUs that are still to receive this key; `granted` are those that have acknowledged it.
    pub(super) owed: AddressSet,
    pub(super) granted: AddressSet,
    /// ECUs to which this key was sent, and which may use it, acknowledged or not.
    pub(super) sent: AddressSet,
    /// ECUs without the previous key. This key is of no use to them before the sender has it, so
    /// the sender receives it first.
    pub(super) fresh: AddressSet,
    /// Expiry of the previous key, which the sender may still use; zero if there is none.
    pub(super) before: Instant,
    /// ECUs that are still to be informed that their access has ended.
    pub(super) denied: AddressSet,
}

impl Line {
    pub(super) const fn new() -> Self {
        Line {
            generation: 0,
            key: None,
            since: Instant::ZERO,
            expires: Instant::ZERO,
            latest: Instant::ZERO,
            owed: AddressSet::NONE,
            granted: AddressSet::NONE,
            sent: AddressSet::NONE,
            fresh: AddressSet::NONE,
            before: Instant::ZERO,
            denied: AddressSet::NONE,
        }
    }

    /// Returns true if more than half of the key's lifetime is over. The sender's counter may then
    /// be too high for a new receiver to recover from its low bits.
    fn is_half_over(&self, now: Instant) -> bool {
        let age = now.since(self.since).as_nanos();
        age > self.expires.since(self.since).as_nanos() / 2
    }
}

impl<S: LasanSuite, D: PartyDirectory> SecurityModule<'_, S, D> {
    /// Opens a message of a session.
    pub(super) fn open_short(&mut self, index: usize, kind: LasanKind) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let me = self.station.me;
        let registrant = self.roster.of_mut(index)?;
        let header = LasanHeader {
            gives_way: settings.gives_way,
            kind,
            source: registrant.address,
            target: me,
        };
        let (name, session) = (registrant.name, registrant.session.as_mut()?);
        let mut message = Opened::new([0; SEALED_MAX]);
        let received = registrant.short.bytes();
        let message = message.get_mut(..received.len())?;
        message.copy_from_slice(received);
        let opened = session.open(&mut self.station.worker.meter, &header, message);
        let opened = opened.ok()?;
        if kind == LasanKind::Request {
            let request = Request::read(settings.profile, opened)?;
            if settings.profile.is_as_published() {
                let away = request.time.0.abs_diff(settings.time(self.now).0);
                if request.name != name || away > REQUEST_AGE_MAX {
                    return None;
                }
            }
            return Some(Later::Request(index, request.stream));
        }
        let (stream, generation) = opened.split_first_chunk()?;
        Some(Later::Acknowledged(
            index,
            StreamId(u32::from_be_bytes(*stream)),
            u32::from_be_bytes(*generation.first_chunk()?),
        ))
    }

    /// Checks a request against the list of permissions; grants, renews or refuses the key.
    pub(super) fn settle_request(&mut self, index: usize, stream: StreamId) {
        let Some(registrant) = self.roster.of(index) else {
            return;
        };
        let ecu = registrant.address;
        let time = self.directory.settings().time(self.now);
        let lines = self.directory.permissions().iter().enumerate();
        let mut own = lines.filter(|(_, line)| line.stream == stream && line.sender == ecu);
        let mut reason = DenialReason::NotAllowed;
        let allowed = own.find(|(_, line)| {
            reason = DenialReason::NotNow;
            line.holds_at(time)
        });
        let allowed = allowed.map(|(at, _)| at);
        let waits = match allowed {
            Some(at) => self.lines[at].key.is_some() && self.lines[at].owed.contains(ecu),
            None => registrant
                .refusal
                .is_some_and(|(refused, _)| refused == stream),
        };
        if let Some(registrant) = self.roster.of_mut(index).filter(|_| waits) {
            registrant.repeated = registrant.repeated.saturating_add(1);
        }
        let Some(at) = allowed else {
            return self.refuse(index, stream, reason);
        };
        let line = &mut self.lines[at];
        if line.key.is_none() || line.is_half_over(self.now) {
            self.renew(at);
        } else {
            line.owed = line.owed.with(ecu);
        }
    }

    fn refuse(&mut self, index: usize, stream: StreamId, reason: DenialReason) {
        if let Some(registrant) = self.roster.of_mut(index) {
            registrant.refusal = Some((stream, reason));
            let ecu = registrant.address;
            self.events.push(ModuleEvent::Refused {
                stream,
                ecu,
                reason,
            });
        }
    }

    /// Draws a new key for a stream, for all permitted ECUs that take part.
    fn renew(&mut self, at: usize) {
        let settings = self.directory.settings();
        let Some(permission) = self.directory.permissions().get(at) else {
            return;
        };
        let left = permission.until.0.saturating_sub(settings.time(self.now).0);
        let window = self.now + Duration::from_millis(left);
        // The sender stops using the key when its certificate expires.
        let sender = self.roster.position(permission.sender);
        let sender = sender.and_then(|index| self.roster.of(index));
        let end = sender.map_or(Instant::MAX, |sender| sender.session_end);
        let latest = end.min(window);
        let expires = latest.min(self.now + settings.timing.stream_key);
        let holders = permission.holders();
        let absent = holders.except(self.roster.addresses());
        let line = &mut self.lines[at];
        if line.key.is_none() {
            (line.before, line.fresh) = (Instant::ZERO, AddressSet::NONE);
        } else if !line.owed.contains(permission.sender) {
            // A receiver that was never sent the previous key cannot follow the sender under it.
            (line.before, line.fresh) = (line.expires, line.owed.except(line.sent));
        }
        // Newer than any generation of an earlier epoch: keys from before a reset of the module are
        // older.
        let first = first_generation(self.epoch);
        line.generation = line.generation.max(first).wrapping_add(1);
        line.key = Some(self.station.entropy.draw());
        (line.since, line.expires, line.latest) = (self.now, expires, latest);
        (line.owed, line.granted) = (holders.except(absent), AddressSet::NONE);
        (line.sent, line.denied) = (AddressSet::NONE, AddressSet::NONE);
        self.events.push(ModuleEvent::Keyed {
            stream: permission.stream,
            generation: line.generation,
        });
    }

    /// Revokes the key of a stream.
    fn revoke(&mut self, at: usize) {
        let line = &mut self.lines[at];
        if line.key.take().is_none() {
            return;
        }
        // An ECU that is owed this key may still have the previous one.
        line.denied = line.owed.or(line.sent);
        (line.owed, line.granted) = (AddressSet::NONE, AddressSet::NONE);
        if let Some(permission) = self.directory.permissions().get(at) {
            self.events.push(ModuleEvent::Revoked(permission.stream));
        }
    }

    /// An ECU is authenticated: it gets the keys that others have already. Where it may have had
    /// one before, its counters are lost, so that key must not be used again. A key that is old is
    /// not given to new receivers either. And it is notified of streams that are over, if a
    /// security module of before a reset may have given it a key of them. `goes_on` if it probably
    /// has its keys.
    pub(super) fn join_streams(&mut self, ecu: Address, goes_on: bool) {
        let settings = self.directory.settings();
        let (time, recent) = (settings.time(self.now), self.now < self.unknown_until);
        for at in 0..self.lines.len() {
            let Some(permission) = self.directory.permissions().get(at) else {
                return;
            };
            if !permission.holders().contains(ecu) {
                continue;
            }
            let over =
                permission.until <= time || self.roster.position(permission.sender).is_none();
            let sender = permission.sender;
            let line = &mut self.lines[at];
            if line.key.is_none() {
                // It may have a key from before a reset, which the module no longer knows.
                if over && recent {
                    line.denied = line.denied.with(ecu);
                }
                continue;
            }
            if line.is_half_over(self.now) || line.sent.contains(ecu) {
                self.renew(at);
            }
            let line = &mut self.lines[at];
            line.owed = line.owed.with(ecu);
            // Under the first key of an epoch no receiver waits for the sender.
            let changes = line.before > self.now && line.owed.contains(sender);
            if changes && !goes_on && ecu != sender {
                line.fresh = line.fresh.with(ecu);
            }
        }
    }

    /// Removes an ECU: revokes the keys of the streams that it sends, and renews the other keys
    /// that it had or was owed.
    pub(super) fn leave_streams(&mut self, ecu: Address) {
        for at in 0..self.lines.len() {
            let Some(permission) = self.directory.permissions().get(at) else {
                return;
            };
            let line = &mut self.lines[at];
            line.denied = line.denied.without(ecu);
            line.fresh = line.fresh.without(ecu);
            if line.key.is_none() || !permission.holders().contains(ecu) {
                continue;
            }
            if permission.sender == ecu {
                self.revoke(at);
                self.lines[at].denied = self.lines[at].denied.without(ecu);
            } else if line.sent.contains(ecu) || line.owed.contains(ecu) {
                self.renew(at);
            }
        }
    }

    /// Revokes keys whose window has ended, and drops keys that have expired.
    pub(super) fn check_windows(&mut self) {
        let time = self.directory.settings().time(self.now);
        for at in 0..self.lines.len() {
            let Some(permission) = self.directory.permissions().get(at) else {
                return;
            };
            if self.lines[at].key.is_none() {
                continue;
            }
            if !permission.holds_at(time) {
                self.revoke(at);
            } else if self.lines[at].expires <= self.now {
                let line = &mut self.lines[at];
                line.key = None;
                (line.owed, line.granted) = (AddressSet::NONE, AddressSet::NONE);
            }
        }
    }

    /// Returns the time at which the next key ends.
    pub(super) fn next_change(&self) -> Option<Instant> {
        let settings = self.directory.settings();
        let permissions = self.directory.permissions().iter();
        let live = self.lines.iter().zip(permissions);
        let live = live.filter(|(line, _)| line.key.is_some());
        let times = live.map(|(line, permission)| {
            let zero = settings.time_at_zero.0;
            let NetworkTime(until) = permission.until;
            let window = Duration::from_millis(until.saturating_sub(zero));
            line.expires.min(Instant::ZERO + window)
        });
        times.min()
    }
}

/// Returns the number before the first generation of an epoch. The upper half counts epochs. Frames
/// carry only the low byte, which advances by 157 per epoch, a step coprime to 256. So a frame of
/// the previous epoch counts as one under an unknown key and not as a forgery, unless that epoch
/// had more than 156 keys of the stream or this one more than 99.
const fn first_generation(epoch: u64) -> u32 {
    let low = (epoch as u8).wrapping_sub(1).wrapping_mul(157);
    (epoch as u32) << 16 | low as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_of_epochs_in_a_row_differ_in_the_byte_that_frames_say() {
        let keys = |epoch: u64| (1..=99).map(move |at| first_generation(epoch) + at);
        for epoch in 1..=600 {
            let before = |low: u8| keys(epoch).any(|one| one as u8 == low);
            let fresh = keys(epoch + 1).all(|one| !before(one as u8));
            assert!(fresh, "{epoch}");
            assert!(keys(epoch).max() < keys(epoch + 1).min());
            assert!(keys(epoch).all(|one| one >> 16 == epoch as u32));
        }
    }
}
