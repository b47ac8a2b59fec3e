//! The counts by their names in metrics and in the answer to `statistics`.

use serde_json::{Map, Value};

use super::{Counter, HTTP_CODES, ServerStatistics};
use waywarden_v2x_service_protocol::Status;

/// The statuses of [`ServerStatistics::refused`] that are shown although none was counted, so that
/// alarms can be set on them.
const REFUSED: [Status; 7] = [
    Status::Malformed,
    Status::Unsupported,
    Status::TooLong,
    Status::NotAuthorized,
    Status::PsidNotAuthorized,
    Status::Overloaded,
    Status::TooManyConnections,
];

/// Counts of one kind.
pub(crate) struct CountFamily {
    /// Its name in metrics, without `waywarden_` and `_total`.
    pub(crate) metric: &'static str,
    /// Its name in JSON.
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) counts: Counts,
}

/// One count, or one for each value of a label.
pub(crate) enum Counts {
    One(u64),
    By(&'static str, Vec<(&'static str, u64)>),
}

impl ServerStatistics {
    /// Returns everything that only grows, but the requests and answers, which the engine's metrics
    /// have.
    pub(crate) fn families(&self) -> Vec<CountFamily> {
        let one = |metric, name, help, counter: &Counter| CountFamily {
            metric,
            name,
            help,
            counts: Counts::One(counter.read()),
        };
        let accepted = &self.connections_accepted;
        let refused = &self.connections_refused;
        let dropped = &self.datagram_answers_dropped;
        let gone = &self.answers_without_client;
        vec![
            one(
                "connections_accepted",
                "connectionsAccepted",
                "Stream connections that were accepted",
                accepted,
            ),
            one(
                "connections_refused",
                "connectionsRefused",
                "Stream connections above a limit",
                refused,
            ),
            self.closed(),
            self.refusals(),
            self.http_refusals(),
            one(
                "wrong_tokens",
                "wrongTokens",
                "Tokens that no rule has, on stream connections and over HTTP",
                &self.wrong_tokens,
            ),
            one(
                "datagrams",
                "datagrams",
                "Datagrams that came",
                &self.datagrams,
            ),
            one(
                "datagrams_unnamed",
                "datagramsUnnamed",
                "Datagrams without a bound sender, which are dropped",
                &self.datagrams_unnamed,
            ),
            one(
                "datagram_answers_dropped",
                "datagramAnswersDropped",
                "Answers to datagrams that could not be delivered at once",
                dropped,
            ),
            one(
                "answers_without_client",
                "answersWithoutClient",
                "Answers whose connection had gone",
                gone,
            ),
            one(
                "events_sent",
                "eventsSent",
                "Events that were sent to subscribers",
                &self.events_sent,
            ),
            one(
                "events_lost",
                "eventsLost",
                "Events that subscribers lost because they read too slowly",
                &self.events_lost,
            ),
        ]
    }

    fn closed(&self) -> CountFamily {
        let causes = vec![
            ("writeTimeout", self.write_timeouts.read()),
            ("frameTimeout", self.frame_timeouts.read()),
            ("idleTimeout", self.idle_timeouts.read()),
            ("wrongLength", self.wrong_lengths.read()),
        ];
        CountFamily {
            metric: "connections_closed",
            name: "connectionsClosed",
            help: "Stream connections that the service closed, by cause",
            counts: Counts::By("cause", causes),
        }
    }

    fn refusals(&self) -> CountFamily {
        let shown = |(status, count): &(Status, u64)| *count > 0 || REFUSED.contains(status);
        let counts = self.refused().filter(shown);
        let counts = counts.map(|(status, count)| (status.name(), count));
        CountFamily {
            metric: "refused",
            name: "refused",
            help: "Requests at sockets that were refused before the engine, by status",
            counts: Counts::By("status", counts.collect()),
        }
    }

    fn http_refusals(&self) -> CountFamily {
        let codes = HTTP_CODES.iter().map(|(_, name)| *name);
        let counts = self.http_refused.iter().map(Counter::read);
        CountFamily {
            metric: "http_refused",
            name: "httpRefused",
            help: "HTTP requests that were refused before the engine, by code",
            counts: Counts::By("code", codes.zip(counts).collect()),
        }
    }

    /// Returns the counts and the connections that are open as a JSON object.
    pub(crate) fn json(&self) -> Value {
        let members = self.families().into_iter().map(|family| {
            let value = match family.counts {
                Counts::One(count) => count.into(),
                Counts::By(_, counts) => {
                    let counts = counts.into_iter();
                    let counts = counts.map(|(label, count)| (label.to_owned(), count.into()));
                    Value::Object(counts.collect())
                }
            };
            (family.name.to_owned(), value)
        });
        let mut all: Map<String, Value> = members.collect();
        let open = self.connections_open.read();
        all.insert("connectionsOpen".to_owned(), open.into());
        Value::Object(all)
    }
}
