#!/usr/bin/env python3
"""The history of a fleet: the JetStream stream FLIGHTS keeps every position, event and landing of every car for 90 days.

  flights_stream.py make SERVERS      makes the stream, or brings an existing one up to date
  flights_stream.py read SERVERS      prints each message as TOPIC PAYLOAD, the oldest first

SERVERS is a list such as tls://fleet1.example:4222,tls://fleet2.example:4222. The environment has FLEET_CA (the
authority's certificate), FLEET_USER and FLEET_PASSWORD_FILE. Needs nats-py (PyPI).
"""

import asyncio
import os
import pathlib
import ssl
import sys

import nats
from nats.errors import Error, TimeoutError
from nats.js.api import DeliverPolicy, StorageType, StreamConfig

STREAM = StreamConfig(
    name="FLIGHTS",
    # With a receiver's answer that the broker could not have: .history.>. A later report is one line more here.
    subjects=[f"sondygo.*.{kind}" for kind in ("position", "history.>", "event", "landing", "recovery")],
    storage=StorageType.FILE, num_replicas=3, max_age=90 * 86400,
    # For programs that send Nats-Msg-Id. MQTT has none: a repeated message has the same `time` in it.
    duplicate_window=120)
# A cluster elects its leaders within some seconds after the start or the loss of a server.
PATIENCE = 60


async def connect(servers):
    environment = os.environ
    return await nats.connect(
        servers.split(","), tls=ssl.create_default_context(cafile=environment["FLEET_CA"]),
        user=environment["FLEET_USER"], connect_timeout=5,
        password=pathlib.Path(environment["FLEET_PASSWORD_FILE"]).read_text().strip())


async def make(client):
    stream = client.jetstream()
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while True:
        try:
            await stream.add_stream(STREAM)
            return
        except Error as error:
            try:
                await stream.update_stream(STREAM)
                return
            except Error:
                if asyncio.get_running_loop().time() > deadline:
                    sys.exit(f"the stream can't be made: {error}")
        await asyncio.sleep(1)


async def read(client):
    """Yields subject and payload of all messages that are in the stream now."""
    stream = client.jetstream()
    last = (await stream.stream_info("FLIGHTS")).state.last_seq
    # Without a durable name: the server removes the consumer by itself.
    messages = await stream.pull_subscribe("", stream="FLIGHTS", config=nats.js.api.ConsumerConfig(
        deliver_policy=DeliverPolicy.ALL, ack_policy=nats.js.api.AckPolicy.NONE, num_replicas=1))
    at = 0
    while at < last:
        try:
            batch = await messages.fetch(500, timeout=5)
        except TimeoutError:
            return
        for message in batch:
            at = message.metadata.sequence.stream
            yield message.subject, message.data


async def main(verb, servers):
    client = await connect(servers)
    try:
        if verb == "make":
            await make(client)
        else:
            async for subject, payload in read(client):
                print(subject.replace(".", "/"), payload.decode())
    finally:
        await client.close()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "read"):
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
