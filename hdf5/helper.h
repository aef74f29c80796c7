/* The program specreg-hdf5: what its files share. */
#ifndef SPECREG_HDF5_HELPER_H
#define SPECREG_HDF5_HELPER_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#include "data/io/hdf5_wire.h"

/* The name of a file in memory: HDF5 wants one, and refuses where such a file exists. */
#define FILE_IN_MEMORY "/dev/null/memory"

/* Sends an error record and ends the program: nothing has to be freed. */
_Noreturn void fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Memory of that many items; the program ends where there is none. */
void *take_memory(size_t count, size_t size);

void send_bytes(const void *data, size_t size);
void send_head(wire_head head, const char *name);
/* Exactly `size` bytes from the other side; the program ends where they do not come. */
void receive_bytes(void *data, size_t size);

/* The processor time that HDF5 may use from now on, in seconds; then the program is killed. */
void allow_seconds(double seconds);

/* read.c: sends the table in a file; `path` "-" is an image that comes as a record.  In pieces: some
 * rows of all columns at a time, the names of columns first. */
void read_table(const char *name, const char *path, const char *inner, bool in_pieces);
/* write.c: receives a table and sends the file. */
void write_table(void);

#endif
