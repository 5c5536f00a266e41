import pytest

import store


def test_adds_an_animal(sandbox):
    sandbox.seed(pets=[{"name": "Rex", "categoryId": 1}])
    store.add("Kit")
    assert store.names() == ["Rex", "Kit"]


def test_limits_pass_in_no_time(sandbox):
    key = "psk_free"
    for _ in range(60):
        store.call("GET", "/pets?limit=1", key=key)
    with pytest.raises(store.StoreError, match="429 rate_limit_exceeded"):
        store.call("GET", "/pets", key=key)
    sandbox.advance("61s")
    assert len(store.call("GET", "/pets", key=key)) == 12


def test_asks_again_after_503(sandbox):
    sandbox.fault(effect={"status": 503}, times=2)
    assert store.add("Kit") == 13


def test_an_answer_is_lost(sandbox):
    sandbox.fault(match={"operationId": "createPet"}, effect={"wire": "reset"}, when="after", times=1)
    with pytest.raises(OSError):
        store.add("Ghost")
    assert store.names()[-1] == "Ghost"


def test_the_report_names_the_test(sandbox):
    store.names()
    assert sandbox.call("GET", "/requests")[-1]["test"] == "test_the_report_names_the_test"
