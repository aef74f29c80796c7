/* Records: the JSON that calls return. */
#ifndef SRI_MODEL_RECORD_H
#define SRI_MODEL_RECORD_H

#include "core/json.h"
#include "model/prepare.h"

/* {"specreg": version, "command": name}. */
json_t *sri_record_new(const char *command);
/* kernel, filter and its parameter, engine, selection with its table. */
specreg_status sri_record_search(specreg_context *ctx, json_t **record, const sri_prepared *p,
                                 const sri_search_result *result);
/* Errors of predictions F (n x T): mse, mae, r2, and error_rate for classes. */
specreg_status sri_record_errors(specreg_context *ctx, const sri_task *task, const double *F,
                                 const double *Y, const int32_t *classes, int64_t n, json_t **out);
/* A score's value as people know it. */
json_t *sri_record_value(const sri_rule *rule, const sri_task *task, double value);
/* One row of a path table's own parameter: {"lambda": v} and the like. */
void sri_record_param(json_t **row, sri_path_kind kind, double value);
void sri_record_note(json_t **record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* JSON as text that reads back to the same numbers; free() it. */
specreg_status sri_json_text(specreg_context *ctx, const json_t *json, size_t flags, char **out);
/* The record as text; takes the record over. */
specreg_status sri_record_text(specreg_context *ctx, json_t *record, char **out);

#endif
