#include "reference_parser.h"

#include <stdlib.h>
#include <string.h>

static int copy(char *target, size_t size, const char *start, const char *end) {
    size_t length = (size_t)(end - start);
    if (length >= size) return -1;
    memcpy(target, start, length);
    target[length] = 0;
    return 0;
}

static int number(const char *start, const char *end, double *value) {
    char *stop;
    *value = strtod(start, &stop);
    return stop == end && stop != start ? 0 : -1;
}

static int whole(const char *start, const char *end, long *value) {
    char *stop;
    *value = strtol(start, &stop, 10);
    return stop == end && stop != start ? 0 : -1;
}

int reference_parse(const char *text, size_t length, struct reference_frame *frame) {
    const char *start[22], *end[22];
    int count = 0;
    start[0] = text;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] != '/') continue;
        if (count == 21) return -1;
        end[count++] = text + i;
        start[count] = text + i + 1;
    }
    if (count != 21 || text[0] != '1') return -1;
    return copy(frame->type, sizeof frame->type, start[1], end[1]) | number(start[2], end[2], &frame->frequency) |
           copy(frame->name, sizeof frame->name, start[3], end[3]) | number(start[4], end[4], &frame->latitude) |
           number(start[5], end[5], &frame->longitude) | number(start[6], end[6], &frame->altitude) |
           number(start[7], end[7], &frame->horizontal_speed) | number(start[8], end[8], &frame->vertical_speed) |
           number(start[9], end[9], &frame->rssi) | whole(start[10], end[10], &frame->battery_percent) |
           whole(start[11], end[11], &frame->afc) | whole(start[12], end[12], &frame->burst_killer) |
           whole(start[13], end[13], &frame->burst_killer_time) |
           whole(start[14], end[14], &frame->battery_millivolts) | whole(start[15], end[15], &frame->mute) |
           copy(frame->version, sizeof frame->version, start[19], end[19]);
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
