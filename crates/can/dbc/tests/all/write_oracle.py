"""Prints all that cantools reads of a DBC file, a line each, in an order of its own."""

import sys

import cantools

base = cantools.database.load_file(sys.argv[1], strict=False, encoding="utf-8")


def attributes(of):
    specifics = of.dbc.attributes if of.dbc is not None else {}
    return sorted((name, str(one.value)) for name, one in specifics.items())


def choices(signal):
    named = signal.choices or {}
    return sorted((raw, str(name)) for raw, name in named.items())


print("version", base.version or "")
for node in sorted(base.nodes, key=lambda node: node.name):
    print("node", node.name, node.comments, attributes(node))
for message in sorted(base.messages, key=lambda one: (one.is_extended_frame, one.frame_id)):
    print(
        "message",
        message.frame_id,
        message.is_extended_frame,
        message.name,
        message.length,
        message.senders,
        message.send_type,
        message.cycle_time,
        message.is_fd,
        message.comments,
        attributes(message),
        [(group.name, group.repetitions, group.signal_names) for group in message.signal_groups or []],
    )
    for signal in sorted(message.signals, key=lambda signal: signal.name):
        print(
            "signal",
            message.name,
            signal.name,
            signal.start,
            signal.length,
            signal.byte_order,
            signal.is_signed,
            signal.is_float,
            float(signal.scale),
            float(signal.offset),
            None if signal.minimum is None else float(signal.minimum),
            None if signal.maximum is None else float(signal.maximum),
            signal.unit,
            signal.receivers,
            signal.is_multiplexer,
            signal.multiplexer_ids,
            signal.multiplexer_signal,
            signal.comments,
            choices(signal),
            attributes(signal),
        )
own = base.dbc
for name, one in sorted(own.attribute_definitions.items()):
    print("definition", name, one.kind, one.type_name, one.minimum, one.maximum, one.choices)
    print("default", name, one.default_value)
for name, one in sorted(own.attributes.items()):
    print("attribute", name, one.value)
for name, table in sorted(own.value_tables.items()):
    print("table", name, sorted((raw, str(word)) for raw, word in table.items()))
for name, one in sorted(own.environment_variables.items()):
    print(
        "variable",
        name,
        one.env_type,
        one.minimum,
        one.maximum,
        one.unit,
        one.initial_value,
        one.env_id,
        one.access_type,
        one.access_node,
        one.comment,
    )
