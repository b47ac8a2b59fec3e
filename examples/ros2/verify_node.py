#!/usr/bin/env python3
"""An example: a ROS 2 node that verifies V2X messages by the library, without the service.

It takes secured messages from the topic `v2x/received` (std_msgs/UInt8MultiArray) and publishes each
with its verdict on `v2x/verified` (waywarden_msgs/VerifiedMessage), as the recordings of the service
have it. The parameter `trust` is the folder with the certificates to trust. It needs the package
`waywarden`, and waywarden_msgs built in the workspace.
"""

import time

import rclpy
from rclpy.node import Node
from std_msgs.msg import UInt8MultiArray
from waywarden import v2x
from waywarden_msgs.msg import VerifiedMessage

# 2004-01-01T00:00:00 UTC in seconds since 1970, and the leap seconds since then.
EPOCH_2004 = 1072915200
LEAP_SECONDS = 5

# Reports of SN-VERIFY.confirm for codes of IEEE 1609.2; the other refusals are about certificates.
REPORTS = {
    "spduCryptoVerificationFailure": VerifiedMessage.REPORT_FALSE_SIGNATURE,
    "spduCertificateChainCertificateRevoked": VerifiedMessage.REPORT_REVOKED_CERTIFICATE,
    "spduCertificateChainChainEndedAtUntrustedRoot": VerifiedMessage.REPORT_INCONSISTENT_CHAIN,
    "spduCertificateChainNotEnoughInformationToConstructChain": VerifiedMessage.REPORT_INCONSISTENT_CHAIN,
    "spduParsingCertificateNotFound": VerifiedMessage.REPORT_SIGNER_CERTIFICATE_NOT_FOUND,
    "spduParsingInvalidInput": VerifiedMessage.REPORT_INCOMPATIBLE_PROTOCOL,
    "spduRelevanceGenerationTimeTooFarInFuture": VerifiedMessage.REPORT_INVALID_TIMESTAMP,
    "spduRelevanceGenerationTimeTooFarInPast": VerifiedMessage.REPORT_INVALID_TIMESTAMP,
    "spduRelevanceReplayedSpdu": VerifiedMessage.REPORT_DUPLICATE_MESSAGE,
}


def set_stamp(stamp, nanoseconds):
    """Sets a time of ROS."""
    stamp.sec, stamp.nanosec = divmod(nanoseconds, 1_000_000_000)


def fill(message, verdict, data, sequence, received):
    """Fills in a message of ROS; `received` is in nanoseconds since 1970 UTC."""
    set_stamp(message.stamp, received)
    message.received_microseconds = received // 1000 - (EPOCH_2004 - LEAP_SECONDS) * 1_000_000
    message.sequence = sequence
    message.accepted = verdict.accepted
    message.verdict = verdict.code
    message.reason = verdict.reason or ""
    message.field = verdict.field or ""
    message.certificate = list(bytes.fromhex(verdict.certificate or ""))
    message.signer = list(bytes.fromhex(verdict.signer or ""))
    if verdict.accepted:
        message.report = VerifiedMessage.REPORT_SUCCESS
    else:
        message.report = REPORTS.get(verdict.code, VerifiedMessage.REPORT_INVALID_CERTIFICATE)
    message.has_psid = verdict.psid is not None
    message.psid = verdict.psid or 0
    generated = verdict.generation_time_us
    message.has_generation_time = generated is not None
    if generated is not None:
        message.generation_microseconds = generated
        set_stamp(message.generation_stamp, generated * 1000 + (EPOCH_2004 - LEAP_SECONDS) * 1_000_000_000)
    message.message = list(data)
    message.has_payload = verdict.accepted and verdict.payload is not None
    message.payload = list(verdict.payload) if message.has_payload else []
    message.latency_microseconds = max(0, time.time_ns() - received) // 1000
    return message


class VerifyNode(Node):
    """Verifies what it hears."""

    def __init__(self):
        super().__init__("waywarden_verify")
        self.declare_parameter("trust", "")
        self.declare_parameter("at", "now")
        trust = self.get_parameter("trust").value
        if not trust:
            raise SystemExit("give the parameter trust: --ros-args -p trust:=FOLDER")
        at = self.get_parameter("at").value
        self.verifier = v2x.Verifier(v2x.Trust.load(trust), source="radio", at=at)
        self.sequence = 0
        self.publisher = self.create_publisher(VerifiedMessage, "v2x/verified", 100)
        self.create_subscription(UInt8MultiArray, "v2x/received", self.on_message, 100)

    def on_message(self, received):
        data = bytes(received.data)
        now = time.time_ns()
        verdict = self.verifier.verify(data)
        self.publisher.publish(fill(VerifiedMessage(), verdict, data, self.sequence, now))
        self.sequence += 1


def main():
    rclpy.init()
    node = VerifyNode()
    try:
        rclpy.spin(node)
    finally:
        node.destroy_node()
        rclpy.shutdown()


if __name__ == "__main__":
    main()
