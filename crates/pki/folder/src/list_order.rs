//! Numbers and times of the lists of a PKI: each is later than those before. Receivers may skip a
//! list that is older than the one they have, so that what it revokes is lost.

use waywarden_v2x_security::revocation::DELTAS_MAX;
use waywarden_v2x_wire::ieee1609dot2::{Time32, Time64};

use super::index::Index;
use super::latest::{LatestCrl, LatestCtlFile, LatestLinkedCrl, LinkedOrder, NumberedList};
use super::validity::start;
use waywarden_command_line::exit::Failure;

/// Numbers that the first list after `pki restore` leaves out: the folder may be a copy from before
/// lists that receivers have. Receivers take a trust list whose number is up to 127 ahead, modulo
/// 256, so that this one is newer than up to 63 lists that the folder does not know.
const RESTORED_GAP: u8 = 64;

const SECOND: u64 = 1_000_000;

impl Index {
    /// Takes the number and the time of a revocation list by hash, or of a European root.
    pub fn number_crl(&mut self, issued: Time32) -> u32 {
        let gap = self.gap(NumberedList::Crl);
        let before = self.latest_crl.map_or(0, |latest| latest.serial);
        let serial = before.wrapping_add(u32::from(gap)).wrapping_add(1);
        let issued = issued.0;
        self.latest_crl = Some(LatestCrl { serial, issued });
        serial
    }

    /// Takes the number and the time of a trust list.
    pub fn number_ctl(&mut self, made: Time64) -> Result<u8, Failure> {
        let gap = self.gap(NumberedList::Ctl);
        let before = self.latest_ctl.map_or(0, |latest| latest.sequence);
        let sequence = before.wrapping_add(gap).wrapping_add(1);
        self.latest_ctl = Some(LatestCtlFile {
            sequence,
            issued: start(made).map_err(Failure::new)?.0,
            microseconds: u32::try_from(made.0 % SECOND).unwrap_or_default(),
        });
        Ok(sequence)
    }

    /// Returns the numbers that the next list of a kind leaves out, which it does once.
    fn gap(&mut self, kind: NumberedList) -> u8 {
        let is_first = self.restored.contains(&kind);
        self.restored.retain(|one| *one != kind);
        if is_first { RESTORED_GAP } else { 0 }
    }

    /// Has the next lists leave numbers out: this folder may be a copy from before other lists.
    pub fn set_restored(&mut self) {
        self.restored = vec![NumberedList::Crl, NumberedList::Ctl];
    }

    /// Takes the number and the time of a list by linkage values. A delta list is counted.
    ///
    /// # Errors
    /// [`Failure`] for more delta lists since the full one than receivers remember.
    pub fn number_linked(
        &mut self,
        order: LinkedOrder,
        by_seeds: bool,
        is_full: bool,
    ) -> Result<(), Failure> {
        if !is_full {
            if usize::from(self.linked_deltas) >= DELTAS_MAX {
                return Err(Failure::new(format_args!(
                    "--delta: receivers remember {DELTAS_MAX} delta lists by linkage values since \
                     the full list, and would refuse one more; make a full list, without --delta"
                )));
            }
            self.linked_deltas += 1;
        }
        let latest = LatestLinkedCrl::new(order);
        match by_seeds {
            true => self.latest_seeds_crl = Some(latest),
            false => self.latest_linked_crl = Some(latest),
        }
        Ok(())
    }

    /// Returns the number of lists by linkage values of a week before the next one. Receivers order
    /// lists by their time first, so that the last number may be there twice.
    pub fn linked_number(&self, week: u16) -> u8 {
        let latest = self.latest_linked_crl.filter(|one| one.period == week);
        latest.map_or(0, |latest| latest.index.saturating_add(1))
    }

    /// Returns true if receivers take a list by linkage values of this order for the newest one.
    pub fn is_newest_linked(&self, order: LinkedOrder) -> bool {
        let mut lists = self.linked_lists();
        lists.all(|latest| latest.order() < order)
    }

    /// Returns the time of the newest list by linkage values.
    pub fn linked_time(&self) -> Option<Time64> {
        let times = self.linked_lists().map(|latest| time_of(latest.issued));
        times.max()
    }

    fn linked_lists(&self) -> impl Iterator<Item = &LatestLinkedCrl> {
        let own = self.latest_linked_crl.iter();
        own.chain(&self.latest_seeds_crl)
    }

    /// Returns the time of the latest revocation list by hash, or of a European root.
    pub fn crl_time(&self) -> Option<Time64> {
        self.latest_crl.map(|latest| time_of(latest.issued))
    }

    /// Returns the time of the latest trust list.
    pub fn ctl_time(&self) -> Option<Time64> {
        self.latest_ctl.map(|latest| latest.made())
    }

    /// Brings the times of revocation lists that are later than now back, and not their numbers: no
    /// receiver has them. What they revoke is on no list then.
    pub fn discard_later_crls(&mut self, now: Time64) {
        let second = u32::try_from(now.0 / SECOND).unwrap_or(u32::MAX);
        let linked = self.latest_linked_crl.iter_mut();
        let linked = linked.chain(&mut self.latest_seeds_crl);
        let linked = linked.map(|latest| &mut latest.issued);
        let hashed = self.latest_crl.iter_mut().map(|latest| &mut latest.issued);
        let mut is_later = false;
        for issued in linked.chain(hashed).filter(|issued| **issued > second) {
            is_later = true;
            *issued = second.saturating_sub(1);
        }
        if is_later {
            self.entries.iter_mut().for_each(|one| one.listed = false);
            let vehicles = self.revoked_vehicles.iter_mut();
            vehicles.for_each(|one| one.listed = false);
        }
    }

    /// Brings the time of a trust list that is later than now back, and not its number.
    pub fn discard_later_ctl(&mut self, now: Time64) {
        let second = u32::try_from(now.0 / SECOND).unwrap_or(u32::MAX);
        for latest in self
            .latest_ctl
            .iter_mut()
            .filter(|latest| latest.issued > second)
        {
            (latest.issued, latest.microseconds) = (second.saturating_sub(1), 0);
        }
    }
}

fn time_of(seconds: u32) -> Time64 {
    Time64(u64::from(seconds) * SECOND)
}
