/* Model files whose features say what no fit writes, under a checksum that is right: they are
 * refused, or predict something, and nothing else happens. */
#include "numeric/models.h"

#include "record/container.h"

static specreg_table *numbers(specreg_context *ctx)
{
    double *u = kit_normal(91, N, 3);
    FILE *f = fopen(kit_temp("numbers.csv"), "w");
    fprintf(f, "x1,x2,kind,y\n");
    for (int i = 0; i < N; i++)
        fprintf(f, "%.17g,%.17g,%s,%.17g\n", u[3 * i], u[3 * i + 1], i % 2 ? "odd" : "even",
                u[3 * i + 2]);
    fclose(f);
    free(u);
    return read_table(ctx, kit_temp("numbers.csv"));
}

/* Sparse counts of six words. */
static specreg_table *counts(specreg_context *ctx)
{
    double *u = kit_normal(93, N, 6);
    FILE *f = fopen(kit_temp("counts.svm"), "w");
    for (int i = 0; i < N; i++) {
        fprintf(f, "%.17g", u[6 * i]);
        for (int j = 0; j < 6; j++)
            fprintf(f, " %d:%g", j + 1, 1 + floor(fabs(3 * u[6 * i + j])));
        fprintf(f, "\n");
    }
    fclose(f);
    free(u);
    return read_table(ctx, kit_temp("counts.svm"));
}

/* Replaces what is at "terms.0.column"; JSON that is NULL takes it away. */
static void set_at(json_t *json, const char *path, const char *text)
{
    const char *dot = strchr(path, '.');
    char key[64];
    snprintf(key, sizeof key, "%.*s", dot ? (int)(dot - path) : (int)strlen(path), path);
    if (dot) {
        set_at(json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
                                   : json_object_get(json, key),
               dot + 1, text);
        return;
    }
    json_t *value = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    CHECK(!text || value);
    if (json_is_array(json))
        json_array_set_new(json, (size_t)atoi(key), value);
    else if (value)
        json_object_set_new(json, key, value);
    else
        json_object_del(json, key);
}

typedef struct file_change {
    const char *path, *json; /* of the metadata `features`                                   */
    const char *tensor;      /* this one has `rows` x `cols`; 0: it is not there; -1: as it was */
    int64_t rows, cols;
    double value; /* of all its entries                                           */
    bool good;    /* the file is read                                             */
} file_change;

static void rewrite(specreg_context *ctx, const char *from, const file_change *change,
                    const char *to)
{
    enum { MOST = 12 };
    sri_container c;
    sri_tensor t[MOST];
    double *data[MOST];
    int count = 0;
    CHECK_OK(ctx, sri_container_read(ctx, from, &c));
    for (int64_t i = 0; i < c.tensors; i++) {
        const char *name = c.tensor[i].name;
        const bool this = change->tensor && strcmp(change->tensor, name) == 0;
        if (this && change->rows == 0)
            continue;
        CHECK(count < MOST);
        t[count].name = name;
        CHECK_OK(ctx,
                 sri_container_tensor(ctx, &c, name, &data[count], &t[count].rows, &t[count].cols));
        if (this && change->rows > 0) {
            t[count].rows = change->rows;
            t[count].cols = change->cols;
            free(data[count]);
            data[count] = malloc((size_t)(change->rows * change->cols) * sizeof(double));
        }
        for (int64_t k = 0; this && k < t[count].rows * t[count].cols; k++)
            data[count][k] = change->value;
        t[count].data = data[count];
        count++;
    }
    if (change->path) {
        json_t *features = json_loads(sri_metadata_get(&c.metadata, "features"), 0, NULL);
        set_at(features, change->path, change->json);
        char *text = json_dumps(features, 0);
        CHECK_OK(ctx, sri_metadata_set(ctx, &c.metadata, "features", text));
        free(text);
        json_decref(features);
    }
    CHECK_OK(ctx, sri_container_write(ctx, to, &c.metadata, t, count));
    for (int i = 0; i < count; i++)
        free(data[i]);
    sri_container_free(&c);
}

static void try_all(specreg_context *ctx, const specreg_table *t, const char *features,
                    const file_change *change, int count)
{
    specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=2", "features", features, "select",
                                    "none", "param", "lambda=0.1", NULL);
    specreg_model *m = fitted(ctx, t, o), *back;
    specreg_table *out;
    char good[1024];
    snprintf(good, sizeof good, "%s", kit_temp("good.srm"));
    CHECK_OK(ctx, specreg_model_save(ctx, m, good));
    for (int k = 0; k < count; k++) {
        rewrite(ctx, good, &change[k], kit_temp("bad.srm"));
        const specreg_status st = specreg_model_load(ctx, kit_temp("bad.srm"), &back);
        if (st != (change[k].good ? SPECREG_OK : SPECREG_E_FORMAT))
            printf("%s = %s: %s\n", change[k].path ? change[k].path : change[k].tensor,
                   change[k].json ? change[k].json : "", specreg_last_error(ctx));
        CHECK_EQ(st, change[k].good ? SPECREG_OK : SPECREG_E_FORMAT);
        if (st == SPECREG_OK) { /* to be computed with, whatever comes out */
            (void)specreg_predict(ctx, back, t, NULL, &out);
            specreg_table_free(out);
        } else {
            CHECK_HAS(specreg_last_error(ctx), "bad.srm");
            CHECK(back == NULL);
        }
        specreg_model_free(back);
    }
    specreg_model_free(m);
    specreg_options_free(o);
}

/* 1, x1, x2, kind=even, and kind=odd, which is left out. */
TEST(features_file, what_does_not_fit_is_refused)
{
    static const file_change changes[] = {
        {.path = "kept", .json = "[0,1,2,3]", .good = true},
        {.path = "kept", .json = "[0,1,2,5]"},
        {.path = "kept", .json = "[0,1,2,-1]"},
        {.path = "kept", .json = "[0,1,2]"},
        {.path = "kept", .json = "[0,1,2,1.5]"},
        {.path = "kept", .json = "[]"},
        {.path = "kept", .json = "7"},
        {.path = "kept"},
        {.path = "names", .json = "[\"a\"]"},
        {.path = "names.1", .json = "3"},
        {.path = "variant"},
        {.path = "variant", .json = "1"},
        {.path = "terms", .json = "[]"},
        {.path = "terms", .json = "{}"},
        {.path = "terms.1", .json = "null"},
        {.path = "terms.0.name", .json = "\"plsa\""},
        {.path = "terms.0.name", .json = "\"cubic\""},
        {.path = "terms.0.name", .json = "\"poly:2\""},
        {.path = "terms.0.name", .json = "\"constant\""},
        {.path = "terms.0.text"},
        {.path = "terms.0.columns", .json = "2"},
        {.path = "terms.0.columns", .json = "0"},
        {.path = "terms.0.columns", .json = "-3"},
        {.path = "terms.0.columns", .json = "9223372036854775807"},
        {.path = "terms.0.column", .json = "[0,4]"},
        {.path = "terms.0.column", .json = "[0,-1]"},
        {.path = "terms.0.column", .json = "[0]"},
        {.path = "terms.0.column", .json = "[]"},
        {.path = "terms.0.column"},
        {.path = "terms.0.power", .json = "[0,0,1,0,0,21]"},
        {.path = "terms.0.power", .json = "[0,0,1,0,0,-1]"},
        {.path = "terms.0.power", .json = "[0,0,1]"},
        {.path = "terms.0.power", .json = "[0,0,20,20,0,20]", .good = true},
        {.path = "terms.0.power",
         .json = "[0,0,0,0,0,0]",
         .good = true}, /* of no fit, but numbers */
        {.path = "terms.1.columns", .json = "3"},
        {.path = "terms.1.column", .json = "[2,4]"},
        {.path = "terms.1.slope", .json = "[1,\"a\"]"},
        {.path = "terms.1.slope", .json = "[1,0]"}, /* it is divided by */
        {.path = "terms.1.slope", .json = "[1,1e308]", .good = true},
        {.path = "terms.1.at", .json = "[1,2,3]"},
        {.tensor = "beta", .rows = 0},
        {.tensor = "beta", .rows = 3, .cols = 1},
        {.tensor = "beta", .rows = 5, .cols = 1},
        {.tensor = "beta", .rows = 4, .cols = 2},
        {.tensor = "beta", .rows = 1, .cols = 4},
        {.tensor = "beta", .rows = -1, .value = NAN},
        {.tensor = "beta", .rows = -1, .value = 1e308, .good = true},
    };
    specreg_table *t = numbers(ctx);
    try_all(ctx, t, "poly:degree=1 + columns:kind,dependent=drop", changes,
            sizeof changes / sizeof *changes);
    specreg_table_free(t);
}

TEST(features_file, topics_that_do_not_fit_are_refused)
{
    static const file_change changes[] = {
        {.tensor = "topic_word", .rows = 0},
        {.tensor = "topic_share", .rows = 0},
        {.tensor = "topic_word", .rows = 5, .cols = 2, .value = 0.2},
        {.tensor = "topic_word", .rows = 6, .cols = 3, .value = 0.2},
        {.tensor = "topic_word", .rows = 2, .cols = 6, .value = 0.2},
        {.tensor = "topic_word", .rows = -1, .value = -0.1},
        {.tensor = "topic_word", .rows = -1, .value = 1.5},
        {.tensor = "topic_word", .rows = -1, .value = NAN},
        {.tensor = "topic_word", .rows = -1, .value = 0, .good = true},
        {.tensor = "topic_share", .rows = -1, .value = -0.1},
        {.tensor = "topic_share", .rows = -1, .value = NAN},
        {.tensor = "topic_share", .rows = 3, .cols = 1, .value = 0.3},
        {.path = "terms.0.words", .json = "5"},
        {.path = "terms.0.words", .json = "0"},
        {.path = "terms.0.words", .json = "9223372036854775807"},
        {.path = "terms.0.words"},
        {.path = "terms.0.beta", .json = "0"},
        {.path = "terms.0.beta", .json = "1.01"},
        {.path = "terms.0.beta"},
        {.path = "terms.0.columns", .json = "3"},
        {.path = "terms.1",
         .json = "{\"name\": \"plsa\", \"text\": \"\", \"columns\": 1, \"column\": [],"
                 " \"slope\": [], \"at\": [], \"beta\": 1, \"words\": 6}"},
        {.path = "terms.1.name", .json = "\"file\"", .good = true}, /* predict asks for the file */
        {.path = "terms.1.column", .json = "[6]"},
    };
    specreg_table *t = counts(ctx);
    try_all(ctx, t, "plsa:topics=2,sweeps=5 + columns:2", changes,
            sizeof changes / sizeof *changes);
    specreg_table_free(t);
}
