/* Preloaded by `npm run bench -- --sync MS`: no sync of a file takes less than BENCH_SYNC_MICROSECONDS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static int slowly(const char *name, int fd) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  const char *text = getenv("BENCH_SYNC_MICROSECONDS");
  const long long ns = end.tv_nsec + (text == NULL ? 0 : atoll(text)) * 1000;
  end.tv_sec += ns / 1000000000;
  end.tv_nsec = ns % 1000000000;
  const int result = ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
  const int error = errno;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {
  }
  errno = error;
  return result;
}

int fsync(int fd) { return slowly("fsync", fd); }
int fdatasync(int fd) { return slowly("fdatasync", fd); }
