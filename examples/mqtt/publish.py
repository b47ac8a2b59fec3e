#!/usr/bin/env python3
"""An example: publishes the verdicts of Waywarden's V2X security service to an MQTT broker.

It subscribes on the service's Unix socket and publishes each verdict as a JSON object, to the
topic TOPIC/accepted or TOPIC/refused. It needs paho-mqtt 2 (`pip install paho-mqtt`). It is meant
to be read and changed: it has no TLS, no password and no second attempt.
"""

import argparse
import json
import socket
import sys


def verdicts(path):
    """Subscribes, and yields how many verdicts were lost before each one, and the verdict."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        stream.connect(path)
        stream.sendall(b'{"id":1,"operation":"subscribe"}\n')
        for line in stream.makefile("r", encoding="utf-8"):
            answer = json.loads(line)
            if "event" in answer:
                yield answer.get("lost", 0), answer["event"]
            elif answer.get("status", "ok") != "ok":
                sys.exit(f"{path}: the service refuses the subscription: {line.strip()}")


def publisher(options):
    """Returns a function that publishes a text under a topic, and one that ends."""
    if options.dry_run:
        return lambda topic, text: print(topic, text, flush=True), lambda: None
    from paho.mqtt import client as mqtt

    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.connect(options.broker, options.port)
    client.loop_start()

    def end():
        client.disconnect()
        client.loop_stop()

    return client.publish, end


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--socket", default="/run/waywarden/service.sock")
    parser.add_argument("--broker", default="localhost")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--topic", default="v2x/verdicts")
    parser.add_argument("--dry-run", action="store_true", help="print instead of publishing")
    options = parser.parse_args()
    publish, end = publisher(options)
    try:
        for lost, verdict in verdicts(options.socket):
            if lost:
                print(f"{lost} verdicts lost: this program is too slow", file=sys.stderr)
            # The result is `success` for a payload that the certificate does not permit, too.
            is_accepted = verdict["verification"]["report"] == "SUCCESS"
            kind = "accepted" if is_accepted else "refused"
            publish(f"{options.topic}/{kind}", json.dumps(verdict))
    finally:
        end()


if __name__ == "__main__":
    main()
