mod coding;
mod field;
mod layouts;
mod oracle;
mod random;
mod reading;
mod writing;
