//! `sequence!`: a SEQUENCE, with its optional fields, defaults and additions.

/// Declares a SEQUENCE. Fields are `required`, `optional` or `default`. One that is extensible says
/// so, even if no addition is known: its additions stand in a section of their own.
///
/// ```text
/// sequence! {
///     /// What it is.
///     pub struct HeaderInfo<'a> = "HeaderInfo" {
///         /// What it says.
///         required psid: Psid = "psid";
///         /// How long.
///         default length: i64 = "minChainLength", 1;
///     }
///     additions {
///         /// What it says.
///         requests: SequenceOf<'a, HashedId3> = "inlineP2pcdRequest";
///     }
/// }
/// ```
macro_rules! sequence {
    (
        $(#[$meta:meta])*
        pub struct $name:ident<$life:lifetime> = $asn:literal { $($fields:tt)* }
    ) => {
        $crate::coer::sequence! {
            @build [$(#[$meta])*] $name [<$life>] [<'_>] $life $asn [] { $($fields)* } {}
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident = $asn:literal { $($fields:tt)* }
    ) => {
        $crate::coer::sequence! {
            @build [$(#[$meta])*] $name [] [] 'a $asn [] { $($fields)* } {}
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident<$life:lifetime> = $asn:literal { $($fields:tt)* }
        additions { $($additions:tt)* }
    ) => {
        $crate::coer::sequence! {
            @build [$(#[$meta])*] $name [<$life>] [<'_>] $life $asn
            [extensible] { $($fields)* } { $($additions)* }
        }
    };
    (
        @build [$($meta:tt)*] $name:ident [$($generics:tt)*] [$($elided:tt)*] $life:lifetime
        $asn:literal [$($extensible:ident)?]
        {$(
            $(#[$field_meta:meta])*
            $kind:ident $field:ident: $type:ty = $label:literal $(, $default:expr)?;
        )*}
        {$(
            $(#[$addition_meta:meta])*
            $addition:ident: $addition_type:ty = $addition_label:literal;
        )*}
    ) => {
        $($meta)*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name $($generics)* {
            $($(#[$field_meta])* pub $field: $crate::coer::sequence!(@type $kind $type),)*
            $($(#[$addition_meta])* pub $addition: Option<$addition_type>,)*
            $(
                /// Extension additions that are not known; skipped, and kept as they are.
                pub unknown: $crate::coer::sequence!(@unknown $extensible $life),
            )?
        }

        impl<$life> $crate::coer::CoerDecode<$life> for $name $($generics)* {
            const NAME: &'static str = $asn;

            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::coer::CoerReader<$life, V>,
            ) -> Result<Self, $crate::error::WireError> {
                const BITS: u32 = 0
                    $(+ $crate::coer::sequence!(@one $extensible))?
                    $(+ $crate::coer::sequence!(@bit $kind))*;
                #[allow(unused_mut, unused_variables, reason = "where nothing is optional")]
                let mut preamble = reader.preamble(BITS)?;
                $(let is_extended = $crate::coer::sequence!(@next $extensible preamble);)?
                $(let $field = $crate::coer::sequence!(
                    @read $kind reader preamble $label $type $(, $default)?
                );)*
                $(
                    #[allow(unused_mut, reason = "where no addition is known")]
                    let mut additions =
                        $crate::coer::sequence!(@additions $extensible reader is_extended);
                )?
                $(let $addition =
                    reader.addition::<$addition_type>(&mut additions, $addition_label)?;)*
                $(let skipped = $crate::coer::sequence!(@skip $extensible reader additions);)?
                Ok(Self {
                    $($field,)*
                    $($addition,)*
                    $(unknown: $crate::coer::sequence!(@same $extensible skipped),)?
                })
            }

            fn decode_silently(
                reader: &mut $crate::coer::CoerReader<$life, $crate::coer::Silent>,
            ) -> Result<Self, $crate::error::WireError> {
                Self::decode(reader)
            }
        }

        impl $crate::coer::CoerEncode for $name $($elided)* {
            fn encode<S: $crate::coer::CoerSink>(
                &self,
                sink: &mut S,
            ) -> Result<(), $crate::error::EmitError> {
                #[allow(unused_mut, reason = "where nothing is optional")]
                let mut preamble = $crate::coer::Preamble::default();
                #[allow(unused_mut, reason = "where nothing is optional")]
                let mut bits = 0;
                #[allow(unused_variables, reason = "where nothing can be added")]
                let known: &[bool] = &[$(self.$addition.is_some(),)*];
                $(
                    let is_extended = $crate::coer::sequence!(@same $extensible
                        self.unknown.any() || known.contains(&true));
                    preamble.push(&mut bits, is_extended);
                )?
                $($crate::coer::sequence!(
                    @push $kind preamble bits &self.$field $(, $default)?
                );)*
                preamble.encode(bits, sink)?;
                $($crate::coer::sequence!(@write $kind sink &self.$field $(, $default)?);)*
                $(if $crate::coer::sequence!(@same $extensible is_extended) {
                    self.unknown.encode_map(known, sink)?;
                })?
                $(if let Some(value) = &self.$addition {
                    $crate::coer::put_addition(value, sink)?;
                })*
                $($crate::coer::sequence!(@same $extensible self.unknown).encode(sink)?;)?
                Ok(())
            }

            fn measure(
                &self,
                length: &mut $crate::coer::CoerLength,
            ) -> Result<(), $crate::error::EmitError> {
                self.encode(length)
            }

            fn fill(
                &self,
                slice: &mut $crate::coer::CoerSlice<'_>,
            ) -> Result<(), $crate::error::EmitError> {
                self.encode(slice)
            }
        }
    };

    (@type optional $type:ty) => { Option<$type> };
    (@type $kind:ident $type:ty) => { $type };
    (@bit required) => { 0 };
    (@bit $kind:ident) => { 1 };
    (@one extensible) => { 1 };
    (@same extensible $same:expr) => { $same };
    (@unknown extensible $life:lifetime) => { $crate::coer::UnknownAdditions<$life> };
    (@next extensible $preamble:ident) => { $preamble.next() };
    (@additions extensible $reader:ident $is:ident) => { $reader.additions($is)? };
    (@skip extensible $reader:ident $additions:ident) => { $reader.unknown($additions)? };

    (@read required $reader:ident $preamble:ident $label:literal $type:ty) => {
        $reader.field::<$type>($label)?
    };
    (@read optional $reader:ident $preamble:ident $label:literal $type:ty) => {
        match $preamble.next() {
            true => Some($reader.field::<$type>($label)?),
            false => None,
        }
    };
    (@read default $reader:ident $preamble:ident $label:literal $type:ty, $default:expr) => {
        match $preamble.next() {
            true => $reader.not_default::<$type>($label, &$default)?,
            false => $default,
        }
    };

    (@push required $preamble:ident $bits:ident $value:expr) => {};
    (@push optional $preamble:ident $bits:ident $value:expr) => {
        $preamble.push(&mut $bits, $value.is_some());
    };
    (@push default $preamble:ident $bits:ident $value:expr, $default:expr) => {
        $preamble.push(&mut $bits, *$value != $default);
    };

    (@write required $sink:ident $value:expr) => {
        $crate::coer::CoerEncode::encode($value, $sink)?;
    };
    (@write optional $sink:ident $value:expr) => {
        if let Some(value) = $value {
            $crate::coer::CoerEncode::encode(value, $sink)?;
        }
    };
    (@write default $sink:ident $value:expr, $default:expr) => {
        if *$value != $default {
            $crate::coer::CoerEncode::encode($value, $sink)?;
        }
    };
}

pub(crate) use sequence;
