/* Rows that come in blocks: the rows of one or several files, or of a table in memory, as small
 * tables with the same columns, one after the other.  Memory does not grow with the number of rows.
 *
 * Rows are numbered from 0 over all files.  A block's table knows its place: errors in it name the
 * file and the line or row there. */
#ifndef SRI_DATA_BLOCKS_H
#define SRI_DATA_BLOCKS_H

#include "core/options.h"
#include "data/table.h"

/* The rows of a block, but for the last one of all.  Sums are rounded once for each block: the
 * number is part of the format of sums files. */
enum { SRI_BLOCK_ROWS = 2048 };

typedef struct sri_blocks sri_blocks;

/* Files that are read as one table; a name may be a pattern ('part-*.npy', sorted by name) or "-".
 * Columns must agree.  Column types are those of the first rows; what can only be read as a whole
 * (NPZ, HDF5, documents) is, file by file. */
specreg_status sri_blocks_open(specreg_context *ctx, const char *const *paths, int64_t count,
                               const specreg_options *options, sri_blocks **out);
/* Whether a name is none of a file but a pattern for names. */
bool sri_path_is_pattern(const char *path);
/* There will be one reading only, without sri_blocks_rewind and sri_blocks_sample: nothing is kept
 * of what comes from a pipe.  Call it before anything is read. */
void sri_blocks_read_once(sri_blocks *b);
/* The rows of a table, which must outlive it. */
specreg_status sri_blocks_of_table(specreg_context *ctx, const specreg_table *table,
                                   sri_blocks **out);
/* The next `rows` rows, fewer at the end, as a table of the caller's; *out NULL where there are no
 * more.  *first is the number of its first row.  Blocks may span two files. */
specreg_status sri_blocks_next(specreg_context *ctx, sri_blocks *b, int64_t rows, int64_t *first,
                               specreg_table **out);
/* Goes back to the first row.  What came from a pipe is read again from the copy that was kept on
 * disk.  Files that changed since they were read first (length or time) are an error, here or in
 * sri_blocks_next. */
specreg_status sri_blocks_rewind(specreg_context *ctx, sri_blocks *b);
/* How many rows there are; -1 where that is not known before all were read once. */
int64_t sri_blocks_rows(const sri_blocks *b);
/* The order of int64_t, for qsort and bsearch. */
int sri_by_number(const void *a, const void *b);

/* Which rows a sample has: those that are listed, and the rows with the least hash of seed and row
 * number, `count` in all. */
typedef struct sri_sample_rows {
    int64_t count;
    uint64_t seed;
    const int64_t *listed; /* ascending */
    int64_t n_listed;
} sri_sample_rows;
/* A table of these rows in their order, which knows their numbers (sri_table_origin); all rows
 * where there are no more than that.  *rows is the number of all rows where not NULL.  Reads all
 * rows once where the number is not known or single rows cannot be read; then rewinds. */
specreg_status sri_blocks_sample(specreg_context *ctx, sri_blocks *b, const sri_sample_rows *which,
                                 int64_t *rows, specreg_table **out);
/* The table of memory that the blocks are of; NULL: they are of files. */
const specreg_table *sri_blocks_table(const sri_blocks *b);
void sri_blocks_free(sri_blocks *b);

#endif
