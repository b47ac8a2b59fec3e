//! Declarations of types, near to their ASN.1, as in `coer`: `sequence!`, `choice!` and
//! `enumerated!`.

/// Declares a SEQUENCE \[X.691 §19\]. Fields are `required`, `optional` or `default`; one that is
/// `extensible` keeps the additions that it does not know.
macro_rules! sequence {
    (
        $(#[$meta:meta])*
        pub struct $name:ident<$life:lifetime> = $asn:literal, extensible { $($fields:tt)* }
    ) => {
        $crate::uper::sequence! {
            @emit [$(#[$meta])*] $name [<$life>] [<'_>] $life $asn [extensible] { $($fields)* }
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident<$life:lifetime> = $asn:literal { $($fields:tt)* }
    ) => {
        $crate::uper::sequence! {
            @emit [$(#[$meta])*] $name [<$life>] [<'_>] $life $asn [] { $($fields)* }
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident = $asn:literal { $($fields:tt)* }
    ) => {
        $crate::uper::sequence! {
            @emit [$(#[$meta])*] $name [] [] 'a $asn [] { $($fields)* }
        }
    };
    (
        @emit [$($meta:tt)*] $name:ident [$($generics:tt)*] [$($elided:tt)*] $life:lifetime
        $asn:literal [$($extensible:ident)?]
        {$(
            $(#[$field_meta:meta])*
            $kind:ident $field:ident: $type:ty = $label:literal $(, $default:expr)?;
        )*}
    ) => {
        $($meta)*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name $($generics)* {
            $($(#[$field_meta])* pub $field: $crate::uper::sequence!(@type $kind $type),)*
            $(
                /// Extension additions, which are not known here; skipped, and kept as they are.
                pub additions: $crate::uper::sequence!(@bits $extensible $life),
            )?
        }

        impl<$life> $crate::uper::UperDecode<$life> for $name $($generics)* {
            const NAME: &'static str = $asn;

            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::uper::UperReader<$life, V>,
            ) -> Result<Self, $crate::error::WireError> {
                $(let is_extended = $crate::uper::sequence!(@bit $extensible reader);)?
                // First all bits that say what is there, then what is there.
                $(let $field = $crate::uper::sequence!(@present $kind reader);)*
                $(let $field = $crate::uper::sequence!(
                    @read $kind $field reader $label $type $(, $default)?
                );)*
                $(let skipped =
                    $crate::uper::sequence!(@additions $extensible reader is_extended);)?
                Ok(Self {
                    $($field,)*
                    $(additions: $crate::uper::sequence!(@same $extensible skipped),)?
                })
            }

            fn decode_silently(
                reader: &mut $crate::uper::UperReader<$life, $crate::coer::Silent>,
            ) -> Result<Self, $crate::error::WireError> {
                Self::decode(reader)
            }
        }

        impl $crate::uper::UperEncode for $name $($elided)* {
            fn encode<S: $crate::uper::UperSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), $crate::error::EmitError> {
                $($crate::uper::sequence!(@extended $extensible self sink);)?
                $($crate::uper::sequence!(@mark $kind self $field sink $(, $default)?);)*
                $($crate::uper::sequence!(@write $kind self $field sink $(, $default)?);)*
                $($crate::uper::sequence!(@rest $extensible self sink);)?
                Ok(())
            }

            fn measure(
                &self,
                length: &mut $crate::uper::UperLength,
            ) -> Result<(), $crate::error::EmitError> {
                self.encode(length)
            }

            fn fill(
                &self,
                slice: &mut $crate::uper::UperSlice<'_>,
            ) -> Result<(), $crate::error::EmitError> {
                self.encode(slice)
            }
        }
    };
    (@type required $type:ty) => { $type };
    (@type optional $type:ty) => { Option<$type> };
    (@type default $type:ty) => { $type };
    (@bits extensible $life:lifetime) => { $crate::uper::Bits<$life> };
    (@bit extensible $reader:ident) => { $reader.bit()? };
    (@same extensible $same:expr) => { $same };
    (@additions extensible $reader:ident $is:ident) => { $reader.additions($is)? };
    (@present required $reader:ident) => { () };
    (@present $kind:ident $reader:ident) => { $reader.bit()? };
    (@read required $field:ident $reader:ident $label:literal $type:ty) => {{
        let () = $field;
        $reader.field::<$type>($label)?
    }};
    (@read optional $field:ident $reader:ident $label:literal $type:ty) => {
        match $field {
            true => Some($reader.field::<$type>($label)?),
            false => None,
        }
    };
    (@read default $field:ident $reader:ident $label:literal $type:ty, $default:expr) => {
        match $field {
            true => $reader.not_default::<$type>($label, &$default)?,
            false => $default,
        }
    };
    (@extended extensible $self:ident $sink:ident) => {
        $sink.put(u64::from(!$self.additions.is_empty()), 1)?
    };
    (@mark required $self:ident $field:ident $sink:ident) => {};
    (@mark optional $self:ident $field:ident $sink:ident) => {
        $sink.put(u64::from($self.$field.is_some()), 1)?
    };
    (@mark default $self:ident $field:ident $sink:ident, $default:expr) => {
        $sink.put(u64::from($self.$field != $default), 1)?
    };
    (@write required $self:ident $field:ident $sink:ident) => {
        $crate::uper::UperEncode::encode(&$self.$field, $sink)?
    };
    (@write optional $self:ident $field:ident $sink:ident) => {
        if let Some(value) = &$self.$field {
            $crate::uper::UperEncode::encode(value, $sink)?;
        }
    };
    (@write default $self:ident $field:ident $sink:ident, $default:expr) => {
        if $self.$field != $default {
            $crate::uper::UperEncode::encode(&$self.$field, $sink)?;
        }
    };
    (@rest extensible $self:ident $sink:ident) => {
        $crate::uper::UperEncode::encode(&$self.additions, $sink)?
    };
}

/// Declares an ENUMERATED \[X.691 §14\] whose values are numbered from 0. One that is `extensible`
/// has a variant for the values of later versions.
macro_rules! enumerated {
    (
        $(#[$meta:meta])*
        pub enum $name:ident = $asn:literal {$(
            $(#[$value_meta:meta])*
            $value:ident = $label:literal;
        )*}
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$value_meta])* $value,)*
        }

        impl $name {
            const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// Returns its name in the standard.
            #[must_use]
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$value => $label,)*
                }
            }
        }

        impl<'a> $crate::uper::UperDecode<'a> for $name {
            const NAME: &'static str = $asn;

            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::uper::UperReader<'a, V>,
            ) -> Result<Self, $crate::error::WireError> {
                let offset = reader.offset();
                let number = reader.up_to(Self::ALL.len() as u64 - 1)?;
                let fault = $crate::error::ParseFault::OutOfRange;
                let value = *Self::ALL
                    .get(number as usize)
                    .ok_or($crate::error::WireError::at(fault, offset))?;
                reader.value($crate::coer::LeafValue::Name(value.label()));
                Ok(value)
            }
        }

        impl $crate::uper::UperEncode for $name {
            fn encode<S: $crate::uper::UperSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), $crate::error::EmitError> {
                let most = Self::ALL.len() as u64 - 1;
                sink.put(*self as u64, $crate::uper::width(most))
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident = $asn:literal, extensible {$(
            $(#[$value_meta:meta])*
            $number:literal $value:ident = $label:literal;
        )*}
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$value_meta])* $value,)*
            /// One of a later version: its number among those, at most 63.
            Later(u8),
        }

        impl $name {
            const COUNT: u64 = [$($label),*].len() as u64;

            /// Returns its name in the standard, if this version knows it.
            #[must_use]
            pub fn label(self) -> Option<&'static str> {
                match self {
                    $(Self::$value => Some($label),)*
                    Self::Later(_) => None,
                }
            }
        }

        impl<'a> $crate::uper::UperDecode<'a> for $name {
            const NAME: &'static str = $asn;

            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::uper::UperReader<'a, V>,
            ) -> Result<Self, $crate::error::WireError> {
                if reader.bit()? {
                    let number = reader.small()?;
                    reader.value($crate::coer::LeafValue::Unsigned(u64::from(number)));
                    return Ok(Self::Later(number));
                }
                let offset = reader.offset();
                let value = match reader.up_to(Self::COUNT - 1)? {
                    $($number => Self::$value,)*
                    _ => {
                        let fault = $crate::error::ParseFault::OutOfRange;
                        return Err($crate::error::WireError::at(fault, offset));
                    }
                };
                reader.value($crate::coer::LeafValue::Name(value.label().unwrap_or("")));
                Ok(value)
            }
        }

        impl $crate::uper::UperEncode for $name {
            fn encode<S: $crate::uper::UperSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), $crate::error::EmitError> {
                let number: u64 = match self {
                    $(Self::$value => $number,)*
                    Self::Later(number @ 0..64) => return sink.put(u64::from(*number) | 0x80, 8),
                    Self::Later(_) => {
                        return Err($crate::error::EmitError::OutOfRange($asn));
                    }
                };
                sink.put(number, 1 + $crate::uper::width(Self::COUNT - 1))
            }
        }
    };
}

/// Declares a CHOICE with an extension marker \[X.691 §23\]; alternatives of later versions are
/// skipped, and kept.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        pub enum $name:ident<$life:lifetime> = $asn:literal {$(
            $(#[$alternative_meta:meta])*
            $number:literal $alternative:ident($type:ty) = $label:literal;
        )*}
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "there is no heap to put the large ones on")]
        pub enum $name<$life> {
            $($(#[$alternative_meta])* $alternative($type),)*
            /// One of a later version: its number among those, at most 63, and its bytes.
            Later(u8, $crate::uper::Bits<$life>),
        }

        impl $name<'_> {
            const COUNT: u64 = [$($label),*].len() as u64;
        }

        impl<$life> $crate::uper::UperDecode<$life> for $name<$life> {
            const NAME: &'static str = $asn;

            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::uper::UperReader<$life, V>,
            ) -> Result<Self, $crate::error::WireError> {
                if reader.bit()? {
                    let number = reader.small()?;
                    let bytes = reader.length()?;
                    let start = reader.place();
                    reader.skip(bytes * 8)?;
                    return Ok(Self::Later(number, reader.since(start)));
                }
                let offset = reader.offset();
                match reader.up_to(Self::COUNT - 1)? {
                    $($number => reader.field::<$type>($label).map(Self::$alternative),)*
                    tag => {
                        let fault = $crate::error::ParseFault::UnknownTag(tag);
                        Err($crate::error::WireError::at(fault, offset))
                    }
                }
            }

            fn decode_silently(
                reader: &mut $crate::uper::UperReader<$life, $crate::coer::Silent>,
            ) -> Result<Self, $crate::error::WireError> {
                Self::decode(reader)
            }
        }

        impl $crate::uper::UperEncode for $name<'_> {
            fn encode<S: $crate::uper::UperSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), $crate::error::EmitError> {
                let bits = 1 + $crate::uper::width(Self::COUNT - 1);
                match self {
                    $(Self::$alternative(value) => {
                        sink.put($number, bits)?;
                        $crate::uper::UperEncode::encode(value, sink)
                    })*
                    Self::Later(number @ 0..64, bytes) => {
                        sink.put(u64::from(*number) | 0x80, 8)?;
                        $crate::uper::put_length(bytes.len() / 8, sink)?;
                        $crate::uper::UperEncode::encode(bytes, sink)
                    }
                    Self::Later(..) => Err($crate::error::EmitError::OutOfRange($asn)),
                }
            }

            fn measure(
                &self,
                length: &mut $crate::uper::UperLength,
            ) -> Result<(), $crate::error::EmitError> {
                self.encode(length)
            }

            fn fill(
                &self,
                slice: &mut $crate::uper::UperSlice<'_>,
            ) -> Result<(), $crate::error::EmitError> {
                self.encode(slice)
            }
        }
    };
}

pub(crate) use {choice, enumerated, sequence};
