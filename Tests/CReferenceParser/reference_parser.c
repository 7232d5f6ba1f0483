#include "reference_parser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct token {
    const char *start, *end;
};

static int copy(char *target, size_t size, struct token token) {
    size_t length = (size_t)(token.end - token.start);
    if (length >= size) return -1;
    memcpy(target, token.start, length);
    target[length] = 0;
    return 0;
}

// strtod also takes blanks, "nan", "inf", hexadecimal and exponents, so the bytes are checked first.
static int number(struct token token, double *value) {
    for (const char *at = token.start; at < token.end; at++)
        if ((*at < '0' || *at > '9') && *at != '.' && !(*at == '-' && at == token.start)) return -1;
    char *stop;
    *value = strtod(token.start, &stop);
    return stop == token.end && stop != token.start ? 0 : -1;
}

static int limited(struct token token, double least, double most, struct reference_number *result) {
    if (number(token, &result->value)) return -1;
    result->is_known = result->value >= least && result->value <= most;
    return 0;
}

static int whole(struct token token, double least, double most, struct reference_number *result) {
    if (limited(token, least, most, result)) return -1;
    result->is_known = result->is_known && result->value == (double)(long)result->value;
    return 0;
}

// Thin air brakes nobody: the limit of a fall in m/s, by the altitude in metres.
static double fastest_fall(double altitude) {
    if (altitude <= 12000) return 100;
    return altitude >= 25000 ? 250 : 100 + 150 * (altitude - 12000) / 13000;
}

int reference_parse(const char *text, size_t length, struct reference_frame *frame) {
    struct token t[21];
    int count = 0;
    const char *start = text;
    for (const char *at = text; at <= text + length; at++) {
        if (at < text + length && *at != '/') {
            if (*at < 0x20 || *at > 0x7e) return -1;
            continue;
        }
        if (count == 21) return -1;
        t[count++] = (struct token){start, at};
        start = at + 1;
    }
    if (count != 21 || text[0] != '1' || text[1] != '/' || t[20].end - t[20].start != 1 || *t[20].start != 'o') return -1;
    struct reference_number burst_killer;
    if (copy(frame->type, sizeof frame->type, t[1]) || limited(t[2], 137.2, 524.8, &frame->frequency) ||
        copy(frame->name, sizeof frame->name, t[3]) || number(t[4], &frame->latitude) ||
        number(t[5], &frame->longitude) || number(t[6], &frame->altitude) || number(t[7], &frame->horizontal_speed) ||
        number(t[8], &frame->vertical_speed) || limited(t[9], -200, 200, &frame->rssi) ||
        whole(t[10], 0, 100, &frame->battery_percent) || whole(t[11], -100000, 100000, &frame->afc) ||
        whole(t[12], 0, 1, &burst_killer) || whole(t[13], 1, 86400, &frame->burst_killer_seconds) ||
        whole(t[14], 2500, 5000, &frame->battery_millivolts) || whole(t[15], 0, 1, &frame->mute) ||
        copy(frame->version, sizeof frame->version, t[19]))
        return -1;
    frame->burst_killer_seconds.is_known &= frame->burst_killer_seconds.value != 30600;
    frame->burst_killer_active = (burst_killer.is_known && burst_killer.value == 1) || frame->burst_killer_seconds.is_known;
    bool is_mx = strcmp(frame->type, "M10") == 0 || strcmp(frame->type, "M20") == 0;
    if (!(is_mx && strcmp(frame->version, "2.30") == 0)) frame->horizontal_speed /= 3.6;
    if (frame->rssi.value > 0) frame->rssi.value = -frame->rssi.value;
    frame->is_plausible = fabs(frame->latitude) <= 90 && fabs(frame->longitude) <= 180 &&
                          !(frame->latitude == 0 && frame->longitude == 0) && frame->altitude >= -500 &&
                          frame->altitude <= 60000 && frame->horizontal_speed >= 0 && frame->horizontal_speed <= 150 &&
                          frame->vertical_speed <= 100 && -frame->vertical_speed <= fastest_fall(frame->altitude);
    return 0;
}

// This program's malloc stands before glibc's, so every allocation is seen.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
static size_t allocations;

void *malloc(size_t size) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_realloc(old, size);
}

size_t allocation_count(void) { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }
