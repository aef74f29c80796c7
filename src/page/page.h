/* The report page: what models and records say as data for one HTML file, and that file.  Texts
 * that come from files may be anything: what does not fit is left out, and the page says so. */
#ifndef SRI_PAGE_PAGE_H
#define SRI_PAGE_PAGE_H

#include "record/record.h"

/* Sentences for people: what is not shown, and why; NULL when out of memory. */
void sri_page_cannot(json_t **cannot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* checked.c: a copy of what fits of a portrait as a model file has it; NULL: nothing does.  Its own
 * sentences are added to `cannot`. */
json_t *sri_page_portrait(const json_t *portrait, json_t **cannot);

/* Rows and what was said of them. */
typedef struct sri_page_rows {
    const char *by; /* how they were held out, or "file" */
    int64_t all, n, T;
    int64_t *number; /* from 1                               */
    double *F, *Y;   /* n x T; Y of classes coded            */
    int32_t *classes;
    double *lower, *upper; /* n x T; NULL: no intervals      */
    double level;
} sri_page_rows;

/* rows.c: those of the model file's text, false where they do not fit the model; of a table. */
specreg_status sri_page_rows_read(specreg_context *ctx, const specreg_model *model,
                                  const json_t *held, sri_page_rows *out, bool *fits);
specreg_status sri_page_rows_score(specreg_context *ctx, const specreg_model *model,
                                   const specreg_table *data, const specreg_options *options,
                                   sri_page_rows *out);
/* As the page has them, and a record of their errors. */
specreg_status sri_page_rows_json(specreg_context *ctx, const specreg_model *model,
                                  const sri_page_rows *rows, json_t **out);
specreg_status sri_page_rows_errors(specreg_context *ctx, const specreg_model *model,
                                    const sri_page_rows *rows, json_t **out);
void sri_page_rows_free(sri_page_rows *rows);

/* columns.c: what a model makes of its columns, of some rows of a table, as the page has it; a
 * sentence where it cannot be told. */
typedef struct sri_page_said {
    json_t *importance, *partial; /* NULL: not known */
} sri_page_said;
specreg_status sri_page_columns(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const specreg_options *options,
                                sri_page_said *out, json_t **cannot);
/* What is particular to a kind of model; *out NULL where it is of another kind.  field.c: arrows
 * over a grid, and those of the rows of a table, which may be NULL.  matrix.c: between outputs or
 * tasks.  words.c: for and against each class. */
specreg_status sri_page_field(specreg_context *ctx, const specreg_model *model,
                              const specreg_table *data, const specreg_options *options,
                              json_t **out, json_t **cannot);
specreg_status sri_page_matrix(specreg_context *ctx, const specreg_model *model, json_t **out,
                               json_t **cannot);
specreg_status sri_page_words(specreg_context *ctx, const specreg_model *model, json_t **out,
                              json_t **cannot);

/* thin.c: makes a record's long lists short enough for a page, and says so. */
void sri_page_thin_record(json_t *record, json_t **cannot);
void sri_page_thin_errors(json_t *errors, json_t **cannot);
/* The spectrum of a record, as a portrait has it; NULL: it has none. */
json_t *sri_page_spectrum(const json_t *record);
/* command.c: the command line that makes a record again; JSON null: it does not tell, or was
 * made of arrays. */
json_t *sri_page_command(const json_t *record);

/* The page, a text before its data and one behind them (made of web/dist/page.html). */
extern const char sri_page_head[], sri_page_tail[];

#endif
