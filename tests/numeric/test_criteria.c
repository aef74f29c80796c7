/* What a choice makes small (--criterion): the value of every point and the winner, recomputed from
 * what refits say of rows they have not seen.  With weights and without. */
#include "numeric/weighted.h"

typedef enum criterion { ERROR_RATE, BALANCED, AUC, MSE, MAE, CRITERIA } criterion;
static const char *const NAMES[] = {"error_rate", "balanced_error", "auc", "mse", "mae"};

/* ------------------------------------------------------------------ by their definitions */

/* The share of pairs (a row of class c, another row) with the larger score at the first, by the
 * products of their weights; equal scores count half.  NaN without such pairs. */
static double area(const weighted *d, const double *F, const int64_t *rows, int64_t m, int64_t c)
{
    double right = 0, all = 0;
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b < m; b++) {
            const int64_t i = rows[a], j = rows[b], t = d->classes == 2 ? 0 : c;
            if (d->class[i] != c || d->class[j] == c)
                continue;
            const double x = F[i * d->T + t], y = F[j * d->T + t];
            right += d->w[i] * d->w[j] * (x > y ? 1 : x == y ? 0.5 : 0);
            all += d->w[i] * d->w[j];
        }
    return all > 0 ? right / all : NAN;
}

/* Class 1 against class 0; of three classes the mean of each against the others. */
static double mean_area(const weighted *d, const double *F, const int64_t *rows, int64_t m)
{
    double sum = 0;
    if (d->classes == 2)
        return area(d, F, rows, m, 1);
    for (int64_t c = 0; c < d->classes; c++)
        sum += area(d, F, rows, m, c) / (double)d->classes;
    return sum;
}

/* The mean over rows, by weight times `cost` of the class (NULL: 1), of one of: wrong class,
 * squared error, absolute error. */
static double mean_loss(const weighted *d, const double *F, const int64_t *rows, int64_t m,
                        criterion what, const double *cost, double *margin)
{
    double sum = 0, all = 0;
    for (int64_t k = 0; k < m; k++) {
        const int64_t i = rows[k];
        const double v = d->w[i] * (cost ? cost[d->class[i]] : 1);
        double loss = 0;
        for (int64_t t = 0; t < d->T && what != ERROR_RATE; t++) {
            const double e = F[i * d->T + t] - d->Y[i * d->T + t];
            loss += (what == MSE ? e * e : fabs(e)) / (double)d->T;
        }
        if (what == ERROR_RATE)
            loss = weighted_decoded(d, F + i * d->T, margin) != d->class[i];
        sum += v * loss;
        all += v;
    }
    return sum / all;
}

typedef struct answer {
    double value, tie, error; /* error: over the folds, where there are several */
    double margin;            /* of the nearest decision                        */
} answer;

/* Predictions F of the rows that the splits validate on. */
static answer judge(const weighted *d, const double *F, const sri_splits *s, criterion what)
{
    answer a = {.margin = INFINITY};
    int64_t rows[256], m = 0;
    double mass[3] = {0}, cost[3], sum = 0, sum2 = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const sri_split *part = &s->split[k];
        memcpy(rows + m, part->validate, (size_t)part->n_validate * sizeof *rows);
        m += part->n_validate;
    }
    for (int64_t k = 0; k < m; k++)
        mass[d->class[rows[k]]] += d->w[rows[k]];
    for (int c = 0; c < 3; c++)
        cost[c] = mass[c] > 0 ? 1 / mass[c] : 0;
    const criterion loss = what == BALANCED || what == AUC ? ERROR_RATE : what;
    const double *by = what == BALANCED ? cost : NULL;
    for (int64_t k = 0; k < s->count; k++) {
        const sri_split *part = &s->split[k];
        const double v =
            what == AUC ? mean_area(d, F, part->validate, part->n_validate)
                        : mean_loss(d, F, part->validate, part->n_validate, loss, by, &a.margin);
        sum += v;
        sum2 += v * v;
    }
    const double k = (double)s->count;
    a.value = what == AUC ? sum / k : mean_loss(d, F, rows, m, loss, by, &a.margin);
    a.tie = mean_loss(d, F, rows, m, MSE, by, &a.margin);
    a.error = s->count > 1 ? sqrt(fmax(0, sum2 - sum * sum / k) / (k - 1) / k) : NAN;
    return a;
}

static bool better(criterion what, const answer *a, const answer *b)
{
    return what == AUC ? a->value > b->value || (a->value == b->value && a->tie < b->tie)
                       : a->value < b->value || (a->value == b->value && a->tie < b->tie);
}

/* ------------------------------------------------------------------ against the record */

static const double LAMBDAS[] = {1, 0.1, 1e-2, 1e-3};
enum { N_LAMBDAS = 4 };

/* What refits say at each lambda, and the splits they are from. */
typedef struct held_out {
    sri_splits s;
    double *F[N_LAMBDAS];
} held_out;

static held_out hold_out(specreg_context *ctx, const weighted *d, const char *rule)
{
    held_out h = {0};
    if (strcmp(rule, "loo") == 0) { /* one part: all rows */
        h.s.split = calloc(1, sizeof *h.s.split);
        h.s.count = 1;
        h.s.split->validate = malloc((size_t)d->n * sizeof(int64_t));
        for (int64_t i = 0; i < d->n; i++)
            h.s.split->validate[i] = i;
        h.s.split->n_validate = d->n;
    } else if (strncmp(rule, "kfold", 5) == 0) {
        h.s = weighted_folds(ctx, d, 4, 3);
    } else {
        const sri_strata strata = {.n = d->n,
                                   .classes = d->classes ? d->class : NULL,
                                   .n_classes = d->classes,
                                   .seed = 3};
        CHECK_OK(ctx, sri_splits_holdout(ctx, &strata, 0.4, &h.s));
    }
    for (int j = 0; j < N_LAMBDAS; j++)
        h.F[j] = strcmp(rule, "loo") == 0 ? held_out_loo(d, LAMBDAS[j])
                                          : held_out_folds(d, train_tikhonov, LAMBDAS[j], &h.s);
    return h;
}

static void held_out_free(held_out *h)
{
    for (int j = 0; j < N_LAMBDAS; j++)
        free(h->F[j]);
    sri_splits_free(&h->s);
}

static void check_record(const weighted *d, const json_t *record, const held_out *h, criterion what)
{
    int best = 0;
    answer a[N_LAMBDAS];
    CHECK_STR(text_at(record, "selection.criterion"), NAMES[what]);
    CHECK_EQ(json_array_size(at(record, "selection.table")), N_LAMBDAS);
    for (int j = 0; j < N_LAMBDAS; j++) {
        const json_t *row = json_array_get(at(record, "selection.table"), (size_t)j);
        const double tol = kit_tolerance(2 * d->n, 1 + 1 / LAMBDAS[j]);
        a[j] = judge(d, h->F[j], &h->s, what);
        CHECK(a[j].margin > 10 * tol);
        CHECK_WORST(NAMES[what], fabs(number_at(row, "value") - a[j].value),
                    what < MSE ? 1e-14 : 4 * tol * fmax(1, a[j].value));
        if (h->s.count > 1)
            CHECK_NEAR(number_at(row, "stderr"), a[j].error, 1e-7);
        else if (what == AUC)
            CHECK(isnan(number_at(row, "stderr"))); /* none is known of one part */
        if (better(what, &a[j], &a[best]))
            best = j;
    }
    CHECK_SAME(number_at(record, "filter.lambda"), LAMBDAS[best]);
    CHECK_NEAR(number_at(record, "selection.value"), a[best].value, 1e-9);
}

TEST(criteria, values_and_winners_are_those_of_held_out_predictions)
{
    static const char *const rules[][2] = {{"loo", "eig"},
                                           {"kfold:k=4", "eig"},
                                           {"kfold:k=4", "cholesky"},
                                           {"holdout:fraction=0.4", "auto"}};
    for (int kind = 0; kind < 4; kind++)
        for (int plain = 0; plain < 2; plain++) {
            weighted d = weighted_problem(ctx, kind, 40);
            for (int64_t i = 0; i < d.n && plain; i++)
                d.w[i] = 1;
            for (int r = 0; r < 4; r++) {
                held_out h = hold_out(ctx, &d, rules[r][0]);
                for (criterion what = kind > 1 ? ERROR_RATE : MSE; what < CRITERIA; what++) {
                    print_message("  %s, %s, %s%s\n", KIND[kind], rules[r][0], NAMES[what],
                                  plain ? "" : ", weights");
                    specreg_options *o = options_of(ctx, WEIGHTED, "target", TARGETS[kind], "param",
                                                    "lambda={1,0.1,1e-2,1e-3}", "seed", "3",
                                                    "select", rules[r][0], "engine", rules[r][1],
                                                    "criterion", NAMES[what], "weights", "w", NULL);
                    specreg_table *ones = weighted_table(ctx, &d, "ones.csv", NULL, d.n, false, 1);
                    specreg_model *m = fitted(ctx, plain ? ones : d.table, o);
                    json_t *record = record_of(ctx, m);
                    check_record(&d, record, &h, what);
                    json_decref(record);
                    specreg_model_free(m);
                    specreg_table_free(ones);
                    specreg_options_free(o);
                }
                held_out_free(&h);
            }
            weighted_free(&d);
        }
}

/* Few rows of class b among many of class a: by the error rate it pays to forget them. */
TEST(criteria, with_a_rare_class_error_rate_and_balanced_error_choose_differently)
{
    enum { ROWS = 120, SEED = 34 };
    double *u = kit_normal(SEED, ROWS, 3), rate[2], balanced[2];
    FILE *f = fopen(kit_temp("rare.csv"), "w");
    fprintf(f, "x1,x2,y\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(f, "%.17g,%.17g,%c\n", (i % 8 ? 1.2 : 0.7) * u[3 * i],
                (i % 8 ? 1.2 : 0.7) * u[3 * i + 1] + (i % 8 ? 0 : 1.3), i % 8 ? 'a' : 'b');
    fclose(f);
    specreg_table *t = read_table(ctx, kit_temp("rare.csv"));
    json_t *r[2];
    for (int i = 0; i < 2; i++) {
        specreg_options *o =
            options_of(ctx, "kernel", "rbf:sigma=0.7", "param", "lambda=log:1e-5:1:11", "select",
                       "loo", "criterion", NAMES[i], NULL);
        specreg_model *m = fitted(ctx, t, o);
        r[i] = record_of(ctx, m);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    CHECK(number_at(r[0], "filter.lambda") != number_at(r[1], "filter.lambda"));
    /* each is the best by its own measure: read the other's value from the table */
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < 11; j++) {
            const json_t *row = json_array_get(at(r[i], "selection.table"), j);
            for (int k = 0; k < 2; k++)
                if (number_at(row, "lambda") == number_at(r[k], "filter.lambda"))
                    (i ? balanced : rate)[k] = number_at(row, "value");
        }
    CHECK(rate[0] < rate[1]);
    CHECK(balanced[1] < balanced[0]);
    for (int i = 0; i < 2; i++)
        json_decref(r[i]);
    specreg_table_free(t);
    free(u);
}

/* The largest area wins, and 1se takes a smoother one nearly as large. */
TEST(criteria, one_standard_error_below_the_largest_area)
{
    weighted d = weighted_problem(ctx, 2, 60);
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=0.5", "param", "lambda=log:1e-6:1:13", "select",
                   "kfold:k=5", "weights", "w", "criterion", "auc", NULL);
    json_t *min = weighted_record(ctx, &d, o);
    specreg_options_set(ctx, o, "rule", "1se");
    json_t *se = weighted_record(ctx, &d, o);
    const double best = number_at(min, "selection.value"),
                 least = best - number_at(min, "selection.stderr");
    double smoothest = 0;
    for (size_t j = 0; j < 13; j++) {
        const json_t *row = json_array_get(at(min, "selection.table"), j);
        CHECK(number_at(row, "value") <= best && number_at(row, "value") > 0.5);
        if (number_at(row, "value") >= least)
            smoothest = fmax(smoothest, number_at(row, "lambda"));
    }
    CHECK_SAME(number_at(se, "filter.lambda"), smoothest);
    CHECK(smoothest > number_at(min, "filter.lambda"));
    json_decref(se);
    json_decref(min);
    specreg_options_free(o);
    weighted_free(&d);
}

TEST(criteria, what_does_not_go_together_is_said_before_the_work)
{
    static const struct {
        int kind;
        const char *criterion, *select, *text;
    } bad[] = {
        {0, "auc", "loo", "criterion: auc is for classes, this is a regression"},
        {0, "error_rate", "kfold", "criterion: error_rate is for classes"},
        {1, "balanced_error", "holdout", "criterion: balanced_error is for classes"},
        {2, "auc", "gcv", "criterion: selection by gcv does not go by auc"},
        {2, "mse", "bound", "criterion: selection by bound does not go by mse"},
        {0, "mae", "discrepancy", "criterion: selection by discrepancy does not go by mae"},
        {0, "mae", "none", "criterion: selection by none does not go by mae"},
        {2, "roc", "loo", "criterion 'roc'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weighted d = weighted_problem(ctx, bad[i].kind, 20);
        specreg_model *m;
        specreg_options *o =
            options_of(ctx, WEIGHTED, "target", TARGETS[bad[i].kind], "weights", "w", "param",
                       strcmp(bad[i].select, "none") ? "auto" : "lambda=1", "select", bad[i].select,
                       "criterion", bad[i].criterion, NULL);
        CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &m), SPECREG_E_ARG, bad[i].text);
        CHECK(!m);
        specreg_options_free(o);
        weighted_free(&d);
    }
}
