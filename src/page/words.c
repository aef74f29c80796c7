/* The words that speak for each class, and against it: those of the largest and the smallest
 * slopes. */
#include <math.h>
#include <stdlib.h>

#include "core/arena.h"
#include "page/page.h"

enum { SHOWN = 20, MOST_CLASSES = 60 };

typedef struct weighted {
    double weight;
    int64_t column;
} weighted;

static int by_weight(const void *a, const void *b)
{
    const weighted *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* By how much one occurrence, as the encoder scales it, changes the score of each class: scores are
 * linear in the outputs, up to a constant. */
static void change_scores(const specreg_model *model, int64_t slope, const double *none,
                          double *scores)
{
    const sri_coding *coding = model->encoding.coding;
    const double *outputs = model->expansion.slope + slope * model->T;
    const int64_t count = coding ? coding->n_classes : model->T;
    if (coding)
        sri_coding_scores(coding, outputs, scores);
    for (int64_t c = 0; c < count; c++)
        scores[c] = coding ? scores[c] - none[c] : outputs[c];
}

static json_t *words_json(const specreg_vocabulary *v, const weighted *list, int64_t n,
                          bool against)
{
    json_t *words = json_array();
    for (int64_t k = 0; k < n && k < SHOWN; k++) {
        const weighted *w = &list[against ? n - 1 - k : k];
        const char *word = specreg_vocabulary_word(v, w->column);
        if (!word || !(against ? w->weight < 0 : w->weight > 0))
            break;
        sri_json_add(&words, json_pack("{s:o, s:o}", "word", sri_json_string(word), "weight",
                                       sri_json_number(w->weight)));
    }
    return words;
}

static json_t *class_json(const specreg_model *model, int64_t c, const weighted *list, int64_t n)
{
    const sri_target *target = model->encoding.target;
    const char *name = model->encoding.coding ? target->label[c] : target->name[c];
    json_t *one = json_object();
    sri_json_put(&one, "class", sri_json_string(name));
    sri_json_put(&one, "for", words_json(model->encoding.vocabulary, list, n, false));
    sri_json_put(&one, "against", words_json(model->encoding.vocabulary, list, n, true));
    return one;
}

/* The column of a slope, and what scaling makes of a number there. */
static weighted scaled(const specreg_model *model, int64_t slope)
{
    const int32_t *columns = model->expansion.slope_column;
    const double *factor = model->encoding.encoder->factor;
    const int64_t column = columns ? columns[slope] : slope;
    return (weighted){factor ? factor[column] : 1, column};
}

static specreg_status each_class(specreg_context *ctx, const specreg_model *model, json_t **out)
{
    specreg_status st = SPECREG_OK;
    const sri_coding *coding = model->encoding.coding;
    const int64_t n = model->expansion.slopes, k = specreg_model_outputs(model);
    const int64_t shown = k < MOST_CLASSES ? k : MOST_CLASSES;
    sri_arena scratch = {0};
    double *scores, *none, *zero;
    weighted *list;
    json_t *json = json_array();
    SRI_SCRATCH(ctx, &scratch, scores, n, k);
    SRI_SCRATCH_ZERO(ctx, &scratch, none, k, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, zero, model->T, 1);
    SRI_SCRATCH(ctx, &scratch, list, n, 1);
    if (coding)
        sri_coding_scores(coding, zero, none);
    for (int64_t i = 0; i < n; i++)
        change_scores(model, i, none, scores + i * k);
    for (int64_t c = 0; c < shown; c++) {
        for (int64_t i = 0; i < n; i++) {
            list[i] = scaled(model, i);
            list[i].weight *= scores[i * k + c];
        }
        qsort(list, (size_t)n, sizeof *list, by_weight);
        sri_json_add(&json, class_json(model, c, list, n));
    }
    SRI_MOVE(*out, json);
    st = *out ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
done:
    json_decref(json);
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_page_words(specreg_context *ctx, const specreg_model *model, json_t **out,
                              json_t **cannot)
{
    *out = NULL;
    if (!model->encoding.vocabulary)
        return SPECREG_OK;
    if (!model->expansion.slope) {
        sri_page_cannot(cannot, "Which words speak for a class is known of linear kernels only.");
        return SPECREG_OK;
    }
    if (specreg_model_outputs(model) > MOST_CLASSES)
        sri_page_cannot(cannot, "Words are shown of the first %d of %lld classes.", MOST_CLASSES,
                        (long long)specreg_model_outputs(model));
    return each_class(ctx, model, out);
}
