/* The public way from documents to features, and reading for a model. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "model/bag.h"
#include "model/dataset.h"
#include "model/model.h"

specreg_status specreg_table_read_for(specreg_context *ctx, const specreg_model *model,
                                      const char *path, const specreg_options *options,
                                      specreg_table **out)
{
    SRI_MAKES(ctx, out, model, path);
    specreg_status st = SPECREG_OK;
    specreg_options *own = NULL;
    SRI_TRY(sri_options_copy(ctx, options, &own));
    if (model->encoding.vocabulary)
        SRI_TRY(specreg_options_set(ctx, own, "text", "auto"));
    SRI_TRY(specreg_table_read(ctx, path, own, out));
done:
    specreg_options_free(own);
    return st;
}

/* The target's columns of the table without its documents; none where it has no other column. */
static specreg_status label_table(specreg_context *ctx, const specreg_table *t, int64_t documents,
                                  const char *target, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const sri_aside none = {.count = 0};
    specreg_table *others = NULL;
    int64_t *given = NULL, *column = NULL, count = 0;
    SRI_TRY(sri_text_without(ctx, t, documents, &others));
    SRI_TRY(sri_text_placeholder(ctx, others));
    if (*target) { /* by its number in the table as it is */
        SRI_TRY(sri_target_columns(ctx, t, target, &none, &given, &count));
        for (int64_t k = 0; k < count; k++) {
            SRI_REQUIRE(ctx, given[k] != documents, SPECREG_E_ARG,
                        "%s: column '%s' holds the documents, it cannot be the target", t->source,
                        t->column[documents].name);
            given[k] -= given[k] > documents;
        }
    } else if (others->n_columns) {
        SRI_TRY(sri_target_columns(ctx, others, "", &none, &column, &count));
    }
    SRI_TRY(sri_table_columns(ctx, others, given ? given : column, count, out));
    SRI_TRY(sri_text_placeholder(ctx, *out));
done:
    sri_free(column);
    sri_free(given);
    specreg_table_free(others);
    return st;
}

/* A column of numbers without any, for formats that want a label. */
static specreg_status no_labels(specreg_context *ctx, const specreg_table *t, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *made = NULL;
    *out = NULL;
    SRI_TRY(sri_table_new(ctx, t->source, 1, &made));
    SRI_TRY(sri_table_set_name(ctx, made, 0, "y", 1));
    made->format = t->format;
    made->rows = t->rows;
    made->read_seconds = t->read_seconds;
    SRI_ALLOC(ctx, made->numbers, t->rows, 1);
    for (int64_t i = 0; i < t->rows; i++)
        made->numbers[i] = NAN;
    SRI_MOVE(*out, made);
done:
    specreg_table_free(made);
    return st;
}

/* The text labels of the only column as numbers from 1 on, in the vocabulary's order. */
static specreg_status number_labels(specreg_context *ctx, const specreg_vocabulary *v,
                                    specreg_table *t)
{
    specreg_status st = SPECREG_OK;
    sri_column *c = &t->column[0];
    sri_texts names = {0};
    double *numbers = NULL;
    int32_t code;
    char place[1024];
    if (t->n_columns != 1 || !c->is_text)
        return st;
    SRI_REQUIRE(ctx, v->n_classes > 0, SPECREG_E_SHAPE,
                "%s: labels=numbers needs the classes, which the vocabulary does not know",
                t->source);
    for (int64_t k = 0; k < v->n_classes; k++) {
        SRI_TRY(sri_texts_code(ctx, &names, v->label[k], strlen(v->label[k]), &code));
        SRI_REQUIRE(ctx, code == k, SPECREG_E_FORMAT, "the vocabulary has class '%s' twice",
                    v->label[k]);
    }
    SRI_ALLOC(ctx, numbers, t->rows, 1);
    for (int64_t i = 0; i < t->rows; i++) {
        const char *text = c->code[i] < 0 ? NULL : c->texts.text[c->code[i]];
        code = text ? sri_texts_find(&names, text, strlen(text)) : -1;
        SRI_REQUIRE(ctx, code >= 0 || !text, SPECREG_E_SHAPE,
                    "%s: class '%s' was not there when the vocabulary was made",
                    sri_table_place(t, i, place, sizeof place), text);
        numbers[i] = code < 0 ? NAN : code + 1;
    }
    sri_texts_free(&c->texts);
    sri_free(c->code);
    sri_free(t->numbers);
    *c = (sri_column){.name = c->name};
    t->numbers = numbers;
    t->n_numbers = 1;
    numbers = NULL;
done:
    sri_free(numbers);
    sri_texts_free(&names);
    return st;
}

static specreg_status learn_all(specreg_context *ctx, const specreg_table *t, int64_t documents,
                                const sri_text_how *how, specreg_vocabulary **out)
{
    specreg_status st = SPECREG_OK;
    int64_t *rows = NULL;
    SRI_ALLOC(ctx, rows, t->rows, 1);
    for (int64_t i = 0; i < t->rows; i++)
        rows[i] = i;
    SRI_TRY(sri_vocabulary_learn(ctx, &(sri_rows){t, rows, t->rows}, documents, NULL, how, out));
done:
    sri_free(rows);
    return st;
}

/* With classes; documents without a label do not count. */
static specreg_status learn_labelled(specreg_context *ctx, const specreg_table *t,
                                     int64_t documents, const specreg_table *labels,
                                     const sri_text_how *how, specreg_vocabulary **out)
{
    const sri_recipe recipe = {.data = {.missing = SRI_MISSING_DROP,
                                        .problem = SRI_PROBLEM_AUTO,
                                        .class_weight = "",
                                        .coding = {.ops = &sri_coding_ova}}};
    sri_corpus corpus = {.table = labels, .roles = {.target = ""}};
    SRI_CALL(sri_corpus_learn(ctx, t, documents, &recipe, how, &corpus));
    *out = corpus.vocabulary;
    return SPECREG_OK;
}

specreg_status specreg_vocabulary_learn(specreg_context *ctx, const specreg_table *t,
                                        const specreg_options *options, specreg_vocabulary **out)
{
    SRI_MAKES(ctx, out, t);
    specreg_status st = SPECREG_OK;
    const char *text = sri_option_value(options, SRI_OPT_TEXT);
    sri_text_how how;
    int64_t documents;
    specreg_table *labels = NULL;
    SRI_TRY(sri_text_how_parse(ctx, *text ? text : "auto", &how));
    SRI_TRY(sri_text_column(ctx, t, options, &documents));
    SRI_TRY(label_table(ctx, t, documents, sri_option_value(options, SRI_OPT_TARGET), &labels));
    if (labels->n_columns == 1 && how.choose != SRI_CHOOSE_FREQUENCY)
        SRI_TRY(learn_labelled(ctx, t, documents, labels, &how, out));
    else
        SRI_TRY(learn_all(ctx, t, documents, &how, out));
done:
    specreg_table_free(labels);
    return st;
}

specreg_status sri_vocabulary_table(specreg_context *ctx, const specreg_vocabulary *v,
                                    const specreg_table *t, const specreg_options *options,
                                    specreg_table **out, sri_text_counts *counts)
{
    specreg_status st = SPECREG_OK;
    specreg_table *made = NULL, *labels = NULL;
    sri_matrix *features = NULL;
    int64_t documents;
    enum { NAMES, NUMBERS };
    static const char *const known[] = {[NAMES] = "names", [NUMBERS] = "numbers"};
    int how;
    *out = NULL;
    SRI_TRY(
        sri_choose_known(ctx, "labels", sri_option_value(options, SRI_OPT_LABELS), known, 2, &how));
    /* the column of the option, else the one that the vocabulary was learned from */
    SRI_TRY(*sri_option_value(options, SRI_OPT_TEXT_COLUMN) || t->sparse
                ? sri_text_column(ctx, t, options, &documents)
                : sri_vocabulary_column(ctx, v, t, &documents));
    SRI_TRY(label_table(ctx, t, documents, sri_option_value(options, SRI_OPT_TARGET), &labels));
    if (labels->n_columns == 0)
        SRI_TRY(no_labels(ctx, t, &made));
    else {
        SRI_MOVE(made, labels);
    }
    if (how == NUMBERS)
        SRI_TRY(number_labels(ctx, v, made));
    SRI_TRY(sri_vocabulary_apply(ctx, v, t, documents, &features, counts));
    SRI_TRY(sri_text_attach(ctx, made, features));
    SRI_MOVE(*out, made);
done:
    specreg_table_free(labels);
    specreg_table_free(made);
    return st;
}
