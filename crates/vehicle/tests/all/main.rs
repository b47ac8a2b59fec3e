//! Vehicle files: what runs, what is required, what is refused, what is reported.

mod attribution;
mod authentication;
mod compare;
mod dbc_oracle;
mod documentation;
mod examples;
mod exchange;
mod gateway_order;
mod html;
mod key_options;
mod key_seeds;
mod key_times;
mod key_trouble;
mod keys;
mod lasan;
mod lasan_changeover;
mod lasan_keys;
mod lasan_replaced;
mod lasan_resets;
mod lasan_storm;
mod mistakes;
mod overload;
mod perfetto;
mod siege;
mod under_fire;
mod vulcan_bench;
