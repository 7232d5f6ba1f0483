#include "radio.h"
#include "bluetooth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <unistd.h>

enum { H4_COMMAND = 1, H4_ACL = 2, H4_EVENT = 4 };

enum hci_command {
    HCI_DISCONNECT = 0x0406,
    HCI_SET_EVENT_MASK = 0x0c01,
    HCI_RESET = 0x0c03,
    HCI_READ_ADDRESS = 0x1009,
    HCI_LE_SET_EVENT_MASK = 0x2001,
    HCI_LE_READ_BUFFER_SIZE = 0x2002,
    HCI_LE_SET_RANDOM_ADDRESS = 0x2005,
    HCI_LE_SET_ADVERTISING_PARAMETERS = 0x2006,
    HCI_LE_SET_ADVERTISING_DATA = 0x2008,
    HCI_LE_SET_SCAN_RESPONSE = 0x2009,
    HCI_LE_SET_ADVERTISING = 0x200a,
    HCI_LE_LONG_TERM_KEY_NEGATIVE_REPLY = 0x201b,
};

enum hci_event {
    EVENT_DISCONNECTED = 0x05,
    EVENT_COMMAND_COMPLETE = 0x0e,
    EVENT_COMMAND_STATUS = 0x0f,
    EVENT_PACKETS_SENT = 0x13,
    EVENT_LE = 0x3e,
    LE_CONNECTED = 0x01,
    LE_LONG_TERM_KEY_REQUEST = 0x05,
    LE_ENHANCED_CONNECTED = 0x0a,
};

enum { QUEUE = 64, ACL_FIRST = 0, ACL_CONTINUED = 1 };

struct fragment {
    size_t length;
    uint8_t packet[1 + 4 + 255];
};

struct hci_radio {
    struct radio radio; /* first, so that one can be had from the other */
    int hci;
    uint16_t handle;
    size_t fragment_limit;      /* ACL payload the controller takes at once */
    unsigned credits, credits_full;
    struct fragment queue[QUEUE]; /* waiting for credits */
    unsigned queue_first, queue_used;
    uint8_t incoming[1024];     /* an L2CAP packet being put together */
    size_t incoming_used;
    struct fragment later[QUEUE]; /* arrived while a command waited for its answer */
    unsigned later_used;
};

enum { EIR_FLAGS = 0x01, EIR_UUID128_COMPLETE = 0x07, EIR_NAME_SHORT = 0x08, EIR_NAME = 0x09 };

/* The two packets on the air, at most 31 bytes each; their lengths. */
static size_t advertisement(const struct radio_setup *setup, uint8_t data[31])
{
    size_t length = 0;

    memset(data, 0, 31);
    data[length++] = 2;
    data[length++] = EIR_FLAGS;
    data[length++] = 0x06; /* general discoverable, no BR/EDR */
    data[length++] = 17;
    data[length++] = EIR_UUID128_COMPLETE;
    memcpy(data + length, setup->service, 16);
    return length + 16;
}

static size_t scan_response(const struct radio_setup *setup, uint8_t data[31])
{
    size_t name = strlen(setup->name);
    size_t room = 31 - 2;

    memset(data, 0, 31);
    data[1] = name > room ? EIR_NAME_SHORT : EIR_NAME;
    if (name > room)
        name = room;
    data[0] = (uint8_t)(name + 1);
    memcpy(data + 2, setup->name, name);
    return name + 2;
}

/* --- commands --------------------------------------------------------------- */

/* Sends a command and waits for its answer; the answer's parameters, status
 * first.  What else arrives meanwhile is handled later. */
static const uint8_t *command(struct hci_radio *self, uint16_t opcode, const void *data, size_t length)
{
    static uint8_t packet[1 + 2 + 1 + 255];
    static uint8_t answer[260];

    packet[0] = H4_COMMAND;
    put16(packet + 1, opcode);
    packet[3] = (uint8_t)length;
    if (length)
        memcpy(packet + 4, data, length);
    if (write(self->hci, packet, 4 + length) < 0)
        give_up("HCI command %04x", opcode);
    for (;;) {
        struct pollfd wait = { .fd = self->hci, .events = POLLIN };
        if (poll(&wait, 1, 5000) == 0)
            give_up("HCI command %04x: no answer", opcode);
        ssize_t got = read(self->hci, answer, sizeof answer);
        if (got <= 0)
            give_up("controller %d is gone", self->radio.setup.controller);
        if (answer[0] == H4_EVENT && answer[1] == EVENT_COMMAND_COMPLETE && get16(answer + 4) == opcode)
            return answer + 6;
        if (answer[0] == H4_EVENT && answer[1] == EVENT_COMMAND_STATUS && get16(answer + 5) == opcode)
            return answer + 3;
        if (self->later_used < QUEUE) {
            struct fragment *packet_for_later = &self->later[self->later_used++];
            packet_for_later->length = (size_t)got;
            memcpy(packet_for_later->packet, answer, (size_t)got);
        }
    }
}

static void command_or_give_up(struct hci_radio *self, uint16_t opcode, const void *data, size_t length)
{
    uint8_t status = command(self, opcode, data, length)[0];
    if (status)
        give_up("HCI command %04x: status %02x", opcode, status);
}

/* --- out ------------------------------------------------------------------- */

static void flush(struct hci_radio *self)
{
    while (self->queue_used && self->credits) {
        struct fragment *fragment = &self->queue[self->queue_first];

        if (write(self->hci, fragment->packet, fragment->length) < 0)
            say("ACL: %s", strerror(errno));
        self->queue_first = (self->queue_first + 1) % QUEUE;
        self->queue_used--;
        self->credits--;
    }
}

static void send_l2cap(struct hci_radio *self, uint16_t channel, const uint8_t *payload, size_t length)
{
    uint8_t whole[4 + ATT_MAXIMUM_MTU];
    size_t total = 4 + length;

    if (!self->radio.connected)
        return;
    put16(whole, (uint16_t)length);
    put16(whole + 2, channel);
    memcpy(whole + 4, payload, length);
    for (size_t at = 0; at < total; at += self->fragment_limit) {
        size_t part = total - at < self->fragment_limit ? total - at : self->fragment_limit;
        if (self->queue_used == QUEUE) {
            say("nothing goes out any more: packet dropped");
            return;
        }
        struct fragment *fragment = &self->queue[(self->queue_first + self->queue_used++) % QUEUE];
        fragment->packet[0] = H4_ACL;
        put16(fragment->packet + 1, (uint16_t)(self->handle | (at ? ACL_CONTINUED : ACL_FIRST) << 12));
        put16(fragment->packet + 3, (uint16_t)part);
        memcpy(fragment->packet + 5, whole + at, part);
        fragment->length = 5 + part;
    }
    flush(self);
}

void radio_send(struct radio *radio, const uint8_t *pdu, size_t length)
{
    send_l2cap((struct hci_radio *)radio, CID_ATT, pdu, length);
}

/* --- in -------------------------------------------------------------------- */

static void handle_l2cap(struct hci_radio *self, uint16_t channel, const uint8_t *payload, size_t length)
{
    if (channel == CID_ATT && length > 0) {
        self->radio.on_receive(self->radio.context, payload, length);
    } else if (channel == CID_SMP && length > 0 && payload[0] == 0x01) {
        send_l2cap(self, CID_SMP, (const uint8_t[]){ 0x05, 0x05 }, 2); /* pairing not supported */
    } else if (channel == CID_LE_SIGNALLING && length >= 4 && !(payload[0] & 1)) {
        /* a request of any kind: command reject, not understood */
        send_l2cap(self, CID_LE_SIGNALLING, (const uint8_t[]){ 0x01, payload[1], 2, 0, 0, 0 }, 6);
    }
}

static void handle_acl(struct hci_radio *self, const uint8_t *packet, size_t length)
{
    if (length < 5)
        return;
    bool continued = (packet[2] >> 4 & 3) == ACL_CONTINUED;
    size_t part = length - 5;

    if (!continued)
        self->incoming_used = 0;
    if (self->incoming_used + part > sizeof self->incoming)
        return;
    memcpy(self->incoming + self->incoming_used, packet + 5, part);
    self->incoming_used += part;
    if (self->incoming_used < 4 || self->incoming_used < 4u + get16(self->incoming))
        return;
    handle_l2cap(self, get16(self->incoming + 2), self->incoming + 4, get16(self->incoming));
    self->incoming_used = 0;
}

static void handle_event(struct hci_radio *self, const uint8_t *event, size_t length)
{
    struct radio *radio = &self->radio;
    const uint8_t *data = event + 3;
    (void)length;

    switch (event[1]) {
    case EVENT_DISCONNECTED:
        if (data[0] || !radio->connected)
            break;
        radio->connected = false;
        self->queue_used = 0;
        self->credits = self->credits_full;
        self->incoming_used = 0;
        char why[32];
        snprintf(why, sizeof why, "reason %02x", data[3]);
        radio->on_disconnect(radio->context, why);
        break;
    case EVENT_PACKETS_SENT:
        for (int i = 0; i < data[0]; i++)
            self->credits += get16(data + 1 + 4 * i + 2);
        if (self->credits > self->credits_full)
            self->credits = self->credits_full;
        flush(self);
        break;
    case EVENT_LE:
        if ((data[0] == LE_CONNECTED || data[0] == LE_ENHANCED_CONNECTED) && !data[1]) {
            self->handle = get16(data + 2) & 0x0fff;
            memcpy(radio->peer, data + 6, 6);
            radio->connected = true;
            radio->advertising = false; /* the controller stops by itself */
            radio->on_connect(radio->context);
        } else if (data[0] == LE_LONG_TERM_KEY_REQUEST) {
            command(self, HCI_LE_LONG_TERM_KEY_NEGATIVE_REPLY, data + 1, 2);
        }
        break;
    }
}

static void handle_packet(struct hci_radio *self, const uint8_t *packet, size_t length)
{
    if (packet[0] == H4_EVENT)
        handle_event(self, packet, length);
    else if (packet[0] == H4_ACL)
        handle_acl(self, packet, length);
}

/* --- the radio ------------------------------------------------------------- */

void radio_advertise(struct radio *radio, bool on)
{
    struct hci_radio *self = (struct hci_radio *)radio;
    uint8_t value = on;
    uint8_t status = command(self, HCI_LE_SET_ADVERTISING, &value, 1)[0];

    if (status)
        say("advertising %s: status %02x", on ? "on" : "off", status);
    else
        radio->advertising = on;
}

void radio_hang_up(struct radio *radio)
{
    struct hci_radio *self = (struct hci_radio *)radio;
    uint8_t data[3] = { 0, 0, 0x13 }; /* remote user terminated connection */

    put16(data, self->handle);
    if (radio->connected)
        command(self, HCI_DISCONNECT, data, sizeof data);
}

int radio_descriptor(const struct radio *radio)
{
    return ((const struct hci_radio *)radio)->hci;
}

void radio_read(struct radio *radio)
{
    struct hci_radio *self = (struct hci_radio *)radio;
    uint8_t packet[1024];
    ssize_t got = read(self->hci, packet, sizeof packet);
    if (got <= 0)
        give_up("controller %d is gone", radio->setup.controller);
    handle_packet(self, packet, (size_t)got);
    while (self->later_used) {
        struct fragment first = self->later[0];
        memmove(self->later, self->later + 1, --self->later_used * sizeof first);
        handle_packet(self, first.packet, first.length);
    }
}

struct radio *radio_open(const struct radio_setup *setup)
{
    struct hci_radio *self = calloc(1, sizeof *self);
    struct sockaddr_hci address = {
        .family = AF_BLUETOOTH, .device = setup->controller, .channel = HCI_CHANNEL_USER
    };
    const uint8_t *answer;

    self->radio.setup = *setup;

    /* The kernel lends a controller out only while its power is off. */
    int mgmt = mgmt_open();
    if (mgmt < 0)
        give_up("mgmt socket");
    int status = mgmt_set(mgmt, MGMT_SET_POWERED, setup->controller, 0);
    if (status != 0)
        give_up("power off: %s", mgmt_status_text(status));
    close(mgmt);

    self->hci = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, BTPROTO_HCI);
    if (self->hci < 0 || bind(self->hci, (struct sockaddr *)&address, sizeof address) < 0)
        give_up("HCI user channel of controller %d", setup->controller);

    command_or_give_up(self, HCI_RESET, NULL, 0);
    command_or_give_up(self, HCI_SET_EVENT_MASK, "\xff\xff\xff\xff\xff\xff\xff\x3f", 8);
    command_or_give_up(self, HCI_LE_SET_EVENT_MASK, "\x1f\0\0\0\0\0\0\0", 8);

    answer = command(self, HCI_LE_READ_BUFFER_SIZE, NULL, 0);
    if (answer[0])
        give_up("LE buffer size: status %02x", answer[0]);
    self->fragment_limit = get16(answer + 1);
    self->credits_full = answer[3];
    if (!self->fragment_limit || self->fragment_limit > 255) {
        /* shared with BR/EDR (0), or larger than this program cares for */
        self->fragment_limit = self->fragment_limit ? 251 : 27;
        self->credits_full = self->credits_full ? self->credits_full : 1;
    }
    self->credits = self->credits_full;

    answer = command(self, HCI_READ_ADDRESS, NULL, 0);
    memcpy(self->radio.own, answer + 1, 6);
    if (setup->random) {
        command_or_give_up(self, HCI_LE_SET_RANDOM_ADDRESS, setup->address, 6);
        memcpy(self->radio.own, setup->address, 6);
    }

    uint16_t interval = (uint16_t)(setup->advertising_ms * 8 / 5); /* units of 0.625 ms */
    uint8_t parameters[15] = { 0 };
    put16(parameters, interval);
    put16(parameters + 2, interval);
    parameters[5] = setup->random;
    parameters[13] = 7; /* all three channels */
    command_or_give_up(self, HCI_LE_SET_ADVERTISING_PARAMETERS, parameters, sizeof parameters);

    uint8_t data[1 + 31];
    data[0] = (uint8_t)advertisement(setup, data + 1);
    command_or_give_up(self, HCI_LE_SET_ADVERTISING_DATA, data, sizeof data);
    data[0] = (uint8_t)scan_response(setup, data + 1);
    command_or_give_up(self, HCI_LE_SET_SCAN_RESPONSE, data, sizeof data);
    return &self->radio;
}
