#!/usr/bin/env python3
"""Sign a payload and verify it: client.py SOCKET PSID TEXT. One JSON object a line."""
import json
import socket
import sys


class Service:
    """A connection to the V2X security service."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rw", encoding="utf-8", newline="\n")
        self.id = 0

    def ask(self, operation, **fields):
        self.id += 1
        json.dump({"id": self.id, "operation": operation, **fields}, self.lines)
        self.lines.write("\n")
        self.lines.flush()
        answer = json.loads(self.lines.readline())
        if answer["status"] != "ok":
            sys.exit(f"{operation}: {answer['status']}: {answer['reason']}")
        return answer


service = Service(sys.argv[1])
payload = sys.argv[3].encode().hex()
signed = service.ask("sign", psid=int(sys.argv[2], 0), payload=payload)
print("signed:", signed["message"], "expires:", signed["expires"]["utc"])
verdict = service.ask("verify", message=signed["message"])["verification"]
print("verified:", verdict["report"], bytes.fromhex(verdict.get("payload", "")).decode())
