"""Prints what cantools reads of a DBC file, a message a line, for dbc_oracle.rs."""

import sys

import cantools

database = cantools.database.load_file(sys.argv[1], database_format="dbc", strict=False)
for message in database.messages:
    identifier = f"{message.frame_id:08X}" if message.is_extended_frame else f"{message.frame_id:03X}"
    print(
        identifier,
        message.name,
        message.length,
        ",".join(sorted(set(message.senders))),
        ",".join(sorted(message.receivers)),
        message.cycle_time or 0,
        sep="|",
    )
