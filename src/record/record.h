/* JSON: what records say, and how models keep their parts. */
#ifndef SRI_RECORD_RECORD_H
#define SRI_RECORD_RECORD_H

#include "core/json.h"
#include "data/text/vocabulary.h"
#include "model/model.h"

/* Forms: what several records and models have in common (forms_write.c).  NULL when out of
 * memory. */

/* {"name": "rbf", "sigma": 1}, or {"name": "sum", "terms": [...]}. */
json_t *sri_kernel_json(const sri_kernel *kernel);
/* {"name": "common", "omega": 0.5}, {"name": "independent"}, or a sum. */
json_t *sri_kernel_outputs_json(const sri_kernel *kernel);
/* The same of a model's couplings, with all that it takes to make the matrices again. */
json_t *sri_couplings_json(const sri_expansion *expansion, const sri_kernel *kernel);
/* {"name": "nu", "nu": 1, "step": .., "t": 37}. */
/* A filter without the parameter of its path; with it. */
json_t *sri_filter_setting_json(const sri_filter *filter);
json_t *sri_filter_json(const sri_kept_filter *filter);
/* {"name": "ova"}, with the parameters. */
json_t *sri_coding_json(const sri_coding *coding);
/* {"slopes": [...], "held_by": "loo"}. */
json_t *sri_calibration_json(const sri_calibration *calibration);
/* Unpenalised terms for the model file.  Probabilities of topics are not in it. */
json_t *sri_predefined_json(const sri_predefined *p);
json_t *sri_encoder_json(const sri_encoder *encoder);
json_t *sri_target_json(const sri_target *target);
/* A list of texts; of numbers, null where they are not finite. */
json_t *sri_texts_json(char *const *text, int64_t count);
json_t *sri_numbers_json(const double *v, int64_t count);
json_t *sri_integers_json(const int64_t *v, int64_t count);

specreg_status sri_kernel_from_json(specreg_context *ctx, const json_t *json, sri_kept_kernel *out);
/* Names and parameters of couplings, as a record has them, for a kernel that is there. */
specreg_status sri_couplings_named(specreg_context *ctx, const json_t *json, sri_kept_kernel *out);
/* All of them, of order layout.T, into the expansion. */
specreg_status sri_couplings_from_json(specreg_context *ctx, const json_t *json,
                                       sri_expansion *out);
specreg_status sri_filter_from_json(specreg_context *ctx, const json_t *json, sri_kept_filter *out);
/* The three give false where it is no such thing, or not for k classes. */
bool sri_coding_spec_from_json(specreg_context *ctx, const json_t *json, sri_coding_spec *out);
bool sri_calibration_from_json(const json_t *json, int64_t k, sri_calibration *out);
/* X of the model has `columns` columns; topics that come back have no probabilities yet. */
specreg_status sri_predefined_from_json(specreg_context *ctx, const json_t *json, int64_t columns,
                                        sri_predefined *out);
specreg_status sri_target_from_json(specreg_context *ctx, const json_t *json, sri_target **out);
/* `scaling` has five numbers for each of `rows` features. */
specreg_status sri_encoder_from_json(specreg_context *ctx, const json_t *json,
                                     const double *scaling, int64_t rows, sri_encoder *e);
specreg_status sri_sparse_encoder_from_json(specreg_context *ctx, const json_t *json,
                                            sri_encoder *e);
/* {"specreg": version, "command": name}. */
json_t *sri_record_new(const char *command);
/* Options that were given, but those that only say how a result comes about. */
json_t *sri_options_json(const specreg_options *options);
void sri_record_note(json_t **record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sri_record_notes(json_t **record, const sri_notes *notes);
/* A path point: {"lambda": v} and the like. */
void sri_record_param(json_t **row, sri_path_kind kind, double value);
/* Adds `filter` where several settings of it were tried. */
void sri_record_setting(json_t **row, const sri_search_report *report, const sri_tried *tried);
/* A kernel that was tried, and its outputs where it couples them. */
void sri_record_kernel(json_t **record, const sri_kernel *kernel);
/* {"read": .., "total": ..} */
json_t *sri_seconds_json(double read, double total);
/* Adds `seconds` and `peak_bytes`; those of the stages where there was a search. */
void sri_record_times(json_t **record, const sri_times *times, bool searched);
/* The object `data`, and what names and weighs its rows. */
json_t *sri_data_json(const sri_data_report *d, const sri_encoder *encoder,
                      const sri_target *target);
void sri_record_rows(json_t **data, const sri_rows_report *rows, const sri_target *target);
/* Adds `text` and its notes; nothing where there are no documents. */
specreg_status sri_record_documents(specreg_context *ctx, json_t **record,
                                    const specreg_vocabulary *v, const sri_text_counts *counts);
/* Adds `features` where there are unpenalised terms: what they are; with their coefficients as the
 * columns stand in the table. */
void sri_record_terms(json_t **record, const sri_predefined *p);
specreg_status sri_record_coefficients(specreg_context *ctx, json_t **record,
                                       const sri_unpenalised *u, int64_t T);
/* kernel, filter and its parameter, engine, selection with its table where its kernels are kept. */
specreg_status sri_record_search(specreg_context *ctx, json_t **record,
                                 const sri_search_report *report, const sri_coding *coding);
/* kernel, outputs, filter and coding, as the model itself has them. */
void sri_record_model(specreg_context *ctx, json_t **record, const specreg_model *model);
/* What a model's report says, without what differs between two runs; NULL: it has none. */
specreg_status sri_report_json(specreg_context *ctx, const specreg_model *model, json_t **out);
/* The columns of an importance record: what lies under its key "columns". */
json_t *sri_importance_columns(const specreg_importances *importances);
/* The curves of a record of partial dependence: what lies under its key "curves". */
json_t *sri_partial_curves(const specreg_partials *partials);
/* portrait_record.c: what a fit keeps for pictures, and the rows with what was said of them, as
 * texts for the model file, newly allocated; NULL where there is none. */
specreg_status sri_portrait_texts(specreg_context *ctx, const specreg_model *model, char **portrait,
                                  char **held_rows);
/* JSON as text that reads back to the same numbers, unless `flags` has a precision; sri_free()
 * it. */
specreg_status sri_json_text(specreg_context *ctx, const json_t *json, size_t flags, char **out);
/* A record as text. */
specreg_status sri_record_text(specreg_context *ctx, const json_t *record, char **out);

/* All that is in `errors`; NULL when out of memory. */
json_t *sri_errors_json(const sri_errors *errors);
/* Puts the errors by the measures that cv lists for its folds. */
void sri_errors_put_fold(const sri_error_list *errors, json_t **fold);
/* Puts `mean` and `stddev` (n - 1) over the folds, of each measure that all of them have. */
void sri_errors_put_summary(const sri_error_list *folds, int64_t n, json_t **record);
/* Puts `baseline`, the mean over the folds of what the best constants get. */
void sri_errors_put_baseline(const sri_error_list *folds, int64_t n, json_t **record);

#endif
