// Preloaded into the daemon: makes calls on the files of one folder fail, shifts the clock, and returns freed memory. Tests control it while
// the daemon runs, through a file that both map. Build it with `cc -shared -fPIC -O1 -o faults.so faults.c -ldl`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OPEN = 1, READ = 2, WRITE = 4, SYNC = 8, RENAME = 16, UNLINK = 32, RESIZE = 64 };

// The order of the fields is that of test/support/faults.ts.
struct control {
  int32_t kinds;      // which kinds of calls fail; 0 for none
  int32_t error;      // their errno
  int32_t countdown;  // how many calls of these kinds succeed before the first one fails
  int32_t remaining;  // how many then fail; negative for all
  int32_t injected;   // how many have failed
  int32_t trim;       // 1 asks the main thread to return freed memory to the system; it then sets 0
  int64_t clock_ms;   // how far the clock is ahead
  int64_t timers_ms;  // how far the monotonic clock of main threads runs ahead
  int64_t in_use;     // bytes that malloc had in use when it returned the rest
};

static struct control *control;
static char folder[PATH_MAX];
static size_t folder_length;

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("DOCSEARCH_TEST_FAULTS_CONTROL");
  const char *path = getenv("DOCSEARCH_TEST_FAULTS_FOLDER");
  if (file == NULL || path == NULL || realpath(path, folder) == NULL) return;
  folder_length = strlen(folder);
  int fd = open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *map = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) control = map;
}

// Returns the errno with which a call fails that would otherwise happen; 0 if it happens.
static int failure(int kind) {
  if (__atomic_sub_fetch(&control->countdown, 1, __ATOMIC_SEQ_CST) >= 0) return 0;
  if (control->remaining >= 0 && __atomic_sub_fetch(&control->remaining, 1, __ATOMIC_SEQ_CST) < 0) {
    __atomic_store_n(&control->remaining, 0, __ATOMIC_SEQ_CST);
    return 0;
  }
  __atomic_add_fetch(&control->injected, 1, __ATOMIC_SEQ_CST);
  return control->error;
}

static int within(const char *path) {
  return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

static int path_failure(int kind, const char *path) {
  if (control == NULL || !(control->kinds & kind) || path == NULL) return 0;
  return within(path) ? failure(kind) : 0;
}

static int fd_failure(int kind, int fd) {
  if (control == NULL || !(control->kinds & kind)) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return within(path) ? failure(kind) : 0;
}

#define NEXT(name) \
  static __typeof__(&name) next; \
  if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL(expression) \
  do { \
    int code = (expression); \
    if (code != 0) { \
      errno = code; \
      return -1; \
    } \
  } while (0)

#define OPENER(name, before_declared, before_passed, checked_path) \
  int name before_declared { \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list list; \
      va_start(list, flags); \
      mode = va_arg(list, mode_t); \
      va_end(list); \
    } \
    NEXT(name); \
    FAIL(path_failure(OPEN, checked_path)); \
    return next before_passed; \
  }
OPENER(open, (const char *path, int flags, ...), (path, flags, mode), path)
OPENER(open64, (const char *path, int flags, ...), (path, flags, mode), path)
OPENER(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), path)
OPENER(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), path)

#define ON_FD(kind, type, name, declared, passed) \
  type name declared { \
    NEXT(name); \
    FAIL(fd_failure(kind, fd)); \
    return next passed; \
  }
ON_FD(READ, ssize_t, read, (int fd, void *data, size_t n), (fd, data, n))
ON_FD(READ, ssize_t, pread, (int fd, void *data, size_t n, off_t at), (fd, data, n, at))
ON_FD(READ, ssize_t, pread64, (int fd, void *data, size_t n, off64_t at), (fd, data, n, at))
ON_FD(READ, ssize_t, readv, (int fd, const struct iovec *parts, int n), (fd, parts, n))
ON_FD(READ, ssize_t, preadv, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at))
ON_FD(READ, ssize_t, preadv64, (int fd, const struct iovec *parts, int n, off64_t at), (fd, parts, n, at))
ON_FD(WRITE, ssize_t, write, (int fd, const void *data, size_t n), (fd, data, n))
ON_FD(WRITE, ssize_t, pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n, at))
ON_FD(WRITE, ssize_t, pwrite64, (int fd, const void *data, size_t n, off64_t at), (fd, data, n, at))
ON_FD(WRITE, ssize_t, writev, (int fd, const struct iovec *parts, int n), (fd, parts, n))
ON_FD(WRITE, ssize_t, pwritev, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at))
ON_FD(WRITE, ssize_t, pwritev64, (int fd, const struct iovec *parts, int n, off64_t at), (fd, parts, n, at))
ON_FD(SYNC, int, fsync, (int fd), (fd))
ON_FD(SYNC, int, fdatasync, (int fd), (fd))
ON_FD(RESIZE, int, ftruncate, (int fd, off_t n), (fd, n))
ON_FD(RESIZE, int, ftruncate64, (int fd, off64_t n), (fd, n))

#define ON_PATH(kind, name, declared, passed, checked_path) \
  int name declared { \
    NEXT(name); \
    FAIL(path_failure(kind, checked_path)); \
    return next passed; \
  }
ON_PATH(RENAME, rename, (const char *from, const char *to), (from, to), to)
ON_PATH(RENAME, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), to)
ON_PATH(RENAME, link, (const char *from, const char *to), (from, to), to)
ON_PATH(RENAME, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags), to)
ON_PATH(UNLINK, unlink, (const char *path), (path), path)
ON_PATH(UNLINK, unlinkat, (int at, const char *path, int flags), (at, path, flags), path)

static void add_ms(struct timespec *time, int64_t ms) {
  int64_t ns = time->tv_nsec + (ms % 1000) * 1000000;
  time->tv_sec += ms / 1000 + (ns >= 1000000000) - (ns < 0);
  time->tv_nsec = (ns + 1000000000) % 1000000000;
}

// A thread other than the main thread passes times of the monotonic clock to the kernel, which does not know about the shift. The timers of Node's
// main thread pass only how long to wait.
int clock_gettime(clockid_t clock, struct timespec *time) {
  NEXT(clock_gettime);
  int result = next(clock, time);
  if (result != 0 || control == NULL) return result;
  if (control->trim != 0 && gettid() == getpid()) {
    malloc_trim(0);
    struct mallinfo2 info = mallinfo2();
    control->in_use = (int64_t)(info.uordblks + info.hblkhd);
    __atomic_store_n(&control->trim, 0, __ATOMIC_SEQ_CST);
  }
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) add_ms(time, control->clock_ms);
  if ((clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE) && control->timers_ms != 0 && gettid() == getpid())
    add_ms(time, control->timers_ms);
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
