/* Error-correcting words: those of a BCH code of a given dimension, or of the smallest one that has
 * enough of them.
 *
 * Which words are taken decides which problems the columns are.  The first is 0; each next one is
 * the best of the WINDOW words that come next in a fixed order, where better is, in this order,
 *   1. for the last word: fewer columns that are the same for all classes;
 *   2. fewer pairs of columns that are the same problem: equal, or each other's negative;
 *   3. columns more balanced, by the sum of their squared sums of signs;
 *   4. the earlier word.
 * k classes allow only 2^(k-1) - 1 different problems: with few of them columns must come again. */
#include <stdio.h>
#include <string.h>

#include "coding/bch_code.h"
#include "coding/coding.h"

enum { WINDOW = 256 }; /* all words of the codes that some tens of classes take */

enum { LENGTH, DIMENSION };

static const sri_param params[] = {
    {.name = "length", .value = 63, .least = 1, .whole = true},
    {.name = "k", .value = 0, .least = 0, .whole = true}, /* the dimension; 0: the smallest */
};

/* The code for so many classes; false: it has fewer words, or there is none. */
static bool find_code(const sri_coding_spec *spec, int64_t n_classes, sri_bch *out)
{
    const int length = (int)spec->param[LENGTH], k = (int)spec->param[DIMENSION];
    if (!k)
        return sri_bch_make(length, n_classes, out);
    return sri_bch_of_dimension(length, k, out) && (k >= 62 || n_classes <= INT64_C(1) << k);
}

static specreg_status unknown_dimension(specreg_context *ctx, int length, double k)
{
    char known[128] = "";
    sri_bch code = {.dimension = 0};
    while (sri_bch_at_least(length, code.dimension + 1, &code))
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%d", *known ? " " : "",
                 code.dimension);
    return sri_fail(ctx, SPECREG_E_ARG,
                    "coding: bch:%d has no code of dimension k = %g (known: %s)", length, k, known);
}

static specreg_status bch_check(specreg_context *ctx, const sri_coding_spec *spec)
{
    sri_bch code;
    const double length = spec->param[LENGTH], k = spec->param[DIMENSION];
    if (length > SRI_BCH_LONGEST || !sri_bch_make((int)length, 1, &code))
        return sri_fail(ctx, SPECREG_E_ARG,
                        "coding: bch: the length must be 15, 31, 63 or 127, not %g", length);
    if (k > 0 && (k > length || !sri_bch_of_dimension((int)length, (int)k, &code)))
        return unknown_dimension(ctx, (int)length, k);
    return SPECREG_OK;
}

static int64_t bch_width(const sri_coding_spec *spec, int64_t n_classes)
{
    (void)n_classes;
    return (int64_t)spec->param[LENGTH];
}

/* Where the choice stands after some words. */
typedef struct choice {
    int length;
    bool two; /* classes: their words should be opposite */
    int64_t words;
    int64_t ones[SRI_BCH_LONGEST]; /* of each column                                            */
    int group[SRI_BCH_LONGEST];    /* columns that agree in all words have the same number; since
                                      the first word is 0, none is another's negative */
    int groups;
    const double *word; /* those taken: words x length, -1 and 1 */
} choice;

typedef struct cost {
    bool opposite; /* all bits are those of a word that was taken, turned round */
    double constant, same, unbalanced;
} cost;

/* Classes with opposite words have opposite scores, whatever the outputs are: where one of them
 * is in doubt, so is the other, and a third one wins. */
static bool is_opposite(const choice *s, const uint8_t *bit)
{
    for (int64_t c = 0; c < s->words; c++) {
        int differ = 0;
        while (differ < s->length && (s->word[c * s->length + differ] > 0) != bit[differ])
            differ++;
        if (differ == s->length)
            return true;
    }
    return false;
}

static cost cost_of(const choice *s, const uint8_t *bit)
{
    int size[2 * SRI_BCH_LONGEST] = {0};
    cost c = {.opposite = !s->two && is_opposite(s, bit)};
    for (int t = 0; t < s->length; t++) {
        const int64_t ones = s->ones[t] + bit[t];
        const double sum = (double)(2 * ones - (s->words + 1));
        c.constant += ones == 0;
        c.unbalanced += sum * sum;
        size[2 * s->group[t] + bit[t]]++;
    }
    for (int g = 0; g < 2 * s->groups; g++)
        c.same += (double)size[g] * size[g];
    return c;
}

static bool is_better(const cost *a, const cost *b, bool last)
{
    if (a->opposite != b->opposite)
        return !a->opposite;
    if (last && a->constant != b->constant)
        return a->constant < b->constant;
    return a->same != b->same ? a->same < b->same : a->unbalanced < b->unbalanced;
}

static void take_word(choice *s, const uint8_t *bit)
{
    int number[2 * SRI_BCH_LONGEST];
    memset(number, -1, sizeof number);
    s->groups = 0;
    for (int t = 0; t < s->length; t++) {
        int *n = &number[2 * s->group[t] + bit[t]];
        if (*n < 0)
            *n = s->groups++;
        s->group[t] = *n;
        s->ones[t] += bit[t];
    }
    s->words++;
}

/* The words that may be taken next. */
typedef struct window {
    uint8_t bit[WINDOW][SRI_BCH_LONGEST];
    int open;      /* how many of them              */
    uint64_t next; /* number of the one that enters */
} window;

/* The first messages are small, and their words end with zeros.  Times an odd number modulo 2^k
 * they are all messages in another order. */
static void window_fill(const sri_bch *code, window *w)
{
    const uint64_t mask = UINT64_MAX >> (64 - (code->dimension < 64 ? code->dimension : 64));
    for (; w->open < WINDOW && w->next <= mask; w->next++)
        sri_bch_word(code, w->next * UINT64_C(0x9E3779B97F4A7C15) & mask, w->bit[w->open++]);
}

static void window_drop(window *w, int which)
{
    w->open--;
    memmove(w->bit[which], w->bit[which + 1], (size_t)(w->open - which) * sizeof *w->bit);
}

static int best_word(const choice *s, const window *w, bool last)
{
    int best = 0;
    cost least = cost_of(s, w->bit[0]);
    for (int i = 1; i < w->open; i++) {
        const cost one = cost_of(s, w->bit[i]);
        if (is_better(&one, &least, last)) {
            best = i;
            least = one;
        }
    }
    return best;
}

static specreg_status bch_fill(specreg_context *ctx, const sri_coding *self, double *word)
{
    const int length = (int)self->width;
    const int64_t k = self->n_classes;
    choice s = {.length = length, .two = k == 2, .groups = 1, .word = word};
    window w = {.open = 0};
    sri_bch code;
    if (!find_code(&self->spec, k, &code))
        return sri_fail(ctx, SPECREG_E_ARG,
                        "coding: bch:%d%s has fewer words than the %lld classes: take a %s one",
                        length, self->spec.param[DIMENSION] > 0 ? " with this k" : "", (long long)k,
                        self->spec.param[DIMENSION] > 0 ? "larger" : "longer");
    for (int64_t c = 0; c < k; c++) {
        window_fill(&code, &w);
        const int which = c == 0 ? 0 : best_word(&s, &w, c == k - 1);
        take_word(&s, w.bit[which]);
        for (int t = 0; t < length; t++)
            word[c * length + t] = w.bit[which][t] ? 1 : -1;
        window_drop(&w, which);
    }
    return SPECREG_OK;
}

static int bch_describe(const sri_coding *self, sri_coding_fact *facts)
{
    sri_bch code;
    if (!find_code(&self->spec, self->n_classes, &code))
        return 0;
    facts[0] = (sri_coding_fact){"dimension", code.dimension};
    facts[1] = (sri_coding_fact){"distance", 2 * code.corrects + 1};
    return 2;
}

const sri_coding_ops sri_coding_bch = {
    .name = "bch",
    .params = params,
    .n_params = 2,
    .signs = true,
    .check = bch_check,
    .width = bch_width,
    .fill = bch_fill,
    .describe = bch_describe,
};
