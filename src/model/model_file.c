/* What a model file holds: the tensors of f (model_tensors.c), `scaling`, or `factor` of sparse
 * data, and, where there are some, `held_residual`, `weight` and `words`; in the metadata, as
 * JSON text, `kernel`, `encoder`, `target`, `record`, for classes `coding` and, where the fit
 * could tell, `calibration`; of a model of documents also `vocabulary`, the lines that a
 * vocabulary file has; of points for one output or task `outputs` and `tasks`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/text/plsa.h"
#include "data/text/vocabulary.h"
#include "kernel/linear_map.h"
#include "kernel/registry.h"
#include "model/container.h"
#include "model/model_tensors.h"
#include "model/record.h"

enum { SCALING_COLUMNS = 5 }; /* fill, shift, factor, exponent, position */

/* ------------------------------------------------------------------- writing */

static json_t *texts_json(char *const *text, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        sri_json_add(&list, json_string(text[i]));
    return list;
}

/* Adds the columns set aside, where there are some. */
static json_t *with_aside(json_t *json, const sri_aside *aside)
{
    json_t *list = json_array();
    for (int i = 0; i < aside->count; i++)
        sri_json_add(&list, json_integer(aside->column[i]));
    if (aside->count)
        sri_json_put(&json, "aside", list);
    else
        json_decref(list);
    return json;
}

static json_t *encoder_json(const sri_encoder *e)
{
    json_t *features = json_array();
    for (int64_t i = 0; i < e->n_features && !e->sparse; i++) {
        const sri_feature *f = &e->feature[i];
        json_t *feature = json_pack("{s:s}", "name", f->name);
        if (f->is_text) {
            json_t *shares = json_array();
            for (int64_t c = 0; f->share && c < f->category.count; c++)
                sri_json_add(&shares, json_real(f->share[c]));
            sri_json_put(&feature, "categories", texts_json(f->category.text, f->category.count));
            sri_json_put(&feature, "shares", shares);
        }
        sri_json_add(&features, feature);
    }
    json_t *json = json_pack("{s:s, s:b, s:b, s:I, s:o}", "scale", sri_scale_name(e->scale),
                             "by_number", e->by_number, "has_names", e->has_names, "table_columns",
                             (json_int_t)e->table_columns, "features", features);
    if (e->sparse) {
        sri_json_put(&json, "sparse", json_true());
        sri_json_put(&json, "columns", json_integer((json_int_t)e->p));
    }
    return with_aside(json, &e->aside);
}

static json_t *target_json(const sri_target *t)
{
    json_t *counts = json_array(), *positions = json_array();
    for (int64_t i = 0; i < t->n_classes; i++)
        sri_json_add(&counts, json_integer(t->count[i]));
    for (int64_t i = 0; i < t->n_columns; i++)
        sri_json_add(&positions, json_integer(t->position[i]));
    json_t *json =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:b, s:s}", "problem",
                  sri_problem_name(t->problem), "names", texts_json(t->name, t->n_columns),
                  "labels", texts_json(t->label, t->n_classes), "counts", counts, "positions",
                  positions, "table_columns", (json_int_t)t->table_columns, "has_names",
                  t->has_names, "why", t->why);
    if (t->gaps)
        sri_json_put(&json, "gaps", json_true());
    return with_aside(json, &t->aside);
}

/* The matrices of outputs or tasks, and how rows become points. */
static json_t *outputs_json(const specreg_model *model)
{
    json_t *json = json_copy(model->outputs);
    sri_json_put(&json, "points",
                 json_string(model->layout.kind == SRI_LAYOUT_TASKS ? "tasks" : "outputs"));
    return json;
}

/* Adds `value` to the metadata as text; takes it over. */
static specreg_status add_text(specreg_context *ctx, json_t *metadata, const char *key,
                               json_t *value)
{
    char *text = NULL;
    specreg_status st = sri_json_text(ctx, value, JSON_COMPACT | JSON_SORT_KEYS, &text);
    json_decref(value);
    if (st == SPECREG_OK && json_object_set_new(metadata, key, json_string(text)) != 0)
        st = sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
    free(text);
    return st;
}

static specreg_status add_vocabulary(specreg_context *ctx, json_t *metadata,
                                     const specreg_vocabulary *words)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    SRI_TRY(sri_vocabulary_print(ctx, words, &text));
    SRI_REQUIRE(ctx, json_object_set_new(metadata, "vocabulary", json_string(text.data)) == 0,
                SPECREG_E_NOMEM, "out of memory");
done:
    sri_buffer_free(&text);
    return st;
}

specreg_status specreg_model_save(specreg_context *ctx, const specreg_model *model,
                                  const char *path)
{
    specreg_status st = SPECREG_OK;
    const sri_encoder *e = model->encoder;
    json_t *metadata = json_object();
    double *scaling = NULL;
    const int64_t features = e->sparse ? 0 : e->n_features;
    const sri_plsa *topics = sri_predefined_topics(&model->features);
    sri_tensor_list list = {0};
    SRI_ALLOC(ctx, scaling, features, SCALING_COLUMNS);
    for (int64_t i = 0; i < features; i++) {
        const sri_feature *f = &e->feature[i];
        const double row[SCALING_COLUMNS] = {f->fill, f->shift, f->factor, (double)f->exponent,
                                             (double)f->position};
        memcpy(scaling + i * SCALING_COLUMNS, row, sizeof row);
    }
    SRI_TRY(add_text(ctx, metadata, "kernel", json_incref(model->kernel)));
    SRI_TRY(add_text(ctx, metadata, "encoder", encoder_json(e)));
    SRI_TRY(add_text(ctx, metadata, "target", target_json(model->target)));
    SRI_TRY(add_text(ctx, metadata, "record", json_incref(model->record)));
    if (model->outputs)
        SRI_TRY(add_text(ctx, metadata, "outputs", outputs_json(model)));
    if (model->tasks)
        SRI_TRY(add_text(ctx, metadata, "tasks", target_json(model->tasks)));
    if (model->coding)
        SRI_TRY(add_text(ctx, metadata, "coding", sri_coding_json(model->coding)));
    if (model->calibration.slopes)
        SRI_TRY(add_text(ctx, metadata, "calibration", sri_calibration_json(&model->calibration)));
    if (model->words)
        SRI_TRY(add_vocabulary(ctx, metadata, model->words));
    if (model->features.n_terms)
        SRI_TRY(add_text(ctx, metadata, "features", sri_predefined_json(&model->features)));
    SRI_TRY(sri_model_tensors_list(ctx, model, &list));
    if (features)
        sri_tensor_list_add(&list, "scaling", scaling, features, SCALING_COLUMNS);
    if (e->factor)
        sri_tensor_list_add(&list, "factor", e->factor, e->n_features, 1);
    if (model->held)
        sri_tensor_list_add(&list, "held_residual", model->held, model->n, model->T);
    if (model->features.n_terms)
        sri_tensor_list_add(&list, "beta", model->beta, model->features.l, model->T);
    if (topics) {
        sri_tensor_list_add(&list, "topic_word", topics->word, topics->words, topics->topics);
        sri_tensor_list_add(&list, "topic_share", topics->prior, topics->topics, 1);
    }
    if (model->weight && (model->held || model->alpha))
        sri_tensor_list_add(&list, "weight", model->weight, model->n, 1);
    if (model->coding && model->coding->word)
        sri_tensor_list_add(&list, "words", model->coding->word, model->coding->n_classes,
                            model->coding->width);
    SRI_TRY(sri_container_write(ctx, path, metadata, list.tensor, list.count));
done:
    sri_tensor_list_free(&list);
    free(scaling);
    json_decref(metadata);
    return st;
}

/* ------------------------------------------------------------------- reading
 * The checksum has been checked, so what follows guards against files made by others. */

static specreg_status part(specreg_context *ctx, const sri_container *c, const char *key,
                           json_t **out)
{
    const char *text = json_string_value(json_object_get(c->metadata, key));
    json_error_t error = {0};
    *out = text ? json_loads(text, JSON_REJECT_DUPLICATES, &error) : NULL;
    if (text && !*out && (!error.text[0] || json_error_code(&error) == json_error_out_of_memory))
        return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
    return json_is_object(*out) ? SPECREG_OK : sri_model_broken(ctx, key);
}

/* A list of texts as newly allocated C strings. */
static specreg_status read_texts(specreg_context *ctx, const json_t *list, char ***out,
                                 int64_t *count)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = (int64_t)json_array_size(list);
    SRI_CALLOC(ctx, *out, n, 1);
    *count = n;
    for (int64_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(list, (size_t)i));
        if (!text)
            return sri_model_broken(ctx, "list of texts");
        SRI_STRDUP(ctx, (*out)[i], text);
    }
done:
    return st;
}

static specreg_status read_integers(specreg_context *ctx, const json_t *list, int64_t count,
                                    int64_t **out)
{
    specreg_status st = SPECREG_OK;
    SRI_ALLOC(ctx, *out, count, 1);
    for (int64_t i = 0; i < count; i++) {
        const json_t *v = json_array_get(list, (size_t)i);
        if (!json_is_integer(v) || json_integer_value(v) < 0)
            return sri_model_broken(ctx, "list of numbers");
        (*out)[i] = json_integer_value(v);
    }
done:
    return st;
}

/* The columns set aside; a file without the list has none. */
static specreg_status read_aside(specreg_context *ctx, const json_t *json, sri_aside *out)
{
    const json_t *list = json_object_get(json, "aside");
    const size_t count = json_array_size(list);
    if ((list && !json_is_array(list)) || count > SRI_ASIDE_MAX)
        return sri_model_broken(ctx, "list of columns set aside");
    for (size_t i = 0; i < count; i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_integer(v) || json_integer_value(v) < 0)
            return sri_model_broken(ctx, "list of columns set aside");
        out->column[out->count++] = json_integer_value(v);
    }
    return SPECREG_OK;
}

static specreg_status read_target(specreg_context *ctx, const json_t *json, sri_target **out)
{
    specreg_status st = SPECREG_OK;
    sri_target *t = NULL;
    SRI_CALLOC(ctx, t, 1, 1);
    *out = t; /* freed with the model on failure */
    const char *problem = json_string_value(json_object_get(json, "problem"));
    const char *why = json_string_value(json_object_get(json, "why"));
    if (!problem || !why)
        return sri_model_broken(ctx, "target");
    t->problem = strcmp(problem, "regression") == 0 ? SRI_REGRESSION : SRI_CLASSIFICATION;
    strncpy(t->why, why, sizeof t->why - 1);
    SRI_TRY(read_texts(ctx, json_object_get(json, "names"), &t->name, &t->n_columns));
    SRI_TRY(read_texts(ctx, json_object_get(json, "labels"), &t->label, &t->n_classes));
    SRI_TRY(read_integers(ctx, json_object_get(json, "counts"), t->n_classes, &t->count));
    SRI_TRY(read_integers(ctx, json_object_get(json, "positions"), t->n_columns, &t->position));
    t->table_columns = json_integer_value(json_object_get(json, "table_columns"));
    t->has_names = json_is_true(json_object_get(json, "has_names"));
    t->gaps = json_is_true(json_object_get(json, "gaps"));
    SRI_TRY(read_aside(ctx, json, &t->aside));
    if (t->n_columns < 1 || (t->problem == SRI_CLASSIFICATION) != (t->n_classes >= 2))
        return sri_model_broken(ctx, "target");
done:
    return st;
}

static specreg_status read_feature(specreg_context *ctx, const json_t *json, const double *scaling,
                                   sri_feature *f)
{
    specreg_status st = SPECREG_OK;
    const char *name = json_string_value(json_object_get(json, "name"));
    const json_t *categories = json_object_get(json, "categories");
    const json_t *shares = json_object_get(json, "shares");
    const double exponent = scaling[3], position = scaling[4];
    if (!name || !(exponent >= -4096 && exponent <= 4096) || !(position >= 0 && position < 1e15))
        return sri_model_broken(ctx, "encoder");
    SRI_STRDUP(ctx, f->name, name);
    f->fill = scaling[0];
    f->shift = scaling[1];
    f->factor = scaling[2];
    f->exponent = (int)exponent;
    f->position = (int64_t)position;
    f->is_text = categories != NULL;
    const size_t count = json_array_size(categories), n_shares = json_array_size(shares);
    if (f->is_text && n_shares) {
        if (n_shares != count)
            return sri_model_broken(ctx, "encoder");
        SRI_ALLOC(ctx, f->share, (int64_t)count, 1);
    }
    for (size_t i = 0; i < count; i++) {
        int32_t code;
        const char *text = json_string_value(json_array_get(categories, i));
        if (!text)
            return sri_model_broken(ctx, "encoder");
        SRI_TRY(sri_texts_code(ctx, &f->category, text, strlen(text), &code));
        if ((size_t)code != i)
            return sri_model_broken(ctx, "encoder");
        if (f->share)
            f->share[i] = json_number_value(json_array_get(shares, i));
    }
done:
    return st;
}

static specreg_status read_sparse_encoder(specreg_context *ctx, const json_t *json,
                                          const sri_container *c, sri_encoder *e)
{
    specreg_status st = SPECREG_OK;
    const json_int_t columns = json_integer_value(json_object_get(json, "columns"));
    SRI_TRY(sri_scale_parse(ctx, json_string_value(json_object_get(json, "scale")), &e->scale));
    e->table_columns = json_integer_value(json_object_get(json, "table_columns"));
    if (columns < 0 || columns > INT32_MAX || e->table_columns < columns)
        return sri_model_broken(ctx, "encoder");
    e->n_features = e->p = columns;
    e->sparse = e->by_number = true;
    SRI_TRY(read_aside(ctx, json, &e->aside));
    SRI_TRY(sri_optional_tensor(ctx, c, "factor", columns, 1, &e->factor));
done:
    return st;
}

static specreg_status read_encoder(specreg_context *ctx, const json_t *json, const sri_container *c,
                                   sri_encoder **out)
{
    specreg_status st = SPECREG_OK;
    double *scaling = NULL;
    int64_t rows, cols;
    sri_encoder *e = NULL;
    const json_t *features = json_object_get(json, "features");
    const char *scale = json_string_value(json_object_get(json, "scale"));
    SRI_CALLOC(ctx, e, 1, 1);
    *out = e; /* freed with the model on failure */
    if (scale && json_is_true(json_object_get(json, "sparse"))) {
        st = read_sparse_encoder(ctx, json, c, e);
        goto done;
    }
    SRI_TRY(sri_container_tensor(ctx, c, "scaling", &scaling, &rows, &cols));
    if (!scale || rows != (int64_t)json_array_size(features) || cols != SCALING_COLUMNS) {
        st = sri_model_broken(ctx, "encoder");
        goto done;
    }
    SRI_TRY(sri_scale_parse(ctx, scale, &e->scale));
    e->by_number = json_is_true(json_object_get(json, "by_number"));
    e->has_names = json_is_true(json_object_get(json, "has_names"));
    e->table_columns = json_integer_value(json_object_get(json, "table_columns"));
    SRI_TRY(read_aside(ctx, json, &e->aside));
    SRI_CALLOC(ctx, e->feature, rows, 1);
    for (int64_t i = 0; i < rows; i++) {
        sri_feature *f = &e->feature[i];
        e->n_features = i + 1;
        f->at = e->p;
        SRI_TRY(read_feature(ctx, json_array_get(features, (size_t)i), scaling + i * cols, f));
        e->p += f->is_text ? f->category.count : 1;
    }
done:
    free(scaling);
    return st;
}

/* The numbers of outputs or tasks, where centres have them. */
static specreg_status check_labels(specreg_context *ctx, const specreg_model *m)
{
    for (int64_t i = 0; m->layout.kind != SRI_LAYOUT_ROWS && i < m->n; i++) {
        const double label = m->centres[(i + 1) * m->q - 1];
        if (!(label >= 0 && label < (double)m->layout.T) || label != rint(label))
            return sri_model_broken(ctx, "list of outputs");
    }
    return SPECREG_OK;
}

/* The matrices of outputs or tasks, where there are some. */
static specreg_status read_outputs(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    json_t *tasks = NULL;
    if (!json_object_get(c->metadata, "outputs"))
        return st;
    SRI_TRY(part(ctx, c, "outputs", &m->outputs));
    const char *points = json_string_value(json_object_get(m->outputs, "points"));
    if (!points)
        return sri_model_broken(ctx, "outputs");
    m->layout.kind = strcmp(points, "tasks") == 0 ? SRI_LAYOUT_TASKS : SRI_LAYOUT_OUTPUTS;
    m->layout.T = m->target->n_columns;
    if (m->layout.kind == SRI_LAYOUT_TASKS) {
        SRI_TRY(part(ctx, c, "tasks", &tasks));
        SRI_TRY(read_target(ctx, tasks, &m->tasks));
        if (m->tasks->problem != SRI_CLASSIFICATION || m->tasks->n_columns != 1)
            st = sri_model_broken(ctx, "tasks");
        m->layout.T = m->tasks->n_classes;
    } else if (m->target->problem != SRI_REGRESSION) {
        st = sri_model_broken(ctx, "outputs");
    }
    SRI_TRY(st);
    json_object_del(m->outputs, "points");
    SRI_TRY(sri_model_coupling(ctx, m));
done:
    json_decref(tasks);
    return st;
}

/* Shapes that fit each other and the parts. */
static specreg_status check_shapes(specreg_context *ctx, specreg_model *m)
{
    double scale;
    sri_kernel kernel;
    const bool labelled = m->layout.kind != SRI_LAYOUT_ROWS;
    const int64_t outputs = m->coding ? m->coding->width : m->target->n_columns;
    if (m->T != (m->layout.kind == SRI_LAYOUT_OUTPUTS ? 1 : outputs) || (labelled && !m->centres))
        return sri_model_broken(ctx, "shape");
    m->T = outputs;
    const char *name = json_string_value(json_object_get(m->kernel, "name"));
    if (!name)
        return sri_model_broken(ctx, "kernel");
    const specreg_status known = sri_kernel_from_json(ctx, m->kernel, &kernel);
    if (known == SPECREG_E_FORMAT)
        return known; /* a user's kernel may be registered later */
    if (known == SPECREG_OK && sri_kernel_is_field(&kernel) &&
        (m->coding || labelled || m->T != m->encoder->p || !m->centres))
        return sri_model_broken(ctx, "field");
    if (m->slope && (labelled || known != SPECREG_OK || !sri_kernel_is_linear(&kernel, &scale)))
        return sri_model_broken(ctx, "kernel");
    if (!m->points)
        return SPECREG_OK;
    if (strcmp(name, "precomputed") != 0)
        return m->q == m->encoder->p + labelled ? check_labels(ctx, m)
                                                : sri_model_broken(ctx, "shape");
    if (m->q != 1 || labelled)
        return sri_model_broken(ctx, "shape");
    for (int64_t i = 0; i < m->n; i++) /* centres are columns of the rows to come */
        if (!(m->centres[i] >= 0 && m->centres[i] < (double)m->encoder->p))
            return sri_model_broken(ctx, "list of centres");
    return SPECREG_OK;
}

/* Weights: none is negative, and not all are 0. */
static specreg_status read_weight(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    double sum = 0;
    SRI_TRY(sri_optional_tensor(ctx, c, "weight", m->n, 1, &m->weight));
    for (int64_t i = 0; m->weight && i < m->n; i++) {
        if (!(m->weight[i] >= 0))
            return sri_model_broken(ctx, "weight");
        sum += m->weight[i];
    }
    if (m->weight && !(sum > 0 && sum < INFINITY))
        return sri_model_broken(ctx, "weight");
done:
    return st;
}

static specreg_status read_calibration(specreg_context *ctx, const sri_container *c,
                                       specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    json_t *json = NULL;
    if (!json_object_get(c->metadata, "calibration"))
        return st;
    SRI_TRY(part(ctx, c, "calibration", &json));
    if (!sri_calibration_from_json(json, m->target->n_classes, &m->calibration))
        st = sri_model_broken(ctx, "calibration");
done:
    json_decref(json);
    return st;
}

/* Probabilities: none is negative. */
static specreg_status read_topics(specreg_context *ctx, const sri_container *c, sri_plsa *topics)
{
    specreg_status st = SPECREG_OK;
    if (!topics)
        return st;
    SRI_TRY(
        sri_optional_tensor(ctx, c, "topic_word", topics->words, topics->topics, &topics->word));
    SRI_TRY(sri_optional_tensor(ctx, c, "topic_share", topics->topics, 1, &topics->prior));
    bool good = topics->word && topics->prior;
    for (int64_t k = 0; good && k < topics->words * topics->topics; k++)
        good = topics->word[k] >= 0 && topics->word[k] <= 1;
    for (int64_t k = 0; good && k < topics->topics; k++)
        good = topics->prior[k] >= 0 && topics->prior[k] <= 1;
    if (!good)
        st = sri_model_broken(ctx, "topics");
done:
    return st;
}

/* Features that are not penalised, and their coefficients. */
static specreg_status read_features(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    json_t *json = NULL;
    if (!json_object_get(c->metadata, "features"))
        return st;
    SRI_TRY(part(ctx, c, "features", &json));
    SRI_TRY(sri_predefined_from_json(ctx, json, m->encoder->p, &m->features));
    SRI_TRY(sri_optional_tensor(ctx, c, "beta", m->features.l, m->T, &m->beta));
    if (!m->beta)
        st = sri_model_broken(ctx, "features");
    SRI_TRY(st);
    SRI_TRY(read_topics(ctx, c, sri_predefined_topics(&m->features)));
done:
    json_decref(json);
    return st;
}

/* A word for each feature. */
static specreg_status read_vocabulary(specreg_context *ctx, const sri_container *c,
                                      specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    const char *text = json_string_value(json_object_get(c->metadata, "vocabulary"));
    if (!text)
        return st;
    SRI_TRY(sri_vocabulary_parse(ctx, "vocabulary", text, strlen(text), &m->words));
    if (m->words->words.count != m->encoder->n_features || !m->encoder->by_number)
        st = sri_model_broken(ctx, "vocabulary");
done:
    return st;
}

/* The words of a coding that has no rule for them: those of the file, whatever this version would
 * choose. */
static specreg_status read_words(specreg_context *ctx, const sri_container *c, int64_t n_classes,
                                 int64_t width, double **words)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_optional_tensor(ctx, c, "words", n_classes, width, words));
    bool good = *words != NULL;
    for (int64_t i = 0; good && i < n_classes * width; i++)
        good = isfinite((*words)[i]);
    if (!good)
        st = sri_model_broken(ctx, "words");
done:
    return st;
}

/* A file without a coding is of a version that knew one against all only. */
static specreg_status read_coding(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    sri_coding_spec spec = {.ops = &sri_coding_ova};
    json_t *json = NULL;
    double *words = NULL;
    const int64_t k = m->target->n_classes;
    if (m->target->problem != SRI_CLASSIFICATION)
        return st;
    if (json_object_get(c->metadata, "coding")) {
        SRI_TRY(part(ctx, c, "coding", &json));
        if (!sri_coding_spec_from_json(ctx, json, &spec)) {
            st = sri_model_broken(ctx, "coding");
            goto done;
        }
    }
    if (spec.ops->fill)
        SRI_TRY(read_words(ctx, c, k, spec.ops->width(&spec, k), &words));
    st = sri_coding_of_words(ctx, &spec, k, words, &m->coding);
    words = NULL;
done:
    free(words);
    json_decref(json);
    return st;
}

static specreg_status read_model(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    json_t *encoder = NULL, *target = NULL;
    SRI_TRY(part(ctx, c, "kernel", &m->kernel));
    SRI_TRY(part(ctx, c, "record", &m->record));
    SRI_TRY(part(ctx, c, "encoder", &encoder));
    SRI_TRY(part(ctx, c, "target", &target));
    SRI_TRY(read_target(ctx, target, &m->target));
    SRI_TRY(read_encoder(ctx, encoder, c, &m->encoder));
    SRI_TRY(read_coding(ctx, c, m));
    SRI_TRY(sri_model_tensors_read(ctx, c, m));
    SRI_TRY(read_outputs(ctx, c, m));
    SRI_TRY(check_shapes(ctx, m));
    SRI_TRY(read_weight(ctx, c, m));
    SRI_TRY(sri_optional_tensor(ctx, c, "held_residual", m->n, m->T, &m->held));
    SRI_TRY(read_calibration(ctx, c, m));
    SRI_TRY(read_vocabulary(ctx, c, m));
    SRI_TRY(read_features(ctx, c, m));
    if (m->points)
        m->points->labelled = m->layout.kind != SRI_LAYOUT_ROWS;
done:
    json_decref(target);
    json_decref(encoder);
    return st;
}

specreg_status specreg_model_load(specreg_context *ctx, const char *path, specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_container c = {0};
    specreg_model *m = NULL;
    *out = NULL;
    SRI_TRY(sri_container_read(ctx, path, &c));
    SRI_CALLOC(ctx, m, 1, 1);
    st = read_model(ctx, &c, m);
    if (st != SPECREG_OK) {
        sri_fail_at(ctx, st, "%s", path);
        goto done;
    }
    *out = m;
    m = NULL;
done:
    specreg_model_free(m);
    sri_container_free(&c);
    return st;
}

specreg_status specreg_model_record(specreg_context *ctx, const specreg_model *model, char **json)
{
    *json = NULL;
    json_t *record = json_object(); /* json_copy() can lose members when memory runs out */
    if (json_object_update(record, model->record) != 0 ||
        (model->volatile_ && json_object_update(record, model->volatile_) != 0)) {
        json_decref(record);
        record = NULL;
    }
    if (model->calibration.slopes)
        sri_json_put(&record, "calibration", sri_calibration_json(&model->calibration));
    return record ? sri_record_text(ctx, record, json)
                  : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
}
