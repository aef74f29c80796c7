/* Documents through fit, predict, eval, path and cv: each claim against the same done in two steps,
 * first the features, then the model of the features. */
#include "numeric/models.h"

#include "data/text/vocabulary.h"
#include "record/container.h"

#define CORPUS SPECREG_SOURCE_DIR "/data/texts/train"
#define NEW SPECREG_SOURCE_DIR "/data/texts/new.txt"
#define SPEC "min-docs=2,words=30"
#define LINEAR "kernel", "linear", "scale", "none"

static specreg_table *read_lines(specreg_context *ctx, const char *path)
{
    specreg_table *t;
    specreg_options *o = options_of(ctx, "format", "text", NULL);
    CHECK_OK(ctx, specreg_table_read(ctx, path, o, &t));
    specreg_options_free(o);
    return t;
}

static specreg_table *features_of(specreg_context *ctx, const specreg_vocabulary *v,
                                  const specreg_table *documents)
{
    specreg_table *t;
    CHECK_OK(ctx, specreg_vocabulary_apply(ctx, v, documents, NULL, &t, NULL));
    return t;
}

static specreg_vocabulary *vocabulary_of(specreg_context *ctx, const specreg_table *documents,
                                         const char *spec)
{
    specreg_vocabulary *v;
    specreg_options *o = options_of(ctx, "text", spec, NULL);
    CHECK_OK(ctx, specreg_vocabulary_learn(ctx, documents, o, &v));
    specreg_options_free(o);
    return v;
}

/* The documents of a table in another form: CSV with a column before them, or lines. */
static void write_form(const specreg_table *t, const char *path, bool csv_form, bool header,
                       bool labels)
{
    FILE *f = fopen(path, "w");
    if (header)
        fprintf(f, "id,body%s\n", labels ? ",kind" : "");
    for (int64_t i = 0; i < specreg_table_rows(t); i++) {
        char *text = strdup(specreg_table_text(t, i, 0));
        const char *label = specreg_table_text(t, i, 1);
        for (char *s = text; *s; s++)
            if (*s == '\n' && !csv_form)
                *s = ' ';
        if (csv_form && labels)
            fprintf(f, "%d,\"%s\",%s\n", (int)i, text, label);
        else if (csv_form)
            fprintf(f, "%d,\"%s\"\n", (int)i, text);
        else
            fprintf(f, "%s\t%s\n", label, text);
        free(text);
    }
    fclose(f);
}

TEST(text, a_folder_and_lines_have_the_same_features)
{
    specreg_table *folder = read_table(ctx, CORPUS);
    write_form(folder, kit_temp("docs.txt"), false, false, true);
    specreg_table *lines = read_lines(ctx, kit_temp("docs.txt"));
    specreg_vocabulary *v = vocabulary_of(ctx, folder, SPEC), *w = vocabulary_of(ctx, lines, SPEC);
    specreg_table *a = features_of(ctx, v, folder), *b = features_of(ctx, w, lines);
    CHECK_EQ(specreg_table_rows(a), 24);
    CHECK_EQ(specreg_table_cols(a), 31);
    check_same_table(a, b);
    specreg_table_free(b);
    specreg_table_free(a);
    specreg_vocabulary_free(w);
    specreg_vocabulary_free(v);
    specreg_table_free(lines);
    specreg_table_free(folder);
}

TEST(text, fit_equals_features_then_a_linear_fit)
{
    specreg_table *train = read_table(ctx, CORPUS), *new = read_lines(ctx, NEW);
    specreg_options *o = options_of(ctx, "text", SPEC, NULL),
                    *plain = options_of(ctx, LINEAR, NULL);
    specreg_vocabulary *v = vocabulary_of(ctx, train, SPEC);
    specreg_table *features = features_of(ctx, v, train), *later = features_of(ctx, v, new);
    specreg_model *m = fitted(ctx, train, o), *two = fitted(ctx, features, plain), *back;
    CHECK(specreg_model_vocabulary(two) == NULL);
    CHECK_EQ(specreg_vocabulary_size(specreg_model_vocabulary(m)), 30);
    CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("text.srm")));
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("text.srm"), &back));
    specreg_table *expected = predicted(ctx, two, later);
    const specreg_model *models[] = {m, back};
    for (int i = 0; i < 2; i++) {
        specreg_table *raw = predicted(ctx, models[i], new),
                      *made = predicted(ctx, models[i], later);
        check_same_table(raw, expected);
        check_same_table(made, expected);
        specreg_table_free(made);
        specreg_table_free(raw);
    }
    CHECK_OK(ctx, specreg_model_save(ctx, back, kit_temp("again.srm")));
    char *a = kit_read_file(kit_temp("text.srm")), *b = kit_read_file(kit_temp("again.srm"));
    CHECK(memcmp(a, b, 64) == 0);
    free(b);
    free(a);
    specreg_table_free(expected);
    specreg_model_free(back);
    specreg_model_free(two);
    specreg_model_free(m);
    specreg_table_free(later);
    specreg_table_free(features);
    specreg_vocabulary_free(v);
    specreg_options_free(plain);
    specreg_options_free(o);
    specreg_table_free(new);
    specreg_table_free(train);
}

/* A CSV table, with names or without: the column by name and by number, the documents alone. */
TEST(text, columns_of_a_table_are_found_by_name_and_by_number)
{
    specreg_table *folder = read_table(ctx, CORPUS);
    specreg_options *o = options_of(ctx, "text", SPEC, NULL);
    specreg_model *reference = fitted(ctx, folder, o);
    specreg_table *expected = predicted(ctx, reference, folder);
    for (int header = 0; header < 2; header++) {
        write_form(folder, kit_temp("whole.csv"), true, header, true);
        write_form(folder, kit_temp("alone.csv"), true, header, false);
        specreg_table *whole = read_table(ctx, kit_temp("whole.csv"));
        specreg_table *alone = read_table(ctx, kit_temp("alone.csv"));
        for (int number = 0; number < 2; number++) {
            specreg_options *p = options_of(ctx, "text", SPEC, "text-column",
                                            number   ? "2"
                                            : header ? "body"
                                                     : "x2",
                                            "target",
                                            number   ? "3"
                                            : header ? "kind"
                                                     : "y",
                                            NULL);
            specreg_model *m = fitted(ctx, whole, p);
            specreg_table *got = predicted(ctx, m, whole), *from_folder = predicted(ctx, m, folder);
            char *json;
            CHECK_OK(ctx, specreg_evaluate(ctx, m, whole, NULL, &json));
            CHECK_HAS(json, "\"error_rate\"");
            specreg_string_free(json);
            check_same_table(got, expected);
            check_same_table(from_folder, expected);
            if (header) {
                specreg_table *rest = predicted(ctx, m, alone);
                check_same_table(rest, expected);
                specreg_table_free(rest);
            }
            specreg_table_free(from_folder);
            specreg_table_free(got);
            specreg_model_free(m);
            specreg_options_free(p);
        }
        specreg_table_free(alone);
        specreg_table_free(whole);
    }
    specreg_table_free(expected);
    specreg_model_free(reference);
    specreg_options_free(o);
    specreg_table_free(folder);
}

TEST(text, rows_of_weight_zero_are_not_learned_from)
{
    specreg_table *t =
        csv(ctx, "w.csv",
            "text,w,label\n\"red apple\",1,fruit\n\"red wine\",1,drink\n"
            "\"green apple\",1,fruit\n\"green tea\",1,drink\n\"violet sky\",0,other\n"
            "\"violet sea\",0,other\n\"\",1,fruit\n");
    specreg_options *o = options_of(ctx, "text", "min-docs=2", "weights", "2", NULL);
    specreg_model *m = fitted(ctx, t, o);
    const specreg_vocabulary *v = specreg_model_vocabulary(m);
    CHECK_EQ(specreg_vocabulary_size(v), 3);
    CHECK_STR(specreg_vocabulary_word(v, 0), "apple");
    CHECK_STR(specreg_vocabulary_word(v, 1), "green");
    CHECK_STR(specreg_vocabulary_word(v, 2), "red");
    CHECK_EQ(v->documents, 5); /* the empty one counts */
    char *json;
    CHECK_OK(ctx, specreg_model_record(ctx, m, &json));
    CHECK_HAS(json, "1 of 7 documents have no words");
    specreg_string_free(json);
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* ---------------------------------------------------------------------------------- cv, path */

/* Two outer splits, by hand: words from the training part alone. */
TEST(text, cv_learns_the_words_inside_each_fold)
{
    specreg_table *t = read_table(ctx, CORPUS);
    FILE *f = fopen(kit_temp("splits.txt"), "w");
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 24; i++)
            if (i % 4 != k)
                fprintf(f, "%d%s", i, i == 23 ? "\n" : " ");
    fclose(f);
    char outer[512], *json;
    snprintf(outer, sizeof outer, "splits:%s", kit_temp("splits.txt"));
    specreg_options *o = options_of(ctx, "text", SPEC, "outer", outer, "param", "lambda=0.01",
                                    "select", "none", NULL);
    specreg_options *plain =
        options_of(ctx, LINEAR, "param", "lambda=0.01", "select", "none", NULL);
    CHECK_OK(ctx, specreg_cv(ctx, t, o, &json));
    json_t *record = parsed(json);
    for (int k = 0; k < 2; k++) {
        int64_t in[24], out[24], n = 0, m = 0;
        for (int i = 0; i < 24; i++)
            if (i % 4 != k)
                in[n++] = i;
            else
                out[m++] = i;
        specreg_table *train, *test;
        CHECK_OK(ctx, specreg_table_select(ctx, t, in, n, &train));
        CHECK_OK(ctx, specreg_table_select(ctx, t, out, m, &test));
        specreg_vocabulary *v = vocabulary_of(ctx, train, SPEC), *all = vocabulary_of(ctx, t, SPEC);
        CHECK_EQ(v->documents, 18);
        CHECK(v->idf[0] != all->idf[0]);
        specreg_table *a = features_of(ctx, v, train), *b = features_of(ctx, v, test);
        specreg_model *model = fitted(ctx, a, plain);
        CHECK_OK(ctx, specreg_evaluate(ctx, model, b, NULL, &json));
        json_t *errors = parsed(json);
        CHECK_SAME(number_at(record, k ? "folds.1.mse" : "folds.0.mse"),
                   number_at(errors, "test.mse"));
        json_decref(errors);
        specreg_model_free(model);
        specreg_table_free(b);
        specreg_table_free(a);
        specreg_vocabulary_free(all);
        specreg_vocabulary_free(v);
        specreg_table_free(test);
        specreg_table_free(train);
    }
    json_decref(record);
    specreg_options_free(plain);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* The records of path and of a choice by a file: documents on both sides, or features. */
TEST(text, path_and_a_validation_file_take_documents)
{
    specreg_table *train = read_table(ctx, CORPUS), *new = read_lines(ctx, NEW);
    specreg_vocabulary *v = vocabulary_of(ctx, train, SPEC);
    specreg_table *a = features_of(ctx, v, train), *b = features_of(ctx, v, new);
    char file[512];
    snprintf(file, sizeof file, "file:%s", NEW);
    specreg_options *o =
        options_of(ctx, "text", SPEC, "param", "lambda={1,0.1,0.01}", "select", file, NULL);
    specreg_options *plain =
        options_of(ctx, LINEAR, "param", "lambda={1,0.1,0.01}", "select", "none", NULL);
    char *one, *two;
    CHECK_OK(ctx, specreg_path(ctx, train, new, o, &one));
    CHECK_OK(ctx, specreg_path(ctx, a, b, plain, &two));
    json_t *x = parsed(one), *y = parsed(two);
    const json_t *left = json_object_get(x, "table"), *right = json_object_get(y, "table");
    CHECK_EQ(json_array_size(left), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *p = json_array_get(left, i), *q = json_array_get(right, i);
        CHECK_SAME(json_number_value(json_object_get(p, "test_mse")),
                   json_number_value(json_object_get(q, "test_mse")));
        CHECK_SAME(json_number_value(json_object_get(p, "value")), /* the file's error rate */
                   json_number_value(json_object_get(q, "test_error_rate")));
    }
    json_decref(y);
    json_decref(x);
    specreg_options_free(plain);
    specreg_options_free(o);
    specreg_table_free(b);
    specreg_table_free(a);
    specreg_vocabulary_free(v);
    specreg_table_free(new);
    specreg_table_free(train);
}

/* ----------------------------------------------------------------------------------- labels */

TEST(text, labels_may_be_written_as_numbers_in_the_order_of_names)
{
    specreg_table *train = read_table(ctx, CORPUS), *new = read_lines(ctx, NEW), *t;
    specreg_vocabulary *v = vocabulary_of(ctx, train, SPEC);
    specreg_options *o = options_of(ctx, "labels", "numbers", NULL);
    CHECK_OK(ctx, specreg_vocabulary_apply(ctx, v, new, o, &t, NULL));
    static const double expected[] = {1, 2, 3, 3, 2, 1, 1, 3}; /* garden, harbour, kitchen */
    for (int64_t i = 0; i < 8; i++)
        CHECK_SAME(specreg_table_number(t, i, 0), expected[i]);
    specreg_table_free(t);
    specreg_table_free(new);
    new = read_lines(ctx, kit_temp_file("other.txt", "attic\tsoil and water\n"));
    CHECK_FAILS(ctx, specreg_vocabulary_apply(ctx, v, new, o, &t, NULL), SPECREG_E_SHAPE,
                "other.txt:1: class 'attic' was not there");
    specreg_table_free(new);
    new = read_lines(ctx, kit_temp_file("plain.txt", "soil and water\nwind\n"));
    CHECK_OK(ctx, specreg_vocabulary_apply(ctx, v, new, NULL, &t, NULL));
    CHECK_STR(specreg_table_name(t, 0), "y");
    CHECK(isnan(specreg_table_number(t, 0, 0)));
    specreg_table_free(t);
    specreg_options_free(o);
    specreg_vocabulary_free(v);
    specreg_table_free(new);
    specreg_table_free(train);
}

/* ----------------------------------------------------------------------------------- refused */

static void refused(specreg_context *ctx, const specreg_table *t, specreg_options *o,
                    specreg_status status, const char *part)
{
    specreg_model *m;
    CHECK_FAILS(ctx, specreg_fit(ctx, t, o, &m), status, part);
    CHECK(m == NULL);
    specreg_options_free(o);
}

TEST(text, what_cannot_be_fitted_is_said)
{
    specreg_table *plain = read_lines(ctx, kit_temp_file("plain.txt", "soil and water\nwind\n"));
    specreg_table *train = read_table(ctx, CORPUS);
    specreg_table *two = csv(ctx, "two.csv", "a,b,y\nx x,u v,1\nz z,w t,2\n");
    specreg_table *numbers = csv(ctx, "n.csv", "a,b,y\n1,2,1\n3,4,2\n");
    refused(ctx, plain, options_of(ctx, "text", "auto", NULL), SPECREG_E_SHAPE,
            "plain.txt: the documents have no labels");
    refused(ctx, train, NULL, SPECREG_E_ARG, "holds documents, which need --text");
    refused(ctx, train, options_of(ctx, "text", "words=0", NULL), SPECREG_E_ARG, "words must be");
    refused(ctx, train, options_of(ctx, "text", "auto", "target", "text", NULL), SPECREG_E_ARG,
            "column 'text' holds the documents");
    refused(ctx, train, options_of(ctx, "text", "auto", "text-column", "body", NULL), SPECREG_E_ARG,
            "there is no column 'body'");
    refused(ctx, two, options_of(ctx, "text", "auto", NULL), SPECREG_E_SHAPE,
            "which column holds the documents? Say --text-column");
    refused(ctx, numbers, options_of(ctx, "text", "auto", "text-column", "a", NULL),
            SPECREG_E_SHAPE, "column 'a' holds numbers, documents are text");
    specreg_options *o = options_of(ctx, "text", SPEC, NULL);
    specreg_model *m = fitted(ctx, train, o);
    specreg_table *out;
    CHECK_FAILS(ctx, specreg_predict(ctx, m, numbers, NULL, &out), SPECREG_E_SHAPE,
                "n.csv: the column 'text', which held the documents in training, is missing");
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(numbers);
    specreg_table_free(two);
    specreg_table_free(train);
    specreg_table_free(plain);
}

/* The model file once more, with another text for its vocabulary, checksum and all. */
static void rewrite(specreg_context *ctx, const char *from, const char *vocabulary, const char *to)
{
    enum { MOST = 10 };
    sri_container c;
    sri_tensor tensor[MOST];
    double *data[MOST];
    int count = 0;
    CHECK_OK(ctx, sri_container_read(ctx, from, &c));
    for (int64_t i = 0; i < c.tensors; i++) {
        const char *name = c.tensor[i].name;
        CHECK(count < MOST);
        tensor[count].name = name;
        CHECK_OK(ctx, sri_container_tensor(ctx, &c, name, &data[count], &tensor[count].rows,
                                           &tensor[count].cols));
        tensor[count].data = data[count];
        count++;
    }
    CHECK_OK(ctx, sri_metadata_set(ctx, &c.metadata, "vocabulary", vocabulary));
    CHECK_OK(ctx, sri_container_write(ctx, to, &c.metadata, tensor, count));
    for (int i = 0; i < count; i++)
        free(data[i]);
    sri_container_free(&c);
}

TEST(text, a_model_whose_words_do_not_fit_is_refused)
{
    specreg_table *train = read_table(ctx, CORPUS);
    specreg_options *o =
        options_of(ctx, "text", SPEC, "select", "none", "param", "lambda=0.1", NULL);
    specreg_model *m = fitted(ctx, train, o), *bad;
    const char *path = kit_temp("good.srm"), *other = kit_temp("bad.srm");
    sri_buffer text = {0};
    CHECK_OK(ctx, specreg_model_save(ctx, m, path));
    CHECK_OK(ctx, sri_vocabulary_print(ctx, specreg_model_vocabulary(m), &text));
    rewrite(ctx, path, text.data, other);
    CHECK_OK(ctx, specreg_model_load(ctx, other, &bad)); /* as it was */
    specreg_model_free(bad);
    rewrite(ctx, path, "words", other);
    CHECK_FAILS(ctx, specreg_model_load(ctx, other, &bad), SPECREG_E_FORMAT,
                "bad.srm: vocabulary: is not a vocabulary file");
    *strrchr(text.data, '\n') = '\0';
    *(strrchr(text.data, '\n') + 1) = '\0'; /* one word less */
    rewrite(ctx, path, text.data, other);
    CHECK_FAILS(ctx, specreg_model_load(ctx, other, &bad), SPECREG_E_FORMAT,
                "bad.srm: the model's vocabulary is not as it should be");
    CHECK(bad == NULL);
    sri_buffer_free(&text);
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(train);
}
