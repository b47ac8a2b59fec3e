#!/usr/bin/env python3
"""An example: verifies V2X messages of an MQTT topic by the library, without the service.

It subscribes to a topic whose payloads are secured messages (IEEE 1609.2, ETSI TS 103 097), as a
radio that publishes what it receives sends them, and publishes each verdict as a JSON object, to the
topic VERDICTS/accepted or VERDICTS/refused. It needs the package `waywarden` and paho-mqtt 2. It is
meant to be read and changed: it has no TLS, no password and no second attempt.
"""

import argparse
import sys

from waywarden import v2x

# The longest message of a radio, in bytes: the library refuses longer ones, too.
MESSAGE_MAX = 2302


def verdict_of(verifier, payload):
    """Returns the topic's last part, and the JSON text of a verdict."""
    if len(payload) > MESSAGE_MAX:
        raise ValueError(f"{len(payload)} bytes; a message of a radio has at most {MESSAGE_MAX}")
    verdict = verifier.verify(payload)
    return "accepted" if verdict.accepted else "refused", verdict.to_json()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("trust", help="folder or file with the certificates to trust")
    parser.add_argument("--broker", default="localhost")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--messages", default="v2x/received", help="topic of the messages")
    parser.add_argument("--verdicts", default="v2x/verdicts", help="begin of the topics of verdicts")
    parser.add_argument("--at", default="now", help="time of the verdicts; `generation` for recordings")
    options = parser.parse_args()
    # What comes over the network is a stranger's: bounds of a radio, not those of a file.
    verifier = v2x.Verifier(v2x.Trust.load(options.trust), source="radio", at=options.at)

    from paho.mqtt import client as mqtt

    def on_connect(client, _data, _flags, _reason, _properties):
        client.subscribe(options.messages)

    def on_message(client, _data, message):
        try:
            kind, text = verdict_of(verifier, bytes(message.payload))
        except ValueError as error:
            print(f"{message.topic}: {error}", file=sys.stderr)
            return
        client.publish(f"{options.verdicts}/{kind}", text)

    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.on_connect = on_connect
    client.on_message = on_message
    client.connect(options.broker, options.port)
    client.loop_forever()


if __name__ == "__main__":
    main()
