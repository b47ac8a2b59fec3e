"""Prints what a DBC file holds of a matrix of any format, as cantools reads it, a line each."""

import sys

import cantools

database = cantools.database.load_file(sys.argv[1], strict=False)
for message in database.messages:
    print(
        message.frame_id,
        message.is_extended_frame,
        message.name,
        message.length,
        round(message.cycle_time or 0),
        sep="|",
    )
    for signal in message.signals:
        if signal.name.endswith(("_Freshness", "_Authenticator")):
            continue
        print(
            message.name,
            signal.name,
            signal.start,
            signal.length,
            signal.byte_order,
            bool(signal.is_signed or signal.is_float),
            bool(signal.is_float),
            *(f"{float(number):.6f}" for number in (signal.scale, signal.offset)),
            signal.unit or "",
            bool(signal.is_multiplexer),
            signal.multiplexer_ids,
            signal.multiplexer_signal,
            sep="|",
        )
