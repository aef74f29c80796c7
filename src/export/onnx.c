/* A model as an ONNX graph of plain operators (opset 17) in double precision: X, rows as they stand
 * in the table with texts as category numbers, to scores, and to labels of classes.
 *
 * The file is a protobuf message; `field` below is all of that format that it takes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "export/plain.h"
#include "export/text.h"

enum { DOUBLE = 11, INT64 = 7, STRING = 8, BOOL = 9, OPSET = 17, IR = 8, AXES = 3 };

typedef struct name {
    char text[24];
} name;

typedef struct graph {
    const sri_plain *plain;
    sri_text body; /* nodes and constants */
    int64_t count; /* of names            */
} graph;

typedef struct attribute {
    const char *name;
    int64_t value;
} attribute;

static void bytes(sri_text *to, const void *data, size_t size)
{
    if (to->st == SPECREG_OK)
        to->st = sri_buffer_add(to->ctx, &to->buffer, data, size);
}

static void varint(sri_text *to, uint64_t value)
{
    unsigned char byte[10];
    size_t n = 0;
    for (; value > 127; value >>= 7)
        byte[n++] = (unsigned char)(value | 128);
    byte[n++] = (unsigned char)value;
    bytes(to, byte, n);
}

static void number(sri_text *to, int field, int64_t value)
{
    varint(to, (uint64_t)field << 3);
    varint(to, (uint64_t)value);
}

static void field(sri_text *to, int field, const void *data, size_t size)
{
    varint(to, (uint64_t)field << 3 | 2);
    varint(to, size);
    bytes(to, data, size);
}

static void string(sri_text *to, int at, const char *text)
{
    field(to, at, text, strlen(text));
}

/* A message within another one, which it ends. */
static void message(sri_text *to, int at, sri_text *inner)
{
    if (to->st == SPECREG_OK)
        to->st = inner->st;
    field(to, at, inner->buffer.data, (size_t)inner->buffer.length);
    sri_buffer_free(&inner->buffer);
}

static name new_name(graph *g)
{
    name out;
    snprintf(out.text, sizeof out.text, "v%lld", (long long)++g->count);
    return out;
}

static void put_node(graph *g, const char *op, const name *in, int count, const attribute *a,
                     const char *out)
{
    sri_text node = {.ctx = g->body.ctx};
    for (int i = 0; i < count; i++)
        string(&node, 1, in[i].text);
    string(&node, 2, out);
    string(&node, 4, op);
    for (; a && a->name; a++) {
        sri_text one = {.ctx = g->body.ctx};
        string(&one, 1, a->name);
        number(&one, 3, a->value);
        number(&one, 20, 2);
        message(&node, 5, &one);
    }
    message(&g->body, 1, &node);
}

static name apply(graph *g, const char *op, name a, name b, const attribute *attributes)
{
    const name out = new_name(g), in[2] = {a, b};
    put_node(g, op, in, 2, attributes, out.text);
    return out;
}

static name unary(graph *g, const char *op, name a)
{
    const name out = new_name(g);
    put_node(g, op, &a, 1, NULL, out.text);
    return out;
}

static name cast(graph *g, name a, int64_t to)
{
    const name out = new_name(g);
    put_node(g, "Cast", &a, 1, (attribute[]){{"to", to}, {NULL, 0}}, out.text);
    return out;
}

static name where(graph *g, name condition, name yes, name no)
{
    const name out = new_name(g), in[3] = {condition, yes, no};
    put_node(g, "Where", in, 3, NULL, out.text);
    return out;
}

/* A constant; dimensions from the first that is not 0. */
static name constant(graph *g, int type, const void *data, size_t size, const int64_t dims[AXES])
{
    const name out = new_name(g);
    sri_text tensor = {.ctx = g->body.ctx};
    for (int i = 0; i < AXES; i++)
        if (dims[i])
            number(&tensor, 1, dims[i]);
    number(&tensor, 2, type);
    string(&tensor, 8, out.text);
    field(&tensor, 9, data, size);
    message(&g->body, 5, &tensor);
    return out;
}

static name matrix(graph *g, const double *value, int64_t rows, int64_t cols)
{
    return constant(g, DOUBLE, value, (size_t)(rows * cols) * sizeof *value,
                    (int64_t[AXES]){0, rows, cols});
}

static name scalar(graph *g, double value)
{
    return constant(g, DOUBLE, &value, sizeof value, (int64_t[AXES]){0});
}

static name with(graph *g, const char *op, name a, double value)
{
    return apply(g, op, a, scalar(g, value), NULL);
}

static name integers(graph *g, const int64_t *value, int64_t count)
{
    return constant(g, INT64, value, (size_t)count * sizeof *value, (int64_t[AXES]){0, 0, count});
}

/* Columns of a matrix. */
static name gather(graph *g, name a, const int64_t *column, int64_t count)
{
    return apply(g, "Gather", a, integers(g, column, count), (attribute[]){{"axis", 1}, {NULL, 0}});
}

/* What the columns of x are made of, as rows of p numbers. */
typedef struct columns {
    int64_t *input;
    double *power, *shift, *factor, *fill, *is_text, *category, *share, *is_gap;
} columns;

static specreg_status columns_make(specreg_context *ctx, const sri_plain *plain, sri_arena *memory,
                                   columns *c)
{
    double **row[] = {&c->power,   &c->shift,    &c->factor, &c->fill,
                      &c->is_text, &c->category, &c->share,  &c->is_gap};
    SRI_ARENA_NEW_ZERO(ctx, memory, c->input, plain->p, 1);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        SRI_ARENA_NEW_ZERO(ctx, memory, *row[i], plain->p, 1);
    for (int64_t j = 0; j < plain->columns; j++) {
        const sri_plain_column *from = &plain->column[j];
        const sri_feature *f = from->feature;
        const int64_t count = f && f->is_text ? f->category.count : 1;
        for (int64_t k = 0; k < count; k++) {
            const int64_t at = from->at + k;
            c->input[at] = from->input;
            c->power[at] = f ? ldexp(1, f->exponent) : 1;
            c->shift[at] = f ? f->shift : 0;
            c->factor[at] = f ? f->factor : from->factor;
            c->fill[at] = f && sri_plain_fills(plain) ? f->fill : NAN;
            c->is_text[at] = f && f->is_text;
            c->category[at] = (double)k;
            c->share[at] = !sri_plain_fills(plain) ? NAN : f && f->share ? f->share[k] : 0;
            c->is_gap[at] = f && f->part == SRI_PART_MISSING;
        }
    }
    return SPECREG_OK;
}

static bool any(const double *value, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (value[i] != 0)
            return true;
    return false;
}

static name make_x(graph *g, const columns *c)
{
    const int64_t p = g->plain->p;
    const name raw = gather(g, (name){"X"}, c->input, p), gap = unary(g, "IsNaN", raw);
    name x = where(g, gap, matrix(g, c->fill, 1, p), raw);
    x = apply(g, "Mul", x, matrix(g, c->power, 1, p), NULL);
    x = apply(g, "Sub", x, matrix(g, c->shift, 1, p), NULL);
    x = apply(g, "Mul", x, matrix(g, c->factor, 1, p), NULL);
    if (any(c->is_text, p)) {
        name one = apply(g, "Equal", raw, matrix(g, c->category, 1, p), NULL);
        one = where(g, gap, matrix(g, c->share, 1, p), cast(g, one, DOUBLE));
        x = where(g, cast(g, matrix(g, c->is_text, 1, p), BOOL), one, x);
    }
    if (any(c->is_gap, p))
        x = where(g, cast(g, matrix(g, c->is_gap, 1, p), BOOL), cast(g, gap, DOUBLE), x);
    return x;
}

static name matern(graph *g, name v, double c, double square)
{
    const name u = with(g, "Mul", unary(g, "Sqrt", v), c);
    name sum = with(g, "Add", u, 1);
    if (square > 0)
        sum = apply(g, "Add", sum, with(g, "Mul", apply(g, "Mul", u, u, NULL), square), NULL);
    return apply(g, "Mul", sum, unary(g, "Exp", unary(g, "Neg", u)), NULL);
}

/* v^degree, by products. */
static name whole_power(graph *g, name v, int degree)
{
    name out = v;
    for (int q = 1; q < degree; q++)
        out = apply(g, "Mul", out, v, NULL);
    return out;
}

static name put_map(graph *g, const sri_map *map, name v)
{
    const double c = map->c;
    switch (map->kind) {
    case SRI_MAP_IDENTITY:
        break;
    case SRI_MAP_EXP:
        return unary(g, "Exp", with(g, "Mul", v, c));
    case SRI_MAP_EXP_ROOT:
        return unary(g, "Exp", with(g, "Mul", unary(g, "Sqrt", v), c));
    case SRI_MAP_MATERN32:
        return matern(g, v, c, 0);
    case SRI_MAP_MATERN52:
        return matern(g, v, c, 1.0 / 3);
    case SRI_MAP_POWER:
        if (c != 1)
            v = with(g, "Mul", v, c);
        return whole_power(g, with(g, "Add", v, map->shift), map->degree);
    case SRI_MAP_INVERSE:
        v = unary(g, "Log", with(g, "Add", with(g, "Mul", v, c), 1));
        return unary(g, "Exp", with(g, "Mul", v, -map->shift));
    case SRI_MAP_ROOT:
        return unary(g, "Neg", unary(g, "Sqrt", with(g, "Add", with(g, "Mul", v, c), 1)));
    case SRI_MAP_SPLINE: {
        const name power = with(g, "Mul", whole_power(g, unary(g, "Sqrt", v), map->degree), c);
        if (map->degree % 2)
            return power;
        return apply(g, "Mul", power,
                     with(g, "Mul", unary(g, "Log", with(g, "Add", v, 1e-300)), 0.5), NULL);
    }
    }
    return v;
}

/* The number of each pair of x and a centre z of q columns: rows x centres. */
static name put_pair(graph *g, sri_pair pair, name x, const double *z, int64_t q)
{
    static const int64_t one = 1, two = 2;
    const attribute drop[] = {{"keepdims", 0}, {NULL, 0}};
    const int64_t n = g->plain->n;
    const size_t size = (size_t)(n * q) * sizeof *z;
    if (pair == SRI_PAIR_DOT) {
        const name centre = constant(g, DOUBLE, z, size, (int64_t[AXES]){0, n, q});
        return apply(g, "MatMul", x, unary(g, "Transpose", centre), NULL);
    }
    const name centre = constant(g, DOUBLE, z, size, (int64_t[AXES]){1, n, q});
    const name d =
        apply(g, "Sub", apply(g, "Unsqueeze", x, integers(g, &one, 1), NULL), centre, NULL);
    const name each = pair == SRI_PAIR_DIST1 ? unary(g, "Abs", d) : apply(g, "Mul", d, d, NULL);
    return apply(g, "ReduceSum", each, integers(g, &two, 1), drop);
}

static specreg_status put_factor(specreg_context *ctx, graph *g, const sri_kernel_term *term,
                                 name x, name *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = g->plain->n, p = g->plain->p;
    sri_map map = sri_term_map(term);
    /* Runtimes fuse a product and a number after it, and keep that number in single precision. */
    const double scale =
        sri_term_pair(term) == SRI_PAIR_DOT && map.kind == SRI_MAP_POWER ? map.c : 1;
    sri_span all;
    int64_t spans, q = 0, *column = NULL;
    double *z = NULL;
    if (scale != 1)
        map.c = 1;
    const sri_span *span = sri_picked_spans(term->columns, p, &all, &spans);
    SRI_ALLOC(ctx, column, p, 1);
    SRI_ALLOC(ctx, z, n, p);
    for (int64_t s = 0; s < spans; s++)
        for (int64_t j = span[s].first; j < span[s].end; j++)
            column[q++] = j;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < q; j++)
            z[i * q + j] = scale * g->plain->centre[i * p + column[j]];
    const name some = term->columns ? gather(g, x, column, q) : x;
    *out = put_map(g, &map, put_pair(g, sri_term_pair(term), some, z, q));
done:
    sri_free(column);
    sri_free(z);
    return st;
}

static void add(graph *g, name *f, bool *has, name more)
{
    *f = *has ? apply(g, "Add", *f, more, NULL) : more;
    *has = true;
}

/* The weight of a product goes into its coefficients. */
static specreg_status put_product(specreg_context *ctx, graph *g, name k, int product, name *f,
                                  bool *has)
{
    const sri_plain *plain = g->plain;
    double *a;
    int first = 0;
    for (int count = product; count > 0; count -= !plain->kernel.term[first].times)
        first++;
    SRI_NEW(ctx, a, plain->n, plain->T);
    for (int64_t i = 0; i < plain->n * plain->T; i++)
        a[i] = plain->kernel.term[first].weight * plain->coefficient[product][i];
    add(g, f, has, apply(g, "MatMul", k, matrix(g, a, plain->n, plain->T), NULL));
    sri_free(a);
    return SPECREG_OK;
}

static specreg_status put_products(specreg_context *ctx, graph *g, name x, name *f, bool *has)
{
    const sri_plain *plain = g->plain;
    int product = -1;
    name k = {""}, one;
    for (int t = 0; plain->n && t < plain->kernel.n_terms; t++) {
        const sri_kernel_term *term = &plain->kernel.term[t];
        product += !term->times;
        SRI_CALL(put_factor(ctx, g, term, x, &one));
        k = term->times ? apply(g, "Mul", k, one, NULL) : one;
        if (sri_product_ends(&plain->kernel, t))
            SRI_CALL(put_product(ctx, g, k, product, f, has));
    }
    return SPECREG_OK;
}

static specreg_status put_slopes(specreg_context *ctx, graph *g, name x, name *f, bool *has)
{
    const sri_plain *plain = g->plain;
    int64_t *column;
    if (!plain->slope)
        return SPECREG_OK;
    SRI_NEW(ctx, column, plain->slopes, 1);
    for (int64_t k = 0; k < plain->slopes; k++)
        column[k] = plain->slope_column ? plain->slope_column[k] : k;
    const name some = gather(g, x, column, plain->slopes);
    add(g, f, has,
        apply(g, "MatMul", some, matrix(g, plain->slope, plain->slopes, plain->T), NULL));
    sri_free(column);
    return SPECREG_OK;
}

static void put_term(graph *g, name x, int64_t k, name *f, bool *has)
{
    const sri_predefined_term *of = g->plain->term[k].of;
    const int64_t index = g->plain->term[k].index, T = g->plain->T;
    const name beta = matrix(g, g->plain->beta + k * T, 1, T);
    name value = beta;
    if (of->ops->one_for_each) {
        value = gather(g, x, &of->column[index], 1);
        value = with(g, "Div", with(g, "Sub", value, of->at[index]), of->slope[index]);
        value = apply(g, "Mul", value, beta, NULL);
    }
    for (int64_t j = 0; of->ops->has_powers && j < of->n_columns; j++)
        for (int q = 0; q < of->power[index * of->n_columns + j]; q++)
            value = apply(g, "Mul", value, gather(g, x, &of->column[j], 1), NULL);
    add(g, f, has, value);
}

static specreg_status put_scores(specreg_context *ctx, graph *g, name f)
{
    const sri_plain *plain = g->plain;
    double *share;
    SRI_NEW(ctx, share, plain->T, plain->scores);
    for (int64_t t = 0; t < plain->T; t++)
        for (int64_t s = 0; s < plain->scores; s++)
            share[t * plain->scores + s] = sri_plain_share(plain, s, t);
    const name in[2] = {f, matrix(g, share, plain->T, plain->scores)};
    put_node(g, "MatMul", in, 2, NULL, "scores");
    sri_free(share);
    return SPECREG_OK;
}

static void put_labels(graph *g)
{
    const name labels = new_name(g), best = new_name(g), scores = {"scores"};
    sri_text tensor = {.ctx = g->body.ctx};
    number(&tensor, 1, g->plain->scores);
    number(&tensor, 2, STRING);
    for (int64_t c = 0; c < g->plain->scores; c++)
        string(&tensor, 6, sri_plain_score(g->plain, c));
    string(&tensor, 8, labels.text);
    message(&g->body, 5, &tensor);
    put_node(g, "ArgMax", &scores, 1, (attribute[]){{"axis", 1}, {"keepdims", 0}, {NULL, 0}},
             best.text);
    put_node(g, "Gather", (name[]){labels, best}, 2, NULL, "label");
}

/* The type of an input or output: rows, and `cols` numbers in each; 0: one. */
static void put_value(graph *g, int at, const char *called, int type, int64_t cols)
{
    sri_text value = {.ctx = g->body.ctx}, tensor = value, shape = value, rows = value, col = value,
             kind = value;
    string(&rows, 2, "rows");
    message(&shape, 1, &rows);
    if (cols) {
        number(&col, 1, cols);
        message(&shape, 1, &col);
    }
    number(&tensor, 1, type);
    message(&tensor, 2, &shape);
    message(&kind, 1, &tensor);
    string(&value, 1, called);
    message(&value, 2, &kind);
    message(&g->body, at, &value);
}

static specreg_status check(specreg_context *ctx, const sri_plain *plain)
{
    const sri_coding *coding = plain->model->encoding.coding;
    const char *what = NULL, *which = "";
    if (plain->tasks)
        what = "tasks";
    if (plain->is_field)
        what = "vector fields";
    if (coding && coding->word && coding->spec.decoding != SRI_DECODE_SQUARED) {
        what = "outputs decoded by ";
        which = sri_decodings[coding->spec.decoding];
    }
    for (int64_t i = 0; i < plain->inputs; i++)
        if (plain->input[i].text && plain->model->encoding.encoder->refuses_unseen)
            what = "--unseen error";
    for (int t = 0; plain->n && !plain->is_field && t < plain->kernel.n_terms; t++) {
        const sri_pair pair = sri_term_pair(&plain->kernel.term[t]);
        if (pair != SRI_PAIR_DOT && pair != SRI_PAIR_DIST1 && pair != SRI_PAIR_DIST2) {
            what = "the kernel ";
            which = plain->kernel.term[t].ops->name;
        }
    }
    SRI_CHECK(ctx, !what, SPECREG_E_UNAVAILABLE,
              "the ONNX graph cannot carry %s%s: take --format c", what, which);
    return SPECREG_OK;
}

static specreg_status put_graph(specreg_context *ctx, graph *g, sri_arena *memory)
{
    columns c;
    name f = {""};
    bool has = false;
    SRI_CALL(columns_make(ctx, g->plain, memory, &c));
    const name x = make_x(g, &c);
    SRI_CALL(put_products(ctx, g, x, &f, &has));
    SRI_CALL(put_slopes(ctx, g, x, &f, &has));
    for (int64_t k = 0; k < g->plain->terms; k++)
        put_term(g, x, k, &f, &has);
    SRI_CALL(put_scores(ctx, g, f));
    string(&g->body, 2, "specreg");
    put_value(g, 11, "X", DOUBLE, g->plain->inputs);
    if (g->plain->model->encoding.coding) {
        put_labels(g);
        put_value(g, 12, "label", STRING, 0);
    }
    put_value(g, 12, "scores", DOUBLE, g->plain->scores);
    return SPECREG_OK;
}

specreg_status sri_export_onnx(specreg_context *ctx, const specreg_model *model, const char *path)
{
    specreg_status st = SPECREG_OK;
    sri_plain plain = {0};
    graph g = {.plain = &plain, .body = {.ctx = ctx}};
    sri_text file = {.ctx = ctx}, opset = {.ctx = ctx};
    SRI_TRY(sri_plain_make(ctx, model, "an ONNX graph", &plain));
    SRI_TRY(check(ctx, &plain));
    SRI_TRY(put_graph(ctx, &g, &plain.memory));
    number(&file, 1, IR);
    string(&file, 2, "specreg");
    string(&file, 3, SPECREG_VERSION);
    message(&file, 7, &g.body);
    string(&opset, 1, "");
    number(&opset, 2, OPSET);
    message(&file, 8, &opset);
    SRI_REQUIRE(ctx, file.buffer.length <= INT32_MAX, SPECREG_E_UNAVAILABLE,
                "an ONNX graph has at most 2 GiB: take --format c");
    SRI_TRY(sri_text_finish(&file, path));
done:
    sri_buffer_free(&g.body.buffer);
    sri_buffer_free(&file.buffer);
    sri_plain_free(&plain);
    return st;
}
