/* Every measure of the table keeps the same promises, on every problem it can be computed for. */
#include <math.h>

#include "kit/kit.h"

#include "measure/losses.h"

enum { N = 30, MOST = 3 * N, KINDS = 5 };
static const char *const KIND[KINDS] = {"one output", "three outputs", "a field", "two classes",
                                        "three classes"};

/* Targets, predictions with some noise, and weights 1, 2 and 3. */
typedef struct problem {
    int64_t T, classes;
    sri_coding *coding;
    int32_t class[N];
    double Y[3 * N], F[3 * N], w[N];
} problem;

static problem make_problem(specreg_context *ctx, int kind, double noise, uint64_t seed)
{
    problem d = {.classes = kind < 3 ? 0 : kind - 1, .T = (const int[]){1, 3, 2, 1, 3}[kind]};
    double *u = kit_normal(17, N, 3), *e = kit_normal(seed, N, 3);
    if (d.classes) {
        sri_coding_spec spec;
        CHECK_OK(ctx, sri_coding_parse(ctx, "ova", &spec));
        CHECK_OK(ctx, sri_coding_new(ctx, &spec, d.classes, &d.coding));
        for (int i = 0; i < N; i++)
            d.class[i] = (int32_t)(i < 6 ? i % d.classes : i % 5 % d.classes);
        sri_encode(d.coding, d.class, N, d.Y);
    } else {
        memcpy(d.Y, u, (size_t)(N * d.T) * sizeof *d.Y);
    }
    for (int64_t k = 0; k < N * d.T; k++)
        d.F[k] = d.Y[k] + noise * e[k];
    for (int i = 0; i < N; i++)
        d.w[i] = 1 + i * 7 % 3;
    free(e);
    free(u);
    return d;
}

static bool applies(const sri_measure *m, const problem *d)
{
    return !m->uses || d->classes;
}

/* exp(4 s_c) / sum of the same; of a perfect prediction 1 and 0. */
static void set_probabilities(sri_comparison *p, bool perfect)
{
    const int64_t k = p->n_classes;
    p->probability = malloc((size_t)(p->n * k) * sizeof *p->probability);
    for (int64_t i = 0; i < p->n; i++) {
        double sum = 0;
        for (int64_t c = 0; c < k; c++)
            sum += exp(4 * p->scores[i * k + c]);
        for (int64_t c = 0; c < k; c++)
            p->probability[i * k + c] =
                perfect ? c == sri_row_class(p, i) : exp(4 * p->scores[i * k + c]) / sum;
    }
}

/* The listed rows (NULL: all) with all that measures use; weighted or each once. */
static sri_comparison compare(specreg_context *ctx, const problem *d, const int64_t *rows,
                              int64_t n, bool weighted)
{
    const sri_truth truth = {d->Y, d->classes ? d->class : NULL, weighted ? d->w : NULL};
    sri_comparison p = sri_compare(d->F, truth, n, d->T, d->coding);
    p.rows = rows;
    if (d->classes) {
        CHECK_OK(ctx, sri_comparison_decode(ctx, SRI_USES_LABELS | SRI_USES_SCORES, &p));
        set_probabilities(&p, memcmp(d->F, d->Y, (size_t)(N * d->T) * sizeof *d->F) == 0);
    }
    return p;
}

static double reported(specreg_context *ctx, const sri_measure *m, const sri_comparison *p)
{
    double value;
    CHECK_OK(ctx, sri_measure_report(ctx, m, p, &value));
    return value;
}

/* The losses that a choice of parameters goes by; classes have the same total weight where the
 * measure asks for it. */
static sri_losses losses_of(specreg_context *ctx, const sri_measure *m, sri_comparison *p)
{
    double cost[3] = {0};
    sri_losses losses = {0};
    for (int64_t i = 0; i < p->n && m->balances_classes; i++)
        cost[sri_row_class(p, i)] += sri_row_weight(p, i);
    for (int c = 0; c < 3; c++)
        cost[c] = 1 / cost[c];
    p->class_cost = m->balances_classes ? cost : NULL;
    CHECK_OK(ctx, sri_measure_add(ctx, m, p, &losses));
    p->class_cost = NULL;
    return losses;
}

static double sign(const sri_measure *m)
{
    return m->info.larger_is_better ? -1 : 1;
}

static double chosen_by(specreg_context *ctx, const sri_measure *m, sri_comparison *p)
{
    const sri_losses losses = losses_of(ctx, m, p);
    return sign(m) * sri_measure_score(m, &losses).value;
}

/* Runs a claim for each measure and each problem that it applies to. */
static void for_each(specreg_context *ctx, void (*claim)(specreg_context *ctx, const sri_measure *m,
                                                         const problem *d, int kind))
{
    for (int i = 0; i < SRI_MEASURES; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            problem d = make_problem(ctx, kind, 1.2, 23);
            if (applies(sri_measure_at(i), &d)) {
                print_message("  %s, %s\n", sri_measure_at(i)->info.name, KIND[kind]);
                claim(ctx, sri_measure_at(i), &d, kind);
            }
            sri_coding_free(d.coding);
        }
}

static const double TOLERANCE = 1e-12; /* sums of at most 90 terms of size 1 to 10 */

/* ------------------------------------------------------------------ claims */

static void weights_repeat(specreg_context *ctx, const sri_measure *m, const problem *d, int kind)
{
    (void)kind;
    int64_t rows[MOST], n = 0;
    for (int64_t i = 0; i < N; i++)
        for (int times = 0; times < d->w[i]; times++)
            rows[n++] = i;
    sri_comparison a = compare(ctx, d, NULL, N, true), b = compare(ctx, d, rows, n, false);
    CHECK_NEAR(reported(ctx, m, &a), reported(ctx, m, &b), TOLERANCE);
    CHECK_NEAR(chosen_by(ctx, m, &a), chosen_by(ctx, m, &b), TOLERANCE);
    sri_comparison_free(&b);
    sri_comparison_free(&a);
}

TEST(measures, a_weight_is_a_row_that_comes_so_often)
{
    for_each(ctx, weights_repeat);
}

static void order(specreg_context *ctx, const sri_measure *m, const problem *d, int kind)
{
    (void)kind;
    int64_t rows[N];
    for (int64_t i = 0; i < N; i++)
        rows[i] = i * 7 % N;
    sri_comparison a = compare(ctx, d, NULL, N, true), b = compare(ctx, d, rows, N, true);
    CHECK_NEAR(reported(ctx, m, &a), reported(ctx, m, &b), TOLERANCE);
    CHECK_NEAR(chosen_by(ctx, m, &a), chosen_by(ctx, m, &b), TOLERANCE);
    sri_comparison_free(&b);
    sri_comparison_free(&a);
}

TEST(measures, the_order_of_the_rows_does_not_matter)
{
    for_each(ctx, order);
}

static void one_fold(specreg_context *ctx, const sri_measure *m, const problem *d, int kind)
{
    (void)kind;
    sri_comparison p = compare(ctx, d, NULL, N, true);
    const sri_losses losses = losses_of(ctx, m, &p);
    const sri_score pooled = sri_measure_pool(m, &losses, 1, 1);
    CHECK_SAME(pooled.value, sri_measure_score(m, &losses).value);
    CHECK_NEAR(sign(m) * pooled.value, reported(ctx, m, &p), TOLERANCE);
    CHECK(m->losses ? pooled.stderr_ > 0 : isnan(pooled.stderr_));
    sri_comparison_free(&p);
}

TEST(measures, one_fold_has_the_value_of_a_report_of_its_rows)
{
    for_each(ctx, one_fold);
}

/* Losses of rows are averaged over all rows, values of folds over the folds; the spread of the
 * folds' own values is the standard error in both cases. */
static void folds(specreg_context *ctx, const sri_measure *m, const problem *d, int kind)
{
    (void)kind;
    enum { FOLDS = 3 };
    sri_losses losses[2 * FOLDS]; /* every second one */
    double sum = 0, sum2 = 0;
    if (m->balances_classes) /* the weight of a class is over all folds: tests/numeric has those */
        return;
    for (int f = 0; f < FOLDS; f++) {
        int64_t rows[N / FOLDS];
        for (int64_t i = 0; i < N / FOLDS; i++)
            rows[i] = f * (N / FOLDS) + i;
        sri_comparison p = compare(ctx, d, rows, N / FOLDS, true);
        losses[2 * f] = losses_of(ctx, m, &p);
        const double v = chosen_by(ctx, m, &p);
        sum += v;
        sum2 += v * v;
        sri_comparison_free(&p);
    }
    const sri_score pooled = sri_measure_pool(m, losses, 2, FOLDS);
    sri_comparison all = compare(ctx, d, NULL, N, true);
    CHECK_NEAR(sign(m) * pooled.value, m->losses ? chosen_by(ctx, m, &all) : sum / FOLDS,
               TOLERANCE);
    CHECK_NEAR(pooled.stderr_, sqrt((sum2 - sum * sum / FOLDS) / (FOLDS - 1) / FOLDS), 1e-7);
    sri_comparison_free(&all);
}

TEST(measures, folds_are_pooled_with_the_spread_of_their_values)
{
    for_each(ctx, folds);
}

static void perfect(specreg_context *ctx, const sri_measure *m, const problem *d, int kind)
{
    problem same = *d;
    memcpy(same.F, d->Y, sizeof same.F);
    sri_comparison right = compare(ctx, &same, NULL, N, true);
    const double best[] = {sign(m) * reported(ctx, m, &right), sign(m) * chosen_by(ctx, m, &right)};
    for (uint64_t seed = 1; seed < 8; seed++) {
        problem off = make_problem(ctx, kind, seed, 40 + seed);
        sri_comparison wrong = compare(ctx, &off, NULL, N, true);
        CHECK(best[0] < sign(m) * reported(ctx, m, &wrong));
        CHECK(best[1] < sign(m) * chosen_by(ctx, m, &wrong));
        sri_comparison_free(&wrong);
        sri_coding_free(off.coding);
    }
    sri_comparison_free(&right);
}

TEST(measures, a_perfect_prediction_is_the_best)
{
    for_each(ctx, perfect);
}

static void not_a_number(specreg_context *ctx, const sri_measure *m, const problem *d, int kind)
{
    (void)kind;
    problem gap = *d;
    gap.F[4] = NAN;
    sri_comparison p = compare(ctx, &gap, NULL, N, true);
    CHECK(isnan(chosen_by(ctx, m, &p)));
    sri_comparison_free(&p);
}

TEST(measures, a_prediction_that_is_not_a_number_is_never_chosen)
{
    for_each(ctx, not_a_number);
}

/* ------------------------------------------------------------------ the table */

TEST(measures, the_table_is_complete)
{
    CHECK(!sri_measure_at(SRI_MEASURES));
    CHECK(!specreg_measure_at(SRI_MEASURES));
    CHECK(!specreg_measure_at(-1));
    for (int i = 0; i < SRI_MEASURES; i++) {
        const sri_measure *m = sri_measure_at(i);
        CHECK(specreg_measure_at(i) == &m->info);
        CHECK(*m->info.name && *m->info.title && m->info.unit);
        CHECK(!m->losses != !m->value); /* one of the two */
        CHECK(m->suits && m->reports & SRI_IN_TEST);
        CHECK(!m->losses || !m->info.larger_is_better);
        CHECK_STR(specreg_criterion_title(m->info.name), m->info.title);
        for (int k = 0; k < i; k++)
            CHECK(strcmp(m->info.name, sri_measure_at(k)->info.name) != 0);
    }
}

/* What --criterion takes is what its help names. */
TEST(measures, criteria_are_those_of_the_help)
{
    const specreg_option_info *option;
    const sri_measure *found;
    for (int i = 0; (option = specreg_option_at(i)) && strcmp(option->name, "criterion") != 0;)
        i++;
    for (int i = 0; i < SRI_MEASURES; i++) {
        const char *name = sri_measure_at(i)->info.name;
        if (strstr(option->help, name)) {
            CHECK_OK(ctx, sri_criterion_parse(ctx, name, &found));
            CHECK(found == sri_measure_at(i));
        } else {
            CHECK_FAILS(ctx, sri_criterion_parse(ctx, name, &found), SPECREG_E_ARG, name);
        }
    }
    CHECK_OK(ctx, sri_criterion_parse(ctx, "auto", &found));
    CHECK(!found);
    CHECK_FAILS(ctx, sri_criterion_parse(ctx, "err_rate", &found), SPECREG_E_ARG,
                "unknown criterion 'err_rate' (did you mean 'error_rate'? known: auto error_rate "
                "balanced_error ");
}

TEST(measures, rules_and_their_own_criteria_have_words_for_people)
{
    CHECK_STR(specreg_rule_title("loo"), "leave-one-out");
    CHECK_STR(specreg_rule_title("kfold"), "k-fold cross-validation");
    CHECK_STR(specreg_criterion_title("bound"), "count");
    CHECK(!specreg_rule_title("none") && !specreg_rule_title("lo") && !specreg_rule_title(""));
    CHECK(!specreg_criterion_title("gcv") && !specreg_criterion_title("nothing"));
}
