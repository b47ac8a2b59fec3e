//! A fixed tree: exchanges that begin by themselves after one signed start [GKE §V-C].

use waywarden_work::Instant;

use super::Party;
use crate::exchange::Exchange;
use crate::identifier::GroupHeader;
use crate::plan::Excluded;
use crate::settings::GroupSettings;
use crate::suite::GroupSuite;
use waywarden_key_roles::Address;

impl<S: GroupSuite> Party<'_, S> {
    /// A fixed tree was started: the lowest exchanges of this ECU are open from now on.
    pub(crate) fn begin_fixed_tree(
        &mut self,
        freshness: u64,
        gives_way: bool,
        settings: &GroupSettings,
        now: Instant,
    ) {
        self.freshness = freshness;
        self.excluded = Excluded::default();
        self.exchanges.clear();
        let path = settings.plan.path(self.me);
        for result in path {
            self.secrets.forget(result);
        }
        for result in settings.plan.path(self.me).take(self.exchanges.len()) {
            self.open_fixed(result, gives_way, settings, now);
        }
    }

    /// One exchange of a fixed tree is through: its place is for the lowest that has none yet.
    pub(crate) fn open_above(
        &mut self,
        formed: &GroupHeader,
        settings: &GroupSettings,
        now: Instant,
    ) {
        let mut path = settings.plan.path(self.me);
        let above = path
            .find(|&result| result == formed.result)
            .and_then(|_| path.nth(self.exchanges.len().checked_sub(1)?));
        if let Some(above) = above {
            self.open_fixed(above, formed.gives_way, settings, now);
        }
    }

    fn open_fixed(
        &mut self,
        result: Address,
        gives_way: bool,
        settings: &GroupSettings,
        now: Instant,
    ) {
        let Some((first, second)) = settings.plan.children(result) else {
            return;
        };
        let header = GroupHeader {
            gives_way,
            first,
            second,
            result,
        };
        if let Some(part) = self.part_in(&header, settings) {
            let exchange = Exchange::new(settings, header, part, self.freshness, now);
            self.open(exchange.ordered().patient());
        }
    }

    /// Gives up what is left of a fixed tree.
    pub(crate) fn close_fixed(&mut self) {
        self.close_where(Exchange::is_patient);
    }
}
