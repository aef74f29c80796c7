/* One against one with fewer centres than rows: each output is the dense solution of its classes'
 * rows, in long double; scores by folds and by leaving rows out are those of refits, decoded here;
 * with every row a centre each filter gives the predictions of the exact fit, for words with zeros
 * too. */
#include "numeric/approx_problem.h"

enum { CLASSES = 3, PAIRS = 3 };
static const int WORD[CLASSES][PAIRS] = {{1, 1, 0}, {-1, 0, 1}, {0, -1, -1}};

typedef struct classes {
    problem p;
    int class[N];
    const char *label[N];
} classes;

static classes make_classes(bool weighted, bool constant)
{
    static const char *const names[CLASSES] = {"a", "b", "c"};
    classes d = {.p = make_problem(weighted, constant)};
    for (int i = 0; i < N; i++) {
        d.class[i] = i % CLASSES;
        d.label[i] = names[d.class[i]];
        d.p.x[i * P] += 1.2 * cos(2.1 * d.class[i]);
        d.p.x[i * P + 1] += 1.2 * sin(2.1 * d.class[i]);
    }
    return d;
}

static specreg_model *fit_classes(specreg_context *ctx, const classes *d, const char *const *pair)
{
    const specreg_view X = {d->p.x, N, P, P};
    const specreg_data data = {sizeof data, .X = &X, .labels = d->label, .weights = d->p.w};
    specreg_options *o = options_of(ctx, &d->p, pair);
    specreg_model *model = NULL;
    CHECK_OK(ctx, specreg_fit_data(ctx, &data, o, &model));
    specreg_options_free(o);
    return model;
}

/* The minimiser of output t over those rows of its classes for which in[i].  The helper has T equal
 * targets. */
static void train(const classes *d, const specreg_view *z, int t, const bool *in, real mass,
                  real *c)
{
    problem own = d->p;
    bool trains[N];
    own.y = malloc(sizeof *own.y * N * T);
    for (int i = 0; i < N; i++) {
        trains[i] = in[i] && WORD[d->class[i]][t] != 0;
        for (int k = 0; k < T; k++)
            own.y[i * T + k] = WORD[d->class[i]][t];
    }
    minimise(&own, z->data, (int)z->rows, trains, mass, c);
    free(own.y);
}

/* The weight of all rows of output t's classes. */
static real mass_of(const classes *d, int t)
{
    real mass = 0;
    for (int i = 0; i < N; i++)
        mass += WORD[d->class[i]][t] ? (d->p.w ? d->p.w[i] : 1) : 0;
    return mass;
}

/* The error rate or the squared error, which is a mean over the outputs that a row trains, of
 * held-out outputs F (N x PAIRS). */
static double judge(const classes *d, bool by_label, const real *F)
{
    real sum = 0, mass = 0;
    for (int i = 0; i < N; i++) {
        const real w = d->p.w ? d->p.w[i] : 1, *f = F + i * PAIRS;
        real score[CLASSES] = {0}, square = 0;
        int best = 0;
        for (int t = 0; t < PAIRS; t++) {
            const int y = WORD[d->class[i]][t];
            square += y ? (y - f[t]) * (y - f[t]) / (CLASSES - 1) : 0;
            for (int c = 0; c < CLASSES; c++)
                score[c] += WORD[c][t] * f[t];
        }
        for (int c = 1; c < CLASSES; c++)
            best = score[c] > score[best] ? c : best;
        sum += w * (by_label ? best != d->class[i] : square);
        mass += w;
    }
    return (double)(sum / mass);
}

/* Outputs of every row by fits without its fold (folds N: without itself, mu as with it). */
static void hold_out(const classes *d, const specreg_view *z, const int *fold, int folds, real *F)
{
    for (int f = 0; f < folds; f++)
        for (int t = 0; t < PAIRS; t++) {
            bool in[N];
            real c[MOST * T];
            const bool alone = folds == N && WORD[d->class[f]][t];
            for (int i = 0; i < N; i++)
                in[i] = fold[i] != f;
            train(d, z, t, in, alone ? mass_of(d, t) : 0, c);
            for (int i = 0; i < N; i++)
                if (fold[i] == f)
                    F[i * PAIRS + t] = predict(&d->p, z->data, (int)z->rows, c, d->p.x + i * P, 0);
        }
}

TEST(approx_codings, outputs_are_those_of_the_definition_on_the_rows_of_their_classes)
{
    static const char *const pair[] = {"approx", "rectangle:m=12", "select",
                                       "none",   "coding",         "ovo",
                                       NULL};
    for (int which = 0; which < 4; which++) {
        classes d = make_classes(which & 1, which & 2);
        specreg_model *model = fit_classes(ctx, &d, pair);
        const specreg_view z = centres_of(ctx, model);
        specreg_view a;
        double worst = 0;
        bool all[N];
        memset(all, 1, sizeof all);
        CHECK_OK(ctx, specreg_model_array(ctx, model, "coefficients", &a));
        CHECK_EQ(a.cols, PAIRS);
        for (int t = 0; t < PAIRS; t++) {
            real c[MOST * T];
            train(&d, &z, t, all, 0, c);
            for (int i = 0; i < N; i++) {
                real f = 0, g = 0;
                for (int j = 0; j < z.rows; j++) {
                    const real k = kernel(d.p.x + i * P, z.data + j * P);
                    f += k * a.data[j * a.ld + t];
                    g += k * c[j * T];
                }
                worst = fmax(worst, fabs((double)(f - g)));
            }
        }
        CHECK_WORST("one against one", worst, kit_tolerance(N, 1e2));
        specreg_model_free(model);
        problem_free(&d.p);
    }
}

static void check_scores(specreg_context *ctx, const classes *d, const char *rule, int folds,
                         const int *fold)
{
    static const char *const criterion[] = {"mse", "error_rate"};
    for (int by_label = 0; by_label < 2; by_label++) {
        const char *const pair[] = {"approx",    "rectangle:m=12",    "select", rule,  "seed", "7",
                                    "criterion", criterion[by_label], "coding", "ovo", NULL};
        specreg_model *model = fit_classes(ctx, d, pair);
        const specreg_view z = centres_of(ctx, model);
        real F[N * PAIRS];
        hold_out(d, &z, fold, folds, F);
        const double expected = judge(d, by_label, F);
        CHECK(expected > 0.05);
        CHECK_WORST(rule, fabs(number(ctx, model, "selection.value") - expected) / expected,
                    kit_tolerance(N, 1e1));
        specreg_model_free(model);
    }
}

TEST(approx_codings, scores_by_folds_and_by_leaving_rows_out_are_those_of_refits)
{
    for (int which = 0; which < 4; which++) {
        classes d = make_classes(which & 1, which & 2);
        int fold[N];
        for (int i = 0; i < N; i++)
            fold[i] = i;
        check_scores(ctx, &d, "loo", N, fold);
        for (int i = 0; i < N; i++)
            fold[i] = (int)(sri_hash(d.p.x + i * P, P * sizeof *d.p.x, 7) % FOLDS);
        check_scores(ctx, &d, "kfold:k=4", FOLDS, fold);
        problem_free(&d.p);
    }
}

/* Predictions of a model of every row as a centre are those of an exact one. */
static void check_exact(specreg_context *ctx, const classes *d, const char *kind,
                        const char *coding, const char *filter, const char *param)
{
    const char *const pair[] = {"approx", kind,   "select", "none", "coding", coding,
                                "filter", filter, "param",  param,  NULL};
    const char *const same[] = {"approx", "exact", "select", "none", "coding", coding,
                                "filter", filter,  "param",  param,  NULL};
    specreg_model *few = fit_classes(ctx, d, pair), *exact = fit_classes(ctx, d, same);
    double *x = kit_normal(9, NEW, P), F[NEW * CLASSES], G[NEW * CLASSES], worst = 0;
    const specreg_view X = {x, NEW, P, P};
    CHECK_OK(ctx, specreg_predict_array(ctx, few, &X, NULL, F, NEW * CLASSES));
    CHECK_OK(ctx, specreg_predict_array(ctx, exact, &X, NULL, G, NEW * CLASSES));
    for (int i = 0; i < NEW * CLASSES; i++)
        worst = fmax(worst, fabs(F[i] - G[i]));
    CHECK_WORST(filter, worst, kit_tolerance(N, 1e6));
    free(x);
    specreg_model_free(exact);
    specreg_model_free(few);
}

TEST(approx_codings, with_every_row_a_centre_each_filter_is_the_exact_one)
{
    static const char *const filter[][2] = {
        {"tikhonov", "lambda=1e-3"},
        {"iterated", "lambda=1e-2"},
        {"landweber:step=1", "t=40"},
        {"nu:nu=1,step=1", "t=12"},
        {"nesterov", "t=12"},
        {"heavyball", "t=12"},
        {"chebyshev", "t=12"},
        {"tsvd", "lambda=1e-2"},
        {"tsvd", "components=9"},
        {"showalter", "lambda=1e-2"},
        {"cg", "t=6"},
    };
    static const char *const coding[] = {"ovo", "random:zeros=0.4,columns=9"};
    classes d = make_classes(true, true);
    for (size_t k = 0; k < sizeof filter / sizeof *filter; k++)
        for (int c = 0; c < 2; c++) {
            check_exact(ctx, &d, "rectangle:m=150", coding[c], filter[k][0], filter[k][1]);
            check_exact(ctx, &d, "nystrom:m=150", coding[c], filter[k][0], filter[k][1]);
        }
    problem_free(&d.p);
}

TEST(approx_codings, conjugate_gradients_say_what_to_take_instead)
{
    static const char *const pair[] = {"approx", "rectangle:m=12,solver=cg",
                                       "select", "none",
                                       "coding", "ovo",
                                       NULL};
    classes d = make_classes(false, true);
    const specreg_view X = {d.p.x, N, P, P};
    const specreg_data data = {sizeof data, .X = &X, .labels = d.label};
    specreg_options *o = options_of(ctx, &d.p, pair);
    specreg_model *model = NULL;
    CHECK_FAILS(ctx, specreg_fit_data(ctx, &data, o, &model), SPECREG_E_ARG, "take solver=sums");
    specreg_options_free(o);
    problem_free(&d.p);
}
