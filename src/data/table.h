/* A table as it was read: named columns of numbers or texts, or a sparse block of features.
 *
 * Numbers lie row by row in one matrix, so that a file is parsed straight into place and a table
 * of numbers only is already the X of the problem.  A text column keeps a dictionary and one code
 * per row.  LIBSVM files give a sparse block; its columns come after the ordinary ones.
 *
 * A table may also look at arrays of the caller in place of a copy: numbers in any layout, or a
 * sparse block.  They stay as they are as long as the table lives. */
#ifndef SRI_DATA_TABLE_H
#define SRI_DATA_TABLE_H

#include <string.h>

#include "core/matrix.h"

typedef struct sri_texts { /* a set of distinct texts, in order of first appearance */
    char **text;
    int64_t count, capacity;
    int64_t *slot; /* open-addressing hash table of codes + 1 */
    int64_t slots;
} sri_texts;

typedef struct sri_column {
    char *name;
    bool is_text;
    int64_t number;  /* its column in `numbers`, when not text; -1 - c: column c of `lent` */
    sri_texts texts; /* the distinct texts, when text            */
    int32_t *code;   /* row -> index into texts; -1 when missing */
} sri_column;

struct specreg_table {
    char *source;          /* file name for messages            */
    const char *format;    /* "csv", "libsvm", ... : a static text  */
    char delimiter;        /* of a CSV file, else 0             */
    char decimal;          /* its decimal mark, else 0 */
    bool has_header;       /* names come from the file          */
    bool first_is_unnamed; /* but not that of the first column */
    int64_t rows;
    int64_t n_columns; /* ordinary columns                 */
    sri_column *column;
    int64_t n_numbers;         /* width of `numbers`               */
    double *numbers;           /* rows x n_numbers; NaN: missing   */
    specreg_strided_view lent; /* numbers of the caller; without data: none */
    /* The file's line of each row, 1-based.  NULL when row r lies on line first_line + r, or, with
     * first_line 0, when there are no lines.  Ask sri_table_place. */
    int64_t *line;
    int64_t first_line;
    int64_t first_row; /* without lines: of a part of a file, how many rows stand before it */
    struct sri_places *places; /* of rows from several files; NULL: all are of `source` */
    sri_matrix *sparse;        /* NULL: none                       */
    sri_matrix lent_sparse;    /* where `sparse` points if its arrays are the caller's */
    sri_matrix *counts; /* of documents: how often each row has each word; NULL: nobody asked */
    struct sri_sparse_names *sparse_names; /* "1", "2", ...: see sri_table_name_sparse */
    double read_seconds;                   /* how long reading took          */
    /* Of rows chosen from another table: which, and how many it had; NULL: all of its own. */
    int64_t *origin, origins;
    struct sri_grid_values *grid; /* rows are points of a regular grid; NULL: see grid_points.h */
};

/* Where each row comes from, if they come from several files or places. */
typedef struct sri_places {
    sri_texts files;
    int32_t *file;   /* row -> its file                                     */
    int64_t *number; /* its line there, or less than 0: the row's number, negated */
} sri_places;

/* Some rows of a table, in this order. */
typedef struct sri_rows {
    const specreg_table *table;
    int64_t *row;
    int64_t count;
} sri_rows;

/* An empty table with `n_columns` unnamed number columns and no rows. */
specreg_status sri_table_new(specreg_context *ctx, const char *source, int64_t n_columns,
                             specreg_table **out);

/* The same with the source and the format of another table. */
specreg_status sri_table_new_like(specreg_context *ctx, const specreg_table *from,
                                  int64_t n_columns, specreg_table **out);
void sri_column_free(sri_column *c);

/* The code of a text in normal form, entering it when it is new; negative status on failure.  A
 * text that is not UTF-8 is SPECREG_E_FORMAT. */
specreg_status sri_texts_code(specreg_context *ctx, sri_texts *t, const char *text, size_t length,
                              int32_t *code);
/* Enters texts one after the other. */
specreg_status sri_texts_enter(specreg_context *ctx, sri_texts *t, char *const *text,
                               int64_t count);
/* The code, or -1 when it is not there. */
int32_t sri_texts_find(const sri_texts *t, const char *text, size_t length);
void sri_texts_free(sri_texts *t);
/* The length of a well-formed UTF-8 sequence at s, or 0; overlong forms, surrogates and what lies
 * beyond U+10FFFF are not well-formed. */
size_t sri_utf8_length(const unsigned char *s, size_t left);
/* The text in Unicode's normal form C, newly allocated; NULL: it is in that form.  It must be
 * UTF-8. */
specreg_status sri_text_normalise(specreg_context *ctx, const char *text, size_t length,
                                  char **out);
/* Fails when a text is not UTF-8 or contains NUL bytes. */
specreg_status sri_check_text(specreg_context *ctx, const char *text, size_t length);

/* A column by name, else by 1-based number; -1 with an error text when there is none.
 * Ordinary columns only. */
int64_t sri_table_find(specreg_context *ctx, const specreg_table *t, const char *name);
/* By name only, no error text. */
int64_t sri_table_find_name(const specreg_table *t, const char *name);

/* The column that is the target when nobody says otherwise: named y, target or label, else the
 * last one; -1 when there is none.  Ordinary columns only. */
int64_t sri_table_default_target(const specreg_table *t);

/* The ordinary columns with the given numbers, in that order, and all rows; no sparse block. */
specreg_status sri_table_columns(specreg_context *ctx, const specreg_table *from,
                                 const int64_t *columns, int64_t count, specreg_table **out);

/* As specreg_table_from_arrays, but numbers may be infinite, as the ends of intervals are. */
specreg_status sri_table_any_arrays(specreg_context *ctx, const specreg_view *X,
                                    const char *const *x_names, const specreg_view *Y,
                                    const char *const *y_names, specreg_table **out);

/* Shapes that agree, and the inputs' rows and columns. */
specreg_status sri_data_check(specreg_context *ctx, const specreg_data *d);
int64_t sri_data_rows(const specreg_data *d);
int64_t sri_data_cols(const specreg_data *d);

/* table_join.c: the rows of tables with the same columns, one table after the other.  There must be
 * at least one; they own their numbers. */
specreg_status sri_table_join(specreg_context *ctx, specreg_table *const *part, int64_t parts,
                              specreg_table **out);

/* Building.  Names are copied and must be UTF-8. */
specreg_status sri_table_set_name(specreg_context *ctx, specreg_table *t, int64_t col,
                                  const char *name, size_t length);
/* x1 .. xp and y, or y1 .. yT. */
specreg_status sri_table_default_names(specreg_context *ctx, specreg_table *t, int64_t p,
                                       int64_t T);
/* Makes specreg_table_name work on the columns of `sparse`; call it once they are counted. */
specreg_status sri_table_name_sparse(specreg_context *ctx, specreg_table *t);
/* Gives the sparse block at least so many columns. */
specreg_status sri_table_widen(specreg_context *ctx, specreg_table *t, int64_t width);
/* Turns a number column into a text column; the matrix of numbers gets narrower. */
specreg_status sri_table_make_text(specreg_context *ctx, specreg_table *t, int64_t col);
/* Puts a new text column at place `at`: row i holds label->text[code[i]]. */
specreg_status sri_table_insert_text(specreg_context *ctx, specreg_table *t, int64_t at,
                                     const char *name, const int32_t *code, const sri_texts *label);
/* Puts the ordinary columns of a table with as many rows before those of `t`, which has no
 * sparse ones.  Both own their numbers. */
specreg_status sri_table_put_first(specreg_context *ctx, specreg_table *t,
                                   const specreg_table *from);
/* Puts a column of a table with as many rows after the ordinary ones, under a new name. */
specreg_status sri_table_put_last(specreg_context *ctx, specreg_table *t, const sri_column *column,
                                  const specreg_table *from, const char *name);
/* The columns that `--categorical` lists become text; a column that is not there is an error. */
specreg_status sri_table_categorical(specreg_context *ctx, specreg_table *t, const char *list);
/* The first column that is named like one before it; -1: none is. */
specreg_status sri_table_repeated_name(specreg_context *ctx, const specreg_table *t, int64_t *out);
/* Fails with the place of the first infinite number. */
specreg_status sri_table_check_finite(specreg_context *ctx, const specreg_table *t,
                                      specreg_status code);

/* The table that rows come from, and where a row was there. */
static inline int64_t sri_table_origins(const specreg_table *t)
{
    return t->origin ? t->origins : t->rows;
}
static inline int64_t sri_table_origin(const specreg_table *t, int64_t row)
{
    return t->origin ? t->origin[row] : row;
}
/* A number of a matrix in any layout; it need not be aligned. */
static inline double sri_strided_number(const specreg_strided_view *v, int64_t row, int64_t col)
{
    const char *at = (const char *)v->data + row * v->row_step + col * v->col_step;
    double number;
    float single;
    if (v->is_float) {
        memcpy(&single, at, sizeof single);
        return single;
    }
    memcpy(&number, at, sizeof number);
    return number;
}
/* The number in a cell of a number column. */
static inline double sri_cell_number(const specreg_table *t, int64_t row, const sri_column *c)
{
    return c->number < 0 ? sri_strided_number(&t->lent, row, -1 - c->number)
                         : t->numbers[row * t->n_numbers + c->number];
}
/* Before the numbers of another table with these columns are copied: how many they are, and where
 * each column's stand.  Then the numbers of one of its rows. */
void sri_table_place_numbers(specreg_table *t, const specreg_table *from);
void sri_table_copy_numbers(const specreg_table *t, const specreg_table *from, int64_t row,
                            double *out);
/* What a cell holds, as a text; a number goes into `buffer` (32 bytes).  It must not be missing. */
const char *sri_cell_text(const specreg_table *t, int64_t row, const sri_column *c, char *buffer);
/* Whether an ordinary column has no value in a row. */
bool sri_table_gap(const specreg_table *t, int64_t row, int64_t col);
/* All columns of a row as numbers, sparse ones too; NaN for missing and for texts. */
void sri_table_row(const specreg_table *t, int64_t row, double *out);

/* Empty, NA, N/A, nan, null or ?, in any case: how files write that a value is missing. */
bool sri_is_missing(const char *text, size_t length);

/* "file.csv:17" or "file.npy: row 16" for messages, into `buffer`. */
char *sri_table_place(const specreg_table *t, int64_t row, char *buffer, size_t size);
/* places.c: room for the places of so many rows; then those of `count` rows of a table, which
 * become rows `at`, `at` + 1, ...; `row` NULL: its first ones. */
specreg_status sri_places_new(specreg_context *ctx, int64_t rows, sri_places **out);
specreg_status sri_places_set(specreg_context *ctx, sri_places *p, int64_t at,
                              const specreg_table *from, const int64_t *row, int64_t count);
void sri_places_free(sri_places *p); /* accepts NULL */
/* Fails with the place, "column 'name': " and the text. */
specreg_status sri_fail_at_cell(specreg_context *ctx, specreg_status code, const specreg_table *t,
                                int64_t row, const char *column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
