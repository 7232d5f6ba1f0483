#include "bluetooth.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Reads hexadecimal digits, skipping one kind of separator, into bytes of which
 * the first read is stored last. */
static bool parse_reversed(const char *text, char separator, uint8_t *bytes, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        if (*text == separator)
            text++;
        if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
            return false;
        char pair[3] = { text[0], text[1], 0 };
        bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
        text += 2;
    }
    return *text == 0;
}

bool parse_uuid(const char *text, uint8_t uuid[16])
{
    return parse_reversed(text, '-', uuid, 16);
}

bool parse_address(const char *text, uint8_t address[6])
{
    return parse_reversed(text, ':', address, 6);
}

const char *address_text(const uint8_t address[6])
{
    static char buffers[4][18];
    static int next;
    char *text = buffers[next++ & 3];

    snprintf(text, 18, "%02X:%02X:%02X:%02X:%02X:%02X", address[5], address[4], address[3],
             address[2], address[1], address[0]);
    return text;
}

/* --- mgmt ----------------------------------------------------------------- */

enum { MGMT_HEADER = 6 };

int mgmt_open(void)
{
    int fd = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, BTPROTO_HCI);
    if (fd < 0)
        return -1;
    struct sockaddr_hci address = {
        .family = AF_BLUETOOTH, .device = HCI_NO_DEVICE, .channel = HCI_CHANNEL_CONTROL
    };
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

int mgmt_send(int mgmt, uint16_t opcode, uint16_t index, const void *data, size_t length)
{
    uint8_t packet[MGMT_HEADER + 1024];

    if (length > sizeof packet - MGMT_HEADER) {
        errno = EMSGSIZE;
        return -1;
    }
    put16(packet, opcode);
    put16(packet + 2, index);
    put16(packet + 4, (uint16_t)length);
    if (length)
        memcpy(packet + MGMT_HEADER, data, length);
    return write(mgmt, packet, MGMT_HEADER + length) < 0 ? -1 : 0;
}

int mgmt_read(int mgmt, struct mgmt_packet *packet, int timeout_ms)
{
    struct pollfd wait = { .fd = mgmt, .events = POLLIN };
    int ready = poll(&wait, 1, timeout_ms);
    if (ready <= 0)
        return ready;

    uint8_t raw[MGMT_HEADER + sizeof packet->data];
    ssize_t got = read(mgmt, raw, sizeof raw);
    if (got < MGMT_HEADER)
        return -1;
    packet->code = get16(raw);
    packet->index = get16(raw + 2);
    packet->length = (uint16_t)(got - MGMT_HEADER);
    memcpy(packet->data, raw + MGMT_HEADER, packet->length);
    return 1;
}

int mgmt_call(int mgmt, uint16_t opcode, uint16_t index, const void *data, size_t length,
              struct mgmt_packet *reply)
{
    struct mgmt_packet packet;

    if (mgmt_send(mgmt, opcode, index, data, length) < 0)
        return -1;
    for (;;) {
        int got = mgmt_read(mgmt, &packet, 20000);
        if (got == 0)
            errno = ETIMEDOUT;
        if (got <= 0)
            return -1;
        if ((packet.code != MGMT_COMMAND_COMPLETE && packet.code != MGMT_COMMAND_STATUS) ||
            packet.length < 3 || get16(packet.data) != opcode || packet.index != index)
            continue;
        int status = packet.data[2];
        if (reply) {
            *reply = packet;
            reply->length = packet.length - 3;
            memmove(reply->data, packet.data + 3, reply->length);
        }
        return status;
    }
}

int mgmt_set(int mgmt, uint16_t opcode, uint16_t index, uint8_t value)
{
    return mgmt_call(mgmt, opcode, index, &value, 1, NULL);
}

const char *mgmt_status_text(int status)
{
    static const char *const texts[] = {
        "success", "unknown command", "not connected", "failed", "connect failed",
        "authentication failed", "not paired", "no resources", "timeout", "already connected",
        "busy", "rejected", "not supported", "invalid parameters", "disconnected", "not powered",
        "cancelled", "invalid index", "rfkilled", "already paired", "permission denied",
    };
    if (status < 0)
        return strerror(errno);
    return status < (int)(sizeof texts / sizeof *texts) ? texts[status] : "unknown status";
}

/* --- log ------------------------------------------------------------------ */

static void say_list(const char *format, va_list arguments)
{
    struct timespec now;
    char line[1024];

    clock_gettime(CLOCK_BOOTTIME, &now);
    int used = snprintf(line, sizeof line, "%8.3f  %s: ", (double)now.tv_sec + now.tv_nsec / 1e9,
                        program_invocation_short_name);
    vsnprintf(line + used, sizeof line - (size_t)used, format, arguments);
    fprintf(stderr, "%s\n", line);
}

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_list(format, arguments);
    va_end(arguments);
}

void give_up(const char *format, ...)
{
    int error = errno;
    char extended[512];
    va_list arguments;

    snprintf(extended, sizeof extended, "%s%s%s", format, error ? ": " : "",
             error ? strerror(error) : "");
    va_start(arguments, format);
    say_list(extended, arguments);
    va_end(arguments);
    exit(1);
}
