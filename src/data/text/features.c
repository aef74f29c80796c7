/* Tables of features from tables of documents. */

#include "core/memory.h"
#include "data/text/vocabulary.h"

specreg_status sri_text_without(specreg_context *ctx, const specreg_table *t, int64_t column,
                                specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    int64_t *others = NULL, n = 0;
    *out = NULL;
    SRI_ALLOC(ctx, others, t->n_columns, 1);
    for (int64_t c = 0; c < t->n_columns; c++)
        if (c != column)
            others[n++] = c;
    SRI_TRY(sri_table_columns(ctx, t, others, n, out));
done:
    sri_free(others);
    return st;
}

specreg_status sri_text_attach(specreg_context *ctx, specreg_table *t, sri_matrix *features)
{
    sri_matrix_delete(t->sparse);
    t->sparse = features;
    return sri_table_name_sparse(ctx, t);
}

specreg_status sri_text_placeholder(specreg_context *ctx, specreg_table *t)
{
    specreg_status st = SPECREG_OK;
    sri_matrix *s = NULL;
    SRI_CALLOC(ctx, s, 1, 1);
    SRI_TRY(sri_matrix_new_sparse(ctx, t->rows, 1, 1, s));
    st = sri_text_attach(ctx, t, s);
    s = NULL;
done:
    sri_matrix_delete(s);
    return st;
}

/* Rows of zeros are worth a word. */
static void tell(specreg_context *ctx, const specreg_table *t, const sri_text_counts *counts)
{
    if (counts->empty)
        sri_log(ctx, "%s: %lld of %lld documents have no words", t->source,
                (long long)counts->empty, (long long)counts->documents);
    if (counts->unknown)
        sri_log(ctx, "%s: %lld of %lld documents have no word of the vocabulary", t->source,
                (long long)counts->unknown, (long long)counts->documents);
}

void sri_topics_raw(specreg_vocabulary *v)
{
    v->how.tf = SRI_TF_COUNT;
    v->how.tfidf = SRI_NO;
    v->how.norm = SRI_NORM_NONE;
    for (int64_t j = 0; j < v->words.count; j++)
        v->idf[j] = 1;
}

specreg_status sri_text_count(specreg_context *ctx, const specreg_vocabulary *v,
                              const specreg_table *t, int64_t column, specreg_table *to)
{
    specreg_status st = SPECREG_OK;
    specreg_vocabulary raw = *v; /* but for its weights */
    sri_text_counts counts;
    SRI_ALLOC(ctx, raw.idf, v->words.count, 1);
    sri_topics_raw(&raw);
    SRI_TRY(sri_vocabulary_apply(ctx, &raw, t, column, &to->counts, &counts));
done:
    sri_free(raw.idf);
    return st;
}

specreg_status sri_text_features(specreg_context *ctx, const specreg_vocabulary *v,
                                 const specreg_table *t, bool raw, specreg_table **out,
                                 sri_text_counts *counts)
{
    specreg_status st = SPECREG_OK;
    specreg_table *made = NULL;
    sri_matrix *s = NULL;
    int64_t column;
    *out = NULL;
    SRI_TRY(sri_vocabulary_column(ctx, v, t, &column));
    SRI_TRY(sri_vocabulary_apply(ctx, v, t, column, &s, counts));
    SRI_TRY(sri_text_without(ctx, t, column, &made));
    st = sri_text_attach(ctx, made, s);
    s = NULL;
    if (st != SPECREG_OK)
        goto done;
    if (raw)
        SRI_TRY(sri_text_count(ctx, v, t, column, made));
    tell(ctx, t, counts);
    SRI_MOVE(*out, made);
done:
    sri_matrix_delete(s);
    specreg_table_free(made);
    return st;
}
