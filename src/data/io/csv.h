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

/* How a file writes numbers. */
typedef struct sri_csv_style {
    char decimal; /* '.' or ','                 */
    bool grouped; /* thousands may be set apart */
} sri_csv_style;

/* What a value tells about the style of its file. */
typedef enum sri_csv_evidence {
    SRI_CSV_NO_NUMBER,
    SRI_CSV_WHOLE,         /* 1234                                */
    SRI_CSV_GROUPED,       /* 1 234                               */
    SRI_CSV_POINT,         /* 1.5                                 */
    SRI_CSV_POINT_GROUPED, /* 1,234.5 or 1,234,567                */
    SRI_CSV_POINT_MAYBE,   /* 1.234: with a comma it would be 1234 */
    SRI_CSV_COMMA,         /* 1,5 or 1.234,5                      */
    SRI_CSV_COMMA_MAYBE,   /* 1,234: with a point it would be 1234 */
    SRI_CSV_EVIDENCES
} sri_csv_evidence;

/* Reads a number in this style; false: it is none. */
bool sri_csv_number(const char *text, size_t length, sri_csv_style style, double *value);
sri_csv_evidence sri_csv_weigh(const char *text, size_t length);

/* Which encodings the texts of a file had so far. */
typedef struct sri_csv_charset {
    bool guess;       /* nobody said what it is */
    bool utf8, latin; /* beyond ASCII           */
} sri_csv_charset;

/* As sri_texts_code; a text that is not UTF-8 is read as Windows-1252 where that may be guessed. */
specreg_status sri_csv_enter(specreg_context *ctx, sri_csv_charset *charset, sri_texts *t,
                             const char *text, size_t length, int32_t *code);

/* What a file is. */
typedef struct sri_csv_kind {
    char delimiter;
    sri_csv_style style;
    sri_csv_charset charset;
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
