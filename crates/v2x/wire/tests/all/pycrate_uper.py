"""pycrate as oracle for CAM and DENM in UPER.

    generate MESSAGE SEED COUNT   prints that many random messages
    check MESSAGE                 reads messages in hexadecimal from standard input, one a line,
                                  and prints them as they are when written again

MESSAGE is cam or denm. A message is a line: its bytes in hexadecimal, then its leaves in order,
each as name=value, parted by spaces. An element of a list has no name. Octet strings, and the
container alacarte, are left out.
"""

import random
import sys

from pycrate_asn1dir import ITS_CAM_2, ITS_DENM_3

MESSAGES = {
    "cam": (ITS_CAM_2.CAM_PDU_Descriptions.CAM, 2),
    "denm": (ITS_DENM_3.DENM_PDU_Descriptions.DENM, 1),
}
# Read as numbers on our side.
NUMBERED = {"dangerousGoodsBasic"}


def size(bounds, dice):
    low = bounds.lb
    high = bounds.ub if dice.random() < 0.1 else min(bounds.ub, low + 3)
    return dice.randint(low, high)


def text(of, dice, letters):
    return "".join(dice.choice(letters) for _ in range(size(of._const_sz, dice)))


def value(of, dice):
    """A random value of a type."""
    kind = of.TYPE
    if kind == "SEQUENCE":
        fields = {}
        for name, part in of._cont.items():
            if name in of._root_mand or dice.random() < 0.5:
                fields[name] = value(part, dice)
                if part._def is not None and fields[name] == part._def:
                    del fields[name]
        return fields
    if kind == "CHOICE":
        name = dice.choice(list(of._cont.keys()))
        return (name, value(of._cont[name], dice))
    if kind == "SEQUENCE OF":
        return [value(of._cont, dice) for _ in range(size(of._const_sz, dice))]
    if kind == "INTEGER":
        low, high = of._const_val.lb, of._const_val.ub
        if of._const_val.ext is not None:
            # The bounds of what may be stretched are told by its root.
            low, high = of._const_val.root[0].lb, of._const_val.root[0].ub
            if dice.random() < 0.3:
                return dice.choice([high + 1, low - 1, high + 70_000, -(2**40), 2**62])
        return dice.choice([low, high, dice.randint(low, high), dice.randint(low, high)])
    if kind == "ENUMERATED":
        return dice.choice(list(of._cont.keys()))
    if kind == "BOOLEAN":
        return dice.random() < 0.5
    if kind == "BIT STRING":
        bits = size(of._const_sz, dice)
        return (dice.getrandbits(bits), bits)
    if kind == "OCTET STRING":
        return dice.randbytes(size(of._const_sz, dice))
    if kind == "NumericString":
        return text(of, dice, "0123456789 ")
    if kind == "IA5String" or kind == "UTF8String":
        return text(of, dice, "ABCxyz059-")
    raise ValueError(kind)


def leaves(of, it, name=""):
    """The leaves of a value, as name=value."""
    kind = of.TYPE
    if name == "alacarte" or kind == "OCTET STRING":
        return
    if kind == "SEQUENCE":
        for field, part in of._cont.items():
            if field in it and not (part._def is not None and it[field] == part._def):
                yield from leaves(part, it[field], field)
    elif kind == "CHOICE":
        yield from leaves(of._cont[it[0]], it[1], it[0])
    elif kind == "SEQUENCE OF":
        for element in it:
            yield from leaves(of._cont, element)
    elif kind == "ENUMERATED" and it in (of._ext or []):
        yield f"{name}={of._ext.index(it)}"
    elif kind == "ENUMERATED" and name in NUMBERED:
        yield f"{name}={of._cont[it]}"
    elif kind == "BIT STRING" and name == "drivingLaneStatus":
        for bit in range(it[1]):
            yield f"={it[0] >> it[1] - 1 - bit & 1}"
    elif kind == "BIT STRING":
        yield f"{name}={it[0]}"
    else:
        yield f"{name}={int(it) if kind == 'BOOLEAN' else it}"


def show(message):
    line = [message.to_uper().hex()]
    line.extend(leaves(message, message.get_val()))
    print(" ".join(line))


def main(what, name, *rest):
    message, number = MESSAGES[name]
    if what == "generate":
        dice = random.Random(int(rest[0]))
        for _ in range(int(rest[1])):
            it = value(message, dice)
            it["header"].update(protocolVersion=2, messageID=number)
            message.set_val(it)
            show(message)
        return
    for line in sys.stdin:
        message.from_uper(bytes.fromhex(line.strip()))
        show(message)


main(*sys.argv[1:])
