//! The order of merges: the tree of logical ECUs, known to every ECU beforehand [GKE §III-C, Fig.
//! 6, Algorithm 1].

mod error;
mod excluded;
#[cfg(test)]
mod tests;

use waywarden_key_roles::Address;

pub use error::PlanError;
pub use excluded::Excluded;

/// One of the three group schemes [GKE §III-C].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Full key exchange tree with the orchestrator: it first merges with each ECU.
    TreeWithOrchestrator,
    /// The tree without the orchestrator in each logical ECU: it is a member like the others.
    TreeWithoutOrchestrator,
    /// The orchestrator merges with each ECU and distributes a symmetric master secret.
    SymmetricDistribution,
}

/// The treatment of the last one of a level with an odd number of entries [GKE Algorithm 1].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OddLevel {
    /// It joins the next level as it is: nothing is sent.
    Skipped,
    /// It becomes a logical ECU of its own by an orchestration message with no ECU as the second
    /// participant.
    Promoted,
}

/// Number of addresses.
pub const ADDRESSES: usize = 256;

/// A level of the deepest tree: 127 ECUs and the orchestrator take 7 levels, promoted ones 8.
pub const DEPTH_MAX: usize = 9;

/// The default number of exchanges that one ECU follows at a time: the one it computes for, the one
/// above it whose first frames may be there already, and a repetition.
pub const EXCHANGES: usize = 3;

/// A physical ECU of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedEcu {
    /// Its address, 1 to 255.
    pub address: Address,
    /// The rank, which selects the actor for a logical ECU: the member with the lowest rank, among
    /// equals the one with the lowest address. `Choice:` hand out ranks by the cost of a key
    /// exchange on the ECU's board, the cheapest first [GKE §III-B: highest computational
    /// resources].
    pub rank: u8,
}

/// A logical ECU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Node {
    first: u8,
    second: u8,
    parent: u8,
}

/// The tree. 1.5 KiB, shared by all roles of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupPlan {
    scheme: Scheme,
    orchestrator: Address,
    /// By address; of a physical ECU only the parent is set.
    nodes: [Node; ADDRESSES],
    /// By address: the rank of physical ECUs, none of others.
    ranks: [Option<u8>; ADDRESSES],
    /// The logical ECUs, leaves first: in this order they can be formed.
    merges: [u8; ADDRESSES],
    merge_count: u8,
    /// Number of them on the lowest level.
    ecus: u8,
    root: Address,
}

impl GroupPlan {
    /// Makes the tree for these ECUs and this orchestrator. Logical ECUs get the lowest addresses
    /// that are left, leaves first.
    ///
    /// # Errors
    /// [`PlanError`] by cause. With consecutive addresses there is room for 85 ECUs in a tree with
    /// the orchestrator, and for 127 in the other schemes.
    pub fn new(
        scheme: Scheme,
        odd: OddLevel,
        orchestrator: Address,
        ecus: &[PlannedEcu],
    ) -> Result<Self, PlanError> {
        Self::of_networks(scheme, odd, orchestrator, &[ecus])
    }

    /// Makes a tree in which each of several networks has a logical ECU of its own, so that one can
    /// join later without the others' secrets being renewed below that [GKE §III-B: merging two
    /// networks]. The orchestrator belongs to the first one.
    ///
    /// # Errors
    /// As [`GroupPlan::new`].
    pub fn of_networks(
        scheme: Scheme,
        odd: OddLevel,
        orchestrator: Address,
        networks: &[&[PlannedEcu]],
    ) -> Result<Self, PlanError> {
        let mut plan = GroupPlan {
            scheme,
            orchestrator,
            nodes: [Node::default(); ADDRESSES],
            ranks: [None; ADDRESSES],
            merges: [0; ADDRESSES],
            merge_count: 0,
            ecus: 0,
            root: Address::NONE,
        };
        plan.seat(orchestrator, u8::MAX)?;
        for place in networks.iter().copied().flatten() {
            plan.seat(place.address, place.rank)?;
            plan.ecus += 1;
        }
        if networks.is_empty() || networks.iter().any(|ecus| ecus.is_empty()) {
            return Err(PlanError::Empty);
        }
        let mut tops = [0; ADDRESSES];
        for (at, ecus) in networks.iter().enumerate() {
            tops[at] = plan.grow(ecus, at == 0, odd)?;
        }
        if scheme != Scheme::SymmetricDistribution {
            plan.root = Address(plan.pair_up(&mut tops, networks.len(), odd)?);
        }
        Ok(plan)
    }

    /// Makes the tree of one network; returns its top, 0 in the symmetric scheme.
    fn grow(
        &mut self,
        ecus: &[PlannedEcu],
        with_orchestrator: bool,
        odd: OddLevel,
    ) -> Result<u8, PlanError> {
        let (scheme, orchestrator) = (self.scheme, self.orchestrator);
        let mut level = [0; ADDRESSES];
        let mut width = 0;
        for place in ecus {
            level[width] = match scheme {
                Scheme::TreeWithoutOrchestrator => place.address.0,
                _ => self.merge(place.address.0, orchestrator.0)?,
            };
            width += 1;
        }
        if scheme == Scheme::TreeWithoutOrchestrator && with_orchestrator {
            level[width] = orchestrator.0;
            width += 1;
        }
        match scheme {
            Scheme::SymmetricDistribution => Ok(0),
            _ => self.pair_up(&mut level, width, odd),
        }
    }

    fn seat(&mut self, address: Address, rank: u8) -> Result<(), PlanError> {
        if address == Address::NONE {
            return Err(PlanError::NoAddress);
        }
        let place = &mut self.ranks[usize::from(address.0)];
        if place.is_some() {
            return Err(PlanError::Twice(address));
        }
        *place = Some(rank);
        Ok(())
    }

    fn pair_up(
        &mut self,
        level: &mut [u8; ADDRESSES],
        mut width: usize,
        odd: OddLevel,
    ) -> Result<u8, PlanError> {
        while width > 1 {
            for pair in 0..width / 2 {
                level[pair] = self.merge(level[2 * pair], level[2 * pair + 1])?;
            }
            if width % 2 == 1 {
                level[width / 2] = match odd {
                    OddLevel::Skipped => level[width - 1],
                    OddLevel::Promoted => self.merge(level[width - 1], 0)?,
                };
            }
            width = width.div_ceil(2);
        }
        Ok(level[0])
    }

    /// Makes a logical ECU of two entries.
    fn merge(&mut self, first: u8, second: u8) -> Result<u8, PlanError> {
        let result = (1..=u8::MAX)
            .find(|&address| {
                let at = usize::from(address);
                self.ranks[at].is_none() && self.nodes[at].first == 0
            })
            .ok_or(PlanError::OutOfAddresses)?;
        self.nodes[usize::from(result)] = Node {
            first,
            second,
            parent: 0,
        };
        // The orchestrator is below many: its own parent is that of the last, and never asked for
        // where it is not a leaf of its own.
        for child in [first, second] {
            self.nodes[usize::from(child)].parent = result;
        }
        self.nodes[0] = Node::default();
        self.merges[usize::from(self.merge_count)] = result;
        self.merge_count += 1;
        Ok(result)
    }

    /// Returns the scheme.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the orchestrator's address.
    #[must_use]
    pub const fn orchestrator(&self) -> Address {
        self.orchestrator
    }

    /// Returns the logical ECU of the whole group; [`Address::NONE`] in the symmetric scheme.
    #[must_use]
    pub const fn root(&self) -> Address {
        self.root
    }

    /// Returns how many ECUs there are besides the orchestrator.
    #[must_use]
    pub const fn ecu_count(&self) -> usize {
        self.ecus as usize
    }

    /// Returns the physical ECUs besides the orchestrator, in order of address.
    pub fn ecus(&self) -> impl Iterator<Item = Address> + '_ {
        (1..=u8::MAX)
            .map(Address)
            .filter(|&address| self.is_physical(address) && address != self.orchestrator)
    }

    /// Returns the logical ECUs in an order in which they can be formed, leaves first.
    pub fn merges(&self) -> impl DoubleEndedIterator<Item = Address> + '_ {
        self.merges[..usize::from(self.merge_count)]
            .iter()
            .map(|&address| Address(address))
    }

    /// Returns true if an address is that of a physical ECU, the orchestrator included.
    #[must_use]
    pub fn is_physical(&self, address: Address) -> bool {
        self.ranks[usize::from(address.0)].is_some()
    }

    /// Returns true for the address of a physical or logical ECU.
    #[must_use]
    pub fn is_known(&self, address: Address) -> bool {
        self.is_physical(address) || self.children(address).is_some()
    }

    /// Returns the highest address of a physical or logical ECU.
    #[must_use]
    pub fn highest(&self) -> Address {
        let mut all = (1..=u8::MAX).rev().map(Address);
        all.find(|&address| self.is_known(address))
            .unwrap_or(Address::NONE)
    }

    /// Returns the two that form a logical ECU as planned; the second may be [`Address::NONE`].
    #[must_use]
    pub fn children(&self, logical: Address) -> Option<(Address, Address)> {
        let node = self.nodes[usize::from(logical.0)];
        (node.first != 0).then_some((Address(node.first), Address(node.second)))
    }

    /// Returns the logical ECU that this one is merged into; [`Address::NONE`] for the root. For
    /// the orchestrator it has a meaning only in a tree without it in each logical ECU.
    #[must_use]
    pub fn parent(&self, address: Address) -> Address {
        if address == self.orchestrator && self.scheme != Scheme::TreeWithoutOrchestrator {
            return Address::NONE;
        }
        Address(self.nodes[usize::from(address.0)].parent)
    }

    /// Returns how many levels are below an address: 0 for a physical ECU, below [`DEPTH_MAX`].
    #[must_use]
    pub fn height(&self, address: Address) -> usize {
        match self.children(address) {
            Some((first, second)) => 1 + self.height(first).max(self.height(second)),
            None => 0,
        }
    }

    /// Returns the logical ECUs of a physical one, the lowest first. At most [`DEPTH_MAX`].
    pub fn path(&self, ecu: Address) -> impl Iterator<Item = Address> + '_ {
        let above = move |&at: &Address| Some(self.parent(at));
        core::iter::successors(Some(self.parent(ecu)), above)
            .take_while(|&at| at != Address::NONE)
            .take(DEPTH_MAX)
    }

    /// Returns true if a physical ECU belongs to an address: its own, or a logical one above it.
    #[must_use]
    pub fn is_below(&self, ecu: Address, address: Address) -> bool {
        let planned = ecu == address || self.path(ecu).any(|at| at == address);
        planned || (ecu == self.orchestrator && self.has_orchestrator(address))
    }

    fn has_orchestrator(&self, address: Address) -> bool {
        self.scheme != Scheme::TreeWithoutOrchestrator && self.children(address).is_some()
    }

    /// Returns who holds the key of a logical ECU, in order of address: its ECUs, and the
    /// orchestrator where it is one of the two that form it. It has the key of the root besides;
    /// others above the leaves it could compute, and does not.
    pub fn holders(&self, logical: Address) -> impl Iterator<Item = Address> + '_ {
        (1..=u8::MAX)
            .map(Address)
            .filter(move |&ecu| self.is_physical(ecu) && self.holds(ecu, logical))
    }

    fn holds(&self, ecu: Address, logical: Address) -> bool {
        if ecu != self.orchestrator || self.scheme == Scheme::TreeWithoutOrchestrator {
            return self.is_below(ecu, logical);
        }
        let children = self.children(logical);
        let forms_it = children.is_some_and(|(_, second)| second == ecu);
        forms_it || (children.is_some() && logical == self.root)
    }

    /// Returns the logical ECU whose key these hold and no others: a subgroup. Where the
    /// orchestrator is in each logical ECU it need not be named. Of a logical ECU and its
    /// promotion, which have the same holders, it is the lower one.
    #[must_use]
    pub fn subgroup(&self, ecus: &[Address]) -> Option<Address> {
        let everywhere = self.scheme != Scheme::TreeWithoutOrchestrator;
        let is_named = |ecu| ecus.contains(&ecu) || (everywhere && ecu == self.orchestrator);
        self.merges().find(|&logical| {
            let mut named = ecus.iter();
            named.all(|&ecu| self.holds(ecu, logical)) && self.holders(logical).all(is_named)
        })
    }

    /// Returns who acts for an address: the present member with the lowest rank, the orchestrator
    /// where there is no other, and for a physical ECU itself or its stand-in.
    #[must_use]
    pub fn active(&self, address: Address, excluded: &Excluded) -> Address {
        let present = |ecu: &Address| !excluded.contains(*ecu) && self.is_below(*ecu, address);
        let key = |ecu: &Address| (self.ranks[usize::from(ecu.0)], *ecu);
        self.ecus()
            .filter(present)
            .min_by_key(key)
            .unwrap_or(self.orchestrator)
    }

    /// Returns which of the present ECUs are below an address: what a signed orchestration names.
    #[must_use]
    pub fn composition(&self, address: Address, excluded: &Excluded) -> Excluded {
        let mut members = Excluded::default();
        for ecu in self.ecus() {
            members.set(ecu, !excluded.contains(ecu) && self.is_below(ecu, address));
        }
        members
    }
}
