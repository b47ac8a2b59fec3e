"""The examples for MQTT and ROS 2 that use the library, over modules in place of the real ones."""

import importlib.util
import json
import pathlib
import sys
import types

from waywarden import v2x

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
TRUST = EXAMPLES / "v2x/trust"


def messages():
    """Returns the messages of the examples, the first one twice: the second is a replay."""
    all_of_them = [record.data for record in v2x.records(EXAMPLES / "v2x/messages.hex")]
    return [*all_of_them, all_of_them[0]]


def expected():
    verifier = v2x.Verifier(v2x.Trust.load(TRUST), source="radio", at="generation")
    return [verifier.verify(bytes(message)) for message in messages()]


def module(monkeypatch, name, **names):
    made = types.ModuleType(name)
    made.__dict__.update(names)
    monkeypatch.setitem(sys.modules, name, made)


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def test_mqtt_verdicts_are_those_of_the_library(monkeypatch, capsys):
    published = []

    class Client:
        def __init__(self, version):
            assert version == 2

        def connect(self, host, port):
            published.append((host, port))

        def subscribe(self, topic):
            published.append(topic)

        def publish(self, topic, text):
            published.append((topic, json.loads(text)))

        def loop_forever(self):
            self.on_connect(self, None, None, None, None)
            for payload in [*messages(), b"x" * 2303]:
                self.on_message(self, None, types.SimpleNamespace(topic="t", payload=payload))

    version = types.SimpleNamespace(VERSION2=2)
    client = types.SimpleNamespace(Client=Client, CallbackAPIVersion=version)
    module(monkeypatch, "paho")
    module(monkeypatch, "paho.mqtt", client=client)
    words = ["verify.py", str(TRUST), "--messages", "t", "--verdicts", "v", "--at", "generation"]
    monkeypatch.setattr(sys, "argv", words)
    load(EXAMPLES / "mqtt/verify.py").main()
    assert published[:2] == [("localhost", 1883), "t"]
    told = [(topic, verdict["verdict"]) for topic, verdict in published[2:]]
    assert told == [(f"v/{'accepted' if one else 'refused'}", one.code) for one in expected()]
    assert any(topic == "v/accepted" for topic, _ in told)
    assert "2303 bytes" in capsys.readouterr().err


def fields():
    """Returns the fields of the message with zeros, and its constants, from the .msg file."""
    zeros = {"bool": False, "string": "", "builtin_interfaces/Time": None}
    names, constants = {}, {}
    text = (EXAMPLES / "ros2/waywarden_msgs/msg/VerifiedMessage.msg").read_text()
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        kind, name = line.split(" ", 1)
        if "=" in name:
            name, value = name.split("=")
            constants[name] = int(value)
        else:
            names[name] = [] if kind.endswith("[]") else zeros.get(kind, 0)
    return names, constants


def test_ros_messages_have_the_verdicts_of_the_library(monkeypatch):
    names, constants = fields()

    class VerifiedMessage:
        def __init__(self):
            for name, zero in names.items():
                stamp = types.SimpleNamespace(sec=0, nanosec=0)
                object.__setattr__(self, name, stamp if zero is None else zero)

        def __setattr__(self, name, value):
            assert name in names, f"the message has no field {name}"
            assert isinstance(value, type(names[name])), name
            object.__setattr__(self, name, value)

    for name, value in constants.items():
        setattr(VerifiedMessage, name, value)
    published = []
    parameters = {"trust": str(TRUST), "at": "generation"}

    class Node:
        def __init__(self, name):
            assert name == "waywarden_verify"

        def declare_parameter(self, name, value):
            assert name in parameters

        def get_parameter(self, name):
            return types.SimpleNamespace(value=parameters[name])

        def create_publisher(self, kind, topic, depth):
            assert (kind, topic) == (VerifiedMessage, "v2x/verified")
            return types.SimpleNamespace(publish=published.append)

        def create_subscription(self, kind, topic, call, depth):
            assert topic == "v2x/received"
            self.call = call

        def destroy_node(self):
            published.append("destroyed")

    def spin(node):
        for data in messages():
            node.call(types.SimpleNamespace(data=data))

    module(monkeypatch, "rclpy", init=lambda: None, spin=spin, shutdown=lambda: None)
    module(monkeypatch, "rclpy.node", Node=Node)
    module(monkeypatch, "std_msgs")
    module(monkeypatch, "std_msgs.msg", UInt8MultiArray=object)
    module(monkeypatch, "waywarden_msgs")
    module(monkeypatch, "waywarden_msgs.msg", VerifiedMessage=VerifiedMessage)
    load(EXAMPLES / "ros2/verify_node.py").main()
    assert published.pop() == "destroyed"
    verdicts = expected()
    assert [one.verdict for one in published] == [one.code for one in verdicts]
    assert [one.sequence for one in published] == list(range(len(verdicts)))
    for message, verdict, data in zip(published, verdicts, messages(), strict=True):
        assert message.accepted == verdict.accepted == (message.report == constants["REPORT_SUCCESS"])
        assert bytes(message.message) == bytes(data)
        assert bytes(message.payload) == (verdict.payload or b"" if verdict.accepted else b"")
        assert message.generation_microseconds == (verdict.generation_time_us or 0)
    assert any(one.accepted for one in published) and not all(one.accepted for one in published)
