/* What asks topics. */
#include "data/text/topics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/memory.h"

void specreg_topics_free(specreg_topics *t)
{
    if (!t)
        return;
    sri_free_list(t->column, t->plsa->words);
    sri_free(t->order);
    specreg_vocabulary_free(t->words);
    sri_plsa_free(t->plsa);
    sri_free(t);
}

typedef struct ranked {
    double p;
    int32_t index;
} ranked;

/* Falling; equal ones in their order. */
static int by_probability(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static specreg_status rank_words(specreg_context *ctx, specreg_topics *t)
{
    specreg_status st = SPECREG_OK;
    const int64_t k = t->plsa->topics, words = t->plsa->words;
    ranked *list = NULL;
    SRI_ALLOC(ctx, list, words, 1);
    SRI_ALLOC(ctx, t->order, k, words);
    for (int64_t z = 0; z < k; z++) {
        for (int64_t j = 0; j < words; j++)
            list[j] = (ranked){t->plsa->word[j * k + z], (int32_t)j};
        qsort(list, (size_t)words, sizeof *list, by_probability);
        for (int64_t j = 0; j < words; j++)
            t->order[z * words + j] = list[j].index;
    }
done:
    sri_free(list);
    return st;
}

specreg_status sri_topics_new(specreg_context *ctx, sri_plsa *plsa, specreg_vocabulary *words,
                              char **column, specreg_topics **out)
{
    specreg_status st = SPECREG_OK;
    *out = sri_calloc(ctx, 1, 1, sizeof **out);
    if (!*out) {
        sri_free_list(column, plsa->words);
        specreg_vocabulary_free(words);
        sri_plsa_free(plsa);
        return SPECREG_E_NOMEM;
    }
    **out = (specreg_topics){.plsa = plsa, .words = words, .column = column};
    st = rank_words(ctx, *out);
    if (st != SPECREG_OK) {
        specreg_topics_free(*out);
        *out = NULL;
    }
    return st;
}

int64_t specreg_topics_count(const specreg_topics *t)
{
    return t ? t->plsa->topics : 0;
}

double specreg_topics_share(const specreg_topics *t, int64_t topic)
{
    return t && topic >= 0 && topic < t->plsa->topics ? t->plsa->prior[topic] : NAN;
}

const char *sri_topics_name(const specreg_topics *t, int64_t index, char *buffer)
{
    if (t->words)
        return t->words->words.text[index];
    if (t->column)
        return t->column[index];
    snprintf(buffer, 32, "%lld", (long long)index + 1);
    return buffer;
}

int64_t specreg_topics_word(const specreg_topics *t, int64_t topic, int64_t rank, const char **name,
                            double *probability)
{
    const int64_t k = specreg_topics_count(t), words = t ? t->plsa->words : 0;
    const bool there = topic >= 0 && topic < k && rank >= 0 && rank < words;
    const int64_t j = there ? t->order[topic * words + rank] : -1;
    if (name)
        *name = there && (t->words || t->column) ? sri_topics_name(t, j, NULL) : NULL;
    if (probability)
        *probability = there ? t->plsa->word[j * k + topic] : NAN;
    return j;
}

const specreg_vocabulary *specreg_topics_vocabulary(const specreg_topics *t)
{
    return t ? t->words : NULL;
}
