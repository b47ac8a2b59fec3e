//! DBC files, as `waywarden-can-dbc` reads them, in the model of all formats.

mod write;

use waywarden_can_dbc as dbc;

use crate::{
    Cluster, MatrixError, MatrixFormat, MatrixMessage, MessageMatrix, ReadOptions, SkippedPart,
};

/// Reads a DBC file.
pub(crate) fn read(text: &str, options: ReadOptions) -> Result<MessageMatrix, MatrixError> {
    Ok(dbc::import_with(text, options)?.into())
}

impl From<dbc::Matrix> for MessageMatrix {
    fn from(matrix: dbc::Matrix) -> Self {
        let remarks = matrix.warnings();
        let cluster = Cluster {
            name: None,
            bit_rate: matrix.bit_rate,
            data_bit_rate: matrix.data_bit_rate,
            nodes: matrix.nodes,
            messages: matrix
                .messages
                .into_iter()
                .map(MatrixMessage::from)
                .collect(),
        };
        MessageMatrix {
            format: MatrixFormat::Dbc,
            clusters: vec![cluster],
            skipped: matrix.skipped.into_iter().map(SkippedPart::from).collect(),
            remarks,
        }
    }
}

impl From<dbc::DbcMessage> for MatrixMessage {
    fn from(message: dbc::DbcMessage) -> Self {
        MatrixMessage {
            format: message.format,
            is_j1939: message.is_j1939,
            senders: message.senders,
            receivers: message.receivers,
            send_type: message.send_type,
            cycle_time: message.cycle_time,
            fast_cycle_time: message.fast_cycle_time,
            minimum_distance: message.minimum_distance,
            start_delay: message.start_delay,
            remarks: message.remarks,
            ..MatrixMessage::new(message.name, message.id, message.length)
        }
    }
}

impl From<dbc::SkippedStatement> for SkippedPart {
    fn from(skipped: dbc::SkippedStatement) -> Self {
        SkippedPart {
            what: skipped.what,
            line: skipped.error.line(),
            reason: skipped.error.to_string(),
            may_be_extended: skipped.error.may_be_extended(),
        }
    }
}
