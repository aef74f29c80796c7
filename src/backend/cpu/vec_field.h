/* The part of vec_body.h for kernels of vector fields; see vec.h for what they are. */

static inline vd choose(vi mask, vd yes, vd no)
{
    return (vd)(((vi)yes & mask) | ((vi)no & ~mask));
}

/* Beyond |w|^2 = 1400, where e is below 1e-304, values are set to 0, because denormal results
 * make the vector exp slow.  Components of w are clipped, so that 0 is never multiplied by
 * infinity. */
static void field_values(const double *x, const double *panel, int64_t T,
                         const sri_field_shape *shape, double *out)
{
    const vd zero = {0}, cut = zero + 1000, far_off = zero + 1400;
    double *a = out, *b = out + SRI_PANEL, *w = out + 2 * SRI_PANEL;
    for (int i = 0; i < SRI_PANEL; i += LANES) {
        vd square = {0};
        for (int64_t t = 0; t < T; t++) {
            vd v = (x[t] - *(const vd *)(panel + t * SRI_PANEL + i)) * shape->inverse;
            v = choose(v < cut, v, cut);
            v = choose(v > -cut, v, -cut);
            *(vd *)(w + t * SRI_PANEL + i) = v;
            square += v * v;
        }
        *(vd *)(a + i) = square;
        *(vd *)(b + i) = choose(square < far_off, square, far_off);
    }
    VEC_TABLE(sri_exp_linear)(b, SRI_PANEL, -0.5);
    for (int i = 0; i < SRI_PANEL; i += LANES) {
        const vd square = *(const vd *)(a + i);
        const vd e = choose(square < far_off, *(const vd *)(b + i), zero);
        *(vd *)(a + i) = (shape->start - shape->fall * square) * e;
        *(vd *)(b + i) = shape->slope * e;
    }
}

/* T = 2, 3: the matrix of a pair and all sums lie in registers; `dim` and `count` are known to the
 * compiler. */
enum { FIELD_2 = LANES == 8 ? 8 : 4, FIELD_3 = LANES == 8 ? 6 : 2 };

static inline __attribute__((always_inline)) void
field_add_few(const int dim, const int count, const double *values, const double *C, double *sum)
{
    vd s[FIELD_2][3];
    for (int k = 0; k < count; k++)
        for (int t = 0; t < dim; t++)
            s[k][t] = *(const vd *)(sum + (k * dim + t) * SRI_FIELD_LANES);
    for (int i = 0; i < SRI_PANEL; i += LANES) {
        const double *v = values + i;
        const vd a = *(const vd *)v, b = *(const vd *)(v + SRI_PANEL);
        vd w[3], g[3][3];
        for (int t = 0; t < dim; t++)
            w[t] = *(const vd *)(v + (2 + t) * SRI_PANEL);
        for (int t = 0; t < dim; t++)
            for (int u = 0; u <= t; u++)
                g[t][u] = g[u][t] = t == u ? a + b * w[t] * w[t] : b * w[t] * w[u];
        for (int k = 0; k < count; k++)
            for (int u = 0; u < dim; u++) {
                const vd c = *(const vd *)(C + (k * dim + u) * SRI_PANEL + i);
                for (int t = 0; t < dim; t++)
                    s[k][t] += g[t][u] * c;
            }
    }
    for (int k = 0; k < count; k++)
        for (int t = 0; t < dim; t++)
            *(vd *)(sum + (k * dim + t) * SRI_FIELD_LANES) = s[k][t];
}

/* Any T, one column: a C + b (w . C) w. */
static void field_add_one(const double *values, int64_t T, const double *C, double *sum)
{
    const double *a = values, *b = values + SRI_PANEL, *w = values + 2 * SRI_PANEL;
    double q[SRI_PANEL];
    for (int i = 0; i < SRI_PANEL; i += LANES) {
        vd along = {0};
        for (int64_t t = 0; t < T; t++)
            along += *(const vd *)(w + t * SRI_PANEL + i) * *(const vd *)(C + t * SRI_PANEL + i);
        *(vd *)(q + i) = along * *(const vd *)(b + i);
    }
    for (int64_t t = 0; t < T; t++) {
        vd s = *(const vd *)(sum + t * SRI_FIELD_LANES);
        for (int i = 0; i < SRI_PANEL; i += LANES)
            s += *(const vd *)(a + i) * *(const vd *)(C + t * SRI_PANEL + i) +
                 *(const vd *)(q + i) * *(const vd *)(w + t * SRI_PANEL + i);
        *(vd *)(sum + t * SRI_FIELD_LANES) = s;
    }
}

#define FIELD_CASE(dim, count)                     \
    case count:                                    \
        field_add_few(dim, count, values, C, sum); \
        break

static void field_add_2(const double *values, int count, const double *C, double *sum)
{
    switch (count) {
        FIELD_CASE(2, 1);
        FIELD_CASE(2, 2);
        FIELD_CASE(2, 3);
        FIELD_CASE(2, 4);
#if LANES == 8
        FIELD_CASE(2, 5);
        FIELD_CASE(2, 6);
        FIELD_CASE(2, 7);
        FIELD_CASE(2, 8);
#endif
    }
}

static void field_add_3(const double *values, int count, const double *C, double *sum)
{
    switch (count) {
        FIELD_CASE(3, 1);
        FIELD_CASE(3, 2);
#if LANES == 8
        FIELD_CASE(3, 3);
        FIELD_CASE(3, 4);
        FIELD_CASE(3, 5);
        FIELD_CASE(3, 6);
#endif
    }
}

static void field_add(const double *values, int64_t T, int64_t count, const double *C, double *sum)
{
    const int64_t group = T == 2 ? FIELD_2 : T == 3 ? FIELD_3 : 1;
    for (int64_t k = 0; k < count; k += group) {
        const int few = (int)(count - k < group ? count - k : group);
        const double *from = C + k * T * SRI_PANEL;
        double *to = sum + k * T * SRI_FIELD_LANES;
        if (T == 2)
            field_add_2(values, few, from, to);
        else if (T == 3)
            field_add_3(values, few, from, to);
        else
            field_add_one(values, T, from, to);
    }
}
