/* Learning a vocabulary: counting, choosing, weighing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "data/text/vocabulary.h"
#include "data/text/words.h"

/* Every document's different words, one after the other, and in how many documents a word is. */
typedef struct tally {
    sri_texts words;
    struct seen {
        int64_t documents; /* with the word                        */
        int64_t last;      /* the last of them, from 1             */
    } * seen;
    int64_t seen_capacity;
    int32_t *entry; /* words of all documents               */
    int64_t entries, entry_capacity;
    int64_t *start;    /* of a document's entries, n + 1       */
    sri_arena scratch; /* start, and what scores are found with */
} tally;

static void tally_free(tally *t)
{
    sri_texts_free(&t->words);
    sri_free(t->seen);
    sri_free(t->entry);
    sri_arena_free(&t->scratch);
}

static specreg_status count_word(specreg_context *ctx, tally *t, int64_t document, const char *word,
                                 size_t length)
{
    const int64_t known = t->words.count;
    int32_t code;
    SRI_CALL(sri_texts_code(ctx, &t->words, word, length, &code));
    if (t->words.count > known) {
        SRI_CALL(SRI_GROW(ctx, t->seen, t->seen_capacity, known + 1));
        t->seen[code] = (struct seen){0};
    }
    if (t->seen[code].last == document + 1)
        return SPECREG_OK;
    t->seen[code].last = document + 1;
    t->seen[code].documents++;
    SRI_CALL(SRI_GROW(ctx, t->entry, t->entry_capacity, t->entries + 1));
    t->entry[t->entries++] = code;
    return SPECREG_OK;
}

static specreg_status count_words(specreg_context *ctx, const sri_rows *rows, int64_t column,
                                  const sri_text_how *how, tally *t)
{
    const sri_column *c = &rows->table->column[column];
    SRI_ARENA_NEW_ZERO(ctx, &t->scratch, t->start, rows->count + 1, 1);
    SRI_CALL(sri_stage(ctx, "words", rows->count));
    for (int64_t i = 0; i < rows->count; i++) {
        const int32_t code = c->code[rows->row[i]];
        sri_word_reader r =
            sri_words_of(code < 0 ? "" : c->texts.text[code], how->shortest, how->longest);
        while (sri_word_next(&r))
            SRI_CALL(count_word(ctx, t, i, r.word, r.length));
        t->start[i + 1] = t->entries;
        SRI_CALL(sri_progress(ctx, i + 1));
    }
    return SPECREG_OK;
}

/* a/n log(a n / (b c)), 0 for a = 0. */
static double share(double a, double b, double c, double n)
{
    return a > 0 ? a / n * log(a * n / (b * c)) : 0;
}

/* I = sum over presence w and classes c of p(w,c) log(p(w,c) / (p(w) p(c))), in nats; with[c] of
 * the all[c] documents of class c have the word. */
static double information(const double *with, const double *all, int64_t classes, double n)
{
    double present = 0, sum = 0;
    for (int64_t c = 0; c < classes; c++)
        present += with[c];
    for (int64_t c = 0; c < classes; c++)
        sum += share(with[c], present, all[c], n) + share(all[c] - with[c], n - present, all[c], n);
    return sum > 0 ? sum : 0; /* rounding */
}

/* Of every word that is in enough of n documents, into score. */
static specreg_status score_information(specreg_context *ctx, tally *t, int64_t n,
                                        const sri_document_classes *classes, int64_t min_docs,
                                        double *score)
{
    int64_t *end;   /* of a word's entries in `found` */
    int32_t *found; /* the classes of a word's documents, word by word */
    double *all, *with;
    SRI_ARENA_NEW_ZERO(ctx, &t->scratch, end, t->words.count + 1, 1);
    SRI_ARENA_NEW(ctx, &t->scratch, found, t->entries, 1);
    SRI_ARENA_NEW_ZERO(ctx, &t->scratch, all, classes->count, 1);
    SRI_ARENA_NEW_ZERO(ctx, &t->scratch, with, classes->count, 1);
    for (int64_t w = 0; w < t->words.count; w++)
        end[w + 1] = end[w] + t->seen[w].documents; /* where it begins, until it is filled */
    for (int64_t i = 0; i < n; i++) {
        all[classes->of[i]]++;
        for (int64_t k = t->start[i]; k < t->start[i + 1]; k++)
            found[end[t->entry[k]]++] = classes->of[i];
    }
    for (int64_t w = 0; w < t->words.count; w++) {
        if (t->seen[w].documents < min_docs)
            continue;
        memset(with, 0, (size_t)classes->count * sizeof *with);
        for (int64_t k = end[w] - t->seen[w].documents; k < end[w]; k++)
            with[found[k]]++;
        score[w] = information(with, all, classes->count, (double)n);
    }
    return SPECREG_OK;
}

typedef struct candidate {
    const char *word;
    double score;
    int64_t documents;
} candidate;

static int by_word(const void *a, const void *b)
{
    return strcmp(((const candidate *)a)->word, ((const candidate *)b)->word);
}

static int by_score(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return x->score != y->score ? (x->score < y->score) - (x->score > y->score) : by_word(a, b);
}

/* The best `how->words` of the words in enough documents, in the order of their bytes. */
static specreg_status choose(specreg_context *ctx, tally *t, const double *score,
                             const sri_text_how *how, candidate **out, int64_t *count)
{
    candidate *list;
    int64_t n = 0;
    SRI_ARENA_NEW(ctx, &t->scratch, list, t->words.count, 1);
    for (int64_t w = 0; w < t->words.count; w++)
        if (t->seen[w].documents >= how->min_docs)
            list[n++] = (candidate){t->words.text[w], score[w], t->seen[w].documents};
    if (n > how->words) {
        qsort(list, (size_t)n, sizeof *list, by_score);
        n = how->words;
    }
    if (n)
        qsort(list, (size_t)n, sizeof *list, by_word);
    *out = list;
    *count = n;
    return SPECREG_OK;
}

/* What the vocabulary keeps of the documents: where they stood, and their classes. */
static specreg_status keep_source(specreg_context *ctx, const sri_rows *rows, int64_t column,
                                  const sri_document_classes *classes, specreg_vocabulary *v)
{
    SRI_NEW_TEXT(ctx, v->column, rows->table->column[column].name);
    v->position = column;
    v->columns = rows->table->n_columns;
    v->has_names = rows->table->has_header;
    v->documents = rows->count;
    if (classes) {
        SRI_NEW_ZERO(ctx, v->label, classes->count, 1);
        v->n_classes = classes->count;
    }
    for (int64_t c = 0; c < v->n_classes; c++)
        SRI_NEW_TEXT(ctx, v->label[c], classes->label[c]);
    return SPECREG_OK;
}

static specreg_status keep_words(specreg_context *ctx, const candidate *list, int64_t count,
                                 specreg_vocabulary *v)
{
    int32_t code;
    SRI_NEW(ctx, v->count, count, 1);
    SRI_NEW(ctx, v->idf, count, 1);
    if (v->how.choose == SRI_CHOOSE_MI)
        SRI_NEW(ctx, v->mi, count, 1);
    for (int64_t j = 0; j < count; j++) {
        SRI_CALL(sri_texts_code(ctx, &v->words, list[j].word, strlen(list[j].word), &code));
        v->count[j] = (double)list[j].documents;
        v->idf[j] = v->how.tfidf ? log((1.0 + (double)v->documents) / (1.0 + v->count[j])) + 1 : 1;
        if (v->mi)
            v->mi[j] = list[j].score;
    }
    return SPECREG_OK;
}

specreg_status sri_vocabulary_learn(specreg_context *ctx, const sri_rows *rows, int64_t column,
                                    const sri_document_classes *classes, const sri_text_how *how,
                                    specreg_vocabulary **out)
{
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    const char *source = rows->table->source;
    specreg_vocabulary *v = NULL;
    tally counted = {0};
    double *score;
    candidate *list;
    int64_t chosen;
    *out = NULL;
    SRI_REQUIRE(ctx, classes || how->choose != SRI_CHOOSE_MI, SPECREG_E_SHAPE,
                "%s: choose=mi needs classes, the documents have none", source);
    SRI_CALLOC(ctx, v, 1, 1);
    v->how = *how;
    if (how->choose == SRI_CHOOSE_AUTO)
        v->how.choose = classes ? SRI_CHOOSE_MI : SRI_CHOOSE_FREQUENCY;
    SRI_TRY(count_words(ctx, rows, column, how, &counted));
    v->seen = counted.words.count;
    SRI_SCRATCH(ctx, &counted.scratch, score, v->seen, 1);
    for (int64_t w = 0; w < v->seen; w++)
        score[w] = (double)counted.seen[w].documents;
    if (v->how.choose == SRI_CHOOSE_MI)
        SRI_TRY(score_information(ctx, &counted, rows->count, classes, how->min_docs, score));
    SRI_TRY(choose(ctx, &counted, score, &v->how, &list, &chosen));
    SRI_REQUIRE(ctx, chosen > 0, SPECREG_E_NUMERIC,
                "%s: none of the %lld different words is in at least %lld of the %lld documents "
                "(see min-docs)",
                source, (long long)v->seen, (long long)how->min_docs, (long long)rows->count);
    SRI_TRY(keep_source(ctx, rows, column, classes, v));
    SRI_TRY(keep_words(ctx, list, chosen, v));
    v->seconds = sri_clock() - start;
    SRI_MOVE(*out, v);
done:
    tally_free(&counted);
    specreg_vocabulary_free(v);
    return st;
}
