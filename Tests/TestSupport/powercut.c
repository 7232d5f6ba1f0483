// Logs what a program does to the files of one folder, in order: with LD_PRELOAD, for POWERCUT_PATH into POWERCUT_LOG.
// RecordedDisk reads the log and makes the folder as a disk may hold it after a power cut. Mapped files (SQLite's -shm)
// are left out, because nobody expects them to survive.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum operation { CREATE = 1, WRITE, TRUNCATE, SYNC, SYNC_NAMES, RENAME, UNLINK };

struct record {
    uint64_t nanoseconds, inode, offset, length;
    uint32_t operation, name_length;
};

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(enum operation operation, uint64_t inode, uint64_t offset, const char *name, const void *data,
                uint64_t length) {
    static int log = -1;
    struct timespec now;
    pthread_mutex_lock(&lock);
    if (log < 0) {
        log = syscall(SYS_openat, AT_FDCWD, getenv("POWERCUT_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    clock_gettime(CLOCK_REALTIME, &now);
    struct record head = {now.tv_sec * 1000000000ull + now.tv_nsec, inode, offset, data ? length : 0, operation,
                          strlen(name)};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)name, head.name_length}, {(void *)data, head.length}};
    if (syscall(SYS_writev, log, parts, 3) < 0) abort();
    pthread_mutex_unlock(&lock);
}

// The part of a path behind the folder; null for files elsewhere.
static const char *inside(const char *path) {
    const char *folder = getenv("POWERCUT_PATH");
    size_t length = folder ? strlen(folder) : 0;
    if (!length || strncmp(path, folder, length) || (path[length] && path[length] != '/')) return NULL;
    const char *name = path[length] ? path + length + 1 : "";
    size_t rest = strlen(name);
    return rest >= 4 && !strcmp(name + rest - 4, "-shm") ? NULL : name;
}

// The inode of a file in the folder; 0 for others.
static uint64_t watched(int descriptor, struct stat *status) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return inside(path) && fstat(descriptor, status) == 0 ? status->st_ino : 0;
}

static int opened(int descriptor, const char *path, int flags, int existed) {
    struct stat status;
    const char *name = inside(path);
    if (descriptor < 0 || !name || fstat(descriptor, &status) || !S_ISREG(status.st_mode)) return descriptor;
    if (!existed) put(CREATE, status.st_ino, 0, name, NULL, 0);
    else if (flags & O_TRUNC) put(TRUNCATE, status.st_ino, 0, "", NULL, 0);
    return descriptor;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        int existed = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0; \
        return opened(REAL(name)(path, flags, mode), path, flags, existed); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        int existed = syscall(SYS_faccessat, folder, path, F_OK) == 0; \
        return opened(REAL(name)(folder, path, flags, mode), path, flags, existed); \
    }
OPENAT(openat)
OPENAT(openat64)

static ssize_t written(int descriptor, const void *bytes, ssize_t count, off64_t offset) {
    struct stat status;
    uint64_t inode = count > 0 ? watched(descriptor, &status) : 0;
    if (inode) put(WRITE, inode, offset < 0 ? lseek64(descriptor, 0, SEEK_CUR) - count : offset, "", bytes, count);
    return count;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return written(descriptor, bytes, REAL(write)(descriptor, bytes, count), -1);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return written(descriptor, bytes, REAL(pwrite)(descriptor, bytes, count, offset), offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return written(descriptor, bytes, REAL(pwrite64)(descriptor, bytes, count, offset), offset);
}

static int sized(int descriptor, int result, off64_t size) {
    struct stat status;
    uint64_t inode = result == 0 ? watched(descriptor, &status) : 0;
    if (inode) put(TRUNCATE, inode, size, "", NULL, 0);
    return result;
}

int ftruncate(int descriptor, off_t size) { return sized(descriptor, REAL(ftruncate)(descriptor, size), size); }
int ftruncate64(int descriptor, off64_t size) { return sized(descriptor, REAL(ftruncate64)(descriptor, size), size); }

// What is logged before the call is on the disk after it.
#define SYNCS(name) \
    int name(int descriptor) { \
        struct stat status; \
        int result = REAL(name)(descriptor); \
        uint64_t inode = result == 0 ? watched(descriptor, &status) : 0; \
        if (inode) put(S_ISDIR(status.st_mode) ? SYNC_NAMES : SYNC, inode, 0, "", NULL, 0); \
        return result; \
    }
SYNCS(fsync)
SYNCS(fdatasync)

int rename(const char *from, const char *to) {
    int result = REAL(rename)(from, to);
    if (result == 0 && inside(from) && inside(to)) put(RENAME, 0, 0, inside(from), inside(to), strlen(inside(to)));
    return result;
}

int unlink(const char *path) {
    int result = REAL(unlink)(path);
    if (result == 0 && inside(path)) put(UNLINK, 0, 0, inside(path), NULL, 0);
    return result;
}
