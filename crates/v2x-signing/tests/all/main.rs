//! Tests of V2X messages signed and encrypted.
