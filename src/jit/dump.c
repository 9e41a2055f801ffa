#include "jit/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/files.h"
#include "util/log.h"

static void tell(const char *folder, const char *name, int error) {
  char reason[128];
  log_info("JIG_DUMP: %s/%s cannot be written: %s", folder, name,
           strerror_r(error, reason, sizeof reason));
}

typedef struct dump {
  const char *folder;
  int dir;
  char key[HASH_HEX_SIZE];
} dump;

static void write_file(const dump *d, const char *suffix, const void *bytes, size_t size) {
  char name[HASH_HEX_SIZE + 8];
  files_temporary temporary;
  (void)snprintf(name, sizeof name, "%s.%s", d->key, suffix);
  int error = files_write(d->dir, bytes, size, &temporary);
  if (error == 0) error = files_publish(d->dir, &temporary, name);
  if (error != 0) tell(d->folder, name, error);
}

void dump_build(const char *folder, hash128 key, const char *program, const compiled *result, bool ptx) {
  dump d = {.folder = folder};
  hash_hex(key, d.key);
  (void)mkdir(folder, 0777);
  d.dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (d.dir < 0) {
    tell(folder, "", errno);
    return;
  }
  write_file(&d, "cu", program, strlen(program));
  if (result->log != NULL) write_file(&d, "log", result->log, strlen(result->log));
  /* Without the NUL that PTX ends with. */
  if (result->payload != NULL)
    write_file(&d, ptx ? "ptx" : "cubin", result->payload, result->payload_size - (ptx ? 1 : 0));
  (void)close(d.dir);
}
