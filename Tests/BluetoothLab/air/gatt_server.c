#include "gatt_server.h"
#include "bluetooth.h"

#include <string.h>

/* Handles as an ESP32 deals them out: the generic services first, the
 * application's own from 0x28 on. */
enum {
    H_GATT = 0x01,
    H_GAP = 0x14,
    H_NAME_DECLARATION,
    H_NAME,
    H_SONDY = 0x28,
    H_NOTIFY_DECLARATION,
    H_NOTIFY,
    H_NOTIFY_CCCD,
    H_WRITE_DECLARATION,
    H_WRITE,
};

struct attribute {
    uint16_t handle;
    uint16_t group_end;   /* for services */
    uint8_t type[16];
    size_t type_length;   /* 2 or 16 */
    uint8_t value[64];
    size_t length;
    bool readable, writable;
};

static struct attribute table[16];
static size_t table_length;

static struct attribute *add(uint16_t handle, uint16_t type, const void *value, size_t length)
{
    struct attribute *attribute = &table[table_length++];

    attribute->handle = handle;
    put16(attribute->type, type);
    attribute->type_length = 2;
    memcpy(attribute->value, value, length);
    attribute->length = length;
    attribute->readable = true;
    return attribute;
}

static void add_service(uint16_t handle, uint16_t end, const void *uuid, size_t length)
{
    add(handle, GATT_PRIMARY_SERVICE, uuid, length)->group_end = end;
}

static struct attribute *add_characteristic(uint16_t handle, uint8_t properties, const void *uuid,
                                            size_t length)
{
    uint8_t declaration[3 + 16] = { properties };

    put16(declaration + 1, handle + 1);
    memcpy(declaration + 3, uuid, length);
    add(handle, GATT_CHARACTERISTIC, declaration, 3 + length);

    struct attribute *value = add(handle + 1, 0, "", 0);
    memcpy(value->type, uuid, length);
    value->type_length = length;
    value->readable = properties & PROPERTY_READ;
    value->writable = properties & (PROPERTY_WRITE | PROPERTY_WRITE_COMMAND);
    return value;
}

static const struct { const char *service, *notify, *write; } profiles[] = {
    [PROFILE_MYSONDYGO] = { "53797269-614D-6972-6B6F-44616C6D6F6E", "53797267-614D-6972-6B6F-44616C6D6F8E",
                            "53797268-614D-6972-6B6F-44616C6D6F7E" },
    [PROFILE_NORDIC_UART] = { "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "6E400003-B5A3-F393-E0A9-E50E24DCCA9E",
                              "6E400002-B5A3-F393-E0A9-E50E24DCCA9E" },
};

const char *gatt_server_service(enum profile profile)
{
    return profiles[profile].service;
}

static void build(const struct gatt_server *server)
{
    const char *name = server->name ? server->name : "";
    uint8_t uuid[16], zero[2] = { 0 };

    if (table_length)
        return;
    put16(uuid, 0x1801);
    add_service(H_GATT, H_GATT, uuid, 2);
    put16(uuid, 0x1800);
    add_service(H_GAP, H_NAME, uuid, 2);
    put16(uuid, 0x2a00);
    struct attribute *value = add_characteristic(H_NAME_DECLARATION, PROPERTY_READ, uuid, 2);
    value->length = strlen(name) < sizeof value->value ? strlen(name) : sizeof value->value;
    memcpy(value->value, name, value->length);
    parse_uuid(profiles[server->profile].service, uuid);
    add_service(H_SONDY, H_WRITE, uuid, 16);
    parse_uuid(profiles[server->profile].notify, uuid);
    add_characteristic(H_NOTIFY_DECLARATION, server->indicates ? PROPERTY_INDICATE : PROPERTY_NOTIFY, uuid, 16);
    add(H_NOTIFY_CCCD, GATT_CCCD, zero, 2)->writable = true;
    parse_uuid(profiles[server->profile].write, uuid);
    add_characteristic(H_WRITE_DECLARATION, server->writes_unanswered ? PROPERTY_WRITE_COMMAND : PROPERTY_WRITE,
                       uuid, 16);
}

static struct attribute *find(uint16_t handle)
{
    for (size_t i = 0; i < table_length; i++)
        if (table[i].handle == handle)
            return &table[i];
    return NULL;
}

/* Types compare as 128-bit ones: a short one stands for the Bluetooth base. */
static bool same_type(const struct attribute *attribute, const uint8_t *type, size_t length)
{
    static const uint8_t base[16] = { 0xfb, 0x34, 0x9b, 0x5f, 0x80, 0, 0, 0x80, 0, 0x10 };
    uint8_t a[16], b[16];

    memcpy(a, base, 16);
    memcpy(b, base, 16);
    memcpy(attribute->type_length == 2 ? a + 12 : a, attribute->type, attribute->type_length);
    memcpy(length == 2 ? b + 12 : b, type, length);
    return !memcmp(a, b, 16);
}

static size_t error(uint8_t request, uint16_t handle, uint8_t code, uint8_t *answer)
{
    answer[0] = ATT_ERROR;
    answer[1] = request;
    put16(answer + 2, handle);
    answer[4] = code;
    return 5;
}

/* Read By Type and Read By Group Type: a list of equally long records. */
static size_t list_by_type(struct gatt_server *server, const uint8_t *pdu, size_t length, uint8_t *answer)
{
    bool groups = pdu[0] == ATT_READ_BY_GROUP_REQUEST;
    uint16_t first = get16(pdu + 1), last = get16(pdu + 3);
    size_t record = 0, used = 2;

    if (!first || first > last)
        return error(pdu[0], first, ATT_INVALID_HANDLE, answer);
    for (size_t i = 0; i < table_length; i++) {
        const struct attribute *attribute = &table[i];
        size_t head = groups ? 4 : 2;

        if (attribute->handle < first || attribute->handle > last ||
            !same_type(attribute, pdu + 5, length - 5))
            continue;
        if (groups && !attribute->group_end)
            return error(pdu[0], first, ATT_UNSUPPORTED_GROUP, answer);
        if (!attribute->readable) {
            if (!record)
                return error(pdu[0], attribute->handle, ATT_READ_NOT_PERMITTED, answer);
            break;
        }
        size_t value = attribute->length;
        if (value > (size_t)server->mtu - 2 - head)
            value = (size_t)server->mtu - 2 - head;
        if (!record)
            record = head + value;
        if (head + value != record || used + record > server->mtu)
            break;
        put16(answer + used, attribute->handle);
        if (groups)
            put16(answer + used + 2, attribute->group_end);
        memcpy(answer + used + head, attribute->value, value);
        used += record;
    }
    if (!record)
        return error(pdu[0], first, ATT_NOT_FOUND, answer);
    answer[0] = pdu[0] + 1;
    answer[1] = (uint8_t)record;
    return used;
}

static size_t find_information(struct gatt_server *server, const uint8_t *pdu, uint8_t *answer)
{
    uint16_t first = get16(pdu + 1), last = get16(pdu + 3);
    size_t type = 0, used = 2;

    if (!first || first > last)
        return error(pdu[0], first, ATT_INVALID_HANDLE, answer);
    for (size_t i = 0; i < table_length; i++) {
        const struct attribute *attribute = &table[i];

        if (attribute->handle < first || attribute->handle > last)
            continue;
        if (!type)
            type = attribute->type_length;
        if (attribute->type_length != type || used + 2 + type > server->mtu)
            break;
        put16(answer + used, attribute->handle);
        memcpy(answer + used + 2, attribute->type, type);
        used += 2 + type;
    }
    if (!type)
        return error(pdu[0], first, ATT_NOT_FOUND, answer);
    answer[0] = ATT_FIND_INFORMATION_RESPONSE;
    answer[1] = type == 2 ? 1 : 2;
    return used;
}

static size_t find_by_value(struct gatt_server *server, const uint8_t *pdu, size_t length, uint8_t *answer)
{
    uint16_t first = get16(pdu + 1), last = get16(pdu + 3);
    size_t used = 1;

    for (size_t i = 0; i < table_length && used + 4 <= server->mtu; i++) {
        const struct attribute *attribute = &table[i];

        if (attribute->handle < first || attribute->handle > last ||
            !same_type(attribute, pdu + 5, 2) || attribute->length != length - 7 ||
            memcmp(attribute->value, pdu + 7, length - 7))
            continue;
        put16(answer + used, attribute->handle);
        put16(answer + used + 2, attribute->group_end ? attribute->group_end : attribute->handle);
        used += 4;
    }
    if (used == 1)
        return error(pdu[0], first, ATT_NOT_FOUND, answer);
    answer[0] = ATT_FIND_BY_VALUE_RESPONSE;
    return used;
}

static size_t read_value(struct gatt_server *server, const uint8_t *pdu, uint8_t *answer)
{
    uint16_t handle = get16(pdu + 1);
    size_t offset = pdu[0] == ATT_READ_BLOB_REQUEST ? get16(pdu + 3) : 0;
    const struct attribute *attribute = find(handle);

    if (!attribute)
        return error(pdu[0], handle, ATT_INVALID_HANDLE, answer);
    if (!attribute->readable)
        return error(pdu[0], handle, ATT_READ_NOT_PERMITTED, answer);
    if (offset > attribute->length)
        return error(pdu[0], handle, ATT_INVALID_OFFSET, answer);
    size_t length = attribute->length - offset;
    if (length > (size_t)server->mtu - 1)
        length = (size_t)server->mtu - 1;
    answer[0] = pdu[0] + 1;
    memcpy(answer + 1, attribute->value + offset, length);
    return 1 + length;
}

static size_t write_value(struct gatt_server *server, const uint8_t *pdu, size_t length, uint8_t *answer)
{
    uint16_t handle = get16(pdu + 1);
    struct attribute *attribute = find(handle);
    bool command = pdu[0] == ATT_WRITE_COMMAND;

    if (!attribute)
        return command ? 0 : error(pdu[0], handle, ATT_INVALID_HANDLE, answer);
    if (!attribute->writable)
        return command ? 0 : error(pdu[0], handle, ATT_WRITE_NOT_PERMITTED, answer);
    if (handle == H_NOTIFY_CCCD && length == 5) {
        memcpy(attribute->value, pdu + 3, 2);
        server->subscribed = pdu[3] & (server->indicates ? 2 : 1);
        server->on_subscribe(server->context, server->subscribed);
    } else if (handle == H_WRITE) {
        server->on_write(server->context, pdu + 3, length - 3);
    }
    if (command)
        return 0;
    answer[0] = ATT_WRITE_RESPONSE;
    return 1;
}

static size_t agree_on_mtu(struct gatt_server *server, const uint8_t *pdu, uint8_t *answer)
{
    uint16_t offered = get16(pdu + 1);

    server->mtu = offered < server->mtu_limit ? offered : server->mtu_limit;
    if (server->mtu < ATT_MINIMUM_MTU)
        server->mtu = ATT_MINIMUM_MTU;
    answer[0] = ATT_MTU_RESPONSE;
    put16(answer + 1, server->mtu_limit);
    return 3;
}

void gatt_server_reset(struct gatt_server *server)
{
    build(server);
    server->mtu = ATT_MINIMUM_MTU;
    server->subscribed = false;
    put16(find(H_NOTIFY_CCCD)->value, 0);
}

size_t gatt_server_answer(struct gatt_server *server, const uint8_t *pdu, size_t length,
                          uint8_t answer[517])
{
    static const struct { uint8_t opcode, shortest; } known[] = {
        { ATT_MTU_REQUEST, 3 },          { ATT_FIND_INFORMATION_REQUEST, 5 },
        { ATT_FIND_BY_VALUE_REQUEST, 7 }, { ATT_READ_BY_TYPE_REQUEST, 7 },
        { ATT_READ_REQUEST, 3 },         { ATT_READ_BLOB_REQUEST, 5 },
        { ATT_READ_BY_GROUP_REQUEST, 7 }, { ATT_WRITE_REQUEST, 3 },
        { ATT_WRITE_COMMAND, 3 },
    };
    size_t shortest = 0;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].opcode == pdu[0])
            shortest = known[i].shortest;
    if (!shortest) /* commands (bit 6) and answers ask for nothing */
        return pdu[0] & 0x40 || pdu[0] & 1 ? 0 : error(pdu[0], 0, ATT_REQUEST_NOT_SUPPORTED, answer);
    if (length < shortest)
        return error(pdu[0], 0, ATT_INVALID_PDU, answer);

    switch (pdu[0]) {
    case ATT_MTU_REQUEST:
        return agree_on_mtu(server, pdu, answer);
    case ATT_FIND_INFORMATION_REQUEST:
        return find_information(server, pdu, answer);
    case ATT_FIND_BY_VALUE_REQUEST:
        return find_by_value(server, pdu, length, answer);
    case ATT_READ_BY_TYPE_REQUEST:
    case ATT_READ_BY_GROUP_REQUEST:
        if (length != 7 && length != 21)
            return error(pdu[0], 0, ATT_INVALID_PDU, answer);
        return list_by_type(server, pdu, length, answer);
    case ATT_READ_REQUEST:
    case ATT_READ_BLOB_REQUEST:
        return read_value(server, pdu, answer);
    default:
        return write_value(server, pdu, length, answer);
    }
}

size_t gatt_server_notification(const struct gatt_server *server, const void *text, size_t length,
                                uint8_t pdu[517])
{
    if (length > (size_t)server->mtu - 3)
        length = (size_t)server->mtu - 3;
    pdu[0] = server->indicates ? ATT_INDICATION : ATT_NOTIFICATION;
    put16(pdu + 1, H_NOTIFY);
    memcpy(pdu + 3, text, length);
    return 3 + length;
}
