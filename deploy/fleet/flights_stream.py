#!/usr/bin/env python3
"""The history of a fleet: every position, event, landing and recovery of every car for 90 days.

  flights_stream.py make SERVERS      makes the stream, or brings an existing one up to date
  flights_stream.py read SERVERS      prints each message as TOPIC PAYLOAD, the oldest first

It is the server's own stream of MQTT messages with QoS 1: the server acknowledges a message only when two of the three
servers have it. A stream on the topics themselves would get them beside that, unacknowledged, and miss all that comes while
it has no leader. The first MQTT client would make this stream such that it forgets; so `make` comes before all of them.

SERVERS is a list such as tls://fleet1.example:4222,tls://fleet2.example:4222. The environment has FLEET_CA (the
authority's certificate), FLEET_USER and FLEET_PASSWORD_FILE. Needs nats-py (PyPI).
"""

import asyncio
import os
import pathlib
import re
import ssl
import sys

import nats
from nats.errors import Error, TimeoutError
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy, RetentionPolicy, StorageType, StreamConfig

# Its names are NATS's. It holds the topics with QoS 1 of bridge-car.conf. A repeated message has the same `time` in it.
PREFIX = "$MQTT.msgs."
STREAM = StreamConfig(
    name="$MQTT_msgs", subjects=[PREFIX + ">"], retention=RetentionPolicy.LIMITS, storage=StorageType.FILE, num_replicas=3,
    max_age=90 * 86400)
KINDS = re.compile(r"sondygo\.[^.]+\.(position|event|landing|recovery|history\..+)")
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
                await refuse_a_forgetful(stream)
                if asyncio.get_running_loop().time() > deadline:
                    sys.exit(f"the stream can't be made: {error}")
        await asyncio.sleep(1)


async def refuse_a_forgetful(stream):
    """NATS can't change a stream's retention."""
    try:
        is_right = (await stream.stream_info(STREAM.name)).config.retention == STREAM.retention
    except Error:  # There is none yet, or no answer.
        return
    if not is_right:
        sys.exit("an MQTT client came before the history, and the servers keep only what they have to deliver: stop all three,"
                 " remove the folder jetstream in STORE_FOLDER on each, and begin with the step \"Servers\" of the README")


async def read(client):
    """Yields topic and payload of all messages that are in the history now. Ends the program with an error where a part
    can't be had: an answer that ends early would look like a loss."""
    stream = client.jetstream()
    state = (await stream.stream_info(STREAM.name)).state
    # Without a durable name: the server removes the consumer by itself.
    messages = await stream.pull_subscribe("", stream=STREAM.name, config=ConsumerConfig(
        deliver_policy=DeliverPolicy.ALL, ack_policy=AckPolicy.NONE, num_replicas=1))
    at = state.first_seq - 1
    while at < state.last_seq:
        try:
            batch = await messages.fetch(min(500, state.last_seq - at), timeout=10)
        except TimeoutError:
            sys.exit(f"the stream can't be read behind message {at} of {state.last_seq}")
        for message in batch:
            at = message.metadata.sequence.stream
            subject = message.subject.removeprefix(PREFIX)
            if KINDS.fullmatch(subject):
                yield subject.replace(".", "/"), message.data


async def main(verb, servers):
    client = await connect(servers)
    try:
        if verb == "make":
            await make(client)
        else:
            async for topic, payload in read(client):
                print(topic, payload.decode())
    finally:
        await client.close()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "read"):
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
