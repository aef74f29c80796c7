/* Pictures in a model file may be anything: the model loads and predicts the same, and a report
 * page shows what fits and says what does not. */
#include "numeric/models.h"

#include "record/container.h"

enum { MOST_TENSORS = 16 };

/* The model file `from` with other texts under a name (NULL: none). */
static void replace_text(specreg_context *ctx, const char *from, const char *to, const char *name,
                         const char *text)
{
    sri_container c;
    sri_tensor tensor[MOST_TENSORS];
    double *data[MOST_TENSORS];
    CHECK_OK(ctx, sri_container_read(ctx, from, &c));
    CHECK(c.tensors <= MOST_TENSORS && sri_metadata_get(&c.metadata, name));
    for (int64_t i = 0; i < c.tensors; i++) {
        sri_tensor *t = &tensor[i];
        t->name = c.tensor[i].name;
        CHECK_OK(ctx, sri_container_tensor(ctx, &c, t->name, &data[i], &t->rows, &t->cols));
        t->data = data[i];
    }
    CHECK_OK(ctx, sri_metadata_set(ctx, &c.metadata, name, text));
    CHECK_OK(ctx, sri_container_write(ctx, to, &c.metadata, tensor, (int)c.tensors));
    for (int64_t i = 0; i < c.tensors; i++)
        free(data[i]);
    sri_container_free(&c);
}

/* A text under a name, newly allocated. */
static char *text_of(specreg_context *ctx, const char *path, const char *name)
{
    sri_container c;
    CHECK_OK(ctx, sri_container_read(ctx, path, &c));
    const char *text = sri_metadata_get(&c.metadata, name);
    CHECK(text);
    char *copy = strdup(text);
    sri_container_free(&c);
    return copy;
}

/* What the page of a model is made of. */
static json_t *report_of(specreg_context *ctx, const specreg_model *model)
{
    const specreg_report_part part = {.struct_size = sizeof part, .title = "m", .model = model};
    char *text;
    CHECK_OK(ctx, specreg_report_data(ctx, &part, 1, NULL, &text));
    return parsed(text);
}

/* The model with that text: it predicts the same.  Its report, of which `part` is null and which
 * says so, unless `part` is NULL. */
static json_t *check_harmless(specreg_context *ctx, const char *name, const char *text,
                              const specreg_table *rows, const char *part)
{
    specreg_model *model, *changed;
    specreg_table *a, *b;
    char path[64];
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("model.srm"), &model));
    replace_text(ctx, kit_temp("model.srm"), kit_temp("changed.srm"), name, text);
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("changed.srm"), &changed));
    CHECK_OK(ctx, specreg_predict(ctx, model, rows, NULL, &a));
    CHECK_OK(ctx, specreg_predict(ctx, changed, rows, NULL, &b));
    check_same_table(a, b);
    json_t *report = report_of(ctx, changed);
    if (part) {
        snprintf(path, sizeof path, "reports.0.%s", part);
        if (!json_is_null(at(report, path)))
            kit_fail(__FILE__, __LINE__, "%s should not be shown of %.100s", part, text);
        CHECK(json_array_size(at(report, "reports.0.cannot")) > 1); /* one is of every model */
    }
    specreg_table_free(b);
    specreg_table_free(a);
    specreg_model_free(changed);
    specreg_model_free(model);
    return report;
}

static specreg_table *table_with(specreg_context *ctx, bool classes)
{
    double *u = kit_normal(78, 40, 3);
    FILE *f = fopen(kit_temp("t.csv"), "w");
    fprintf(f, "a,b,y\n");
    for (int i = 0; i < 40; i++)
        if (classes)
            fprintf(f, "%.17g,%.17g,%s\n", u[3 * i], u[3 * i + 1],
                    u[3 * i] > 0.5    ? "<b>x</b>"
                    : u[3 * i] < -0.5 ? "\xf0\x9f\x99\x82"
                                      : "y'");
        else
            fprintf(f, "%.17g,%.17g,%.17g\n", u[3 * i], u[3 * i + 1],
                    u[3 * i] + 0.1 * u[3 * i + 2]);
    fclose(f);
    free(u);
    return read_table(ctx, kit_temp("t.csv"));
}

static specreg_table *model_of(specreg_context *ctx, bool classes)
{
    specreg_table *t = table_with(ctx, classes);
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=1", "param", "lambda=log:1e-3:1:4", NULL);
    specreg_model *m;
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
    CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("model.srm")));
    specreg_model_free(m);
    specreg_options_free(o);
    return t;
}

/* Puts another value at a path of keys, as text; takes the value over. */
static char *with(const char *text, const char *path, json_t *value)
{
    json_t *all = json_loads(text, 0, NULL), *owner = all;
    char key[32];
    for (;;) {
        const size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        path += length;
        if (!*path)
            break;
        path++;
        owner = json_is_array(owner) ? json_array_get(owner, strtoul(key, NULL, 10))
                                     : json_object_get(owner, key);
        CHECK(owner);
    }
    if (json_is_array(owner))
        CHECK(json_array_set_new(owner, strtoul(key, NULL, 10), value) == 0);
    else
        CHECK(json_object_set_new(owner, key, value) == 0);
    char *out = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return out;
}

TEST(portrait, a_text_that_is_none_is_not_shown)
{
    static const char *const texts[] = {"",
                                        "{",
                                        "[]",
                                        "1e999",
                                        "{}",
                                        "null",
                                        "{\"points\":[]}",
                                        "{\"points\":{},\"parameter\":\"lambda\"}",
                                        "{\"points\":[1],\"parameter\":\"lambda\"}",
                                        "{\"points\":[],\"parameter\":\"<script>\"}",
                                        "\"\\u0000\"",
                                        "{\"by\":\"loo\"}",
                                        "{\"by\":\"loo\",\"n\":1,\"rows\":[1]}"};
    specreg_table *t = model_of(ctx, false);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_decref(check_harmless(ctx, "portrait", texts[i], t, "portrait"));
        json_decref(check_harmless(ctx, "held_rows", texts[i], t, "rows"));
    }
    json_decref(check_harmless(ctx, "portrait", NULL, t, "portrait"));
    json_t *report = check_harmless(ctx, "held_rows", NULL, t, NULL);
    CHECK(json_is_null(at(report, "reports.0.rows")));
    json_decref(report);
    specreg_table_free(t);
}

TEST(portrait, parts_that_do_not_fit_are_left_out_one_by_one)
{
    static const struct {
        const char *path, *value, *part;
    } wrong[] = {
        {"chosen", "4", "portrait.chosen"},
        {"chosen", "-1", "portrait.chosen"},
        {"chosen", "1.5", "portrait.chosen"},
        {"n", "\"many\"", "portrait.n"},
        {"rows_used", "-3", "portrait.rows_used"},
        {"spectrum", "[]", "portrait.spectrum"},
        {"spectrum.eigenvalues", "[1, 2]", "portrait.spectrum"},
        {"spectrum.eigenvalues.0", "\"1\"", "portrait.spectrum"},
        {"spectrum.index", "{}", "portrait.spectrum"},
        {"spectrum.index.0", "\"1\"", "portrait.spectrum"},
        {"filter", "7", "portrait.filter"},
        {"filter.s", "[1, 2]", "portrait.filter"},
        {"filter.kept", "[[1]]", "portrait.filter"},
        {"filter.kept.1", "{}", "portrait.filter"},
        {"curve", "\"no\"", "portrait.curve"},
        {"curve.inputs", "[\"a\"]", "portrait.curve"},
        {"curve.inputs", "[\"a\", 3]", "portrait.curve"},
        {"curve.x", "[]", "portrait.curve"},
        {"curve.outputs", "[]", "portrait.curve"},
        {"curve.points", "[0, 9]", "portrait.curve"},
        {"curve.f.0", "[[]]", "portrait.curve"},
        {"curve.rows", "{}", "portrait.curve"},
        {"curve.rows.z", "[[1]]", "portrait.curve"},
        {"curve.rows.class", "[7]", "portrait.curve"},
        {"points.0.at", "\"x\"", "portrait"},
        {"points.0", "{}", "portrait"},
        {"parameter", "\"nu\"", "portrait"},
    };
    specreg_table *t = model_of(ctx, false);
    char *text = text_of(ctx, kit_temp("model.srm"), "portrait");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *changed =
            with(text, wrong[i].path, json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
        json_t *report = check_harmless(ctx, "portrait", changed, t, wrong[i].part);
        if (strchr(wrong[i].part, '.')) /* the other parts are there */
            CHECK(json_array_size(at(report, "reports.0.portrait.points")) == 4);
        json_decref(report);
        free(changed);
    }
    free(text);
    specreg_table_free(t);
}

TEST(portrait, rows_that_do_not_fit_the_model_are_not_shown)
{
    static const struct {
        const char *path, *value;
    } wrong[] = {{"by", "\"magic\""}, {"n", "1"},
                 {"rows", "[1]"},     {"rows.0", "0"},
                 {"rows.0", "1e3"},   {"outputs", "[]"},
                 {"outputs.0", "[]"}, {"outputs.0.3", "null"}};
    for (int classes = 0; classes < 2; classes++) {
        specreg_table *t = model_of(ctx, classes);
        char *text = text_of(ctx, kit_temp("model.srm"), "held_rows");
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            char *changed =
                with(text, wrong[i].path, json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
            json_decref(check_harmless(ctx, "held_rows", changed, t, "rows"));
            free(changed);
        }
        char *changed = classes ? with(text, "classes.5", json_integer(3))
                                : with(text, "targets.0.5", json_string("1"));
        json_decref(check_harmless(ctx, "held_rows", changed, t, "rows"));
        free(changed);
        free(text);
        specreg_table_free(t);
    }
}

/* Leave-one-out rows are judged as eval judges predictions: the error is that of the search. */
TEST(portrait, the_errors_of_held_out_rows_are_those_of_the_search)
{
    for (int classes = 0; classes < 2; classes++) {
        specreg_table *t = model_of(ctx, classes);
        specreg_model *m;
        CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("model.srm"), &m));
        json_t *report = report_of(ctx, m);
        CHECK_EQ(number_at(report, "reports.0.rows.n"), 40);
        CHECK_NEAR(number_at(report, classes ? "reports.0.eval.test.error_rate"
                                             : "reports.0.eval.test.mse"),
                   number_at(report, "reports.0.record.selection.value"), 1e-5);
        CHECK_EQ(json_array_size(at(report, "reports.0.cannot")), 1);
        CHECK(strstr(text_at(report, "reports.0.cannot.0"), "columns matter"));
        CHECK_STR(text_at(report, "reports.0.record.options.kernel"), "rbf:sigma=1");
        json_decref(report);
        specreg_model_free(m);
        specreg_table_free(t);
    }
}

TEST(portrait, parts_of_a_report_that_make_no_sense_are_refused)
{
    specreg_table *t = model_of(ctx, false);
    specreg_model *m;
    char *text;
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("model.srm"), &m));
    const specreg_report_part good = {.struct_size = sizeof good, .model = m};
    specreg_report_part bad = good;
    CHECK_EQ(specreg_report_page(ctx, &good, 0, NULL, &text), SPECREG_E_ARG);
    bad.struct_size = 8;
    CHECK_EQ(specreg_report_page(ctx, &bad, 1, NULL, &text), SPECREG_E_ARG);
    bad = good;
    bad.record = "{}";
    CHECK_EQ(specreg_report_page(ctx, &bad, 1, NULL, &text), SPECREG_E_ARG);
    bad.model = NULL;
    CHECK_EQ(specreg_report_page(ctx, &bad, 1, NULL, &text), SPECREG_E_FORMAT);
    bad.record = "{\"command\":\"fit\"}";
    bad.data = t;
    CHECK_EQ(specreg_report_page(ctx, &bad, 1, NULL, &text), SPECREG_E_ARG);
    bad.data = NULL;
    CHECK_OK(ctx, specreg_report_page(ctx, &bad, 1, NULL, &text));
    CHECK(strstr(text, "Content-Security-Policy"));
    specreg_string_free(text);
    specreg_model_free(m);
    specreg_table_free(t);
}
