//! Statements that name a message or a signal that is not there, as those about a skipped one do.

use std::collections::{HashMap, HashSet};

use can_dbc::{AttributeValueForRelationType, Comment, Dbc, MessageId, ValueDescription};

/// The messages of a file, and the names of their signals.
struct Present(HashMap<MessageId, HashSet<String>>);

impl Present {
    fn of(dbc: &Dbc) -> Self {
        let mut present: HashMap<MessageId, HashSet<String>> = HashMap::new();
        for message in &dbc.messages {
            let names = message.signals.iter().map(|signal| signal.name.clone());
            present.entry(message.id).or_default().extend(names);
        }
        Present(present)
    }

    fn has(&self, message: MessageId) -> bool {
        self.0.contains_key(&message)
    }

    fn has_signal(&self, message: MessageId, name: &str) -> bool {
        let signals = self.0.get(&message);
        signals.is_some_and(|signals| signals.contains(name))
    }
}

/// Takes those statements out of a file; returns their number.
pub(super) fn leave_out(dbc: &mut Dbc) -> usize {
    let present = Present::of(dbc);
    let before = count(dbc);
    dbc.message_transmitters
        .retain(|one| present.has(one.message_id));
    dbc.comments.retain(|one| match one {
        Comment::Message { id, .. } => present.has(*id),
        Comment::Signal {
            message_id, name, ..
        } => present.has_signal(*message_id, name),
        Comment::Plain { .. } | Comment::Node { .. } | Comment::EnvVar { .. } => true,
    });
    dbc.attribute_values_message
        .retain(|one| present.has(one.message_id));
    dbc.attribute_values_signal
        .retain(|one| present.has_signal(one.message_id, &one.signal_name));
    dbc.relation_attribute_values
        .retain(|one| match &one.details {
            AttributeValueForRelationType::NodeToSignal {
                message_id,
                signal_name,
                ..
            } => present.has_signal(*message_id, signal_name),
            AttributeValueForRelationType::NodeToMessage { message_id, .. } => {
                present.has(*message_id)
            }
        });
    dbc.value_descriptions.retain(|one| match one {
        ValueDescription::Signal {
            message_id, name, ..
        } => present.has_signal(*message_id, name),
        ValueDescription::EnvironmentVariable { .. } => true,
    });
    let mut names = 0;
    for group in &mut dbc.signal_groups {
        let all = group.signal_names.len();
        let id = group.message_id;
        if present.has(id) {
            group
                .signal_names
                .retain(|name| present.has_signal(id, name));
            names += usize::from(group.signal_names.len() < all);
        }
    }
    dbc.signal_groups.retain(|one| present.has(one.message_id));
    dbc.signal_extended_value_type_list
        .retain(|one| present.has_signal(one.message_id, &one.signal_name));
    dbc.extended_multiplex.retain(|one| {
        let id = one.message_id;
        present.has_signal(id, &one.signal_name)
            && present.has_signal(id, &one.multiplexor_signal_name)
    });
    before - count(dbc) + names
}

/// Returns the number of the statements that may name a message.
fn count(dbc: &Dbc) -> usize {
    [
        dbc.message_transmitters.len(),
        dbc.comments.len(),
        dbc.attribute_values_message.len(),
        dbc.attribute_values_signal.len(),
        dbc.relation_attribute_values.len(),
        dbc.value_descriptions.len(),
        dbc.signal_groups.len(),
        dbc.signal_extended_value_type_list.len(),
        dbc.extended_multiplex.len(),
    ]
    .iter()
    .sum()
}
