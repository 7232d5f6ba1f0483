#include "controller.h"
#include "bluetooth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ACL_PAYLOAD = 27, ACL_BUFFERS = 8 };
enum { H4_COMMAND = 1, H4_ACL = 2, H4_EVENT = 4 };

enum hci_error {
    OK = 0x00,
    UNKNOWN_COMMAND = 0x01,
    UNKNOWN_CONNECTION = 0x02,
    CONNECTION_TIMEOUT = 0x08,
    COMMAND_DISALLOWED = 0x0c,
    ENDED_BY_LOCAL_HOST = 0x16,
    FAILED_TO_ESTABLISH = 0x3e,
};

enum hci_event {
    EVENT_DISCONNECTED = 0x05,
    EVENT_REMOTE_VERSION = 0x0c,
    EVENT_COMMAND_COMPLETE = 0x0e,
    EVENT_COMMAND_STATUS = 0x0f,
    EVENT_PACKETS_SENT = 0x13,
    EVENT_LE = 0x3e,
    LE_CONNECTED = 0x01,
    LE_ADVERTISING_REPORT = 0x02,
    LE_CONNECTION_UPDATED = 0x03,
    LE_REMOTE_FEATURES = 0x04,
};

enum advertising_type { ADV_IND = 0, ADV_DIRECT = 1, ADV_SCANNABLE = 2, ADV_NONCONNECTABLE = 3, SCAN_RESPONSE = 4 };

struct controller_state controllers[CONTROLLERS];
struct link links[LINKS];
int controller_count = 2;
int8_t strength[CONTROLLERS][CONTROLLERS];
bool apart[CONTROLLERS][CONTROLLERS];
bool verbose;

double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + time.tv_nsec / 1e9;
}

int number(const struct controller_state *controller)
{
    return (int)(controller - controllers);
}

bool in_range(const struct controller_state *a, const struct controller_state *b)
{
    return a && b && a->fd >= 0 && b->fd >= 0 && !apart[number(a)][number(b)];
}

/* --- to the host ----------------------------------------------------------- */

static void to_host(struct controller_state *controller, const uint8_t *bytes, size_t length)
{
    if (controller->fd >= 0 && !controller->hung && write(controller->fd, bytes, length) < 0)
        say("hci%d: %s", controller->index, strerror(errno));
}

static void event(struct controller_state *controller, uint8_t code, const void *data, size_t length)
{
    uint8_t bytes[3 + 255] = { H4_EVENT, code, (uint8_t)length };

    memcpy(bytes + 3, data, length);
    to_host(controller, bytes, 3 + length);
}

static void le_event(struct controller_state *controller, uint8_t code, const void *data, size_t length)
{
    uint8_t bytes[255] = { code };

    memcpy(bytes + 1, data, length);
    event(controller, EVENT_LE, bytes, 1 + length);
}

/* The answer to a command: status, then so many bytes of results. */
static void complete(struct controller_state *controller, uint16_t opcode, uint8_t status, const void *results,
                     size_t length)
{
    uint8_t bytes[255] = { 1, 0, 0, status };

    put16(bytes + 1, opcode);
    if (length)
        memcpy(bytes + 4, results, length);
    event(controller, EVENT_COMMAND_COMPLETE, bytes, 4 + length);
}

static void accepted(struct controller_state *controller, uint16_t opcode, uint8_t status)
{
    uint8_t bytes[4] = { status, 1 };

    put16(bytes + 2, opcode);
    event(controller, EVENT_COMMAND_STATUS, bytes, sizeof bytes);
}

/* --- connections ----------------------------------------------------------- */

static struct link *find_link(const struct controller_state *controller, uint16_t handle, int *end)
{
    for (int i = 0; i < LINKS; i++)
        for (*end = 0; *end < 2; (*end)++)
            if (links[i].used && links[i].handle == handle && links[i].end[*end] == controller)
                return &links[i];
    return NULL;
}

static void report_end(struct link *link, int end, uint8_t reason)
{
    uint8_t bytes[4] = { OK, 0, 0, reason };

    if (!link->end[end])
        return;
    put16(bytes + 1, link->handle);
    event(link->end[end], EVENT_DISCONNECTED, bytes, sizeof bytes);
}

/* One end leaves unheard: the other waits until its time is up. */
static void leave(struct link *link, int end)
{
    link->end[end] = NULL;
    if (!link->end[!end])
        link->used = false;
    else if (link->apart_since == 0)
        link->apart_since = now();
}

void end_link(struct link *link, uint8_t reason_central, uint8_t reason_peripheral)
{
    if (verbose)
        say("link %d ends: %02x, %02x", link->handle, reason_central, reason_peripheral);
    link->used = false;
    report_end(link, 0, reason_central);
    report_end(link, 1, reason_peripheral);
}

void carry(struct link *link)
{
    for (int end = 0; end < 2; end++) {
        if (!link->held_count[end] || !in_range(link->end[0], link->end[1]))
            continue;
        for (unsigned i = 0; i < link->held_count[end]; i++)
            to_host(link->end[!end], link->held[end][i].bytes, link->held[end][i].length);
        uint8_t bytes[5] = { 1 };
        put16(bytes + 1, link->handle);
        put16(bytes + 3, (uint16_t)link->held_count[end]);
        link->held_count[end] = 0;
        event(link->end[end], EVENT_PACKETS_SENT, bytes, sizeof bytes);
    }
}

static void connected_event(struct link *link, int end, const struct address *peer, uint8_t status,
                            struct controller_state *to)
{
    const struct controller_state *central = link ? link->end[0] : to;
    uint8_t bytes[18] = { status };

    put16(bytes + 1, link ? link->handle : 0);
    bytes[3] = (uint8_t)end;
    bytes[4] = peer->type;
    memcpy(bytes + 5, peer->bytes, 6);
    memcpy(bytes + 11, central->initiate_interval, 2);
    memcpy(bytes + 13, central->initiate_latency, 2);
    memcpy(bytes + 15, central->initiate_timeout, 2);
    le_event(to, LE_CONNECTED, bytes, sizeof bytes);
}

static struct address own_address(const struct controller_state *controller, uint8_t type)
{
    struct address address = { .type = type & 1 };

    memcpy(address.bytes, address.type ? controller->random : controller->address, 6);
    return address;
}

static void establish(struct controller_state *central, struct controller_state *peripheral)
{
    static uint16_t next_handle = 0x40;
    struct link *link = links;

    while (link < links + LINKS && link->used)
        link++;
    if (link == links + LINKS)
        return;
    memset(link, 0, sizeof *link);
    link->used = true;
    link->end[0] = central;
    link->end[1] = peripheral;
    link->handle = next_handle++;
    if (next_handle > 0x0eff)
        next_handle = 0x40;
    link->timeout_ms = get16(central->initiate_timeout) * 10u;
    central->initiating = false;

    struct address of_central = own_address(central, central->initiate_own);
    struct address of_peripheral = own_address(peripheral, peripheral->advertising_own);
    if (peripheral->refusals) {
        /* What a real one reports when the first packets get lost: the
         * connection, and shortly its end; the advertiser notices nothing. */
        peripheral->refusals--;
        connected_event(link, 0, &of_peripheral, OK, central);
        report_end(link, 0, FAILED_TO_ESTABLISH);
        link->used = false;
        return;
    }
    peripheral->advertising = false;
    connected_event(link, 1, &of_central, OK, peripheral);
    connected_event(link, 0, &of_peripheral, OK, central);
    if (verbose)
        say("link %d: hci%d to hci%d", link->handle, central->index, peripheral->index);
}

/* --- advertising ----------------------------------------------------------- */

static bool same(const struct address *a, const struct address *b)
{
    return a->type == b->type && !memcmp(a->bytes, b->bytes, 6);
}

static bool on_accept_list(const struct controller_state *controller, const struct address *address)
{
    for (unsigned i = 0; i < controller->accepted_count; i++)
        if (same(&controller->accepted[i], address))
            return true;
    return false;
}

static bool heard_before(struct controller_state *scanner, const struct address *address)
{
    for (unsigned i = 0; i < scanner->heard_count; i++)
        if (same(&scanner->heard[i], address))
            return true;
    if (scanner->heard_count < HEARD)
        scanner->heard[scanner->heard_count++] = *address;
    return false;
}

static void report(struct controller_state *scanner, const struct controller_state *advertiser, uint8_t type,
                   const uint8_t *data)
{
    struct address address = own_address(advertiser, advertiser->advertising_own);
    uint8_t bytes[9 + 31 + 1] = { 1, type, address.type };

    memcpy(bytes + 3, address.bytes, 6);
    memcpy(bytes + 9, data, 1u + data[0]);
    bytes[10 + data[0]] = (uint8_t)strength[number(scanner)][number(advertiser)];
    le_event(scanner, LE_ADVERTISING_REPORT, bytes, 11u + data[0]);
}

void advertise(struct controller_state *advertiser)
{
    struct address address = own_address(advertiser, advertiser->advertising_own);
    bool connectable = advertiser->advertising_type <= ADV_DIRECT;

    for (int i = 0; i < controller_count; i++) {
        struct controller_state *other = &controllers[i];

        if (other == advertiser || !in_range(other, advertiser))
            continue;
        if (other->initiating && connectable &&
            (other->initiate_accept_list ? on_accept_list(other, &address)
                                         : same(&other->initiate_peer, &address))) {
            establish(other, advertiser);
            if (!advertiser->advertising)
                return;
        }
        if (!other->scanning || (other->scan_accept_list && !on_accept_list(other, &address)))
            continue;
        if (heard_before(other, &address) && other->scan_filter_duplicates)
            continue;
        report(other, advertiser, advertiser->advertising_type, advertiser->data);
        if (other->scan_active &&
            (advertiser->advertising_type == ADV_IND || advertiser->advertising_type == ADV_SCANNABLE))
            report(other, advertiser, SCAN_RESPONSE, advertiser->response);
    }
}

/* --- from the host --------------------------------------------------------- */

void reset(struct controller_state *controller)
{
    for (int i = 0; i < LINKS; i++)
        for (int end = 0; end < 2; end++)
            if (links[i].used && links[i].end[end] == controller)
                leave(&links[i], end);
    controller->advertising = controller->scanning = controller->initiating = false;
    controller->accepted_count = controller->heard_count = 0;
    memset(controller->random, 0, 6);
    memset(controller->data, 0, sizeof controller->data);
    memset(controller->response, 0, sizeof controller->response);
}

static void change_accept_list(struct controller_state *controller, const uint8_t *data, bool add)
{
    struct address address = { .type = data[0] };

    memcpy(address.bytes, data + 1, 6);
    if (add && controller->accepted_count < ACCEPTED && !on_accept_list(controller, &address))
        controller->accepted[controller->accepted_count++] = address;
    for (unsigned i = 0; !add && i < controller->accepted_count; i++)
        if (same(&controller->accepted[i], &address))
            controller->accepted[i--] = controller->accepted[--controller->accepted_count];
}

static void handle_connection_command(struct controller_state *controller, uint16_t opcode, const uint8_t *data)
{
    int end;
    struct link *link = find_link(controller, get16(data) & 0x0fff, &end);
    uint8_t bytes[16] = { OK };

    accepted(controller, opcode, link ? OK : UNKNOWN_CONNECTION);
    if (!link)
        return;
    put16(bytes + 1, link->handle);
    switch (opcode) {
    case 0x0406: /* disconnect: the other end hears the reason, if it can hear */
        if (!in_range(link->end[0], link->end[1])) {
            report_end(link, end, ENDED_BY_LOCAL_HOST);
            leave(link, end);
        } else {
            end_link(link, end == 0 ? ENDED_BY_LOCAL_HOST : data[2], end == 1 ? ENDED_BY_LOCAL_HOST : data[2]);
        }
        break;
    case 0x041d: /* read remote version: Bluetooth 4.2, no company */
        bytes[3] = 0x08;
        put16(bytes + 4, 0xffff);
        event(controller, EVENT_REMOTE_VERSION, bytes, 8);
        break;
    case 0x2013: /* connection update */
        memcpy(bytes + 3, data + 4, 6);
        link->timeout_ms = get16(data + 8) * 10u;
        for (end = 0; end < 2; end++)
            if (link->end[end])
                le_event(link->end[end], LE_CONNECTION_UPDATED, bytes, 9);
        break;
    case 0x2016: /* read remote features: none */
        le_event(controller, LE_REMOTE_FEATURES, bytes, 11);
        break;
    }
}

/* The commands that the controllers know, for "read local supported commands":
 * octet and bit. */
static const uint8_t supported[][2] = {
    { 0, 5 },  { 2, 7 },  { 5, 6 },  { 5, 7 },  { 14, 3 }, { 14, 5 }, { 15, 1 }, { 15, 5 },
    { 25, 0 }, { 25, 1 }, { 25, 2 }, { 25, 4 }, { 25, 5 }, { 25, 6 }, { 25, 7 }, { 26, 0 },
    { 26, 1 }, { 26, 2 }, { 26, 3 }, { 26, 4 }, { 26, 5 }, { 26, 6 }, { 26, 7 }, { 27, 0 },
    { 27, 1 }, { 27, 2 }, { 27, 5 }, { 27, 7 }, { 28, 3 },
};

static void handle_command(struct controller_state *self, const uint8_t *packet)
{
    uint16_t opcode = get16(packet + 1);
    const uint8_t *data = packet + 4;
    uint8_t status = OK;
    uint8_t out[128] = { 0 };
    size_t length = 0;

    switch (opcode) {
    case 0x0406: case 0x041d: case 0x2013: case 0x2016:
        handle_connection_command(self, opcode, data);
        return;
    case 0x0c03: reset(self); break;
    case 0x0c01: case 0x0c63: case 0x2001: break; /* event masks */
    case 0x1001: /* version: Bluetooth 4.2, no company */
        out[0] = out[3] = 0x08;
        put16(out + 4, 0xffff);
        length = 8;
        break;
    case 0x1002: /* commands */
        for (size_t i = 0; i < sizeof supported / sizeof *supported; i++)
            out[supported[i][0]] |= (uint8_t)(1 << supported[i][1]);
        length = 64;
        break;
    case 0x1003: out[4] = 0x60; length = 8; break; /* features: LE, no BR/EDR */
    case 0x1009: memcpy(out, self->address, 6); length = 6; break;
    case 0x1405: /* strength of a connection */
        memcpy(out, data, 2);
        out[2] = (uint8_t)-60;
        for (int i = 0, end; i < LINKS; i++)
            if (&links[i] == find_link(self, get16(data), &end) && links[i].end[!end])
                out[2] = (uint8_t)strength[number(self)][number(links[i].end[!end])];
        length = 3;
        break;
    case 0x2002: put16(out, ACL_PAYLOAD); out[2] = ACL_BUFFERS; length = 3; break;
    case 0x2003: length = 8; break; /* LE features: none */
    case 0x2005: memcpy(self->random, data, 6); break;
    case 0x2006:
        if (self->advertising) {
            status = COMMAND_DISALLOWED;
            break;
        }
        self->advertising_ms = get16(data) * 5u / 8;
        self->advertising_type = data[4];
        self->advertising_own = data[5];
        break;
    case 0x2007: length = 1; break; /* advertising power: 0 dBm */
    case 0x2008: memcpy(self->data, data, 32); break;
    case 0x2009: memcpy(self->response, data, 32); break;
    case 0x200a:
        self->advertising = data[0];
        self->next_advertising = now();
        break;
    case 0x200b:
        if (self->scanning) {
            status = COMMAND_DISALLOWED;
            break;
        }
        self->scan_active = data[0];
        self->scan_accept_list = data[6] & 1;
        break;
    case 0x200c:
        self->scanning = data[0];
        self->scan_filter_duplicates = data[1];
        self->heard_count = 0;
        break;
    case 0x200d: /* create connection */
        if (!self->initiating) {
            self->initiating = true;
            self->initiate_accept_list = data[4];
            self->initiate_peer.type = data[5] & 1;
            memcpy(self->initiate_peer.bytes, data + 6, 6);
            self->initiate_own = data[12];
            memcpy(self->initiate_interval, data + 15, 2);
            memcpy(self->initiate_latency, data + 17, 2);
            memcpy(self->initiate_timeout, data + 19, 2);
            accepted(self, opcode, OK);
        } else {
            accepted(self, opcode, COMMAND_DISALLOWED);
        }
        return;
    case 0x200e: /* cancel it */
        complete(self, opcode, self->initiating ? OK : COMMAND_DISALLOWED, NULL, 0);
        if (self->initiating) {
            self->initiating = false;
            connected_event(NULL, 0, &self->initiate_peer, UNKNOWN_CONNECTION, self);
        }
        return;
    case 0x200f: out[0] = ACCEPTED; length = 1; break;
    case 0x2010: self->accepted_count = 0; break;
    case 0x2011: change_accept_list(self, data, true); break;
    case 0x2012: change_accept_list(self, data, false); break;
    case 0x2018: /* random number */
        for (length = 0; length < 8; length++)
            out[length] = (uint8_t)rand();
        break;
    case 0x201c: memset(out, 0xff, 5); out[5] = 0x03; length = 8; break; /* all states */
    default:
        if (verbose)
            say("hci%d: command %04x is not known", self->index, opcode);
        status = UNKNOWN_COMMAND;
    }
    complete(self, opcode, status, out, length);
}

static void handle_acl(struct controller_state *controller, const uint8_t *bytes, size_t length)
{
    uint16_t handle = get16(bytes + 1);
    int end;
    struct link *link = find_link(controller, handle & 0x0fff, &end);

    if (!link || link->held_count[end] == HELD || length > sizeof link->held[0][0].bytes)
        return;
    struct packet *packet = &link->held[end][link->held_count[end]++];
    packet->length = length;
    memcpy(packet->bytes, bytes, length);
    if (!(handle >> 12 & 3)) /* "first, not flushable" is only for hosts to say */
        put16(packet->bytes + 1, (uint16_t)(link->handle | 2 << 12));
    carry(link);
}

void from_host(struct controller_state *controller)
{
    uint8_t bytes[4096];
    ssize_t length = read(controller->fd, bytes, sizeof bytes);

    if (length < 4 || controller->hung)
        return;
    if (bytes[0] == H4_COMMAND)
        handle_command(controller, bytes);
    else if (bytes[0] == H4_ACL && length > 5)
        handle_acl(controller, bytes, (size_t)length);
}
