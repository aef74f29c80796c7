/* Shares of topics as features that are not penalised: each claim against the same done in two
 * steps, first the topics, then a model with their shares from a file. */
#include "numeric/models.h"

#define CORPUS SPECREG_SOURCE_DIR "/data/texts/train"
#define NEW SPECREG_SOURCE_DIR "/data/texts/new.txt"
#define WORDS "min-docs=2,words=30"
#define TOPICS "topics=3,sweeps=20"
#define SHARES "plsa:" TOPICS

static specreg_table *read_as(specreg_context *ctx, const char *path, const char *format)
{
    specreg_table *t;
    specreg_options *o = options_of(ctx, "format", format, NULL);
    CHECK_OK(ctx, specreg_table_read(ctx, path, o, &t));
    specreg_options_free(o);
    return t;
}

static specreg_topics *topics_of(specreg_context *ctx, const specreg_table *t, const char *text)
{
    specreg_topics *topics;
    specreg_options *o = options_of(ctx, "plsa", TOPICS, "text", text, NULL);
    CHECK_OK(ctx, specreg_topics_learn(ctx, t, o, &topics));
    specreg_options_free(o);
    return topics;
}

/* Columns topic1.. of what the topics say of a table, to the last bit. */
static void write_shares(specreg_context *ctx, const specreg_topics *topics, const specreg_table *t,
                         const char *path)
{
    specreg_table *shares;
    CHECK_OK(ctx, specreg_topics_apply(ctx, topics, t, NULL, &shares, NULL));
    const int64_t cols = specreg_table_cols(shares), first = cols - 3;
    FILE *f = fopen(path, "w");
    fprintf(f, "topic1,topic2,topic3\n");
    for (int64_t i = 0; i < specreg_table_rows(shares); i++)
        for (int64_t j = first; j < cols; j++)
            fprintf(f, "%.17g%c", specreg_table_number(shares, i, j), j + 1 < cols ? ',' : '\n');
    fclose(f);
    specreg_table_free(shares);
}

/* Training rows and others: documents, or counts in sparse columns. */
typedef struct data {
    specreg_table *train, *later;
    const char *text;
    char file[1100];       /* features: the shares of training as a file */
    specreg_options *with; /* those of the other rows                     */
} data;

static void share_files(specreg_context *ctx, data *d)
{
    specreg_topics *topics = topics_of(ctx, d->train, d->text);
    write_shares(ctx, topics, d->train, kit_temp("train_shares.csv"));
    write_shares(ctx, topics, d->later, kit_temp("later_shares.csv"));
    specreg_topics_free(topics);
    snprintf(d->file, sizeof d->file, "file:%s", kit_temp("train_shares.csv"));
    d->with = options_of(ctx, "features-file", kit_temp("later_shares.csv"), NULL);
}

static data documents(specreg_context *ctx)
{
    data d = {.train = read_table(ctx, CORPUS), .later = read_as(ctx, NEW, "text"), .text = WORDS};
    share_files(ctx, &d);
    return d;
}

/* Words 1 to 4 are more common in rows with y = 1, 5 to 8 in the others; a row has up to 8
 * words. */
static void write_counts(const char *path, int rows, unsigned seed)
{
    double *u = kit_normal(seed, rows, 9);
    FILE *f = fopen(path, "w");
    for (int i = 0; i < rows; i++) {
        fprintf(f, "%.17g", i % 2 + 0.1 * u[9 * i + 8]);
        for (int j = 0; j < 8; j++) {
            const double c = floor(fabs(2 * u[9 * i + j]) + (i % 2 == j / 4 ? 2 : 0));
            if (c > 0)
                fprintf(f, " %d:%g", j + 1, c);
        }
        fprintf(f, "\n");
    }
    fclose(f);
    free(u);
}

static data counts(specreg_context *ctx)
{
    write_counts(kit_temp("counts.svm"), N, 81);
    write_counts(kit_temp("later.svm"), M, 82);
    data d = {.train = read_as(ctx, kit_temp("counts.svm"), "libsvm"),
              .later = read_as(ctx, kit_temp("later.svm"), "libsvm"),
              .text = ""};
    share_files(ctx, &d);
    return d;
}

static void drop(data *d)
{
    specreg_options_free(d->with);
    specreg_table_free(d->later);
    specreg_table_free(d->train);
}

/* Fits with topics and with their shares as a file; predictions and selections agree in every
 * bit. */
static void check_two_steps(specreg_context *ctx, const data *d, const char *select,
                            const char *param)
{
    specreg_options *o = options_of(ctx, "kernel", "linear", "text", d->text, "select", select,
                                    "param", param, "features", SHARES, NULL);
    specreg_model *m = fitted(ctx, d->train, o), *back;
    CHECK_OK(ctx, specreg_options_set(ctx, o, "features", d->file));
    specreg_model *two = fitted(ctx, d->train, o);
    CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("plsa.srm")));
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("plsa.srm"), &back));
    specreg_table *a = predicted(ctx, m, d->later), *b, *c = predicted(ctx, back, d->later);
    CHECK_OK(ctx, specreg_predict(ctx, two, d->later, d->with, &b));
    check_same_table(a, b);
    check_same_table(a, c);
    json_t *ra = record_of(ctx, m), *rb = record_of(ctx, two);
    CHECK(json_equal(at(ra, "features.coefficients"), at(rb, "features.coefficients")));
    CHECK_STR(text_at(ra, "features.coefficients.2.name"), "topic3");
    if (strcmp(select, "none") != 0)
        CHECK_SAME(number_at(ra, "selection.value"), number_at(rb, "selection.value"));
    json_decref(rb);
    json_decref(ra);
    specreg_table_free(c);
    specreg_table_free(b);
    specreg_table_free(a);
    specreg_model_free(back);
    specreg_model_free(two);
    specreg_model_free(m);
    specreg_options_free(o);
}

/* new.txt has a document without a word that is known, and one without any. */
TEST(features_topics, topics_of_documents_are_their_shares_as_a_file)
{
    data d = documents(ctx);
    check_two_steps(ctx, &d, "none", "lambda=0.01");
    check_two_steps(ctx, &d, "kfold:k=4", "lambda=log:1e-4:1:9");
    drop(&d);
}

TEST(features_topics, topics_of_counts_are_their_shares_as_a_file)
{
    data d = counts(ctx);
    check_two_steps(ctx, &d, "none", "lambda=0.01");
    check_two_steps(ctx, &d, "loo", "lambda=log:1e-4:1:9");
    drop(&d);
}

/* Topics do not look at folds: the errors on them are those of refits with the shares of all. */
TEST(features_topics, folds_are_refits_with_the_shares_of_all_rows)
{
    data d = counts(ctx);
    FILE *f = fopen(kit_temp("parts.txt"), "w");
    char select[1024];
    double sum = 0;
    specreg_options *o = options_of(ctx, "kernel", "linear", "scale", "none", "select", "none",
                                    "param", "lambda=0.02", "features", d.file, NULL);
    specreg_options *with = options_of(ctx, "features-file", kit_temp("train_shares.csv"), NULL);
    for (int part = 0; part < 3; part++) {
        int64_t in[N], out[N], n = 0, m = 0;
        for (int i = 0; i < N; i++)
            if (i % 3 == part)
                out[m++] = i;
            else
                in[n++] = i;
        for (int64_t i = 0; i < n; i++)
            fprintf(f, "%d ", (int)in[i]);
        fprintf(f, "\n");
        specreg_table *train, *test,
            *p; /* which know where their rows were: the file is that of all */
        CHECK_OK(ctx, specreg_table_select(ctx, d.train, in, n, &train));
        CHECK_OK(ctx, specreg_table_select(ctx, d.train, out, m, &test));
        specreg_model *model = fitted(ctx, train, o);
        CHECK_OK(ctx, specreg_predict(ctx, model, test, with, &p));
        for (int64_t i = 0; i < m; i++) {
            const double e =
                specreg_table_number(d.train, out[i], 0) - specreg_table_number(p, i, 0);
            sum += e * e;
        }
        specreg_table_free(p);
        specreg_model_free(model);
        specreg_table_free(test);
        specreg_table_free(train);
    }
    fclose(f);
    snprintf(select, sizeof select, "splits:%s", kit_temp("parts.txt"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", select));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "features", SHARES));
    specreg_model *m = fitted(ctx, d.train, o);
    json_t *record = record_of(ctx, m);
    CHECK_NEAR(number_at(record, "selection.value"), sum / N, kit_tolerance(N, 1e3));
    json_decref(record);
    specreg_model_free(m);
    specreg_options_free(with);
    specreg_options_free(o);
    drop(&d);
}

/* The documents as CSV, those with an even number in one group, the others in another. */
static specreg_table *grouped(specreg_context *ctx, const specreg_table *t)
{
    FILE *f = fopen(kit_temp("grouped.csv"), "w");
    fprintf(f, "text,part,label\n");
    for (int64_t i = 0; i < specreg_table_rows(t); i++)
        fprintf(f, "\"%s\",%s,%s\n", specreg_table_text(t, i, 0), i % 2 ? "b" : "a",
                specreg_table_text(t, i, 1));
    fclose(f);
    return read_table(ctx, kit_temp("grouped.csv"));
}

/* cv learns words and topics of each part's own training rows. */
TEST(features_topics, cv_is_fit_and_eval_of_each_part)
{
    specreg_table *folder = read_table(ctx, CORPUS), *t = grouped(ctx, folder);
    specreg_options *o =
        options_of(ctx, "text", WORDS, "group", "part", "outer", "kfold:k=2", "select", "none",
                   "param", "lambda=0.01", "features", SHARES, NULL);
    char *text;
    double mse = 0;
    CHECK_OK(ctx, specreg_cv(ctx, t, o, &text));
    json_t *cv = parsed(text);
    for (int part = 0; part < 2; part++) {
        int64_t in[64], out[64], n = 0, m = 0;
        for (int i = 0; i < specreg_table_rows(t); i++)
            if (i % 2 == part)
                out[m++] = i;
            else
                in[n++] = i;
        specreg_table *train, *test;
        CHECK_OK(ctx, specreg_table_select(ctx, t, in, n, &train));
        CHECK_OK(ctx, specreg_table_select(ctx, t, out, m, &test));
        specreg_model *model = fitted(ctx, train, o);
        CHECK_OK(ctx, specreg_evaluate(ctx, model, test, NULL, &text));
        json_t *record = parsed(text);
        mse += number_at(record, "test.mse") / 2;
        json_decref(record);
        specreg_model_free(model);
        specreg_table_free(test);
        specreg_table_free(train);
    }
    CHECK_NEAR(number_at(cv, "mean.mse"), mse, kit_tolerance(24, 10));
    json_decref(cv);
    specreg_options_free(o);
    specreg_table_free(t);
    specreg_table_free(folder);
}

/* ------------------------------------------------------------------ what does not go */

TEST(features_topics, tables_without_counts_are_refused)
{
    data d = counts(ctx);
    double *X = kit_normal(83, N, P), *y = kit_normal(84, N, 1);
    specreg_table *numbers = named_table(ctx, "numbers.csv", X, N, P, y);
    specreg_options *o = options_of(ctx, "kernel", "linear", "features", SHARES, "select", "none",
                                    "param", "lambda=1", NULL);
    specreg_model *m;
    CHECK_FAILS(ctx, specreg_fit(ctx, numbers, o, &m), SPECREG_E_ARG, "plsa needs documents");
    CHECK(m == NULL);
    m = fitted(ctx, d.train, o);
    const specreg_view view = {.data = X, .rows = 2, .cols = 8, .ld = 8};
    double F[2];
    CHECK_FAILS(ctx, specreg_predict_array(ctx, m, &view, NULL, F, 2), SPECREG_E_ARG, "plsa needs");
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(numbers);
    free(y);
    free(X);
    drop(&d);
}
