"""A world for each test: the start fixture, full limits, real time, and the name of the test in the report."""

import json
import os
import urllib.request

import pytest


class Sandbox:
    """The control API of the sandbox that `petstore-sandbox exec` has started."""

    url = os.environ["PETSTORE_SANDBOX_URL"] + "/_sandbox"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read() or b"null")

    def seed(self, **seed):
        return self.call("POST", "/seed", seed)

    def advance(self, duration):
        return self.call("POST", "/clock", {"advance": duration})

    def fault(self, **rule):
        return self.call("POST", "/faults", rule)


@pytest.fixture(autouse=True)
def sandbox(request):
    sandbox = Sandbox()
    sandbox.call("POST", "/reset")
    sandbox.call("PUT", "/label", {"label": request.node.name})
    return sandbox
