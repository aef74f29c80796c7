#include "model/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "model/dataset.h"
#include "model/record.h"

void sri_corpus_free(sri_corpus *corpus)
{
    specreg_vocabulary_free(corpus->words);
    specreg_options_free(corpus->options);
    specreg_table_free(corpus->own);
    *corpus = (sri_corpus){0};
}

/* ------------------------------------------------------------------ columns by their names
 * The column of documents goes, and numbers of columns would be those of another table. */

static specreg_status name_one(specreg_context *ctx, const specreg_table *t, int64_t documents,
                               int64_t column, bool listed, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    const char *name = t->column[column].name;
    SRI_REQUIRE(ctx, column != documents, SPECREG_E_ARG,
                "%s: column '%s' holds the documents, it cannot be anything else (see "
                "--text-column)",
                t->source, name);
    SRI_REQUIRE(ctx, !listed || !strchr(name, ','), SPECREG_E_ARG,
                "%s: column '%s' has a comma in its name and cannot be one of several targets",
                t->source, name);
    SRI_TRY(sri_buffer_print(ctx, out, "%s%s", out->length ? "," : "", name));
done:
    return st;
}

static specreg_status name_columns(specreg_context *ctx, const specreg_table *t, int64_t documents,
                                   const char *option, bool is_list, specreg_options *options)
{
    specreg_status st = SPECREG_OK;
    const sri_aside none = {.count = 0};
    int64_t *column = NULL, count = 1, one;
    sri_buffer names = {0};
    const char *value = specreg_options_get(options, option);
    if (!*value)
        return SPECREG_OK;
    if (is_list) {
        SRI_TRY(sri_target_columns(ctx, t, value, &none, &column, &count));
    } else {
        one = sri_table_find(ctx, t, value);
        SRI_TRY(one < 0 ? SPECREG_E_ARG : SPECREG_OK);
    }
    for (int64_t k = 0; k < count; k++)
        SRI_TRY(name_one(ctx, t, documents, is_list ? column[k] : one, count > 1, &names));
    SRI_TRY(specreg_options_set(ctx, options, option, names.data));
done:
    sri_buffer_free(&names);
    free(column);
    return st;
}

static specreg_status named_options(specreg_context *ctx, const specreg_table *t, int64_t documents,
                                    const specreg_options *options, specreg_options **out)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_options_copy(ctx, options, out));
    SRI_TRY(name_columns(ctx, t, documents, "target", true, *out));
    SRI_TRY(name_columns(ctx, t, documents, "group", false, *out));
    SRI_TRY(name_columns(ctx, t, documents, "weights", false, *out));
done:
    return st;
}

/* --------------------------------------------------------------------------- the rows */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Of the table without its documents the columns that have a role; others are not used. */
static specreg_status keep_roles(specreg_context *ctx, const specreg_table *others,
                                 const specreg_options *o, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    sri_roles roles = {0};
    int64_t *column = NULL, count = 0;
    const sri_role_names names = {.target = sri_option_value(o, SRI_OPT_TARGET),
                                  .group = sri_option_value(o, SRI_OPT_GROUP),
                                  .weights = sri_option_value(o, SRI_OPT_WEIGHTS),
                                  .task = sri_option_value(o, SRI_OPT_TASK_COLUMN)};
    SRI_TRY(sri_roles_find(ctx, others, &names, &roles));
    SRI_ALLOC(ctx, column, roles.n_targets + roles.aside.count, 1);
    for (int64_t k = 0; k < roles.n_targets; k++)
        column[count++] = roles.target[k];
    for (int k = 0; k < roles.aside.count; k++)
        column[count++] = roles.aside.column[k];
    qsort(column, (size_t)count, sizeof *column, by_number);
    if (count < others->n_columns)
        sri_log(ctx, "%s: %lld columns beside the documents are not used", others->source,
                (long long)(others->n_columns - count));
    SRI_TRY(sri_table_columns(ctx, others, column, count, out));
    SRI_TRY(sri_text_placeholder(ctx, *out));
done:
    free(column);
    sri_roles_free(&roles);
    return st;
}

static specreg_status open_rows(specreg_context *ctx, const specreg_table *table, int64_t documents,
                                const specreg_options *options, sri_corpus *out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *others = NULL;
    SRI_REQUIRE(ctx, table->n_columns > 1, SPECREG_E_SHAPE,
                "%s: the documents have no labels: lines need a label and a tab before the text, "
                "folders a folder for each class",
                table->source);
    SRI_TRY(named_options(ctx, table, documents, options, &out->options));
    SRI_TRY(sri_text_without(ctx, table, documents, &others));
    SRI_TRY(sri_text_placeholder(ctx, others));
    SRI_TRY(keep_roles(ctx, others, out->options, &out->own));
    out->table = out->own;
done:
    specreg_table_free(others);
    return st;
}

specreg_status sri_corpus_rows(specreg_context *ctx, const specreg_table *table, sri_config *config,
                               sri_corpus *out)
{
    specreg_status st = SPECREG_OK;
    int64_t documents;
    *out = (sri_corpus){.table = table};
    if (!*sri_option_value(config->options, SRI_OPT_TEXT)) {
        SRI_REQUIRE(ctx, table->sparse || strcmp(table->format, "text") != 0, SPECREG_E_ARG,
                    "%s: holds documents, which need --text", table->source);
        return st;
    }
    SRI_TRY(sri_text_column(ctx, table, config->options, &documents));
    SRI_TRY(open_rows(ctx, table, documents, config->options, out));
    config->options = out->options;
done:
    if (st != SPECREG_OK)
        sri_corpus_free(out);
    return st;
}

/* -------------------------------------------------------------------------- the words */

/* From the rows that train, with their classes where they have some. */
static specreg_status learn(specreg_context *ctx, const specreg_table *table, int64_t documents,
                            const sri_config *config, const sri_text_how *how, sri_corpus *corpus)
{
    specreg_status st = SPECREG_OK;
    sri_dataset d = {0};
    SRI_TRY(sri_dataset_rows(ctx, corpus->table, config, &d));
    SRI_TRY(sri_vocabulary_learn(ctx, table, documents, d.keep, d.n, d.classes, d.target->n_classes,
                                 d.target->label, how, &corpus->words));
done:
    sri_dataset_free(&d);
    return st;
}

specreg_status sri_corpus_train(specreg_context *ctx, const specreg_table *table,
                                sri_config *config, sri_corpus *out)
{
    specreg_status st = SPECREG_OK;
    sri_text_how how;
    sri_csr *features = NULL;
    int64_t documents;
    SRI_TRY(sri_corpus_rows(ctx, table, config, out));
    if (out->table == table)
        return st;
    SRI_TRY(sri_text_how_parse(ctx, sri_option_value(config->options, SRI_OPT_TEXT), &how));
    SRI_TRY(sri_text_column(ctx, table, config->options, &documents));
    SRI_TRY(learn(ctx, table, documents, config, &how, out));
    SRI_TRY(sri_vocabulary_apply(ctx, out->words, table, documents, &features, &out->counts));
    SRI_TRY(sri_text_attach(ctx, out->own, features));
    for (int k = 0; k < config->features.n_terms; k++)
        if (config->features.term[k].ops == &sri_predefined_plsa)
            SRI_TRY(sri_text_count(ctx, out->words, table, documents, out->own));
done:
    if (st != SPECREG_OK)
        sri_corpus_free(out);
    return st;
}

/* ------------------------------------------------------------------------- the record */

specreg_status sri_corpus_record(specreg_context *ctx, const sri_corpus *corpus, json_t **record)
{
    specreg_status st = SPECREG_OK;
    const specreg_vocabulary *v = corpus->words;
    const sri_text_counts *counts = &corpus->counts;
    sri_buffer how = {0};
    if (!v)
        return st;
    SRI_TRY(sri_text_how_print(ctx, &v->how, &how));
    sri_json_put(record, "text",
                 json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "how", how.data, "documents",
                           (json_int_t)v->documents, "seen", (json_int_t)v->seen, "words",
                           (json_int_t)v->words.count, "nonzeros", (json_int_t)counts->nonzeros,
                           "empty_documents", (json_int_t)counts->empty, "unknown_documents",
                           (json_int_t)counts->unknown));
    if (counts->empty)
        sri_record_note(record, "%lld of %lld documents have no words: rows of zeros",
                        (long long)counts->empty, (long long)counts->documents);
    if (counts->unknown)
        sri_record_note(record,
                        "%lld of %lld documents have none of the chosen words: rows of "
                        "zeros",
                        (long long)counts->unknown, (long long)counts->documents);
done:
    sri_buffer_free(&how);
    return st;
}
