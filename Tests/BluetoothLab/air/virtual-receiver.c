/* Plays a MySondyGo receiver: advertises its name and service, sends text frames once a central has subscribed, and
 * obeys the commands written to it.  See usage() for the options and obey() for what can be asked of it while it
 * runs. */
#include "bluetooth.h"
#include "gatt_server.h"
#include "radio.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct simulator {
    struct radio *radio;
    struct gatt_server server;
    unsigned interval_ms;
    unsigned count;      /* of telemetry frames sent */
    bool splits;         /* longer frames than the MTU allows go out in pieces; otherwise cut */
    bool unconfirmed;    /* an indication is out */
    bool silent;         /* asked to hold back the frames */
    bool hidden;         /* asked not to advertise */
    bool deaf;           /* asked not to answer ATT requests */
    int timer;
    int orders;
    /* What commands change. */
    double frequency;
    int type, mute, rs41_bandwidth;
    char callsign[9];
};

static const char *const types[] = { "", "RS41", "M20", "M10", "PILOT", "DFM", "RD41" };

static void usage(void)
{
    fputs("usage: virtual-receiver [options]\n"
          "  -c NUMBER   controller (default 0)\n"
          "  -n NAME     name to advertise (default MySondyGo-TEST; empty: none)\n"
          "  -s ADDRESS  advertise from this static random address (C0:... to FF:...)\n"
          "  -a MS       advertising interval (default 100)\n"
          "  -i MS       between two frames (default 1000)\n"
          "  -m MTU      the most to agree on (default 517)\n"
          "  -k          send what doesn't fit into the MTU in pieces, instead of cutting it\n"
          "  -p PROFILE  mysondygo (default) or nordic\n"
          "  -x          indications instead of notifications, and writes without response only\n"
          "  -o FIFO     take orders from this named pipe, one a line: silence, speak, hang-up,\n"
          "              hide, show, deaf, hear, say TEXT, pdu HEX\n",
          stderr);
    exit(2);
}

static void set_timer(int timer, unsigned ms)
{
    struct itimerspec time = {
        .it_interval = { ms / 1000, ms % 1000 * 1000000L },
        .it_value = { ms / 1000, ms % 1000 * 1000000L },
    };
    timerfd_settime(timer, 0, &time, NULL);
}

/* --- frames --------------------------------------------------------------- */

static void send_piece(struct simulator *sim, const char *text, size_t length)
{
    uint8_t pdu[ATT_MAXIMUM_MTU];
    size_t size = gatt_server_notification(&sim->server, text, length, pdu);

    if (sim->server.indicates && sim->unconfirmed)
        return; /* one at a time: what comes in between is not sent */
    sim->unconfirmed = true;
    radio_send(sim->radio, pdu, size);
}

static void send_text(struct simulator *sim, const char *text)
{
    size_t length = strlen(text), room = sim->server.mtu - 3u;

    do {
        size_t part = length < room ? length : room;
        send_piece(sim, text, part);
        text += part;
        length -= part;
    } while (length && sim->splits);
}

static void send_telemetry(struct simulator *sim)
{
    char line[256];

    sim->count++;
    snprintf(line, sizeof line,
             "1/%s/%.3f/V4210150/%.6f/%.6f/%u.0/18.0/5.25/117.5/100/-1234/0/30600/4274/%d/0/0/0/3.10/o",
             types[sim->type], sim->frequency, 46.8 + sim->count * 1e-5, 6.9 + sim->count * 1e-5,
             500 + 5 * (sim->count % 7000), sim->mute);
    send_text(sim, line);
}

static void send_configuration(struct simulator *sim)
{
    char line[256];

    snprintf(line, sizeof line, "3/%s/%.3f/21/22/16/25/%d/7/7/7/6/%s/0/35/2950/4180/1/0/0/0/3.10/o", types[sim->type],
             sim->frequency, sim->rs41_bandwidth, sim->callsign);
    send_text(sim, line);
}

/* "o{key=value/key=value}o" or "o{?}o". */
static void take_command(struct simulator *sim, char *text)
{
    size_t length = strlen(text);

    if (length < 4 || strncmp(text, "o{", 2) || strcmp(text + length - 2, "}o"))
        return;
    text[length - 2] = 0;
    if (!strcmp(text + 2, "?"))
        send_configuration(sim);
    for (char *part = strtok(text + 2, "/"); part; part = strtok(NULL, "/")) {
        int number;
        if (sscanf(part, "tipo=%d", &number) == 1 && number >= 1 && number <= 6)
            sim->type = number;
        sscanf(part, "f=%lf", &sim->frequency);
        sscanf(part, "mute=%d", &sim->mute);
        sscanf(part, "rs41.rxbw=%d", &sim->rs41_bandwidth);
        sscanf(part, "myCall=%8s", sim->callsign);
    }
}

/* --- what the radio reports ------------------------------------------------ */

static void on_connect(void *context)
{
    struct simulator *sim = context;

    say("connected: %s", address_text(sim->radio->peer));
    gatt_server_reset(&sim->server);
    sim->unconfirmed = false;
    /* Like the real device: not to be found while connected. */
    if (sim->radio->advertising)
        radio_advertise(sim->radio, false);
}

static void on_disconnect(void *context, const char *why)
{
    struct simulator *sim = context;

    say("disconnected: %s", why);
    set_timer(sim->timer, 0);
    if (!sim->hidden)
        radio_advertise(sim->radio, true);
}

static void on_receive(void *context, const uint8_t *pdu, size_t length)
{
    struct simulator *sim = context;
    uint8_t answer[ATT_MAXIMUM_MTU];

    if (pdu[0] == ATT_CONFIRMATION)
        sim->unconfirmed = false;
    if (sim->deaf)
        return;
    size_t size = gatt_server_answer(&sim->server, pdu, length, answer);
    if (size)
        radio_send(sim->radio, answer, size);
    if (pdu[0] == ATT_MTU_REQUEST)
        say("MTU %d", sim->server.mtu);
}

static void on_subscribe(void *context, bool on)
{
    struct simulator *sim = context;

    say(on ? "subscribed" : "unsubscribed");
    set_timer(sim->timer, on ? sim->interval_ms : 0);
}

static void on_write(void *context, const uint8_t *value, size_t length)
{
    char text[ATT_MAXIMUM_MTU + 1];

    memcpy(text, value, length);
    text[length] = 0;
    say("written: %s", text);
    take_command(context, text);
}

/* --- orders ---------------------------------------------------------------- */

static void send_raw(struct simulator *sim, const char *hex)
{
    uint8_t pdu[ATT_MAXIMUM_MTU];
    size_t length = 0;

    while (length < sizeof pdu && sscanf(hex, "%2hhx", &pdu[length]) == 1) {
        hex += 2;
        length++;
    }
    radio_send(sim->radio, pdu, length);
}

static void obey(struct simulator *sim, const char *order)
{
    say("order: %s", order);
    if (!strcmp(order, "silence"))
        sim->silent = true;
    else if (!strcmp(order, "speak"))
        sim->silent = false;
    else if (!strcmp(order, "deaf"))
        sim->deaf = true;
    else if (!strcmp(order, "hear"))
        sim->deaf = false;
    else if (!strcmp(order, "hang-up"))
        radio_hang_up(sim->radio);
    else if (!strcmp(order, "hide") || !strcmp(order, "show")) {
        sim->hidden = order[0] == 'h';
        if (!sim->radio->connected && sim->radio->advertising == sim->hidden)
            radio_advertise(sim->radio, !sim->hidden);
    } else if (!strncmp(order, "say ", 4))
        send_text(sim, order + 4);
    else if (!strncmp(order, "pdu ", 4))
        send_raw(sim, order + 4);
    else
        say("no such order");
}

static void read_orders(struct simulator *sim)
{
    static char buffer[1024];
    static size_t used;
    ssize_t got = read(sim->orders, buffer + used, sizeof buffer - 1 - used);

    if (got <= 0)
        return;
    used += (size_t)got;
    buffer[used] = 0;
    char *line = buffer, *end;
    while ((end = strchr(line, '\n'))) {
        *end = 0;
        obey(sim, line);
        line = end + 1;
    }
    used = strlen(line);
    memmove(buffer, line, used);
    if (used == sizeof buffer - 1)
        used = 0;
}

/* --- main ------------------------------------------------------------------ */

static void leave(int signal)
{
    (void)signal;
    exit(0);
}

int main(int argc, char **argv)
{
    struct simulator sim = {
        .interval_ms = 1000, .orders = -1, .server.mtu_limit = ATT_MAXIMUM_MTU,
        .frequency = 402.9, .type = 1, .rs41_bandwidth = 4, .callsign = "MYCALL",
    };
    struct radio_setup setup = { .name = "MySondyGo-TEST", .advertising_ms = 100 };
    const char *fifo = NULL;
    int option;

    while ((option = getopt(argc, argv, "c:n:s:a:i:m:kp:xo:h")) != -1) {
        switch (option) {
        case 'c': setup.controller = (uint16_t)atoi(optarg); break;
        case 'n': setup.name = optarg; break;
        case 's':
            if (!parse_address(optarg, setup.address) || setup.address[5] < 0xc0)
                usage();
            setup.random = true;
            break;
        case 'a': setup.advertising_ms = (unsigned)atoi(optarg); break;
        case 'i': sim.interval_ms = (unsigned)atoi(optarg); break;
        case 'm': sim.server.mtu_limit = (uint16_t)atoi(optarg); break;
        case 'k': sim.splits = true; break;
        case 'p': sim.server.profile = strcmp(optarg, "nordic") ? PROFILE_MYSONDYGO : PROFILE_NORDIC_UART; break;
        case 'x': sim.server.indicates = sim.server.writes_unanswered = true; break;
        case 'o': fifo = optarg; break;
        default: usage();
        }
    }

    signal(SIGTERM, leave);
    signal(SIGINT, leave);
    if (fifo) {
        if (mkfifo(fifo, 0600) < 0 && errno != EEXIST)
            give_up("%s", fifo);
        sim.orders = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (sim.orders < 0)
            give_up("%s", fifo);
    }
    sim.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    parse_uuid(gatt_server_service(sim.server.profile), setup.service);
    sim.server.name = setup.name;
    sim.server.on_subscribe = on_subscribe;
    sim.server.on_write = on_write;
    sim.server.context = &sim;
    gatt_server_reset(&sim.server);

    sim.radio = radio_open(&setup);
    sim.radio->on_connect = on_connect;
    sim.radio->on_disconnect = on_disconnect;
    sim.radio->on_receive = on_receive;
    sim.radio->context = &sim;
    radio_advertise(sim.radio, true);
    say("\"%s\" on hci%d, %s address %s", setup.name, setup.controller, setup.random ? "static random" : "public",
        address_text(sim.radio->own));

    for (;;) {
        struct pollfd entries[] = {
            { .fd = sim.timer, .events = POLLIN },
            { .fd = sim.orders, .events = POLLIN },
            { .fd = radio_descriptor(sim.radio), .events = POLLIN },
        };

        if (poll(entries, 3, -1) < 0) {
            if (errno == EINTR)
                continue;
            give_up("poll");
        }
        uint64_t times;
        if (entries[0].revents && read(sim.timer, &times, sizeof times) > 0 && sim.server.subscribed && !sim.silent &&
            sim.radio->connected)
            send_telemetry(&sim);
        if (entries[1].revents)
            read_orders(&sim);
        if (entries[2].revents)
            radio_read(sim.radio);
    }
}
