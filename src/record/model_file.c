/* What a model file holds: the tensors of f (model_tensors.c), `scaling`, or `factor` of sparse
 * data, and, where there are some, `held_residual`, `held_sample`, `weight` and `words`; in the
 * metadata, as JSON text, `kernel`, `method`, `encoder`, `target`, `record`, for classes `coding`
 * and, where the fit could tell, `calibration`; of a model of documents also `vocabulary`, the
 * lines that a vocabulary file has; of points for one output or task `outputs` and `tasks`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/text/plsa.h"
#include "data/text/vocabulary.h"
#include "kernel/linear_map.h"
#include "record/container.h"
#include "record/model_tensors.h"
#include "record/record.h"

enum { SCALING_COLUMNS = 5 }; /* fill, shift, factor, exponent, position */

/* What predictions ask of a model beside its tensors. */
static json_t *method_json(const specreg_model *model)
{
    json_t *json = json_pack("{s:s, s:s}", "kind", sri_model_kinds[model->kind], "problem",
                             sri_problem_name(model->problem));
    sri_json_put(&json, "outputs", sri_kernel_outputs_json(&model->kernel.kernel));
    if (model->uncertainty.approximate)
        sri_json_put(&json, "approximate", json_true());
    if (model->filter.filter.ops)
        sri_json_put(&json, "filter", sri_filter_json(&model->filter));
    else if (model->kind == SRI_MODEL_PREDICTOR)
        sri_json_put(&json, "imported", json_true());
    return json;
}

/* The matrices of outputs or tasks, and how rows become points. */
static json_t *outputs_json(const specreg_model *model)
{
    json_t *json = sri_couplings_json(&model->expansion, &model->kernel.kernel);
    sri_json_put(&json, "points",
                 json_string(model->expansion.layout.kind == SRI_LAYOUT_TASKS ? "tasks"
                                                                              : "outputs"));
    return json;
}

/* Adds `value` to the metadata as text; takes it over. */
static specreg_status add_text(specreg_context *ctx, sri_metadata *metadata, const char *key,
                               json_t *value)
{
    char *text = NULL;
    specreg_status st = sri_json_text(ctx, value, JSON_COMPACT | JSON_SORT_KEYS, &text);
    json_decref(value);
    if (st == SPECREG_OK)
        st = sri_metadata_set(ctx, metadata, key, text);
    sri_free(text);
    return st;
}

static specreg_status add_vocabulary(specreg_context *ctx, sri_metadata *metadata,
                                     const specreg_vocabulary *vocabulary)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    SRI_TRY(sri_vocabulary_print(ctx, vocabulary, &text));
    SRI_TRY(sri_metadata_set(ctx, metadata, "vocabulary", text.data));
done:
    sri_buffer_free(&text);
    return st;
}

/* Where rows come in blocks, the bytes of a model depend on the rows alone: not on the names of the
 * files that they lie in. */
static json_t *without_files(json_t *report)
{
    const json_t *approx = json_object_get(report, "approx");
    const char *kind = json_string_value(json_object_get(approx, "name"));
    json_t *out = json_deep_copy(report);
    if (kind && strcmp(kind, sri_approx_names[SRI_APPROX_RECTANGLE]) == 0)
        json_object_del(json_object_get(out, "data"), "file");
    return out;
}

static specreg_status add_report(specreg_context *ctx, sri_metadata *metadata,
                                 const specreg_model *model)
{
    specreg_status st = SPECREG_OK;
    json_t *report = NULL;
    SRI_TRY(sri_report_json(ctx, model, &report));
    if (report)
        SRI_TRY(add_text(ctx, metadata, "record", without_files(report)));
done:
    json_decref(report);
    return st;
}

/* Pictures, for people; as they came where the model was loaded. */
static specreg_status add_portrait(specreg_context *ctx, sri_metadata *metadata,
                                   const specreg_model *model)
{
    specreg_status st = SPECREG_OK;
    char *portrait = NULL, *rows = NULL;
    SRI_TRY(sri_portrait_texts(ctx, model, &portrait, &rows));
    if (portrait)
        SRI_TRY(sri_metadata_set(ctx, metadata, "portrait", portrait));
    if (rows)
        SRI_TRY(sri_metadata_set(ctx, metadata, "held_rows", rows));
done:
    sri_free(rows);
    sri_free(portrait);
    return st;
}

static specreg_status make_metadata(specreg_context *ctx, const specreg_model *model,
                                    sri_metadata *out)
{
    const sri_encoding *e = &model->encoding;
    SRI_CALL(add_text(ctx, out, "kernel", sri_kernel_json(&model->kernel.kernel)));
    SRI_CALL(add_text(ctx, out, "method", method_json(model)));
    SRI_CALL(add_text(ctx, out, "encoder", sri_encoder_json(e->encoder)));
    SRI_CALL(add_text(ctx, out, "target", sri_target_json(e->target)));
    SRI_CALL(add_report(ctx, out, model));
    SRI_CALL(add_portrait(ctx, out, model));
    if (model->expansion.layout.kind != SRI_LAYOUT_ROWS)
        SRI_CALL(add_text(ctx, out, "outputs", outputs_json(model)));
    if (e->tasks)
        SRI_CALL(add_text(ctx, out, "tasks", sri_target_json(e->tasks)));
    if (e->id)
        SRI_CALL(add_text(ctx, out, "id", sri_target_json(e->id)));
    if (e->coding)
        SRI_CALL(add_text(ctx, out, "coding", sri_coding_json(e->coding)));
    if (model->uncertainty.calibration.slopes)
        SRI_CALL(add_text(ctx, out, "calibration",
                          sri_calibration_json(&model->uncertainty.calibration)));
    if (e->vocabulary)
        SRI_CALL(add_vocabulary(ctx, out, e->vocabulary));
    if (model->unpenalised.terms.n_terms)
        SRI_CALL(add_text(ctx, out, "features", sri_predefined_json(&model->unpenalised.terms)));
    return SPECREG_OK;
}

/* A row of numbers for each feature. */
static specreg_status add_scaling(specreg_context *ctx, const sri_encoder *e, sri_tensor_list *list)
{
    double *scaling;
    if (!e->n_features)
        return SPECREG_OK;
    SRI_ARENA_NEW(ctx, &list->scratch, scaling, e->n_features, SCALING_COLUMNS);
    for (int64_t i = 0; i < e->n_features; i++) {
        const sri_feature *f = &e->feature[i];
        const double row[SCALING_COLUMNS] = {f->fill, f->shift, f->factor, (double)f->exponent,
                                             (double)f->position};
        memcpy(scaling + i * SCALING_COLUMNS, row, sizeof row);
    }
    sri_tensor_list_add(list, "scaling", scaling, e->n_features, SCALING_COLUMNS);
    return SPECREG_OK;
}

/* To a file, or to memory where there is no path. */
static specreg_status write_model(specreg_context *ctx, const specreg_model *model,
                                  const char *path, sri_buffer *memory)
{
    specreg_status st = SPECREG_OK;
    const sri_encoder *e = model->encoding.encoder;
    const sri_coding *coding = model->encoding.coding;
    const sri_unpenalised *u = &model->unpenalised;
    const sri_plsa *topics = sri_predefined_topics(&u->terms);
    const int64_t n = model->expansion.n, T = model->T;
    sri_metadata metadata = {0};
    sri_tensor_list list = {0};
    SRI_TRY(make_metadata(ctx, model, &metadata));
    SRI_TRY(sri_model_tensors_list(ctx, model, &list));
    if (!e->sparse)
        SRI_TRY(add_scaling(ctx, e, &list));
    if (e->factor)
        sri_tensor_list_add(&list, "factor", e->factor, e->n_features, 1);
    if (model->uncertainty.held_out)
        sri_tensor_list_add(&list, "held_residual", model->uncertainty.held_out, n, T);
    if (model->uncertainty.sample)
        sri_tensor_list_add(&list, "held_sample", model->uncertainty.sample,
                            model->uncertainty.sampled, T);
    if (u->terms.n_terms)
        sri_tensor_list_add(&list, "beta", u->beta, u->terms.l, T);
    if (topics) {
        sri_tensor_list_add(&list, "topic_word", topics->word, topics->words, topics->topics);
        sri_tensor_list_add(&list, "topic_share", topics->prior, topics->topics, 1);
    }
    if (model->uncertainty.weight && (model->uncertainty.held_out || model->expansion.alpha))
        sri_tensor_list_add(&list, "weight", model->uncertainty.weight, n, 1);
    if (coding && coding->word)
        sri_tensor_list_add(&list, "words", coding->word, coding->n_classes, coding->width);
    st = path ? sri_container_write(ctx, path, &metadata, list.tensor, list.count)
              : sri_container_print(ctx, &metadata, list.tensor, list.count, memory);
done:
    sri_arena_free(&list.scratch);
    sri_metadata_free(&metadata);
    return st;
}

specreg_status specreg_model_save(specreg_context *ctx, const specreg_model *model,
                                  const char *path)
{
    SRI_ARGS(ctx, model, path);
    return write_model(ctx, model, path, NULL);
}

specreg_status specreg_model_to_memory(specreg_context *ctx, const specreg_model *model,
                                       void **bytes, size_t *size)
{
    SRI_MAKES(ctx, bytes, model, size);
    sri_buffer memory = {0};
    const specreg_status st = write_model(ctx, model, NULL, &memory);
    *size = 0;
    if (st != SPECREG_OK) {
        sri_buffer_free(&memory);
        return st;
    }
    *bytes = memory.data;
    *size = (size_t)memory.length;
    return SPECREG_OK;
}

/* Reading: the checksum has been checked, so what follows guards against files made by others. */

static specreg_status part(specreg_context *ctx, const sri_container *c, const char *key,
                           json_t **out)
{
    const char *text = sri_metadata_get(&c->metadata, key);
    json_error_t error = {0};
    *out = text ? json_loads(text, JSON_REJECT_DUPLICATES, &error) : NULL;
    if (text && !*out && (!error.text[0] || json_error_code(&error) == json_error_out_of_memory))
        return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
    return json_is_object(*out) ? SPECREG_OK : sri_model_broken(ctx, key);
}

/* What reads the JSON of a part into the model. */
typedef specreg_status part_reader(specreg_context *ctx, const sri_container *c, const json_t *json,
                                   specreg_model *m);

static specreg_status read_part(specreg_context *ctx, const sri_container *c, const char *key,
                                part_reader *read, specreg_model *m)
{
    json_t *json = NULL;
    specreg_status st = part(ctx, c, key, &json);
    if (st == SPECREG_OK)
        st = read(ctx, c, json, m);
    json_decref(json);
    return st;
}

/* A part that a file need not have. */
static specreg_status read_optional(specreg_context *ctx, const sri_container *c, const char *key,
                                    part_reader *read, specreg_model *m)
{
    return sri_metadata_get(&c->metadata, key) ? read_part(ctx, c, key, read, m) : SPECREG_OK;
}

static specreg_status read_encoder(specreg_context *ctx, const sri_container *c, const json_t *json,
                                   specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    double *scaling = NULL;
    int64_t rows, cols;
    SRI_CALLOC(ctx, m->encoding.encoder, 1, 1);
    sri_encoder *e = m->encoding.encoder;
    if (json_is_string(json_object_get(json, "scale")) &&
        json_is_true(json_object_get(json, "sparse"))) {
        SRI_TRY(sri_sparse_encoder_from_json(ctx, json, e));
        SRI_TRY(sri_optional_tensor(ctx, c, "factor", e->p, 1, &e->factor));
        goto done;
    }
    SRI_TRY(sri_container_tensor(ctx, c, "scaling", &scaling, &rows, &cols));
    SRI_TRY(cols == SCALING_COLUMNS ? SPECREG_OK : sri_model_broken(ctx, "encoder"));
    SRI_TRY(sri_encoder_from_json(ctx, json, scaling, rows, e));
done:
    sri_free(scaling);
    return st;
}

static specreg_status read_target(specreg_context *ctx, const sri_container *c, const json_t *json,
                                  specreg_model *m)
{
    (void)c;
    return sri_target_from_json(ctx, json, &m->encoding.target);
}

static specreg_status read_tasks(specreg_context *ctx, const sri_container *c, const json_t *json,
                                 specreg_model *m)
{
    (void)c;
    return sri_target_from_json(ctx, json, &m->encoding.tasks);
}

static specreg_status read_id(specreg_context *ctx, const sri_container *c, const json_t *json,
                              specreg_model *m)
{
    (void)c;
    SRI_CALL(sri_target_from_json(ctx, json, &m->encoding.id));
    return m->encoding.id->n_columns == 1 ? SPECREG_OK : sri_model_broken(ctx, "id");
}

/* The matrices of outputs or tasks, and how rows become points: by the number of their task, or an
 * output at a time. */
static specreg_status read_outputs(specreg_context *ctx, const sri_container *c, const json_t *json,
                                   specreg_model *m)
{
    const sri_encoding *e = &m->encoding;
    sri_layout *layout = &m->expansion.layout;
    const char *points = json_string_value(json_object_get(json, "points"));
    if (!points)
        return sri_model_broken(ctx, "outputs");
    layout->kind = strcmp(points, "tasks") == 0 ? SRI_LAYOUT_TASKS : SRI_LAYOUT_OUTPUTS;
    if (layout->kind == SRI_LAYOUT_TASKS)
        SRI_CALL(read_part(ctx, c, "tasks", read_tasks, m));
    if (e->tasks && (e->tasks->problem != SRI_CLASSIFICATION || e->tasks->n_columns != 1))
        return sri_model_broken(ctx, "tasks");
    if (!e->tasks && e->target->problem != SRI_REGRESSION)
        return sri_model_broken(ctx, "outputs");
    layout->T = e->tasks ? e->tasks->n_classes : e->target->n_columns;
    SRI_CALL(sri_couplings_from_json(ctx, json, &m->expansion));
    const sri_coupling *first = m->expansion.coupling[0];
    if (e->tasks && sri_coupling_width(first, e->encoder->p) != e->encoder->p)
        return sri_model_broken(ctx, "tasks");
    if (first->shift && first->p != e->encoder->p)
        return sri_fail(ctx, SPECREG_E_FORMAT, "the model's shifts do not fit its features");
    return SPECREG_OK;
}

/* The numbers of outputs or tasks, where centres have them. */
static specreg_status check_labels(specreg_context *ctx, const sri_layout *layout,
                                   const sri_matrix *centres)
{
    for (int64_t i = 0; layout->kind != SRI_LAYOUT_ROWS && i < centres->n; i++) {
        const double label = centres->x[(i + 1) * centres->p - 1];
        if (!(label >= 0 && label < (double)layout->T) || label != rint(label))
            return sri_model_broken(ctx, "list of outputs");
    }
    return SPECREG_OK;
}

static bool is_precomputed(const specreg_model *m)
{
    for (int i = 0; i < m->kernel.kernel.n_terms; i++)
        if (m->kernel.kernel.term[i].ops->indexed)
            return true;
    return false;
}

/* Dense centres as the file has them: rows of the encoder's columns and perhaps a label, or
 * numbers of columns of the rows to come. */
static specreg_status check_centres(specreg_context *ctx, const specreg_model *m,
                                    const sri_matrix *centres)
{
    const sri_layout *layout = &m->expansion.layout;
    const int64_t p = sri_coupling_width(layout->seen, m->encoding.encoder->p);
    const bool labelled = layout->kind != SRI_LAYOUT_ROWS;
    if (!is_precomputed(m))
        return centres->p == p + labelled ? check_labels(ctx, layout, centres)
                                          : sri_model_broken(ctx, "shape");
    if (centres->p != 1 || labelled)
        return sri_model_broken(ctx, "shape");
    for (int64_t i = 0; i < centres->n; i++)
        if (!(centres->x[i] >= 0 && centres->x[i] < (double)p))
            return sri_model_broken(ctx, "list of centres");
    return SPECREG_OK;
}

/* Shapes that fit each other and the parts. */
static specreg_status check_shapes(specreg_context *ctx, specreg_model *m,
                                   const sri_matrix *centres)
{
    double scale;
    sri_kernel kernel;
    const sri_encoding *e = &m->encoding;
    const bool labelled = m->expansion.layout.kind != SRI_LAYOUT_ROWS;
    const int64_t outputs = e->coding ? e->coding->width : e->target->n_columns;
    if (m->T != (m->expansion.layout.kind == SRI_LAYOUT_OUTPUTS ? 1 : outputs) ||
        (labelled && !centres->x))
        return sri_model_broken(ctx, "shape");
    m->T = outputs;
    const specreg_status known = sri_kept_kernel_use(ctx, &m->kernel, &kernel);
    if (known == SPECREG_E_FORMAT)
        return known; /* a user's kernel may be registered later */
    const int64_t seen = sri_coupling_width(m->expansion.layout.seen, e->encoder->p);
    if (sri_kernel_columns_check(ctx, &m->kernel.kernel, seen) != SPECREG_OK)
        return sri_model_broken(ctx, "list of columns");
    const bool field = known == SPECREG_OK && sri_kernel_is_field(&kernel);
    if ((m->problem == SRI_FIELD && e->coding) ||
        (field && (m->problem != SRI_FIELD || labelled || m->T != e->encoder->p || !centres->x)))
        return sri_model_broken(ctx, "field");
    if (sri_kernel_is_matrix(&m->kernel.kernel) &&
        (m->expansion.layout.kind != SRI_LAYOUT_OUTPUTS || m->T > SRI_MATRIX_OUTPUTS))
        return sri_model_broken(ctx, "shape");
    if (m->expansion.slope &&
        (labelled || known != SPECREG_OK || !sri_kernel_is_linear(&kernel, &scale)))
        return sri_model_broken(ctx, "kernel");
    if (m->expansion.points && is_precomputed(m)) /* which sparse centres are not for */
        return sri_model_broken(ctx, "shape");
    return centres->x ? check_centres(ctx, m, centres) : SPECREG_OK;
}

/* Weights: none is negative, and not all are 0. */
static specreg_status read_weight(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    double sum = 0;
    SRI_CALL(sri_optional_tensor(ctx, c, "weight", m->expansion.n, 1, &m->uncertainty.weight));
    for (int64_t i = 0; m->uncertainty.weight && i < m->expansion.n; i++) {
        if (!(m->uncertainty.weight[i] >= 0))
            return sri_model_broken(ctx, "weight");
        sum += m->uncertainty.weight[i];
    }
    if (m->uncertainty.weight && !(sum > 0 && sum < INFINITY))
        return sri_model_broken(ctx, "weight");
    return SPECREG_OK;
}

static specreg_status read_calibration(specreg_context *ctx, const sri_container *c,
                                       const json_t *json, specreg_model *m)
{
    (void)c;
    return sri_calibration_from_json(json, m->encoding.target->n_classes,
                                     &m->uncertainty.calibration)
               ? SPECREG_OK
               : sri_model_broken(ctx, "calibration");
}

/* Whether all of them are probabilities; there may be none. */
static bool are_probabilities(const double *p, int64_t count)
{
    for (int64_t k = 0; p && k < count; k++)
        if (!(p[k] >= 0 && p[k] <= 1))
            return false;
    return p != NULL;
}

/* Features that are not penalised, their coefficients, and the probabilities of topics. */
static specreg_status read_features(specreg_context *ctx, const sri_container *c,
                                    const json_t *json, specreg_model *m)
{
    sri_unpenalised *u = &m->unpenalised;
    SRI_CALL(sri_predefined_from_json(ctx, json, m->encoding.encoder->p, &u->terms));
    SRI_CALL(sri_optional_tensor(ctx, c, "beta", u->terms.l, m->T, &u->beta));
    if (!u->beta)
        return sri_model_broken(ctx, "features");
    sri_plsa *topics = sri_predefined_topics(&u->terms);
    if (!topics)
        return SPECREG_OK;
    const int64_t words = topics->words, k = topics->topics;
    SRI_CALL(sri_optional_tensor(ctx, c, "topic_word", words, k, &topics->word));
    SRI_CALL(sri_optional_tensor(ctx, c, "topic_share", k, 1, &topics->prior));
    return are_probabilities(topics->word, words * k) && are_probabilities(topics->prior, k)
               ? SPECREG_OK
               : sri_model_broken(ctx, "topics");
}

/* A word for each feature. */
static specreg_status read_vocabulary(specreg_context *ctx, const sri_container *c,
                                      specreg_model *m)
{
    const sri_encoder *e = m->encoding.encoder;
    specreg_vocabulary **out = &m->encoding.vocabulary;
    const char *text = sri_metadata_get(&c->metadata, "vocabulary");
    if (!text)
        return SPECREG_OK;
    SRI_CALL(sri_vocabulary_parse(ctx, "vocabulary", text, strlen(text), out));
    return (*out)->words.count == e->n_features && e->by_number
               ? SPECREG_OK
               : sri_model_broken(ctx, "vocabulary");
}

/* Whether a codeword is finite.  One of signs has entries -1, 0 and 1, and others than 0: a score
 * is a mean over these. */
static bool is_codeword(const double *word, int64_t width, bool signs)
{
    bool good = true, empty = true;
    for (int64_t t = 0; t < width; t++) {
        good = good && isfinite(word[t]) && (!signs || word[t] == 0 || fabs(word[t]) == 1);
        empty = empty && word[t] == 0;
    }
    return good && !(signs && empty);
}

/* The codewords of a coding that has no rule for them: those of the file, whatever this version
 * would choose. */
static specreg_status read_codewords(specreg_context *ctx, const sri_container *c, bool signs,
                                     int64_t n_classes, int64_t *width, double **words)
{
    int64_t rows = 0, cols = 0;
    if (sri_container_has(c, "words"))
        SRI_CALL(sri_container_tensor(ctx, c, "words", words, &rows, &cols));
    bool good = rows == n_classes && cols > 0 && (!*width || cols == *width);
    *width = cols;
    for (int64_t i = 0; good && i < rows; i++)
        good = is_codeword(*words + i * cols, cols, signs);
    return good ? SPECREG_OK : sri_model_broken(ctx, "words");
}

/* Without JSON: a file of a version that knew one against all only. */
static specreg_status read_coding(specreg_context *ctx, const sri_container *c, const json_t *json,
                                  specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    sri_coding_spec spec = {.ops = &sri_coding_ova};
    double *words = NULL;
    const int64_t k = m->encoding.target->n_classes;
    if (json && !sri_coding_spec_from_json(ctx, json, &spec))
        return sri_model_broken(ctx, "coding");
    int64_t width = sri_coding_width(&spec, k);
    if (!spec.ops->row)
        SRI_TRY(read_codewords(ctx, c, spec.ops->signs, k, &width, &words));
    st = sri_coding_of_words(ctx, &spec, k, words, width, &m->encoding.coding);
    words = NULL;
done:
    sri_free(words);
    return st;
}

static specreg_status read_kernel(specreg_context *ctx, const sri_container *c, const json_t *json,
                                  specreg_model *m)
{
    (void)c;
    return json_object_get(json, "name") ? sri_kernel_from_json(ctx, json, &m->kernel)
                                         : sri_model_broken(ctx, "kernel");
}

/* Files of version 1 have no selection.searched: it is found again in the table. */

/* The object `of`, or a term of it, of a row or a report. */
static const json_t *part_of(const json_t *row, const char *of, int term)
{
    const json_t *object = json_object_get(row, of);
    return term < 0 ? object : json_array_get(json_object_get(object, "terms"), (size_t)term);
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Adds a parameter, `one`, with the values it took, unless it was one value only; sorts them. */
static void add_searched(json_t **searched, json_t *one, double chosen, double *value, size_t count)
{
    int64_t different = 0;
    qsort(value, count, sizeof *value, rising);
    for (size_t i = 0; i < count; i++)
        different += i == 0 || value[i] != value[i - 1];
    if (different < 2) {
        json_decref(one);
        return;
    }
    sri_json_put(&one, "values", json_integer(different));
    sri_json_put(&one, "least", json_real(value[0]));
    sri_json_put(&one, "largest", json_real(value[count - 1]));
    sri_json_put(&one, "at_edge", json_boolean(chosen == value[0] || chosen == value[count - 1]));
    sri_json_add(searched, one);
}

/* The numbers of an object of the report; those of the path with the same coupling. */
static void find_searched(const json_t *report, const char *of, int term, double *value,
                          json_t **searched)
{
    const json_t *table = json_object_get(json_object_get(report, "selection"), "table");
    const bool path = strcmp(of, "filter") == 0;
    const char *key;
    json_t *chosen;
    json_object_foreach ((json_t *)part_of(report, of, term), key, chosen) {
        size_t count = 0;
        for (size_t i = 0; json_is_number(chosen) && i < json_array_size(table); i++) {
            const json_t *row = json_array_get(table, i), *with = json_object_get(row, "outputs");
            const json_t *v = json_object_get(path ? row : part_of(row, of, term), key);
            const bool same =
                !path || !with || json_equal(with, json_object_get(report, "outputs"));
            if (json_is_number(v) && same)
                value[count++] = json_number_value(v);
        }
        json_t *one = json_pack("{s:s, s:s}", "of", of, "name", key);
        if (term >= 0)
            sri_json_put(&one, "term", json_integer(term));
        add_searched(searched, one, json_number_value(chosen), value, count);
    }
}

static specreg_status complete_report(specreg_context *ctx, json_t *report)
{
    static const char *const parts[] = {"kernel", "outputs", "filter"};
    specreg_status st = SPECREG_OK;
    json_t *selection = json_object_get(report, "selection"), *searched = json_array();
    double *value = NULL;
    SRI_ALLOC(ctx, value, (int64_t)json_array_size(json_object_get(selection, "table")), 1);
    for (int k = 0; k < 3; k++) {
        const json_t *terms = json_object_get(json_object_get(report, parts[k]), "terms");
        for (int t = 0; t < (int)json_array_size(terms); t++)
            find_searched(report, parts[k], t, value, &searched);
        if (!terms)
            find_searched(report, parts[k], -1, value, &searched);
    }
    SRI_REQUIRE(ctx, searched, SPECREG_E_NOMEM, "out of memory");
    if (selection && json_object_set(selection, "searched", searched) != 0)
        st = sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
done:
    json_decref(searched);
    sri_free(value);
    return st;
}

/* From `method`, or, in files of version 1, from the report. */
static specreg_status read_method(specreg_context *ctx, const json_t *json, specreg_model *m)
{
    const char *kind = json_string_value(json_object_get(json, "kind"));
    const json_t *data = json_object_get(json, "data"), *filter = json_object_get(json, "filter");
    const char *problem = json_string_value(json_object_get(data ? data : json, "problem"));
    for (int k = 0; kind && k < SRI_MODEL_KINDS; k++)
        if (strcmp(kind, sri_model_kinds[k]) == 0)
            m->kind = (sri_model_kind)k;
    m->problem = problem && strcmp(problem, sri_problem_name(SRI_FIELD)) == 0
                     ? SRI_FIELD
                     : m->encoding.target->problem;
    m->uncertainty.approximate = json_is_true(json_object_get(json, "approximate"));
    SRI_CALL(sri_couplings_named(ctx, json_object_get(json, "outputs"), &m->kernel));
    if (filter)
        SRI_CALL(sri_filter_from_json(ctx, filter, &m->filter));
    else if (m->kind == SRI_MODEL_PREDICTOR && !json_is_true(json_object_get(json, "imported")))
        return sri_model_broken(ctx, "filter");
    return SPECREG_OK;
}

/* Texts that only reports look at, and check. */
static specreg_status read_portrait(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    const char *portrait = sri_metadata_get(&c->metadata, "portrait"),
               *rows = sri_metadata_get(&c->metadata, "held_rows");
    if (portrait)
        SRI_NEW_TEXT(ctx, m->report.portrait, portrait);
    if (rows)
        SRI_NEW_TEXT(ctx, m->report.held_rows, rows);
    return SPECREG_OK;
}

/* The report is kept as it is, and may have been taken out. */
static specreg_status read_report(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    json_t *report = NULL, *method = NULL;
    const char *text = sri_metadata_get(&c->metadata, "record");
    if (text || c->version == 1)
        SRI_TRY(part(ctx, c, "record", &report));
    if (c->version > 1)
        SRI_TRY(part(ctx, c, "method", &method));
    SRI_TRY(read_method(ctx, method ? method : report, m));
    if (c->version == 1) {
        SRI_TRY(complete_report(ctx, report));
        SRI_TRY(sri_json_text(ctx, report, JSON_COMPACT | JSON_SORT_KEYS, &m->report.text));
    } else if (text) {
        SRI_STRDUP(ctx, m->report.text, text);
    }
done:
    json_decref(method);
    json_decref(report);
    return st;
}

/* Held-out residuals of rows that are not kept. */
static specreg_status read_sample(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    sri_uncertainty *u = &m->uncertainty;
    int64_t cols;
    if (!sri_container_has(c, "held_sample"))
        return SPECREG_OK;
    SRI_CALL(sri_container_tensor(ctx, c, "held_sample", &u->sample, &u->sampled, &cols));
    return cols == m->T && u->approximate ? SPECREG_OK : sri_model_broken(ctx, "held_sample");
}

static specreg_status read_model(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    sri_matrix centres = {0};
    SRI_TRY(read_part(ctx, c, "kernel", read_kernel, m));
    SRI_TRY(read_part(ctx, c, "target", read_target, m));
    SRI_TRY(read_part(ctx, c, "encoder", read_encoder, m));
    SRI_TRY(read_report(ctx, c, m));
    SRI_TRY(read_portrait(ctx, c, m));
    if (m->encoding.target->problem == SRI_CLASSIFICATION)
        SRI_TRY(sri_metadata_get(&c->metadata, "coding")
                    ? read_part(ctx, c, "coding", read_coding, m)
                    : read_coding(ctx, c, NULL, m));
    SRI_TRY(sri_model_tensors_read(ctx, c, m, &centres));
    SRI_TRY(read_optional(ctx, c, "outputs", read_outputs, m));
    SRI_TRY(check_shapes(ctx, m, &centres));
    SRI_TRY(read_weight(ctx, c, m));
    SRI_TRY(sri_optional_tensor(ctx, c, "held_residual", m->expansion.n, m->T,
                                &m->uncertainty.held_out));
    SRI_TRY(read_sample(ctx, c, m));
    SRI_TRY(read_optional(ctx, c, "id", read_id, m));
    SRI_TRY(read_optional(ctx, c, "calibration", read_calibration, m));
    SRI_TRY(read_vocabulary(ctx, c, m));
    SRI_TRY(read_optional(ctx, c, "features", read_features, m));
    if (centres.x)
        SRI_TRY(sri_model_take_centres(ctx, m, is_precomputed(m), &centres));
done:
    sri_matrix_free(&centres);
    return st;
}

/* Of what was read from `path`, which messages name. */
static specreg_status take_model(specreg_context *ctx, const sri_container *c, const char *path,
                                 specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_model *m = NULL;
    SRI_CALLOC(ctx, m, 1, 1);
    st = read_model(ctx, c, m);
    if (st == SPECREG_E_ARG || st == SPECREG_E_SHAPE)
        st = SPECREG_E_FORMAT; /* what is wrong is the file */
    if (st != SPECREG_OK) {
        sri_fail_at(ctx, st, "%s", path);
        goto done;
    }
    SRI_MOVE(*out, m);
done:
    specreg_model_free(m);
    return st;
}

specreg_status specreg_model_load(specreg_context *ctx, const char *path, specreg_model **out)
{
    SRI_MAKES(ctx, out, path);
    specreg_status st = SPECREG_OK;
    sri_container c = {0};
    SRI_TRY(sri_container_read(ctx, path, &c));
    SRI_TRY(take_model(ctx, &c, path, out));
done:
    sri_container_free(&c);
    return st;
}

specreg_status specreg_model_from_memory(specreg_context *ctx, const void *bytes, size_t size,
                                         specreg_model **out)
{
    SRI_MAKES(ctx, out, bytes);
    specreg_status st = SPECREG_OK;
    sri_container c = {0};
    char *copy = NULL;
    SRI_REQUIRE(ctx, size < PTRDIFF_MAX, SPECREG_E_ARG, "specreg_model_from_memory: size is wrong");
    SRI_ALLOC(ctx, copy, (int64_t)size, 1);
    memcpy(copy, bytes, size);
    st = sri_container_parse(ctx, copy, size, "memory", &c);
    copy = NULL;
    SRI_TRY(st);
    SRI_TRY(take_model(ctx, &c, "memory", out));
done:
    sri_free(copy);
    sri_container_free(&c);
    return st;
}
