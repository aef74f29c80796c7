/* A table that is written a few rows at a time. */
#ifndef SRI_DATA_WRITER_H
#define SRI_DATA_WRITER_H

#include "data/table.h"

typedef struct sri_writer sri_writer;

/* The name gives the format, as for specreg_table_write(). */
specreg_status sri_writer_open(specreg_context *ctx, const char *path, sri_writer **out);
/* The next rows, of a table with the same columns as the ones before; it is given up.  A format
 * that can only be written as a whole keeps all rows until the end.  So does a pipe with its first
 * million rows: what fails before them writes nothing. */
specreg_status sri_writer_add(specreg_context *ctx, sri_writer *w, specreg_table **t);
/* How many rows were added. */
int64_t sri_writer_rows(const sri_writer *w);
/* Writes what is left, syncs and renames; frees the writer in every case. */
specreg_status sri_writer_commit(specreg_context *ctx, sri_writer *w);
/* Removes what was written and frees; accepts NULL. */
void sri_writer_abandon(sri_writer *w);

#endif
