// Makes a disk slow: with LD_PRELOAD, each write to a file below SLOW_PATH takes SLOW_MS milliseconds longer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void delay(int descriptor) {
    const char *slow = getenv("SLOW_PATH"), *time = getenv("SLOW_MS");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (!slow || !time || length <= 0) return;
    path[length] = 0;
    if (strncmp(path, slow, strlen(slow)) == 0) usleep(1000 * atoi(time));
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int descriptor, const void *bytes, size_t count) {
    delay(descriptor);
    return REAL(write)(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    delay(descriptor);
    return REAL(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    delay(descriptor);
    return REAL(pwrite64)(descriptor, bytes, count, offset);
}
