/* A vocabulary at work: documents to sparse rows.  Also what asks a vocabulary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/arena.h"
#include "data/target.h"
#include "data/text/vocabulary.h"
#include "data/text/words.h"

void specreg_vocabulary_free(specreg_vocabulary *v)
{
    if (!v)
        return;
    sri_free_list(v->label, v->n_classes);
    sri_free(v->column);
    sri_texts_free(&v->words);
    sri_free(v->mi);
    sri_free(v->idf);
    sri_free(v->count);
    sri_free(v);
}

int64_t specreg_vocabulary_size(const specreg_vocabulary *v)
{
    return v ? v->words.count : 0;
}

const char *specreg_vocabulary_word(const specreg_vocabulary *v, int64_t index)
{
    return v && index >= 0 && index < v->words.count ? v->words.text[index] : NULL;
}

static specreg_status check_column(specreg_context *ctx, const specreg_table *t, int64_t column)
{
    if (t->column[column].is_text)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_SHAPE,
                    "%s: column '%s' holds numbers, documents are text (see --text-column)",
                    t->source, t->column[column].name);
}

/* The only text column but those that the options say are something else, and those that are the
 * target unless somebody says otherwise. */
static specreg_status only_text(specreg_context *ctx, const specreg_table *t,
                                const specreg_options *options, int64_t *out)
{
    static const char *const usual[] = {"y", "target", "label"};
    specreg_status st = SPECREG_OK;
    const char *target = sri_option_value(options, SRI_OPT_TARGET);
    const char *group = sri_option_value(options, SRI_OPT_GROUP);
    const int64_t grouped = *group ? sri_table_find(ctx, t, group) : -1;
    int64_t *targets = NULL, count = 0, found = 0;
    if (*target)
        SRI_TRY(sri_target_columns(ctx, t, target, &(sri_aside){0}, &targets, &count));
    SRI_TRY(*group && grouped < 0 ? SPECREG_E_ARG : SPECREG_OK);
    for (int64_t c = 0; c < t->n_columns; c++) {
        bool taken = c == grouped || sri_lists(targets, count, c);
        for (int i = 0; i < 3; i++)
            taken = taken || strcasecmp(t->column[c].name, usual[i]) == 0;
        if (t->column[c].is_text && !taken) {
            found++;
            *out = c;
        }
    }
    SRI_REQUIRE(ctx, found == 1, SPECREG_E_SHAPE,
                "%s: which column holds the documents? Say --text-column", t->source);
done:
    sri_free(targets);
    return st;
}

specreg_status sri_text_column(specreg_context *ctx, const specreg_table *t,
                               const specreg_options *options, int64_t *out)
{
    const char *name = sri_option_value(options, SRI_OPT_TEXT_COLUMN);
    SRI_CHECK(ctx, !t->sparse, SPECREG_E_SHAPE,
              "%s: holds sparse features already, --text needs documents", t->source);
    *out = *name ? sri_table_find(ctx, t, name) : sri_table_find_name(t, "text");
    if (*name && *out < 0)
        return SPECREG_E_ARG;
    if (*out < 0)
        SRI_CALL(only_text(ctx, t, options, out));
    return check_column(ctx, t, *out);
}

specreg_status sri_vocabulary_column(specreg_context *ctx, const specreg_vocabulary *v,
                                     const specreg_table *t, int64_t *out)
{
    *out = t->has_header && v->has_names ? sri_table_find_name(t, v->column) : -1;
    if (*out < 0 && strcmp(t->format, "text") == 0)
        *out = sri_table_find_name(t, "text");
    if (*out < 0 && t->n_columns == 1)
        *out = 0;
    if (*out < 0 && !(t->has_header && v->has_names) && t->n_columns == v->columns)
        *out = v->position;
    if (*out < 0)
        return sri_fail(ctx, SPECREG_E_SHAPE,
                        "%s: the column '%s', which held the documents in training, is missing",
                        t->source, v->column);
    return check_column(ctx, t, *out);
}

/* Rows as they grow, and the counts of one document. */
typedef struct builder {
    const specreg_vocabulary *v;
    sri_matrix *s;
    int64_t index_capacity, value_capacity;
    int32_t *times; /* of each word in this document; 0 between documents */
    int32_t *met;   /* the words in it */
    int64_t n_met;
} builder;

static int by_index(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static double term(const sri_text_how *how, int32_t times)
{
    return how->tf == SRI_TF_BINARY ? 1 : how->tf == SRI_TF_LOG ? 1 + log(times) : times;
}

static double length_of(sri_text_norm norm, const double *value, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += norm == SRI_NORM_L2 ? value[k] * value[k] : fabs(value[k]);
    if (norm == SRI_NORM_NONE || !(sum > 0))
        return 1;
    return norm == SRI_NORM_L2 ? sqrt(sum) : sum;
}

/* Ends a document: its words, ascending, become entries. */
static specreg_status put_row(specreg_context *ctx, builder *b, int64_t at)
{
    sri_matrix *s = b->s;
    const int64_t n = b->n_met;
    SRI_CALL(SRI_GROW(ctx, s->index, b->index_capacity, at + n + 1));
    SRI_CALL(SRI_GROW(ctx, s->value, b->value_capacity, at + n + 1));
    if (n)
        qsort(b->met, (size_t)n, sizeof *b->met, by_index);
    for (int64_t k = 0; k < n; k++) {
        const int32_t j = b->met[k];
        s->index[at + k] = j;
        s->value[at + k] = term(&b->v->how, b->times[j]) * b->v->idf[j];
        b->times[j] = 0;
    }
    const double length = length_of(b->v->how.norm, s->value + at, n);
    for (int64_t k = 0; k < n; k++)
        s->value[at + k] /= length;
    b->n_met = 0;
    return SPECREG_OK;
}

/* Counts the known words of a text; whether it has any word at all. */
static bool count_known(builder *b, const char *text)
{
    sri_word_reader r = sri_words_of(text, b->v->how.shortest, b->v->how.longest);
    bool any = false;
    while (sri_word_next(&r)) {
        const int32_t j = sri_texts_find(&b->v->words, r.word, r.length);
        any = true;
        if (j < 0)
            continue;
        if (b->times[j] == 0)
            b->met[b->n_met++] = j;
        b->times[j] += b->times[j] < INT32_MAX;
    }
    return any;
}

specreg_status sri_vocabulary_apply(specreg_context *ctx, const specreg_vocabulary *v,
                                    const specreg_table *t, int64_t column, sri_matrix **out,
                                    sri_text_counts *counts)
{
    specreg_status st = SPECREG_OK;
    const sri_column *c = &t->column[column];
    sri_arena scratch = {0};
    builder b = {.v = v};
    *out = NULL;
    *counts = (sri_text_counts){.documents = t->rows};
    SRI_CALLOC(ctx, b.s, 1, 1);
    b.s->n = t->rows;
    b.s->p = v->words.count;
    SRI_CALLOC(ctx, b.s->start, t->rows + 1, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, b.times, v->words.count, 1);
    SRI_SCRATCH(ctx, &scratch, b.met, v->words.count, 1);
    SRI_TRY(sri_stage(ctx, "documents", t->rows));
    for (int64_t i = 0; i < t->rows; i++) {
        const bool any = c->code[i] >= 0 && count_known(&b, c->texts.text[c->code[i]]);
        counts->empty += !any;
        counts->unknown += any && b.n_met == 0;
        b.s->start[i + 1] = b.s->start[i] + b.n_met;
        SRI_TRY(put_row(ctx, &b, b.s->start[i]));
        SRI_TRY(sri_progress(ctx, i + 1));
    }
    counts->nonzeros = b.s->start[t->rows];
    SRI_MOVE(*out, b.s);
done:
    sri_arena_free(&scratch);
    sri_matrix_delete(b.s);
    return st;
}
