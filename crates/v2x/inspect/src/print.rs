//! A record for people.

use std::io::{self, Write};

use waywarden_input_files::plain::plain;

use crate::inspection::Inspection;

impl Inspection {
    /// Prints the record for people.
    ///
    /// # Errors
    /// As the output has them.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let input = plain(&self.input);
        write!(out, "{input}: {}, {} bytes", self.kind, self.length)?;
        if let Some(label) = &self.label {
            write!(out, ", {}", plain(label))?;
        }
        if let Some(id) = &self.hashed_id8 {
            write!(out, ", HashedId8 {id}")?;
        }
        if let Some(offset) = self.offset {
            write!(out, ", message from byte {offset}")?;
        }
        writeln!(out)?;
        if self.layers_text.len() > 1 {
            writeln!(out, "  layers: {}", self.layers_text.join(", "))?;
        }
        if let Some(parts) = &self.parts {
            parts.print(out, 1)?;
        }
        for layer in &self.payload {
            write!(out, "  carries: {}", layer.kind)?;
            match (layer.release, layer.standard) {
                (Some(release), Some(standard)) => write!(out, ", release {release}, {standard}")?,
                (None, Some(standard)) => write!(out, ", {standard}")?,
                (_, None) => {}
            }
            if let Some(offset) = layer.offset {
                write!(out, ", from byte {offset}")?;
            }
            match &layer.text {
                Some(text) => writeln!(out, ": \"{text}\"")?,
                None => writeln!(out)?,
            }
            if let Some(remark) = &layer.remark {
                writeln!(out, "    {remark}")?;
            }
            if let Some(parts) = &layer.parts {
                parts.print(out, 2)?;
            }
            if let Some(error) = &layer.error {
                writeln!(out, "    not read: {error}")?;
            }
        }
        for deviation in &self.deviations {
            writeln!(out, "  not as TS 103 097 has it: {deviation}")?;
        }
        if let Some(key) = &self.rebuilt_key {
            writeln!(out, "  rebuilt key, compressed:   {}", key.compressed)?;
            writeln!(out, "  rebuilt key, uncompressed: {}", key.uncompressed)?;
        }
        if let Some(error) = &self.error {
            writeln!(out, "  not read: {error}")?;
        }
        writeln!(out)?;
        Ok(())
    }
}
