#![no_std]
//! Not filled yet.
