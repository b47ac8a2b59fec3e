//! `choice!`: a CHOICE, and what becomes of alternatives that are not known.

/// Declares a CHOICE. What follows `additions` stands after the extension marker. An alternative
/// that is not known is refused where the CHOICE is `critical` \[1609.2 §5.2.6\] or `closed`, which
/// no extension marker makes; where it is `open` it becomes `Unknown`.
///
/// ```text
/// choice! {
///     /// What it is.
///     pub enum CertificateId<'a> = "CertificateId", open {
///         /// What it means.
///         0 LinkageData(LinkageData) = "linkageData";
///     }
///     additions {}
/// }
/// ```
macro_rules! choice {
    (
        $(#[$meta:meta])*
        pub enum $name:ident<$life:lifetime> = $asn:literal, $unknown:ident
        { $($alternatives:tt)* }
        $(additions { $($additions:tt)* })?
    ) => {
        $crate::coer::choice! {
            @build [$(#[$meta])*] $name [<$life>] [<'_>] $life $asn $unknown
            { $($alternatives)* } { $($($additions)*)? }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident = $asn:literal, $unknown:ident
        { $($alternatives:tt)* }
        $(additions { $($additions:tt)* })?
    ) => {
        $crate::coer::choice! {
            @build [$(#[$meta])*] $name [] [] 'a $asn $unknown
            { $($alternatives)* } { $($($additions)*)? }
        }
    };
    (
        @build [$($meta:tt)*] $name:ident [$($generics:tt)*] [$($elided:tt)*] $life:lifetime
        $asn:literal open $alternatives:tt $additions:tt
    ) => {
        $crate::coer::choice! {
            @emit [$($meta)*] $name [$($generics)*] [$($elided)*] $life $asn
            [open] [] $alternatives $additions
        }
    };
    (
        @build [$($meta:tt)*] $name:ident [$($generics:tt)*] [$($elided:tt)*] $life:lifetime
        $asn:literal critical $alternatives:tt $additions:tt
    ) => {
        $crate::coer::choice! {
            @emit [$($meta)*] $name [$($generics)*] [$($elided)*] $life $asn
            [] [UnknownCritical] $alternatives $additions
        }
    };
    (
        @build [$($meta:tt)*] $name:ident [$($generics:tt)*] [$($elided:tt)*] $life:lifetime
        $asn:literal closed $alternatives:tt $additions:tt
    ) => {
        $crate::coer::choice! {
            @emit [$($meta)*] $name [$($generics)*] [$($elided)*] $life $asn
            [] [UnknownTag] $alternatives $additions
        }
    };
    (
        @emit [$($meta:tt)*] $name:ident [$($generics:tt)*] [$($elided:tt)*] $life:lifetime
        $asn:literal [$($open:ident)?] [$($fault:ident)?]
        {$(
            $(#[$alternative_meta:meta])*
            $tag:literal $alternative:ident($type:ty) = $label:literal;
        )*}
        {$(
            $(#[$addition_meta:meta])*
            $addition_tag:literal $addition:ident($addition_type:ty) = $addition_label:literal;
        )*}
    ) => {
        $($meta)*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "there is no heap to put the large ones on")]
        pub enum $name $($generics)* {
            $($(#[$alternative_meta])* $alternative($type),)*
            $($(#[$addition_meta])* $addition($addition_type),)*
            $(
                /// One that this version does not know: its tag and its bytes.
                Unknown(u8, $crate::coer::choice!(@unknown $open $life)),
            )?
        }

        impl<$life> $crate::coer::CoerDecode<$life> for $name $($generics)* {
            const NAME: &'static str = $asn;

            fn decode<V: $crate::coer::Visitor>(
                reader: &mut $crate::coer::CoerReader<$life, V>,
            ) -> Result<Self, $crate::error::WireError> {
                #[allow(unused_variables, reason = "where no alternative is unknown")]
                let offset = reader.offset();
                match reader.tag()? {
                    $($tag => reader.field::<$type>($label).map(Self::$alternative),)*
                    $($addition_tag => reader
                        .item($addition_label, |reader| {
                            reader.open(<$addition_type as $crate::coer::CoerDecode<$life>>::decode)
                        })
                        .map(Self::$addition),)*
                    $(tag => $crate::coer::choice!(@keep $open reader tag),)?
                    $(tag => Err($crate::error::WireError::at(
                        $crate::error::ParseFault::$fault(u64::from(tag)),
                        offset,
                    )),)?
                }
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
                match self {
                    $(Self::$alternative(value) => {
                        sink.put(&[0x80 | $tag])?;
                        $crate::coer::CoerEncode::encode(value, sink)
                    })*
                    $(Self::$addition(value) => {
                        sink.put(&[0x80 | $addition_tag])?;
                        $crate::coer::put_open(value, sink)
                    })*
                    $(Self::Unknown(tag, bytes) => {
                        sink.put(&[0x80 | $crate::coer::choice!(@same $open *tag)])?;
                        $crate::coer::CoerEncode::encode(bytes, sink)
                    })?
                }
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
    (@unknown open $life:lifetime) => { $crate::coer::Unknown<$life> };
    (@keep open $reader:ident $tag:ident) => {
        $reader.field("unknown").map(|bytes| Self::Unknown($tag, bytes))
    };
    (@same open $same:expr) => { $same };
}

pub(crate) use choice;
