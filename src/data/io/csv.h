/* What the parts of the CSV reader share: csv_scan.c finds cells and rows, csv_guess.c looks at the
 * first rows and decides what the file is, csv_read.c reads it. */
#ifndef SRI_DATA_IO_CSV_H
#define SRI_DATA_IO_CSV_H

#include "core/options.h"
#include "data/io/window.h"
#include "data/table.h"

/* A cell where it lies in the window: without its quotes and without blanks around it. */
typedef struct sri_csv_cell {
    const char *text;
    size_t length;
    bool doubled;  /* contains doubled quotes */
    int64_t lines; /* line ends inside its quotes */
} sri_csv_cell;

typedef enum sri_csv_end {
    SRI_CSV_CELL,    /* a delimiter follows                        */
    SRI_CSV_ROW,     /* the row ends                               */
    SRI_CSV_MORE,    /* the window ends first                      */
    SRI_CSV_NUL,     /* a NUL byte                                 */
    SRI_CSV_QUOTE,   /* a quote that is not closed in the file     */
    SRI_CSV_GARBAGE, /* something after a closing quote            */
} sri_csv_end;

/* Reads the cell at *s and moves *s behind its delimiter or line end. */
sri_csv_end sri_csv_scan(const sri_window *w, char delimiter, const char **s, sri_csv_cell *cell);
/* Moves *s over blank lines and comments to a row, counting lines.  SRI_CSV_CELL: a row begins;
 * SRI_CSV_ROW: the file ends; SRI_CSV_MORE. */
sri_csv_end sri_csv_skip(const sri_window *w, char delimiter, const char **s, int64_t *line);
/* The text with doubled quotes made single, in `buffer` when that is needed. */
specreg_status sri_csv_text(specreg_context *ctx, const sri_csv_cell *cell, char **buffer,
                            int64_t *capacity, const char **text, size_t *length);
/* The error for NUL, QUOTE and GARBAGE. */
specreg_status sri_csv_fail(specreg_context *ctx, const char *name, int64_t line, sri_csv_end why);

/* What a file is. */
typedef struct sri_csv_kind {
    char delimiter;
    bool has_header, first_is_unnamed;
    int64_t cols;
    char **name;   /* cols */
    bool *is_text; /* cols */
} sri_csv_kind;

/* Looks at the first rows; the window keeps them and stands at the first row of data on return,
 * which lies on *line.  The folder's README says how it decides. */
specreg_status sri_csv_guess(specreg_context *ctx, sri_window *w, const specreg_options *options,
                             sri_csv_kind *kind, int64_t *line);
void sri_csv_kind_free(sri_csv_kind *kind);

#endif
