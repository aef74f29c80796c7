/* A model file of LIBSVM as a model.  A regression is
 *
 *     f(x) = sum_i coef_i k(x, z_i) - rho.
 *
 * A classification has such a function for each pair of classes a < b, in the order of the file's
 * labels.  A support vector of class c has a coefficient for each pair with c, and its vote goes to
 * a where f > 0, else to b: the coding `ovo` with the decoding `majority`.  Classes stand in the
 * order of the file, since of equal votes the first class wins. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/encode.h"
#include "import/libsvm_file.h"
#include "kernel/registry.h"
#include "model/expansion.h"

typedef struct maker {
    specreg_context *ctx;
    const char *path;
    sri_svm_file file;
    specreg_table *table; /* the support vectors as rows */
    specreg_model *m;
} maker;

static specreg_status make_kernel(maker *k)
{
    static const char *const name[SRI_SVM_KERNELS] = {[SRI_SVM_LINEAR] = "linear",
                                                      [SRI_SVM_POLYNOMIAL] = "poly",
                                                      [SRI_SVM_RBF] = "rbf",
                                                      [SRI_SVM_PRECOMPUTED] = "precomputed"};
    const sri_svm_file *f = &k->file;
    const char *const text = name[f->kernel];
    sri_kernel kernel = {.n_terms = 1, .term[0].weight = 1};
    sri_kernel_term *term = &kernel.term[0];
    SRI_CALL(sri_kernel_term_named(k->ctx, text, term));
    if (f->kernel == SRI_SVM_RBF) {
        SRI_CHECK(k->ctx, f->gamma > 0, SPECREG_E_UNAVAILABLE,
                  "%s: the rbf kernel has gamma %g, it must be above 0", k->path, f->gamma);
        term->param[0] = 1 / sqrt(2 * f->gamma);
    }
    if (f->kernel == SRI_SVM_POLYNOMIAL) {
        term->param[0] = f->degree;
        term->param[1] = f->coef0;
        term->param[2] = f->gamma;
    }
    for (int i = 0; i < sri_kernel_param_count(term); i++) {
        const sri_param p = sri_kernel_param_at(term, i);
        if (sri_param_check(k->ctx, text, &p, term->param[i]) != SPECREG_OK ||
            (f->kernel == SRI_SVM_POLYNOMIAL && f->degree > 1000))
            return sri_fail(
                k->ctx, SPECREG_E_UNAVAILABLE,
                "%s: the polynomial (%g <x,z> + %g)^%g is not a kernel that specreg has", k->path,
                f->gamma, f->coef0, f->degree);
    }
    return sri_kernel_keep(k->ctx, &kernel, &k->m->kernel);
}

/* The vectors as a table, with as many columns as there are inputs. */
static specreg_status make_table(maker *k, int64_t inputs)
{
    sri_svm_file *f = &k->file;
    SRI_CHECK(k->ctx, !inputs || (inputs >= f->vector.p && inputs < INT32_MAX), SPECREG_E_ARG,
              "%s: %lld inputs are too %s, the support vectors have %lld", k->path,
              (long long)inputs, inputs < f->vector.p ? "few" : "many", (long long)f->vector.p);
    SRI_CALL(sri_table_new(k->ctx, k->path, 1, &k->table));
    SRI_CALL(sri_table_set_name(k->ctx, k->table, 0, "y", 1));
    SRI_NEW_ZERO(k->ctx, k->table->sparse, 1, 1);
    *k->table->sparse = f->vector;
    f->vector = (sri_matrix){.n = f->vector.n, .p = f->vector.p};
    k->table->rows = k->table->sparse->n;
    k->table->sparse->p = inputs ? inputs : f->vector.p;
    return sri_table_name_sparse(k->ctx, k->table);
}

/* How rows are read, and the vectors as such rows. */
static specreg_status make_encoder(maker *k, sri_matrix *centres)
{
    specreg_status st = SPECREG_OK;
    static const sri_encode_how how = {.scale = SRI_SCALE_NONE, .missing = SRI_MISSING_ERROR};
    const int64_t target = 0;
    sri_rows rows = {.table = k->table, .count = k->table->rows};
    sri_encoder **out = &k->m->encoding.encoder;
    SRI_ALLOC(k->ctx, rows.row, rows.count, 1);
    for (int64_t i = 0; i < rows.count; i++)
        rows.row[i] = i;
    if (!k->file.serial && sri_table_stays_sparse(k->table))
        SRI_TRY(sri_encoder_fit_sparse(k->ctx, &rows, &target, 1, SRI_SCALE_NONE, out));
    else
        SRI_TRY(sri_encoder_fit(k->ctx, &rows, &target, 1, &how, out));
    if (k->file.kernel == SRI_SVM_RBF) /* distances count columns that no vector has */
        (*out)->by_number = false;
    if (!k->file.serial)
        SRI_TRY(sri_encoder_rows(k->ctx, *out, &rows, 0, centres, NULL));
done:
    sri_free(rows.row);
    return st;
}

static specreg_status make_target(maker *k)
{
    const sri_svm_file *f = &k->file;
    char label[32];
    sri_target *t;
    SRI_NEW_ZERO(k->ctx, t, 1, 1);
    k->m->encoding.target = t;
    t->problem = f->classes ? SRI_CLASSIFICATION : SRI_REGRESSION;
    snprintf(t->why, sizeof t->why, "svm_type %s", sri_svm_types[f->type]);
    t->table_columns = 1;
    SRI_NEW_ZERO(k->ctx, t->name, 1, 1);
    t->n_columns = 1;
    SRI_NEW_TEXT(k->ctx, t->name[0], "y");
    SRI_NEW_ZERO(k->ctx, t->position, 1, 1);
    SRI_NEW_ZERO(k->ctx, t->label, f->classes, 1);
    t->n_classes = f->classes;
    SRI_NEW_ZERO(k->ctx, t->count, f->classes, 1);
    for (int64_t c = 0; c < f->classes; c++) {
        snprintf(label, sizeof label, "%lld", (long long)f->label[c]);
        SRI_NEW_TEXT(k->ctx, t->label[c], label);
    }
    return SPECREG_OK;
}

/* Coefficients of every pair, 0 of those that a vector's class is not of. */
static void fill_pairs(const sri_svm_file *f, double *alpha)
{
    int64_t v = 0;
    for (int64_t c = 0; c < f->classes; c++)
        for (int64_t last = v + f->count[c]; v < last; v++) {
            const double *own = f->coefficient + v * f->width;
            for (int64_t a = 0, t = 0; a < f->classes; a++)
                for (int64_t b = a + 1; b < f->classes; b++, t++)
                    alpha[v * f->pairs + t] = a == c ? own[b - 1] : b == c ? own[a] : 0;
        }
}

static specreg_status make_expansion(maker *k, sri_matrix *centres)
{
    const sri_svm_file *f = &k->file;
    sri_expansion *e = &k->m->expansion;
    int64_t *row;
    k->m->T = f->pairs;
    e->n = f->vector.n;
    SRI_NEW(k->ctx, e->alpha, e->n, f->pairs);
    if (f->classes)
        fill_pairs(f, e->alpha);
    else
        memcpy(e->alpha, f->coefficient, (size_t)e->n * sizeof *e->alpha);
    if (f->serial) {
        SRI_NEW(k->ctx, row, e->n, 1);
        for (int64_t i = 0; i < e->n; i++)
            row[i] = f->serial[i] - 1;
        return sri_points_of_index(k->ctx, row, e->n, k->m->encoding.encoder->p, &e->points);
    }
    SRI_CALL(sri_points_of(k->ctx, centres, false, &e->points));
    e->points->owns = true;
    *centres = (sri_matrix){0};
    SRI_CALL(sri_model_make_linear(k->ctx, &k->m->kernel.kernel, k->m));
    SRI_CALL(sri_model_pack(k->ctx, &k->m->kernel.kernel, k->m));
    for (int64_t i = 0; e->slope && i < e->slopes * f->pairs; i++)
        SRI_CHECK(k->ctx, isfinite(e->slope[i]), SPECREG_E_NUMERIC,
                  "%s: the sums of coefficients and support vectors leave the range of a double",
                  k->path);
    return SPECREG_OK;
}

/* -rho, of every function. */
static specreg_status make_constant(maker *k)
{
    sri_unpenalised *u = &k->m->unpenalised;
    sri_predefined *p = &u->terms;
    SRI_CALL(sri_predefined_parse(k->ctx, "constant", p));
    SRI_CALL(p->term[0].ops->learn(k->ctx, &p->term[0], NULL, p));
    SRI_NEW_ZERO(k->ctx, p->kept, p->all, 1);
    p->l = p->all;
    SRI_NEW(k->ctx, u->beta, 1, k->file.pairs);
    for (int64_t t = 0; t < k->file.pairs; t++)
        u->beta[t] = -k->file.rho[t];
    return SPECREG_OK;
}

static specreg_status make_report(maker *k)
{
    sri_import_report *report;
    SRI_NEW_ZERO(k->ctx, report, 1, 1);
    k->m->report.import = report;
    report->format = "libsvm";
    report->type = sri_svm_types[k->file.type];
    report->vectors = k->file.vector.n;
    report->lacks_probabilities = k->file.has_probabilities;
    SRI_NEW_TEXT(k->ctx, report->file, k->path);
    return SPECREG_OK;
}

static specreg_status make(maker *k, int64_t inputs)
{
    specreg_status st = SPECREG_OK;
    sri_matrix centres = {0};
    const sri_coding_spec coding = {.ops = &sri_coding_ovo, .decoding = SRI_DECODE_MAJORITY};
    SRI_TRY(make_kernel(k));
    SRI_TRY(make_table(k, inputs));
    SRI_TRY(make_encoder(k, &centres));
    SRI_TRY(make_target(k));
    k->m->problem = k->m->encoding.target->problem;
    if (k->file.classes)
        SRI_TRY(sri_coding_new(k->ctx, &coding, k->file.classes, &k->m->encoding.coding));
    SRI_TRY(make_expansion(k, &centres));
    SRI_TRY(make_constant(k));
    SRI_TRY(make_report(k));
done:
    sri_matrix_free(&centres);
    return st;
}

specreg_status specreg_model_import(specreg_context *ctx, const char *path, int64_t inputs,
                                    specreg_model **out)
{
    SRI_MAKES(ctx, out, path);
    specreg_status st = SPECREG_OK;
    maker k = {.ctx = ctx, .path = path};
    SRI_CHECK(ctx, inputs >= 0, SPECREG_E_ARG, "specreg_model_import: inputs is less than 0");
    const sri_memory_scope outer = sri_memory_begin(ctx, sri_memory_available());
    SRI_TRY(sri_svm_read(ctx, path, &k.file));
    SRI_CALLOC(ctx, k.m, 1, 1);
    SRI_TRY(make(&k, inputs));
    if (k.file.has_probabilities)
        sri_log(ctx, "note: %s: probA and probB are left out: the model has no probabilities",
                path);
    SRI_MOVE(*out, k.m);
done:
    specreg_model_free(k.m);
    specreg_table_free(k.table);
    sri_svm_free(&k.file);
    sri_memory_end(ctx, outer);
    return st;
}
