#include "model/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "model/dataset.h"

void sri_corpus_free(sri_corpus *corpus)
{
    specreg_vocabulary_free(corpus->vocabulary);
    sri_free(corpus->target_at);
    specreg_table_free(corpus->own);
    *corpus = (sri_corpus){0};
}

static specreg_status not_the_documents(specreg_context *ctx, const specreg_table *t,
                                        int64_t documents, int64_t column)
{
    if (column != documents)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_ARG,
                    "%s: column '%s' holds the documents, it cannot be anything else (see "
                    "--text-column)",
                    t->source, t->column[column].name);
}

/* The column's own name in place of its number: without the column of documents, the others have
 * other numbers. */
static specreg_status name_column(specreg_context *ctx, const specreg_table *t, int64_t documents,
                                  const char **name)
{
    if (!**name)
        return SPECREG_OK;
    const int64_t column = sri_table_find(ctx, t, *name);
    if (column < 0)
        return SPECREG_E_ARG;
    *name = t->column[column].name;
    return not_the_documents(ctx, t, documents, column);
}

/* The targets that are asked for, by their numbers in the table without its documents. */
static specreg_status number_targets(specreg_context *ctx, const specreg_table *t,
                                     int64_t documents, sri_corpus *out)
{
    const sri_aside none = {.count = 0};
    if (!*out->roles.target)
        return SPECREG_OK;
    SRI_CALL(sri_target_columns(ctx, t, out->roles.target, &none, &out->target_at,
                                &out->roles.n_targets));
    out->roles.target_at = out->target_at;
    for (int64_t k = 0; k < out->roles.n_targets; k++) {
        SRI_CALL(not_the_documents(ctx, t, documents, out->target_at[k]));
        out->target_at[k] -= out->target_at[k] > documents;
    }
    return SPECREG_OK;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The targets' places among the columns that were kept, which ascend. */
static void renumber_targets(const int64_t *kept, int64_t count, sri_corpus *out)
{
    for (int64_t k = 0; k < out->roles.n_targets; k++) {
        const int64_t *place =
            bsearch(&out->target_at[k], kept, (size_t)count, sizeof *kept, by_number);
        out->target_at[k] = place - kept;
    }
}

/* Of the table without its documents the columns that have a role; others are not used. */
static specreg_status keep_roles(specreg_context *ctx, const specreg_table *others, sri_corpus *out)
{
    specreg_status st = SPECREG_OK;
    sri_roles roles = {0};
    int64_t *column = NULL, count = 0;
    SRI_TRY(sri_roles_find(ctx, others, &out->roles, &roles));
    SRI_ALLOC(ctx, column, roles.n_targets + roles.aside.count, 1);
    for (int64_t k = 0; k < roles.n_targets; k++)
        column[count++] = roles.target[k];
    for (int k = 0; k < roles.aside.count; k++)
        column[count++] = roles.aside.column[k];
    qsort(column, (size_t)count, sizeof *column, by_number);
    if (count < others->n_columns)
        sri_log(ctx, "%s: %lld columns beside the documents are not used", others->source,
                (long long)(others->n_columns - count));
    SRI_TRY(sri_table_columns(ctx, others, column, count, &out->own));
    SRI_TRY(sri_text_placeholder(ctx, out->own));
    renumber_targets(column, count, out);
done:
    sri_free(column);
    sri_roles_free(&roles);
    return st;
}

static specreg_status open_rows(specreg_context *ctx, const specreg_table *table, int64_t documents,
                                sri_corpus *out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *others = NULL;
    SRI_REQUIRE(ctx, table->n_columns > 1, SPECREG_E_SHAPE,
                "%s: the documents have no labels: lines need a label and a tab before the text, "
                "folders a folder for each class",
                table->source);
    SRI_REQUIRE(ctx, !*out->roles.drop && !*out->roles.columns, SPECREG_E_ARG,
                "%s: with --text the documents are the only inputs: leave --drop and --columns out",
                table->source);
    SRI_TRY(number_targets(ctx, table, documents, out));
    SRI_TRY(name_column(ctx, table, documents, &out->roles.id));
    SRI_TRY(name_column(ctx, table, documents, &out->roles.group));
    SRI_TRY(name_column(ctx, table, documents, &out->roles.weights));
    SRI_TRY(sri_text_without(ctx, table, documents, &others));
    SRI_TRY(sri_text_placeholder(ctx, others));
    SRI_TRY(keep_roles(ctx, others, out));
    out->table = out->own;
done:
    specreg_table_free(others);
    return st;
}

specreg_status sri_corpus_rows(specreg_context *ctx, const specreg_table *table,
                               const sri_recipe *recipe, sri_corpus *out)
{
    int64_t documents;
    *out = (sri_corpus){.table = table, .roles = recipe->data.roles};
    if (*recipe->data.text) {
        SRI_CALL(sri_text_column(ctx, table, recipe->options, &documents));
        return open_rows(ctx, table, documents, out);
    }
    return table->sparse || strcmp(table->format, "text") != 0
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_ARG, "%s: holds documents, which need --text",
                          table->source);
}

specreg_status sri_corpus_learn(specreg_context *ctx, const specreg_table *table, int64_t documents,
                                const sri_recipe *recipe, const sri_text_how *how,
                                sri_corpus *corpus)
{
    specreg_status st = SPECREG_OK;
    sri_dataset d = {0};
    SRI_TRY(sri_dataset_rows(ctx, corpus, recipe, &d));
    const sri_document_classes classes = {d.rows.classes, d.target->n_classes, d.target->label};
    SRI_TRY(sri_vocabulary_learn(ctx, &(sri_rows){table, d.rows.keep, d.rows.n}, documents,
                                 d.rows.classes ? &classes : NULL, how, &corpus->vocabulary));
done:
    sri_dataset_free(&d);
    return st;
}

specreg_status sri_corpus_train(specreg_context *ctx, const specreg_table *table,
                                const sri_recipe *recipe, sri_corpus *out)
{
    sri_text_how how;
    sri_matrix *features = NULL;
    int64_t documents;
    SRI_CALL(sri_corpus_rows(ctx, table, recipe, out));
    if (out->table == table)
        return SPECREG_OK;
    SRI_CALL(sri_text_how_parse(ctx, recipe->data.text, &how));
    SRI_CALL(sri_text_column(ctx, table, recipe->options, &documents));
    SRI_CALL(sri_corpus_learn(ctx, table, documents, recipe, &how, out));
    SRI_CALL(sri_vocabulary_apply(ctx, out->vocabulary, table, documents, &features, &out->counts));
    SRI_CALL(sri_text_attach(ctx, out->own, features));
    return sri_predefined_counts(&recipe->search.unpenalised)
               ? sri_text_count(ctx, out->vocabulary, table, documents, out->own)
               : SPECREG_OK;
}
