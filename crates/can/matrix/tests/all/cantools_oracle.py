"""Prints the messages of a matrix as cantools reads them, a line each."""

import sys

import cantools

database = cantools.database.load_file(sys.argv[1], strict=False)
for message in database.messages:
    receivers = {name for signal in message.signals for name in signal.receivers or []}
    print(
        message.frame_id,
        message.is_extended_frame,
        message.name,
        message.length,
        ",".join(sorted(message.senders)),
        ",".join(sorted(receivers)),
        round(message.cycle_time or 0),
        sep="|",
    )
    for signal in message.signals:
        if signal.name.endswith(("_Freshness", "_Authenticator")):
            continue
        order = signal.byte_order == "big_endian"
        conversion = (float(signal.scale), float(signal.offset))
        print(
            message.name,
            signal.name,
            signal.start,
            signal.length,
            order,
            bool(signal.is_signed),
            *(f"{number:.6f}" for number in conversion),
            sep="|",
        )
    if message.autosar is not None and message.autosar.is_secured:
        own = message.autosar.secoc
        print(
            message.name,
            "secured",
            own.payload_length,
            own.data_id,
            own.freshness_bit_length,
            own.freshness_tx_bit_length,
            own.auth_tx_bit_length,
            sep="|",
        )
