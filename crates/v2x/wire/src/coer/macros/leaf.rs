//! `enumerated!`, `octets!`, `number!` and `version!`: types without parts.

/// Declares an ENUMERATED. Values that are not known are refused: all that are used are critical.
macro_rules! enumerated {
    (
        $(#[$meta:meta])*
        pub enum $name:ident = $asn:literal {$(
            $(#[$value_meta:meta])*
            $number:literal $value:ident = $label:literal;
        )*}
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$value_meta])* $value = $number,)*
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// Returns its name in the standard.
            #[must_use]
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$value => $label,)*
                }
            }
        }

        impl<'a> $crate::coer::CoerDecode<'a> for $name {
            const NAME: &'static str = $asn;

            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::coer::CoerReader<'a, V>,
            ) -> Result<Self, $crate::error::WireError> {
                let offset = reader.offset();
                let value = match reader.enumerated()? {
                    $($number => Self::$value,)*
                    other => {
                        return Err($crate::error::WireError::at(
                            $crate::error::ParseFault::UnknownCritical(u64::from(other)),
                            offset,
                        ));
                    }
                };
                reader.value($crate::coer::LeafValue::Name(value.label()));
                Ok(value)
            }
        }

        impl $crate::coer::CoerEncode for $name {
            fn encode<S: $crate::coer::CoerSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), $crate::error::EmitError> {
                sink.put(&[*self as u8])
            }
        }
    };
}

/// Declares OCTET STRINGs of fixed lengths that are small and have a meaning of their own.
macro_rules! octets {
    ($($(#[$meta:meta])* pub struct $name:ident([u8; $length:literal]) = $asn:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(
            /// The octets.
            pub [u8; $length],
        );

        impl<'a> $crate::coer::CoerDecode<'a> for $name {
            const NAME: &'static str = $asn;

            #[inline]
            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::coer::CoerReader<'a, V>,
            ) -> Result<Self, $crate::error::WireError> {
                <&[u8; $length]>::decode(reader).map(|octets| Self(*octets))
            }
        }

        impl $crate::coer::CoerEncode for $name {
            #[inline]
            fn encode<S: $crate::coer::CoerSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), $crate::error::EmitError> {
                sink.put(&self.0)
            }
        }
    )*};
}

/// Declares numbers with a meaning of their own, and with the range they may have, if it is
/// narrower than what their bytes can say.
macro_rules! number {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident($number:ty) = $asn:literal $(, in $range:expr)?;
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(
            /// The number.
            pub $number,
        );

        impl<'a> $crate::coer::CoerDecode<'a> for $name {
            const NAME: &'static str = $asn;

            #[inline]
            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::coer::CoerReader<'a, V>,
            ) -> Result<Self, $crate::error::WireError> {
                #[allow(unused_variables, reason = "where all numbers are in the range")]
                let offset = reader.offset();
                let number = <$number>::decode(reader)?;
                $(if !$range.contains(&number) {
                    return Err($crate::error::WireError::at(
                        $crate::error::ParseFault::OutOfRange,
                        offset,
                    ));
                })?
                Ok(Self(number))
            }
        }

        impl $crate::coer::CoerEncode for $name {
            #[inline]
            fn encode<S: $crate::coer::CoerSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), $crate::error::EmitError> {
                $(if !$range.contains(&self.0) {
                    return Err($crate::error::EmitError::OutOfRange($asn));
                })?
                self.0.encode(sink)
            }
        }
    )*};
}

/// Declares versions: numbers with one value, of one byte (`u8`) or without bounds (`i64`). Another
/// value is [`ParseFault::Version`](crate::error::ParseFault::Version); one beyond a byte is shown
/// as 255.
macro_rules! version {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident($number:ty = $value:literal) = $asn:literal;
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl<'a> $crate::coer::CoerDecode<'a> for $name {
            const NAME: &'static str = $asn;

            #[inline]
            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::coer::CoerReader<'a, V>,
            ) -> Result<Self, $crate::error::WireError> {
                let offset = reader.offset();
                let found = <$number>::decode(reader)?;
                if found == $value {
                    return Ok(Self);
                }
                let found = u8::try_from(found).unwrap_or(u8::MAX);
                let fault = $crate::error::ParseFault::Version {
                    expected: $value,
                    found,
                };
                Err($crate::error::WireError::at(fault, offset))
            }
        }

        impl $crate::coer::CoerEncode for $name {
            fn encode<S: $crate::coer::CoerSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), $crate::error::EmitError> {
                let value: $number = $value;
                value.encode(sink)
            }
        }
    )*};
}

pub(crate) use {enumerated, number, octets, version};
