mod field;
mod layouts;
mod random;
mod reading;
mod writing;
