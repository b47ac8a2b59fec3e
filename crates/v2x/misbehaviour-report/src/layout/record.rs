//! `record!`: a SEQUENCE of required fields that no extension marker ends.

/// Declares a SEQUENCE whose fields are all required; it has no preamble.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident = $asn:literal {$(
            $(#[$field_meta:meta])*
            $field:ident: $type:ty = $label:literal;
        )*}
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name<'a> {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl<'a> waywarden_v2x_wire::coer::CoerDecode<'a> for $name<'a> {
            const NAME: &'static str = $asn;

            fn decode<V: waywarden_v2x_wire::coer::Visitor>(
                reader: &mut waywarden_v2x_wire::coer::CoerReader<'a, V>,
            ) -> Result<Self, waywarden_v2x_wire::WireError> {
                Ok(Self {
                    $($field: reader.field($label)?,)*
                })
            }
        }

        impl waywarden_v2x_wire::coer::CoerEncode for $name<'_> {
            fn encode<S: waywarden_v2x_wire::coer::CoerSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), waywarden_v2x_wire::EmitError> {
                $(waywarden_v2x_wire::coer::CoerEncode::encode(&self.$field, sink)?;)*
                Ok(())
            }
        }
    };
}

pub(super) use record;
