#!/usr/bin/env python3
"""The history of a fleet: every position, event, landing and recovery of every car for 90 days.

  flights_stream.py make SERVERS GB     makes the stream, or brings an existing one up to date. If it needs more than so many
                                        gigabytes on each server, the oldest messages go. GB is less than DISK_LIMIT
  flights_stream.py read SERVERS        prints each message as a line TOPIC PAYLOAD, the oldest first
  flights_stream.py compare SERVERS     reads each server's copy and prints NAME COUNT messages, DIGEST; ends with an error if
                                        they differ

It is the server's own stream of MQTT messages with QoS 1: the server acknowledges a message only when two of the three
servers have it, in the memory of their systems; some seconds to two minutes later it is on the disks. A stream on the
topics themselves would get them beside that, unacknowledged, and miss all that comes while it has no leader. For the first
MQTT client the servers would make this stream so that it forgets delivered messages. So run `make` before any client connects.

SERVERS is a list such as tls://fleet1.example:4222,tls://fleet2.example:4222. The environment has FLEET_CA (the
authority's certificate), FLEET_USER (keeper makes, archive reads and compares) and FLEET_PASSWORD_FILE. Needs nats-py (PyPI).
"""

import asyncio
import hashlib
import logging
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
NAME, RETENTION = "$MQTT_msgs", RetentionPolicy.LIMITS
# Without a durable name: the server removes the consumer by itself. With one replica it reads one server's copy.
READER = ConsumerConfig(deliver_policy=DeliverPolicy.ALL, ack_policy=AckPolicy.NONE, num_replicas=1)
KINDS = re.compile(r"sondygo\.[^.]+\.(position|event|landing|recovery|history\..+)")
# A cluster elects its leaders within some seconds after the start or the loss of a server.
PATIENCE = 60
# asyncio warns of nats-py's way to close TLS.
logging.getLogger("asyncio").setLevel(logging.ERROR)


async def connect(servers):
    user, why = os.environ["FLEET_USER"], []

    async def note(error):
        why.append(error)

    try:
        return await nats.connect(
            servers.split(","), tls=ssl.create_default_context(cafile=os.environ["FLEET_CA"]), user=user,
            password=pathlib.Path(os.environ["FLEET_PASSWORD_FILE"]).read_text().strip(), connect_timeout=5,
            max_reconnect_attempts=1, error_cb=note)
    except (Error, asyncio.TimeoutError) as error:
        # A server that refuses a password hangs up, too.
        best = max([error, *why], key=lambda one: "Authorization" in str(one))
        sys.exit(f"no server of {servers} takes {user}: {best!r}")


async def make(client, gigabytes):
    stream = client.jetstream()
    wanted = StreamConfig(
        name=NAME, subjects=[PREFIX + ">"], retention=RETENTION, storage=StorageType.FILE, num_replicas=3,
        max_age=90 * 86400, max_bytes=int(float(gigabytes) * 1e9))
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while True:
        try:
            await stream.add_stream(wanted)
            return
        except Error as error:
            try:
                await stream.update_stream(wanted)
                return
            except Error:
                await refuse_a_forgetful(stream)
                if asyncio.get_running_loop().time() > deadline:
                    sys.exit(f"the stream can't be made: {error}")
        await asyncio.sleep(1)


async def refuse_a_forgetful(stream):
    """NATS can't change a stream's retention."""
    try:
        is_right = (await stream.stream_info(NAME)).config.retention == RETENTION
    except Error:  # There is none yet, or no answer.
        return
    if not is_right:
        sys.exit("an MQTT client came before the history, and the servers keep only what they have to deliver: stop all three,"
                 " copy the folder jetstream in STORE_FOLDER of each to a safe place, remove it, and begin with the step"
                 " \"Servers\" of the README, with first.conf")


class Hole(Exception):
    """A copy of the history lacks messages."""


async def messages_of(stream, consumer, state):
    """Yields all messages of the copy that the consumer reads. Raises Hole where one is missing: an answer that ends early
    would look like a loss."""
    messages = await stream.pull_subscribe_bind(consumer=consumer.name, stream=NAME)
    at = state.first_seq - 1
    while at < state.last_seq:
        try:
            batch = await messages.fetch(min(500, state.last_seq - at), timeout=10)
        except TimeoutError:
            raise Hole(f"can't be read behind message {at} of {state.last_seq}") from None
        for message in batch:
            before, at = at, message.metadata.sequence.stream
            # The oldest messages may have gone meanwhile. Nothing else leaves the stream.
            if at != before + 1 and at > (await stream.stream_info(NAME)).state.first_seq:
                raise Hole(f"lacks the messages {before + 1} to {at - 1}")
            yield message


async def read(client):
    """Yields topic and payload of all messages that are in the history now."""
    stream = client.jetstream()
    await refuse_a_forgetful(stream)
    state = (await stream.stream_info(NAME)).state
    consumer = await stream.add_consumer(NAME, config=READER)
    try:
        async for message in messages_of(stream, consumer, state):
            subject = message.subject.removeprefix(PREFIX)
            # An empty message clears a retained value.
            if message.data and KINDS.fullmatch(subject):
                yield subject.replace(".", "/"), message.data
    except Hole as hole:
        sys.exit(f"the copy of {consumer.cluster.leader} {hole}; \"compare\" shows the others")


async def summary(stream, consumer, state):
    """What distinguishes one server's copy from another's."""
    count, digest = 0, hashlib.sha256()
    try:
        async for message in messages_of(stream, consumer, state):
            about = message.metadata
            digest.update(f"{about.sequence.stream} {about.timestamp} {message.subject} {len(message.data)} ".encode())
            digest.update(message.data)
            count += 1
    except Hole as hole:
        return str(hole)
    return f"{count} messages, {digest.hexdigest()[:16]}"


async def compare(client):
    """Returns what each server's copy has, by the server's name. A server that does not answer has None."""
    stream = client.jetstream()
    await refuse_a_forgetful(stream)
    info = await stream.stream_info(NAME)
    found = dict.fromkeys(sorted([info.cluster.leader, *[one.name for one in info.cluster.replicas or []]]))
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while None in found.values() and asyncio.get_running_loop().time() < deadline:
        # NATS chooses by chance which server's copy a consumer reads.
        try:
            consumer = await stream.add_consumer(NAME, config=READER, timeout=2)
        except Error:
            continue
        if found.get(consumer.cluster.leader, "") is None:
            found[consumer.cluster.leader] = await summary(stream, consumer, info.state)
    return found


async def main(verb, servers, *gigabytes):
    client = await connect(servers)
    try:
        if verb == "make":
            await make(client, *gigabytes)
        elif verb == "compare":
            found = await compare(client)
            for name, text in found.items():
                print(name, text or "does not answer")
            if len(set(found.values())) != 1:
                sys.exit("the copies differ: fleet.md says what to do")
        else:
            async for topic, payload in read(client):
                # A car may have sent anything, and must not write a line of another's.
                print(topic, payload.decode(errors="backslashreplace").replace("\r", " ").replace("\n", " "))
    finally:
        await client.close()


if __name__ == "__main__":
    if len(sys.argv) != {"make": 4, "read": 3, "compare": 3}.get((sys.argv + [""])[1]):
        sys.exit(__doc__)
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyError as error:
        sys.exit(f"the environment has no {error}")
    except (Error, OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
